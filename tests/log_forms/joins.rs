//! Rows that belong together, and rows that are no workload.

use pkadvisor::ingest::{LogOptions, Reason};
use proptest::prelude::*;

use super::{operations, problems, read_parts, read_text};

#[test]
fn pages_and_partitions_of_a_query_are_one_operation() {
    let row = |activity: &str, range: &str| {
        format!(
            r#"{{"category":"QueryRuntimeStatistics","properties":{{"activityId":"{activity}","correlatedActivityId":"c","databasename":"d","collectionname":"o","partitionkeyrangeid":"{range}","querytext":"SELECT * FROM c"}}}}"#
        )
    };
    let request = |activity: &str, partition: &str, charge: &str| {
        format!(
            r#"{{"category":"DataPlaneRequests","operationName":"Query","properties":{{"activityId":"{activity}","statusCode":"200","requestCharge":"{charge}","databaseName":"d","collectionName":"o","partitionId":"{partition}","responseLength":"10"}}}}"#
        )
    };
    let key = r#"{"activityId":"a3","category":"PartitionKeyRUConsumption","properties":{"databaseName":"d","collectionName":"o","partitionKeyRangeId":"1","requestCharge":"2","partitionKey":"[\"x\"]"}}"#;
    let lines = [
        row("a1", "0"),
        row("a2", "0"),
        row("a3", "1"),
        request("a1", "p", "2.5"),
        request("a2", "p", "2.5"),
        request("a3", "q", "2.5"),
        request("a3", "q", "0.5"),
        key.to_owned(),
    ];
    let read = read_text(&lines.join("\n"));
    assert_eq!(operations(&read), ["query, 8000000 uRU, 2 ranges, 40 B"]);
    assert_eq!(read.rows, 8);
}

#[test]
fn a_key_counts_as_passed_where_all_stayed_on_one_range() {
    let text = r#"{"category":"QueryRuntimeStatistics","properties":{"activityId":"a1","correlatedActivityId":"c","partitionkeyrangeid":"0","querytext":"SELECT * FROM c WHERE c.n = 1"}}
{"activityId":"a1","category":"PartitionKeyRUConsumption","properties":{"partitionKeyRangeId":"0","requestCharge":"2","partitionKey":"[\"x\",5.0,null,{}]"}}
{"category":"QueryRuntimeStatistics","properties":{"activityId":"b1","partitionkeyrangeid":"0","querytext":"SELECT * FROM c"}}
{"activityId":"b1","category":"PartitionKeyRUConsumption","properties":{"partitionKeyRangeId":"0","requestCharge":"2","partitionKey":"[\"x\"]"}}
{"activityId":"b1","category":"PartitionKeyRUConsumption","properties":{"partitionKeyRangeId":"0","requestCharge":"2","partitionKey":"[\"y\"]"}}
"#;
    assert_eq!(
        operations(&read_text(text)),
        [
            "query, 4000000 uRU, 1 ranges",
            "query, key \"x\",5,null,{}, /n in 1, 2000000 uRU, 1 ranges"
        ]
    );
}

#[test]
fn refused_requests_are_no_workload_and_unmet_where_no_attempt_succeeds() {
    let request = |activity: &str, status: &str| {
        format!(
            r#"{{"category":"DataPlaneRequests","operationName":"Create","properties":{{"activityId":"{activity}","statusCode":"{status}","requestCharge":"0.38"}}}}"#
        )
    };
    let lines = [
        request("a1", "429"),
        request("a1", "429"),
        request("a1", "201"),
        request("a2", "429"),
        request("a2", "429"),
    ];
    let read = read_text(&lines.join("\n"));
    assert_eq!(operations(&read), ["create, 380000 uRU"]);
    assert_eq!(
        (read.log.throttled_weight, read.log.unmet_weight),
        (4_000_000, 1_000_000)
    );
    let native = r#"{"op":"read","id":"1","status":429,"cid":"x"}
{"op":"read","id":"1","cid":"x","status":200}
{"op":"read","id":"2","status":429,"cid":"y","count":3}
{"op":"read","id":"2","status":429,"cid":"y","count":3}
{"op":"read","id":"3","status":429}
{"op":"read","id":"3","status":200,"shape":"by another name"}
{"op":"read","id":"4","status":429}
"#;
    let read = read_text(native);
    assert_eq!(read.log.events.len(), 2);
    assert_eq!(
        (read.log.throttled_weight, read.log.unmet_weight),
        (9_000_000, 4_000_000)
    );
}

#[test]
fn a_full_logical_partition_and_other_failures_are_named() {
    let text = r#"{"op":"create","item":{"id":"1"},"status":403,"sub":1014}
{"op":"create","item":{"id":"1"},"status":403}
{"op":"read","id":"1","status":503}
{"op":"read","id":"1","status":404}
"#;
    let read = read_text(text);
    assert_eq!(operations(&read), ["read, id 1"]);
    assert_eq!(read.log.full_weight, 1_000_000);
    assert_eq!(
        problems(&read),
        [("partition-full", 1), ("failed-request", 2)]
    );
    let blob = r#"{"category":"DataPlaneRequests","operationName":"Create","properties":{"activityId":"a","statusCode":"403","subStatusCode":"1014"}}"#;
    let read = read_text(blob);
    assert_eq!(
        (read.log.full_weight, read.log.events.len()),
        (1_000_000, 0)
    );
}

#[test]
fn requests_on_other_things_than_items_are_left_out() {
    let request = |operation: &str, of: &str, address: &str| {
        format!(
            r#"{{"category":"DataPlaneRequests","operationName":"{operation}","properties":{{"requestResourceType":"{of}","requestResourceId":"{address}","statusCode":"200"}}}}"#
        )
    };
    let lines = [
        request("Read", "Collection", "/dbs/d/colls/o"),
        request("ReadFeed", "PartitionKeyRange", "/dbs/d/colls/o/pkranges"),
        request("QueryPlan", "Document", "/dbs/d/colls/o"),
        request("Read", "", "/dbs/d/colls/o"),
        request("Create", "StoredProcedure", "/dbs/d/colls/o/sprocs"),
        request("Execute", "StoredProcedure", "/dbs/d/colls/o/sprocs/s"),
        request("Create", "", "/dbs/d/colls/o/docs"),
        request("Delete", "Document", "/dbs/d/colls/o/docs/a%2Fb"),
        request(
            "Read",
            "Document",
            "dbs/AbCdAA==/colls/AbCdAKxyz1A=/docs/AbCdAKxyz1ABAAAAAAAAAA==",
        ),
    ];
    let read = read_text(&lines.join("\n"));
    assert_eq!(
        operations(&read),
        ["create", "delete, id a/b", "exec", "read"]
    );
    assert_eq!(problems(&read), [("metadata-request", 5)]);
}

#[test]
fn one_container_can_be_chosen_and_an_unknown_one_is_an_error() {
    let text = r#"{"category":"DataPlaneRequests","operationName":"Read","properties":{"activityId":"1","databaseName":"shop","collectionName":"orders","requestResourceId":"/dbs/shop/colls/orders/docs/a"}}
{"category":"DataPlaneRequests","operationName":"Read","properties":{"activityId":"2","requestResourceId":"/dbs/shop/colls/carts/docs/b"}}
{"category":"DataPlaneRequests","operationName":"Read","properties":{"activityId":"3","requestResourceId":"/dbs/shop/colls/carts/docs/c"}}
"#;
    let all = read_text(text);
    let names: Vec<_> = all
        .containers
        .iter()
        .map(|count| (count.name(), count.operations))
        .collect();
    assert_eq!(
        names,
        [("shop/carts".to_owned(), 2), ("shop/orders".to_owned(), 1)]
    );
    let groups: Vec<_> = all.problems.groups().collect();
    assert_eq!(groups[0].0, Reason::SeveralContainers);
    assert_eq!(groups[0].2[0].detail, "shop/carts: 2 operations");
    let chosen = |name: &str| {
        let options = LogOptions {
            container: Some(name.to_owned()),
            ..LogOptions::default()
        };
        read_parts(&[text.as_bytes()], &options)
    };
    assert_eq!(operations(&chosen("carts").expect("a log")).len(), 2);
    assert_eq!(
        operations(&chosen("shop/orders").expect("a log")),
        ["read, id a"]
    );
    let error = chosen("baskets")
        .expect_err("no such container")
        .to_string();
    assert!(error.contains("shop/carts, shop/orders"), "{error}");
}

#[test]
fn charges_alone_are_operations_under_the_key_of_today() {
    let text = "OperationName,PartitionKey,PartitionKeyRangeId,RequestCharge\n\
        Read,\"[\"\"a\"\"]\",0,10\nQuery,\"[\"\"a\"\"]\",undefined,90\nQuery,,0,50\nUpsert,[],,1\n";
    assert_eq!(
        operations(&read_text(text)),
        [
            "query, Unknown, 50000000 uRU, 1 ranges",
            "query, key \"a\", Unknown, 90000000 uRU",
            "read, key \"a\", 10000000 uRU, 1 ranges",
            "upsert, 1000000 uRU"
        ]
    );
}

#[test]
fn a_rate_is_kept_beside_the_weight_and_excludes_a_count() {
    let read = read_text(
        "{\"op\":\"read\",\"rate\":120.5}\n{\"op\":\"read\",\"rate\":2,\"count\":7}\n{\"op\":\"read\",\"rate\":0}\n",
    );
    let rates: Vec<_> = read
        .log
        .events
        .iter()
        .map(|event| (event.rate, event.weight))
        .collect();
    assert_eq!(
        rates,
        [(Some(120_500_000), 1_000_000), (Some(2_000_000), 1_000_000)]
    );
    assert_eq!(
        problems(&read),
        [("bad-field", 1), ("conflicting-fields", 1)]
    );
}

#[test]
fn rows_of_one_transaction_share_its_label() {
    let read = read_text(
        "{\"op\":\"upsert\",\"id\":\"1\",\"tx\":\"t\"}\n{\"op\":\"upsert\",\"id\":\"2\",\"tx\":\"t\"}\n\
         {\"op\":\"read\",\"id\":\"3\"}\n{\"op\":\"batch\",\"tx\":\"u\",\"items\":[{\"id\":\"4\"}]}\n",
    );
    let labels: Vec<_> = read
        .log
        .events
        .iter()
        .map(|event| event.transaction)
        .collect();
    assert_eq!(labels, [Some(0), Some(0), None, None]);
    assert_eq!(read.log.transactions, ["t".into()]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn rows_in_any_order_and_any_files_are_the_same_operations(
        order in Just((0..14).collect::<Vec<usize>>()).prop_shuffle(),
        cut in 0..14usize,
    ) {
        let lines = joined_lines();
        prop_assert_eq!(lines.len(), 14);
        let text = |part: &[usize]| part.iter().map(|index| lines[*index].as_str()).collect::<Vec<_>>().join("\n");
        let (front, back) = order.split_at(cut);
        let (front, back) = (text(front), text(back));
        let parts: Vec<&[u8]> = [front.as_bytes(), back.as_bytes()].into_iter().filter(|part| !part.is_empty()).collect();
        let shuffled = read_parts(&parts, &LogOptions::default()).expect("a log");
        let straight = read_text(&lines.join("\n"));
        prop_assert_eq!(operations(&shuffled), operations(&straight));
        prop_assert_eq!(problems(&shuffled), problems(&straight));
        prop_assert_eq!(shuffled.log.unmet_weight, straight.log.unmet_weight);
        prop_assert_eq!(shuffled.log.span(), straight.log.span());
    }
}

/// Rows of six activities in three categories.
fn joined_lines() -> Vec<String> {
    let request = |activity: &str, operation: &str, status: u16, address: &str, seconds: u32| {
        format!(
            r#"{{"time":"2024-05-03T10:00:{seconds:02}Z","category":"DataPlaneRequests","operationName":"{operation}","properties":{{"activityId":"{activity}","requestResourceType":"Document","requestResourceId":"/dbs/d/colls/o{address}","statusCode":"{status}","requestCharge":"2.5","responseLength":"7","databaseName":"d","collectionName":"o"}}}}"#
        )
    };
    let query = |activity: &str, correlated: &str, range: u32| {
        format!(
            r#"{{"time":"2024-05-03T10:00:30Z","category":"QueryRuntimeStatistics","properties":{{"activityId":"{activity}","correlatedActivityId":"{correlated}","databasename":"d","collectionname":"o","partitionkeyrangeid":"{range}","querytext":"{{\"query\":\"SELECT * FROM c WHERE c.t = @t\",\"parameters\":[{{\"name\":\"@t\",\"value\":\"x\"}}]}}"}}}}"#
        )
    };
    let charge = |activity: &str, key: &str, range: u32| {
        format!(
            r#"{{"time":"2024-05-03T10:00:00Z","activityId":"{activity}","category":"PartitionKeyRUConsumption","properties":{{"databaseName":"d","collectionName":"o","partitionKeyRangeId":"{range}","operationType":"Read","requestCharge":"2.5","partitionKey":"[\"{key}\"]"}}}}"#
        )
    };
    vec![
        request("a1", "Read", 200, "/docs/1", 5),
        charge("a1", "x", 0),
        request("a2", "Delete", 429, "/docs/2", 6),
        request("a2", "Delete", 204, "/docs/2", 7),
        charge("a2", "y", 1),
        request("a3", "Query", 200, "", 8),
        query("a3", "c", 0),
        request("a4", "Query", 200, "", 9),
        query("a4", "c", 1),
        query("c", "c", 1),
        request("a5", "Query", 200, "", 10),
        query("a5", "c5", 1),
        charge("a5", "z", 1),
        request("a6", "Create", 429, "/docs", 11),
    ]
}
