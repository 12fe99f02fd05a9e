//! Plain values: paths, definitions, key values and effective partition keys.
//!
//! No input, no output, and no arithmetic beyond units: the other layers give these values meaning.

mod definition;
mod epk;
mod item;
pub mod limits;
mod operation;
mod path;
mod predicate;
mod predicate_text;
pub mod time;
pub mod units;
mod value;

pub use definition::{KeyDefinition, KeyKind, KeyVersion};
pub use epk::{Epk, EpkRange};
pub use item::{Field, Fields, Item, property};
pub use operation::{Access, Condition, Event, Log, Member, OperationKind, OptionsKey, Shape};
pub use path::{PathError, PropertyPath};
pub use predicate::Predicate;
pub use value::{KeyComponent, KeyValue, NotationError};
