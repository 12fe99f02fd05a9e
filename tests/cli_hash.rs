//! The contract of `pkadvisor hash`, through the binary.

use assert_cmd::cargo::cargo_bin_cmd;

/// Runs `pkadvisor hash` and gives exit code, standard output and standard error.
fn hash(arguments: &[&str], input: &str) -> (i32, String, String) {
    let output = cargo_bin_cmd!("pkadvisor")
        .arg("hash")
        .args(arguments)
        .write_stdin(input)
        .output()
        .expect("the binary runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (
        output.status.code().expect("an exit code"),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn a_value_gives_its_key_of_version_2() {
    assert_eq!(
        hash(&["[\"redmond\"]"], ""),
        (
            0,
            "22E342F38A486A088463DFF7838A5963\n".to_owned(),
            String::new()
        )
    );
}

#[test]
fn version_1_gives_the_longer_key() {
    assert_eq!(
        hash(&["--version", "1", "[{}]"], "").1,
        "05C1D529E345DC00\n"
    );
}

#[test]
fn a_prefix_gives_the_ends_of_its_range() {
    let (code, out, _) = hash(
        &["--kind", "multihash", "--levels", "3", "[\"seattle\"]"],
        "",
    );
    assert_eq!(
        (code, out.as_str()),
        (
            0,
            "07E4D14180A45153F00B44907886F856 07E4D14180A45153F00B44907886F856FF\n"
        )
    );
}

#[test]
fn partitions_add_the_index_behind_a_tab() {
    assert_eq!(
        hash(&["--partitions", "4", "[\"redmond\"]"], "").1,
        "22E342F38A486A088463DFF7838A5963\t2\n"
    );
    assert_eq!(
        hash(
            &[
                "--kind",
                "multihash",
                "--levels",
                "2",
                "--partitions",
                "2",
                "[]"
            ],
            ""
        )
        .1,
        " FF\t0,1\n"
    );
}

#[test]
fn a_dash_reads_one_value_a_line() {
    let (code, out, _) = hash(&["[true]", "-"], "[null]\n[{}]\n");
    assert_eq!(code, 0);
    assert_eq!(
        out.lines().collect::<Vec<_>>(),
        [
            "0E711127C5B5A8E4726AC6DD306A3E59",
            "378867E4430E67857ACE5C908374FE16",
            "11622DAA78F835834610ABE56EFF5CB5"
        ]
    );
}

#[test]
fn a_broken_line_of_input_is_named_and_ends_with_3() {
    let (code, _, err) = hash(&["-"], "[1]\n[oops]\n");
    assert_eq!(code, 3);
    assert!(
        err.starts_with("error: standard input, line 2: not JSON: "),
        "{err}"
    );
}

#[test]
fn a_bad_argument_writes_nothing_and_ends_with_2() {
    for arguments in [
        &["[1]", "nonsense"][..],
        &["[1]", "[[1]]"],
        &["--levels", "2", "[1]"],
        &["--kind", "multihash", "--version", "1", "[1]"],
        &["--kind", "multihash", "[1,2,3,4]"],
        &["--kind", "multihash", "--levels", "1", "[1,2]"],
        &["--partitions", "0", "[1]"],
        &[],
    ] {
        let (code, out, err) = hash(arguments, "");
        assert_eq!((code, out.as_str()), (2, ""), "{arguments:?}");
        assert!(err.contains("error"), "{arguments:?}: {err}");
    }
}

#[test]
fn a_reader_that_has_read_enough_is_a_silent_end() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Command, Stdio};
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("pkadvisor"))
        .args(["hash", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut input = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || {
        // Writing ends early once the program has ended.
        for _ in 0..200_000 {
            if input.write_all(b"[1]\n").is_err() {
                break;
            }
        }
    });
    let mut first = String::new();
    BufReader::new(child.stdout.take().expect("a pipe"))
        .read_line(&mut first)
        .expect("a line");
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("the writer ends");
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty());
}
