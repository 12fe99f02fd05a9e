//! The short list of candidates, each with the reason why it is on it.

use std::cmp::Reverse;

use super::discovery::{Discovery, Property};
use super::filters::Filters;
use crate::keys::Candidate;
use crate::model::{KeyVersion, PropertyPath};

/// A property is a key only where at least this share of the items holds it.
const PRESENT_MIN: f64 = 0.95;

/// A property with fewer distinct values is no key by itself.
const DISTINCT_MIN: u64 = 2;

/// Above this share of the items one value is heavy, and suffixes are worth a look.
const HEAVY_SHARE: f64 = 0.05;

/// Numbers of a suffix that is proposed: as in the vendor's examples, and enough to spread a value
/// over ten partitions with a quarter of unevenness.
const SUFFIX_NUMBERS: u32 = 100;

/// Singles, concatenations and hierarchies that are proposed of each kind.
const EACH_MAX: usize = 4;

/// A candidate and why it is worth a test.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// The candidate.
    pub candidate: Candidate,
    /// Why, in a clause.
    pub reason: String,
}

/// Puts together a short list of at most `most` candidates.
pub fn propose(discovery: &Discovery, filters: &Filters, most: usize) -> Vec<Proposal> {
    let properties = plausible(discovery);
    let mut list = List {
        proposals: Vec::new(),
    };
    singles(&properties, filters, &mut list);
    hierarchies(&properties, filters, &mut list);
    concatenations(&properties, filters, &mut list);
    times(&properties, filters, &mut list);
    suffixes(&properties, filters, &mut list);
    list.proposals.truncate(most);
    list.proposals
}

/// Why a candidate is not on the list; `None` where it is.
pub fn why_not(
    candidate: &Candidate,
    discovery: &Discovery,
    filters: &Filters,
    most: usize,
) -> Option<String> {
    let proposals = propose(discovery, filters, usize::MAX);
    let place = proposals
        .iter()
        .position(|one| one.candidate.levels == candidate.levels);
    if let Some(place) = place {
        return (place >= most).then(|| {
            format!(
                "it is number {} of the list, which is cut at {most}",
                place + 1
            )
        });
    }
    let all = discovery.properties();
    for path in candidate.sources() {
        let Some(property) = all.iter().find(|one| one.path == *path) else {
            return Some(format!("no item that was looked at has {path}"));
        };
        if property.present < PRESENT_MIN {
            return Some(format!(
                "{path} stands in {:.0}% of the items only",
                property.present * 100.0
            ));
        }
        if property.distinct < DISTINCT_MIN {
            return Some(format!("{path} has one value only"));
        }
    }
    let sources = candidate.sources();
    let share = filters.reads_of(&sources);
    Some(format!(
        "{:.0}% of the operations fix all its properties, and others serve more; give it with --key to compare",
        share * 100.0
    ))
}

struct List {
    proposals: Vec<Proposal>,
}

impl List {
    fn add(&mut self, text: &str, reason: String) {
        let Ok(candidate) = Candidate::parse(text, KeyVersion::V2) else {
            return;
        };
        if !self
            .proposals
            .iter()
            .any(|one| one.candidate.levels == candidate.levels)
        {
            self.proposals.push(Proposal { candidate, reason });
        }
    }
}

fn plausible(discovery: &Discovery) -> Vec<Property> {
    let mut properties = discovery.properties();
    properties.retain(|one| one.present >= PRESENT_MIN && one.distinct >= DISTINCT_MIN);
    properties
}

fn percent(share: f64) -> String {
    if share > 0.0 && share < 0.01 {
        return "less than 1%".to_owned();
    }
    format!("{:.0}%", share * 100.0)
}

/// A path inside braces, where more characters need quotes than outside.
fn part(path: &PropertyPath) -> String {
    let plain = path.to_string();
    if plain.contains(['|', '%', '}', '{']) {
        let names: Vec<String> = path.segments().map(|name| format!("/\"{name}\"")).collect();
        return names.concat();
    }
    plain
}

/// By how much of the log they serve, then by how many values they have.
fn by_use<'a>(properties: &'a [Property], filters: &Filters) -> Vec<(&'a Property, f64)> {
    let mut used: Vec<(&Property, f64)> = properties
        .iter()
        .map(|one| (one, filters.reads_of(&[&one.path])))
        .collect();
    used.sort_by(|one, other| {
        other
            .1
            .total_cmp(&one.1)
            .then_with(|| other.0.distinct.cmp(&one.0.distinct))
            .then_with(|| one.0.path.cmp(&other.0.path))
    });
    used
}

fn singles(properties: &[Property], filters: &Filters, list: &mut List) {
    let used = by_use(properties, filters);
    let filtered = used.iter().filter(|(_, share)| *share > 0.0);
    for (property, share) in filtered.take(EACH_MAX) {
        list.add(
            &property.path.to_string(),
            format!(
                "{} of the operations fix it; {} distinct values in the items looked at",
                percent(*share),
                property.distinct
            ),
        );
    }
    // Without a log, or beside it: properties whose values are many and alike, and which group items;
    // where each item has its own value, /id stands for all such properties.
    let id = properties
        .iter()
        .find(|one| one.path == PropertyPath::of("id"));
    let is_id = |one: &Property| id.is_some_and(|id| one.distinct >= id.distinct);
    let mut even: Vec<&Property> = properties
        .iter()
        .filter(|one| !one.is_time && !one.is_unlike_key && !is_id(one))
        .collect();
    even.sort_by_key(|one| (Reverse(one.distinct), one.path.clone()));
    let wanted = if list.proposals.is_empty() {
        EACH_MAX
    } else {
        1
    };
    for property in even
        .into_iter()
        .filter(|one| one.largest <= HEAVY_SHARE || one.distinct >= 10)
        .take(wanted)
    {
        list.add(
            &property.path.to_string(),
            format!(
                "{} distinct values, the most frequent in {} of the items",
                property.distinct,
                percent(property.largest)
            ),
        );
    }
    if id.is_some() {
        list.add("/id", "every item has its own value: the evenest load, and the most fan-out for all but point operations".to_owned());
    }
}

/// Orders of up to three properties that serve the most operations by prefix.
fn hierarchies(properties: &[Property], filters: &Filters, list: &mut List) {
    let used: Vec<&Property> = by_use(properties, filters)
        .into_iter()
        .filter(|(one, share)| *share > 0.0 && one.path != PropertyPath::of("id"))
        .map(|(one, _)| one)
        .take(EACH_MAX)
        .collect();
    let mut orders: Vec<(f64, Vec<&Property>)> = Vec::new();
    for one in &used {
        for other in used.iter().filter(|other| other.path != one.path) {
            let two = [&one.path, &other.path];
            let share = filters.reads_of(&two[..1]) + filters.reads_of(&two);
            orders.push((share, vec![one, other]));
            for third in used
                .iter()
                .filter(|third| third.path != one.path && third.path != other.path)
            {
                let three = [&one.path, &other.path, &third.path];
                orders.push((share + filters.reads_of(&three), vec![one, other, third]));
            }
        }
    }
    // A property that nothing fixes together with the others adds a level and serves nothing.
    orders.retain(|(_, levels)| {
        let paths: Vec<&PropertyPath> = levels.iter().map(|one| &one.path).collect();
        filters.reads_of(&paths) > 0.0
    });
    orders.sort_by(|one, other| {
        let names = |levels: &[&Property]| {
            levels
                .iter()
                .map(|one| one.path.clone())
                .collect::<Vec<_>>()
        };
        other
            .0
            .total_cmp(&one.0)
            .then_with(|| one.1.len().cmp(&other.1.len()))
            .then_with(|| names(&one.1).cmp(&names(&other.1)))
    });
    for (_, levels) in orders.iter().take(2) {
        let paths: Vec<&PropertyPath> = levels.iter().map(|one| &one.path).collect();
        let text: Vec<String> = paths.iter().map(ToString::to_string).collect();
        list.add(
            &text.join(","),
            format!(
                "{} of the operations fix the first level, {} all of them",
                percent(filters.reads_of(&paths[..1])),
                percent(filters.reads_of(&paths))
            ),
        );
    }
    // The most used property, and below it every item by itself: its values may outgrow 20 GB.
    let has_id = properties
        .iter()
        .any(|one| one.path == PropertyPath::of("id"));
    if let Some(first) = used
        .first()
        .filter(|one| has_id && one.largest > HEAVY_SHARE)
    {
        list.add(
            &format!("{},/id", first.path),
            format!("the most frequent value of {} holds {} of the items: below it each item has its own key", first.path, percent(first.largest)),
        );
    }
}

fn concatenations(properties: &[Property], filters: &Filters, list: &mut List) {
    let known = |path: &PropertyPath| {
        properties
            .iter()
            .find(|one| one.path == *path && one.path != PropertyPath::of("id"))
    };
    let pairs = filters.pairs();
    let pairs = pairs
        .iter()
        .filter_map(|(one, other)| Some((known(one)?, known(other)?)));
    for (one, other) in pairs.take(2) {
        list.add(
            &format!("{{{}}}-{{{}}}", part(&one.path), part(&other.path)),
            format!(
                "{} of the operations fix both",
                percent(filters.reads_of(&[&one.path, &other.path]))
            ),
        );
    }
}

/// The most used property with the day of a moment that is fixed with it.
fn times(properties: &[Property], filters: &Filters, list: &mut List) {
    let used = by_use(properties, filters);
    let with_time = used
        .iter()
        .filter(|(one, share)| *share > 0.0 && !one.is_time && one.path != PropertyPath::of("id"));
    for (one, _) in with_time.take(1) {
        let times = properties
            .iter()
            .filter(|time| time.is_time && filters.reads_of(&[&one.path, &time.path]) > 0.0);
        for time in times.take(1) {
            list.add(
                &format!("{{{}}}-{{{}|day}}", part(&one.path), part(&time.path)),
                format!(
                    "{} of the operations fix both, and a day bounds the growth of a value",
                    percent(filters.reads_of(&[&one.path, &time.path]))
                ),
            );
        }
    }
}

/// Suffixes for the most used property whose values are heavy.
fn suffixes(properties: &[Property], filters: &Filters, list: &mut List) {
    let used = by_use(properties, filters);
    let heavy = used
        .iter()
        .find(|(one, share)| *share > 0.0 && one.largest > HEAVY_SHARE);
    let Some((heavy, _)) = heavy else {
        return;
    };
    let reason = |what: &str| {
        format!(
            "the most frequent value of {} holds {} of the items; {what}",
            heavy.path,
            percent(heavy.largest)
        )
    };
    let beside = used.iter().find(|(one, _)| {
        one.path != heavy.path
            && one.distinct > u64::from(SUFFIX_NUMBERS)
            && filters.reads_of(&[&heavy.path, &one.path]) > 0.0
    });
    let source = beside.map_or_else(|| PropertyPath::of("id"), |(one, _)| one.path.clone());
    if properties.iter().any(|one| one.path == source) {
        list.add(
            &format!(
                "{{{}}}.{{{}%{SUFFIX_NUMBERS}}}",
                part(&heavy.path),
                part(&source)
            ),
            reason(&format!(
                "a number computed from {source} parts it and can be computed again"
            )),
        );
    }
    list.add(
        &format!("{{{}}}.{{#{SUFFIX_NUMBERS}}}", part(&heavy.path)),
        reason("a random number parts it evenly"),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::units::MICRO;
    use crate::model::{
        Access, Condition, Event, KeyComponent, Log, OperationKind, OptionsKey, Predicate, Shape,
    };
    use serde_json::json;

    fn discovery() -> Discovery {
        let mut discovery = Discovery::default();
        for n in 0..500 {
            discovery.add(&json!({"id": n.to_string(), "tenant": format!("t{}", n % 8), "user": format!("u{}", n % 200), "rare": (n < 10).then_some(1)}));
        }
        discovery
    }

    fn filters(sets: &[(&[&str], u64)]) -> Filters {
        let mut log = Log {
            shapes: vec![Shape {
                kind: OperationKind::Query,
                name: String::new(),
            }],
            ..Log::default()
        };
        for (index, (names, count)) in sets.iter().enumerate() {
            let is = |name: &&str| Predicate::In(PropertyPath::of(name), vec![KeyComponent::Null]);
            log.accesses.push(Access {
                kind: OperationKind::Query,
                shape: 0,
                condition: Condition::Known(Predicate::And(names.iter().map(is).collect())),
                id: None,
                key: OptionsKey::None,
                item: None,
                members: Vec::new(),
            });
            log.events.push(Event {
                time: None,
                access: index as u32,
                weight: count * MICRO,
                charge: None,
                ranges: None,
                bytes: None,
                rate: None,
                transaction: None,
            });
        }
        Filters::of(&log)
    }

    #[test]
    fn the_list_follows_what_operations_fix_and_is_cut() {
        let filters = filters(&[(&["tenant"], 30), (&["tenant", "user"], 60), (&[], 10)]);
        let texts: Vec<String> = propose(&discovery(), &filters, 12)
            .into_iter()
            .map(|one| one.candidate.text)
            .collect();
        for key in [
            "/tenant",
            "/user",
            "/tenant,/user",
            "{/tenant}-{/user}",
            "{/tenant}.{/user%100}",
            "{/tenant}.{#100}",
            "/id",
            "/tenant,/id",
        ] {
            assert!(texts.contains(&key.to_owned()), "{key}: {texts:?}");
        }
        assert_eq!(texts[0], "/tenant");
        assert_eq!(propose(&discovery(), &filters, 3).len(), 3);
    }

    #[test]
    fn without_a_log_the_values_decide() {
        let texts: Vec<String> = propose(&discovery(), &Filters::default(), 12)
            .into_iter()
            .map(|one| one.candidate.text)
            .collect();
        assert_eq!(texts, ["/user", "/id"]);
    }

    #[test]
    fn what_is_not_on_the_list_has_a_reason() {
        let why = |key: &str| {
            let candidate = Candidate::parse(key, KeyVersion::V2).expect(key);
            why_not(&candidate, &discovery(), &filters(&[(&["tenant"], 1)]), 12)
        };
        assert!(why("/rare").is_some_and(|why| why.contains("2%")));
        assert!(why("/nope").is_some_and(|why| why.contains("no item")));
        assert!(why("/user,/tenant").is_some_and(|why| why.contains("0%")));
        assert_eq!(why("/tenant"), None);
    }
}
