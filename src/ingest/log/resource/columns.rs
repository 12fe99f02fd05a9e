//! Which column is which field: names without regard to case, with the suffixes of types that one
//! table adds, and a few names that query languages make of them.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

/// A field of a row of a resource log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::ingest::log) enum Field {
    Time,
    Category,
    Provider,
    Operation,
    Status,
    SubStatus,
    Charge,
    Activity,
    Correlated,
    Database,
    Container,
    ResourceType,
    Address,
    QueryText,
    PartitionKey,
    Range,
    Partition,
    RequestBytes,
    ResponseBytes,
    SizeKb,
    Count,
    AverageCharge,
    TotalCharge,
    /// A column that only changes of the account have.
    AccountChange,
}

/// The names of the fields, the service's own in lower case first.
const NAMES: [(Field, &str, &[&str]); Field::COUNT] = [
    (Field::Time, "timegenerated", &["time", "timestamp"]),
    (
        Field::Category,
        "category",
        &["type", "tablename", "$table"],
    ),
    (Field::Provider, "resourceprovider", &[]),
    (Field::Operation, "operationname", &["operationtype"]),
    (Field::Status, "statuscode", &["status", "httpstatuscode"]),
    (Field::SubStatus, "substatuscode", &["substatus"]),
    (
        Field::Charge,
        "requestcharge",
        &["request_charge", "charge", "ru", "rus"],
    ),
    (Field::Activity, "activityid", &[]),
    (Field::Correlated, "correlatedactivityid", &[]),
    (Field::Database, "databasename", &["database"]),
    (
        Field::Container,
        "collectionname",
        &["containername", "collectioname", "container"],
    ),
    (
        Field::ResourceType,
        "requestresourcetype",
        &["resourcetype"],
    ),
    (Field::Address, "requestresourceid", &["resourceid"]),
    (Field::QueryText, "querytext", &["query"]),
    (Field::PartitionKey, "partitionkey", &[]),
    (Field::Range, "partitionkeyrangeid", &[]),
    (Field::Partition, "partitionid", &[]),
    (Field::RequestBytes, "requestlength", &[]),
    (Field::ResponseBytes, "responselength", &[]),
    (Field::SizeKb, "sizekb", &[]),
    (Field::Count, "requestcount", &["samplecount", "count_"]),
    (
        Field::AverageCharge,
        "avgrequestcharge",
        &["avg_requestcharge"],
    ),
    (
        Field::TotalCharge,
        "totalrequestcharge",
        &["sum_requestcharge"],
    ),
    (
        Field::AccountChange,
        "apikind",
        &["sqlquerytexttracetype", "currentwriteregion"],
    ),
];

/// Suffixes for the type of a column.
const TYPES: [&str; 5] = ["_s", "_d", "_g", "_b", "_t"];

impl Field {
    /// How many fields there are.
    pub(super) const COUNT: usize = 24;

    /// The name of the field in the service's own words.
    pub(in crate::ingest::log) fn name(self) -> &'static str {
        NAMES[self as usize].1
    }

    /// The field that a column holds, and how far its name is from the service's own: 0 for that name
    /// itself. Of several columns of one field the nearest counts.
    pub(in crate::ingest::log) fn of_column(column: &str) -> Option<(Self, u8)> {
        let plain = column.trim().to_ascii_lowercase();
        let plain = TYPES
            .iter()
            .find_map(|suffix| plain.strip_suffix(suffix))
            .unwrap_or(&plain);
        let known = |name: &str| {
            NAMES.iter().find_map(|(field, own, others)| {
                if *own == name {
                    Some((*field, 0))
                } else {
                    others.contains(&name).then_some((*field, 1))
                }
            })
        };
        // A join renames the second of two columns, and a summary names what it made of one.
        let renamed = || {
            let base = plain
                .strip_suffix('1')
                .or_else(|| plain.strip_prefix("any_"))?;
            known(base).map(|(field, _)| (field, 2))
        };
        known(plain).or_else(renamed)
    }
}

/// The columns of a file, each looked up once.
#[derive(Default)]
pub(in crate::ingest::log) struct Columns {
    known: HashMap<String, Option<(Field, u8)>, FxBuildHasher>,
}

impl Columns {
    /// The field of a column, and whether the column is seen for the first time.
    pub(in crate::ingest::log) fn field(&mut self, column: &str) -> (Option<(Field, u8)>, bool) {
        if let Some(field) = self.known.get(column) {
            return (*field, false);
        }
        let field = Field::of_column(column);
        // Names that mean nothing could be any number.
        if field.is_some() || self.known.len() < 10_000 {
            self.known.insert(column.to_owned(), field);
        }
        (field, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_stands_at_its_place_in_the_table() {
        for (index, (field, own, _)) in NAMES.iter().enumerate() {
            assert_eq!(*field as usize, index, "{own}");
            assert_eq!(Field::of_column(own), Some((*field, 0)));
        }
    }

    #[test]
    fn spellings_of_a_column_are_one_field() {
        for (column, field, distance) in [
            ("requestCharge", Field::Charge, 0),
            ("RequestCharge", Field::Charge, 0),
            ("requestCharge_s", Field::Charge, 0),
            ("RequestCharge1", Field::Charge, 2),
            ("sum_RequestCharge", Field::TotalCharge, 1),
            ("activityId_g", Field::Activity, 0),
            ("collectioname_s", Field::Container, 1),
            ("databasename_s", Field::Database, 0),
            ("SampleCount", Field::Count, 1),
            ("any_QueryText", Field::QueryText, 2),
        ] {
            assert_eq!(
                Field::of_column(column),
                Some((field, distance)),
                "{column}"
            );
        }
        for column in ["TenantId", "_BilledSize", "DurationMs", "userAgent_s", ""] {
            assert_eq!(Field::of_column(column), None, "{column}");
        }
    }
}
