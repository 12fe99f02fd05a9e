//! The names that objects were seen to have, in the order in which they stood: the next item most
//! likely has the same, so that each name is found by one comparison.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHasher;

use super::super::names::{self, Keeping, PropertyNames};
use super::super::size::SYSTEM_PROPERTIES;
use super::{Scanner, Stop};
use crate::model::Fields;

/// Names that are known of each object; objects with more are rather maps, whose names are values.
const NAMES_MAX: usize = 256;

/// Objects whose names are known.
const SHAPES_MAX: usize = 4096;

/// Names of one object that are compared with each other; objects with more are read in full.
const STRANGERS_MAX: usize = 1024;

/// Names of what the service puts around items, which no item without an `id` has.
const MARKS: [&str; 4] = ["Documents", "groupByItems", "orderByItems", "metadata"];

/// The shapes of the items, each object in them with a number.
pub(super) struct Shapes {
    shapes: Vec<Shape>,
    /// Names of items that were read in full, and of shapes that are full.
    pub(super) names: PropertyNames,
}

/// The names of one object.
#[derive(Default)]
struct Shape {
    members: Vec<Member>,
    /// Where the object stands, where the names in it are kept.
    path: Option<Vec<Box<str>>>,
    /// Whether its names were handed on, as there are too many.
    is_full: bool,
}

struct Member {
    name: Box<str>,
    met: Met,
    /// Whether an item had it; wanted ones are known before.
    seen: bool,
}

/// A name that is known.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Met {
    /// The number of the field, where it is wanted.
    pub(super) slot: Option<usize>,
    /// The shape of the object that it holds.
    pub(super) inner: Option<usize>,
    /// The shape of the objects in the array that it holds.
    pub(super) elements: Option<usize>,
    /// Whether the service writes it.
    pub(super) is_system: bool,
    /// Whether it is the id of the item.
    pub(super) is_id: bool,
    /// Whether it is a name of what the service puts around items.
    pub(super) is_mark: bool,
}

impl Shapes {
    /// The shape of the item itself.
    pub(super) const ROOT: usize = 0;

    /// Knows the names of the wanted fields.
    pub(super) fn new(fields: &Arc<Fields>) -> Self {
        let mut shapes = Self {
            shapes: vec![Shape {
                path: Some(Vec::new()),
                ..Shape::default()
            }],
            names: PropertyNames::default(),
        };
        for (slot, path) in fields.paths().iter().enumerate() {
            let names: Vec<&str> = path.segments().collect();
            let (mut at, mut index) = (Self::ROOT, 0);
            for (depth, name) in names.iter().enumerate() {
                let known = shapes.shapes[at].members.iter();
                let place = known.clone().position(|member| &*member.name == *name);
                index = place.unwrap_or_else(|| {
                    let end = shapes.shapes[at].members.len();
                    shapes.learn(at, end, name);
                    end
                });
                if depth + 1 < names.len() {
                    at = shapes.inner(at, index);
                }
            }
            shapes.shapes[at].members[index].met.slot = Some(slot);
        }
        shapes
    }

    /// The shape of the object that a member holds, which is made where there is none.
    fn inner(&mut self, shape: usize, index: usize) -> usize {
        if let Some(inner) = self.shapes[shape].members[index].met.inner {
            return inner;
        }
        let member = &self.shapes[shape].members[index];
        let outer = self.shapes[shape].path.as_ref();
        let path = outer.map(|path| [path.as_slice(), std::slice::from_ref(&member.name)].concat());
        let new = self.add(path.filter(|path| path.len() < names::DEPTH_MAX));
        self.shapes[shape].members[index].met.inner = Some(new);
        new
    }

    fn add(&mut self, path: Option<Vec<Box<str>>>) -> usize {
        self.shapes.push(Shape {
            path,
            ..Shape::default()
        });
        self.shapes.len() - 1
    }

    fn insert(&mut self, shape: usize, index: usize, name: &str) {
        let is_root = shape == Self::ROOT;
        let met = Met {
            is_system: is_root && SYSTEM_PROPERTIES.contains(&name),
            is_id: is_root && name == "id",
            is_mark: is_root && MARKS.contains(&name),
            ..Met::default()
        };
        let member = Member {
            name: name.into(),
            met,
            seen: false,
        };
        self.shapes[shape].members.insert(index, member);
    }

    /// Knows a name from now on that was met behind so many others.
    fn learn(&mut self, shape: usize, index: usize, name: &str) {
        self.insert(shape, index, name);
        let outer = self.shapes[shape].path.as_ref();
        let names_kept = outer.is_some_and(|path| path.len() + 1 < names::DEPTH_MAX);
        let has_room = self.shapes.len() < SHAPES_MAX;
        if has_room || names_kept {
            self.inner(shape, index);
        }
        if has_room {
            let elements = self.add(None);
            self.shapes[shape].members[index].met.elements = Some(elements);
        }
    }

    /// What becomes of a name that cannot be known, as too many are.
    fn keeping(&mut self, shape: usize, name: &str) -> Keeping {
        if !std::mem::replace(&mut self.shapes[shape].is_full, true) {
            self.hand_on(shape);
        }
        let path = self.shapes[shape].path.as_ref();
        path.map_or(Keeping::No, |path| self.names.keeping(path, name))
    }

    /// Notes that an item had these names.
    pub(super) fn note(&mut self, fresh: &[(usize, usize)]) {
        for (shape, index) in fresh {
            self.shapes[*shape].members[*index].seen = true;
        }
    }

    /// Adds the names of a shape to those that are kept.
    fn hand_on(&mut self, shape: usize) {
        let shape = &self.shapes[shape];
        let Some(path) = &shape.path else { return };
        for member in shape.members.iter().filter(|member| member.seen) {
            self.names.add_at(path, &member.name);
        }
    }

    /// All names.
    pub(super) fn into_names(mut self) -> PropertyNames {
        for shape in 0..self.shapes.len() {
            self.hand_on(shape);
        }
        self.names
    }
}

/// What an object met so far.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor {
    /// The shape of the object.
    pub(super) shape: usize,
    /// The name that most likely comes next.
    pub(super) next: usize,
    /// All names that were met stand before this one.
    pub(super) behind: usize,
    /// Where the names that the object met start among all.
    pub(super) met_before: usize,
}

impl Scanner {
    /// Finds a name among those of a shape; `None` where it cannot be known.
    pub(super) fn meet(&mut self, cursor: &mut Cursor, name: &str) -> Result<Option<Met>, Stop> {
        let members = &mut self.shapes.shapes[cursor.shape].members;
        let is_it = |member: &Member| *member.name == *name;
        let ahead = members.iter().skip(cursor.next).position(is_it);
        let found = match ahead {
            Some(ahead) => Some(cursor.next + ahead),
            None => members.iter().take(cursor.next).position(is_it),
        };
        if let Some(index) = found {
            let number = index as u16;
            if index < cursor.behind && self.met[cursor.met_before..].contains(&number) {
                return Err(Stop::Odd);
            }
            cursor.next = index + 1;
            cursor.behind = cursor.behind.max(index + 1);
            self.met.push(number);
            if !members[index].seen {
                self.fresh.push((cursor.shape, index));
            }
            return Ok(Some(members[index].met));
        }
        if name.starts_with('$') {
            return Err(Stop::Odd);
        }
        if members.len() < NAMES_MAX {
            self.shapes.learn(cursor.shape, cursor.next, name);
            return Err(Stop::Learned);
        }
        match self.shapes.keeping(cursor.shape, name) {
            Keeping::New => Err(Stop::Odd),
            Keeping::Known | Keeping::No => Ok(None),
        }
    }

    /// Whether the names inside a member that cannot be known are kept.
    pub(super) fn keeps_inside(&mut self, shape: usize, name: &str) -> bool {
        self.shapes.keeping(shape, name) == Keeping::Known
    }

    /// Notes a name that is not known, of the object whose strangers start at a place.
    pub(super) fn stranger(&mut self, name: &str, from: usize) -> Result<(), Stop> {
        let mut hasher = FxHasher::default();
        name.hash(&mut hasher);
        let hash = hasher.finish();
        let strangers = &self.strangers[from..];
        if strangers.len() == STRANGERS_MAX || strangers.contains(&hash) {
            return Err(Stop::Odd);
        }
        self.strangers.push(hash);
        Ok(())
    }
}
