//! Routes for the many accesses of a log that differ in texts only.
//!
//! Most of these texts do not matter under a candidate: what decides is kept with its route. And where
//! all that the key is made of is fixed, the key can be made at once.

use std::collections::HashMap;
use std::ops::Bound;

use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

use super::data::DataMap;
use super::joins::Joins;
use super::route::{Router, to_item, to_key};
use super::routes::{Placed, Routes};
use crate::keys::{Candidate, KeyMaker, LevelHashes};
use crate::model::{
    Access, Accesses, Epk, Field, Fields, Item, KeyComponent, KeyKind, OperationKind, Predicate,
    PropertyPath, each_text,
};

/// Routes that are kept by what decides them.
const KNOWN_MAX: usize = 1 << 16;

/// What the route of the accesses of a form depends on.
enum Plan {
    /// On all of the access.
    Whole,
    /// On these of its texts, as long as no item with its id is known.
    Texts {
        deciding: Vec<usize>,
        /// What the fields of the key hold, where all are fixed to one value.
        fields: Option<Vec<Source>>,
    },
}

/// What a field of the key holds.
enum Source {
    /// The text at this place among those of the access.
    Text(usize),
    Value(KeyComponent),
}

/// Routes the accesses of a log one after the other.
pub(super) struct Planned<'a> {
    router: &'a Router<'a>,
    candidate: &'a Candidate,
    data: &'a DataMap<'a>,
    joins: &'a Joins<'a>,
    accesses: &'a Accesses,
    maker: KeyMaker,
    plans: Vec<Option<Plan>>,
    known: HashMap<(u32, SmallVec<[u32; 4]>), Placed, FxBuildHasher>,
    /// By physical partition the way to one of its keys: of an item, and of a condition that finds
    /// nothing or something.
    ways: Vec<[Option<u32>; 3]>,
    routes: Routes,
}

impl<'a> Planned<'a> {
    pub(super) fn new(
        router: &'a Router<'a>,
        candidate: &'a Candidate,
        data: &'a DataMap<'a>,
        joins: &'a Joins<'a>,
        accesses: &'a Accesses,
    ) -> Self {
        let mut plans = Vec::new();
        plans.resize_with(accesses.forms().len(), || None);
        Self {
            router,
            candidate,
            data,
            joins,
            accesses,
            maker: KeyMaker::new(candidate, &mut Fields::default()),
            plans,
            known: HashMap::default(),
            ways: vec![[None; 3]; data.layout().partition_count()],
            routes: Routes::default(),
        }
    }

    /// The routes of all accesses. `repeated` says of one that the log has it more than once.
    pub(super) fn routes(mut self, repeated: impl Fn(usize) -> bool) -> Routes {
        for access in 0..self.accesses.len() as u32 {
            let placed = self.place(access, &repeated);
            self.routes.push(placed);
        }
        self.routes.complete();
        self.routes
    }

    fn place(&mut self, access: u32, repeated: &impl Fn(usize) -> bool) -> Placed {
        let form = self.accesses.form_number(access);
        let plan = self.plans[form as usize].take().unwrap_or_else(|| {
            Plan::of(
                self.router,
                self.candidate,
                &self.accesses.forms()[form as usize],
            )
        });
        let placed = match &plan {
            Plan::Texts { deciding, fields } if self.joins.finds_none(access) => {
                let texts = self.accesses.texts_of(access);
                let key = (form, deciding.iter().map(|place| texts[*place]).collect());
                self.known.get(&key).copied().unwrap_or_else(|| {
                    let placed = match fields {
                        Some(fields) => self.at_key(form, fields, texts),
                        None => self.place_whole(access, repeated),
                    };
                    if self.known.len() < KNOWN_MAX {
                        self.known.insert(key, placed);
                    }
                    placed
                })
            }
            _ => self.place_whole(access, repeated),
        };
        self.plans[form as usize] = Some(plan);
        placed
    }

    fn place_whole(&mut self, access: u32, repeated: &impl Fn(usize) -> bool) -> Placed {
        let whole = self.accesses.get(access);
        let route = self.router.route(&whole, repeated(access as usize));
        self.routes.place(route)
    }

    /// The place of an access that goes to the one key that these fields make.
    fn at_key(&mut self, form: u32, sources: &[Source], texts: &[u32]) -> Placed {
        let is_point = self.accesses.forms()[form as usize].kind.is_point();
        let mut fields: SmallVec<[Field; 4]> = SmallVec::new();
        for source in sources {
            fields.push(match source {
                Source::Text(place) => Field::Text(self.accesses.text(texts[*place])),
                Source::Value(value) => value.field(),
            });
        }
        let item = Item {
            fields: &fields,
            bytes: 0,
            whole: None,
        };
        let made = self.maker.make(&item, 0, &mut LevelHashes::default());
        let epk = Epk::from_bytes(made.epk.to_vec());
        let partition = self.data.layout().partition_of(&epk);
        // An operation on an item does not ask whether there are others.
        let finds_items = is_point || self.data.holds(&epk);
        let case = match (is_point, finds_items) {
            (true, _) => 0,
            (false, found) => 1 + usize::from(found),
        };
        let routes = &mut self.routes;
        let way = *self.ways[partition][case].get_or_insert_with(|| {
            let partition = partition as u32;
            routes.way_of_route(if is_point {
                to_item(partition)
            } else {
                to_key(partition, finds_items)
            })
        });
        let has_prefix = self.candidate.levels.len() > 1
            && (!is_point || self.candidate.kind == KeyKind::MultiHash);
        routes.place_key(way, &made.levels, has_prefix)
    }
}

impl Plan {
    fn of(router: &Router, candidate: &Candidate, form: &Access) -> Self {
        if form.item.is_some() || !form.members.is_empty() || form.kind == OperationKind::Batch {
            return Self::Whole;
        }
        // In place of each text the number of its place.
        let mut numbered = form.clone();
        let mut place = 0_usize;
        each_text(&mut numbered, &mut |text| {
            *text = place.to_string().into();
            place += 1;
        });
        let sources = candidate.sources();
        let mut deciding = Vec::new();
        let mut fields = None;
        if let Some(condition) = router.condition_of(&numbered) {
            each_value(&condition, &mut |path, value| {
                if sources.contains(&path) {
                    deciding.extend(place_of(value));
                }
            });
            // Without its body, a write tells no key.
            if !form.kind.holds_item() && !router.has_random_suffix() {
                fields = fixed(&condition, &sources);
            }
        }
        Self::Texts { deciding, fields }
    }
}

/// The place of a text in a form whose texts are numbered.
fn place_of(value: &KeyComponent) -> Option<usize> {
    match value {
        KeyComponent::String(text) => text.parse().ok(),
        _ => None,
    }
}

/// Calls `on` with each value in a condition, and its property.
fn each_value(condition: &Predicate, on: &mut impl FnMut(&PropertyPath, &KeyComponent)) {
    match condition {
        Predicate::Any | Predicate::Nothing | Predicate::Unknown(..) => {}
        Predicate::In(path, values) => {
            for value in values {
                on(path, value);
            }
        }
        Predicate::Range(path, low, high) => {
            for end in [low, high] {
                if let Bound::Included(value) | Bound::Excluded(value) = end {
                    on(path, value);
                }
            }
        }
        Predicate::And(conditions) | Predicate::Or(conditions) => {
            for condition in conditions {
                each_value(condition, on);
            }
        }
    }
}

/// What a condition fixes these properties to; `None` unless it fixes each to one value, once, and
/// says of the others nothing that could contradict itself.
fn fixed(condition: &Predicate, sources: &[&PropertyPath]) -> Option<Vec<Source>> {
    let mut values = vec![None; sources.len()];
    if !gather_fixed(condition, sources, &mut values) {
        return None;
    }
    let source = |value: Option<KeyComponent>| {
        let value = value?;
        Some(place_of(&value).map_or(Source::Value(value), Source::Text))
    };
    values.into_iter().map(source).collect()
}

fn gather_fixed(
    condition: &Predicate,
    sources: &[&PropertyPath],
    fixed: &mut [Option<KeyComponent>],
) -> bool {
    let source = |path: &PropertyPath| sources.iter().position(|source| *source == path);
    match condition {
        Predicate::Any => true,
        Predicate::Nothing | Predicate::Or(_) => false,
        Predicate::Unknown(path, count) => *count > 0 && source(path).is_none(),
        Predicate::Range(path, ..) => source(path).is_none(),
        Predicate::In(path, values) => match (source(path), &values[..]) {
            (None, values) => !values.is_empty(),
            (Some(place), [value]) if fixed[place].is_none() => {
                fixed[place] = Some(value.clone());
                true
            }
            (Some(_), _) => false,
        },
        Predicate::And(conditions) => conditions
            .iter()
            .all(|condition| gather_fixed(condition, sources, fixed)),
    }
}
