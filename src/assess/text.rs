//! Numbers written for people.

/// A whole number with commas between thousands.
pub(crate) fn whole(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A quantity of operations or of request units: whole where it is, else with two digits.
pub(crate) fn quantity(number: f64) -> String {
    if number.fract().abs() < 1e-9 || number >= 1000.0 {
        whole(number.round() as u64)
    } else {
        format!("{number:.2}")
    }
}

/// A share as a percentage.
pub(crate) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent >= 99.95 || percent.abs() < 1e-12 {
        format!("{percent:.0}%")
    } else if percent >= 0.1 {
        format!("{percent:.1}%")
    } else {
        "<0.1%".to_owned()
    }
}

/// Bytes with a decimal unit, as the service counts its limits.
pub(crate) fn bytes(bytes: u64) -> String {
    let size = bytes as f64;
    let units = [("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)];
    units
        .into_iter()
        .find(|(_, unit)| size >= *unit)
        .map_or_else(
            || format!("{bytes} B"),
            |(name, unit)| format!("{:.1} {name}", size / unit),
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_for_people() {
        assert_eq!(whole(0), "0");
        assert_eq!(whole(336776), "336,776");
        assert_eq!(quantity(2.5), "2.50");
        assert_eq!(quantity(12345.6), "12,346");
        assert_eq!(percent(0.0), "0%");
        assert_eq!(percent(1.0), "100%");
        assert_eq!(percent(0.0001), "<0.1%");
        assert_eq!(percent(0.123), "12.3%");
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(20_500_000_000), "20.5 GB");
    }
}
