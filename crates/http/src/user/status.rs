//! What users say about the moment (reference: users-groups-auth-settings, section 8.8).

use serde::Serialize;
use tenon_app::Reference;
use tenon_app::user::{self, Status};
use utoipa::ToSchema;

use crate::call::Call;
use crate::error::ApiError;
use crate::params::params;
use crate::reply::Json;

params! {
    /// A status.
    pub(crate) struct StatusParams {
        /// The name of an emoji, without colons.
        emoji: Option<String>,
        /// A short text, which may name emoji between colons.
        message: Option<String>,
    }
}

/// What a user says about the moment; nothing where no status is set.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StatusDto {
    emoji: Option<String>,
    message: Option<String>,
    /// The message for a page: escaped, and with emoji in the place of their names.
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

pub(super) async fn own(call: Call<()>) -> Result<Json<StatusDto>, ApiError> {
    let status = call.read(user::own_status).await?;
    Ok(Json(status.into()))
}

pub(super) async fn of_user(call: Call<()>) -> Result<Json<StatusDto>, ApiError> {
    let reference = Reference::parse(call.path("id_or_username"));
    let status = call.read(move |query| user::status(query, &reference)).await?;
    Ok(Json(status.into()))
}

pub(super) async fn set(Call { caller, params }: Call<StatusParams>) -> Result<Json<StatusDto>, ApiError> {
    let (emoji, message) = (params.emoji.unwrap_or_default(), params.message.unwrap_or_default());
    let status = caller.write(move |command| user::set_status(command, &emoji, &message)).await?;
    Ok(Json(status.into()))
}

pub(super) async fn change(Call { caller, params }: Call<StatusParams>) -> Result<Json<StatusDto>, ApiError> {
    let status = caller.write(move |command| user::change_status(command, params.emoji, params.message)).await?;
    Ok(Json(status.into()))
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
