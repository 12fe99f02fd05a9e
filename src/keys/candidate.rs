//! A candidate: one key design under test, and the strategy it follows.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::model::{KeyDefinition, KeyKind, KeyVersion, PropertyPath};

/// One key design under test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// The design as it was typed.
    pub text: String,
    /// What stands at each level, one to three for a hierarchy, more only for an old key of several
    /// paths that are hashed together.
    pub levels: Vec<Level>,
    /// How the levels are hashed.
    pub kind: KeyKind,
    /// Version of the hash.
    pub version: KeyVersion,
}

/// One level of a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Level {
    /// The value of a property as it stands.
    Path(PropertyPath),
    /// Text that the application puts together: a synthetic key.
    Template(Vec<Part>),
}

/// One part of a synthetic level.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Part {
    /// Text that stands for itself.
    Text(String),
    /// The value of a property as text, changed by a transform.
    Value(PropertyPath, Option<Transform>),
    /// A number drawn for each item from 1 up to this.
    RandomSuffix(u32),
    /// A number computed from the value of a property, from 1 up to this.
    PrecomputedSuffix(PropertyPath, u32),
}

/// What a template does to a value before it becomes text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Transform {
    /// A moment cut to a unit, in UTC.
    Time(TimeUnit),
    /// The first characters.
    First(u32),
    /// The last characters.
    Last(u32),
    /// Lower case.
    Lower,
    /// Upper case.
    Upper,
}

/// The unit a moment is cut to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TimeUnit {
    /// `2013`
    Year,
    /// `2013-07`
    Month,
    /// `2013-07-08`
    Day,
    /// `2013-07-08T09`
    Hour,
    /// `2013-07-08T09:05`
    Minute,
}

/// How a candidate spreads its items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// One property, or an old key of several.
    Single,
    /// Levels of a hierarchical key.
    Hierarchical,
    /// Text put together from properties.
    Synthetic,
    /// A suffix drawn at random.
    RandomSuffix,
    /// A suffix computed from a property.
    PrecomputedSuffix,
}

impl Strategy {
    /// All strategies, the simplest first.
    pub const ALL: [Self; 5] = [
        Self::Single,
        Self::Hierarchical,
        Self::Synthetic,
        Self::RandomSuffix,
        Self::PrecomputedSuffix,
    ];

    /// What it is, in one line.
    pub fn summary(self) -> &'static str {
        match self {
            Self::Single => "the value of one property: /tenantId",
            Self::Hierarchical => "two or three levels, each hashed by itself: /tenantId,/userId",
            Self::Synthetic => "text put together from properties: {/deviceId}-{/ts|day}",
            Self::RandomSuffix => "a number drawn for each item: {/date}.{#400}",
            Self::PrecomputedSuffix => "a number computed from a property: {/date}.{/vin%400}",
        }
    }

    /// The word for it in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Hierarchical => "hierarchical",
            Self::Synthetic => "synthetic",
            Self::RandomSuffix => "random suffix",
            Self::PrecomputedSuffix => "precomputed suffix",
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Candidate {
    /// Whether another one gives each item the same key, however it is written.
    pub fn makes_same_keys(&self, other: &Self) -> bool {
        (&self.levels, self.kind, self.version) == (&other.levels, other.kind, other.version)
    }

    /// Whether it is one that can be typed or stands in a definition, as one from a file may not be.
    pub(crate) fn is_sound(&self) -> bool {
        let is_suffix_of_none =
            |part: &Part| matches!(part, Part::RandomSuffix(0) | Part::PrecomputedSuffix(_, 0));
        let is_sound = |level: &Level| match level {
            Level::Path(_) => true,
            Level::Template(parts) => !parts.is_empty() && !parts.iter().any(is_suffix_of_none),
        };
        !self.levels.is_empty() && self.levels.iter().all(is_sound)
    }

    /// The strategy: a suffix anywhere names it, then the hierarchy, then any template.
    pub fn strategy(&self) -> Strategy {
        let parts = || self.levels.iter().flat_map(Level::parts);
        if parts().any(|part| matches!(part, Part::RandomSuffix(_))) {
            Strategy::RandomSuffix
        } else if parts().any(|part| matches!(part, Part::PrecomputedSuffix(..))) {
            Strategy::PrecomputedSuffix
        } else if self.kind == KeyKind::MultiHash {
            Strategy::Hierarchical
        } else if self
            .levels
            .iter()
            .any(|level| matches!(level, Level::Template(_)))
        {
            Strategy::Synthetic
        } else {
            Strategy::Single
        }
    }

    /// What the container would be created with. A template stands as the one property that holds
    /// its text: `/partitionKey`, or `/partitionKey1` and so on where there are several.
    pub fn definition(&self) -> KeyDefinition {
        let templates = self
            .levels
            .iter()
            .filter(|level| matches!(level, Level::Template(_)))
            .count();
        let mut number = 0;
        let paths = self.levels.iter().map(|level| match level {
            Level::Path(path) => path.clone(),
            Level::Template(_) if templates == 1 => PropertyPath::of("partitionKey"),
            Level::Template(_) => {
                number += 1;
                PropertyPath::of(&format!("partitionKey{number}"))
            }
        });
        KeyDefinition {
            paths: paths.collect(),
            kind: self.kind,
            version: self.version,
        }
    }

    /// The properties that the key is made of, each once, in order of appearance.
    pub fn sources(&self) -> Vec<&PropertyPath> {
        let mut sources = Vec::new();
        for path in self.levels.iter().flat_map(Level::sources) {
            if !sources.contains(&path) {
                sources.push(path);
            }
        }
        sources
    }
}

impl Level {
    fn parts(&self) -> &[Part] {
        match self {
            Self::Path(_) => &[],
            Self::Template(parts) => parts,
        }
    }

    /// The properties that the level is made of, in order of appearance.
    pub fn sources(&self) -> Vec<&PropertyPath> {
        match self {
            Self::Path(path) => vec![path],
            Self::Template(parts) => parts.iter().filter_map(Part::source).collect(),
        }
    }
}

impl Part {
    /// The property that the part is made of.
    pub fn source(&self) -> Option<&PropertyPath> {
        match self {
            Self::Value(path, _) | Self::PrecomputedSuffix(path, _) => Some(path),
            Self::Text(_) | Self::RandomSuffix(_) => None,
        }
    }
}
