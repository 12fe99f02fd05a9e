//! Plain values: paths, definitions, key values and effective partition keys.
//!
//! No input, no output, and no arithmetic beyond units: the other layers give these values meaning.

mod accesses;
mod definition;
pub(crate) mod encoded;
mod epk;
mod events;
mod item;
pub mod limits;
mod operation;
mod path;
mod predicate;
mod predicate_text;
mod texts;
pub mod time;
pub mod units;
mod value;

pub use accesses::{Accesses, each_text};
pub use definition::{KeyDefinition, KeyKind, KeyVersion};
pub use epk::{Epk, EpkRange};
pub use events::Events;
pub use item::{Field, Fields, Item, property};
pub use operation::{Access, Condition, Event, Log, Member, OperationKind, OptionsKey, Shape};
pub use path::{PathError, PropertyPath};
pub use predicate::Predicate;
pub use texts::Texts;
pub use value::{KeyComponent, KeyValue, NotationError};
