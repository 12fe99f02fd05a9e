//! How far the operations of a log reach under a candidate, summed up.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

use super::class::Routing;
use super::routes::Routes;
use super::workload::Workload;
use crate::model::units::weighted;
use crate::model::{Log, OperationKind};

/// How far operations reach, weighted by how often they run, in millionths.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RoutingSummary {
    /// Weight by class, in the order of [`Routing::ALL`].
    pub weights: [u128; 6],
    /// Weight of operations that are placed by the distribution of the data.
    pub estimated: u128,
    /// Weight of operations that could not be placed.
    pub unattributed: u128,
    /// Weight of transactions: batches, and rows that share a label.
    pub transactions: u128,
    /// Weight of those whose items do not share a key value.
    pub split_transactions: u128,
    /// Weight of writes that change the key value of an item.
    pub moved: u128,
    /// Weight of reads of one key value.
    pub single_reads: u128,
    /// Of them, those of a value without items in the data.
    pub empty_reads: u128,
    /// Weight by the number of physical partitions visited.
    pub visited: HashMap<u64, u128, FxBuildHasher>,
    /// The same for each shape of the log.
    pub shapes: Vec<ShapeRouting>,
}

/// How far the operations of a shape reach.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ShapeRouting {
    /// Weight by class, in the order of [`Routing::ALL`].
    pub weights: [u128; 6],
    /// Sum of the partitions visited by each operation, weighted.
    pub visits: u128,
    /// Most partitions that one operation visits.
    pub visited_max: u64,
    /// Base charge in millionths of a request unit.
    pub charge: u128,
}

/// Sums up how far the operations of a log reach.
pub(super) fn summary(routes: &Routes, workload: &Workload) -> RoutingSummary {
    let mut summary = RoutingSummary {
        shapes: vec![ShapeRouting::default(); workload.log.shapes.len()],
        ..RoutingSummary::default()
    };
    for (event, base) in workload.log.events.iter().zip(&workload.charges) {
        let weight = u128::from(event.weight);
        let route = routes.way(event.access);
        let class = Routing::ALL.iter().position(|class| *class == route.class);
        let class = class.unwrap_or_default();
        summary.weights[class] += weight;
        if route.estimated {
            summary.estimated += weight;
        }
        if route.steps.is_empty() && route.class != Routing::Invalid {
            summary.unattributed += weight;
        }
        let access = workload.log.accesses.form(event.access);
        if route.class == Routing::Single
            && !access.kind.is_write()
            && routes.keys.of(event.access).is_some()
        {
            summary.single_reads += weight;
            if !route.finds_items {
                summary.empty_reads += weight;
            }
        }
        if route.moves {
            summary.moved += weight;
        }
        if access.kind == OperationKind::Batch && event.transaction.is_none() {
            summary.transactions += weight;
            summary.split_transactions += if route.splits_transaction { weight } else { 0 };
        }
        if !matches!(route.class, Routing::Invalid | Routing::Unknown) {
            *summary.visited.entry(route.visited).or_default() += weight;
        }
        let shape = &mut summary.shapes[access.shape as usize];
        shape.weights[class] += weight;
        shape.visits += weight * u128::from(route.visited);
        shape.visited_max = shape.visited_max.max(route.visited);
        shape.charge += weighted(base.charge, event.weight);
    }
    for transaction in labelled_transactions(routes, workload.log) {
        summary.transactions += transaction.weight;
        summary.split_transactions += if transaction.split {
            transaction.weight
        } else {
            0
        };
    }
    summary
}

/// Rows that share a label: one transaction.
#[derive(Clone, Default)]
struct Labelled {
    weight: u128,
    /// The number of a key value.
    key: Option<usize>,
    split: bool,
}

/// The transactions whose rows a label ties together. They are split where one row is, or where two
/// have different keys.
fn labelled_transactions(routes: &Routes, log: &Log) -> Vec<Labelled> {
    let mut labelled = vec![Labelled::default(); log.transactions.len()];
    for event in log.events.iter() {
        let Some(label) = event.transaction else {
            continue;
        };
        let one = &mut labelled[label as usize];
        one.weight = one.weight.max(u128::from(event.weight));
        one.split |= routes.way(event.access).splits_transaction;
        if let Some(key) = routes.keys.of(event.access) {
            one.split |= one.key.is_some_and(|other| other != key);
            one.key = Some(key);
        }
    }
    labelled
}
