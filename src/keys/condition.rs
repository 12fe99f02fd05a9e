//! Whether an item meets a condition on its properties.

use serde_json::Value;

use crate::model::{KeyComponent, Predicate, PropertyPath, property};

/// Whether an item meets a condition; one that the condition cannot rule out does.
pub fn meets(condition: &Predicate, item: &Value) -> bool {
    match condition {
        // What is not known, or orders values, rules nothing out here.
        Predicate::Any | Predicate::Unknown(..) | Predicate::Range(..) => true,
        Predicate::Nothing => false,
        Predicate::In(path, values) => {
            let value =
                property(item, path).map_or(KeyComponent::Undefined, KeyComponent::from_json);
            values.contains(&value)
        }
        Predicate::And(conditions) => conditions.iter().all(|one| meets(one, item)),
        Predicate::Or(conditions) => conditions.iter().any(|one| meets(one, item)),
    }
}

/// The properties that a condition fixes to a finite set of values.
pub fn fixed_paths(condition: &Predicate) -> Vec<&PropertyPath> {
    match condition {
        Predicate::In(path, _) | Predicate::Unknown(path, _) => vec![path],
        Predicate::And(conditions) => conditions.iter().flat_map(fixed_paths).collect(),
        _ => Vec::new(),
    }
}

/// The values that a condition fixes a property to; none where it leaves them open.
pub fn fixed_values<'a>(condition: &'a Predicate, path: &PropertyPath) -> &'a [KeyComponent] {
    match condition {
        Predicate::In(of, values) if of == path => values,
        Predicate::And(conditions) => conditions
            .iter()
            .map(|one| fixed_values(one, path))
            .find(|values| !values.is_empty())
            .unwrap_or_default(),
        _ => &[],
    }
}
