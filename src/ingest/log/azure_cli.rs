//! Query results as the command line of Azure prints them, and other flat JSON of them.

use std::io::{self, BufRead};

use super::json_rows::any_object;
use super::resource::{Field, read_rows};
use super::{LogFormat, LogSink};

/// A JSON object a row whose names are the columns. The tool turns every value into text, a missing one
/// into `None`.
pub(super) struct AzureCli;

impl LogFormat for AzureCli {
    fn name(&self) -> &'static str {
        "azure-cli"
    }

    fn summary(&self) -> &'static str {
        "resource logs from az monitor log-analytics query, as JSON"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        any_object(head, |row| {
            let Some(members) = row.as_object() else {
                return false;
            };
            let columns: Vec<_> = members
                .keys()
                .filter_map(|name| Field::of_column(name))
                .collect();
            is_resource_log(&columns)
        })
    }

    fn read(&self, input: &mut dyn BufRead, sink: &mut dyn LogSink) -> io::Result<()> {
        read_rows(input, sink, true)
    }
}

/// Whether a table with these columns is one of resource logs: two or more of them by their own names,
/// one of which tells of an access.
pub(super) fn is_resource_log(columns: &[(Field, u8)]) -> bool {
    let own = columns.iter().filter(|(_, distance)| *distance == 0);
    let telling = [
        Field::Operation,
        Field::QueryText,
        Field::PartitionKey,
        Field::Charge,
        Field::Activity,
        Field::Count,
    ];
    own.clone().count() >= 2 && own.into_iter().any(|(field, _)| telling.contains(field))
}
