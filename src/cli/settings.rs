//! The arguments that describe the container and the candidates, and what they resolve to.

use std::collections::BTreeMap;
use std::fs;

use bytesize::ByteSize;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::values::{Paths, factor, long_time, path, paths, peak, price, seconds, share};
use super::{ExitCode, Failure};
use crate::keys::{Candidate, Layout, VALUES_MAX_DEFAULT};
use crate::model::limits::LAYOUT_PARTITIONS_MAX;
use crate::model::units::to_micro;
use crate::model::{KeyVersion, PropertyPath};
use crate::simulate::{
    AUTOSCALE_PRICE, FanOutLimits, GrowthSettings, ITEM_OVERHEAD_BYTES_DEFAULT, MANUAL_PRICE,
    Prices, STORAGE_PRICE, SampleShare, Scenario, SuffixSearch,
};

/// The candidates to compare.
#[derive(Debug, Args)]
#[command(next_help_heading = "Candidates")]
pub(super) struct KeyArguments {
    /// A partition key to test, such as /tenantId, /tenantId,/userId, '{/deviceId}-{/ts|day}',
    /// '{/date}.{#400}', '{/date}.{/vin%400}' or @container.json; repeat for each
    #[arg(long = "key", value_name = "SPEC")]
    pub(super) keys: Vec<String>,

    /// Version of the hash of keys that are no @file
    #[arg(long, value_name = "1|2", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=2))]
    key_version: u8,

    /// Propose candidates beside those given; without --key they are always proposed
    #[arg(long)]
    pub(super) propose: bool,

    /// Most candidates that are proposed
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u64).range(1..=100))]
    pub(super) max_proposals: u64,

    /// Say why a candidate is not among those proposed; repeat for each
    #[arg(long, value_name = "SPEC")]
    pub(super) why_not: Vec<String>,

    /// Try 2 to 1,000 suffixes on this key, drawn and computed, and show what each comes to; repeat for each
    #[arg(long, value_name = "SPEC")]
    suffix_search: Vec<String>,

    /// The property that --suffix-search computes suffixes from
    #[arg(long, value_name = "PATH", value_parser = path, default_value = "/id")]
    suffix_by: PropertyPath,

    /// The key of the container today, the row to compare with; reads 'pk' arrays of the log and takes
    /// today's fan-out off recorded charges
    #[arg(long, value_name = "SPEC")]
    current_key: Option<String>,
}

/// What is assumed about the items.
#[derive(Debug, Args)]
#[command(next_help_heading = "Scenario")]
pub(super) struct ItemArguments {
    /// A property that the application has at hand at every point operation; repeat for each
    #[arg(long, value_name = "PATH", value_parser = path)]
    pub(super) always: Vec<PropertyPath>,

    /// Bytes added to each item for the system properties
    #[arg(long = "item-overhead", value_name = "BYTES", default_value_t = ITEM_OVERHEAD_BYTES_DEFAULT, value_parser = clap::value_parser!(u64).range(..=2_000_000))]
    pub(super) overhead: u64,

    /// Where the time of an item stands, for growth [default: /_ts, the time of its last write]
    #[arg(long, value_name = "PATH", value_parser = path)]
    pub(super) time: Option<PropertyPath>,

    /// Draws random suffixes
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
}

/// What is assumed about the container.
#[derive(Debug, Args)]
#[command(next_help_heading = "Scenario")]
pub(super) struct ScenarioArguments {
    /// Provisioned RU/s [default: what an even load of the log needs]
    #[arg(long, value_name = "RU/s", env = "PKADVISOR_THROUGHPUT", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    throughput: Option<u64>,

    /// The throughput is the maximum of autoscale
    #[arg(long)]
    autoscale: bool,

    /// Physical partitions, of equal ranges [default: from throughput and bytes]
    #[arg(long, value_name = "N", env = "PKADVISOR_PARTITIONS", value_parser = clap::value_parser!(u32).range(1..=i64::from(LAYOUT_PARTITIONS_MAX)))]
    partitions: Option<u32>,

    /// The ranges of a real container: a JSON file of its pkranges feed
    #[arg(long, value_name = "FILE", conflicts_with = "partitions")]
    layout: Option<String>,

    /// The files hold this share of the container, above 0 and at most 1
    #[arg(long, value_name = "SHARE", value_parser = share, default_value = "1", conflicts_with_all = ["total_size", "total_items"])]
    sample_share: f64,

    /// Bytes of the whole container, such as 120GB
    #[arg(long, value_name = "BYTES", conflicts_with = "total_items")]
    total_size: Option<ByteSize>,

    /// Items in the whole container
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    total_items: Option<u64>,

    /// The log holds this share of the operations, above 0 and at most 1
    #[arg(long, value_name = "SHARE", value_parser = share, default_value = "1")]
    log_share: f64,

    /// Width of a bucket in the replay, in seconds or such as 5m [default: 1 s if the log's times allow]
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    window: Option<u64>,

    /// Time that a log without times covers, in seconds or such as 1h
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    log_duration: Option<u64>,

    /// Multiply the rates of the log with this, for the peak of the day
    #[arg(long, value_name = "FACTOR", value_parser = peak, default_value = "1")]
    peak_factor: f64,

    /// Let partitions below 3,000 RU/s spend up to 300 s of idle capacity later
    #[arg(long)]
    burst: bool,

    /// RU that each further physical partition of an operation costs
    #[arg(long, value_name = "RU", default_value_t = 2.5, value_parser = price)]
    partition_ru: f64,

    /// The highest RU/s that the container ever had, which bounds the lowest
    #[arg(long, value_name = "RU/s", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=1_000_000_000))]
    highest_throughput: u64,

    /// The shares of operations on all physical partitions that are findings
    #[arg(long, value_enum, default_value = "strict")]
    fan_out_limits: Limits,

    /// A unique key of the container, as paths with commas between them; repeat for each
    #[arg(long, value_name = "PATHS", value_parser = paths)]
    unique_key: Vec<Paths>,

    /// Stored bytes for each byte of an item
    #[arg(long, value_name = "FACTOR", value_parser = factor, default_value = "1")]
    index_factor: f64,

    /// Above this many key values an operation counts as cross-partition
    #[arg(long, value_name = "N", default_value_t = VALUES_MAX_DEFAULT as u64, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    max_values: u64,

    /// Items live this long, such as 90d
    #[arg(long, value_name = "TIME", value_parser = long_time)]
    ttl: Option<f64>,

    /// Bytes that come to the container each day, such as 2GB [default: measured from the times of items]
    #[arg(long, value_name = "BYTES")]
    growth: Option<ByteSize>,

    /// How far ahead growth is looked at, such as 3y
    #[arg(long, value_name = "TIME", value_parser = long_time, default_value = "3y")]
    horizon: f64,

    #[command(flatten)]
    pub(super) items: ItemArguments,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Limits {
    /// 20 % from 2 partitions on, 5 % from 10, 1 % from 50
    Strict,
    /// 30 % up to 5 partitions, 25 % up to 50, 20 % beyond, as the Partition Key Advisor notebook
    AdvisorNotebook,
}

/// What throughput and storage cost.
#[derive(Debug, Args)]
#[command(next_help_heading = "Prices")]
pub(super) struct PriceArguments {
    /// Price of 100 RU/s for an hour [default: 0.008, with --autoscale 0.012, US dollars]
    #[arg(long, value_name = "PRICE", value_parser = price)]
    price_ru: Option<f64>,

    /// Price of a GB of storage for a month
    #[arg(long, value_name = "PRICE", value_parser = price, default_value_t = STORAGE_PRICE)]
    price_storage: f64,

    /// Regions that hold the container
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    regions: u32,
}

impl PriceArguments {
    /// The prices, for manual throughput or autoscale.
    pub(super) fn prices(&self, autoscale: bool) -> Prices {
        let list = if autoscale {
            AUTOSCALE_PRICE
        } else {
            MANUAL_PRICE
        };
        Prices {
            per_100_ru_hour: self.price_ru.unwrap_or(list),
            per_gb_month: self.price_storage,
            regions: self.regions,
        }
    }
}

fn usage(message: impl Into<String>) -> Failure {
    Failure::new(ExitCode::Usage, message)
}

impl KeyArguments {
    /// Whether candidates are to be proposed.
    pub(super) fn proposes(&self) -> bool {
        self.keys.is_empty() || self.propose || !self.why_not.is_empty()
    }

    /// The version of the hash of keys that are no @file.
    pub(super) fn version(&self) -> KeyVersion {
        if self.key_version == 1 {
            KeyVersion::V1
        } else {
            KeyVersion::V2
        }
    }

    /// The searches for suffixes.
    pub(super) fn suffix_searches(&self) -> Result<Vec<SuffixSearch>, Failure> {
        let version = self.version();
        let search = |text: &String| {
            let base = read_key("suffix-search", text, version)?;
            SuffixSearch::new(&base, &self.suffix_by, version).ok_or_else(|| {
                usage(format!(
                    "--suffix-search {text}: expected one property or a template, as a suffix makes one text of the key"
                ))
            })
        };
        self.suffix_search.iter().map(search).collect()
    }

    /// The candidates, each once, today's key among them, and today's key.
    pub(super) fn candidates(&self) -> Result<(Vec<Candidate>, Option<Candidate>), Failure> {
        let version = self.version();
        let mut candidates: Vec<Candidate> = Vec::new();
        for text in &self.keys {
            let candidate = read_key("key", text, version)?;
            if !candidates.contains(&candidate) {
                candidates.push(candidate);
            }
        }
        let current = self
            .current_key
            .as_ref()
            .map(|text| read_key("current-key", text, version))
            .transpose()?;
        if let Some(current) = &current
            && !candidates.contains(current)
        {
            candidates.push(current.clone());
        }
        Ok((candidates, current))
    }
}

/// Reads a key as typed, or that of the container in an `@` file.
pub(super) fn read_key(flag: &str, text: &str, version: KeyVersion) -> Result<Candidate, Failure> {
    let Some(file) = text.strip_prefix('@') else {
        return Candidate::parse(text, version)
            .map_err(|error| usage(format!("--{flag} {text}: {error}")));
    };
    let json = fs::read_to_string(file).map_err(|error| {
        Failure::new(ExitCode::Input, format!("{file} cannot be read: {error}"))
    })?;
    Candidate::from_container(text, json.trim_start_matches('\u{feff}'))
        .map_err(|error| Failure::new(ExitCode::Input, format!("{file}: {}", super::chain(&error))))
}

impl ScenarioArguments {
    /// The scenario that the arguments describe.
    pub(super) fn scenario(&self, current_key: Option<Candidate>) -> Result<Scenario, Failure> {
        let sample = match (self.total_size, self.total_items) {
            (Some(size), _) if size.as_u64() == 0 => {
                return Err(usage("--total-size: expected more than 0 bytes"));
            }
            (Some(size), _) => SampleShare::OfBytes(size.as_u64()),
            (None, Some(items)) => SampleShare::OfItems(items),
            (None, None) => SampleShare::Share(self.sample_share),
        };
        let layout = self
            .layout
            .as_ref()
            .map(|file| read_layout(file))
            .transpose()?;
        Ok(Scenario {
            sample,
            log_share: self.log_share,
            throughput: self.throughput,
            autoscale: self.autoscale,
            partitions: self.partitions,
            layout,
            window_seconds: self.window,
            log_seconds: self.log_duration,
            peak_factor: self.peak_factor,
            current_key,
            item_overhead_bytes: self.items.overhead,
            index_factor: self.index_factor,
            burst: self.burst,
            further_partition_charge: to_micro(self.partition_ru).unwrap_or(0),
            highest_throughput: self.highest_throughput,
            always: self.items.always.clone(),
            fan_out_limits: match self.fan_out_limits {
                Limits::Strict => FanOutLimits::Strict,
                Limits::AdvisorNotebook => FanOutLimits::AdvisorNotebook,
            },
            unique_keys: self
                .unique_key
                .iter()
                .map(|paths| paths.0.clone())
                .collect(),
            values_max: self.max_values as usize,
            growth: GrowthSettings {
                ttl_seconds: self.ttl,
                bytes_per_day: self.growth.map(|bytes| bytes.as_u64() as f64),
                horizon_seconds: self.horizon,
            },
            seed: self.items.seed,
        })
    }

    /// The settings by the names of their flags, as they were resolved.
    pub(super) fn settings(&self) -> BTreeMap<String, Value> {
        let always: Vec<String> = self.items.always.iter().map(ToString::to_string).collect();
        let unique: Vec<Vec<String>> = self
            .unique_key
            .iter()
            .map(|paths| paths.0.iter().map(ToString::to_string).collect())
            .collect();
        let settings = [
            ("throughput", json!(self.throughput)),
            ("autoscale", json!(self.autoscale)),
            ("partitions", json!(self.partitions)),
            ("layout", json!(self.layout)),
            ("sample-share", json!(self.sample_share)),
            (
                "total-size",
                json!(self.total_size.map(|size| size.as_u64())),
            ),
            ("total-items", json!(self.total_items)),
            ("log-share", json!(self.log_share)),
            ("window", json!(self.window)),
            ("log-duration", json!(self.log_duration)),
            ("peak-factor", json!(self.peak_factor)),
            ("burst", json!(self.burst)),
            ("partition-ru", json!(self.partition_ru)),
            ("highest-throughput", json!(self.highest_throughput)),
            ("always", json!(always)),
            (
                "fan-out-limits",
                json!(
                    self.fan_out_limits
                        .to_possible_value()
                        .map(|value| value.get_name().to_owned())
                ),
            ),
            ("unique-key", json!(unique)),
            ("item-overhead", json!(self.items.overhead)),
            ("index-factor", json!(self.index_factor)),
            ("max-values", json!(self.max_values)),
            (
                "time",
                json!(self.items.time.as_ref().map(ToString::to_string)),
            ),
            ("ttl", json!(self.ttl)),
            ("growth", json!(self.growth.map(|bytes| bytes.as_u64()))),
            ("horizon", json!(self.horizon)),
            ("seed", json!(self.items.seed)),
        ];
        settings
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect()
    }
}

/// Reads the ranges of a real container from a file.
pub(super) fn read_layout(file: &str) -> Result<Layout, Failure> {
    let json = fs::read_to_string(file).map_err(|error| {
        Failure::new(ExitCode::Input, format!("{file} cannot be read: {error}"))
    })?;
    Layout::from_ranges(&json)
        .map_err(|error| Failure::new(ExitCode::Input, format!("{file}: {}", super::chain(&error))))
}
