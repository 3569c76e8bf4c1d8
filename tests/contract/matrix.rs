//! The authorization matrix: every route, every kind of caller, every visibility.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use tenon_testkit::{Backend, TestServer};

use crate::fixture::{CALLERS, Fixture, VISIBILITIES, on_stages};
use crate::requests::{self, Case};

/// The checked-in matrix, from the folder of this package, in which Cargo runs its tests.
const FILE: &str = "contract/matrix.txt";

/// One line of the matrix: statuses by caller.
type Line = [u16; CALLERS.len()];

/// Sends the request as every caller about every place; `changed` is called if one may have changed something.
fn statuses(server: &TestServer, fixture: &Fixture, case: &Case, changed: impl Fn()) -> [Line; VISIBILITIES.len()] {
    let mut lines = [[0; CALLERS.len()]; VISIBILITIES.len()];
    for (line, place) in lines.iter_mut().zip(&fixture.places) {
        for (column, status) in line.iter_mut().enumerate() {
            *status = case.send(&fixture.client(server, column), fixture, place).status();
            if !case.reads() && *status < 300 {
                changed();
            }
        }
    }
    lines
}

/// The lines of one route; visibilities that make no difference share one.
fn write(grid: &mut String, case: &Case, lines: [Line; VISIBILITIES.len()]) {
    let mut what = format!("{} {}", case.method, case.path);
    if !case.what.is_empty() {
        write!(what, " ({})", case.what).expect("a string");
    }
    let mut seen: Vec<(Line, Vec<&str>)> = Vec::new();
    for (line, visibility) in lines.into_iter().zip(VISIBILITIES) {
        match seen.iter_mut().find(|(known, _)| *known == line) {
            Some((_, names)) => names.push(visibility),
            None => seen.push((line, vec![visibility])),
        }
    }
    for (line, names) in seen {
        let names = if names.len() == VISIBILITIES.len() { "any".to_owned() } else { names.join("+") };
        let statuses: Vec<String> = line.iter().map(|status| format!("{status:<6}")).collect();
        let line = format!("{what:<72} {names:<16} {}", statuses.join(" "));
        writeln!(grid, "{}", line.trim_end()).expect("a string");
    }
}

fn head() -> String {
    let columns: Vec<String> = CALLERS.iter().map(|name| format!("{name:<6}")).collect();
    let explanation = "# anon: no token. wrong: unknown token. ru: token of the owner's with the scope read_user only.\n\
                       # strngr: no member of anything here. blockd: an owner who is blocked. Everybody else by level.\n";
    format!("{explanation}{:<72} {:<16} {}\n", "# route", "visibility", columns.join(" ")).replace(" \n", "\n")
}

/// The differences, line by line.
fn differences(kept: &str, found: &str) -> String {
    let count = |text: &str| {
        let mut lines: BTreeMap<String, i32> = BTreeMap::new();
        for line in text.lines() {
            *lines.entry(line.trim_end().to_owned()).or_default() += 1;
        }
        lines
    };
    let (kept, found) = (count(kept), count(found));
    let gone = kept.iter().filter(|(line, _)| !found.contains_key(*line)).map(|(line, _)| format!("- {line}\n"));
    let new = found.iter().filter(|(line, _)| !kept.contains_key(*line)).map(|(line, _)| format!("+ {line}\n"));
    gone.chain(new).collect()
}

#[test]
fn every_caller_gets_what_the_matrix_says() {
    let cases = requests::all();
    let all = on_stages(cases.len(), |stage, number| {
        statuses(&stage.server, &stage.fixture, &cases[number], || stage.put_back())
    });
    let mut grid = head();
    for (case, lines) in cases.iter().zip(all) {
        write(&mut grid, case, lines);
    }
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(FILE, &grid).expect("the matrix written");
        return;
    }
    let kept = std::fs::read_to_string(FILE).expect("the matrix");
    assert_eq!(differences(&kept, &grid), "", "UPDATE_SNAPSHOTS=1 rewrites {FILE}; then read what changed");
}

/// The kept lines: the request of each, and the statuses by caller.
fn kept_lines(kept: &str) -> Vec<(String, Vec<u16>)> {
    let lines = kept.lines().filter(|line| !line.starts_with('#'));
    let parsed = lines.map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (what, statuses) = words.split_at(words.len() - CALLERS.len());
        (what.join(" "), statuses.iter().map(|status| status.parse().expect("a status")).collect())
    });
    parsed.collect()
}

#[test]
fn a_higher_level_never_means_less() {
    let kept = std::fs::read_to_string(FILE).expect("the matrix");
    // Who has access asks for none.
    let asks = |what: &str| what.starts_with("POST /") && what.contains("/access_requests");
    for (what, statuses) in kept_lines(&kept).into_iter().filter(|(what, _)| !asks(what)) {
        let levels = &statuses[3..10];
        let grows = levels.is_sorted_by(|lower, higher| *lower >= 400 || *higher < 400);
        assert!(grows, "{what}: {statuses:?}");
    }
}

#[test]
fn a_credential_that_is_no_good_is_worse_than_none() {
    let kept = std::fs::read_to_string(FILE).expect("the matrix");
    for (what, statuses) in kept_lines(&kept) {
        let ([anonymous, wrong, ..], blocked) = (&statuses[..], statuses[10]) else { panic!("{what}") };
        assert_eq!((*wrong, blocked), (401, 403), "{what}");
        let reads = what.starts_with("GET ") || what.starts_with("POST /markdown");
        assert!(*anonymous >= 400 || reads, "{what}: anonymous callers change nothing");
        assert!(statuses.iter().all(|status| *status < 500), "{what}: {statuses:?}");
    }
}

#[test]
fn reads_answer_alike_on_postgresql() {
    if !Backend::Postgres.is_available() {
        return;
    }
    let kept = std::fs::read_to_string(FILE).expect("the matrix");
    let server = TestServer::start(Backend::Postgres);
    let fixture = Fixture::build(&server);
    let mut grid = String::new();
    for case in requests::all().iter().filter(|case| case.reads()) {
        write(&mut grid, case, statuses(&server, &fixture, case, || ()));
    }
    let unlike: String = grid.lines().filter(|line| !kept.contains(*line)).map(|line| format!("{line}\n")).collect();
    assert_eq!(unlike, "");
}
