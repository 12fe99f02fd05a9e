//! What the status of a request says about the work that it was.

/// Whether a logged request is workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It was routed and charged: also where the item was not found, or a condition not met.
    Done,
    /// It was refused for its rate, and is tried again.
    Refused,
    /// It was refused because its logical partition is full.
    Full,
    /// It did no work, or none that is known.
    Failed,
}

impl Outcome {
    /// The outcome of a status and a sub-status; what has none was done.
    pub(super) fn of(status: Option<u16>, sub: Option<u32>) -> Self {
        match (status.unwrap_or(200), sub.unwrap_or(0)) {
            (429, _) => Self::Refused,
            (403, 1014) => Self::Full,
            // 404/1002 and 449 are tried again at once, and stand in the log again.
            (400 | 401 | 403 | 405 | 408 | 410 | 413 | 449 | 500..=599, _) | (404, 1002) => {
                Self::Failed
            }
            _ => Self::Done,
        }
    }
}

/// What is worth saying about a request that failed.
pub(super) fn failure(status: Option<u16>, sub: Option<u32>) -> String {
    match (status, sub) {
        (Some(403), None) => {
            "status 403 without a sub-status: forbidden, or the logical partition is full"
                .to_owned()
        }
        (Some(status), Some(sub)) if sub > 0 => format!("status {status}, sub-status {sub}"),
        (Some(status), _) => format!("status {status}"),
        (None, _) => "no status".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_charged_is_work_and_what_was_refused_is_not() {
        for status in [200, 201, 204, 207, 304, 404, 409, 412] {
            assert_eq!(
                Outcome::of(Some(status), Some(0)),
                Outcome::Done,
                "{status}"
            );
        }
        assert_eq!(Outcome::of(None, None), Outcome::Done);
        assert_eq!(Outcome::of(Some(429), Some(3200)), Outcome::Refused);
        assert_eq!(Outcome::of(Some(403), Some(1014)), Outcome::Full);
        for (status, sub) in [(403, 0), (410, 1002), (404, 1002), (449, 0), (503, 0)] {
            assert_eq!(Outcome::of(Some(status), Some(sub)), Outcome::Failed);
        }
    }
}
