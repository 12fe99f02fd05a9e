//! Commands and templates that create a container with a key. The version is always stated: what
//! leaves it out may get the hash of version 1.

use crate::keys::Candidate;
use crate::model::{KeyKind, KeyVersion};

/// Paths, kind and version as the service names them.
fn definition(candidate: &Candidate) -> (Vec<String>, &'static str, u8) {
    let definition = candidate.definition();
    let kind = match definition.kind {
        KeyKind::Hash => "Hash",
        KeyKind::MultiHash => "MultiHash",
    };
    let version = match definition.version {
        KeyVersion::V1 => 1,
        KeyVersion::V2 => 2,
    };
    let paths = definition.paths.iter().map(ToString::to_string).collect();
    (paths, kind, version)
}

/// Text in the single quotes of a shell.
fn shell(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The command takes one path; a key of several is created through the interface of the resource.
pub(super) fn azure_cli(candidate: &Candidate) -> String {
    let (paths, kind, version) = definition(candidate);
    if paths.len() > 1 {
        let body = serde_json::json!({"properties": {
            "resource": {
                "id": "CONTAINER",
                "partitionKey": {"paths": paths, "kind": kind, "version": version},
            },
            "options": {"throughput": 400},
        }});
        return format!(
            "az rest --method put \\\n  --uri \"https://management.azure.com/subscriptions/$SUBSCRIPTION/resourceGroups/$RESOURCE_GROUP/providers/Microsoft.DocumentDB/databaseAccounts/$ACCOUNT/sqlDatabases/$DATABASE/containers/CONTAINER?api-version=2024-05-15\" \\\n  --body {}\n",
            shell(&body.to_string())
        );
    }
    let paths: Vec<String> = paths.iter().map(|path| shell(path)).collect();
    format!(
        "az cosmosdb sql container create \\\n  --resource-group \"$RESOURCE_GROUP\" --account-name \"$ACCOUNT\" \\\n  --database-name \"$DATABASE\" --name \"$CONTAINER\" \\\n  --partition-key-path {} \\\n  --partition-key-version {version} \\\n  --throughput \"$THROUGHPUT\"\n",
        paths.join(" ")
    )
}

pub(super) fn bicep(candidate: &Candidate) -> String {
    let (paths, kind, version) = definition(candidate);
    let quoted = |path: &String| {
        let path = path
            .replace('\\', "\\\\")
            .replace('\'', "\\'")
            .replace("${", "\\${");
        format!("          '{path}'\n")
    };
    let paths: String = paths.iter().map(quoted).collect();
    format!(
        "resource container 'Microsoft.DocumentDB/databaseAccounts/sqlDatabases/containers@2024-05-15' = {{\n  parent: database\n  name: containerName\n  properties: {{\n    resource: {{\n      id: containerName\n      partitionKey: {{\n        paths: [\n{paths}        ]\n        kind: '{kind}'\n        version: {version}\n      }}\n    }}\n    options: {{\n      throughput: throughput\n    }}\n  }}\n}}\n"
    )
}

pub(super) fn terraform(candidate: &Candidate) -> String {
    let (paths, kind, version) = definition(candidate);
    let quoted = |path: &String| {
        let path = path.replace('\\', "\\\\").replace('"', "\\\"");
        format!("\"{}\"", path.replace("${", "$${").replace("%{", "%%{"))
    };
    let paths: Vec<String> = paths.iter().map(quoted).collect();
    format!(
        "resource \"azurerm_cosmosdb_sql_container\" \"container\" {{\n  name                  = var.container_name\n  resource_group_name   = var.resource_group_name\n  account_name          = var.account_name\n  database_name         = var.database_name\n  partition_key_paths   = [{}]\n  partition_key_kind    = \"{kind}\"\n  partition_key_version = {version}\n  throughput            = var.throughput\n}}\n",
        paths.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_always_stated_and_paths_are_quoted() {
        for (key, paths) in [
            ("/tenantId,/userId", 2),
            ("/\"it's ${x}\"", 1),
            ("{/a}-{/b}", 1),
        ] {
            let candidate = Candidate::parse(key, KeyVersion::V2).expect(key);
            let command = azure_cli(&candidate);
            let states = ["--partition-key-version 2", "\"version\":2"];
            assert!(
                states.iter().any(|version| command.contains(version)),
                "{command}"
            );
            assert!(bicep(&candidate).contains("version: 2"));
            assert!(terraform(&candidate).contains("partition_key_version = 2"));
            assert_eq!(definition(&candidate).0.len(), paths);
        }
        let quoted = Candidate::parse("/\"it's ${x}\"", KeyVersion::V2).expect("a key");
        assert!(azure_cli(&quoted).contains("'\\''"));
        assert!(terraform(&quoted).contains("$${x}"));
    }
}
