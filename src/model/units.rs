//! Quantities that are summed as integers, so that no order of summing shows.

/// Parts of a request unit, and of an operation, that are counted: a millionth.
pub const MICRO: u64 = 1_000_000;

/// A quantity in millionths; `None` where it is negative, no number, or beyond 64 bits.
pub fn to_micro(value: f64) -> Option<u64> {
    let micro = value * MICRO as f64;
    // Above 2^63 a double no longer tells neighbours apart by far; nothing real is as large.
    (0.0..9.2e18).contains(&micro).then(|| micro.round() as u64)
}

/// A quantity in whole units.
pub fn from_micro(micro: u128) -> f64 {
    micro as f64 / MICRO as f64
}

/// The charge of `weight` millionths of an operation that costs `charge` millionths of a request unit.
pub fn weighted(charge: u64, weight: u64) -> u128 {
    u128::from(charge) * u128::from(weight) / u128::from(MICRO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_read_back_and_nonsense_is_none() {
        assert_eq!(to_micro(2.8), Some(2_800_000));
        assert!((from_micro(2_800_000) - 2.8).abs() < 1e-12);
        for nonsense in [-1.0, f64::NAN, f64::INFINITY, 1e300] {
            assert_eq!(to_micro(nonsense), None);
        }
        assert_eq!(weighted(2_800_000, 25 * MICRO), 70_000_000);
    }
}
