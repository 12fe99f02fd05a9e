//! The key of an existing container, from the JSON that the service's tools print.

use serde_json::Value;

use super::candidate::{Candidate, Level};
use crate::model::limits::HIERARCHY_LEVELS_MAX;
use crate::model::{KeyKind, KeyVersion, PathError, PropertyPath};

/// Why a JSON text does not give the key of a container.
#[derive(Debug, thiserror::Error)]
pub enum ContainerError {
    /// The text is no JSON.
    #[error("not JSON")]
    Json(#[from] serde_json::Error),
    /// No `partitionKey` object with `paths` stands anywhere in it.
    #[error(
        "no 'partitionKey' object with 'paths' in it; expected an ARM template, the output of 'az cosmosdb sql container show' or a container of the REST API"
    )]
    Missing,
    /// Several containers with different keys stand in it.
    #[error("{0} containers with different keys in it; keep one")]
    Several(usize),
    /// A path of it is none.
    #[error("a path of the partition key is wrong")]
    Path(#[from] PathError),
    /// Kind, version or number of paths that the tool cannot lay out.
    #[error("{0}")]
    Unsupported(String),
}

impl Candidate {
    /// The key of the one container in a JSON text, kind and version as they stand there; a version
    /// that is absent is 1 for kind Hash, as the service reads it.
    pub fn from_container(text: &str, json: &str) -> Result<Self, ContainerError> {
        let document: Value = serde_json::from_str(json)?;
        let mut found = Vec::new();
        collect(&document, &mut found);
        match found[..] {
            [] => Err(ContainerError::Missing),
            [definition] => Self::from_definition(text, definition),
            _ => Err(ContainerError::Several(found.len())),
        }
    }

    fn from_definition(text: &str, definition: &Value) -> Result<Self, ContainerError> {
        let unsupported = |message: String| Err(ContainerError::Unsupported(message));
        let paths: Option<Vec<&str>> = definition["paths"]
            .as_array()
            .map(|paths| paths.iter().filter_map(Value::as_str).collect());
        let paths = paths
            .filter(|paths| !paths.is_empty())
            .ok_or(ContainerError::Missing)?;
        let levels: Vec<Level> = paths
            .iter()
            .map(|path| PropertyPath::parse(path).map(Level::Path))
            .collect::<Result<_, _>>()?;
        let kind = match definition["kind"].as_str() {
            None | Some("Hash") => KeyKind::Hash,
            Some("MultiHash") => KeyKind::MultiHash,
            Some(other) => {
                return unsupported(format!(
                    "a partition key of kind {other} is not supported; it must be Hash or MultiHash"
                ));
            }
        };
        let version = match (&definition["version"], kind) {
            (Value::Null, KeyKind::Hash) => KeyVersion::V1,
            (Value::Number(number), KeyKind::Hash) if number.as_u64() == Some(1) => KeyVersion::V1,
            (Value::Number(number), _) if number.as_u64() == Some(2) => KeyVersion::V2,
            (Value::Null, KeyKind::MultiHash) => KeyVersion::V2,
            (other, _) => {
                return unsupported(format!(
                    "version {other} does not go with this kind of partition key"
                ));
            }
        };
        if kind == KeyKind::MultiHash && levels.len() > HIERARCHY_LEVELS_MAX {
            return unsupported(format!(
                "a hierarchical key has at most {HIERARCHY_LEVELS_MAX} levels"
            ));
        }
        Ok(Self {
            text: text.to_owned(),
            levels,
            kind,
            version,
        })
    }
}

/// Gathers the different partition key objects of a document, in order. The depth is that of the
/// JSON reader, which bounds it.
fn collect<'a>(value: &'a Value, found: &mut Vec<&'a Value>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let here = name == "partitionKey" && member["paths"].is_array();
                if here && !found.contains(&member) {
                    found.push(member);
                }
                if !here {
                    collect(member, found);
                }
            }
        }
        Value::Array(elements) => elements.iter().for_each(|element| collect(element, found)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::Strategy;

    fn read(json: &str) -> Result<Candidate, ContainerError> {
        Candidate::from_container("@c.json", json)
    }

    #[test]
    fn the_forms_of_the_tools_are_read_with_kind_and_version_as_they_stand() {
        let arm = r#"{"resources":[{"properties":{"resource":{"id":"c","partitionKey":{"paths":["/a","/b"],"kind":"MultiHash","version":2}}}}]}"#;
        let candidate = read(arm).expect("an ARM template");
        assert_eq!(
            (
                candidate.strategy(),
                candidate.version,
                candidate.levels.len()
            ),
            (Strategy::Hierarchical, KeyVersion::V2, 2)
        );
        let az = r#"{"name":"c","resource":{"partitionKey":{"paths":["/a"],"kind":"Hash"}}}"#;
        assert_eq!(read(az).expect("az").version, KeyVersion::V1);
        let rest = r#"{"id":"c","partitionKey":{"paths":["/a","/b"],"kind":"Hash","version":2}}"#;
        let candidate = read(rest).expect("REST");
        assert_eq!(
            (candidate.kind, candidate.strategy()),
            (KeyKind::Hash, Strategy::Single)
        );
    }

    #[test]
    fn what_is_no_single_container_is_refused() {
        assert!(matches!(read("{"), Err(ContainerError::Json(_))));
        assert!(matches!(
            read("{\"partitionKey\":{}}"),
            Err(ContainerError::Missing)
        ));
        assert!(matches!(
            read("{\"partitionKey\":{\"paths\":[]}}"),
            Err(ContainerError::Missing)
        ));
        let two = r#"[{"partitionKey":{"paths":["/a"]}},{"partitionKey":{"paths":["/b"]}}]"#;
        assert!(matches!(read(two), Err(ContainerError::Several(2))));
        let range = r#"{"partitionKey":{"paths":["/a"],"kind":"Range"}}"#;
        assert!(matches!(read(range), Err(ContainerError::Unsupported(_))));
        let old = r#"{"partitionKey":{"paths":["/a","/b"],"kind":"MultiHash","version":1}}"#;
        assert!(matches!(read(old), Err(ContainerError::Unsupported(_))));
        assert!(matches!(
            read(r#"{"partitionKey":{"paths":["a"]}}"#),
            Err(ContainerError::Path(_))
        ));
    }
}
