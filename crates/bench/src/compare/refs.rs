//! Branches and tags.

use anyhow::Result;
use serde_json::Value;

use super::{Both, Report, encoded, text};

/// More branches, or tags, than this are not listed.
const MOST: usize = 100_000;

pub(super) fn compare(both: &Both<'_>, report: &mut Report) -> Result<()> {
    // By name, as bytes.
    let own = pairs(both, &["for-each-ref", "--format=%(refname:lstrip=2)%00%(objectname)", "refs/heads"])?;
    let served = both.list("/branches?sort=name", MOST).map(|(branches, total)| (of(&branches), total));
    report.compare("branches", "the list", &served, &Ok((own.clone(), own.len().to_string())));
    for (name, id) in both.some(&own) {
        let served = both.get(&format!("/branches/{}", encoded(name.as_bytes()))).map(|it| commit_of(&it));
        report.compare("branches", &name, &served, &Ok(id));
    }
    let format = "--format=%(refname:lstrip=2)%00%(objecttype)%00%(objectname)%00%(*objecttype)%00%(*objectname)";
    let mut own: Vec<(String, String, Option<String>)> = Vec::new();
    for line in both.local.lines(&["for-each-ref", format, "refs/tags"])? {
        let fields: Vec<&str> = line.split('\0').collect();
        let [name, kind, id, kind_behind, behind] = fields[..] else { continue };
        let commit = match (kind, kind_behind) {
            ("commit", _) => Some(id.to_owned()),
            ("tag", "commit") => Some(behind.to_owned()),
            // A tag of a tag.
            ("tag", "tag") => {
                both.local.text(&["rev-parse", &format!("{id}^{{commit}}")]).ok().map(|it| it.trim().to_owned())
            }
            _ => None,
        };
        own.push((name.to_owned(), id.to_owned(), commit));
    }
    let served = both.list("/tags?order_by=name&sort=asc", MOST).map(|(tags, total)| {
        let mut tags: Vec<_> = tags.iter().map(tag).collect();
        tags.sort();
        (tags, total)
    });
    own.sort();
    report.compare("tags", "the list", &served, &Ok((own.clone(), own.len().to_string())));
    for found in both.some(&own) {
        let served = both.get(&format!("/tags/{}", encoded(found.0.as_bytes()))).map(|it| tag(&it));
        report.compare("tags", &found.0.clone(), &served, &Ok(found));
    }
    Ok(())
}

fn pairs(both: &Both<'_>, arguments: &[&str]) -> Result<Vec<(String, String)>> {
    let lines = both.local.lines(arguments)?;
    Ok(lines.iter().filter_map(|line| line.split_once('\0')).map(|(a, b)| (a.to_owned(), b.to_owned())).collect())
}

fn commit_of(branch: &Value) -> String {
    branch.get("commit").map(|commit| text(commit, "id")).unwrap_or_default()
}

fn of(branches: &[Value]) -> Vec<(String, String)> {
    branches.iter().map(|branch| (text(branch, "name"), commit_of(branch))).collect()
}

fn tag(tag: &Value) -> (String, String, Option<String>) {
    let commit = tag.pointer("/commit/id").and_then(Value::as_str).map(str::to_owned);
    (text(tag, "name"), text(tag, "target"), commit)
}
