//! `key-too-long`: key values longer than the service takes.

use serde_json::json;

use super::{Check, Page};
use crate::assess::{Confidence, Finding, Severity, Subject};
use crate::model::KeyVersion;
use crate::model::limits::{KEY_BYTES_MAX, KEY_BYTES_MAX_V1};

pub(super) struct KeyTooLong;

impl Check for KeyTooLong {
    fn code(&self) -> &'static str {
        "key-too-long"
    }

    fn summary(&self) -> &'static str {
        "a key value is longer than the service takes"
    }

    fn page(&self) -> Page {
        Page {
            what: "A component of a key value has more than 2,048 bytes, or more than 101 with version 1 of the hash.",
            why: "The service refuses an item whose key value is too long. With version 1 only the first 101 bytes count, so values with the same beginning share a logical partition.",
            how: "The longest text among the components of all key values, in UTF-8 bytes (\"concepts-limits\", \"large-partition-keys\").",
            example: "/url with addresses of 3,000 characters.",
            fix: "Take a shorter property, or put a hash of this one into a property of its own.",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        let profile = subject.compared.bench.profile;
        let limit = match profile.candidate().version {
            KeyVersion::V1 => KEY_BYTES_MAX_V1,
            KeyVersion::V2 => KEY_BYTES_MAX,
        };
        let longest = profile.value_bytes_max();
        if longest <= limit {
            return Vec::new();
        }
        vec![Finding {
            code: self.code(),
            severity: Severity::Error,
            confidence: Confidence::Certain,
            rejects: limit == KEY_BYTES_MAX,
            message: format!(
                "the longest key value has {longest} bytes; the service takes {limit}"
            ),
            evidence: vec![("bytes_max", json!(longest)), ("limit_bytes", json!(limit))],
            remedy: "take a shorter property, or a hash of this one".to_owned(),
        }]
    }
}
