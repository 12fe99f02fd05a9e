//! The partition key definition of a container.

use serde::{Deserialize, Serialize};

use super::PropertyPath;

/// How the components of a key value become an effective partition key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum KeyKind {
    /// All components are hashed together.
    Hash,
    /// Each component is hashed by itself: a hierarchical partition key.
    MultiHash,
}

/// The version of the hash of a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum KeyVersion {
    /// 32-bit hash over the first 100 UTF-16 units of a string; what a definition without a version means.
    V1,
    /// 128-bit hash over whole strings ("large partition keys").
    V2,
}

/// The partition key of a container: its paths, kind and version.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeyDefinition {
    /// Paths of the properties, in order.
    pub paths: Vec<PropertyPath>,
    /// How components are hashed.
    pub kind: KeyKind,
    /// Version of the hash.
    pub version: KeyVersion,
}
