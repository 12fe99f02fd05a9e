//! `more-values-than-memory`: key values that stand for others, as memory does not hold all.

use serde_json::json;

use super::{Check, Page, percent, whole};
use crate::assess::{Confidence, Finding, Severity, Subject};

pub(super) struct MoreValuesThanMemory;

impl Check for MoreValuesThanMemory {
    fn code(&self) -> &'static str {
        "more-values-than-memory"
    }

    fn summary(&self) -> &'static str {
        "the key has more values than memory holds, so some stand for the rest"
    }

    fn page(&self) -> Page {
        Page {
            what: "The distinct values of the key take more than its part of --memory, so every second, fourth, ... of them is kept by its hash, with all of its items, and stands for the others.",
            why: "The number of values, the percentiles of their sizes and how many are over 20 GB are then estimates. The load of physical partitions is exact to within one 4,096th of the hash space under version 2, and all heavy values are known.",
            how: "The margin of the number of values is that of a sample of so many. A value is heavy from 32 times the mean of a row of the sketch on; the size of one that is not kept comes from the sketch, less what other values put there on average.",
            example: "/id over 100,000,000 items with --memory 1GiB.",
            fix: "Give more --memory where values themselves are to be counted or named; shares and loads need no more.",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        let logical = subject.compared.bench.logical;
        let Some(known) = logical.approximation() else {
            return Vec::new();
        };
        vec![Finding {
            code: self.code(),
            severity: Severity::Info,
            confidence: Confidence::Certain,
            rejects: false,
            message: format!(
                "memory holds {} of about {} values (to within {}), each for {}; every value with 1 in {} of all items or bytes is known, its size to within 1 in {} of all",
                whole(known.kept),
                whole(logical.count()),
                percent(known.count_margin),
                whole(known.stands_for),
                whole((1.0 / known.heavy_share) as u64),
                whole((1.0 / known.heavy_error) as u64)
            ),
            evidence: vec![
                ("kept", json!(known.kept)),
                ("stands_for", json!(known.stands_for)),
                ("count_margin", json!(known.count_margin)),
                ("heavy_share", json!(known.heavy_share)),
                ("heavy_error", json!(known.heavy_error)),
            ],
            remedy: "give more --memory to count and name each value".to_owned(),
        }]
    }
}
