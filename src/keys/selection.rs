//! From a condition on properties to the key values of a candidate that it leaves.
//!
//! A hash keeps no order, so only finite sets of values narrow anything. The condition becomes a
//! union of *boxes*, each with what is allowed for each of the candidate's properties; each box
//! becomes whole key values, prefixes of a hierarchy, or everything.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::ops::Bound;

use super::candidate::{Candidate, Level, Part, TimeUnit, Transform};
use super::text;
use super::value::precomputed;
use crate::model::{KeyComponent, KeyKind, KeyValue, Predicate, PropertyPath};

/// Above this many key values an operation counts as cross-partition, unless a setting says otherwise.
pub const VALUES_MAX_DEFAULT: usize = 1000;

/// The key values of a candidate that a condition leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySelection {
    /// None: the condition contradicts itself.
    Nothing,
    /// These: whole values, or prefixes of a hierarchy; none is a prefix of another.
    Keys(BTreeSet<KeyValue>),
    /// So many, but parameters that have no value decide which.
    Unknown {
        /// At most this many.
        values: usize,
        /// Whether all are whole values, none a prefix of a hierarchy.
        whole: bool,
    },
    /// Any: the condition fixes nothing that the key starts with.
    Everything,
    /// More key values than the limit, which counts as any.
    TooMany,
}

/// What a condition allows a property to hold.
#[derive(Debug, Clone, PartialEq)]
enum Allowed {
    Any,
    Values(BTreeSet<KeyComponent>),
    /// At most so many values, which are not known.
    Unknown(usize),
    Range(Bound<KeyComponent>, Bound<KeyComponent>),
}

/// For each property of the candidate what is allowed.
type KeyBox = Vec<Allowed>;

/// The values of one level, or of a property in it.
enum Values<T> {
    Any,
    Known(T),
    Unknown(usize),
}

/// There are more values than the limit.
struct TooMany;

impl Candidate {
    /// The key values that a condition leaves, at most `limit` of them.
    ///
    /// A synthetic level is known when every part is: a random suffix stands for all its numbers; a
    /// precomputed one for one number where its property is fixed and for all otherwise; a moment cut
    /// to a unit for the units of a closed range, if the data hold its one format.
    pub fn select(&self, condition: &Predicate, limit: usize) -> KeySelection {
        let sources = self.sources();
        let Some(boxes) = boxes(condition, &sources, limit) else {
            return KeySelection::TooMany;
        };
        let (mut keys, mut unknown, mut all_whole) = (BTreeSet::new(), 0, true);
        for one in &boxes {
            match self.keys_in(one, &sources, limit) {
                KeySelection::Keys(more) => keys.extend(more),
                KeySelection::Unknown { values, whole } => {
                    unknown += values;
                    all_whole &= whole;
                }
                KeySelection::Nothing => {}
                other => return other,
            }
            if keys.len() + unknown > limit {
                return KeySelection::TooMany;
            }
        }
        if unknown > 0 {
            let values = unknown + keys.len();
            let whole = all_whole && keys.iter().all(|key| key.0.len() == self.levels.len());
            return KeySelection::Unknown { values, whole };
        }
        if keys.is_empty() {
            return KeySelection::Nothing;
        }
        // In order a prefix stands before what it covers.
        let mut kept: BTreeSet<KeyValue> = BTreeSet::new();
        for key in keys {
            if !kept.last().is_some_and(|last| key.0.starts_with(&last.0)) {
                kept.insert(key);
            }
        }
        KeySelection::Keys(kept)
    }

    fn keys_in(&self, one: &KeyBox, sources: &[&PropertyPath], limit: usize) -> KeySelection {
        let allowed = |path: &PropertyPath| {
            let index = sources.iter().position(|source| *source == path);
            index.map_or(&Allowed::Any, |index| &one[index])
        };
        let mut tuples = vec![Vec::new()];
        let (mut levels, mut count, mut known) = (0, 1_usize, true);
        for level in &self.levels {
            let values = match level_values(level, allowed, limit) {
                Ok(values) => values,
                Err(TooMany) => return KeySelection::TooMany,
            };
            let values_count = match &values {
                Values::Any => break,
                Values::Known(values) => values.len(),
                Values::Unknown(count) => *count,
            };
            count = count.saturating_mul(values_count);
            if count > limit {
                return KeySelection::TooMany;
            }
            match values {
                Values::Known(values) if known => {
                    tuples = product(&tuples, &values.into_iter().collect::<Vec<_>>());
                }
                _ => known = false,
            }
            levels += 1;
        }
        // A key that is hashed as one needs all of it.
        if levels == 0 || (self.kind == KeyKind::Hash && levels < self.levels.len()) {
            return KeySelection::Everything;
        }
        if known {
            return KeySelection::Keys(tuples.into_iter().map(KeyValue).collect());
        }
        KeySelection::Unknown {
            values: count,
            whole: levels == self.levels.len(),
        }
    }
}

/// Each tuple with each value behind it.
fn product<T: Clone>(tuples: &[Vec<T>], values: &[T]) -> Vec<Vec<T>> {
    let with = |tuple: &Vec<T>, value: &T| tuple.iter().chain([value]).cloned().collect();
    tuples
        .iter()
        .flat_map(|tuple| values.iter().map(move |value| with(tuple, value)))
        .collect()
}

/// What a property of a template is taken to hold.
#[derive(Clone)]
enum Choice {
    /// Anything: no part needs to know.
    Any,
    Value(KeyComponent),
    /// A moment in the unit that the parts cut it to, which stands for all of them.
    Moment(KeyComponent),
}

/// The values that a condition leaves for one level.
fn level_values<'a>(
    level: &Level,
    allowed: impl Fn(&PropertyPath) -> &'a Allowed,
    limit: usize,
) -> Result<Values<BTreeSet<KeyComponent>>, TooMany> {
    let parts = match level {
        Level::Path(path) => {
            return Ok(match allowed(path) {
                Allowed::Any | Allowed::Range(..) => Values::Any,
                Allowed::Values(values) => Values::Known(values.clone()),
                Allowed::Unknown(count) => Values::Unknown(*count),
            });
        }
        Level::Template(parts) => parts,
    };
    // Properties that stand several times in one template take the same value in each place.
    let mut sources: Vec<&PropertyPath> = Vec::new();
    for part in parts {
        if let Part::Value(path, _) | Part::PrecomputedSuffix(path, _) = part
            && !sources.contains(&path)
        {
            sources.push(path);
        }
    }
    let mut choices = vec![Vec::new()];
    let mut unknown = 1_usize;
    for path in &sources {
        match source_choices(path, parts, allowed(path), limit) {
            Values::Any => return Ok(Values::Any),
            Values::Unknown(count) => {
                unknown = unknown.saturating_mul(count);
                choices = product(&choices, &[Choice::Any]);
            }
            Values::Known(values) => {
                if choices.len().saturating_mul(values.len()) > limit {
                    return Err(TooMany);
                }
                choices = product(&choices, &values);
            }
        }
    }
    let is_unknown = |path: &PropertyPath| matches!(allowed(path), Allowed::Unknown(_));
    if sources.iter().any(|path| is_unknown(path)) {
        let count =
            parts.iter().fold(
                unknown.saturating_mul(choices.len()),
                |count, part| match part {
                    Part::RandomSuffix(numbers) => count.saturating_mul(*numbers as usize),
                    Part::PrecomputedSuffix(path, numbers)
                        if matches!(allowed(path), Allowed::Any | Allowed::Range(..)) =>
                    {
                        count.saturating_mul(*numbers as usize)
                    }
                    _ => count,
                },
            );
        return Ok(Values::Unknown(count));
    }
    template_texts(parts, &sources, &choices, limit).map(Values::Known)
}

/// What a property of a template can be taken to hold.
fn source_choices(
    path: &PropertyPath,
    parts: &[Part],
    allowed: &Allowed,
    limit: usize,
) -> Values<Vec<Choice>> {
    let transforms: Vec<Option<Transform>> = (parts.iter())
        .filter_map(|part| match part {
            Part::Value(value, transform) if value == path => Some(*transform),
            _ => None,
        })
        .collect();
    match allowed {
        Allowed::Values(values) => {
            Values::Known(values.iter().cloned().map(Choice::Value).collect())
        }
        Allowed::Unknown(count) => Values::Unknown(*count),
        // A suffix alone needs no value: all its numbers are possible.
        _ if transforms.is_empty() => Values::Known(vec![Choice::Any]),
        Allowed::Any => Values::Any,
        Allowed::Range(low, high) => {
            let moments = finest_unit(&transforms)
                .and_then(|unit| text::units_between(low, high, unit, limit));
            moments.map_or(Values::Any, |moments| {
                Values::Known(moments.into_iter().map(Choice::Moment).collect())
            })
        }
    }
}

/// The finest unit that moments are cut to, if that is all that is done with them.
fn finest_unit(transforms: &[Option<Transform>]) -> Option<TimeUnit> {
    let units: Vec<TimeUnit> = (transforms.iter())
        .map(|transform| match transform {
            Some(Transform::Time(unit)) => Some(*unit),
            _ => None,
        })
        .collect::<Option<_>>()?;
    units.into_iter().max_by_key(|unit| match unit {
        TimeUnit::Year => 0,
        TimeUnit::Month => 1,
        TimeUnit::Day => 2,
        TimeUnit::Hour => 3,
        TimeUnit::Minute => 4,
    })
}

/// The texts of a template for each choice of what its properties hold.
fn template_texts(
    parts: &[Part],
    sources: &[&PropertyPath],
    choices: &[Vec<Choice>],
    limit: usize,
) -> Result<BTreeSet<KeyComponent>, TooMany> {
    let mut texts = BTreeSet::new();
    for choice in choices {
        let choice_of = |path: &PropertyPath| {
            let index = sources.iter().position(|source| *source == path);
            index.map_or(&Choice::Any, |index| &choice[index])
        };
        let mut spelled = vec![String::new()];
        for part in parts {
            let next = part_texts(part, choice_of, limit).ok_or(TooMany)?;
            if spelled.len().saturating_mul(next.len()) > limit {
                return Err(TooMany);
            }
            spelled = spelled
                .iter()
                .flat_map(|start| next.iter().map(move |text| format!("{start}{text}")))
                .collect();
        }
        texts.extend(
            spelled
                .into_iter()
                .map(|text| KeyComponent::String(text.into())),
        );
        if texts.len() > limit {
            return Err(TooMany);
        }
    }
    Ok(texts)
}

/// The texts that a part can make; `None` where they are too many. What makes no text is empty, as
/// in the key of an item.
fn part_texts<'a>(
    part: &Part,
    choice_of: impl Fn(&PropertyPath) -> &'a Choice,
    limit: usize,
) -> Option<Vec<String>> {
    let all = |count: u32| {
        (count as usize <= limit).then(|| (1..=count).map(|number| number.to_string()).collect())
    };
    match part {
        Part::Text(text) => Some(vec![text.clone()]),
        Part::Value(path, transform) => {
            let (Choice::Value(value) | Choice::Moment(value)) = choice_of(path) else {
                return None;
            };
            let text = transform.map_or_else(
                || text::plain(value.field()).map(Cow::into_owned),
                |transform| text::transformed(value.field(), transform),
            );
            Some(vec![text.unwrap_or_default()])
        }
        Part::RandomSuffix(count) => all(*count),
        Part::PrecomputedSuffix(path, count) => match choice_of(path) {
            Choice::Value(value) => {
                let number =
                    text::plain(value.field()).map(|text| precomputed(&text, *count).to_string());
                Some(vec![number.unwrap_or_default()])
            }
            Choice::Any | Choice::Moment(_) => all(*count),
        },
    }
}

/// The condition as a union of boxes over these properties; `None` where there are too many.
fn boxes(condition: &Predicate, sources: &[&PropertyPath], limit: usize) -> Option<Vec<KeyBox>> {
    let any = || vec![Allowed::Any; sources.len()];
    let only = |path: &PropertyPath, allowed: Allowed| {
        let mut one = any();
        if let Some(index) = sources.iter().position(|source| *source == path) {
            one[index] = allowed;
        }
        vec![one]
    };
    Some(match condition {
        Predicate::Any => vec![any()],
        Predicate::Nothing | Predicate::Unknown(_, 0) => Vec::new(),
        Predicate::In(_, values) if values.is_empty() => Vec::new(),
        Predicate::In(path, values) => {
            only(path, Allowed::Values(values.iter().cloned().collect()))
        }
        Predicate::Unknown(path, count) => only(path, Allowed::Unknown(*count)),
        Predicate::Range(path, low, high) => only(path, Allowed::Range(low.clone(), high.clone())),
        Predicate::And(conditions) => {
            let mut met = vec![any()];
            for condition in conditions {
                let others = boxes(condition, sources, limit)?;
                if met.len().saturating_mul(others.len()) > limit {
                    return None;
                }
                met = met
                    .iter()
                    .flat_map(|one| others.iter().filter_map(move |other| meet(one, other)))
                    .collect();
            }
            met
        }
        Predicate::Or(conditions) => {
            let mut union: Vec<KeyBox> = Vec::new();
            for condition in conditions {
                let more = boxes(condition, sources, limit)?;
                // What says nothing about the key's properties swallows the rest.
                if more
                    .iter()
                    .any(|one| one.iter().all(|allowed| *allowed == Allowed::Any))
                {
                    return Some(vec![any()]);
                }
                for one in more {
                    add(&mut union, one);
                }
                if union.len() > limit {
                    return None;
                }
            }
            union
        }
    })
}

/// Adds a box to a union; where it differs from the last in the values of one property, to that.
fn add(union: &mut Vec<KeyBox>, mut new: KeyBox) {
    // Two values that are not known need not be the same one.
    let known = |one: &KeyBox| {
        !one.iter()
            .any(|allowed| matches!(allowed, Allowed::Unknown(_)))
    };
    if let Some(last) = union.last_mut().filter(|last| known(last) && known(&new)) {
        let mut apart = last.iter_mut().zip(&mut new).filter(|(a, b)| a != b);
        match (apart.next(), apart.next()) {
            (None, _) => return,
            (Some((Allowed::Values(values), Allowed::Values(more))), None) => {
                values.append(more);
                return;
            }
            _ => {}
        }
    }
    union.push(new);
}

/// What two boxes share; `None` where that is nothing.
fn meet(one: &KeyBox, other: &KeyBox) -> Option<KeyBox> {
    one.iter().zip(other).map(|(a, b)| both(a, b)).collect()
}

/// What two conditions on a property leave, or more; `None` where that is nothing.
fn both(one: &Allowed, other: &Allowed) -> Option<Allowed> {
    Some(match (one, other) {
        (Allowed::Range(low, high), Allowed::Range(other_low, other_high)) => Allowed::Range(
            tighter(low, other_low, Ordering::is_lt),
            tighter(high, other_high, Ordering::is_gt),
        ),
        // Where the values are few already, which of them lie in the range is not looked at.
        (Allowed::Any | Allowed::Range(..), allowed)
        | (allowed, Allowed::Any | Allowed::Range(..))
            if *allowed != Allowed::Any =>
        {
            allowed.clone()
        }
        (Allowed::Values(a), Allowed::Values(b)) => {
            let shared: BTreeSet<_> = a.intersection(b).cloned().collect();
            if shared.is_empty() {
                return None;
            }
            Allowed::Values(shared)
        }
        (Allowed::Unknown(a), Allowed::Unknown(b)) => Allowed::Unknown(*a.min(b)),
        (Allowed::Values(values), Allowed::Unknown(count))
        | (Allowed::Unknown(count), Allowed::Values(values)) => {
            if *count < values.len() {
                Allowed::Unknown(*count)
            } else {
                Allowed::Values(values.clone())
            }
        }
        _ => Allowed::Any,
    })
}

/// The bound that leaves less of two. `outside` says whether a value that compares so with another is
/// on the outer side of it.
fn tighter(
    one: &Bound<KeyComponent>,
    other: &Bound<KeyComponent>,
    outside: impl Fn(Ordering) -> bool,
) -> Bound<KeyComponent> {
    let one_is_wider = match (one, other) {
        (Bound::Unbounded, _) => true,
        (_, Bound::Unbounded) => false,
        (Bound::Included(a) | Bound::Excluded(a), Bound::Included(b) | Bound::Excluded(b)) => {
            let order = a.cmp(b);
            outside(order) || (order.is_eq() && matches!(one, Bound::Included(_)))
        }
    };
    if one_is_wider { other } else { one }.clone()
}
