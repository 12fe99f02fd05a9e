//! `sample-in-sequence`: items that follow one another, as those at the head of a file do.

use serde_json::json;

use super::{Check, Page, percent};
use crate::assess::{Confidence, Finding, Severity, Subject};

/// Items from which on their numbers say something.
const ITEMS_MIN: u64 = 100;

/// So many standard deviations above what a random sample has on average are no chance.
const DEVIATIONS: f64 = 6.0;

/// If several items had each number, as many as this would share one on average: then that none do says
/// that the numbers are those of single items.
const SHARED_MIN: f64 = 15.0;

pub(super) struct SampleInSequence;

impl Check for SampleInSequence {
    fn code(&self) -> &'static str {
        "sample-in-sequence"
    }

    fn summary(&self) -> &'static str {
        "the ids of a sample count up without the gaps that a random sample leaves"
    }

    fn page(&self) -> Page {
        Page {
            what: "The ids are numbers behind one text, and of the numbers from the first to the last far more are there than the share of the container that the files are said to hold.",
            why: "Such items are a stretch of the container, such as the head of a file or the newest orders. What a value has in it says little of what it has in all.",
            how: "Items over the numbers from the lowest to the highest id, where no two items share an id; a finding when that is six standard deviations above --sample-share, as many as a random sample has once in a billion times.",
            example: "The first 10,000 lines of an export with ids from 1 to 10,000, said to be 1 % of the container.",
            fix: "Take items at random from the whole, such as each hundredth line of an export.",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        let share = subject.frame.sample_share;
        let facts = subject.profile.facts();
        let Some(numbered) = facts.numbered().filter(|one| one.items >= ITEMS_MIN) else {
            return Vec::new();
        };
        let (items, numbers) = (numbered.items as f64, numbered.numbers() as f64);
        let density = numbered.density();
        let shared = facts.shared_ids(subject.index);
        let are_single = shared.conflicts == 0
            && shared.several_keys == 0
            && items * density / 2.0 >= SHARED_MIN;
        let chance = share * numbers + DEVIATIONS * (share * (1.0 - share) * numbers).sqrt();
        if share >= 1.0 || density > 1.0 || !are_single || items <= chance {
            return Vec::new();
        }
        let id = |number: u64| format!("{}{number}", numbered.prefix);
        vec![Finding {
            code: self.code(),
            severity: Severity::Warning,
            confidence: Confidence::Likely,
            rejects: false,
            message: format!(
                "{} of the ids from {:?} to {:?} are there, in files that are said to hold {} of the container: they look like one stretch of it, such as the head of a file",
                percent(density),
                id(numbered.first),
                id(numbered.last),
                percent(share)
            ),
            evidence: vec![
                ("density", json!(density)),
                ("first", json!(numbered.first)),
                ("last", json!(numbered.last)),
                ("sample_share", json!(share)),
            ],
            remedy: "take items at random from all of the container".to_owned(),
        }]
    }
}
