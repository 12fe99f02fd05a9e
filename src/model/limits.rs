//! Every number of the service that the tool relies on, with its page.
//!
//! Pages are those of the service's documentation, as read in November 2026.

/// Longest hierarchy of a partition key, in levels ("hierarchical-partition-keys").
pub const HIERARCHY_LEVELS_MAX: usize = 3;

/// UTF-16 code units of a string that version 1 hashes; the rest is ignored ("large-partition-keys"
/// speaks of 101 bytes; the service's shared code cuts at 100 code units).
pub const V1_STRING_UNITS: usize = 100;

/// UTF-8 bytes of a string that the binary encoding of version 1 keeps before it drops the terminator.
pub const V1_BINARY_STRING_BYTES: usize = 100;

/// Bits of the hash space of version 2 and of each level of a hierarchical key.
pub const V2_HASH_BITS: u32 = 126;

/// Most physical partitions that a layout is drawn for: a bound on memory, not a number of the service.
pub const LAYOUT_PARTITIONS_MAX: u32 = 100_000;

/// Bytes that one logical partition may hold, 20 GB ("concepts-limits"); the decimal reading is the
/// cautious one.
pub const LOGICAL_PARTITION_BYTES_MAX: u64 = 20_000_000_000;

/// Bytes that a physical partition holds before it splits, 50 GB ("partitioning").
pub const PHYSICAL_PARTITION_BYTES_MAX: u64 = 50_000_000_000;

/// RU/s that a physical partition, and a single logical key value, can serve ("concepts-limits",
/// "partitioning").
pub const PARTITION_THROUGHPUT_MAX: u64 = 10_000;

/// Smallest provisioned throughput of a container, in RU/s, manual ("concepts-limits").
pub const MANUAL_THROUGHPUT_MIN: u64 = 400;

/// Step in which manual throughput is set, in RU/s ("set-throughput").
pub const MANUAL_THROUGHPUT_STEP: u64 = 100;

/// Manual RU/s that a container needs at least for each GB it stores ("concepts-limits").
pub const MANUAL_THROUGHPUT_PER_GB: u64 = 1;

/// Smallest maximum of autoscale throughput, in RU/s, and the step in which it is set
/// ("concepts-limits").
pub const AUTOSCALE_THROUGHPUT_MIN: u64 = 1000;

/// RU/s of the autoscale maximum that a container needs at least for each GB it stores
/// ("concepts-limits").
pub const AUTOSCALE_THROUGHPUT_PER_GB: u64 = 10;

/// Bytes of a GB in the service's limits: decimal, the cautious reading.
pub const GB: u64 = 1_000_000_000;

/// Bytes of UTF-8 JSON of an item, 2 MB ("concepts-limits"); the decimal reading is the cautious one.
pub const ITEM_BYTES_MAX: u64 = 2_000_000;

/// Bytes of an id ("concepts-limits").
pub const ID_BYTES_MAX: usize = 1023;

/// Bytes of a key value with large keys, version 2 ("concepts-limits", "large-partition-keys").
pub const KEY_BYTES_MAX: u64 = 2048;

/// Bytes of a key value of version 1, without large keys ("large-partition-keys").
pub const KEY_BYTES_MAX_V1: u64 = 101;

/// Operations of a transactional batch ("transactional-batch").
pub const BATCH_OPERATIONS_MAX: usize = 100;

/// Bytes of a transactional batch, 2 MB ("transactional-batch").
pub const BATCH_BYTES_MAX: u64 = 2_000_000;

/// Seconds of idle capacity that burst banks ("burst-capacity").
pub const BURST_SECONDS: f64 = 300.0;

/// RU/s that a physical partition reaches with burst, and from which on it has none ("burst-capacity").
pub const BURST_THROUGHPUT_MAX: f64 = 3000.0;

/// The manual throughput must be at least the highest that ever was, by this ("concepts-limits").
pub const MANUAL_THROUGHPUT_PER_HIGHEST: u64 = 100;

/// The autoscale maximum must be at least the highest that ever was, by this ("concepts-limits").
pub const AUTOSCALE_THROUGHPUT_PER_HIGHEST: u64 = 10;
