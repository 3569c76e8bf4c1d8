//! The lines of the table of fields, and the test that shows each call of them.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use super::WALKS;
use super::places::{self, Place};
use super::values::{Values, values};
use crate::fields::{FIELDS, answers};

/// The calls that tests of a resource show: resource, field, beginning of the call, file and function of the test.
const SHOWN: &str = include_str!("shown_elsewhere.tsv");

/// One call of a line, such as `body of PUT /projects/{id}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Call {
    /// `body`, `query` or `answer`.
    kind: &'static str,
    method: &'static str,
    path: &'static str,
}

/// A line of the table that this server obeys or stores.
struct Line {
    resource: &'static str,
    field: &'static str,
    calls: Vec<Call>,
}

/// A field that the walk sends.
pub(super) struct Sent {
    pub(super) field: &'static str,
    /// Method, path and place of each request that has it.
    pub(super) requests: Vec<(&'static str, &'static str, &'static Place)>,
    /// The calls of the line whose answers have it.
    pub(super) read_at: Vec<String>,
    pub(super) values: Values,
}

/// A test of a resource that shows a call.
struct Shown {
    resource: &'static str,
    field: &'static str,
    call: &'static str,
    test: &'static str,
}

impl Call {
    fn parse(text: &'static str) -> Self {
        let [kind, "of", method, path] = text.split(' ').collect::<Vec<_>>()[..] else { panic!("no call: {text}") };
        Self { kind, method, path }
    }

    fn text(self) -> String {
        format!("{} of {} {}", self.kind, self.method, self.path)
    }
}

/// The lines that this server obeys or stores.
static LINES: LazyLock<Vec<Line>> = LazyLock::new(|| {
    let rows = FIELDS.lines().filter(|line| !line.starts_with('#'));
    let rows = rows.map(|line| match line.split('\t').collect::<Vec<_>>()[..] {
        [resource, field, verdict, calls] => (resource, field, verdict, calls),
        _ => panic!("four columns: {line}"),
    });
    rows.filter(|(_, _, verdict, _)| matches!(*verdict, "do" | "store" | "ci"))
        .map(|(resource, field, _, calls)| Line {
            resource,
            field,
            calls: calls.split("; ").map(Call::parse).collect(),
        })
        .collect()
});

fn shown_elsewhere() -> Vec<Shown> {
    let rows = SHOWN.lines().filter(|line| !line.starts_with('#'));
    rows.map(|line| match line.split('\t').collect::<Vec<_>>()[..] {
        [resource, field, call, test] => Shown { resource, field, call, test },
        _ => panic!("four columns: {line}"),
    })
    .collect()
}

impl Line {
    /// The requests with which the walk sends the field. A field that is only read in a line is sent where its object is changed.
    fn requests(&self) -> Vec<(&'static str, &'static str, &'static Place)> {
        let of_kind = |kind| self.calls.iter().filter(move |call| call.kind == kind);
        let is_sent = of_kind("body").next().is_some();
        let sent = of_kind("body").filter_map(|call| Some((call.method, call.path, places::of(call.path)?)));
        let read = of_kind("answer").filter_map(|call| Some(("PUT", call.path, places::of(call.path)?)));
        if is_sent { sent.collect() } else { read.collect() }
    }
}

/// The fields of a resource that the walk sends.
pub(super) fn sent(resource: &str) -> Vec<Sent> {
    let of_resource = LINES.iter().filter(|line| line.resource == resource);
    let with_values = of_resource.filter_map(|line| Some((line, values(resource, line.field)?)));
    let sent = |(line, values): (&Line, Values)| {
        let answers = line.calls.iter().filter(|call| call.kind == "answer" && values.is_answered);
        let read_at = answers.map(|call| format!("{} {}", call.method, call.path)).collect();
        Sent { field: line.field, requests: line.requests(), read_at, values }
    };
    let found: Vec<Sent> = with_values.map(sent).collect();
    let same = found.iter().find(|sent| sent.values.other == sent.values.preset).map(|sent| sent.field);
    assert_eq!(same, None, "{resource}: the other value is the default");
    found
}

/// If the walk sends or reads this call of the line.
fn is_walked(line: &Line, call: Call) -> bool {
    if !WALKS.iter().any(|resources| resources.contains(&line.resource)) {
        return false;
    }
    let Some(values) = values(line.resource, line.field) else { return false };
    let requests = line.requests();
    let reads: Vec<String> = requests.iter().flat_map(|(_, _, place)| place.reads()).collect();
    match call.kind {
        "body" => {
            let is_sent = requests.iter().any(|(method, path, _)| (*method, *path) == (call.method, call.path));
            is_sent && (!values.is_answered || reads.iter().any(|read| answers(read, line.field)))
        }
        "answer" => values.is_answered && reads.contains(&format!("GET {}", call.path)),
        _ => false,
    }
}

#[test]
fn each_call_of_each_line_is_walked_or_shown_by_one_test() {
    let shown = shown_elsewhere();
    let mut wrong = Vec::new();
    let mut used = vec![false; shown.len()];
    for line in LINES.iter() {
        for call in &line.calls {
            let tests: Vec<usize> = (0..shown.len())
                .filter(|at| shown[*at].resource == line.resource && shown[*at].field == line.field)
                .filter(|at| call.text().starts_with(shown[*at].call))
                .collect();
            for at in &tests {
                used[*at] = true;
            }
            let ways = tests.len() + usize::from(is_walked(line, *call));
            if ways != 1 {
                wrong.push(format!("{}\t{}\t{}: {ways} ways", line.resource, line.field, call.text()));
            }
        }
    }
    let unused = shown.iter().zip(used).filter(|(_, used)| !used);
    wrong.extend(unused.map(|(shown, _)| format!("{}\t{}\t{}: no such call", shown.resource, shown.field, shown.call)));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_test_that_is_named_is_there_and_names_the_field() {
    let mut wrong = Vec::new();
    for shown in shown_elsewhere() {
        let (file, function) = shown.test.split_once("::").expect("a file and a function");
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let body =
            text.split_once(&format!("fn {function}(")).map(|(_, rest)| rest.split("\n}").next().unwrap_or(rest));
        if !body.is_some_and(|body| has_word(body, shown.field)) {
            wrong.push(format!("{}: {} is not in {}", shown.resource, shown.field, shown.test));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// If the text has this word, and not only as a part of a longer one.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}
