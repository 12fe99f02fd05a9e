//! The address of a request: `/dbs/<database>/colls/<container>/docs/<id>`.

/// What an address names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Address {
    pub(super) database: Option<String>,
    pub(super) container: Option<String>,
    /// Whether it names an item, or the items of a container.
    pub(super) items: bool,
    /// Whether it names something else in a container, such as a stored procedure.
    pub(super) other: bool,
    /// The id of the item.
    pub(super) id: Option<String>,
}

impl Address {
    /// Reads an address; `None` where the text is none. One made of internal identifiers names
    /// nothing that a user knows.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.trim().split('/').filter(|part| !part.is_empty());
        if parts.next()? != "dbs" {
            return None;
        }
        let mut address = Self {
            database: parts.next().map(decoded),
            ..Self::default()
        };
        if parts.next() != Some("colls") {
            return Some(address);
        }
        address.container = parts.next().map(decoded);
        match parts.next() {
            Some("docs") => {
                address.items = true;
                address.id = parts.next().map(decoded);
            }
            Some(_) => address.other = true,
            None => {}
        }
        if address.is_internal() {
            address.database = None;
            address.container = None;
            address.id = None;
        }
        Some(address)
    }

    /// Whether it is made of the service's identifiers: 4 bytes and 8 bytes as base64.
    fn is_internal(&self) -> bool {
        let is = |part: &Option<String>, length: usize, end: &str| {
            part.as_ref()
                .is_some_and(|text| text.len() == length && text.ends_with(end))
        };
        is(&self.database, 8, "==") && is(&self.container, 12, "=")
    }
}

/// A text with its percent signs decoded, or as it stands where they encode no text.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digit = |offset: usize| {
            let digit = bytes.get(at + offset).copied().map(char::from)?;
            digit.to_digit(16)
        };
        match (bytes[at], digit(1), digit(2)) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                at += 3;
            }
            (byte, ..) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> Option<String> {
        Address::parse(text).expect("an address").id
    }

    #[test]
    fn ids_stand_behind_docs_and_are_decoded() {
        assert_eq!(
            id("/dbs/shop/colls/orders/docs/o-1"),
            Some("o-1".to_owned())
        );
        assert_eq!(
            id("dbs/shop/colls/orders/docs/a%20b%C3%A9/"),
            Some("a bé".to_owned())
        );
        assert_eq!(
            id("/dbs/shop/colls/orders/docs/100%"),
            Some("100%".to_owned())
        );
        assert_eq!(
            id("/dbs/shop/colls/orders/docs/%ff"),
            Some("%ff".to_owned())
        );
        assert_eq!(id("/dbs/shop/colls/orders/docs"), None);
        let orders = Address::parse("/dbs/shop/colls/orders").expect("an address");
        assert_eq!(orders.container.as_deref(), Some("orders"));
        assert!(!orders.items);
        assert!(
            Address::parse("/dbs/s/colls/o/sprocs/p")
                .expect("an address")
                .other
        );
    }

    #[test]
    fn internal_addresses_name_nothing() {
        let address =
            Address::parse("dbs/AbCdAA==/colls/AbCdAKxyz1A=/docs/AbCdAKxyz1ABAAAAAAAAAA==")
                .expect("an address");
        assert_eq!((&address.container, &address.id), (&None, &None));
        assert!(address.items);
        assert_eq!(Address::parse("/SUBSCRIPTIONS/0/RESOURCEGROUPS/R"), None);
        assert_eq!(Address::parse(""), None);
    }
}
