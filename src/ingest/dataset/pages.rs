//! Objects that the service puts around items in its answers, where they stand among items: whole
//! pages, rows that were still to be sorted, versions of a change feed.

use serde_json::{Map, Value};

use crate::ingest::problem::Reason;

/// What an object of a file is.
pub(super) enum Row {
    /// An item, as it stands.
    Item(Value),
    /// Items that stood in it, and what it was.
    Opened(Vec<Value>, Reason),
    /// No item, why, and the particulars.
    None(Reason, &'static str),
}

/// Opens an object if the service put it around items. Nothing with an `id` is opened.
pub(super) fn open(mut object: Map<String, Value>) -> Row {
    if object.contains_key("id") {
        return Row::Item(Value::Object(object));
    }
    let is_page = object.contains_key("_count") || object.contains_key("_rid");
    if is_page && let Some(Value::Array(items)) = object.get_mut("Documents") {
        return Row::Opened(std::mem::take(items), Reason::Envelope);
    }
    if object.contains_key("groupByItems") {
        return Row::None(Reason::QueryResult, "a group of a GROUP BY");
    }
    if object.contains_key("orderByItems")
        && let Some(payload) = object.get_mut("payload")
    {
        return Row::Opened(vec![payload.take()], Reason::SortedPage);
    }
    let names = ["current", "metadata", "previous"];
    let is_version = object.len() > 1 && object.contains_key("metadata");
    if is_version && object.keys().all(|name| names.contains(&name.as_str())) {
        return match object.remove("current") {
            Some(Value::Object(current)) if !current.is_empty() => {
                Row::Opened(vec![Value::Object(current)], Reason::ChangeFeed)
            }
            _ => Row::None(
                Reason::Deletion,
                "a version of a change feed without an item",
            ),
        };
    }
    Row::Item(Value::Object(object))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(value: Value) -> (Vec<Value>, Option<Reason>) {
        let Value::Object(object) = value else {
            panic!("an object");
        };
        match open(object) {
            Row::Item(item) => (vec![item], None),
            Row::Opened(items, reason) => (items, Some(reason)),
            Row::None(reason, _) => (Vec::new(), Some(reason)),
        }
    }

    #[test]
    fn what_the_service_put_around_items_is_opened() {
        let item = json!({"id": "1"});
        for (object, reason) in [
            (
                json!({"_rid": "", "Documents": [item], "_count": 1}),
                Reason::Envelope,
            ),
            (
                json!({"_rid": "x", "orderByItems": [{"item": 1}], "payload": item}),
                Reason::SortedPage,
            ),
            (
                json!({"current": item, "previous": {}, "metadata": {"lsn": 1}}),
                Reason::ChangeFeed,
            ),
        ] {
            assert_eq!(of(object), (vec![item.clone()], Some(reason)));
        }
        for (object, reason) in [
            (
                json!({"groupByItems": [{"item": 1}], "payload": {"n": 5}}),
                Reason::QueryResult,
            ),
            (
                json!({"current": {}, "metadata": {"operationType": "delete"}}),
                Reason::Deletion,
            ),
        ] {
            assert_eq!(of(object), (vec![], Some(reason)));
        }
    }

    #[test]
    fn items_with_such_names_stay_items() {
        for item in [
            json!({"id": "1", "Documents": [], "_rid": "x"}),
            json!({"Documents": [{"id": "1"}]}),
            json!({"payload": {}}),
            json!({"metadata": {}}),
            json!({"current": {}, "metadata": {}, "more": 1}),
        ] {
            assert_eq!(of(item.clone()), (vec![item], None));
        }
    }
}
