//! How far an operation reaches.

/// Where the service sends an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Routing {
    /// Provably to nothing.
    None,
    /// One full key value.
    Single,
    /// A finite set of values, or a prefix of a hierarchy.
    Targeted,
    /// All physical partitions.
    FanOut,
    /// The service refuses it.
    Invalid,
    /// The text cannot be used.
    Unknown,
}

impl Routing {
    /// All classes.
    pub const ALL: [Self; 6] = [
        Self::Single,
        Self::Targeted,
        Self::FanOut,
        Self::None,
        Self::Invalid,
        Self::Unknown,
    ];

    /// The word for it in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Single => "single",
            Self::Targeted => "targeted",
            Self::FanOut => "fan-out",
            Self::Invalid => "invalid",
            Self::Unknown => "unknown",
        }
    }
}
