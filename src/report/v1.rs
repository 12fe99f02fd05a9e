//! Report v1: what other programs read.
//!
//! Fields are only ever added; none changes its meaning. A value that is not known is `null`, never 0.
//! Charges are in RU, sizes in bytes, shares from 0 to 1, times in RFC 3339.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The value of the field `schema`.
pub const SCHEMA: &str = "pkadvisor/report/v1";

/// A report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// Names the version of this document.
    pub schema: String,
    /// The program that made it.
    pub tool: Tool,
    /// The settings that the numbers depend on, by name.
    pub settings: BTreeMap<String, Value>,
    /// What was read of the data.
    pub dataset: Dataset,
    /// What was read of the log; `null` without one.
    pub log: Option<Log>,
    /// What is assumed about the container, and where it comes from.
    pub scenario: Scenario,
    /// The key to take.
    pub recommendation: Recommendation,
    /// The candidates in the order of their rank.
    pub candidates: Vec<Candidate>,
    /// What numbers of suffixes come to, where that was asked for.
    pub suffix_searches: Vec<SuffixSearch>,
}

/// What numbers of suffixes on a key come to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SuffixSearch {
    /// The key whose values are spread.
    pub key: String,
    /// The property that suffixes are computed from.
    pub by: String,
    /// Drawn and computed suffixes of each number.
    pub rows: Vec<SuffixRow>,
    /// The smallest number at which nothing is over 20 GB and some throughput is enough, with drawn
    /// suffixes; where the throughput is given, also at most 1 % are refused with it.
    pub smallest_random: Option<u32>,
    /// The same with computed ones.
    pub smallest_computed: Option<u32>,
    /// The number from which on more drawn suffixes save less than 5 % of the throughput.
    pub knee_random: Option<u32>,
    /// The same with computed ones.
    pub knee_computed: Option<u32>,
}

/// A number of suffixes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SuffixRow {
    /// How many.
    pub count: u32,
    /// Drawn at random for each item.
    pub random: SuffixNumbers,
    /// Computed from a property.
    pub computed: SuffixNumbers,
}

/// What a number of suffixes comes to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SuffixNumbers {
    /// Charge of the busiest physical partition over the mean of all.
    pub hottest_over_mean: Option<f64>,
    /// The share of the requests that is refused.
    pub throttled_share: Option<f64>,
    /// Key values that a read which knows the key alone must ask for.
    pub keys_read: u32,
    /// The share of the operations that go to one key value.
    pub single_share: Option<f64>,
    /// Physical partitions that an operation visits on average.
    pub partitions_visited: Option<f64>,
    /// RU/s that are needed; `null` where nothing is enough.
    pub required: Option<u64>,
    /// What that costs a month, storage included.
    pub cost: Option<f64>,
    /// Logical partitions over 20 GB in the whole container.
    pub over_limit: u64,
}

/// The program that made a report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct File {
    /// Its name, as given.
    pub name: String,
    /// The form that was recognised.
    pub format: String,
    /// What was undone to read it: compressions, an encoding.
    pub packing: Vec<String>,
}

/// What was read of the data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Dataset {
    /// The files.
    pub files: Vec<File>,
    /// Items that were used.
    pub items: u64,
    /// Sum of their sizes, overhead of the system properties included.
    pub bytes: u64,
    /// The same of the whole container.
    pub scaled: Scaled,
    /// Rows that were not used.
    pub rejected: u64,
    /// Why, and where.
    pub problems: Vec<Problem>,
    /// Columns of tables and what they were read as: `number` or `text`.
    pub columns: BTreeMap<String, String>,
}

/// Items and bytes of the whole container, the index factor included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Scaled {
    /// Items.
    pub items: u64,
    /// Bytes.
    pub bytes: u64,
}

/// A reason why rows were not used, or not as they stand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// The code of the reason.
    pub reason: String,
    /// The reason in words.
    pub message: String,
    /// Whether the rows were left out.
    pub rejected: bool,
    /// How many rows.
    pub count: u64,
    /// The first of them.
    pub places: Vec<Place>,
}

/// Where a problem was seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u64,
    /// The particulars.
    pub detail: String,
}

/// What was read of the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Log {
    /// The files.
    pub files: Vec<File>,
    /// Rows that were used.
    pub operations: u64,
    /// How often the operations ran: the sum of `count`, refused requests left out.
    pub weight: f64,
    /// Rows that were not used.
    pub rejected: u64,
    /// The base charge of all operations, today's fan-out taken off where it is known.
    pub charge: f64,
    /// When the first operation ran.
    pub first: Option<String>,
    /// When the last operation ran.
    pub last: Option<String>,
    /// Why rows were not used, and where.
    pub problems: Vec<Problem>,
    /// Requests that were refused when the log was taken (429): no workload.
    pub throttled: f64,
    /// Operations of which the log holds refusals and no success: demand that was not met, so that the
    /// required throughput is a lower bound.
    pub unmet: f64,
    /// Writes that failed because a logical partition was full (403 with sub-status 1014).
    pub full: f64,
    /// Seconds that rows with a rate were taken to cover.
    pub rates_seconds: Option<u64>,
    /// Where the charges come from, as shares of the operations.
    pub charges: Charges,
    /// The ids that operations name.
    pub ids: Ids,
}

/// Where charges come from, as shares of the operations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Charges {
    /// The log, and nothing of today's fan-out is in them.
    pub recorded: f64,
    /// The log; today's fan-out may be in them.
    pub recorded_with_fan_out: f64,
    /// The model.
    pub modelled: f64,
    /// The name of the model.
    pub model: String,
}

/// The ids that operations name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ids {
    /// Distinct ids in the log.
    pub named: u64,
    /// Of them, those of items in the dataset.
    pub in_dataset: u64,
    /// Of the others, those that the log itself creates.
    pub created_in_log: u64,
}

/// What is assumed about the container.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Scenario {
    /// The share of the container that the files hold.
    pub sample_share: f64,
    /// The share of the operations that the log holds.
    pub log_share: f64,
    /// Bytes of the whole container.
    pub container_bytes: u64,
    /// Provisioned RU/s.
    pub throughput: Option<u64>,
    /// `given`, or `derived` from the log.
    pub throughput_source: Option<String>,
    /// Whether it is the maximum of autoscale.
    pub autoscale: bool,
    /// RU/s that a perfectly even load without fan-out needs.
    pub even_throughput: Option<u64>,
    /// Physical partitions before storage splits.
    pub partitions: u32,
    /// `given`, `layout`, or `derived` from throughput and bytes.
    pub partitions_source: String,
    /// Seconds in a window of the replay.
    pub window_seconds: Option<u64>,
    /// How many windows the log spans.
    pub windows: Option<u32>,
    /// The key of the container today.
    pub current_key: Option<String>,
}

/// The key to take.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Recommendation {
    /// The key as typed; `null` where no candidate is acceptable.
    pub key: Option<String>,
    /// Why.
    pub reasons: Vec<String>,
    /// `certain`, `likely` or `possible`.
    pub confidence: String,
    /// What comes next, in sentences.
    pub next: Vec<String>,
}

/// One candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Candidate {
    /// The key as typed.
    pub key: String,
    /// `single`, `hierarchical`, `synthetic`, `random suffix` or `precomputed suffix`.
    pub strategy: String,
    /// What the container would be created with.
    pub definition: Definition,
    /// Its rank, from 1.
    pub rank: u64,
    /// `acceptable`, `rejected` or `cannot-tell`.
    pub verdict: String,
    /// How many key values there are.
    pub cardinality: Cardinality,
    /// How large they are.
    pub logical_partitions: LogicalPartitions,
    /// What lies where, in the order of the ranges.
    pub physical_partitions: Vec<PhysicalPartition>,
    /// How far operations reach; `null` without a log.
    pub routing: Option<Routing>,
    /// What the log costs; `null` without a log.
    pub throughput: Option<Throughput>,
    /// How the data grow under it; `null` where no item tells its time.
    pub growth: Option<Growth>,
    /// What it costs a month; `null` where no throughput is known to be enough.
    pub cost: Option<Cost>,
    /// What the checks found.
    pub findings: Vec<Finding>,
    /// What they found and the policy accepts.
    pub ignored: Vec<Ignored>,
    /// Why it was proposed; `null` where it was given.
    pub proposed: Option<String>,
    /// Why it is not the one to take; `null` for that one.
    pub lost: Option<String>,
    /// Whether it is the key of the container today.
    pub current: bool,
}

/// How the data grow under a candidate, if items keep coming as they do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Growth {
    /// The time of the first item.
    pub first: String,
    /// The time of the last item.
    pub last: String,
    /// Bytes that come to the container each day.
    pub bytes_per_day: f64,
    /// The first logical partition to reach 20 GB.
    pub breach: Option<Breach>,
    /// Why none does.
    pub never: Option<String>,
    /// Physical partitions that reach 50 GB and split before the horizon, the first first.
    pub splits: Vec<Split>,
    /// The container at the horizon.
    pub horizon: Horizon,
}

/// A logical partition that reaches 20 GB.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Breach {
    /// Its key value.
    pub value: Value,
    /// The day.
    pub day: String,
    /// The earliest day with 95 % confidence.
    pub earliest: String,
    /// The latest; `null` where that is never.
    pub latest: Option<String>,
}

/// A physical partition that splits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Split {
    /// Its index.
    pub partition: u64,
    /// The day.
    pub day: String,
}

/// The container at the horizon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Horizon {
    /// The day.
    pub day: String,
    /// Bytes of the container.
    pub bytes: u64,
    /// Physical partitions: those that were measured, else those that follow from its bytes and the
    /// throughput of the scenario.
    pub partitions: u32,
    /// Logical partitions over 20 GB.
    pub over_limit: u64,
    /// The load of today on them; `null` without a log, and for more than 1,000 partitions.
    #[serde(default)]
    pub load: Option<HorizonLoad>,
}

/// The load of the log at the horizon.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HorizonLoad {
    /// Provisioned throughput in RU/s, as given or as an even load needs it then; `null` where it is
    /// not known.
    pub throughput: Option<u64>,
    /// Physical partitions that an operation visits on average.
    pub partitions_visited_mean: Option<f64>,
    /// The share of all charge on the busiest physical partition.
    pub hottest_share: Option<f64>,
    /// The share of all requests that is refused.
    pub throttled_share: Option<f64>,
    /// The smallest RU/s at which at most 1 % of the requests are refused; `null` where none is enough
    /// or the log tells no times.
    pub required: Option<u64>,
    /// What that costs a month, storage included, in the currency of the prices.
    pub cost: Option<f64>,
}

/// What a candidate costs a month, in the currency of the prices.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cost {
    /// All of it.
    pub total: f64,
    /// The throughput that a perfectly even load without fan-out needs.
    pub even: f64,
    /// What fan-out adds.
    pub fan_out: f64,
    /// What skew adds.
    pub skew: f64,
    /// Storage.
    pub storage: f64,
}

/// A partition key definition in the service's own terms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Definition {
    /// Paths in order.
    pub paths: Vec<String>,
    /// `Hash` or `MultiHash`.
    pub kind: String,
    /// 1 or 2.
    pub version: u8,
}

/// How many key values there are in the files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cardinality {
    /// Distinct full key values.
    pub distinct: u64,
    /// Distinct prefixes of one, two, three levels.
    pub levels: Vec<u64>,
    /// Whether the numbers are exact for the files.
    pub exact: bool,
    /// Where they are not: the 95 % margin of the distinct key values, as a share of them.
    pub margin: Option<f64>,
    /// Of a sample: the share of the container's items whose value it holds (Good and Turing: one less
    /// the share of items whose value was seen once); `null` of a whole container.
    pub coverage: Option<f64>,
    /// Of a sample: the container has at least about so many values (Chao's lower bound); `null` of a
    /// whole container.
    pub at_least: Option<u64>,
    /// Items that lack at least one property of the key.
    pub missing_items: u64,
    /// Items in which at least one is null.
    pub null_items: u64,
    /// Parts of templates that made no text, over all items.
    pub parts_without_text: u64,
    /// UTF-8 bytes of the longest component of a key value.
    pub value_bytes_max: u64,
}

/// How large the logical partitions in the files are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LogicalPartitions {
    /// Bytes; `null` without items.
    pub bytes: Option<Sizes>,
    /// Items; `null` without items.
    pub items: Option<Sizes>,
    /// How many hold more than 20 GB in the whole container.
    pub over_limit: u64,
    /// How many do so certainly: the lower end of the 95 % interval of each is over 20 GB.
    pub over_limit_certain: Option<u64>,
    /// How many do so possibly: the upper end is.
    pub over_limit_possible: Option<u64>,
    /// The day on which the first one reaches 20 GB; `null` where none does or no item tells its time.
    pub first_breach: Option<String>,
    /// How many logical partitions are of each size in the whole container, as powers of two; empty
    /// classes are left out.
    pub histogram: Vec<SizeClass>,
    /// The largest by bytes.
    pub top: Vec<LogicalPartition>,
}

/// Logical partitions of about the same size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SizeClass {
    /// They have at least this many bytes, and less than twice as many.
    pub bytes_min: u64,
    /// How many there are in the files.
    pub count: u64,
}

/// Percentiles over logical partitions, to three digits; the largest is exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Sizes {
    /// Half have at most this.
    pub p50: u64,
    /// 90 of 100 have at most this.
    pub p90: u64,
    /// 99 of 100 have at most this.
    pub p99: u64,
    /// The most that one has.
    pub max: u64,
}

/// One logical partition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LogicalPartition {
    /// The key value, as the service writes it; `{}` is undefined.
    pub value: Value,
    /// Its effective partition key.
    pub epk: String,
    /// Items.
    pub items: u64,
    /// Bytes.
    pub bytes: u64,
    /// The same in the whole container.
    pub scaled: Scaled,
    /// Its share of all bytes.
    pub share: f64,
    /// Its share of all bytes of the whole container; `null` where the files are the whole container,
    /// and of values of which only one or two items were seen.
    pub share_interval: Option<Interval>,
    /// Its bytes in the whole container: the lower end without the overhead of the system properties and
    /// the index factor, the upper end with them; `null` as before.
    pub bytes_interval: Option<Interval>,
}

/// Where a number lies with 95 % confidence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// One physical partition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PhysicalPartition {
    /// Inclusive start of its range.
    pub min: String,
    /// Exclusive end of its range.
    pub max: String,
    /// Bytes of the whole container on it, the index factor included.
    pub bytes: u64,
    /// Items of the whole container on it.
    pub items: u64,
    /// Logical partitions.
    pub logical_partitions: u64,
    /// Charge of the log on it.
    pub charge: Option<f64>,
    /// Its share of the charge on all.
    pub charge_share: Option<f64>,
    /// How much of its RU/s it uses, by minute.
    pub utilization: Option<Utilization>,
    /// The share of its requests that is refused.
    pub throttled_share: Option<f64>,
}

/// How much of its RU/s a physical partition uses, over the minutes with load.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Utilization {
    /// Half of the minutes use at most this.
    pub p50: f64,
    /// 95 of 100 use at most this.
    pub p95: f64,
    /// 99 of 100 use at most this.
    pub p99: f64,
    /// The most that one uses.
    pub max: f64,
}

/// How far operations reach, weighted by how often they run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Routing {
    /// All operations.
    pub operations: f64,
    /// Those that go to one full key value.
    pub single: f64,
    /// Those that go to several, or to a prefix.
    pub targeted: f64,
    /// Those that go to all physical partitions.
    pub fan_out: f64,
    /// Those that provably find nothing.
    pub none: f64,
    /// Those that the service refuses.
    pub invalid: f64,
    /// Those whose text cannot be used.
    pub unknown: f64,
    /// Of all, those placed by the distribution of the data.
    pub estimated: f64,
    /// Of all, those that could not be placed.
    pub unattributed: f64,
    /// Physical partitions that an operation visits.
    pub partitions_visited: Option<Visited>,
    /// The same by shape, the most frequent first.
    pub shapes: Vec<Shape>,
}

/// Physical partitions that an operation visits.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Visited {
    /// On average.
    pub mean: f64,
    /// Half of the operations visit at most this many.
    pub p50: u64,
    /// 99 of 100 visit at most this many.
    pub p99: u64,
    /// The most that one visits.
    pub max: u64,
}

/// Operations that differ only in values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Shape {
    /// The name of the call site, or the text.
    pub name: String,
    /// What they do.
    pub kind: String,
    /// How often they run.
    pub operations: f64,
    /// How far most of them reach.
    pub routing: String,
    /// Those that go to one full key value.
    pub single: f64,
    /// Those that go to several, or to a prefix.
    pub targeted: f64,
    /// Those that go to all physical partitions.
    pub fan_out: f64,
    /// Physical partitions that one visits on average.
    pub partitions_visited_mean: f64,
    /// The most that one visits.
    pub partitions_visited_max: u64,
    /// Their base charge.
    pub charge: f64,
}

/// What the log costs under a candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Throughput {
    /// The share of all charge on the busiest physical partition.
    pub hottest_share: Option<f64>,
    /// The share of all requests that is refused.
    pub throttled_share: Option<f64>,
    /// The same on the physical partition where it is largest.
    pub throttled_share_worst: Option<f64>,
    /// The smallest RU/s at which at most 1 % of the requests are refused, over all and on each
    /// partition; `null` where none is enough or the log tells no times.
    pub required: Option<u64>,
    /// Physical partitions at that throughput.
    pub required_partitions: Option<u64>,
    /// Throughputs above it that are not enough, as inclusive ranges.
    pub failing: Vec<(u64, u64)>,
    /// Charge that is spent on partitions after the first.
    pub overhead_charge: f64,
    /// All charge, base and overhead.
    pub charge: f64,
    /// The key value that is charged most among operations that name one.
    pub hottest_key: Option<HottestKey>,
    /// The charge of each physical partition over time; `null` without times, and for more than 128
    /// partitions.
    pub heat: Option<Heat>,
}

/// Charge over physical partitions and time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Heat {
    /// Seconds in a column.
    pub seconds: u64,
    /// `even`, `concentrated` on one partition, `periodic` or `moving` over them.
    pub pattern: String,
    /// For each physical partition its charge in each column.
    pub rows: Vec<Vec<f64>>,
}

/// A key value and its charge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HottestKey {
    /// The key value.
    pub value: Value,
    /// Its charge.
    pub charge: f64,
    /// Its share of all charge.
    pub share: f64,
}

/// A finding that the policy accepts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ignored {
    /// Why.
    pub reason: String,
    /// The finding.
    pub finding: Finding,
}

/// What a check found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The code of the check.
    pub code: String,
    /// `info`, `warning` or `error`.
    pub severity: String,
    /// `possible`, `likely` or `certain`.
    pub confidence: String,
    /// One sentence with the numbers.
    pub message: String,
    /// The facts, by name.
    pub evidence: BTreeMap<String, Value>,
    /// What to do about it.
    pub remedy: String,
}

/// The JSON Schema of a report.
pub fn json_schema() -> Value {
    schemars::schema_for!(Report).to_value()
}
