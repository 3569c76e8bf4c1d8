//! Colours of code, found by the binary as a child of a server.

use std::io::Write as _;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use tenon_app::highlighter::{Class, Origin, Source};
use tenon_app::{App, KEY_LENGTH, Parts};

use crate::process::tenon;

/// An application whose colours the binary finds, however busy the machine is: a file that takes longer than its time
/// is plain for a minute.
fn app(folder: &Path) -> App {
    let mut parts = Parts::in_folder(folder, "https://git.example", &[7; KEY_LENGTH]).unwrap();
    parts.limits.highlight.file = Duration::from_mins(10);
    App::new(Parts { highlighter: Some(env!("CARGO_BIN_EXE_tenon").into()), ..parts }).unwrap()
}

fn source(number: u32, name: &str, text: &str) -> Source {
    let blob = format!("{number:040x}").parse().unwrap();
    Source { origin: Origin::new(1), blob, name: name.into(), text: text.into() }
}

/// The classes in the first line, once its colours were found.
fn classes(app: &App, source: &Source) -> Vec<Class> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let found = || runtime.block_on(app.colours(vec![source.clone()]));
    // Each visit waits for a moment.
    let mut visits = std::iter::repeat_with(found).take(5_000);
    let colours = visits.find(|colours| colours.iter().any(|it| !it.is_plain())).expect("colours");
    colours.iter().flat_map(|colours| colours.line(0)).map(|span| span.class()).collect()
}

#[test]
fn a_server_finds_colours_by_its_own_binary() {
    let folder = tempfile::tempdir().unwrap();
    let app = app(folder.path());
    assert_eq!(classes(&app, &source(1, "a.rs", "fn main() {}\n")), [Class::Keyword, Class::Function]);
    assert_eq!(classes(&app, &source(2, "a.json", "{\"a\": 1}\n")), [Class::Attribute, Class::Number]);
}

#[test]
fn the_process_ends_with_its_input_and_needs_no_configuration() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tenon.toml"), "colour = 'blue'").unwrap();
    let mut command = tenon(&["highlight"]);
    let output = command.current_dir(folder.path()).stdin(std::process::Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let hello = format!("tenon-highlight {}", tenon_app::highlighter::VERSION);
    assert_eq!(output.stdout.get(4..), Some(hello.as_bytes()), "nothing else is written");
    assert!(!tenon_help().contains("highlight"), "it is no command for people");
}

#[test]
fn the_process_ends_while_it_works_on_a_text_when_its_server_is_gone() {
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    let mut command = tenon(&["highlight"]);
    command.stdin(OwnedFd::from(theirs.try_clone().unwrap())).stdout(OwnedFd::from(theirs));
    let mut process = command.spawn().unwrap();
    // It holds the other end as well.
    drop(command);
    let text = "fn main() { let words = \"words\"; }\n".repeat(10_000);
    let unlimited = u32::MAX.to_le_bytes();
    let request = [&[0], &unlimited[..], &unlimited, &[4], b"a.rs", text.as_bytes()].concat();
    ours.write_all(&u32::try_from(request.len()).unwrap().to_le_bytes()).unwrap();
    ours.write_all(&request).unwrap();
    drop(ours);
    // One that works to the end, and cannot answer then, fails.
    assert_eq!(process.wait().unwrap().code(), Some(0));
}

fn tenon_help() -> String {
    String::from_utf8(tenon(&["--help"]).output().unwrap().stdout).unwrap()
}
