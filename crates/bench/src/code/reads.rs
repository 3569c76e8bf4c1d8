//! Reads of a repository on several connections at once: how many are answered in a second, of things that were not
//! asked for before, and of the same thing again and again.

use std::fmt::Write as _;
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Result, ensure};

use crate::endpoint::ROOT_TOKEN;
use crate::load::{self, Outcome};

const CONNECTIONS: usize = 4;
const TIME: Duration = Duration::from_secs(3);
/// So short that each commit is asked about once.
const FIRST: Duration = Duration::from_millis(500);

/// Answers in a second.
#[derive(Debug, Clone, Copy)]
pub struct Rate {
    /// The measured read.
    pub name: &'static str,
    /// The rate if each request asks for something else.
    pub first: f64,
    /// The rate if all requests ask for the same.
    pub again: f64,
}

/// A read: its name, and the path below the project, given the commit or the number of the request.
type Read = (&'static str, fn(&str, u64) -> String);

const READS: [Read; 5] = [
    ("GET repository/files/:path", |commit, _| format!("/repository/files/file1.txt?ref={commit}")),
    ("GET repository/tree", |commit, _| format!("/repository/tree?ref={commit}")),
    ("GET repository/commits", |commit, _| format!("/repository/commits?ref_name={commit}")),
    ("GET repository/branches", |_, number| format!("/repository/branches?page={}", number % 5 + 1)),
    ("GET search?scope=blobs", |_, number| format!("/search?scope=blobs&search=text+{number}")),
];

/// Measures the reads of a project, by its path in the API, whose repository has these commits.
pub(super) async fn measure(port: u16, project: &str, commits: Rc<[String]>) -> Result<Vec<Rate>> {
    let mut rates = Vec::new();
    for (name, path) in READS {
        let request = move |project: &str, path: &str| -> Rc<[u8]> {
            let head = format!("GET /api/v4{project}{path} HTTP/1.1\r\nHost: localhost\r\n");
            format!("{head}Private-Token: {ROOT_TOKEN}\r\n\r\n").into_bytes().into()
        };
        let (first, again) = (project.to_owned(), request(project, &path("main", 0)));
        let commits = Rc::clone(&commits);
        let other = move |number: u64| {
            let place = usize::try_from(number).unwrap_or_default() % commits.len().max(1);
            request(&first, &path(commits.get(place).map_or("main", String::as_str), number))
        };
        let first = drive(port, FIRST, other).await?;
        // The same was asked for once before the measuring.
        load::ask(port, &again).await?;
        let again = drive(port, TIME, move |_number| Rc::clone(&again)).await?;
        for outcome in [&first, &again] {
            ensure!(outcome.errors == 0, "{name}: {} of the requests failed", outcome.errors);
        }
        rates.push(Rate { name, first: first.per_second(), again: again.per_second() });
    }
    Ok(rates)
}

async fn drive(port: u16, time: Duration, message: impl Fn(u64) -> Rc<[u8]> + 'static) -> Result<Outcome> {
    load::drive(port, CONNECTIONS, time, &mut 0, Rc::new(message)).await
}

/// A Markdown table of rates.
#[must_use]
pub fn table(rates: &[Rate]) -> String {
    let mut text = format!("| {CONNECTIONS} connections | first time, a second | again, a second |\n|---|--:|--:|\n");
    for Rate { name, first, again } in rates {
        let _ = writeln!(text, "| {name} | {first:.0} | {again:.0} |");
    }
    text
}
