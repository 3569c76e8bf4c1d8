//! The routes against the tables: the documented ones, and those that are served beyond them.

use std::collections::BTreeSet;
use std::path::Path;

/// Method and path, with `{}` for whatever varies.
pub(crate) type Route = (String, String);

/// The documented endpoints.
const DOCUMENTED: &str = include_str!("endpoints.tsv");
/// Other routes that are served, each with the folder of the tests that hold its behaviour.
const BEYOND: &str = include_str!("beyond.tsv");

fn rows(table: &str) -> impl Iterator<Item = Vec<&str>> {
    table.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).map(|line| line.split('\t').collect())
}

fn read(table: &str) -> BTreeSet<Route> {
    rows(table).map(|row| (row[0].to_owned(), normalised(row[1]))).collect()
}

/// `/users/{}/keys/{}` of `/users/:id/keys/:key_id` and of `/users/{id}/keys/{key_id}`.
pub(crate) fn normalised(path: &str) -> String {
    let segment = |segment: &str| {
        let varies = segment.starts_with(':') || segment.starts_with('{');
        if varies { "{}".to_owned() } else { segment.to_owned() }
    };
    path.split('/').map(segment).collect::<Vec<_>>().join("/")
}

fn served() -> BTreeSet<Route> {
    let listing = tenon_http::listing().expect("a table of routes");
    listing.into_iter().map(|route| (route.method, normalised(&route.path))).collect()
}

fn lines<'r>(routes: impl Iterator<Item = &'r Route>) -> String {
    routes.map(|(method, path)| format!("{method}\t{path}\n")).collect()
}

#[test]
fn the_table_lists_106_documented_endpoints_once_each() {
    assert_eq!((rows(DOCUMENTED).count(), read(DOCUMENTED).len()), (106, 106));
}

#[test]
fn every_served_route_is_in_a_table() {
    let (documented, beyond, served) = (read(DOCUMENTED), read(BEYOND), served());
    let unlisted = served.iter().filter(|route| !documented.contains(*route) && !beyond.contains(*route));
    assert_eq!(lines(unlisted), "", "served, and in neither endpoints.tsv nor beyond.tsv");
    assert_eq!(lines(beyond.difference(&served)), "", "in beyond.tsv and not served");
    assert_eq!(lines(beyond.intersection(&documented)), "", "in beyond.tsv and in endpoints.tsv");
    let root = Path::new("..");
    let untested = rows(BEYOND).filter(|row| row.get(2).is_none_or(|tests| !root.join(tests).join("mod.rs").is_file()));
    assert_eq!(untested.count(), 0, "every row of beyond.tsv names the folder of its tests");
}

#[test]
fn every_documented_endpoint_is_served() {
    let (documented, served) = (read(DOCUMENTED), served());
    assert_eq!(lines(documented.difference(&served)), "", "documented, and not served");
}
