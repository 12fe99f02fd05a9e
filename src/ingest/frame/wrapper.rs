//! Objects that are no items but stand around them: pages of the REST API, and an object with one
//! array of objects. Told by the names and the kinds of their members, without reading the array.

use memchr::memmem;

use super::nesting::{Nesting, Stop};

/// What stands between objects line by line, and never in an array.
const LINE_BREAKS: [&[u8]; 2] = [b"}\n{", b"}\r\n{"];

/// An array of items in an object, and where it starts.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// The bracket that opens the array.
    pub(super) at: usize,
    /// Whether it is a page of the REST API.
    pub(super) page: bool,
    /// The name of the array.
    pub(super) name: String,
    /// Whether other arrays of objects stand before it.
    pub(super) others: bool,
}

/// What is known of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// All of it. Another value may stand beside it in the file.
    Whole,
    /// All of it, and it is all that the file holds.
    Alone,
    /// Its start: the file ends in it. Others stand before it.
    Cut,
    /// Its start: the file begins with it and ends in it.
    CutAlone,
    /// Its start: it is longer than an item can be.
    Long,
    /// Its start: it is longer than anything that is held.
    TooLong,
}

/// The array of items in an object that is no item itself.
///
/// A page holds `Documents` and `_rid` or `_count`. Any other object has one array of objects and no
/// `id`; it may have other members when it is all that the file holds, for what stands line by line
/// beside others is rather an item.
pub(super) fn find(object: &[u8], known: Known) -> Option<Found> {
    let (mut id, mut mark, mut others) = (false, false, false);
    let mut documents = None;
    // The arrays of objects: their number, and the last of them.
    let (mut count, mut last) = (0, None);
    for member in members(object) {
        match (member.name, member.kind) {
            (b"id" | b"_id", _) => id = true,
            (b"_rid" | b"_count", Kind::Scalar) => mark = true,
            (b"Documents", Kind::Objects | Kind::Array) => documents = Some(member),
            (_, Kind::Objects) => {
                count += 1;
                last = Some(member);
            }
            _ => others = true,
        }
        // Most items end here, with their first members.
        if known == Known::Whole && (id || (others && documents.is_none())) {
            return None;
        }
    }
    let page = documents.is_some() && mark && !id;
    if let Some(member) = documents.filter(|member| page || member.kind == Kind::Objects) {
        count += 1;
        last = Some(member);
    }
    let member = if page { documents? } else { last? };
    let is_one = match known {
        Known::Whole => !id && !others && count == 1,
        Known::Alone | Known::CutAlone => !id && count == 1,
        Known::Cut => false,
        Known::Long => !id && member.open,
        Known::TooLong => member.open,
    };
    // Where objects follow each other line by line, a bracket of the first one was left open.
    let is_whole = matches!(known, Known::Whole | Known::Alone);
    let rest = &object[member.at..];
    if !is_whole
        && LINE_BREAKS
            .iter()
            .any(|line| memmem::find(rest, line).is_some())
    {
        return None;
    }
    (page || is_one).then(|| Found {
        at: member.at,
        page,
        name: String::from_utf8_lossy(member.name).into_owned(),
        others: count > 1,
    })
}

/// The names of the arrays of objects among the members of an object.
pub(super) fn arrays(object: &[u8]) -> impl Iterator<Item = String> {
    members(object)
        .filter(|member| member.kind == Kind::Objects)
        .map(|member| String::from_utf8_lossy(member.name).into_owned())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Scalar,
    Object,
    /// An array that starts with an object.
    Objects,
    /// Another array.
    Array,
}

#[derive(Clone, Copy)]
struct Member<'a> {
    name: &'a [u8],
    kind: Kind,
    /// Where its value starts.
    at: usize,
    /// Whether the bytes end inside it.
    open: bool,
}

/// The members of an object that may be cut off; ends at what is no JSON.
fn members(object: &[u8]) -> impl Iterator<Item = Member<'_>> {
    let mut at = 1;
    std::iter::from_fn(move || {
        let name_at = skip(object, at, b",");
        let name_end = value_end(object, name_at).ok()?;
        let name = object[name_at..name_end]
            .strip_prefix(b"\"")?
            .strip_suffix(b"\"")?;
        let value_at = skip(object, name_end, b":");
        let kind = match object.get(value_at)? {
            b'{' => Kind::Object,
            b'[' if object.get(skip(object, value_at + 1, b"")) == Some(&b'{') => Kind::Objects,
            b'[' => Kind::Array,
            _ => Kind::Scalar,
        };
        let end = value_end(object, value_at);
        at = end.unwrap_or(object.len());
        Some(Member {
            name,
            kind,
            at: value_at,
            open: end.is_err(),
        })
    })
}

/// The place behind blanks and one of the marks.
fn skip(bytes: &[u8], at: usize, marks: &[u8]) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let blanks = rest
        .iter()
        .position(|byte| !byte.is_ascii_whitespace() && !marks.contains(byte));
    at + blanks.unwrap_or(rest.len())
}

/// The place behind a value; an error where the bytes end in it.
fn value_end(bytes: &[u8], at: usize) -> Result<usize, ()> {
    let rest = bytes.get(at..).unwrap_or_default();
    let length = match rest.first() {
        Some(b'{' | b'[') => match Nesting::default().follow(rest, false) {
            (length, Stop::Closed) => Some(length),
            _ => None,
        },
        Some(b'"') => Nesting::text_end(rest),
        _ => rest
            .iter()
            .position(|byte| matches!(byte, b',' | b'}' | b']') || byte.is_ascii_whitespace()),
    };
    length.map(|length| at + length).ok_or(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(object: &str, known: Known) -> Option<String> {
        find(object.as_bytes(), known).map(|found| {
            assert_eq!(object.as_bytes()[found.at], b'[');
            found.name
        })
    }

    #[test]
    fn a_page_of_the_rest_api_is_told_by_its_names() {
        for page in [
            "{\"_rid\":\"x\",\"Documents\":[{\"id\":\"1\"}],\"_count\":1}",
            "{\"Documents\":[],\"_count\":0}",
            "{ \"_rid\" : \"\" , \"Documents\" : [ 5 ] }",
        ] {
            for known in [Known::Whole, Known::Alone] {
                let found = find(page.as_bytes(), known).expect(page);
                assert!(found.page && found.name == "Documents");
            }
        }
        let item = "{\"id\":\"1\",\"Documents\":[{}],\"_rid\":\"x\"}";
        assert_eq!(name(item, Known::Alone), None);
    }

    #[test]
    fn an_object_around_one_array_is_no_item_unless_it_has_an_id() {
        let some = Some("data".to_owned());
        assert_eq!(name("{\"data\":[{}]}", Known::Whole), some);
        assert_eq!(name("{\"n\":\"[\",\"data\":[ {}]}", Known::Alone), some);
        for (item, known) in [
            ("{\"n\":1,\"data\":[{}]}", Known::Whole),
            ("{\"data\":[1]}", Known::Alone),
            ("{\"data\":[{}],\"id\":\"1\"}", Known::Alone),
            ("{\"data\":[{}],\"_id\":\"1\"}", Known::Whole),
            ("{\"data\":[{}],\"more\":[{}]}", Known::Alone),
            ("{\"data\":{\"x\":[{}]}}", Known::Alone),
            ("{}", Known::Alone),
            ("{\"data\" 1", Known::Alone),
        ] {
            assert_eq!(name(item, known), None, "{item}");
        }
    }

    #[test]
    fn the_start_of_a_long_object_is_enough() {
        let some = Some("data".to_owned());
        assert_eq!(name("{\"n\":1,\"data\":[{\"a\":", Known::Long), some);
        assert_eq!(name("{\"more\":[{}],\"data\":[{", Known::Long), some);
        assert_eq!(name("{\"id\":1,\"data\":[{", Known::Long), None);
        assert_eq!(name("{\"id\":1,\"data\":[{", Known::TooLong), some);
        assert_eq!(name("{\"data\":[{}],\"text\":\"", Known::Long), None);
        assert_eq!(name("{\"data\":[{}],\"te", Known::CutAlone), some);
        assert_eq!(name("{\"data\":[{}],\"te", Known::Cut), None);
        assert_eq!(name("{\"data\":[{}\n{\"id\":1}", Known::CutAlone), None);
        let page = "{\"_rid\":\"\",\"Documents\":[{\"id\":\"1\"},{\"i";
        assert_eq!(name(page, Known::Cut), Some("Documents".to_owned()));
    }
}
