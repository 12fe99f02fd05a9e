//! The README shows what the program prints.

#[test]
fn the_readme_shows_what_the_program_prints() {
    trycmd::TestCases::new().case("README.md");
}
