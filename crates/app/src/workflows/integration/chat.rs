//! The bodies that chats take.

use serde_json::{Map, Value, json};
use tenon_domain::hook::Trigger;

use super::message::{Markup, Message, message, text_at};
use super::settings::Settings;

/// The chats that are written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Chat {
    /// Slack, and Mattermost, which takes the same.
    Slack,
    MicrosoftTeams,
    Hangouts,
}

impl Chat {
    /// The chat that a kind of services is.
    pub(super) fn of(slug: &str) -> Option<Self> {
        Some(match slug {
            "slack" | "mattermost" => Self::Slack,
            "microsoft-teams" => Self::MicrosoftTeams,
            "hangouts-chat" => Self::Hangouts,
            _ => return None,
        })
    }

    /// The body for an event; `None` if the chat gets nothing about it.
    pub(super) fn body(self, settings: &Settings, trigger: Trigger, most: usize, event: &Value) -> Option<Value> {
        Some(match self {
            Self::Slack => slack(settings, trigger, message(Markup::Angled, most, event)?),
            Self::MicrosoftTeams => card(message(Markup::Markdown, most, event)?, event),
            Self::Hangouts => plain(message(Markup::Angled, most, event)?),
        })
    }
}

fn slack(settings: &Settings, trigger: Trigger, message: Message) -> Value {
    let mut body = Map::new();
    let fallback = match &message.attachment {
        Some(attachment) if message.text.is_empty() => attachment.text.clone(),
        _ => message.text.clone(),
    };
    body.insert("text".to_owned(), json!(message.text));
    if let Some(attachment) = message.attachment {
        let mut one = Map::new();
        one.insert("fallback".to_owned(), json!(fallback));
        one.insert("text".to_owned(), json!(attachment.text));
        one.insert("color".to_owned(), json!(attachment.color));
        if let Some((title, link)) = attachment.title {
            one.insert("title".to_owned(), json!(Markup::Angled.escape(&title)));
            one.insert("title_link".to_owned(), json!(link));
        }
        body.insert("attachments".to_owned(), json!([one]));
    }
    if let Some(channel) = channel(settings, trigger) {
        body.insert("channel".to_owned(), json!(channel));
    }
    if let Some(name) = settings.text("username") {
        body.insert("username".to_owned(), json!(name));
    }
    Value::Object(body)
}

/// The channel of an event of this kind; a confidential one that has none is for the channel of its kind.
fn channel(settings: &Settings, trigger: Trigger) -> Option<&str> {
    let names: &[&str] = match trigger {
        Trigger::Push => &["push_channel"],
        Trigger::TagPush => &["tag_push_channel"],
        Trigger::Issue => &["issue_channel"],
        Trigger::ConfidentialIssue => &["confidential_issue_channel", "issue_channel"],
        Trigger::MergeRequest => &["merge_request_channel"],
        Trigger::Note => &["note_channel"],
        Trigger::ConfidentialNote => &["confidential_note_channel", "note_channel"],
        Trigger::Pipeline => &["pipeline_channel"],
        Trigger::WikiPage => &["wiki_page_channel"],
        Trigger::Job
        | Trigger::Emoji
        | Trigger::Milestone
        | Trigger::Release
        | Trigger::FeatureFlag
        | Trigger::Deployment
        | Trigger::ResourceAccessToken
        | Trigger::RepositoryUpdate
        | Trigger::System => &[],
    };
    names.iter().find_map(|name| settings.text(name)).or_else(|| settings.text("channel"))
}

fn card(message: Message, event: &Value) -> Value {
    let project = text_at(event, "/project/path_with_namespace");
    let avatar = match text_at(event, "/user_avatar") {
        "" => text_at(event, "/user/avatar_url"),
        avatar => avatar,
    };
    let (subtitle, text) = match message.attachment {
        Some(attachment) => {
            let title = attachment.title.map(|(title, link)| format!("[{}]({link})", Markup::Markdown.escape(&title)));
            (title.unwrap_or_default(), attachment.text)
        }
        None => (String::new(), String::new()),
    };
    let summary = if message.text.is_empty() { text.clone() } else { message.text.clone() };
    json!({
        "@type": "MessageCard",
        "@context": "https://schema.org/extensions",
        "title": project,
        "summary": summary,
        "sections": [{
            "activityTitle": message.text,
            "activitySubtitle": subtitle,
            "activityText": text,
            "activityImage": avatar,
        }],
    })
}

fn plain(message: Message) -> Value {
    let mut lines = vec![message.text];
    if let Some(attachment) = message.attachment {
        lines.extend(attachment.title.map(|(title, link)| format!("<{link}|{}>", Markup::Angled.escape(&title))));
        lines.push(attachment.text);
    }
    lines.retain(|line| !line.is_empty());
    json!({ "text": lines.join("\n") })
}
