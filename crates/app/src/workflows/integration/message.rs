//! The messages in a chat about an event: made of the body that hooks get.

use serde_json::Value;

use crate::core::links::in_path;

/// How a chat writes links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Markup {
    /// `<https://example.org|text>`.
    Angled,
    /// `[text](https://example.org)`.
    Markdown,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Message {
    /// The event, in the markup of the chat.
    pub(super) text: String,
    pub(super) attachment: Option<Attachment>,
}

/// The attachment of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Attachment {
    /// A title with the address that it leads to. Plain text.
    pub(super) title: Option<(String, String)>,
    /// In the markup of the chat.
    pub(super) text: String,
    pub(super) color: &'static str,
}

const GREY: &str = "#345";
const ORANGE: &str = "#C95823";

/// The message about an event; `None` if nothing is said about it. `most` characters of what a user has written are
/// repeated.
pub(super) fn message(markup: Markup, most: usize, body: &Value) -> Option<Message> {
    let writer = Writer { markup, most, body };
    match writer.at("/object_kind") {
        "push" => writer.push("branch"),
        "tag_push" => writer.push("tag"),
        "issue" => writer.issue(),
        "merge_request" => writer.merge_request(),
        "note" => writer.note(),
        "pipeline" => writer.pipeline(),
        "wiki_page" => writer.wiki_page(),
        _ => None,
    }
}

impl Markup {
    /// Text that means nothing but itself.
    pub(super) fn escape(self, text: &str) -> String {
        match self {
            Self::Angled => text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"),
            Self::Markdown => {
                let mut escaped = String::with_capacity(text.len());
                for c in text.chars() {
                    if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '(' | ')' | '<' | '>' | '#' | '!' | '|') {
                        escaped.push('\\');
                    }
                    escaped.push(c);
                }
                escaped
            }
        }
    }

    fn link(self, url: &str, text: &str) -> String {
        // A line break or a bar would end the link.
        let text: String = text.chars().map(|c| if c.is_control() || c == '|' { ' ' } else { c }).collect();
        match self {
            Self::Angled => format!("<{url}|{}>", self.escape(&text)),
            Self::Markdown => format!("[{}]({url})", self.escape(&text)),
        }
    }
}

struct Writer<'a> {
    markup: Markup,
    most: usize,
    body: &'a Value,
}

impl Writer<'_> {
    fn at(&self, pointer: &str) -> &str {
        text_at(self.body, pointer)
    }

    fn number(&self, pointer: &str) -> i64 {
        self.body.pointer(pointer).and_then(Value::as_i64).unwrap_or_default()
    }

    fn plain(&self, text: &str) -> String {
        self.markup.escape(text)
    }

    fn link(&self, url: &str, text: &str) -> String {
        self.markup.link(url, text)
    }

    /// The text that a user has written, cut if it is too long.
    fn written(&self, text: &str) -> String {
        let mut cut: String = text.chars().take(self.most).collect();
        if text.chars().nth(self.most).is_some() {
            cut.push('…');
        }
        self.plain(&cut)
    }

    fn user(&self) -> String {
        let (name, username) = match self.at("/user_username") {
            "" => (self.at("/user/name"), self.at("/user/username")),
            username => (self.at("/user_name"), username),
        };
        if username.is_empty() { "The server".to_owned() } else { self.plain(&format!("{name} ({username})")) }
    }

    fn project(&self) -> String {
        self.link(self.at("/project/web_url"), self.at("/project/path_with_namespace"))
    }

    fn push(&self, what: &str) -> Option<Message> {
        let full = self.at("/ref");
        let name = full.strip_prefix("refs/heads/").or_else(|| full.strip_prefix("refs/tags/"))?;
        let (user, project, web) = (self.user(), self.project(), self.at("/project/web_url"));
        let (before, after) = (self.at("/before"), self.at("/after"));
        let is_zero = |sha: &str| sha.bytes().all(|byte| byte == b'0');
        // A tag of a file or directory has no commits.
        let is_empty = full.starts_with("refs/tags/") && self.number("/total_commits_count") == 0;
        let page = if is_empty { "tags" } else { "commits" };
        let link = self.link(&format!("{web}/-/{page}/{}", in_path(name)), name);
        if is_zero(after) {
            let text = format!("{user} removed {what} {} from {project}", self.plain(name));
            return Some(Message { text, attachment: None });
        }
        if is_zero(before) {
            return Some(Message { text: format!("{user} pushed new {what} {link} to {project}"), attachment: None });
        }
        let compare = self.link(&format!("{web}/-/compare/{before}...{after}"), "Compare changes");
        let commits = self.body.pointer("/commits").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let lines: Vec<String> = commits
            .iter()
            .map(|commit| {
                let short: String = text_at(commit, "/id").chars().take(8).collect();
                let link = self.link(text_at(commit, "/url"), &short);
                let (title, author) = (text_at(commit, "/title"), text_at(commit, "/author/name"));
                format!("{link}: {} - {}", self.written(title), self.plain(author))
            })
            .collect();
        let attachment = (!lines.is_empty()).then(|| Attachment { title: None, text: lines.join("\n"), color: GREY });
        Some(Message { text: format!("{user} pushed to {what} {link} of {project} ({compare})"), attachment })
    }

    fn issue(&self) -> Option<Message> {
        let (user, project, url) = (self.user(), self.project(), self.at("/object_attributes/url"));
        let title = format!("#{} {}", self.number("/object_attributes/iid"), self.at("/object_attributes/title"));
        let state = match self.at("/object_attributes/action") {
            "open" => {
                let text = self.written(self.at("/object_attributes/description"));
                let attachment = Attachment { title: Some((title, url.to_owned())), text, color: ORANGE };
                let text = format!("[{project}] Issue opened by {user}");
                return Some(Message { text, attachment: Some(attachment) });
            }
            "close" => "closed",
            "reopen" => "reopened",
            _ => return None,
        };
        let text = format!("[{project}] Issue {} {state} by {user}", self.link(url, &title));
        Some(Message { text, attachment: None })
    }

    fn merge_request(&self) -> Option<Message> {
        let state = match self.at("/object_attributes/action") {
            "open" | "reopen" => "opened",
            "close" => "closed",
            "merge" => "merged",
            _ => return None,
        };
        let (user, project) = (self.user(), self.project());
        let title =
            self.bold(&format!("!{} *{}*", self.number("/object_attributes/iid"), self.at("/object_attributes/title")));
        let link = self.link(self.at("/object_attributes/url"), &title);
        Some(Message { text: format!("{user} {state} {link} in {project}"), attachment: None })
    }

    /// Stars around a title are no markup if they would be escaped.
    fn bold(&self, text: &str) -> String {
        match self.markup {
            Markup::Angled => text.to_owned(),
            Markup::Markdown => text.replace('*', ""),
        }
    }

    fn note(&self) -> Option<Message> {
        let (what, title) = match self.at("/object_attributes/noteable_type") {
            "Issue" => (format!("issue #{}", self.number("/issue/iid")), self.at("/issue/title")),
            "MergeRequest" => {
                (format!("merge request !{}", self.number("/merge_request/iid")), self.at("/merge_request/title"))
            }
            "Commit" => {
                let short: String = self.at("/commit/id").chars().take(8).collect();
                let title = self.at("/commit/message").lines().next().unwrap_or_default();
                (format!("commit {short}"), title)
            }
            "Snippet" => (format!("snippet ${}", self.number("/snippet/id")), self.at("/snippet/title")),
            _ => return None,
        };
        let link = self.link(self.at("/object_attributes/url"), &format!("commented on {what}"));
        let text = format!("{} {link} in {}: *{}*", self.user(), self.project(), self.written(title));
        let written = self.written(self.at("/object_attributes/note"));
        Some(Message { text, attachment: Some(Attachment { title: None, text: written, color: GREY }) })
    }

    fn pipeline(&self) -> Option<Message> {
        let (state, color) = match self.at("/object_attributes/status") {
            "success" => ("passed", "good"),
            "failed" => ("failed", "danger"),
            _ => return None,
        };
        let web = self.at("/project/web_url");
        let (id, name) = (self.number("/object_attributes/id"), self.at("/object_attributes/ref"));
        let is_tag = self.body.pointer("/object_attributes/tag").and_then(Value::as_bool).unwrap_or_default();
        let text = format!(
            "{}: Pipeline {} of {} {} by {} {state} in {}",
            self.project(),
            self.link(&format!("{web}/-/pipelines/{id}"), &format!("#{id}")),
            if is_tag { "tag" } else { "branch" },
            self.link(&format!("{web}/-/commits/{}", in_path(name)), name),
            self.user(),
            duration(self.number("/object_attributes/duration")),
        );
        Some(Message { text: String::new(), attachment: Some(Attachment { title: None, text, color }) })
    }

    fn wiki_page(&self) -> Option<Message> {
        let verb = match self.at("/object_attributes/action") {
            "create" => "created",
            "update" => "edited",
            _ => return None,
        };
        let link = self.link(self.at("/object_attributes/url"), "wiki page");
        let title = self.written(self.at("/object_attributes/title"));
        let text = format!("{} {verb} {link} in {}: *{title}*", self.user(), self.project());
        let written = self.written(self.at("/object_attributes/content"));
        Some(Message { text, attachment: Some(Attachment { title: None, text: written, color: GREY }) })
    }
}

/// The text at a place of a body; empty if there is none.
pub(super) fn text_at<'a>(body: &'a Value, pointer: &str) -> &'a str {
    body.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// Seconds as `01:12`, or `1:00:05`.
fn duration(seconds: i64) -> String {
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes:02}:{seconds:02}") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn said(body: &Value) -> Message {
        message(Markup::Angled, 10, body).unwrap()
    }

    fn pipeline(status: &str) -> Value {
        json!({
            "object_kind": "pipeline", "user": {"name": "Ada", "username": "ada"},
            "project": {"web_url": "https://g.example/a/b", "path_with_namespace": "a/b"},
            "object_attributes": {"id": 5, "ref": "main", "tag": false, "status": status, "duration": 72},
        })
    }

    #[test]
    fn what_users_write_is_no_markup() {
        let body = json!({
            "object_kind": "issue", "user": {"name": "<!channel>", "username": "eve"},
            "project": {"web_url": "https://g.example/a/b", "path_with_namespace": "a/b"},
            "object_attributes": {"action": "close", "iid": 3, "title": "a|b>\n<https://evil.example|c>", "url": "https://g.example/a/b/-/issues/3"},
        });
        assert_eq!(
            said(&body).text,
            "[<https://g.example/a/b|a/b>] Issue <https://g.example/a/b/-/issues/3|#3 a b&gt; \
             &lt;https://evil.example c&gt;> closed by &lt;!channel&gt; (eve)",
        );
        let markdown = message(Markup::Markdown, 10, &body).unwrap().text;
        assert!(markdown.contains("closed by \\<\\!channel\\> \\(eve\\)"), "{markdown}");
    }

    #[test]
    fn only_pipelines_that_have_ended_are_written_about() {
        let message = said(&pipeline("success"));
        let attachment = message.attachment.unwrap();
        assert_eq!((message.text.as_str(), attachment.color), ("", "good"));
        assert_eq!(
            attachment.text,
            "<https://g.example/a/b|a/b>: Pipeline <https://g.example/a/b/-/pipelines/5|#5> of branch \
             <https://g.example/a/b/-/commits/main|main> by Ada (ada) passed in 01:12",
        );
        for status in ["pending", "running", "canceled"] {
            assert_eq!(super::message(Markup::Angled, 10, &pipeline(status)), None);
        }
        assert_eq!(duration(3605), "1:00:05");
    }

    #[test]
    fn a_long_text_is_cut() {
        let body = json!({
            "object_kind": "note", "user": {"name": "Ada", "username": "ada"}, "project": {},
            "object_attributes": {"noteable_type": "Snippet", "note": "0123456789abc"}, "snippet": {"id": 7, "title": "t"},
        });
        let message = said(&body);
        assert_eq!(message.attachment.unwrap().text, "0123456789…");
        assert!(message.text.contains("commented on snippet $7"));
    }
}
