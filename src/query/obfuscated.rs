//! Statements whose names the service has masked in its logs.

/// Whether the text is one of which a log keeps the form and masks the names: every property is a
/// letter with numbers, such as `c.p1__10`.
pub fn is_obfuscated(text: &str) -> bool {
    let mut names = property_names(text).peekable();
    names.peek().is_some() && names.all(is_masked)
}

/// The names that stand behind a dot or in brackets.
fn property_names(text: &str) -> impl Iterator<Item = &str> {
    let dotted = text.split('.').skip(1).map(|rest| {
        let end = rest
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        &rest[..end]
    });
    let starts_like_a_name =
        |name: &&str| name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    dotted.filter(starts_like_a_name)
}

/// `p1__10`: a letter, a number, two underscores, a number.
fn is_masked(name: &str) -> bool {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let masked = name
        .strip_prefix('p')
        .and_then(|rest| rest.split_once("__"));
    masked.is_some_and(|(first, second)| number(first) && number(second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masked_names_are_told_from_those_of_people() {
        for text in [
            "SELECT * FROM c WHERE (c.p1__10 != true)",
            "SELECT c.p1__4.p2__7 FROM c",
        ] {
            assert!(is_obfuscated(text), "{text}");
        }
        for text in [
            "SELECT * FROM c WHERE c.p1 = 1",
            "SELECT * FROM c",
            "SELECT * FROM c WHERE c.p1__10 = c.tenantId",
            "SELECT 1.5",
        ] {
            assert!(!is_obfuscated(text), "{text}");
        }
    }
}
