//! The README shows what the program prints.

#[test]
fn the_readme_shows_what_the_program_prints() {
    trycmd::TestCases::new().case("README.md");
}

#[test]
fn the_table_of_formats_is_that_of_the_program() {
    let readme = include_str!("../README.md");
    for format in pkadvisor::report::format::ALL {
        let row = format!("| `{}` | {} |", format.name(), format.summary());
        assert!(readme.contains(&row), "the README lacks: {row}");
    }
}

#[test]
fn the_configuration_in_the_readme_is_read() {
    let readme = include_str!("../README.md");
    let (_, rest) = readme.split_once("```toml\n").expect("a configuration");
    let (toml, _) = rest.split_once("```").expect("its end");
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir(path("export")).expect("a folder");
    std::fs::create_dir(path("log")).expect("a folder");
    std::fs::write(
        path("export/a.jsonl"),
        "{\"id\":\"1\",\"tenantId\":\"a\"}\n",
    )
    .expect("a file");
    std::fs::write(
        path("log/a.jsonl"),
        "{\"op\":\"read\",\"id\":\"1\",\"pk\":{\"tenantId\":\"a\"}}\n",
    )
    .expect("a file");
    std::fs::write(path("pkadvisor.toml"), toml).expect("a file");
    let output = assert_cmd::cargo::cargo_bin_cmd!("pkadvisor")
        .current_dir(folder.path())
        .args(["check", "--today", "2027-01-01"])
        .output()
        .expect("the program");
    // The design of one tenant is no good one, but it is judged.
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.contains("/tenantId") && errors.is_empty(),
        "{said}{errors}"
    );
}
