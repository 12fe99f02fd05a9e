//! Candidates laid out over physical partitions.

mod placement;

pub use placement::{PhysicalPartition, Placement, even_split_throughput, partition_count};
