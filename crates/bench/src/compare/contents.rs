//! Directories, files, the commits of lines, and archives.

use std::ffi::OsStr;

use anyhow::Result;
use serde_json::Value;
use tenon_testkit::Reply;

use super::{Both, Report, encoded, shown, text};

/// Bytes of a file whose lines are blamed, and lines.
const BLAMED: usize = 1 << 20;
const LINES: usize = 10_000;

/// An entry of a directory: mode, kind, object and path.
type Entry = (String, String, String, String);

/// The entries of a tree with everything below it, with their paths as bytes.
fn entries(both: &Both<'_>, tree: &str) -> Result<Vec<(Entry, Vec<u8>)>> {
    let mut found = Vec::new();
    for line in both.local.fields(&["ls-tree", "-z", "-r", "-t", "--full-tree", tree])? {
        let Some(end) = line.iter().position(|byte| *byte == b'\t') else { continue };
        let (head, path) = line.split_at(end);
        let path = path.get(1..).unwrap_or_default().to_vec();
        let head = shown(head);
        let mut words = head.split(' ').map(str::to_owned);
        let (mode, kind, id) = (words.next(), words.next(), words.next());
        let entry = (mode.unwrap_or_default(), kind.unwrap_or_default(), id.unwrap_or_default(), shown(&path));
        found.push((entry, path));
    }
    Ok(found)
}

/// Paths that are compared: some of all, and those that are not UTF-8.
pub(super) fn paths(both: &Both<'_>) -> Result<Vec<Vec<u8>>> {
    let head = both.local.head()?;
    let all: Vec<Vec<u8>> = entries(both, &head)?.into_iter().map(|(_, path)| path).collect();
    let odd: Vec<Vec<u8>> = all.iter().filter(|path| std::str::from_utf8(path).is_err()).cloned().collect();
    let mut some = both.some(&all);
    some.extend(both.some(&odd));
    some.sort();
    some.dedup();
    Ok(some)
}

pub(super) fn compare(both: &Both<'_>, report: &mut Report) -> Result<()> {
    let head = both.local.head()?;
    let commits = both.local.lines(&["rev-list", &head])?;
    for id in both.some(&commits).iter().take(5) {
        let served = both.list(&format!("/tree?recursive=true&ref={id}"), usize::MAX);
        let served = served.map(|(items, total)| (sorted(items.iter().map(entry).collect()), total));
        let own: Vec<Entry> = entries(both, id)?.into_iter().map(|(entry, _)| entry).collect();
        let total = own.len().to_string();
        report.compare("trees", id, &served, &Ok((sorted(own), total)));
    }
    let all = entries(both, &head)?;
    let wanted = paths(both)?;
    for ((_, kind, id, _), path) in all.iter().filter(|(_, path)| wanted.contains(path)) {
        match kind.as_str() {
            "tree" => directory(both, report, &head, id, path)?,
            "blob" => file(both, report, &head, id, path)?,
            _ => {}
        }
    }
    for id in both.some(&commits).iter().take(3) {
        let served = both.client.get(&format!("{}/archive.tar?sha={id}", both.at));
        let prefix = format!("--prefix=compared-{id}-{id}/");
        let own = both.local.bytes(&["archive", "--format=tar", &prefix, id].map(OsStr::new))?;
        report.compare("archives", id, &(served.status(), served.bytes() == own), &(200, true));
    }
    Ok(())
}

fn sorted(mut entries: Vec<Entry>) -> Vec<Entry> {
    entries.sort();
    entries
}

fn entry(item: &Value) -> Entry {
    (text(item, "mode"), text(item, "type"), text(item, "id"), text(item, "path"))
}

fn directory(both: &Both<'_>, report: &mut Report, head: &str, id: &str, path: &[u8]) -> Result<()> {
    let address = format!("/tree?ref={}&path={}", encoded(head.as_bytes()), encoded(path));
    let served = both.list(&address, usize::MAX);
    let served = served.map(|(items, total)| (items.iter().map(|it| text(it, "id")).collect::<Vec<_>>(), total));
    let served = served.map(|(mut ids, total)| {
        ids.sort();
        (ids, total)
    });
    let mut own: Vec<String> = Vec::new();
    for line in both.local.fields(&["ls-tree", "-z", id])? {
        own.extend(shown(&line).split([' ', '\t']).nth(2).map(str::to_owned));
    }
    own.sort();
    let total = own.len().to_string();
    report.compare("directories", &shown(path), &served, &Ok((own, total)));
    Ok(())
}

fn file(both: &Both<'_>, report: &mut Report, head: &str, id: &str, path: &[u8]) -> Result<()> {
    let at = format!("{}/files/{}", both.at, encoded(path));
    let query = format!("?ref={}", encoded(head.as_bytes()));
    let own = both.local.bytes(&["cat-file", "blob", id].map(OsStr::new))?;
    let raw = both.client.get(&format!("{at}/raw{query}"));
    report.compare("files", &shown(path), &(raw.status(), raw.bytes() == own), &(200, true));
    let last = both.local.about(&["log", "-1", "--format=%H", head], path)?;
    let last = last.first().map(|line| shown(line)).unwrap_or_default();
    let header = |name: &str| raw.header(&format!("x-gitlab-{name}"));
    let facts = [header("blob-id"), header("size"), header("last-commit-id")];
    report.compare("last commits", &shown(path), &facts, &[id.to_owned(), own.len().to_string(), last]);
    let page = both.client.get(&format!("//root/compared/raw/{}/{}", encoded(head.as_bytes()), encoded(path)));
    report.compare("raw pages", &shown(path), &(page.status(), page.bytes() == own), &(200, true));
    let is_text = !own.contains(&0) && own.len() <= BLAMED && own.split(|byte| *byte == b'\n').count() <= LINES;
    if is_text && !own.is_empty() {
        let served = blamed(&both.client.get(&format!("{at}/blame{query}")));
        report.compare("blames", &shown(path), &served, &Ok(blame(both, head, path)?));
    }
    Ok(())
}

/// The commit of each line.
fn blamed(reply: &Reply) -> Result<Vec<String>, u16> {
    if reply.status() != 200 {
        return Err(reply.status());
    }
    let mut found = Vec::new();
    for range in reply.json().as_array().into_iter().flatten() {
        let lines = range["lines"].as_array().map_or(0, Vec::len);
        found.extend(std::iter::repeat_n(text(&range["commit"], "id"), lines));
    }
    Ok(found)
}

fn blame(both: &Both<'_>, head: &str, path: &[u8]) -> Result<Vec<String>> {
    let lines = both.local.about(&["blame", "--porcelain", head], path)?;
    let (mut found, mut current) = (Vec::new(), None);
    for line in &lines {
        if line.first() == Some(&b'\t') {
            found.extend(current.take());
        } else if current.is_none() {
            current = line.get(..40).map(shown);
        }
    }
    Ok(found)
}
