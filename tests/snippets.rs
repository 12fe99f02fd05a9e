//! The code that the tool prints builds the tool's own keys, on each runtime that is there.

use std::fs;
use std::path::Path;
use std::process::Command;

use assert_cmd::cargo::cargo_bin_cmd;
use pkadvisor::keys::Candidate;
use pkadvisor::model::{KeyComponent, KeyVersion};
use serde_json::{Value, json};

const KEY: &str =
    "{/n}-{/s|lower}-{/s|first:3}-{/s|last:2}-{/at|minute}-{/at|day}.{/s%40}.{/n%7}-{/deep/x}";

fn snippet(tool: &str) -> String {
    let output = cargo_bin_cmd!("pkadvisor")
        .args(["snippet", "--key", KEY, "--for", tool])
        .output()
        .expect("the program");
    assert!(output.status.success());
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Numbers of all sizes, texts in several scripts, moments in several forms, and what is missing.
fn items() -> Vec<Value> {
    let texts = [
        "acme",
        "Zoë",
        "你好世界",
        "🚀🚀🚀x",
        "",
        "ÄÖÜ ß",
        "a\"b\\c'd",
        "İstanbul",
        "x\u{301}y",
    ];
    let moments = [
        json!("2024-05-03T10:07:59.123Z"),
        json!("2024-05-03T23:30:00+02:00"),
        json!("2024-05-03T10:07:59"),
        json!("2024-05-03"),
        json!(1_714_730_400),
        json!(1_714_730_400_123_i64),
        json!("no moment"),
        Value::Null,
    ];
    let mut numbers = vec![
        0.0,
        -0.0,
        1.0,
        -7.5,
        0.1,
        1e21,
        1.5e-7,
        1e-6,
        123_456_789_012_345_680_000.0,
        5e-324,
        1.797_693_134_862_315_7e308,
        2.0_f64.powi(53),
        1e20,
        0.000_001_234,
        4.35,
        2e-3,
        2.0_f64.powi(-44),
    ];
    let mut state = 1_u64;
    while numbers.len() < 300 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let number = f64::from_bits(state ^ state >> 12);
        if number.is_finite() {
            numbers.push(number);
        }
    }
    let mut items: Vec<Value> = numbers
        .iter()
        .enumerate()
        .map(|(index, number)| {
            json!({
                "n": number, "s": texts[index % texts.len()], "at": moments[index % moments.len()],
                "deep": {"x": index % 2 == 0},
            })
        })
        .collect();
    items.extend([
        json!({}),
        json!({"n": null, "s": [1], "at": true, "deep": 5}),
    ]);
    items
}

fn expected(items: &[Value]) -> Vec<String> {
    let candidate = Candidate::parse(KEY, KeyVersion::V2).expect("a key");
    items
        .iter()
        .map(|item| match &candidate.key_of(item, 0).value.0[0] {
            KeyComponent::String(text) => text.to_string(),
            other => panic!("{other:?}"),
        })
        .collect()
}

/// Runs a command in a folder and compares the keys that it prints as lines of JSON.
fn assert_keys(folder: &Path, program: &str, arguments: &[&str], items: &[Value]) {
    let output = Command::new(program)
        .current_dir(folder)
        .args(arguments)
        .output()
        .expect(program);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let keys: Vec<String> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect();
    for ((key, wanted), item) in keys.iter().zip(expected(items)).zip(items) {
        assert_eq!(*key, wanted, "{item}");
    }
    assert_eq!(keys.len(), items.len());
}

#[test]
#[ignore = "needs Node.js"]
fn runtime_javascript_builds_the_keys_of_the_tool() {
    let folder = tempfile::tempdir().expect("a folder");
    let items = items();
    let script = format!(
        "{}\nfor (const item of {}) console.log(JSON.stringify(setPartitionKey(item).partitionKey));\n",
        snippet("javascript"),
        Value::from(items.clone())
    );
    fs::write(folder.path().join("key.js"), script).expect("a file");
    assert_keys(folder.path(), "node", &["key.js"], &items);
}

#[test]
#[ignore = "needs Python"]
fn runtime_python_builds_the_keys_of_the_tool() {
    let folder = tempfile::tempdir().expect("a folder");
    let items = items();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("items.json"), Value::from(items.clone()).to_string()).expect("a file");
    let script = format!(
        "{}\n\nimport json\nfor item in json.load(open(\"items.json\", encoding=\"utf-8\")):\n    print(json.dumps(set_partition_key(item)[\"partitionKey\"]))\n",
        snippet("python")
    );
    fs::write(path("key.py"), script).expect("a file");
    assert_keys(folder.path(), "python3", &["key.py"], &items);
}

/// A value as an expression of Java.
fn java(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => format!("{:e}d", number.as_f64().expect("a double")),
        Value::String(text) => {
            let units = text.encode_utf16().map(|unit| format!("\\u{unit:04x}"));
            // Escapes are read before strings are, so that quotes and the like stand as octal ones.
            let text: String = units
                .map(|unit| match unit.as_str() {
                    "\\u0022" => "\\42".to_owned(),
                    "\\u005c" => "\\134".to_owned(),
                    _ => unit,
                })
                .collect();
            format!("\"{text}\"")
        }
        Value::Array(all) => format!(
            "List.of({})",
            all.iter().map(java).collect::<Vec<_>>().join(",")
        ),
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .map(|(name, value)| {
                    format!("{}, {}", java(&Value::from(name.as_str())), java(value))
                })
                .collect();
            format!("map({})", members.join(", "))
        }
    }
}

#[test]
#[ignore = "needs a JDK"]
fn runtime_java_builds_the_keys_of_the_tool() {
    let folder = tempfile::tempdir().expect("a folder");
    let items = items();
    // A method of Java is bounded in size.
    let methods: Vec<String> = items
        .chunks(50)
        .enumerate()
        .map(|(index, chunk)| {
            let list: Vec<String> = chunk.iter().map(java).collect();
            format!(
                "    static List<Map<String, Object>> items{index}() {{ return List.of({}); }}\n",
                list.join(",\n")
            )
        })
        .collect();
    let calls: Vec<String> = (0..methods.len())
        .map(|index| format!("        print(items{index}());\n"))
        .collect();
    let calls = calls.concat();
    let main = format!(
        "import java.util.*;\nfinal class Main {{\n{}    static Map<String, Object> map(Object... of) {{\n        Map<String, Object> map = new HashMap<>();\n        for (int i = 0; i < of.length; i += 2) map.put((String) of[i], of[i + 1]);\n        return map;\n    }}\n    static void print(List<Map<String, Object>> items) {{\n        for (var item : items) {{\n            StringBuilder out = new StringBuilder(\"\\\"\");\n            for (char c : ((String) PartitionKeyOf.setPartitionKey(item).get(\"partitionKey\")).toCharArray()) out.append(String.format(\"\\\\u%04x\", (int) c));\n            System.out.println(out.append('\"'));\n        }}\n    }}\n    public static void main(String[] args) {{\n{calls}    }}\n}}\n",
        methods.concat()
    );
    let path = |name: &str| folder.path().join(name);
    fs::write(path("PartitionKeyOf.java"), snippet("java")).expect("a file");
    fs::write(path("Main.java"), main).expect("a file");
    let compiled = Command::new("javac")
        .current_dir(folder.path())
        .args(["-encoding", "UTF-8", "Main.java", "PartitionKeyOf.java"])
        .output()
        .expect("javac");
    assert!(
        compiled.status.success(),
        "{}",
        String::from_utf8_lossy(&compiled.stderr)
    );
    assert_keys(folder.path(), "java", &["Main"], &items);
}

#[test]
fn a_key_that_the_service_takes_by_itself_needs_no_code() {
    let output = cargo_bin_cmd!("pkadvisor")
        .args(["snippet", "--key", "/tenantId", "--for", "python"])
        .output()
        .expect("the program");
    assert_eq!(output.status.code(), Some(2));
    let all = cargo_bin_cmd!("pkadvisor")
        .args(["snippet", "--key", "/tenantId"])
        .output()
        .expect("the program");
    let text = String::from_utf8_lossy(&all.stdout).into_owned();
    assert_eq!(
        text.lines().filter(|line| line.starts_with("--- ")).count(),
        3
    );
}
