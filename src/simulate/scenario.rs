//! What is assumed about the container beyond what the files say.

use super::charge::FURTHER_PARTITION_CHARGE;
use super::growth::{DAY, GrowthSettings};
use super::sample::{SizeEstimate, size_of};
use crate::keys::{Candidate, Layout, VALUES_MAX_DEFAULT};
use crate::model::PropertyPath;
use crate::profile::LogicalPartition;

/// Bytes that the system properties add to an item, where nothing else is said ("formats": 200 to 300).
pub const ITEM_OVERHEAD_BYTES_DEFAULT: u64 = 250;

/// How far ahead is looked where nothing else is said, in days.
const HORIZON_DAYS_DEFAULT: f64 = 3.0 * 365.25;

/// Which part of the container the files hold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SampleShare {
    /// This share of the items, above 0 and at most 1.
    Share(f64),
    /// A part of a container with this many bytes.
    OfBytes(u64),
    /// A part of a container with this many items.
    OfItems(u64),
}

impl SampleShare {
    /// The share, for files with these items and bytes; at most 1.
    pub fn resolve(self, items: u64, bytes: u64) -> f64 {
        let share = match self {
            Self::Share(share) => share,
            Self::OfBytes(total) => bytes as f64 / total as f64,
            Self::OfItems(total) => items as f64 / total as f64,
        };
        if share > 0.0 { share.min(1.0) } else { 1.0 }
    }
}

/// From which share of operations that visit all physical partitions on there is something to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FanOutLimits {
    /// Those of this tool: the more partitions, the less.
    #[default]
    Strict,
    /// Those of the service's Partition Key Advisor notebook of 2022.
    AdvisorNotebook,
}

impl FanOutLimits {
    /// Whether a share reaches a limit: the notebook counts what is equal to it.
    pub fn reached(self, limit: f64, share: f64) -> bool {
        match self {
            Self::Strict => share > limit,
            Self::AdvisorNotebook => share >= limit,
        }
    }

    /// The shares above which operations that visit all of so many physical partitions are a warning,
    /// and an error; a share above 1 is never reached.
    pub fn shares(self, partitions: usize) -> (f64, f64) {
        const NEVER: f64 = 2.0;
        match (self, partitions) {
            (Self::Strict, 50..) => (0.01, 0.1),
            (Self::Strict, 10..50) => (0.05, 0.3),
            (Self::Strict, 2..10) => (0.2, NEVER),
            (Self::Strict, _) => (NEVER, NEVER),
            (Self::AdvisorNotebook, 51..) => (0.2, 0.3),
            (Self::AdvisorNotebook, 6..=50) => (0.25, 0.4),
            (Self::AdvisorNotebook, 2..=5) => (0.3, 0.5),
            (Self::AdvisorNotebook, _) => (0.9, NEVER),
        }
    }
}

/// The scenario in which all candidates are compared.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Which part of the container the files hold.
    pub sample: SampleShare,
    /// The share of all operations that the log holds, above 0 and at most 1.
    pub log_share: f64,
    /// Provisioned throughput in RU/s; `None` derives it from the log.
    pub throughput: Option<u64>,
    /// Whether the throughput is the maximum of autoscale.
    pub autoscale: bool,
    /// Number of physical partitions; `None` derives it from throughput and bytes.
    pub partitions: Option<u32>,
    /// The ranges of a real container.
    pub layout: Option<Layout>,
    /// Seconds in a window of the replay; `None` takes what the log's times allow.
    pub window_seconds: Option<u64>,
    /// Seconds that a log without times covers.
    pub log_seconds: Option<u64>,
    /// What rates in the log are multiplied with.
    pub peak_factor: f64,
    /// The key of the container today.
    pub current_key: Option<Candidate>,
    /// Bytes added to each item for the system properties.
    pub item_overhead_bytes: u64,
    /// Stored bytes for each byte of an item.
    pub index_factor: f64,
    /// Idle capacity can be spent later.
    pub burst: bool,
    /// What each further physical partition of an operation costs, in millionths of a request unit.
    pub further_partition_charge: u64,
    /// The highest throughput that the container ever had, in RU/s.
    pub highest_throughput: u64,
    /// Properties that the application has at hand at every point operation.
    pub always: Vec<PropertyPath>,
    /// When fan-out is worth a finding.
    pub fan_out_limits: FanOutLimits,
    /// The unique keys of the container, each as its paths.
    pub unique_keys: Vec<Vec<PropertyPath>>,
    /// Above this many key values an operation counts as cross-partition.
    pub values_max: usize,
    /// What is assumed about growth.
    pub growth: GrowthSettings,
    /// Draws random suffixes.
    pub seed: u64,
}

impl Scenario {
    /// The number of physical partitions, where the scenario settles it.
    pub fn fixed_partitions(&self) -> Option<u32> {
        let of_layout = |layout: &Layout| layout.partition_count() as u32;
        self.layout.as_ref().map(of_layout).or(self.partitions)
    }

    /// The size of a logical partition in the whole container, of which the files hold a share; `None`
    /// where too few of its items were seen. Its lower end is without what the overhead may be.
    pub fn size_of(&self, one: &LogicalPartition, sample_share: f64) -> Option<SizeEstimate> {
        // Where the bytes of the container are given, the overhead is in them.
        let overhead_bytes = match self.sample {
            SampleShare::OfBytes(_) => 0,
            SampleShare::Share(_) | SampleShare::OfItems(_) => self.item_overhead_bytes,
        };
        size_of(one, sample_share, overhead_bytes, self.index_factor)
    }
}

impl Default for Scenario {
    fn default() -> Self {
        Self {
            sample: SampleShare::Share(1.0),
            log_share: 1.0,
            throughput: None,
            autoscale: false,
            partitions: None,
            layout: None,
            window_seconds: None,
            log_seconds: None,
            peak_factor: 1.0,
            current_key: None,
            item_overhead_bytes: ITEM_OVERHEAD_BYTES_DEFAULT,
            index_factor: 1.0,
            burst: false,
            further_partition_charge: FURTHER_PARTITION_CHARGE,
            highest_throughput: 0,
            always: Vec::new(),
            fan_out_limits: FanOutLimits::default(),
            unique_keys: Vec::new(),
            values_max: VALUES_MAX_DEFAULT,
            growth: GrowthSettings {
                horizon_seconds: HORIZON_DAYS_DEFAULT * DAY,
                ..GrowthSettings::default()
            },
            seed: 1,
        }
    }
}
