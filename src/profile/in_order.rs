//! Maps and sets without an order of their own, written in the order of their keys, so that equal ones
//! are equal bytes; a key can be any value.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, Hash};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Writes a map as a list of keys with their values.
pub(super) fn serialize<K, V, H, S>(map: &HashMap<K, V, H>, to: S) -> Result<S::Ok, S::Error>
where
    K: Ord + Serialize,
    V: Serialize,
    S: Serializer,
{
    let sorted: BTreeMap<&K, &V> = map.iter().collect();
    to.collect_seq(sorted)
}

/// Reads a map back.
pub(super) fn deserialize<'de, K, V, H, D>(from: D) -> Result<HashMap<K, V, H>, D::Error>
where
    K: Eq + Hash + Deserialize<'de>,
    V: Deserialize<'de>,
    H: BuildHasher + Default,
    D: Deserializer<'de>,
{
    let pairs = Vec::<(K, V)>::deserialize(from)?;
    Ok(pairs.into_iter().collect())
}

/// Writes a set as a list.
pub(super) fn set<T, H, S>(set: &HashSet<T, H>, to: S) -> Result<S::Ok, S::Error>
where
    T: Ord + Serialize,
    S: Serializer,
{
    to.collect_seq(set.iter().collect::<BTreeSet<_>>())
}
