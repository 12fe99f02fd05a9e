//! The values of arguments, read from text.

use crate::model::PropertyPath;
use crate::simulate::DAY;

pub(super) fn price(text: &str) -> Result<f64, String> {
    let price: f64 = text
        .parse()
        .map_err(|_| "expected a number such as 0.008".to_owned())?;
    if (0.0..1e6).contains(&price) {
        Ok(price)
    } else {
        Err("expected a price from 0".to_owned())
    }
}

pub(super) fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text
        .parse()
        .map_err(|_| "expected a number such as 0.1".to_owned())?;
    if share > 0.0 && share <= 1.0 {
        Ok(share)
    } else {
        Err("expected a share above 0 and at most 1".to_owned())
    }
}

pub(super) fn factor(text: &str) -> Result<f64, String> {
    let factor: f64 = text
        .parse()
        .map_err(|_| "expected a number such as 1.2".to_owned())?;
    if (0.1..=10.0).contains(&factor) {
        Ok(factor)
    } else {
        Err("expected a factor from 0.1 to 10".to_owned())
    }
}

pub(super) fn peak(text: &str) -> Result<f64, String> {
    let factor: f64 = text
        .parse()
        .map_err(|_| "expected a number such as 3".to_owned())?;
    if factor > 0.0 && factor <= 1e6 {
        Ok(factor)
    } else {
        Err("expected a factor above 0".to_owned())
    }
}

/// Seconds of a number of them, or of a time such as `90d` or `3y`.
pub(super) fn long_time(text: &str) -> Result<f64, String> {
    let expected = || "expected a time such as 12h, 90d or 3y".to_owned();
    let (number, unit) = match text.find(|c: char| c.is_ascii_alphabetic()) {
        Some(at) => text.split_at(at),
        None => (text, "s"),
    };
    let number: f64 = number.trim().parse().map_err(|_| expected())?;
    let seconds = match unit {
        "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "d" => DAY,
        "w" => 7.0 * DAY,
        "mo" => 365.25 / 12.0 * DAY,
        "y" => 365.25 * DAY,
        _ => return Err(expected()),
    };
    let seconds = number * seconds;
    if (1.0..=1000.0 * 365.25 * DAY).contains(&seconds) {
        Ok(seconds)
    } else {
        Err(expected())
    }
}

/// Whole seconds of a plain number or of a duration such as `5m`.
pub(super) fn seconds(text: &str) -> Result<u64, String> {
    let seconds = match text.parse::<u64>() {
        Ok(seconds) => seconds,
        Err(_) => text
            .parse::<jiff::SignedDuration>()
            .ok()
            .and_then(|duration| u64::try_from(duration.as_secs()).ok())
            .ok_or("expected seconds, or a time such as 5m or 1h")?,
    };
    if (1..=3_153_600_000).contains(&seconds) {
        Ok(seconds)
    } else {
        Err("expected a second or more".to_owned())
    }
}

pub(super) fn path(text: &str) -> Result<PropertyPath, String> {
    PropertyPath::parse(text).map_err(|error| error.to_string())
}

/// The paths of a unique key.
#[derive(Debug, Clone)]
pub(super) struct Paths(pub(super) Vec<PropertyPath>);

pub(super) fn paths(text: &str) -> Result<Paths, String> {
    text.split(',')
        .map(path)
        .collect::<Result<_, _>>()
        .map(Paths)
}
