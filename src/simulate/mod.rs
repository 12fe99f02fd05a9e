//! Candidates laid out over physical partitions, and the log replayed over them.

mod ceiling;
mod charge;
mod class;
mod compare;
mod data;
mod frame;
mod growth;
mod heat;
mod hottest;
mod joins;
mod later;
mod load;
mod measure;
mod placement;
mod planned;
mod price;
mod query_route;
mod reached;
mod replay;
mod route;
mod routes;
mod sample;
mod scenario;
mod schedule;
mod search;
mod steps;
mod suffix;
mod tally;
mod usage;
mod workload;

pub use ceiling::{CEILING_SHARE_MAX, Ceiling};
pub use charge::{
    CHARGE_MODEL, ChargeSource, FURTHER_PARTITION_CHARGE, QUERY_CHARGE_MIN, copy_charge,
};
pub use class::Routing;
pub use compare::{Compared, compare, current_paths, look_ahead, paths_of, workload};
pub use frame::{Frame, frame};
pub use growth::{Breach, DAY, Growth, GrowthSettings, Horizon, duration};
pub use heat::{HeatMap, Pattern};
pub use joins::{JoinCounts, Joins};
pub use later::Later;
pub use measure::{Bench, Measured, PhysicalLoad, ThroughputSummary};
pub use placement::{PhysicalPartition, Placement, even_split_throughput, partition_count};
pub use price::{AUTOSCALE_PRICE, MANUAL_PRICE, MonthlyCost, Prices, STORAGE_PRICE};
pub use query_route::{QueryRoute, Why};
pub use reached::{RoutingSummary, ShapeRouting};
pub use sample::{ShareInterval, SizeEstimate, Whole, size_of};
pub use scenario::{FanOutLimits, ITEM_OVERHEAD_BYTES_DEFAULT, SampleShare, Scenario};
pub use schedule::{RATES_SECONDS, RatesWithoutSpan, Schedule, settle_rates};
pub use search::Required;
pub use steps::Steps;
pub use suffix::{SuffixNumbers, SuffixOutcome, SuffixRow, SuffixSearch};
pub use usage::Utilization;
pub use workload::{THROTTLED_SHARE_MAX, Workload};
