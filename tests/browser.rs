//! The page in a browser: what it says, that it asks nobody for anything, and that no script fails.

use std::fs;
use std::io::Read;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use assert_cmd::cargo::cargo_bin_cmd;

/// Names the browser; without it the test is ignored, by name, in the plain run.
const CHROMIUM: &str = "PKADVISOR_CHROMIUM";

/// Opens a page; what the browser prints, and what it says of errors.
fn open(page: &Path, proxy: u16, arguments: &[String]) -> (String, String) {
    let chromium = std::env::var(CHROMIUM).expect(CHROMIUM);
    let profile = tempfile::tempdir().expect("a folder");
    let output = Command::new(chromium)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--hide-scrollbars",
            "--enable-logging=stderr",
        ])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("--proxy-server=127.0.0.1:{proxy}"))
        .args(arguments)
        .arg(format!("file://{}", page.display()))
        .output()
        .expect("the browser");
    (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

/// A proxy that serves nothing and keeps the first line of each request.
fn watched() -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut bytes = [0; 512];
            let count = stream
                .and_then(|mut stream| stream.read(&mut bytes))
                .unwrap_or(0);
            let text = String::from_utf8_lossy(&bytes[..count]).into_owned();
            let line = text.lines().next().unwrap_or_default().to_owned();
            kept.lock().expect("the list").push(line);
        }
    });
    (port, asked)
}

#[test]
#[ignore = "needs Chromium (PKADVISOR_CHROMIUM)"]
fn browser_shows_the_page_and_asks_nobody() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("report.html");
    let output = cargo_bin_cmd!("pkadvisor")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args([
            "analyze",
            "samples/tenants.jsonl",
            "--log",
            "samples/tenants-log.csv",
        ])
        .args([
            "--key",
            "/tenantId",
            "--key",
            "{/tenantId}-{/userId}",
            "--format",
            "html",
        ])
        .output()
        .expect("the program");
    fs::write(&page, output.stdout).expect("a file");
    let (proxy, asked) = watched();
    let (document, errors) = open(&page, proxy, &["--dump-dom".to_owned()]);
    for text in [
        "Partition key design",
        "{/tenantId}-{/userId}",
        "Charge over time",
        "Assumptions and sources",
    ] {
        assert!(document.contains(text), "{text} is not on the page");
    }
    assert!(!errors.contains("CONSOLE"), "{errors}");
    let asked = asked.lock().expect("the list").clone();
    // What the browser asks its maker for is not the page's.
    let of_page: Vec<&String> = asked
        .iter()
        .filter(|line| !line.contains("google"))
        .collect();
    assert!(of_page.is_empty(), "{of_page:?}");
    for width in [1280, 390] {
        let picture = folder.path().join(format!("{width}.png"));
        open(
            &page,
            proxy,
            &[
                format!("--window-size={width},2400"),
                format!("--screenshot={}", picture.display()),
            ],
        );
        let bytes = fs::read(&picture).expect("a picture");
        assert!(
            bytes.starts_with(b"\x89PNG") && bytes.len() > 20_000,
            "{width}"
        );
    }
}
