//! Every form of dataset that people hold in their hands: what is read of it, what is said about it,
//! and what is refused. One file each in `tests/data/datasets`.

use std::fs;
use std::path::{Path, PathBuf};

use pkadvisor::ingest::dataset::{self, ALL, InputFormat};
use pkadvisor::ingest::{
    Dataset, DatasetOptions, DatasetRead, Encoding, FileExplanation, IngestError, Reason,
};
use proptest::prelude::*;
use serde_json::{Value, json};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/datasets")
}

fn options(format: Option<&'static dyn InputFormat>) -> DatasetOptions {
    DatasetOptions {
        format,
        ..DatasetOptions::default()
    }
}

/// What is read of a file.
struct Read {
    items: Vec<Value>,
    read: DatasetRead,
}

impl Read {
    /// Each reason that was seen, and how often.
    fn reasons(&self) -> Vec<(Reason, u64)> {
        let groups = self.read.problems.groups();
        groups.map(|(reason, count, _)| (reason, count)).collect()
    }

    /// The particulars of the first place of a reason, with its line.
    fn detail(&self, wanted: Reason) -> (u64, &str) {
        let mut groups = self.read.problems.groups();
        let (_, _, places) = groups
            .find(|(reason, ..)| *reason == wanted)
            .expect("the reason");
        (places[0].line, places[0].detail.as_str())
    }

    fn ids(&self) -> Vec<&str> {
        let ids = self.items.iter().map(|item| item["id"].as_str());
        ids.map(Option::unwrap_or_default).collect()
    }
}

fn read_path(path: &Path, format: Option<&'static dyn InputFormat>) -> Result<Read, IngestError> {
    let dataset = Dataset::open(&[path.display().to_string()], options(format))?;
    let (items, read) = dataset.read(Vec::new, Vec::push)?;
    let items = items.concat();
    assert_eq!(read.items, items.len() as u64);
    Ok(Read { items, read })
}

fn read(name: &str) -> Read {
    read_path(&folder().join(name), None).expect("a dataset")
}

fn explained(name: &str) -> FileExplanation {
    let path = folder().join(name).display().to_string();
    let dataset = Dataset::open(&[path], options(None)).expect("a dataset");
    dataset.explain().expect("a file").remove(0)
}

fn refusal(name: &str) -> String {
    let error = read_path(&folder().join(name), None)
        .err()
        .expect("a refusal");
    format!("{error}; {}", error.hint())
}

/// The four orders that most files hold.
fn orders() -> Vec<Value> {
    vec![
        json!({"id": "o-1", "tenantId": "acme", "region": "eu", "day": "2024-05-01", "amount": 12.5, "lines": [{"sku": "A"}]}),
        json!({"id": "o-2", "tenantId": "acme", "region": null, "day": "2024-05-01", "amount": 7}),
        json!({"id": "o-3", "tenantId": "böhm & co", "region": "us", "day": "2024-05-02", "amount": 3}),
        json!({"id": "o-4", "tenantId": "zed", "day": "2024-05-02", "amount": 9007199254740993_i64}),
    ]
}

/// The orders as tools write them that leave properties with null away.
fn orders_without_null() -> Vec<Value> {
    let mut orders = orders();
    for order in &mut orders {
        let members = order.as_object_mut().expect("an order");
        members.retain(|_, value| !value.is_null());
    }
    orders
}

/// The orders behind the browser, which rounds, with the properties of the service.
fn stored_orders() -> Vec<Value> {
    let mut orders = orders();
    orders[3]["amount"] = json!(9007199254740992_i64);
    for (index, order) in orders.iter_mut().enumerate() {
        let rid = format!("AbCdAKxyz{index}==");
        order["_self"] = json!(format!("dbs/AbCdAA==/colls/AbCdAKxyz=/docs/{rid}/"));
        order["_rid"] = json!(rid);
        order["_etag"] = json!(format!("\"0000d00{index}-0000-0700-0000-6634c1a00000\""));
        order["_attachments"] = json!("attachments/");
        order["_ts"] = json!(1714733472 + index);
    }
    orders
}

const BIG: (Reason, u64) = (Reason::BigNumber, 1);

#[test]
fn dmt_writes_one_array_without_the_properties_that_are_null() {
    let read = read("dmt_default.json");
    assert_eq!(read.items, orders_without_null());
    assert_eq!(read.reasons(), [BIG]);
    assert_eq!(read.detail(Reason::BigNumber), (1, "amount"));
}

#[test]
fn dmt_writes_an_indented_array_with_null_on_request() {
    let read = read("dmt_indented_nulls.json");
    assert_eq!(read.items, orders());
    assert_eq!(read.detail(Reason::BigNumber), (28, "amount"));
}

#[test]
fn dmt_appends_a_second_array() {
    let read = read("dmt_append.json");
    assert_eq!(read.items, orders_without_null()[..2]);
    assert_eq!(read.reasons(), []);
}

#[test]
fn dmt_appends_a_second_gzip_member() {
    let read = read("dmt_append.json.gz");
    assert_eq!(read.items, orders_without_null()[..2]);
    assert_eq!(explained("dmt_append.json.gz").compression, ["gzip"]);
}

#[test]
fn dmt_tables_have_rows_of_other_lengths() {
    let read = read("dmt_ragged.csv");
    assert_eq!(
        read.items,
        [
            json!({"id": "o-1", "tenantId": "acme", "region": "eu", "day": "2024-05-01", "amount": 12.5})
        ]
    );
    assert_eq!(
        read.reasons(),
        [
            (Reason::Ragged, 1),
            (Reason::LossyTable, 1),
            (Reason::OpenEnd, 1)
        ]
    );
    assert_eq!(
        read.detail(Reason::Ragged),
        (3, "4 cells under a header of 5")
    );
}

#[test]
fn data_explorer_writes_the_properties_of_the_service() {
    let read = read("explorer_results.json");
    assert_eq!(read.items, stored_orders());
    assert_eq!(read.reasons(), []);
}

#[test]
fn data_explorer_tables_hold_nested_values_as_json() {
    let read = read("explorer_results.csv");
    let mut orders = stored_orders();
    // Null, missing and empty are one here.
    orders[1]
        .as_object_mut()
        .expect("an order")
        .remove("region");
    assert_eq!(read.items, orders);
    assert_eq!(
        read.reasons(),
        [(Reason::LossyTable, 1), (Reason::OpenEnd, 1)]
    );
    assert_eq!(
        read.detail(Reason::LossyTable).1,
        "read as numbers: amount, _ts"
    );
}

#[test]
fn vs_code_tables_lie_about_the_separator_and_head_keys_with_their_paths() {
    let read = read("vscode_result.csv");
    assert_eq!(
        read.items,
        [
            json!({"id": "o-1", "tenantId": "acme", "region": "eu", "amount": 12.5}),
            json!({"id": "o-2", "tenantId": "acme", "amount": 7}),
            json!({"id": "o-3", "tenantId": "böhm & co", "region": "us", "amount": 3}),
            json!({"id": "o-4", "tenantId": "zed", "amount": 9007199254740992_i64}),
        ]
    );
    let explained = explained("vscode_result.csv");
    assert_eq!(explained.format, "csv");
    assert_eq!(
        explained.description,
        "a table with ; between the cells, quotes doubled"
    );
}

#[test]
fn data_factory_writes_lines_that_end_with_crlf() {
    let read = read("adf_setOfObjects.json");
    assert_eq!(read.items, orders());
    assert_eq!(read.detail(Reason::BigNumber), (4, "amount"));
    assert_eq!(explained("adf_setOfObjects.json").description, "JSON Lines");
}

#[test]
fn data_factory_compresses() {
    assert_eq!(read("adf_setOfObjects.json.zst").items, orders());
    assert_eq!(explained("adf_setOfObjects.json.zst").compression, ["zstd"]);
}

#[test]
fn data_factory_writes_indented_objects_one_after_the_other() {
    let read = read("adf_concatenated.json");
    assert_eq!(read.items, orders());
    assert_eq!(read.detail(Reason::BigNumber).0, 27);
}

#[test]
fn data_factory_writes_a_mark_before_utf_8() {
    assert_eq!(read("adf_array_utf8bom.json").items, orders());
    let explained = explained("adf_array_utf8bom.json");
    assert_eq!(explained.encoding, Encoding::Utf8Marked);
    assert_eq!(explained.description, "a JSON array");
    assert_eq!(explained.items, orders()[..3]);
}

#[test]
fn data_factory_writes_utf_16_in_both_orders_of_bytes() {
    for name in ["adf_array_utf16le.json", "adf_array_utf16be.json"] {
        let read = read(name);
        assert_eq!(read.items, orders());
        assert_eq!(read.reasons(), [BIG, (Reason::Utf16, 1)]);
    }
}

#[test]
fn data_factory_tables_escape_quotes_and_flatten_properties() {
    let read = read("adf_backslashes.csv");
    assert_eq!(
        read.items,
        [
            json!({"id": "o-1", "tenantId": "acme", "address": {"zipCode": 8001}, "note": "say \"hi\" to \\o/"}),
            json!({"id": "o-2", "tenantId": "acme", "address": {"zipCode": 8002}, "note": "plain"}),
            json!({"id": "o-3", "tenantId": "zed", "note": "a, b"}),
        ]
    );
    assert_eq!(read.detail(Reason::NestedColumn), (1, "address.zipCode"));
    assert_eq!(
        explained("adf_backslashes.csv").description,
        "a table with , between the cells, quotes behind backslashes"
    );
}

#[test]
fn tables_in_utf_16_without_a_mark_are_read() {
    let read = read("utf16be_tabs.csv");
    assert_eq!(
        read.items,
        [
            json!({"id": "o-1", "tenantId": "böhm"}),
            json!({"id": "o-2", "tenantId": "zed"})
        ]
    );
    assert_eq!(
        explained("utf16be_tabs.csv").description,
        "a table with tabs between the cells, quotes doubled"
    );
}

#[test]
fn rows_in_an_old_encoding_are_named() {
    let read = read("old_encoding.csv");
    assert_eq!(read.items, [json!({"id": "2", "name": "zed", "n": 2})]);
    assert_eq!(read.detail(Reason::NotText), (2, "the cell of column name"));
}

#[test]
fn spark_writes_lines() {
    let read = read("spark_part-00000.json");
    assert_eq!(read.items, orders_without_null());
    assert_eq!(read.reasons(), [BIG]);
}

#[test]
fn published_samples_have_no_ending() {
    assert_eq!(read("product_like_noextension").items, orders());
}

#[test]
fn sample_data_stand_in_an_object() {
    let read = read("data_wrapper.json");
    assert_eq!(read.items, orders());
    assert_eq!(read.reasons(), [BIG, (Reason::Wrapper, 1)]);
    assert_eq!(read.detail(Reason::Wrapper), (1, "data"));
    assert_eq!(read.detail(Reason::BigNumber).0, 29);
}

#[test]
fn pages_of_other_services_stand_one_after_the_other() {
    let read = read("value_wrapper_pages.json");
    assert_eq!(read.ids(), ["o-1", "o-2", "o-3"]);
    assert_eq!(read.reasons(), [(Reason::Wrapper, 2)]);
}

#[test]
fn one_item_in_a_file_stays_an_item() {
    let read = read("one_item.json");
    assert_eq!((read.ids(), read.reasons()), (vec!["o-1"], vec![]));
}

#[test]
fn a_page_of_the_rest_api_is_its_items() {
    let read = read("rest_feed.json");
    assert_eq!(read.items, stored_orders());
    assert_eq!(read.reasons(), [(Reason::Envelope, 1)]);
    assert_eq!(
        explained("rest_feed.json").problems.count(Reason::Envelope),
        1
    );
}

#[test]
fn saved_pages_stand_one_after_the_other() {
    let read = read("rest_feed_pages.json");
    assert_eq!(read.items, stored_orders());
    assert_eq!(read.reasons(), [(Reason::Envelope, 2)]);
}

#[test]
fn values_of_a_query_are_no_items() {
    let read = read("value_page.json");
    assert_eq!(read.items, Vec::<Value>::new());
    assert_eq!(
        read.reasons(),
        [
            (Reason::QueryResult, 3),
            (Reason::Envelope, 1),
            (Reason::NoItem, 1)
        ]
    );
    assert_eq!(read.detail(Reason::QueryResult), (1, "a number"));
}

#[test]
fn groups_of_a_query_are_no_items() {
    let read = read("group_by_page.json");
    assert_eq!((read.read.items, read.read.problems.rejected()), (0, 1));
}

#[test]
fn rows_that_were_to_be_sorted_hold_their_items() {
    let read = read("order_by_page.json");
    assert_eq!(
        read.items,
        [
            json!({"id": "o-1", "tenantId": "acme"}),
            json!({"id": "o-2", "tenantId": "zed"})
        ]
    );
    assert_eq!(
        read.reasons(),
        [(Reason::Envelope, 1), (Reason::SortedPage, 2)]
    );
}

#[test]
fn versions_of_a_change_feed_hold_the_current_item() {
    let read = read("change_feed_versions.json");
    assert_eq!(read.ids(), ["o-1", "o-1"]);
    assert_eq!(
        read.reasons(),
        [
            (Reason::Deletion, 1),
            (Reason::Envelope, 1),
            (Reason::ChangeFeed, 2)
        ]
    );
}

#[test]
fn canonical_extended_json_is_read_as_plain_values() {
    let read = read("mongo_canonical.jsonl");
    assert_eq!(
        read.items,
        [json!({
            "_id": "5f1d7f3e9d1e8a0001a1b2c3", "tenantId": "acme", "amount": 12.5,
            "n": 9007199254740993_i64, "d": "2024-05-01T00:00:00Z",
            "u": "3f2504e0-4f89-11d3-9a0c-0305e82c33d1",
        })]
    );
    assert_eq!(read.reasons(), [BIG, (Reason::ExtendedJson, 1)]);
}

#[test]
fn relaxed_extended_json_is_read_as_plain_values() {
    let read = read("mongo_relaxed.jsonl");
    assert_eq!(
        read.items,
        [
            json!({
                "_id": "5f1d7f3e9d1e8a0001a1b2c4", "tenantId": "acme", "amount": 12.5,
                "n": 9007199254740993_i64, "d": "2024-05-01T00:00:00Z",
            }),
            json!({"_id": "plain", "n": 7})
        ]
    );
    assert_eq!(read.reasons(), [BIG, (Reason::ExtendedJson, 2)]);
}

#[test]
fn what_is_lost_is_said_with_its_line() {
    let read = read("losses.jsonl");
    assert_eq!(read.ids(), ["o-1", "o-2", "o-3"]);
    assert_eq!(read.items[0]["tenantId"], "zed");
    for (reason, place) in [
        (Reason::DuplicateName, (1, "tenantId")),
        (Reason::BigNumber, (2, "account")),
        (Reason::TypeName, (3, "lines")),
    ] {
        assert_eq!(read.detail(reason), place);
    }
    assert_eq!(read.detail(Reason::NotJson).0, 4);
    assert_eq!(read.read.problems.rejected(), 1);
}

#[test]
fn files_that_were_put_together_have_marks_inside_and_may_be_cut() {
    let read = read("cut_and_marked.jsonl");
    assert_eq!(read.ids(), ["o-1", "o-2"]);
    assert_eq!(
        read.reasons(),
        [(Reason::CutOff, 1), (Reason::MarkInside, 1)]
    );
    assert_eq!(read.detail(Reason::CutOff).0, 3);
}

#[test]
fn a_table_whose_last_cell_may_be_cut_says_so() {
    let read = read("cut_last_cell.csv");
    assert_eq!(
        read.items[1],
        json!({"id": "o-2", "tenantId": null, "amount": 7})
    );
    assert_eq!(read.detail(Reason::OpenEnd).0, 4);
    assert_eq!(read.detail(Reason::NullText), (3, "tenantId"));
}

#[test]
fn diagnostics_of_sdks_are_refused_with_the_way_out() {
    for name in ["dotnet_diagnostics.json", "java_diagnostics.json"] {
        let said = refusal(name);
        assert!(said.contains("diagnostics of an SDK"), "{said}");
        assert!(said.contains("export the items"), "{said}");
    }
}

#[test]
fn an_access_log_is_refused_with_the_way_out_unless_its_form_is_named() {
    let said = refusal("access_log.jsonl");
    assert!(
        said.contains("an access log") && said.contains("--log"),
        "{said}"
    );
    let json = dataset::format_named("json").expect("a form");
    let read = read_path(&folder().join("access_log.jsonl"), Some(json));
    assert_eq!(read.expect("items").read.problems.rejected(), 0);
}

#[test]
fn every_file_of_the_folder_has_its_test() {
    for entry in fs::read_dir(folder()).expect("the folder") {
        let name = entry.expect("a file").file_name();
        let name = format!("\"{}\"", name.to_str().expect("a name"));
        assert!(include_str!("dataset_forms.rs").contains(&name), "{name}");
    }
}

#[test]
fn all_files_of_a_folder_are_one_dataset_with_counts_of_their_own() {
    let kept = tempfile::tempdir().expect("a folder");
    for (from, to) in [
        ("dmt_default.json", "part-0"),
        ("rest_feed.json", "part-1"),
        ("value_page.json", "part-2"),
        ("losses.jsonl", "_part-3"),
    ] {
        fs::copy(folder().join(from), kept.path().join(to)).expect("a copy");
    }
    let read = read_path(kept.path(), None).expect("a dataset");
    assert_eq!(read.read.items_by_file, [4, 4, 0]);
}

/// Whether what is read of a cut file says that something may be missing.
fn says_so(read: &Read) -> bool {
    read.reasons()
        .iter()
        .any(|(reason, _)| reason.rejects() || [Reason::NoItem, Reason::OpenEnd].contains(reason))
}

#[test]
fn a_file_cut_at_any_byte_never_gives_half_a_result_silently() {
    let kept = tempfile::tempdir().expect("a folder");
    for entry in fs::read_dir(folder()).expect("the folder") {
        let path = entry.expect("a file").path();
        let bytes = fs::read(&path).expect("a file");
        let Ok(whole) = read_path(&path, None) else {
            continue;
        };
        let is_table = path.extension().is_some_and(|ending| ending == "csv");
        for length in 0..bytes.len() {
            let cut = kept.path().join(path.file_name().expect("a name"));
            fs::write(&cut, &bytes[..length]).expect("a file");
            let Ok(part) = read_path(&cut, None) else {
                continue;
            };
            let name = path.display();
            let count = part.items.len();
            // What is read is what it was; tables may type their columns anew.
            assert!(
                is_table || part.items.iter().all(|item| whole.items.contains(item)),
                "{name} at {length}: {:?}",
                part.items
            );
            if count == whole.items.len() || says_so(&part) {
                continue;
            }
            let mark = |byte: &u8| [0xEF, 0xBB, 0xBF].contains(byte);
            let kept = bytes[..length].iter().rposition(|byte| !mark(byte));
            let end = bytes[..kept.map_or(0, |last| last + 1)].trim_ascii_end();
            // The gzip member behind the cut is whole, and so is the one before it.
            let member = bytes[length..].starts_with(&[0x1F, 0x8B]);
            let between = if member {
                true
            } else if is_table {
                bytes[length..].starts_with(b"\n") || end.len() < length
            } else {
                // Whole objects, or whole arrays, one after the other.
                end.ends_with(b"}") || end.ends_with(b"]")
            };
            assert!(between, "{name} at {length}: {count} items");
        }
    }
}

/// Reads bytes as each form and as the one that they seem to be; whatever comes of it is right.
fn read_bytes(bytes: &[u8]) {
    let kept = tempfile::tempdir().expect("a folder");
    let path = kept.path().join("data");
    fs::write(&path, bytes).expect("a file");
    for format in ALL.iter().copied().map(Some).chain([None]) {
        if let Ok(read) = read_path(&path, format) {
            assert!(read.read.items > 0 || read.read.problems.count(Reason::NoItem) == 1);
        }
        let inputs = [path.display().to_string()];
        if let Ok(dataset) = Dataset::open(&inputs, options(format)) {
            drop(dataset.explain());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn arbitrary_bytes_never_panic_in_any_form(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        read_bytes(&bytes);
    }

    #[test]
    fn arbitrary_bytes_in_a_file_never_panic(
        file in proptest::sample::select(vec![
            "dmt_append.json.gz", "adf_setOfObjects.json.zst", "adf_array_utf16le.json", "rest_feed_pages.json",
            "adf_backslashes.csv", "explorer_results.csv", "data_wrapper.json", "mongo_canonical.jsonl",
        ]),
        at in any::<prop::sample::Index>(),
        noise in proptest::collection::vec(any::<u8>(), 1..8),
    ) {
        let mut bytes = fs::read(folder().join(file)).expect("a file");
        let at = at.index(bytes.len());
        let end = (at + noise.len()).min(bytes.len());
        bytes.splice(at..end, noise);
        read_bytes(&bytes);
    }
}

/// The folder with data of other projects, beside the vectors.
fn real(name: &str) -> PathBuf {
    let conformance = std::env::var("PKADVISOR_CONFORMANCE").expect("PKADVISOR_CONFORMANCE");
    Path::new(&conformance).join("../real").join(name)
}

#[test]
#[ignore = "needs PKADVISOR_CONFORMANCE"]
fn conformance_a_published_sample_shop_is_read_whole() {
    for (name, count) in [
        ("cosmicworks-product", 295),
        ("cosmicworks-productMeta", 237),
        ("cosmicworks-productTags", 767),
    ] {
        let read = read_path(&real(name), None).expect("a dataset");
        assert_eq!(
            (read.items.len(), read.reasons()),
            (count, vec![]),
            "{name}"
        );
        assert!(read.ids().iter().all(|id| !id.is_empty()), "{name}");
    }
}

#[test]
#[ignore = "needs PKADVISOR_CONFORMANCE"]
fn conformance_a_year_of_flights_is_read_whole() {
    let read = read_path(&real("flights.csv.gz"), None).expect("a dataset");
    assert_eq!(read.items.len(), 336_776);
    assert_eq!(read.reasons(), [(Reason::LossyTable, 1)]);
    assert_eq!(read.items[0]["flight"], 1545);
    // A departure that was cancelled has no time, which the table says with NA.
    assert_eq!(read.items[0]["dep_time"], "517");
    assert_eq!(read.items[0]["time_hour"], "2013-01-01T10:00:00Z");
}
