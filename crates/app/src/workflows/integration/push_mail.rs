//! The mail about a push.

use serde_json::Value;
use tenon_domain::id::{ProjectId, UserId};
use tenon_git::Oid;
use tenon_git::commit::{CommitQuery, CommitRange};
use tenon_git::diff::{Diff, DiffLimits};

use super::letter::{Letter, own_address};
use super::message::text_at;
use super::settings::Settings;
use crate::core::app::App;
use crate::core::error::AppError;
use crate::core::links::in_path;

/// Files of which the difference is shown.
const MAX_FILES: usize = 100;
/// Bytes of the difference of one file.
const FILE_BYTES: usize = 32 << 10;
/// Commits that are named if they were removed.
const MAX_REMOVED: usize = 20;

/// The letter about a push; `None` if it has changed nothing. Blocks: asks Git.
pub(super) fn letter(
    app: &App,
    settings: &Settings,
    actor: Option<UserId>,
    body: &Value,
) -> Result<Option<Letter>, AppError> {
    let at = |pointer| text_at(body, pointer);
    let (full, path) = (at("/ref"), at("/project/path_with_namespace"));
    let Some((what, name)) = full
        .strip_prefix("refs/heads/")
        .map(|name| ("branch", name))
        .or_else(|| full.strip_prefix("refs/tags/").map(|name| ("tag", name)))
    else {
        return Ok(None);
    };
    let (before, after) = (oid(at("/before")), oid(at("/after")));
    if before == after {
        return Ok(None);
    }
    let user = format!("{} (@{})", at("/user_name"), at("/user_username"));
    let web = at("/project/web_url");
    let commits = body.pointer("/commits").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let total = body.pointer("/total_commits_count").and_then(Value::as_i64).unwrap_or_default();
    let (subject, mut parts) = match (before, after) {
        (_, None) => {
            (format!("[Git][{path}] Deleted {what} {name}"), vec![format!("{user} deleted {what} {name} at {web}")])
        }
        (None, Some(_)) => {
            // A tag of a file or directory has no commits.
            let page = if what == "tag" && total == 0 { "tags" } else { "commits" };
            let said = format!("{user} pushed new {what} {name} at {web}/-/{page}/{}", in_path(name));
            (format!("[Git][{path}] Pushed new {what} {name}"), vec![said])
        }
        (Some(before), Some(after)) => {
            let project = ProjectId::new(body.pointer("/project_id").and_then(Value::as_i64).unwrap_or_default());
            let removed = removed(app, project, before, after)?;
            let titles: Vec<&str> = commits.iter().map(|commit| text_at(commit, "/title")).collect();
            let said = match (total, removed.as_slice()) {
                (0, []) => format!("Moved {what}"),
                (0, [first, ..]) => format!("Deleted {}: {first}", counted(removed.len())),
                (1, _) => titles.first().copied().unwrap_or_default().to_owned(),
                (many, _) => format!("{many} commits: {}", titles.first().copied().unwrap_or_default()),
            };
            let compare = format!("{web}/-/compare/{before}...{after}");
            let mut parts = vec![format!("{user} pushed to {what} {name} at {web}"), compare];
            if !removed.is_empty() {
                let more = if removed.len() > MAX_REMOVED { "\nand older commits" } else { "" };
                let shown: Vec<&str> = removed.iter().take(MAX_REMOVED).map(String::as_str).collect();
                parts.push(format!("Deleted commits:\n{}{more}", shown.join("\n")));
            }
            if !settings.flag("disable_diffs") {
                parts.push(difference(app, project, before, after)?);
            }
            (format!("[Git][{path}][{name}] {said}"), parts)
        }
    };
    if !commits.is_empty() {
        parts.insert(1, named(commits, total));
    }
    parts.retain(|part| !part.is_empty());
    let from_address = if settings.flag("send_from_committer_email") { own_address(app, actor)? } else { None };
    Ok(Some(Letter {
        subject,
        text: format!("{}\n", parts.join("\n\n")),
        from_name: Some(at("/user_name").to_owned()).filter(|name| !name.is_empty()),
        from_address,
        project: path.to_owned(),
    }))
}

fn oid(text: &str) -> Option<Oid> {
    text.parse().ok().filter(|oid: &Oid| !oid.is_zero())
}

fn counted(count: usize) -> String {
    match count {
        1 => "1 commit".to_owned(),
        0..=MAX_REMOVED => format!("{count} commits"),
        _ => format!("more than {MAX_REMOVED} commits"),
    }
}

/// The commits that came, one paragraph for each.
fn named(commits: &[Value], total: i64) -> String {
    let mut lines: Vec<String> = commits
        .iter()
        .map(|commit| {
            let at = |pointer| text_at(commit, pointer);
            let short: String = at("/id").chars().take(8).collect();
            let message = at("/message").trim().replace('\n', "\n    ");
            format!("{short} by {} at {}\n    {message}", at("/author/name"), at("/timestamp"))
        })
        .collect();
    let count = i64::try_from(commits.len()).unwrap_or(i64::MAX);
    if total > count {
        lines.push(format!("and {} older commits", total - count));
    }
    format!("Commits:\n{}", lines.join("\n"))
}

/// The titles of the commits that a branch has lost if it was set back or rewritten; one more than are named.
fn removed(app: &App, project: ProjectId, before: Oid, after: Oid) -> Result<Vec<String>, AppError> {
    let repository = app.repositories().store.repository(project);
    let query = CommitQuery::new(CommitRange::Between { from: after, to: before });
    let most = i64::try_from(MAX_REMOVED).unwrap_or(i64::MAX).saturating_add(1);
    match repository.commit_list(&query, 0, most) {
        Ok(commits) => Ok(commits.iter().map(|commit| commit.title().to_owned()).collect()),
        Err(error) => passed_over(error.into()).map(|()| Vec::new()),
    }
}

/// The difference of the two, as far as a mail shows it.
fn difference(app: &App, project: ProjectId, before: Oid, after: Oid) -> Result<String, AppError> {
    let repository = app.repositories().store.repository(project);
    let total_bytes = usize::try_from(app.limits().services.mail_diff).unwrap_or(usize::MAX);
    let limits = DiffLimits { files: MAX_FILES, file_bytes: FILE_BYTES, total_bytes, ..DiffLimits::default() };
    match repository.diff(before, after, limits) {
        Ok(diff) => Ok(shown(&diff)),
        Err(error) => passed_over(error.into()).map(|()| String::new()),
    }
}

/// Only a busy server is asked again: a push that Git cannot describe any more is written about without that.
fn passed_over(error: AppError) -> Result<(), AppError> {
    if matches!(error, AppError::Busy { .. } | AppError::DiskFull) {
        return Err(error);
    }
    tracing::warn!(%error, "a push is written about without what Git says of it");
    Ok(())
}

fn shown(diff: &Diff) -> String {
    let mut text = String::new();
    for file in &diff.files {
        let how = match (file.new_file, file.deleted_file, file.renamed_file) {
            (true, _, _) => " (new)".to_owned(),
            (_, true, _) => " (deleted)".to_owned(),
            (_, _, true) => format!(" (was {})", file.old_path),
            _ => String::new(),
        };
        text += &format!("=== {}{how}\n", file.new_path);
        text += if file.too_large { "Diff too large to display.\n" } else { &file.diff };
        if !text.ends_with('\n') {
            text.push('\n');
        }
    }
    if diff.overflow {
        text += "\nThe rest of the changes is available online.\n";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_counted_to_its_end_is_said_to_be_more() {
        assert_eq!([1, 20, 21].map(counted), ["1 commit", "20 commits", "more than 20 commits"]);
    }
}
