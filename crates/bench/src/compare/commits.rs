//! Commits, their changes, and the differences between them.

use std::ffi::OsStr;

use anyhow::Result;
use serde_json::Value;

use super::{Both, Report, encoded, shown, text};

/// Bytes of messages that the server shows whole.
const MESSAGE: usize = 64 << 10;
/// The last second that answers can say.
const LATEST: i64 = 253_402_300_799;

pub(super) fn compare(both: &Both<'_>, report: &mut Report) -> Result<()> {
    let head = both.local.head()?;
    let names = both.local.lines(&["for-each-ref", "--format=%(refname)", "refs/heads", "refs/tags"])?;
    let mut refs = Vec::new();
    for name in both.some(&names) {
        // A tag need not lead to a commit.
        let commit = both.local.text(&["rev-parse", "--verify", "--quiet", &format!("{name}^{{commit}}")]);
        refs.extend(commit.ok().map(|id| (name, id.trim().to_owned())));
    }
    for (name, id) in &refs {
        let address = format!("/commits?ref_name={}", encoded(name.as_bytes()));
        list(both, report, "lists of commits", &address, &[id])?;
    }
    lists(both, report, &head, &refs)?;
    for path in super::contents::paths(both)? {
        let address = format!("/commits?ref_name={}&path={}", encoded(head.as_bytes()), encoded(&path));
        let own: Vec<String> =
            both.local.about(&["log", "--format=%H", &head], &path)?.iter().map(|it| shown(it)).collect();
        let own: Vec<String> = own.into_iter().filter(|id| !id.is_empty()).collect();
        let served = both.list(&address, both.plan.commits);
        let total = own.len().to_string();
        let cut: Vec<String> = own.into_iter().take(both.plan.commits).collect();
        report.compare(
            "commits of a path",
            &shown(&path),
            &served.map(|(all, total)| (ids(&all), total)),
            &Ok((cut, total)),
        );
    }
    let all = both.local.lines(&["rev-list", &head])?;
    for id in both.some(&all) {
        one(both, report, &id)?;
        let before = both.local.text(&["rev-parse", "--verify", "--quiet", &format!("{id}^")]).ok();
        let before = before.map_or_else(|| EMPTY_TREE.to_owned(), |before| before.trim().to_owned());
        let served = both.list(&format!("/commits/{id}/diff"), 1000).map(|(files, _)| differences(&files));
        report.compare("diffs", &id, &served, &Ok(difference(both, &before, &id)?));
    }
    for (name, id) in both.some(&refs) {
        between(both, report, &head, &name, &id)?;
    }
    contributors(both, report, &head)
}

const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/// Lists of the default branch: all its commits, those of first parents, steps back and ranges.
fn lists(both: &Both<'_>, report: &mut Report, head: &str, refs: &[(String, String)]) -> Result<()> {
    list(both, report, "lists of commits", "/commits", &[head])?;
    list(both, report, "lists of commits", "/commits?first_parent=true", &["--first-parent", head])?;
    let before = format!("{head}~1");
    if both.local.text(&["rev-parse", "--verify", "--quiet", &before]).is_ok() {
        let address = format!("/commits?ref_name={}", encoded(before.as_bytes()));
        list(both, report, "lists of commits", &address, &[&before])?;
    }
    for (name, _) in both.some(refs) {
        for dots in ["..", "..."] {
            let range = format!("{name}{dots}{head}");
            let address = format!("/commits?ref_name={}", encoded(range.as_bytes()));
            list(both, report, "ranges", &address, &[&format!("{name}^{{}}{dots}{head}")])?;
        }
    }
    Ok(())
}

fn list(both: &Both<'_>, report: &mut Report, kind: &'static str, address: &str, revisions: &[&str]) -> Result<()> {
    let own = both.local.lines(&[&["rev-list"], revisions].concat())?;
    let served = both.list(address, both.plan.commits).map(|(all, total)| (ids(&all), total));
    let total = own.len().to_string();
    let cut: Vec<String> = own.into_iter().take(both.plan.commits).collect();
    report.compare(kind, address, &served, &Ok((cut, total)));
    Ok(())
}

fn ids(commits: &[Value]) -> Vec<String> {
    commits.iter().map(|commit| text(commit, "id")).collect()
}

/// A commit: its parents, people, dates and message.
fn one(both: &Both<'_>, report: &mut Report, id: &str) -> Result<()> {
    let format = "--format=%P%x00%an%x00%ae%x00%at%x00%cn%x00%ce%x00%ct%x00%B%x00";
    let fields = both.local.fields(&["log", "-1", "--encoding=UTF-8", format, id])?;
    let field = |at: usize| fields.get(at).map(|bytes| shown(bytes)).unwrap_or_default();
    let parents: Vec<String> = field(0).split_whitespace().map(str::to_owned).collect();
    let seconds = |at: usize| field(at).parse::<i64>().unwrap_or_default().clamp(0, LATEST).to_string();
    let own = (
        parents,
        [field(1), field(2), seconds(3), field(4), field(5), seconds(6)],
        field(7).get(..MESSAGE).map_or_else(|| field(7), str::to_owned).trim_end().to_owned(),
    );
    let served = both.get(&format!("/commits/{id}")).map(|commit| {
        let parents = commit.get("parent_ids").and_then(Value::as_array).into_iter().flatten();
        let parents: Vec<String> = parents.filter_map(Value::as_str).map(str::to_owned).collect();
        let moment = |field: &str| {
            let at = chrono::DateTime::parse_from_rfc3339(&text(&commit, field));
            at.map(|at| at.timestamp().to_string()).unwrap_or_default()
        };
        let people = [
            text(&commit, "author_name"),
            text(&commit, "author_email"),
            moment("authored_date"),
            text(&commit, "committer_name"),
            text(&commit, "committer_email"),
            moment("committed_date"),
        ];
        (parents, people, text(&commit, "message").trim_end().to_owned())
    });
    report.compare("commits", id, &served, &Ok(own));
    Ok(())
}

/// A file that differs: its paths, its modes, and the text from the first `@@` on.
type Difference = (String, String, String, String);

/// The differences, as the API gives them. Texts that it leaves out are not compared.
fn differences(files: &[Value]) -> Vec<Difference> {
    files
        .iter()
        .map(|file| (text(file, "old_path"), text(file, "new_path"), text(file, "a_mode"), text(file, "b_mode")))
        .collect()
}

/// The same as Git says it.
fn difference(both: &Both<'_>, before: &str, after: &str) -> Result<Vec<Difference>> {
    let arguments = ["diff-tree", "-r", "-z", "--raw", "-M", "-l1000", before, after].map(OsStr::new);
    let output = both.local.bytes(&arguments)?;
    let mut fields = output.split(|byte| *byte == 0);
    let mut found = Vec::new();
    while let Some(head) = fields.next().map(shown).filter(|head| head.starts_with(':')) {
        let mut words = head.trim_start_matches(':').split(' ');
        let mut mode =
            || words.next().map(|mode| if mode == "000000" { "0" } else { mode }.to_owned()).unwrap_or_default();
        let (old_mode, new_mode) = (mode(), mode());
        let old = fields.next().map(shown).unwrap_or_default();
        let new = if head.contains(" R") { fields.next().map(shown).unwrap_or_default() } else { old.clone() };
        found.push((old, new, old_mode, new_mode));
    }
    // The server answers so many.
    found.truncate(1000);
    Ok(found)
}

/// The commits of the default branch since it left another one, and the differences.
fn between(both: &Both<'_>, report: &mut Report, head: &str, name: &str, id: &str) -> Result<()> {
    let address = format!("/compare?from={}&to={}", encoded(name.as_bytes()), encoded(head.as_bytes()));
    let served = both.get(&address).map(|found| {
        let commits = found.get("commits").and_then(Value::as_array).cloned().unwrap_or_default();
        let files = found.get("diffs").and_then(Value::as_array).cloned().unwrap_or_default();
        (ids(&commits), differences(&files))
    });
    let newest = both.local.lines(&["rev-list", "--max-count=1000", &format!("{id}..{head}")])?;
    let commits: Vec<String> = newest.into_iter().rev().collect();
    let base = both.local.text(&["merge-base", id, head]).ok().map(|base| base.trim().to_owned());
    let base = base.unwrap_or_else(|| EMPTY_TREE.to_owned());
    let same = both.local.text(&["rev-parse", &format!("{head}^{{commit}}")])?.trim() == id;
    let own = if same { (Vec::new(), Vec::new()) } else { (commits, difference(both, &base, head)?) };
    report.compare("comparisons", &format!("{name}...{head}"), &served, &Ok(own));
    Ok(())
}

fn contributors(both: &Both<'_>, report: &mut Report, head: &str) -> Result<()> {
    let format = ["log", "-z", "--no-merges", "--encoding=UTF-8", "--format=tformat:%ae", "--max-count=2000", head];
    let mut own: Vec<(String, i64)> = Vec::new();
    let mut addresses: Vec<Vec<u8>> = both.local.fields(&format)?;
    addresses.sort();
    for same in addresses.chunk_by(|one, other| one == other) {
        let count = i64::try_from(same.len()).unwrap_or(i64::MAX);
        own.extend(same.first().map(|address| (shown(address), count)));
    }
    own.sort();
    let served = both.list("/contributors?order_by=email", usize::MAX).map(|(people, total)| {
        let of = |person: &Value| (text(person, "email"), person["commits"].as_i64().unwrap_or_default());
        let mut people: Vec<(String, i64)> = people.iter().map(of).collect();
        people.sort();
        (people, total)
    });
    let total = own.len().to_string();
    report.compare("contributors", head, &served, &Ok((own, total)));
    Ok(())
}
