//! Access logs from files.

use std::io::{self, Read};

use super::builder::LogBuilder;
use super::{ALL, ContainerCount, KeySize, LogFile, LogFormat, refused};
use crate::ingest::error::IngestError;
use crate::ingest::problem::Problems;
use crate::ingest::source::Source;
use crate::model::Log;

/// Bytes that the form of a file is told by.
const HEAD_BYTES: u64 = 8 * 1024 * 1024;

/// How logs are read.
#[derive(Default)]
pub struct LogOptions {
    /// The form of all files, instead of what their content says.
    pub format: Option<&'static dyn LogFormat>,
    /// The one container whose operations are used, by its name or as `database/container`.
    pub container: Option<String>,
}

/// A log and what came of reading it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogRead {
    /// The log.
    pub log: Log,
    /// The names of the files.
    pub files: Vec<String>,
    /// The form of each file.
    pub formats: Vec<&'static str>,
    /// How each file was understood.
    pub explained: Vec<LogFile>,
    /// Rows that were read. Several can be one operation; those that are no workload are among them, and
    /// named in the problems.
    pub rows: u64,
    /// The containers that rows name, with their operations, most first.
    pub containers: Vec<ContainerCount>,
    /// Sizes of large logical partitions that the log reports.
    pub key_sizes: Vec<KeySize>,
    /// What was not used, or not as it stands.
    pub problems: Problems,
    /// Rows that pass a key as an array, whose meaning only today's key tells.
    pub key_arrays: Problems,
}

/// Reads all logs that the inputs name.
pub fn read_log(inputs: &[String], options: &LogOptions) -> Result<LogRead, IngestError> {
    let mut read = LogRead::default();
    let mut builder = LogBuilder::new(options.container.clone());
    for source in Source::expand_all(inputs)? {
        let format = read_file(&source, options, &mut builder)?;
        read.files.push(source.name());
        read.formats.push(format);
    }
    let built = builder.finish();
    let files = built
        .files
        .into_iter()
        .zip(read.files.iter().zip(&read.formats));
    read.explained = files
        .map(|(notes, (name, format))| notes.into_file(name.clone(), format, &built.log))
        .collect();
    if let Some(chosen) = &options.container
        && built.log.events.is_empty()
        && !built.containers.is_empty()
    {
        let known: Vec<String> = built.containers.iter().map(ContainerCount::name).collect();
        return Err(IngestError::NoContainer {
            container: chosen.clone(),
            known: known.join(", "),
        });
    }
    read.log = built.log;
    read.problems = built.problems;
    read.key_arrays = built.key_arrays;
    read.rows = built.rows;
    read.containers = built.containers;
    read.key_sizes = built.key_sizes;
    Ok(read)
}

/// Reads one file; the name of its form.
fn read_file(
    source: &Source,
    options: &LogOptions,
    builder: &mut LogBuilder,
) -> Result<&'static str, IngestError> {
    let fail = |cause| source.unreadable(cause);
    let refuse = |refusal: refused::Refusal| IngestError::Refused {
        path: source.name(),
        form: refusal.form,
        remedy: refusal.remedy,
    };
    let mut input = source.open()?;
    let mut head = Vec::new();
    let limited = input.by_ref().take(HEAD_BYTES).read_to_end(&mut head);
    limited.map_err(fail)?;
    let recognised = || ALL.iter().copied().find(|format| format.recognises(&head));
    let Some(format) = options.format.or_else(recognised) else {
        return Err(match refused::of_head(&head) {
            Some(refusal) => refuse(refusal),
            None => IngestError::NoLog(source.name()),
        });
    };
    builder.next_file();
    let mut whole = io::Cursor::new(head).chain(input);
    format.read(&mut whole, builder).map_err(fail)?;
    match refused::of_rows(builder.notes()) {
        Some(refusal) => Err(refuse(refusal)),
        None => Ok(format.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::units::MICRO;
    use crate::model::{
        Condition, KeyComponent, OperationKind, OptionsKey, Predicate, PropertyPath,
    };
    use proptest::prelude::*;
    use std::fs;

    fn read(bytes: &[u8]) -> Result<LogRead, IngestError> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("log");
        fs::write(&path, bytes).expect("a file");
        read_log(&[path.display().to_string()], &LogOptions::default())
    }

    fn equals(path: &str, value: &str) -> Predicate {
        Predicate::In(
            PropertyPath::of(path),
            vec![KeyComponent::String(value.into())],
        )
    }

    #[test]
    fn every_field_of_the_native_log_is_understood() {
        let text = r#"{"v":1,"kind":"cosmos-access-log","current_key":["/tenantId"]}
{"ts":"2024-05-03T10:00:00.123Z","op":"read","id":"o-1","pk":["acme"],"ru":1.0}
{"ts":"2024-05-03T10:00:00.4Z","op":"query","shape":"by-tenant","query":"SELECT * FROM c WHERE c.tenantId = @t","params":{"@t":"acme"},"ru":2.9,"count":25}
{"op":"query","filter":{"tenantId":["a","b"],"day":{"ge":"2024-05-01"}}}
{"op":"create","item":{"id":"o-9"},"bytes":812}
{"op":"batch","tx":"b","items":[{"op":"upsert","id":"o-1"},{"op":"create","item":{"id":"ev-1"}}]}
{"op":"readmany","keys":[{"id":"o-1","pk":{"tenantId":"acme"}}]}
{"op":"query","query":"SELECT * FROM c WHERE","cid":"x","ru":1,"status":200}
{"op":"query","query":"SELECT * FROM c WHERE","cid":"x","ru":2}
{"op":"read","id":"z","status":429}
"#;
        let LogRead {
            log,
            rows,
            problems,
            ..
        } = read(text.as_bytes()).expect("a log");
        assert_eq!((rows, problems.rejected()), (8, 0));
        assert_eq!(log.current_key, Some(vec!["/tenantId".to_owned()]));
        assert_eq!(log.throttled_weight, MICRO);
        assert_eq!(log.events.len(), 7);
        let event = |index: u32| log.events.get(index);
        let access = |index: u32| log.accesses.get(event(index).access);
        assert_eq!(event(0).time, Some(1_714_730_400_123_000));
        assert_eq!(
            access(0).key,
            OptionsKey::Components(vec![KeyComponent::String("acme".into())])
        );
        assert_eq!(
            (event(1).weight, event(1).charge),
            (25 * MICRO, Some(2_900_000))
        );
        let by_tenant = equals("tenantId", "acme");
        assert_eq!(access(1).condition, Condition::Known(by_tenant));
        assert_eq!(log.shapes[access(1).shape as usize].name, "by-tenant");
        assert_eq!(
            log.shapes[access(2).shape as usize].name,
            "query by day compared, tenantId in"
        );
        assert_eq!(event(3).bytes, Some(812));
        assert_eq!(access(4).members[1].kind, OperationKind::Create);
        assert!(matches!(
            access(5).members[0].key,
            OptionsKey::Properties(_)
        ));
        assert!(matches!(access(6).condition, Condition::Invalid(_)));
        assert_eq!(
            event(6).charge,
            Some(3 * MICRO),
            "pages of one query are one operation"
        );
        assert_eq!(log.ids().collect::<Vec<_>>(), ["o-1", "o-1", "o-1"]);
    }

    #[test]
    fn a_table_says_the_same_as_lines() {
        let table = "ts,op,id,filter.tenantId,filter.amount:number,params:json,pk:json,ru:number,count:number\n\
            2024-05-03T10:00:00Z,read,o-1,,,,\"[\"\"acme\"\"]\",1,1\n\
            2024-05-03T10:00:01Z,query,,acme,5,,,2.9,25\n";
        let lines = r#"{"ts":"2024-05-03T10:00:00Z","op":"read","id":"o-1","pk":["acme"],"ru":1,"count":1}
{"ts":"2024-05-03T10:00:01Z","op":"query","filter":{"tenantId":"acme","amount":5},"ru":2.9,"count":25}"#;
        let (table, lines) = (
            read(table.as_bytes()).expect("a log"),
            read(lines.as_bytes()).expect("a log"),
        );
        assert_eq!(table.log, lines.log);
        assert_eq!(
            (table.formats[0], lines.formats[0]),
            ("native-csv", "native-jsonl")
        );
    }

    #[test]
    fn bad_rows_are_named_and_the_others_used() {
        let text = "{\"op\":\"read\",\"id\":\"1\"}\n{\"op\":\"fly\"}\n{\"id\":\"2\"}\n{\"op\":\"read\",\"ts\":\"soon\"}\n{\"op\":\"read\",\"count\":0}\n{\"op\":\"query\",\"filter\":{\"a\":{\"like\":1}}}\n{\"op\":\"read\",\"color\":1}\n{\"op\":\"read\",\"color\":2}\n{bad\n";
        let read = read(text.as_bytes()).expect("a log");
        assert_eq!((read.log.events.len(), read.problems.rejected()), (3, 6));
        let groups: Vec<_> = read
            .problems
            .groups()
            .map(|(reason, count, _)| (reason.code(), count))
            .collect();
        assert_eq!(
            groups,
            [
                ("cut-off", 1),
                ("bad-field", 4),
                ("unknown-operation", 1),
                ("unknown-field", 1)
            ]
        );
    }

    #[test]
    fn what_is_no_log_is_refused_by_name() {
        assert!(matches!(read(b"{\"id\":1}\n"), Err(IngestError::NoLog(_))));
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), table in any::<bool>()) {
            let start: &[u8] = if table { b"op,ru:number,pk:json\n" } else { b"{\"op\":\"read\"}\n" };
            let _ = read(&[start, &bytes].concat());
        }

        #[test]
        fn arbitrary_fields_never_panic(name in "ts|id|pk|filter|query|params|item|keys|items|ru|count|status|ranges|cid", value in "[0-9\\[\\]{}\":,a-e@.-]{0,20}") {
            let _ = read(format!("{{\"op\":\"read\"}}\n{{\"op\":\"batch\",\"{name}\":{value}}}").as_bytes());
        }
    }
}
