//! `transaction-broken`: batches whose items do not share a key value.

use serde_json::json;

use super::{Check, Page, percent};
use crate::assess::{Confidence, Finding, Severity, Subject};
use crate::model::units::from_micro;

pub(super) struct TransactionBroken;

impl Check for TransactionBroken {
    fn code(&self) -> &'static str {
        "transaction-broken"
    }

    fn summary(&self) -> &'static str {
        "items of one transaction have different key values"
    }

    fn page(&self) -> Page {
        Page {
            what: "Items that the application writes in one transactional batch would lie in different logical partitions.",
            why: "A batch runs on one logical partition; the service refuses one whose items have another key (\"transactional-batch\").",
            how: "The key value of each item of a batch, from its body or from the dataset by its id; rows of the log with one tx are one transaction; those with more than one over all, by executions.",
            example: "An order and its event are written together, and the key is /id.",
            fix: "Take a key that the items share, such as the id of the order in both.",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        let Some(routing) = &subject.compared.measured.routing else {
            return Vec::new();
        };
        if routing.split_transactions == 0 {
            return Vec::new();
        }
        let share = routing.split_transactions as f64 / routing.transactions.max(1) as f64;
        vec![Finding {
            code: self.code(),
            severity: Severity::Error,
            confidence: Confidence::Certain,
            rejects: false,
            message: format!(
                "{} of the transactions touch several key values and would be refused",
                percent(share)
            ),
            evidence: vec![
                ("transactions", json!(from_micro(routing.transactions))),
                ("broken", json!(from_micro(routing.split_transactions))),
            ],
            remedy: "take a key that all items of a transaction share".to_owned(),
        }]
    }
}
