//! The row itself.

use super::columns::Field;
use crate::ingest::log::time;
use crate::ingest::problem::Reason;
use crate::model::units::to_micro;

/// What a row of a resource log tells of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Category {
    /// One request.
    Requests,
    /// The requests of some minutes.
    RequestSums,
    /// The text of a query on one physical partition.
    Queries,
    /// What a request on one key value was charged.
    KeyCharges,
    /// The size of a large logical partition.
    KeySizes,
    /// A change of the account.
    AccountChanges,
    /// A request in the protocol of another database.
    OtherInterfaces,
    /// Something else, or nothing that is known.
    Other,
}

impl Category {
    /// The category in the service's own words, or those of a table that holds it.
    pub fn from_name(name: &str) -> Self {
        let plain = name.trim().to_ascii_lowercase();
        let plain = plain.strip_prefix("cdb").unwrap_or(&plain);
        match plain {
            "dataplanerequests" => Self::Requests,
            "dataplanerequests5m" | "dataplanerequests15m" => Self::RequestSums,
            "queryruntimestatistics" => Self::Queries,
            "partitionkeyruconsumption" => Self::KeyCharges,
            "partitionkeystatistics" => Self::KeySizes,
            "controlplanerequests" => Self::AccountChanges,
            "mongorequests" | "cassandrarequests" | "gremlinrequests" | "tableapirequests" => {
                Self::OtherInterfaces
            }
            _ => Self::Other,
        }
    }

    /// The service's word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Requests => "DataPlaneRequests",
            Self::RequestSums => "DataPlaneRequests5M or 15M",
            Self::Queries => "QueryRuntimeStatistics",
            Self::KeyCharges => "PartitionKeyRUConsumption",
            Self::KeySizes => "PartitionKeyStatistics",
            Self::AccountChanges => "ControlPlaneRequests",
            Self::OtherInterfaces => "requests of other interfaces",
            Self::Other => "other categories",
        }
    }

    /// Whether its rows tell of accesses to items.
    pub(in crate::ingest::log) fn is_access(self) -> bool {
        matches!(
            self,
            Self::Requests | Self::RequestSums | Self::Queries | Self::KeyCharges
        )
    }
}

/// A row of a resource log. Charges are in millionths of a request unit.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ResourceRow {
    /// The category, where a column names it.
    pub category: Option<Category>,
    /// The service that wrote it.
    pub provider: Option<String>,
    /// Microseconds since 1970.
    pub time: Option<i64>,
    /// The service's name of the operation.
    pub operation: Option<String>,
    /// The status of HTTP.
    pub status: Option<u16>,
    /// The sub-status.
    pub sub_status: Option<u32>,
    /// The charge.
    pub charge: Option<u64>,
    /// The activity that it belongs to.
    pub activity: Option<String>,
    /// The operation that its activity belongs to.
    pub correlated: Option<String>,
    /// The database.
    pub database: Option<String>,
    /// The container.
    pub container: Option<String>,
    /// What kind of resource was asked for.
    pub resource_type: Option<String>,
    /// The address that was asked for.
    pub address: Option<String>,
    /// The text of a query, by itself or in JSON with its parameters.
    pub query_text: Option<String>,
    /// The partition key value in the service's notation.
    pub partition_key: Option<String>,
    /// The id of a partition key range.
    pub range: Option<String>,
    /// The id of a physical partition.
    pub partition: Option<String>,
    /// Bytes that were sent.
    pub request_bytes: Option<u64>,
    /// Bytes that came back.
    pub response_bytes: Option<u64>,
    /// Size of a logical partition.
    pub size_kb: Option<u64>,
    /// How many requests the row sums up, in millionths.
    pub count: Option<u64>,
    /// What they were charged on average.
    pub average_charge: Option<u64>,
    /// What they were charged together.
    pub total_charge: Option<u64>,
    /// The columns that the row has, filled or not.
    seen: u32,
    /// How far the column of each filled field is from the service's own name.
    distance: [u8; Field::COUNT],
    filled: u32,
}

/// Why a row cannot be read.
pub(in crate::ingest::log) type Failure = (Reason, String);

impl ResourceRow {
    /// The category that the row names, or else that its columns show.
    pub fn kind(&self) -> Category {
        let has = |field: Field| self.seen & (1 << field as u32) != 0;
        self.category.unwrap_or_else(|| {
            if has(Field::AccountChange) {
                Category::AccountChanges
            } else if has(Field::Count) {
                Category::RequestSums
            } else if has(Field::SizeKb) {
                Category::KeySizes
            } else if has(Field::Status) || has(Field::Address) || has(Field::Partition) {
                Category::Requests
            } else if has(Field::QueryText) {
                if has(Field::Operation) || has(Field::Charge) {
                    Category::Requests
                } else {
                    Category::Queries
                }
            } else if has(Field::PartitionKey) {
                Category::KeyCharges
            } else if has(Field::Operation) {
                Category::Requests
            } else {
                Category::Other
            }
        })
    }

    /// Fills a field from the text of a cell, unless a nearer column has filled it. `zone` is the
    /// distance in microseconds of times without a zone from UTC.
    pub(in crate::ingest::log) fn set(
        &mut self,
        (field, distance): (Field, u8),
        text: &str,
        zone: i64,
    ) -> Result<(), Failure> {
        let (bit, index) = (1 << field as u32, field as usize);
        self.seen |= bit;
        if text.is_empty()
            || (self.filled & bit != 0 && self.distance[index] < distance)
            || !is_meant(field, distance, text)
        {
            return Ok(());
        }
        self.filled |= bit;
        self.distance[index] = distance;
        let number = || text.trim().parse().ok().and_then(to_micro);
        let micro = || number().ok_or_else(|| bad(field, text, "a number from 0"));
        let whole = || micro().map(|value| value / 1_000_000);
        let owned = || Some(text.to_owned());
        match field {
            Field::Time => {
                let time = time::micros_of_text(text, zone);
                self.time = Some(time.ok_or_else(|| bad(field, text, "a moment"))?);
            }
            Field::Category => self.category = Some(Category::from_name(text)),
            Field::Provider => self.provider = owned(),
            Field::Operation => self.operation = owned(),
            Field::Status => self.status = u16::try_from(whole()?).ok(),
            Field::SubStatus => self.sub_status = u32::try_from(whole()?).ok(),
            Field::Charge => self.charge = Some(micro()?),
            Field::Activity => self.activity = owned(),
            Field::Correlated => self.correlated = owned(),
            Field::Database => self.database = owned(),
            Field::Container => self.container = owned(),
            Field::ResourceType => self.resource_type = owned(),
            Field::Address => self.address = owned(),
            Field::QueryText => self.query_text = owned(),
            Field::PartitionKey => self.partition_key = owned(),
            // The word stands in rows whose range is not known.
            Field::Range => self.range = owned().filter(|text| text != "undefined"),
            Field::Partition => self.partition = owned(),
            Field::RequestBytes => self.request_bytes = Some(whole()?),
            Field::ResponseBytes => self.response_bytes = Some(whole()?),
            Field::SizeKb => self.size_kb = Some(whole()?),
            Field::Count => self.count = Some(micro()?),
            Field::AverageCharge => self.average_charge = Some(micro()?),
            Field::TotalCharge => self.total_charge = Some(micro()?),
            Field::AccountChange => {}
        }
        Ok(())
    }
}

/// Whether a cell under a column of a general name holds this field: some tables use the name for
/// something else.
fn is_meant(field: Field, distance: u8, text: &str) -> bool {
    match field {
        _ if distance == 0 => true,
        Field::Category => Category::from_name(text) != Category::Other,
        Field::ResourceType => !text.eq_ignore_ascii_case("databaseaccounts"),
        Field::Address => text.trim_start_matches('/').starts_with("dbs/"),
        _ => true,
    }
}

fn bad(field: Field, text: &str, expected: &str) -> Failure {
    let shown: String = text.chars().take(40).collect();
    let detail = format!("{}: expected {expected}, found {shown}", field.name());
    (Reason::BadField, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cells: &[(&str, &str)]) -> ResourceRow {
        let mut row = ResourceRow::default();
        for (column, text) in cells {
            let field = Field::of_column(column).expect(column);
            row.set(field, text, 0).expect(text);
        }
        row
    }

    #[test]
    fn the_nearest_column_of_a_field_counts_whatever_the_order() {
        for cells in [
            [("RequestCharge1", "2"), ("RequestCharge", "1")],
            [("RequestCharge", "1"), ("RequestCharge1", "2")],
        ] {
            assert_eq!(row(&cells).charge, Some(1_000_000));
        }
        let databases = [("databaseName_s", ""), ("databasename_s", "shop")];
        assert_eq!(row(&databases).database.as_deref(), Some("shop"));
    }

    #[test]
    fn columns_of_a_general_name_are_taken_only_for_what_they_hold() {
        let row = row(&[
            ("Type", "AzureDiagnostics"),
            ("ResourceType", "DATABASEACCOUNTS"),
            ("ResourceId", "/SUBSCRIPTIONS/0"),
            ("OperationName", "Read"),
        ]);
        assert_eq!(
            (row.category, row.resource_type.clone(), row.address.clone()),
            (None, None, None)
        );
        assert_eq!(row.kind(), Category::Requests);
    }

    #[test]
    fn the_columns_show_the_category_where_none_is_named() {
        for (columns, kind) in [
            (
                &["PartitionKey", "RequestCharge", "OperationName"][..],
                Category::KeyCharges,
            ),
            (&["PartitionKey", "SizeKb"], Category::KeySizes),
            (&["QueryText", "ActivityId"], Category::Queries),
            (
                &["QueryText", "PartitionKey", "StatusCode"],
                Category::Requests,
            ),
            (&["OperationName", "SampleCount"], Category::RequestSums),
            (&["TimeGenerated"], Category::Other),
        ] {
            let mut row = ResourceRow::default();
            for column in columns {
                row.set(Field::of_column(column).expect("a field"), "", 0)
                    .expect("an empty cell");
            }
            assert_eq!(row.kind(), kind, "{columns:?}");
        }
        assert_eq!(
            row(&[("Type", "CDBPartitionKeyStatistics")]).kind(),
            Category::KeySizes
        );
    }

    #[test]
    fn a_number_that_is_none_rejects_the_row() {
        let mut row = ResourceRow::default();
        let failure = row
            .set((Field::Charge, 0), "much", 0)
            .expect_err("no number");
        assert_eq!(failure.0, Reason::BadField);
    }
}
