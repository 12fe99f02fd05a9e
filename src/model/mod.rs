//! Plain values: paths, definitions, key values and effective partition keys.
