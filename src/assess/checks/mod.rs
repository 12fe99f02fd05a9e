//! The checks. To add one: a file in this folder, and its two lines here.

mod ambiguous_concatenation;
mod batch_too_large;
mod cross_partition_share;
mod growth_to_limit;
mod hot_key_ceiling;
mod hot_partition;
mod id_conflict;
mod id_invalid;
mod item_too_large;
mod key_too_long;
mod key_updated;
mod log_data_mismatch;
mod logical_partition_over_limit;
mod low_cardinality;
mod middle_level_filter;
mod missing_key;
mod mixed_types;
mod more_values_than_memory;
mod near_duplicate_values;
mod null_missing_empty;
mod number_precision;
mod partition_over_limit;
pub(super) mod policy_limit;
mod prefix_in_options;
mod replace_under_random_suffix;
mod sample_in_sequence;
mod sample_is_slice;
mod sample_of_one_period;
mod sample_of_one_value;
mod small_container;
mod transaction_broken;
mod under_provisioned;
mod unique_key_rescoped;
pub(super) mod unused_ignore;
mod v1_prefix_collision;

use super::text::{bytes, percent, whole};
use super::{Finding, Subject};

/// All checks, in the order in which reports name them.
pub const ALL: &[&dyn Check] = &[
    &logical_partition_over_limit::LogicalPartitionOverLimit,
    &hot_key_ceiling::HotKeyCeiling,
    &missing_key::MissingKey,
    &key_too_long::KeyTooLong,
    &id_conflict::IdConflict,
    &id_invalid::IdInvalid,
    &item_too_large::ItemTooLarge,
    &transaction_broken::TransactionBroken,
    &batch_too_large::BatchTooLarge,
    &key_updated::KeyUpdated,
    &replace_under_random_suffix::ReplaceUnderRandomSuffix,
    &growth_to_limit::GrowthToLimit,
    &hot_partition::HotPartition,
    &under_provisioned::UnderProvisioned,
    &cross_partition_share::CrossPartitionShare,
    &middle_level_filter::MiddleLevelFilter,
    &low_cardinality::LowCardinality,
    &ambiguous_concatenation::AmbiguousConcatenation,
    &v1_prefix_collision::V1PrefixCollision,
    &near_duplicate_values::NearDuplicateValues,
    &more_values_than_memory::MoreValuesThanMemory,
    &mixed_types::MixedTypes,
    &null_missing_empty::NullMissingEmpty,
    &number_precision::NumberPrecision,
    &unique_key_rescoped::UniqueKeyRescoped,
    &log_data_mismatch::LogDataMismatch,
    &prefix_in_options::PrefixInOptions,
    &partition_over_limit::PartitionOverLimit,
    &sample_is_slice::SampleIsSlice,
    &sample_in_sequence::SampleInSequence,
    &sample_of_one_period::SampleOfOnePeriod,
    &sample_of_one_value::SampleOfOneValue,
    &small_container::SmallContainer,
    &policy_limit::PolicyLimit,
    &unused_ignore::UnusedIgnore,
];

/// What a check means, for someone who meets its code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// What it says.
    pub what: &'static str,
    /// Why it matters.
    pub why: &'static str,
    /// How it is computed, with its thresholds and their sources.
    pub how: &'static str,
    /// An example.
    pub example: &'static str,
    /// What to do.
    pub fix: &'static str,
}

/// A rule that turns measurements of a candidate into findings.
pub trait Check: Sync {
    /// Its code: kebab-case, names the problem.
    fn code(&self) -> &'static str;

    /// What it looks for, in one line.
    fn summary(&self) -> &'static str;

    /// What it means.
    fn page(&self) -> Page;

    /// What it finds about a candidate.
    fn check(&self, subject: &Subject) -> Vec<Finding>;
}

/// The check with a code.
pub fn named(code: &str) -> Option<&'static dyn Check> {
    ALL.iter().copied().find(|check| check.code() == code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn codes_are_unique_and_kebab_case_and_each_has_a_page() {
        let codes: BTreeSet<_> = ALL.iter().map(|check| check.code()).collect();
        assert_eq!(codes.len(), ALL.len());
        for check in ALL {
            let code = check.code();
            assert!(
                code.chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'),
                "{code}"
            );
            assert!(named(code).is_some());
            assert!(!check.summary().ends_with('.'), "{code}");
            let page = check.page();
            for text in [page.what, page.why, page.how, page.example, page.fix] {
                assert!(text.len() > 20, "{code}: {text}");
            }
        }
    }
}
