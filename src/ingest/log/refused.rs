//! Forms that are recognised and hold too little: refused by name, with what to do instead.

use super::explain::FileNotes;
use super::resource::Category;

/// A form that is refused.
pub(super) struct Refusal {
    /// What it is.
    pub(super) form: &'static str,
    /// The way out.
    pub(super) remedy: &'static str,
}

/// The refusal of a file that starts with these bytes, where there is one.
pub(super) fn of_head(head: &[u8]) -> Option<Refusal> {
    let holds = |text: &str| head.windows(text.len()).any(|part| part == text.as_bytes());
    let diagnostics = "it tells neither keys nor texts: log the operations themselves (id, key, query and parameters), or export the resource logs with full-text query on";
    if head.starts_with(b"Obj\x01") {
        return Some(Refusal {
            form: "Avro, as an event hub captures it",
            remedy: "convert it to JSON Lines first, for example: avro-tools tojson in.avro > out.jsonl",
        });
    }
    if holds("\"responseStatisticsList\"") {
        return Some(Refusal {
            form: "diagnostics of the Java SDK",
            remedy: diagnostics,
        });
    }
    if holds("\"Summary\"") && (holds("\"children\"") || holds("\"DirectCalls\"")) {
        return Some(Refusal {
            form: "diagnostics of the .NET SDK",
            remedy: diagnostics,
        });
    }
    None
}

/// The refusal of a file whose rows all tell of something else.
pub(super) fn of_rows(notes: &FileNotes) -> Option<Refusal> {
    if !notes.is_without_access() {
        return None;
    }
    if notes.count_of(Category::AccountChanges) > 0 {
        return Some(Refusal {
            form: "a log of account changes (ControlPlaneRequests)",
            remedy: "export the category DataPlaneRequests, with QueryRuntimeStatistics and PartitionKeyRUConsumption",
        });
    }
    if notes.count_of(Category::OtherInterfaces) > 0 {
        return Some(Refusal {
            form: "a log of another interface than that for NoSQL",
            remedy: "partition keys of other interfaces are not judged here",
        });
    }
    None
}
