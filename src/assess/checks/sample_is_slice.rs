//! `sample-is-slice`: data that come from one part of the hash space.

use serde_json::json;

use super::{Check, Page, percent};
use crate::assess::{Confidence, Finding, Severity, Subject};
use crate::model::KeyVersion;

/// Values from which on their spread says something.
const VALUES_MIN: usize = 20;

/// Below this probability a random sample is not what was read.
const PROBABILITY_MAX: f64 = 1e-6;

pub(super) struct SampleIsSlice;

impl Check for SampleIsSlice {
    fn code(&self) -> &'static str {
        "sample-is-slice"
    }

    fn summary(&self) -> &'static str {
        "all key values lie in one part of the hash space"
    }

    fn page(&self) -> Page {
        Page {
            what: "The hashes of all key values lie close together, which those of a sample do not.",
            why: "Pages of a feed come physical partition by physical partition: the first pages are one part of the container under its key of today. Shares of such data say nothing of the whole.",
            how: "The distance from the lowest to the highest hash as a share of the hash space; a finding when as many random values would lie so close together less than once in a million times (range of uniform values).",
            example: "A script that stops after the first 1,000 items of a container with 10 physical partitions.",
            fix: "Read all pages, or take items at random, such as each hundredth of a whole export.",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        // Keys of other kinds are not spread evenly in this way.
        let candidate = subject.compared.bench.profile.candidate();
        let logical = &subject.compared.bench.logical;
        let is_hash = candidate.levels.len() == 1 && candidate.version == KeyVersion::V2;
        if !is_hash || logical.len() < VALUES_MIN {
            return Vec::new();
        }
        let places = || logical.iter().map(|one| place(one.epk_bytes()));
        let low = places().fold(f64::INFINITY, f64::min);
        let high = places().fold(0.0, f64::max);
        let span = high - low;
        let n = logical.len() as f64;
        // The range of n uniform values is at most r with probability n r^(n-1) - (n-1) r^n.
        let probability = n * span.powf(n - 1.0) - (n - 1.0) * span.powf(n);
        if probability > PROBABILITY_MAX {
            return Vec::new();
        }
        vec![Finding {
            code: self.code(),
            severity: Severity::Warning,
            confidence: Confidence::Likely,
            rejects: false,
            message: format!(
                "all {} values lie in {} of the hash space: the data look like pages of one part of the container, no sample of it",
                logical.len(),
                percent(span)
            ),
            evidence: vec![("values", json!(logical.len())), ("share", json!(span))],
            remedy: "read all pages, or take items at random from all of the container".to_owned(),
        }]
    }
}

/// Where a key of version 2 lies in the hash space, from 0 to 1: its first two bits are never set
/// ("hashing-and-routing", section 2).
fn place(epk: &[u8]) -> f64 {
    let first = epk.iter().take(7);
    first.fold(0.0, |sum, byte| sum * 256.0 + f64::from(*byte)) / (256_f64.powi(7) / 4.0)
}
