//! Which properties the operations of a log fix, by how often they run.

use std::collections::{BTreeMap, BTreeSet};

use crate::keys::fixed_paths;
use crate::model::{Condition, Log, OptionsKey, PropertyPath};

/// Sets of properties that operations fix together, with their weight.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filters {
    sets: BTreeMap<BTreeSet<PropertyPath>, u128>,
    /// Weight of operations that hold the whole item, and so know any key.
    bodies: u128,
    total: u128,
}

impl Filters {
    /// The filters of a log.
    pub fn of(log: &Log) -> Self {
        let mut filters = Self::default();
        for (access, weight) in log.weighted_forms() {
            filters.total += weight;
            if access.kind.holds_item() {
                filters.bodies += weight;
                continue;
            }
            let mut fixed: BTreeSet<PropertyPath> = match &access.condition {
                Condition::Known(condition) => {
                    fixed_paths(condition).into_iter().cloned().collect()
                }
                _ => BTreeSet::new(),
            };
            if let OptionsKey::Properties(values) = &access.key {
                fixed.extend(values.iter().map(|(path, _)| path.clone()));
            }
            if access.id.is_some() {
                fixed.insert(PropertyPath::of("id"));
            }
            *filters.sets.entry(fixed).or_default() += weight;
        }
        filters
    }

    /// The share of the operations that fix all of these properties.
    pub fn share_of(&self, paths: &[&PropertyPath]) -> f64 {
        let fits = |set: &BTreeSet<PropertyPath>| paths.iter().all(|path| set.contains(*path));
        let weight: u128 = self
            .sets
            .iter()
            .filter(|(set, _)| fits(set))
            .map(|(_, weight)| weight)
            .sum();
        (weight + self.bodies) as f64 / self.total.max(1) as f64
    }

    /// The same without the operations that hold the whole item.
    pub fn reads_of(&self, paths: &[&PropertyPath]) -> f64 {
        self.share_of(paths) - self.bodies as f64 / self.total.max(1) as f64
    }

    /// Pairs of properties that are fixed together, the most frequent first.
    pub fn pairs(&self) -> Vec<(PropertyPath, PropertyPath)> {
        let mut weights: BTreeMap<(&PropertyPath, &PropertyPath), u128> = BTreeMap::new();
        for (set, weight) in &self.sets {
            for one in set {
                for other in set.range(one.clone()..).skip(1) {
                    *weights.entry((one, other)).or_default() += weight;
                }
            }
        }
        let mut pairs: Vec<_> = weights.into_iter().collect();
        pairs.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        pairs
            .into_iter()
            .map(|((one, other), _)| (one.clone(), other.clone()))
            .collect()
    }
}
