//! The layout of a real container, from the ranges that the service lists.

use serde_json::Value;

use super::layout::Layout;
use crate::model::Epk;

/// Why a text gives no layout.
#[derive(Debug, thiserror::Error)]
pub enum RangesError {
    /// The text is no JSON.
    #[error("not JSON")]
    Json(#[from] serde_json::Error),
    /// No ranges stand in it.
    #[error(
        "no ranges with minInclusive and maxExclusive in it; expected the pkranges feed of the container"
    )]
    Missing,
    /// An end of a range is no key.
    #[error("'{0}' is no effective partition key in hexadecimal")]
    NotAKey(String),
    /// The ranges leave a gap or overlap.
    #[error(
        "the ranges do not cover the key space once: one ends at '{0}', the next starts at '{1}'"
    )]
    Gap(String, String),
}

impl Layout {
    /// Reads the ranges that stand anywhere in a JSON text, as the pkranges feed lists them.
    pub fn from_ranges(json: &str) -> Result<Self, RangesError> {
        let document: Value = serde_json::from_str(json)?;
        let mut found = Vec::new();
        collect(&document, &mut found);
        let mut ranges = found
            .into_iter()
            .map(|(min, max)| Ok((end(min)?, end(max)?)))
            .collect::<Result<Vec<(Epk, Epk)>, RangesError>>()?;
        ranges.sort_unstable();
        ranges.dedup();
        if ranges.is_empty() {
            return Err(RangesError::Missing);
        }
        let mut at = Epk::MIN;
        for (min, max) in &ranges {
            if *min != at {
                return Err(RangesError::Gap(at.to_string(), min.to_string()));
            }
            at = max.clone();
        }
        if at != Epk::max() {
            return Err(RangesError::Gap(at.to_string(), Epk::max().to_string()));
        }
        let boundaries = ranges.into_iter().skip(1).map(|(min, _)| min);
        Ok(Self::of_boundaries(boundaries.collect()))
    }
}

/// An end of a range. Boundaries of hierarchical containers are padded with whole levels of zeros,
/// which mean the same point without them.
fn end(text: &str) -> Result<Epk, RangesError> {
    let key = Epk::from_hex(text).ok_or_else(|| RangesError::NotAKey(text.to_owned()))?;
    Ok(key.without_zero_levels())
}

fn collect<'a>(value: &'a Value, found: &mut Vec<(&'a str, &'a str)>) {
    match value {
        Value::Array(values) => values.iter().for_each(|one| collect(one, found)),
        Value::Object(members) => {
            let text = |name: &str| members.get(name).and_then(Value::as_str);
            if let (Some(min), Some(max)) = (text("minInclusive"), text("maxExclusive")) {
                found.push((min, max));
            } else {
                members.values().for_each(|one| collect(one, found));
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CUT: &str = "1FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF";

    fn feed(ranges: &[(&str, &str)]) -> String {
        let ranges = ranges.iter().map(
            |(min, max)| serde_json::json!({"id": "0", "minInclusive": min, "maxExclusive": max}),
        );
        serde_json::json!({"_rid": "x", "PartitionKeyRanges": ranges.collect::<Vec<_>>()})
            .to_string()
    }

    #[test]
    fn the_ranges_of_a_container_are_its_layout_whatever_their_order_and_padding() {
        let padded = format!("{CUT}{}", "0".repeat(64));
        for cut in [CUT, &padded] {
            let layout = Layout::from_ranges(&feed(&[(cut, "FF"), ("", cut)])).expect("a layout");
            assert_eq!(layout.partition_count(), 2);
            assert_eq!(
                layout.partition_of(&Epk::from_hex(CUT).expect("hexadecimal")),
                1
            );
        }
    }

    #[test]
    fn gaps_and_nonsense_are_refused() {
        assert!(matches!(
            Layout::from_ranges(&feed(&[("", CUT)])),
            Err(RangesError::Gap(..))
        ));
        assert!(matches!(
            Layout::from_ranges(&feed(&[(CUT, "FF")])),
            Err(RangesError::Gap(..))
        ));
        assert!(matches!(
            Layout::from_ranges(&feed(&[("", "xy")])),
            Err(RangesError::NotAKey(_))
        ));
        assert!(matches!(
            Layout::from_ranges("{}"),
            Err(RangesError::Missing)
        ));
        assert!(matches!(
            Layout::from_ranges("{"),
            Err(RangesError::Json(_))
        ));
    }
}
