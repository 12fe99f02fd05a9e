//! Partition keys: hashing, strategies and the grammar of candidates.
