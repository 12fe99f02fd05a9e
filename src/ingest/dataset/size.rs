//! The size of an item as the service stores it.

use std::io::{self, Write};

use serde_json::Value;

/// Properties that the service writes into each item; exports hold them or not, so they never count.
pub const SYSTEM_PROPERTIES: [&str; 5] = ["_rid", "_self", "_etag", "_attachments", "_ts"];

/// UTF-8 bytes of an item's compact JSON without the system properties.
pub fn item_bytes(item: &Value) -> u64 {
    let Value::Object(members) = item else {
        return json_bytes(item);
    };
    let own = members
        .iter()
        .filter(|(name, _)| !SYSTEM_PROPERTIES.contains(&name.as_str()));
    // Each member is "name":value, with commas between them.
    let (count, bytes) = own.fold((0_u64, 0), |(count, bytes), (name, value)| {
        (count + 1, bytes + json_bytes(name) + 1 + json_bytes(value))
    });
    2 + bytes + count.saturating_sub(1)
}

fn json_bytes(value: &(impl serde::Serialize + ?Sized)) -> u64 {
    let mut counter = Counter(0);
    // Neither counting nor a value that came from JSON can fail.
    let written = serde_json::to_writer(&mut counter, value);
    debug_assert!(written.is_ok());
    counter.0
}

/// Counts what is written to it.
struct Counter(u64);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn size_is_that_of_the_compact_text_without_system_properties() {
        let item: Value = serde_json::from_str(
            "{ \"id\" : \"\\u00e9\", \"_ts\":1,\"_etag\":\"x\",\"_own\":[1, null] }",
        )
        .expect("an item");
        assert_eq!(
            item_bytes(&item),
            "{\"id\":\"é\",\"_own\":[1,null]}".len() as u64
        );
        assert_eq!(item_bytes(&json!({})), 2);
    }
}
