//! Operations as a log tells them, free of any candidate key.

use std::borrow::Cow;

use serde_json::Value;

use super::{Accesses, Events, KeyComponent, Predicate, PropertyPath};

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OperationKind {
    /// Point read.
    Read,
    /// Insert of a new item.
    Create,
    /// Insert or replacement.
    Upsert,
    /// Replacement of a whole item.
    Replace,
    /// Partial update of an item.
    Patch,
    /// Deletion of an item.
    Delete,
    /// Query.
    Query,
    /// Several point reads in one call.
    ReadMany,
    /// All items, of a key or of the container.
    ReadFeed,
    /// Changes, of a key or of the container.
    ChangeFeed,
    /// Transactional batch: several operations on one key value.
    Batch,
    /// Stored procedure, which runs on one key value.
    Execute,
}

impl OperationKind {
    /// All kinds.
    pub const ALL: [Self; 12] = [
        Self::Read,
        Self::Create,
        Self::Upsert,
        Self::Replace,
        Self::Patch,
        Self::Delete,
        Self::Query,
        Self::ReadMany,
        Self::ReadFeed,
        Self::ChangeFeed,
        Self::Batch,
        Self::Execute,
    ];

    /// The word for it in logs and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Create => "create",
            Self::Upsert => "upsert",
            Self::Replace => "replace",
            Self::Patch => "patch",
            Self::Delete => "delete",
            Self::Query => "query",
            Self::ReadMany => "readmany",
            Self::ReadFeed => "readfeed",
            Self::ChangeFeed => "changefeed",
            Self::Batch => "batch",
            Self::Execute => "exec",
        }
    }

    /// Reads a name in any case, the service's own included (`SqlQuery`, `Update`, `ReadItem`).
    pub fn from_name(name: &str) -> Option<Self> {
        let plain: String = name
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|c| c.to_ascii_lowercase())
            .collect();
        Some(match plain.as_str() {
            "read" | "readitem" | "head" => Self::Read,
            "create" | "createitem" | "insert" => Self::Create,
            "upsert" | "upsertitem" => Self::Upsert,
            "replace" | "replaceitem" | "update" => Self::Replace,
            "patch" | "patchitem" => Self::Patch,
            "delete" | "deleteitem" => Self::Delete,
            "query" | "sqlquery" | "jsquery" | "queryitems" | "readnext" => Self::Query,
            "readmany" | "readmanyitems" => Self::ReadMany,
            "readfeed"
            | "headfeed"
            | "readall"
            | "readallitems"
            | "readallitemsoflogicalpartition" => Self::ReadFeed,
            "changefeed" | "querychangefeed" => Self::ChangeFeed,
            "batch" | "transactionalbatch" | "executebatch" => Self::Batch,
            "exec" | "execute" | "executejavascript" | "executestoredprocedure" => Self::Execute,
            _ => return None,
        })
    }

    /// Whether the application holds the whole item when it calls.
    pub fn holds_item(self) -> bool {
        matches!(self, Self::Create | Self::Upsert | Self::Replace)
    }

    /// Whether it goes to one item by its id.
    pub fn is_point(self) -> bool {
        matches!(
            self,
            Self::Read | Self::Create | Self::Upsert | Self::Replace | Self::Patch | Self::Delete
        )
    }

    /// Whether it changes items.
    pub fn is_write(self) -> bool {
        matches!(
            self,
            Self::Create | Self::Upsert | Self::Replace | Self::Patch | Self::Delete | Self::Batch
        )
    }
}

/// The partition key that an application passes beside an operation, in terms of the container as it
/// is today.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum OptionsKey {
    /// None.
    #[default]
    None,
    /// Components in the order of today's key, whose paths are not known.
    Components(Vec<KeyComponent>),
    /// Properties with their values.
    Properties(Vec<(PropertyPath, KeyComponent)>),
}

/// What an operation asks for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Condition {
    /// Items that meet this.
    Known(Predicate),
    /// The service would refuse it: why.
    Invalid(String),
    /// The text cannot be used, for example because it is obfuscated.
    Unknown,
}

impl Default for Condition {
    fn default() -> Self {
        Self::Known(Predicate::Any)
    }
}

/// One item of an operation on several: a key of a read of many, an operation of a batch.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Member {
    /// What is done to it.
    pub kind: OperationKind,
    /// Its id, where it is known.
    pub id: Option<Box<str>>,
    /// The key passed for it.
    pub key: OptionsKey,
    /// Its body, or the properties of it that the log tells.
    pub item: Option<Value>,
}

/// What one or many rows of a log do, without when and how often.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Access {
    /// What it does.
    pub kind: OperationKind,
    /// Index of its shape in the log.
    pub shape: u32,
    /// Which items it asks for, besides key and id.
    pub condition: Condition,
    /// The id of the item of a point operation.
    pub id: Option<Box<str>>,
    /// The key passed beside it.
    pub key: OptionsKey,
    /// The body of a write, or the properties of it that the log tells.
    pub item: Option<Value>,
    /// The items of an operation on several.
    pub members: Vec<Member>,
}

/// Operations that differ only in values.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Shape {
    /// What they do.
    pub kind: OperationKind,
    /// The name of the call site, or the text with its values taken out.
    pub name: String,
}

/// One row of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Event {
    /// When it started, in microseconds since 1970.
    pub time: Option<i64>,
    /// Index of what it does.
    pub access: u32,
    /// How often, in millionths.
    pub weight: u64,
    /// The charge of one operation, in millionths of a request unit.
    pub charge: Option<u64>,
    /// Physical partitions that it visited when it was logged.
    pub ranges: Option<u32>,
    /// Size of the item after a write, or of the response, in bytes.
    pub bytes: Option<u64>,
    /// How often each second, in millionths, where the row says that instead of what happened: the
    /// operation then runs over the whole span.
    pub rate: Option<u64>,
    /// Index of the label of the transaction that it is part of.
    pub transaction: Option<u32>,
}

/// A log in compact form: each distinct access once, and the rows that point to them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Log {
    /// The shapes.
    pub shapes: Vec<Shape>,
    /// The distinct accesses.
    pub accesses: Accesses,
    /// The rows that are workload.
    pub events: Events,
    /// The labels that rows of one transaction share.
    pub transactions: Vec<Box<str>>,
    /// Refused requests (status 429) in the log, in millionths: no workload.
    pub throttled_weight: u64,
    /// What refused requests were charged, in millionths of a request unit.
    pub throttled_charge: u64,
    /// Operations of which the log holds refusals and no success, in millionths: demand that was not
    /// met.
    pub unmet_weight: u64,
    /// Writes that failed because a logical partition is full (403 with sub-status 1014), in millionths.
    pub full_weight: u64,
    /// Seconds that the rates of its rows were taken to cover, where some row gave one.
    pub rates_seconds: Option<u64>,
    /// The paths of today's key, where the log names them.
    pub current_key: Option<Vec<String>>,
}

impl Log {
    /// The ids that point operations and members name.
    pub fn ids(&self) -> impl Iterator<Item = Cow<'_, str>> {
        (0..self.accesses.len() as u32).flat_map(|number| {
            let own = self.accesses.id(number).map(Cow::Borrowed);
            let members = if self.accesses.form(number).members.is_empty() {
                Vec::new()
            } else {
                self.accesses.get(number).members
            };
            let ids = members.into_iter().filter_map(|member| member.id);
            own.into_iter().chain(ids.map(|id| Cow::Owned(id.into())))
        })
    }

    /// The access of a row without its texts: its kind, its shape, and the properties that it names.
    pub fn form_of(&self, event: u32) -> &Access {
        self.accesses.form(self.events.access(event))
    }

    /// The accesses without their texts, each such form once, with the weight of its rows in
    /// millionths.
    pub fn weighted_forms(&self) -> impl Iterator<Item = (&Access, u128)> {
        let forms = self.accesses.forms();
        let mut weights = vec![None; forms.len()];
        for event in self.events.iter() {
            let form = self.accesses.form_number(event.access);
            *weights[form as usize].get_or_insert(0) += u128::from(event.weight);
        }
        let forms = forms.iter().zip(weights);
        forms.filter_map(|(form, weight)| weight.map(|weight| (form, weight)))
    }

    /// The first and the last time, in microseconds since 1970.
    pub fn span(&self) -> Option<(i64, i64)> {
        let times = || (0..self.events.len() as u32).filter_map(|event| self.events.time(event));
        Some((times().min()?, times().max()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_reads_its_own_name_and_the_names_of_the_service() {
        for kind in OperationKind::ALL {
            assert_eq!(OperationKind::from_name(kind.name()), Some(kind));
        }
        assert_eq!(
            OperationKind::from_name("SqlQuery"),
            Some(OperationKind::Query)
        );
        assert_eq!(
            OperationKind::from_name("Update"),
            Some(OperationKind::Replace)
        );
        assert_eq!(OperationKind::from_name("QueryPlan"), None);
    }
}
