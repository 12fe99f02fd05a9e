//! A condition in words.

use std::fmt;
use std::ops::Bound;

use super::{KeyComponent, Predicate};

/// Values that are shown of a set.
const VALUES_SHOWN: usize = 5;

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("anything"),
            Self::Nothing => f.write_str("nothing"),
            Self::In(path, values) => match &values[..] {
                [KeyComponent::Undefined] => write!(f, "{path} is undefined"),
                [value] => write!(f, "{path} = {value}"),
                values => {
                    let shown = values.iter().take(VALUES_SHOWN).map(ToString::to_string);
                    let shown = shown.collect::<Vec<_>>().join(", ");
                    let more = values.len().saturating_sub(VALUES_SHOWN);
                    let more = if more > 0 {
                        format!(" and {more} more")
                    } else {
                        String::new()
                    };
                    write!(f, "{path} in ({shown}{more})")
                }
            },
            Self::Unknown(path, 1) => write!(f, "{path} = a parameter without a value"),
            Self::Unknown(path, count) => {
                write!(f, "{path} in {count} parameters without values")
            }
            Self::Range(path, low, high) => {
                let low = match low {
                    Bound::Included(value) => Some(format!("{path} >= {value}")),
                    Bound::Excluded(value) => Some(format!("{path} > {value}")),
                    Bound::Unbounded => None,
                };
                let high = match high {
                    Bound::Included(value) => Some(format!("{path} <= {value}")),
                    Bound::Excluded(value) => Some(format!("{path} < {value}")),
                    Bound::Unbounded => None,
                };
                let ends: Vec<String> = low.into_iter().chain(high).collect();
                f.write_str(&ends.join(" and "))
            }
            Self::And(conditions) => joined(f, conditions, " and ", "anything"),
            Self::Or(conditions) => joined(f, conditions, " or ", "nothing"),
        }
    }
}

/// The conditions that say something, with a word between them.
fn joined(
    f: &mut fmt::Formatter<'_>,
    conditions: &[Predicate],
    word: &str,
    none: &str,
) -> fmt::Result {
    let said = conditions
        .iter()
        .filter(|one| **one != Predicate::Any || word == " or ");
    let one = |condition: &Predicate| {
        let text = condition.to_string();
        let nested =
            matches!(condition, Predicate::Or(inner) | Predicate::And(inner) if inner.len() > 1);
        if nested { format!("({text})") } else { text }
    };
    let texts: Vec<String> = said
        .map(one)
        .filter(|text| text != "anything" || word == " or ")
        .collect();
    f.write_str(if texts.is_empty() { none } else { "" })?;
    f.write_str(&texts.join(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::PropertyPath;

    #[test]
    fn conditions_read_like_sentences() {
        let is = |path: &str, values: &[f64]| {
            Predicate::In(
                PropertyPath::of(path),
                values
                    .iter()
                    .map(|value| KeyComponent::Number(*value))
                    .collect(),
            )
        };
        let condition = Predicate::And(vec![
            is("a", &[1.0]),
            Predicate::Any,
            Predicate::Or(vec![is("b", &[1.0, 2.0]), Predicate::Any]),
        ]);
        assert_eq!(
            condition.to_string(),
            "/a = 1 and (/b in (1, 2) or anything)"
        );
        assert_eq!(Predicate::And(Vec::new()).to_string(), "anything");
        assert_eq!(Predicate::Or(Vec::new()).to_string(), "nothing");
        let unbound = Predicate::Unknown(PropertyPath::of("a"), 1);
        assert_eq!(unbound.to_string(), "/a = a parameter without a value");
    }
}
