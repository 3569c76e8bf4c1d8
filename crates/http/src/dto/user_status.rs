//! The status that a user has set, as JSON.

use serde::Serialize;
use tenon_app::user::Status;
use utoipa::ToSchema;

/// The status of a user; empty if none is set.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StatusDto {
    emoji: Option<String>,
    message: Option<String>,
    /// The message as HTML, with emoji instead of their names.
    message_html: String,
}

impl From<Option<Status>> for StatusDto {
    fn from(status: Option<Status>) -> Self {
        match status {
            None => Self { emoji: None, message: None, message_html: String::new() },
            Some(Status { emoji, message }) => {
                Self { emoji: Some(emoji), message_html: as_html(&message), message: Some(message) }
            }
        }
    }
}

/// `text` escaped, with each `:name:` of an emoji replaced by it.
fn as_html(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(':') {
        escape(before, &mut html);
        let named = after.split_once(':').and_then(|(name, behind)| Some((emojis::get_by_shortcode(name)?, behind)));
        rest = if let Some((emoji, behind)) = named {
            html.push_str(emoji.as_str());
            behind
        } else {
            html.push(':');
            after
        };
    }
    escape(rest, &mut html);
    html
}

fn escape(text: &str, html: &mut String) {
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            c => html.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_text_with_emoji_in_it() {
        for (text, want) in [
            ("", ""),
            ("at work", "at work"),
            ("<b> & \"x\" 'y'", "&lt;b&gt; &amp; &quot;x&quot; &#39;y&#39;"),
            ("on :rocket: now", "on \u{1f680} now"),
            ("10:30 :nothing:rocket:", "10:30 :nothing\u{1f680}"),
            (":", ":"),
        ] {
            assert_eq!(as_html(text), want, "{text}");
        }
    }
}
