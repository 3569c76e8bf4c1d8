//! The messages on IRC about a push: one line of JSON for each message, for the gateway irker.

use serde_json::{Value, json};
use tenon_domain::service::{Property, irc_targets};

use super::message::text_at;
use super::settings::Settings;

/// Commits that are named.
const NAMED: usize = 3;
/// Characters of a message: longer ones are cut by servers of IRC.
const MAX_MESSAGE: usize = 400;
/// The port of the gateway, if the settings name none.
const PORT: u16 = 6659;

/// The machine of the gateway.
pub(super) fn gateway(settings: &Settings) -> (&str, u16) {
    let port = match settings.properties.get("server_port") {
        Some(Property::Number(port)) => u16::try_from(*port).unwrap_or(PORT),
        Some(Property::Text(_) | Property::Flag(_)) | None => PORT,
    };
    (settings.text("server_host").unwrap_or("localhost"), port)
}

/// The lines about a push; `None` if there are none.
pub(super) fn lines(settings: &Settings, event: &Value) -> Option<String> {
    let recipients = irc_targets(settings.text("recipients").unwrap_or_default(), settings.text("default_irc_uri"));
    let messages = messages(event, settings.flag("colorize_messages"))?;
    let line = |message: &String| format!("{}\n", json!({ "to": recipients, "privmsg": message }));
    (!recipients.is_empty()).then(|| messages.iter().map(line).collect())
}

fn messages(event: &Value, colored: bool) -> Option<Vec<String>> {
    let at = |pointer| text_at(event, pointer);
    let branch = at("/ref").strip_prefix("refs/heads/")?;
    let paint = |text: &str, color: &str| {
        let text = plain(text);
        if colored { format!("\u{3}{color}{text}\u{f}") } else { text }
    };
    let path = at("/project/path_with_namespace");
    let repository = paint(path.rsplit_once('/').map_or(path, |(_, name)| name), "05");
    let user = paint(at("/user_name"), "03");
    let branch = paint(branch, "07");
    let is_zero = |sha: &str| sha.bytes().all(|byte| byte == b'0');
    let (before, after, web) = (at("/before"), at("/after"), at("/project/web_url"));
    let mut messages = Vec::new();
    if is_zero(after) {
        messages.push(format!("[{repository}] {user} has deleted the branch {branch}"));
        return Some(messages);
    }
    let total = event.pointer("/total_commits_count").and_then(Value::as_i64).unwrap_or_default();
    if is_zero(before) {
        messages.push(format!("[{repository}] {user} has created a new branch {branch}: {web}"));
    } else if total == 0 {
        return None;
    } else {
        let commits = if total == 1 { "commit" } else { "commits" };
        messages.push(format!(
            "[{repository}] {user} pushed {total} new {commits} to {branch}: {web}/-/compare/{before}...{after}"
        ));
    }
    let commits = event.pointer("/commits").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    for commit in commits.iter().rev().take(NAMED) {
        let short: String = text_at(commit, "/id").chars().take(8).collect();
        let count = |name: &str| commit.pointer(name).and_then(Value::as_array).map_or(0, Vec::len);
        let files = match count("/added") + count("/modified") + count("/removed") {
            1 => "1 file".to_owned(),
            many => format!("{many} files"),
        };
        let (author, title) = (plain(text_at(commit, "/author/name")), plain(text_at(commit, "/title")));
        messages.push(format!("{repository}/{branch} {short} {author} ({files}): {title}"));
    }
    Some(messages.iter().map(|message| message.chars().take(MAX_MESSAGE).collect()).collect())
}

/// Text without what would end a message or colour it.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_push_is_a_line_and_its_newest_commits() {
        let commit = |id: i64| json!({"id": format!("{id:040}"), "title": format!("No {id}\r\nQUIT"), "author": {"name": "Ada"}, "added": ["a"], "modified": []});
        let event = json!({
            "ref": "refs/heads/main", "before": "1".repeat(40), "after": "2".repeat(40), "user_name": "Ada",
            "project": {"path_with_namespace": "a/tool", "web_url": "https://g.example/a/tool"},
            "total_commits_count": 4, "commits": [commit(1), commit(2), commit(3), commit(4)],
        });
        let messages = messages(&event, false).unwrap();
        assert_eq!(messages.len(), 4);
        assert!(
            messages[0].starts_with("[tool] Ada pushed 4 new commits to main: https://g.example/a/tool/-/compare/1")
        );
        assert_eq!(messages[1], "tool/main 00000000 Ada (1 file): No 4  QUIT");
        assert!(super::messages(&event, true).unwrap()[0].contains("\u{3}07main\u{f}"));
    }
}
