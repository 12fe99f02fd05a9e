//! The rules of the house that no lint knows: one direction of imports, a fixed top level, no file
//! that is not compiled, no print.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The layers; each imports only itself and those before it.
const LAYERS: [&str; 10] = [
    "model", "query", "ingest", "keys", "profile", "propose", "simulate", "assess", "report", "cli",
];

const TOP_LEVEL: [&str; 8] = [
    "Cargo.toml",
    "Cargo.lock",
    "LICENSE",
    "README.md",
    "CHANGELOG.md",
    "samples",
    "src",
    "tests",
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// All Rust files below a folder, with their text.
fn rust_files(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
    {
        if entry.is_dir() {
            files.extend(rust_files(&entry));
        } else if entry.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&entry).expect("a source file");
            files.push((entry, text));
        }
    }
    files.sort();
    files
}

/// The layer names that follow `crate::` in a text, on code lines, nested lists included.
fn imported_layers(text: &str) -> BTreeSet<&str> {
    let code = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.split("crate::").skip(1))
        .map(|rest| {
            rest.split(|c: char| !c.is_alphanumeric() && c != '_')
                .next()
                .unwrap_or_default()
        })
        .filter(|name| LAYERS.contains(name))
        .collect()
}

#[test]
fn each_layer_imports_only_itself_and_those_before_it() {
    let place = |name: &str| {
        LAYERS
            .iter()
            .position(|layer| *layer == name)
            .expect("a layer")
    };
    let mut checked = 0;
    for layer in LAYERS
        .iter()
        .filter(|layer| root().join("src").join(layer).is_dir())
    {
        for (file, text) in rust_files(&root().join("src").join(layer)) {
            assert!(
                !text.contains("crate::{"),
                "{}: name one layer in each import",
                file.display()
            );
            for imported in imported_layers(&text) {
                assert!(
                    place(imported) <= place(layer),
                    "{} imports {imported}",
                    file.display()
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 0, "no import was seen");
}

#[test]
fn every_folder_of_the_source_is_a_layer() {
    for entry in fs::read_dir(root().join("src"))
        .expect("the source")
        .map(|entry| entry.expect("an entry"))
    {
        let name = entry.file_name().into_string().expect("a name");
        assert!(
            LAYERS.contains(&name.as_str()) || ["lib.rs", "main.rs"].contains(&name.as_str()),
            "{name} is no layer"
        );
    }
}

#[test]
fn every_file_is_part_of_its_module() {
    for (file, _) in rust_files(&root().join("src")) {
        let name = file
            .file_stem()
            .and_then(|stem| stem.to_str())
            .expect("a name");
        if ["lib", "main", "mod"].contains(&name) {
            continue;
        }
        let parent =
            fs::read_to_string(file.with_file_name("mod.rs")).expect("a mod.rs beside each file");
        let declared = parent.lines().any(|line| {
            line.trim_end_matches(';').split(' ').next_back() == Some(name) && line.contains("mod ")
        });
        assert!(declared, "{} is declared in no mod.rs", file.display());
    }
}

/// Folders whose `mod.rs` lists all their kinds in a slice `ALL`.
fn registries() -> Vec<PathBuf> {
    let holds = |file: &PathBuf| {
        let text = fs::read_to_string(file).expect("a source file");
        file.ends_with("mod.rs") && text.contains("pub const ALL: &[&dyn ")
    };
    let files = rust_files(&root().join("src"))
        .into_iter()
        .map(|(file, _)| file);
    files
        .filter(holds)
        .map(|file| file.parent().expect("a folder").to_owned())
        .collect()
}

#[test]
fn every_kind_in_a_registry_folder_is_registered() {
    let registries = registries();
    assert!(registries.len() >= 4, "{registries:?}");
    for folder in registries {
        let list = fs::read_to_string(folder.join("mod.rs")).expect("a mod.rs");
        let (_, rest) = list
            .split_once("pub const ALL: &[&dyn ")
            .expect("a registry");
        let (kind, rest) = rest.split_once(']').expect("the type of the registry");
        let (slice, _) = rest.split_once("];").expect("the end of the registry");
        let mut registered = 0;
        for (file, text) in rust_files(&folder) {
            if !text.contains(&format!("impl {kind} for ")) {
                continue;
            }
            // A kind of several files is named by its folder.
            let module = if file.ends_with("mod.rs") {
                file.parent().expect("a folder").to_owned()
            } else {
                file.with_extension("")
            };
            let name = module.file_name().and_then(|name| name.to_str());
            let name = name.expect("a name in UTF-8");
            assert!(
                slice.contains(&format!("&{name}::")),
                "{} holds a {kind} that is not in the registry beside it",
                file.display()
            );
            registered += 1;
        }
        assert!(registered >= 2, "{}", folder.display());
    }
}

#[test]
fn nothing_prints_but_through_the_streams_it_is_given() {
    // The lints warn; this holds also where someone allows them.
    let macros = ["println!", "print!(", "eprint", "dbg!"];
    for (file, text) in rust_files(&root().join("src")) {
        for name in macros {
            assert!(!text.contains(name), "{} uses {name}", file.display());
        }
        let terminal =
            text.contains("io::stdout") || text.contains("io::stderr") || text.contains("std::env");
        let edge = file.starts_with(root().join("src/cli")) || file.ends_with("src/main.rs");
        assert!(
            edge || !terminal,
            "{}: only the command line knows the terminal and the environment",
            file.display()
        );
    }
}

#[test]
fn the_top_level_holds_only_what_is_agreed() {
    for entry in fs::read_dir(root())
        .expect("the package")
        .map(|entry| entry.expect("an entry"))
    {
        let name = entry.file_name().into_string().expect("a name");
        // Build output and what git ignores is not part of the package.
        let ignored =
            name.starts_with('.') || ["target", "proptest-regressions"].contains(&name.as_str());
        assert!(
            ignored || TOP_LEVEL.contains(&name.as_str()),
            "{name} is not in the agreed layout"
        );
    }
}
