//! Where an operation of the log goes under a candidate, and which part of its charge falls where.

use std::collections::BTreeSet;

use serde_json::Value;

use super::class::Routing;
use super::data::{DataMap, Portion};
use super::joins::Joins;
use super::scenario::Scenario;
use crate::keys::{
    Candidate, KeySelection, Level, Part, effective_key, key_range, meets, random_seed_of,
};
use crate::model::{
    Access, Condition, EpkRange, KeyComponent, KeyKind, KeyValue, Member, OperationKind,
    OptionsKey, Predicate, PropertyPath, property,
};
use crate::profile::{CandidateProfile, SourceTypes};

/// What a step of an operation costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum StepCharge {
    /// The base charge of the operation.
    Base,
    /// Half of it, for the delete of an item whose key changes.
    Delete,
    /// The other half, for its creation elsewhere.
    Create,
    /// A lookup of an item by its id.
    Lookup,
}

/// How a step meets the physical partitions it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Spread {
    /// It visits each of them; the charge is split by the shares.
    Visits,
    /// It visits one of them; which one is known as a distribution only.
    OneOf,
}

/// A step of an operation: the partitions it reaches.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Step {
    pub(super) charge: StepCharge,
    pub(super) spread: Spread,
    /// Physical partitions, each once, in order, with shares of the whole; never empty, and the
    /// shares are not all zero.
    pub(super) shares: Vec<(u32, u64)>,
}

/// Where an operation goes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own that some check asks for"
)]
pub(super) struct Route {
    /// How far its widest step reaches.
    pub(super) class: Routing,
    /// Physical partitions that its widest step visits.
    pub(super) visited: u64,
    /// Its steps; none where it cannot be placed.
    pub(super) steps: Vec<Step>,
    /// Whether it is placed by the distribution of the data.
    pub(super) estimated: bool,
    /// Whether a batch touches more than one key value.
    pub(super) splits_transaction: bool,
    /// Whether the data hold items that it could mean.
    pub(super) finds_items: bool,
    /// Whether it changes the key value of an item: a delete there and a create here.
    pub(super) moves: bool,
    /// The key value that all of its base charge goes to, where there is one.
    pub(super) key: Option<KeyValue>,
    /// The first level that all of its base charge goes to, where the key is a hierarchy.
    pub(super) prefix: Option<KeyValue>,
}

/// Routes the operations of a log under one candidate.
pub(super) struct Router<'a> {
    candidate: &'a Candidate,
    data: &'a DataMap<'a>,
    joins: &'a Joins<'a>,
    scenario: &'a Scenario,
    /// Properties of the key that most items hold: a body in the log without one is a part of an item.
    expected: Vec<&'a PropertyPath>,
}

impl<'a> Router<'a> {
    pub(super) fn new(
        profile: &'a CandidateProfile,
        data: &'a DataMap<'a>,
        joins: &'a Joins<'a>,
        scenario: &'a Scenario,
    ) -> Self {
        let items = |types: &SourceTypes| {
            types.null + types.boolean + types.number + types.string + types.compound
        };
        let sources = profile.sources().iter();
        let expected = sources
            .filter(|(_, types)| items(types) > types.missing)
            .map(|(path, _)| path);
        Self {
            candidate: profile.candidate(),
            data,
            joins,
            scenario,
            expected: expected.collect(),
        }
    }

    /// Where an operation goes. `repeated` says that the log has it more than once.
    pub(super) fn route(&self, access: &Access, repeated: bool) -> Route {
        let supplied = match self.supplied(access) {
            Ok(supplied) => supplied,
            Err(class) => return nowhere(class),
        };
        match access.kind {
            OperationKind::Query
            | OperationKind::ReadFeed
            | OperationKind::ChangeFeed
            | OperationKind::Execute => self.by_condition(&Predicate::And(supplied)),
            OperationKind::ReadMany => self.read_many(access, supplied),
            OperationKind::Batch => self.batch(access, supplied),
            kind => {
                let member = Member {
                    kind,
                    id: access.id.clone(),
                    key: OptionsKey::None,
                    item: access.item.clone(),
                };
                self.point(&member, supplied, repeated)
            }
        }
    }

    /// What an operation says of the items it wants, apart from its id; the class of one whose text
    /// cannot be used.
    fn supplied(&self, access: &Access) -> Result<Vec<Predicate>, Routing> {
        let condition = match &access.condition {
            Condition::Known(condition) => condition,
            Condition::Invalid(_) => return Err(Routing::Invalid),
            Condition::Unknown => return Err(Routing::Unknown),
        };
        let mut supplied = self.joins.fixed_by(&access.key);
        supplied.push(condition.clone());
        Ok(supplied)
    }

    /// All that decides where an operation without a body goes, if the item with its id is not known;
    /// `None` where its text cannot be used.
    pub(super) fn condition_of(&self, access: &Access) -> Option<Predicate> {
        let mut supplied = self.supplied(access).ok()?;
        if let (true, Some(id)) = (access.kind.is_point(), &access.id) {
            supplied.push(has_id(id));
        }
        Some(Predicate::And(supplied))
    }

    fn by_condition(&self, condition: &Predicate) -> Route {
        let reach = self.reach(condition);
        if reach.unbound {
            // It goes to one place or some, and the data say where that is likely to be.
            return Route {
                class: reach.class,
                visited: reach.visited,
                ..estimated(&self.data.everything())
            };
        }
        let shares = by_bytes(&reach.portions);
        Route {
            class: reach.class,
            visited: shares.len() as u64,
            steps: vec![Step {
                charge: StepCharge::Base,
                spread: Spread::Visits,
                shares,
            }],
            estimated: false,
            splits_transaction: false,
            finds_items: reach.portions.iter().any(|one| one.items > 0),
            moves: false,
            key: reach.key,
            prefix: reach.prefix,
        }
    }

    /// The part of the container that a condition leaves.
    fn reach(&self, condition: &Predicate) -> Reach {
        let levels = self.candidate.levels.len();
        match self.candidate.select(condition, self.scenario.values_max) {
            KeySelection::Keys(keys) => {
                let whole = keys.iter().all(|key| key.0.len() == levels);
                let one = whole && keys.len() == 1;
                let ranges: Vec<EpkRange> = keys.iter().map(|key| self.range(key)).collect();
                let visited = (keys.len() as u64).min(self.data.layout().partition_count() as u64);
                let mut firsts: Vec<&KeyComponent> =
                    keys.iter().filter_map(|key| key.0.first()).collect();
                firsts.dedup();
                let prefix = match firsts[..] {
                    [first] if levels > 1 => Some(KeyValue(vec![first.clone()])),
                    _ => None,
                };
                Reach {
                    class: if one {
                        Routing::Single
                    } else {
                        Routing::Targeted
                    },
                    portions: self.data.of(&ranges),
                    key: keys.into_iter().next().filter(|_| one),
                    prefix,
                    unbound: false,
                    visited,
                }
            }
            KeySelection::Unknown { values, whole } => Reach {
                class: if whole && values == 1 {
                    Routing::Single
                } else {
                    Routing::Targeted
                },
                portions: self.data.everything(),
                key: None,
                prefix: None,
                unbound: true,
                visited: (values as u64).min(self.data.layout().partition_count() as u64),
            },
            KeySelection::Everything | KeySelection::TooMany => Reach {
                class: Routing::FanOut,
                portions: self.data.everything(),
                key: None,
                prefix: None,
                unbound: false,
                visited: self.data.layout().partition_count() as u64,
            },
            // A contradiction is sent to the empty key: the first partition of a hashed key, and as a
            // prefix of nothing to all of a hierarchical one.
            KeySelection::Nothing => {
                let mut portions = self.data.everything();
                if self.candidate.kind == KeyKind::Hash {
                    portions.truncate(1);
                }
                Reach {
                    class: Routing::None,
                    visited: portions.len() as u64,
                    portions,
                    key: None,
                    prefix: None,
                    unbound: false,
                }
            }
        }
    }

    fn range(&self, key: &KeyValue) -> EpkRange {
        let levels = self.candidate.levels.len();
        key_range(key, self.candidate.kind, self.candidate.version, levels)
    }

    fn partition_of(&self, key: &KeyValue) -> u32 {
        let epk = effective_key(key, self.candidate.kind, self.candidate.version);
        self.data.layout().partition_of(&epk) as u32
    }

    fn key_of(&self, item: &Value) -> KeyValue {
        self.candidate
            .key_of(item, random_seed_of(item, self.scenario.seed))
            .value
    }

    /// An operation on one item: to its key where the application can tell it, else a lookup first.
    fn point(&self, member: &Member, mut supplied: Vec<Predicate>, repeated: bool) -> Route {
        let body = member.item.as_ref().filter(|item| self.is_whole(item));
        if let (true, Some(item)) = (member.kind.holds_item(), body) {
            if repeated && self.has_random_suffix() {
                return self.over_suffixes(item);
            }
            return self.moved(member, &self.key_of(item), &supplied);
        }
        if let Some(id) = &member.id {
            supplied.push(has_id(id));
        }
        let condition = Predicate::And(supplied);
        let items = member
            .id
            .as_deref()
            .map_or_else(Vec::new, |id| self.joins.of(id, &condition));
        // A replacement holds the whole item, so it can tell its key.
        if member.kind.holds_item() {
            return self
                .at_items(&items)
                .unwrap_or_else(|| estimated(&self.data.everything()));
        }
        let condition = self.with_always(condition, &items);
        let reach = self.reach(&condition);
        if let Some(key) = reach.key {
            return self.at(&key);
        }
        let lookup = Step {
            charge: StepCharge::Lookup,
            spread: Spread::Visits,
            shares: by_bytes(&reach.portions),
        };
        let mut route = Route {
            class: reach.class,
            visited: lookup.shares.len() as u64,
            steps: vec![lookup],
            estimated: false,
            splits_transaction: false,
            finds_items: true,
            moves: false,
            key: None,
            prefix: None,
        };
        if member.kind != OperationKind::Read {
            let own = self
                .at_items(&items)
                .unwrap_or_else(|| estimated(&reach.portions));
            route.estimated = own.estimated;
            route.steps.extend(own.steps);
        }
        route
    }

    /// Whether a body in the log tells all of the key that items usually hold.
    fn is_whole(&self, item: &Value) -> bool {
        self.expected
            .iter()
            .all(|path| property(item, path).is_some())
    }

    /// What the application has at hand at every point operation, taken from the item.
    fn with_always(&self, condition: Predicate, items: &[&Value]) -> Predicate {
        let always = self.scenario.always.iter().map(|path| {
            let values: BTreeSet<KeyComponent> = items
                .iter()
                .map(|item| {
                    property(item, path).map_or(KeyComponent::Undefined, KeyComponent::from_json)
                })
                .collect();
            // Of an item that is not known the value is not known either.
            if values.len() == 1 {
                Predicate::In(path.clone(), values.into_iter().collect())
            } else {
                Predicate::Any
            }
        });
        Predicate::And(std::iter::once(condition).chain(always).collect())
    }

    pub(super) fn has_random_suffix(&self) -> bool {
        self.candidate.levels.iter().any(|level| match level {
            Level::Template(parts) => parts
                .iter()
                .any(|part| matches!(part, Part::RandomSuffix(_))),
            Level::Path(_) => false,
        })
    }

    /// An item that is written again and again draws all suffixes alike.
    fn over_suffixes(&self, item: &Value) -> Route {
        let fixed = self.candidate.sources().into_iter().map(|path| {
            let value =
                property(item, path).map_or(KeyComponent::Undefined, KeyComponent::from_json);
            Predicate::In(path.clone(), vec![value])
        });
        let selection = self
            .candidate
            .select(&Predicate::And(fixed.collect()), usize::MAX);
        let KeySelection::Keys(keys) = selection else {
            return self.at(&self.key_of(item));
        };
        let mut shares: Vec<(u32, u64)> =
            keys.iter().map(|key| (self.partition_of(key), 1)).collect();
        merge(&mut shares);
        one_of(shares, false)
    }

    /// To one key value.
    fn at(&self, key: &KeyValue) -> Route {
        Route {
            key: Some(key.clone()),
            prefix: (self.candidate.levels.len() > 1 && self.candidate.kind == KeyKind::MultiHash)
                .then(|| KeyValue(key.0[..1].to_vec())),
            ..one_of(vec![(self.partition_of(key), 1)], false)
        }
    }

    /// A write of a whole item to its key; where the item had another key, half of the charge is for
    /// the delete there.
    fn moved(&self, member: &Member, key: &KeyValue, supplied: &[Predicate]) -> Route {
        let before = match (member.kind, &member.id) {
            // A random suffix is drawn anew each time, which a check of its own tells.
            (OperationKind::Upsert | OperationKind::Replace, Some(id))
                if !self.has_random_suffix() =>
            {
                let items = self.joins.in_dataset(id);
                items
                    .filter(|item| meets(&Predicate::And(supplied.to_vec()), item))
                    .collect()
            }
            _ => Vec::new(),
        };
        let [before] = before[..] else {
            return self.at(key);
        };
        let before = self.key_of(before);
        if before == *key {
            return self.at(key);
        }
        let step = |key: &KeyValue, charge| Step {
            charge,
            spread: Spread::Visits,
            shares: vec![(self.partition_of(key), 1)],
        };
        Route {
            steps: vec![
                step(&before, StepCharge::Delete),
                step(key, StepCharge::Create),
            ],
            moves: true,
            ..self.at(key)
        }
    }

    /// To one of these items, which is which is not known; `None` where there is none.
    fn at_items(&self, items: &[&Value]) -> Option<Route> {
        let keys: BTreeSet<KeyValue> = items.iter().map(|item| self.key_of(item)).collect();
        if keys.len() <= 1 {
            return keys.into_iter().next().map(|key| self.at(&key));
        }
        let mut shares: Vec<(u32, u64)> =
            keys.iter().map(|key| (self.partition_of(key), 1)).collect();
        merge(&mut shares);
        Some(one_of(shares, true))
    }

    fn read_many(&self, access: &Access, supplied: Vec<Predicate>) -> Route {
        if access.members.is_empty() {
            return self.by_condition(&Predicate::And(supplied));
        }
        let mut class = Routing::Single;
        let mut keys = BTreeSet::new();
        let mut shares = Vec::new();
        let mut estimated = false;
        for member in &access.members {
            let mut fixed = supplied.clone();
            fixed.extend(self.joins.fixed_by(&member.key));
            let route = self.point(member, fixed, false);
            class = class.max(route.class);
            estimated |= route.estimated;
            keys.extend(route.key);
            for step in route.steps {
                shares.extend(step.shares.into_iter().map(|(partition, _)| (partition, 1)));
            }
        }
        if class == Routing::Single && keys.len() > 1 {
            class = Routing::Targeted;
        }
        merge(&mut shares);
        Route {
            class,
            visited: shares.len() as u64,
            steps: step_of(StepCharge::Base, Spread::Visits, shares),
            estimated,
            splits_transaction: false,
            finds_items: true,
            moves: false,
            prefix: None,
            key: keys.into_iter().next().filter(|_| class == Routing::Single),
        }
    }

    /// A transaction goes to the one key value of its items.
    fn batch(&self, access: &Access, supplied: Vec<Predicate>) -> Route {
        let condition = Predicate::And(supplied);
        let mut keys = BTreeSet::new();
        for member in &access.members {
            let mut fixed = vec![condition.clone()];
            fixed.extend(self.joins.fixed_by(&member.key));
            match &member.item {
                Some(item) if member.kind.holds_item() && self.is_whole(item) => {
                    keys.insert(self.key_of(item));
                }
                _ => {
                    let id = member.id.as_deref().unwrap_or_default();
                    let items = self.joins.of(id, &Predicate::And(fixed));
                    keys.extend(items.iter().map(|item| self.key_of(item)));
                }
            }
        }
        if let (true, Some(key)) = (keys.len() <= 1, keys.first()) {
            return self.at(key);
        }
        if keys.is_empty() {
            let reach = self.reach(&condition);
            return match reach.key {
                Some(key) => self.at(&key),
                None => estimated(&reach.portions),
            };
        }
        let mut shares: Vec<(u32, u64)> =
            keys.iter().map(|key| (self.partition_of(key), 1)).collect();
        merge(&mut shares);
        Route {
            class: Routing::Targeted,
            visited: shares.len() as u64,
            steps: step_of(StepCharge::Base, Spread::Visits, shares),
            estimated: false,
            splits_transaction: true,
            finds_items: true,
            moves: false,
            key: None,
            prefix: None,
        }
    }
}

/// The part of a container that a condition leaves.
struct Reach {
    class: Routing,
    portions: Vec<Portion>,
    key: Option<KeyValue>,
    prefix: Option<KeyValue>,
    /// Whether a value of the key is a parameter that is not known.
    unbound: bool,
    /// Physical partitions that are visited at most.
    visited: u64,
}

fn has_id(id: &str) -> Predicate {
    Predicate::In(
        PropertyPath::of("id"),
        vec![KeyComponent::String(id.into())],
    )
}

/// An operation on an item whose key is told, its values taken out.
pub(super) fn to_item(partition: u32) -> Route {
    one_of(vec![(partition, 1)], false)
}

/// A condition that leaves one key value, which is taken out.
pub(super) fn to_key(partition: u32, finds_items: bool) -> Route {
    Route {
        class: Routing::Single,
        visited: 1,
        steps: step_of(StepCharge::Base, Spread::Visits, vec![(partition, 1)]),
        estimated: false,
        splits_transaction: false,
        finds_items,
        moves: false,
        key: None,
        prefix: None,
    }
}

fn nowhere(class: Routing) -> Route {
    Route {
        class,
        visited: 0,
        steps: Vec::new(),
        estimated: false,
        splits_transaction: false,
        finds_items: true,
        moves: false,
        key: None,
        prefix: None,
    }
}

fn one_of(shares: Vec<(u32, u64)>, estimated: bool) -> Route {
    Route {
        class: Routing::Single,
        visited: 1,
        steps: step_of(StepCharge::Base, Spread::OneOf, shares),
        estimated,
        splits_transaction: false,
        finds_items: true,
        moves: false,
        key: None,
        prefix: None,
    }
}

fn step_of(charge: StepCharge, spread: Spread, shares: Vec<(u32, u64)>) -> Vec<Step> {
    if shares.is_empty() {
        return Vec::new();
    }
    vec![Step {
        charge,
        spread,
        shares,
    }]
}

/// Shares by the bytes that were asked for; alike where there are none.
fn by_bytes(portions: &[Portion]) -> Vec<(u32, u64)> {
    let empty = portions.iter().all(|one| one.bytes == 0);
    portions
        .iter()
        .map(|one| (one.partition, if empty { 1 } else { one.bytes }))
        .collect()
}

/// One share for each partition, in order.
fn merge(shares: &mut Vec<(u32, u64)>) {
    shares.sort_unstable();
    shares.dedup_by(|later, kept| {
        let same = later.0 == kept.0;
        if same {
            kept.1 += later.1;
        }
        same
    });
}

/// To one of the items of part of the data; nowhere where there is no data.
fn estimated(portions: &[Portion]) -> Route {
    let mut shares: Vec<(u32, u64)> = portions
        .iter()
        .map(|one| (one.partition, one.items))
        .collect();
    shares.retain(|(_, items)| *items > 0);
    if shares.is_empty() {
        return nowhere(Routing::Single);
    }
    one_of(shares, true)
}
