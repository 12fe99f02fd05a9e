//! The distinct accesses of a log in little room: what they have in common once, and their texts.

use std::ops::Bound;

use super::texts::Texts;
use super::{Access, Condition, KeyComponent, OptionsKey, Predicate};

/// Distinct accesses, each known by the number of its place.
///
/// An access is a *form* and texts: the form is the access with nothing in place of each text that is
/// an id, or a value of its key or condition. Bodies stay in the form as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Accesses {
    forms: Vec<Access>,
    texts: Texts,
    /// The numbers of the texts of all accesses, one access behind the other.
    places: Vec<u32>,
    /// For each access its form and the first of its places.
    rows: Vec<(u32, u32)>,
}

impl Accesses {
    /// Adds an access; its number.
    pub fn push(&mut self, mut access: Access) -> u32 {
        let mut taken = Vec::new();
        each_text(&mut access, &mut |text| taken.push(std::mem::take(text)));
        let texts: Vec<u32> = taken.iter().map(|text| self.push_text(text)).collect();
        let form = self.push_form(access);
        self.push_row(form, &texts)
    }

    /// Adds a form, its texts taken out; its number.
    fn push_form(&mut self, form: Access) -> u32 {
        self.forms.push(form);
        self.forms.len() as u32 - 1
    }

    /// Adds a text; its number.
    fn push_text(&mut self, text: &str) -> u32 {
        self.texts.push(text)
    }

    /// Adds the access of a form with these texts; its number.
    pub fn push_row(&mut self, form: u32, texts: &[u32]) -> u32 {
        self.rows.push((form, self.places.len() as u32));
        self.places.extend_from_slice(texts);
        self.rows.len() as u32 - 1
    }

    /// Takes the forms and texts that its rows name by number.
    pub fn complete(&mut self, forms: Vec<Access>, mut texts: Texts) {
        texts.shrink();
        self.forms = forms;
        self.texts = texts;
        self.shrink();
    }

    /// Gives back room that is kept for more.
    fn shrink(&mut self) {
        self.places.shrink_to_fit();
        self.rows.shrink_to_fit();
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The access of a number, put together.
    pub fn get(&self, number: u32) -> Access {
        let mut texts = self.texts_of(number).iter();
        let mut access = self.form(number).clone();
        each_text(&mut access, &mut |text| {
            if let Some(number) = texts.next() {
                *text = self.texts.get(*number).into();
            }
        });
        access
    }

    /// All of them, put together one after the other.
    pub fn iter(&self) -> impl Iterator<Item = Access> {
        (0..self.rows.len() as u32).map(|number| self.get(number))
    }

    /// The forms.
    pub fn forms(&self) -> &[Access] {
        &self.forms
    }

    /// The number of the form of an access.
    pub fn form_number(&self, number: u32) -> u32 {
        self.rows[number as usize].0
    }

    /// The form of an access: all but its texts.
    pub fn form(&self, number: u32) -> &Access {
        &self.forms[self.form_number(number) as usize]
    }

    /// The numbers of the texts of an access, in the order of [`each_text`].
    pub fn texts_of(&self, number: u32) -> &[u32] {
        let end = self.rows.get(number as usize + 1);
        let end = end.map_or(self.places.len(), |row| row.1 as usize);
        &self.places[self.rows[number as usize].1 as usize..end]
    }

    /// A text by its number.
    pub fn text(&self, number: u32) -> &str {
        self.texts.get(number)
    }

    /// The id of the item of an access.
    pub fn id(&self, number: u32) -> Option<&str> {
        // It is the first text of all.
        let text = self
            .form(number)
            .id
            .as_ref()
            .and(self.texts_of(number).first())?;
        Some(self.text(*text))
    }
}

impl FromIterator<Access> for Accesses {
    fn from_iter<T: IntoIterator<Item = Access>>(all: T) -> Self {
        let mut accesses = Self::default();
        for access in all {
            accesses.push(access);
        }
        accesses
    }
}

/// Calls `on` with each text of an access that is an id, or a value of its key or condition; the id of
/// the access first.
pub fn each_text(access: &mut Access, on: &mut impl FnMut(&mut Box<str>)) {
    if let Some(id) = &mut access.id {
        on(id);
    }
    in_key(&mut access.key, on);
    if let Condition::Known(condition) = &mut access.condition {
        in_predicate(condition, on);
    }
    for member in &mut access.members {
        if let Some(id) = &mut member.id {
            on(id);
        }
        in_key(&mut member.key, on);
    }
}

fn in_key(key: &mut OptionsKey, on: &mut impl FnMut(&mut Box<str>)) {
    match key {
        OptionsKey::None => {}
        OptionsKey::Components(values) => {
            for value in values {
                in_component(value, on);
            }
        }
        OptionsKey::Properties(values) => {
            for (_, value) in values {
                in_component(value, on);
            }
        }
    }
}

fn in_predicate(predicate: &mut Predicate, on: &mut impl FnMut(&mut Box<str>)) {
    match predicate {
        Predicate::Any | Predicate::Nothing | Predicate::Unknown(..) => {}
        Predicate::In(_, values) => {
            for value in values {
                in_component(value, on);
            }
        }
        Predicate::Range(_, low, high) => {
            for end in [low, high] {
                if let Bound::Included(value) | Bound::Excluded(value) = end {
                    in_component(value, on);
                }
            }
        }
        Predicate::And(conditions) | Predicate::Or(conditions) => {
            for condition in conditions {
                in_predicate(condition, on);
            }
        }
    }
}

fn in_component(component: &mut KeyComponent, on: &mut impl FnMut(&mut Box<str>)) {
    if let KeyComponent::String(text) = component {
        on(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Member, OperationKind, PropertyPath};

    #[test]
    fn accesses_read_back_as_they_were() {
        let text = |text: &str| KeyComponent::String(text.into());
        let path = PropertyPath::of("a");
        let access = Access {
            kind: OperationKind::ReadMany,
            shape: 3,
            condition: Condition::Known(Predicate::And(vec![
                Predicate::In(path.clone(), vec![text("x"), KeyComponent::Null, text("y")]),
                Predicate::Range(path.clone(), Bound::Excluded(text("low")), Bound::Unbounded),
                Predicate::Or(vec![Predicate::In(path.clone(), vec![text("")])]),
            ])),
            id: Some("one".into()),
            key: OptionsKey::Components(vec![text("k"), KeyComponent::Number(1.0)]),
            item: Some(serde_json::json!({"id": "body"})),
            members: vec![Member {
                kind: OperationKind::Read,
                id: Some("two".into()),
                key: OptionsKey::Properties(vec![(path, text("m"))]),
                item: None,
            }],
        };
        let plain = Access {
            members: Vec::new(),
            id: None,
            key: OptionsKey::None,
            ..access.clone()
        };
        let mut accesses = Accesses::default();
        accesses.push(access.clone());
        accesses.push(plain.clone());
        assert_eq!(accesses.iter().collect::<Vec<_>>(), [access, plain]);
        assert_eq!((accesses.id(0), accesses.id(1)), (Some("one"), None));
        assert_eq!(accesses.texts_of(0).len(), 8);
    }
}
