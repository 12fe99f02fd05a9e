//! Rows that belong together: what a request was charged, the text of its query, and the key value that
//! it went to stand in different categories, in any order and in any file.
//!
//! All rows of an activity are one operation, and so are all activities of one correlation: a query has
//! a row for each page and each physical partition.

use std::collections::{BTreeMap, HashMap, HashSet};

use rustc_hash::FxBuildHasher;

use super::address::Address;
use super::operation::{Activity, NONE, PHYSICAL, Tables, agreed, earlier, sum};
use super::request::{add_sum, metadata};
use super::row::{Category, Failure, ResourceRow};
use crate::ingest::log::activity;
use crate::ingest::log::builder::LogBuilder;
use crate::ingest::log::containers::UNNAMED;
use crate::ingest::log::interner::Interner;
use crate::ingest::log::outcome::Outcome;
use crate::ingest::problem::{Reason, RowProblem};
use crate::model::{KeyValue, OperationKind};

/// The size of a large logical partition, as the service reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeySize {
    /// The database, where the log names it.
    pub database: Option<String>,
    /// The container, where the log names it.
    pub container: Option<String>,
    /// The key value, in terms of today's key.
    pub key: KeyValue,
    /// The largest size that was reported.
    pub bytes: u64,
}

/// Gathers rows until all files are read.
#[derive(Default)]
pub(in crate::ingest::log) struct Join {
    activities: Vec<Activity>,
    by_id: HashMap<u128, u32, FxBuildHasher>,
    tables: Tables,
    places: Interner<Box<str>>,
    sizes: BTreeMap<(Option<String>, Option<String>, KeyValue), u64>,
}

impl Join {
    /// Adds a row that starts on this line of a file.
    pub(in crate::ingest::log) fn add(
        &mut self,
        row: ResourceRow,
        file: usize,
        line: u64,
        builder: &mut LogBuilder,
    ) -> Result<(), Failure> {
        let mut category = row.kind();
        let cosmos = |name: &String| name.eq_ignore_ascii_case("microsoft.documentdb");
        if row.provider.as_ref().is_some_and(|name| !cosmos(name)) {
            category = Category::Other;
        }
        builder.notes().category(category);
        match category {
            Category::Requests => self.add_request(row, file, line, builder),
            Category::Queries | Category::KeyCharges => {
                let key = self.key_of(&row)?;
                let index = self.activity(&row, file, line, builder);
                self.fill(index, &row, key, builder);
                Ok(())
            }
            Category::RequestSums => add_sum(&row, line, builder),
            Category::KeySizes => self.add_size(row),
            Category::AccountChanges | Category::OtherInterfaces | Category::Other => {
                let problem = RowProblem::new(line, Reason::NotAnAccess, category.name());
                builder.problem_of(file, problem);
                Ok(())
            }
        }
    }

    fn add_request(
        &mut self,
        mut row: ResourceRow,
        file: usize,
        line: u64,
        builder: &mut LogBuilder,
    ) -> Result<(), Failure> {
        let address = row.address.take().as_deref().and_then(Address::parse);
        let name = row.operation.clone().unwrap_or_default();
        let kind = OperationKind::from_name(&name);
        if let Some(metadata) = metadata(&row, address.as_ref(), &name, kind) {
            builder.problem_of(file, RowProblem::new(line, Reason::Metadata, metadata));
            return Ok(());
        }
        let kind = match kind {
            None if name.is_empty() && row.query_text.is_some() => OperationKind::Query,
            None => return Err((Reason::UnknownOperation, name)),
            Some(kind) => kind,
        };
        let key = self.key_of(&row)?;
        let address = address.unwrap_or_default();
        row.database = row.database.or(address.database);
        row.container = row.container.or(address.container);
        let id = address
            .id
            .filter(|_| kind.is_point())
            .map_or(NONE, |id| self.tables.ids.intern(id.into()));
        let mut index = self.activity(&row, file, line, builder);
        let other = &self.activities[index as usize];
        if other.requests > 0 && (other.kind, other.id) != (Some(kind), id) {
            // One identifier on requests of different kinds or items ties nothing together.
            index = self.start(&row, file, line, builder);
        }
        let activity = &mut self.activities[index as usize];
        activity.kind = Some(kind);
        activity.id = id;
        activity.requests += 1;
        match Outcome::of(row.status, row.sub_status) {
            Outcome::Done => {
                activity.done += 1;
                sum(&mut activity.charge, row.charge);
                let written = [
                    OperationKind::Create,
                    OperationKind::Upsert,
                    OperationKind::Replace,
                ];
                let bytes = if written.contains(&kind) {
                    row.request_bytes
                } else {
                    row.response_bytes
                };
                sum(&mut activity.bytes, bytes.filter(|bytes| *bytes > 0));
            }
            Outcome::Refused => {
                activity.refused += 1;
                let charge = row.charge.unwrap_or_default();
                activity.refused_charge = activity.refused_charge.saturating_add(charge);
            }
            Outcome::Full => activity.full += 1,
            Outcome::Failed => {
                activity.failed = row.status.map(|status| (status, row.sub_status));
            }
        }
        self.fill(index, &row, key, builder);
        Ok(())
    }

    /// The number of the key value of a row.
    fn key_of(&mut self, row: &ResourceRow) -> Result<u32, Failure> {
        let Some(text) = row.partition_key.as_deref() else {
            return Ok(NONE);
        };
        let key = KeyValue::parse(text.trim()).map_err(|error| {
            let shown: String = text.chars().take(40).collect();
            (Reason::BadField, format!("partitionkey: {shown}: {error}"))
        })?;
        // No component at all means that the key was not recorded.
        if key.0.is_empty() {
            return Ok(NONE);
        }
        Ok(self.tables.keys.intern(key))
    }

    fn add_size(&mut self, row: ResourceRow) -> Result<(), Failure> {
        let Some(text) = &row.partition_key else {
            return Ok(());
        };
        let key = KeyValue::parse(text)
            .map_err(|error| (Reason::BadField, format!("partitionkey: {error}")))?;
        let bytes = row.size_kb.unwrap_or_default().saturating_mul(1024);
        let largest = self.sizes.entry((row.database, row.container, key));
        let largest = largest.or_default();
        *largest = bytes.max(*largest);
        Ok(())
    }

    /// The activity of a row, which is a new one where the row names none.
    fn activity(
        &mut self,
        row: &ResourceRow,
        file: usize,
        line: u64,
        builder: &mut LogBuilder,
    ) -> u32 {
        let Some(id) = row.activity.as_deref().and_then(activity::number) else {
            return self.start(row, file, line, builder);
        };
        if let Some(index) = self.by_id.get(&id) {
            return *index;
        }
        let index = self.start(row, file, line, builder);
        self.activities[index as usize].is_named = true;
        self.by_id.insert(id, index);
        index
    }

    fn start(
        &mut self,
        row: &ResourceRow,
        file: usize,
        line: u64,
        builder: &mut LogBuilder,
    ) -> u32 {
        self.activities.push(Activity {
            file: file as u32,
            line,
            container: container_of(row, builder),
            id: NONE,
            key: NONE,
            text: NONE,
            ..Activity::default()
        });
        self.activities.len() as u32 - 1
    }

    /// Fills in what a row of any category may tell.
    fn fill(&mut self, index: u32, row: &ResourceRow, key: u32, builder: &mut LogBuilder) {
        let text = row.query_text.as_deref().map(|text| {
            let (condition, name, masked) = builder.statements.read_logged(text);
            (self.tables.texts.intern((name, condition)), masked)
        });
        let mut places = Vec::new();
        if let Some(range) = &row.range {
            places.push(self.places.intern_as(range.as_str()));
        }
        if let Some(partition) = &row.partition {
            places.push(self.places.intern_as(partition.as_str()) | PHYSICAL);
        }
        let activity = &mut self.activities[index as usize];
        if activity.container == UNNAMED {
            activity.container = container_of(row, builder);
        }
        activity.time = earlier(activity.time, row.time);
        activity.key = agreed(activity.key, key);
        if let Some((text, masked)) = text {
            activity.text = text;
            activity.masked |= masked;
        }
        if let Some(correlated) = &row.correlated {
            activity.correlated = activity::number(correlated);
        }
        if row.kind() == Category::KeyCharges {
            sum(&mut activity.key_charge, row.charge);
            let kind = row.operation.as_deref().and_then(OperationKind::from_name);
            activity.kind = activity.kind.or(kind);
        }
        for place in places {
            if !activity.places.contains(&place) {
                activity.places.push(place);
            }
        }
    }

    /// Hands over all operations; the sizes of large logical partitions.
    pub(in crate::ingest::log) fn finish(mut self, builder: &mut LogBuilder) -> Vec<KeySize> {
        let operations = self.merged();
        let with_requests: HashSet<u32, FxBuildHasher> = operations
            .iter()
            .filter(|operation| operation.requests > 0)
            .map(|operation| operation.container)
            .collect();
        for operation in operations {
            if !builder.containers.take(operation.container) {
                continue;
            }
            let tells_charge_only = operation.requests == 0 && operation.text == NONE;
            if tells_charge_only && with_requests.contains(&operation.container) {
                // The request that it belongs to is likely in the log: two rows would be two charges.
                let detail = "a charge of a key value without its request";
                let problem = RowProblem::new(operation.line, Reason::Unjoined, detail);
                builder.problem_of(operation.file as usize, problem);
                continue;
            }
            operation.hand_over(&self.tables, builder);
        }
        let sizes = self.sizes.into_iter();
        let sizes = sizes.map(|((database, container, key), bytes)| KeySize {
            database,
            container,
            key,
            bytes,
        });
        sizes.collect()
    }

    /// The operations: activities of one correlation together, in the order of their first rows.
    fn merged(&mut self) -> Vec<Activity> {
        let mut groups: HashMap<u128, usize, FxBuildHasher> = HashMap::default();
        let mut merged: Vec<Activity> = Vec::new();
        // An activity whose identifier others name as their correlation belongs to them.
        let mut names = vec![None; self.activities.len()];
        for correlation in self.activities.iter().filter_map(|one| one.correlated) {
            if let Some(index) = self.by_id.get(&correlation) {
                names[*index as usize] = Some(correlation);
            }
        }
        for (activity, name) in std::mem::take(&mut self.activities).into_iter().zip(names) {
            let Some(correlation) = activity.correlated.or(name) else {
                merged.push(activity);
                continue;
            };
            if let Some(index) = groups.get(&correlation) {
                merged[*index].merge(activity);
            } else {
                groups.insert(correlation, merged.len());
                merged.push(activity);
            }
        }
        merged
    }
}

fn container_of(row: &ResourceRow, builder: &mut LogBuilder) -> u32 {
    let container = row.container.as_deref();
    builder
        .containers
        .number(row.database.as_deref(), container)
}
