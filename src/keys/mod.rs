//! Partition keys: the grammar of candidates, their values and the effective partition key.

mod binary;
mod candidate;
mod condition;
mod container;
mod effective;
mod grammar;
mod layout;
mod maker;
mod murmur;
mod ranges;
mod selection;
mod text;
mod value;

pub use candidate::{Candidate, Level, Part, Strategy, TimeUnit, Transform};
pub use condition::{fixed_paths, fixed_values, meets};
pub use container::ContainerError;
pub use effective::{effective_key, key_range};
pub use grammar::GrammarError;
pub use layout::{Layout, midpoint};
pub use maker::{KeyMaker, LevelHashes, MadeKey};
pub use ranges::RangesError;
pub use selection::{KeySelection, VALUES_MAX_DEFAULT};
pub use value::{ItemKey, random_seed_of, random_seed_of_text};
