//! The parser against what the service's engine accepts and refuses.

use pkadvisor::query::parse;
use serde_json::Value;

#[test]
#[ignore = "needs the conformance data (PKADVISOR_CONFORMANCE)"]
fn conformance_queries_are_accepted_and_refused_as_by_the_engine() {
    let folder = std::env::var("PKADVISOR_CONFORMANCE")
        .expect("PKADVISOR_CONFORMANCE names the folder of the rows");
    let text =
        std::fs::read_to_string(format!("{folder}/sql_parse.jsonl")).expect("the rows can be read");
    let mut wrong = Vec::new();
    assert!(text.lines().count() >= 1001);
    for row in text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("a row is JSON"))
    {
        let query = row["query"].as_str().expect("a query");
        match (row["ok"].as_bool(), parse(query)) {
            (Some(true), Ok(tree)) if parse(&tree.to_string()).as_ref() != Ok(&tree) => {
                wrong.push(format!("no round trip: {query}\n  {tree}"));
            }
            (Some(true), Err(error)) => wrong.push(format!("refused: {query}\n  {error}")),
            (Some(false), Ok(_)) if row["grammar"] != "dotnet-antlr" => {
                wrong.push(format!("accepted ({}): {query}", row["grammar"]));
            }
            _ => {}
        }
    }
    assert!(
        wrong.is_empty(),
        "{} rows are wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
