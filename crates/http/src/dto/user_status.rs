//! The status that a user has set, as JSON.

use serde::Serialize;
use tenon_app::user::Status;
use tenon_app::{App, markdown};
use utoipa::ToSchema;

/// The status of a user; empty if none is set.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StatusDto {
    emoji: Option<String>,
    message: Option<String>,
    /// The message, which is one line of Markdown, as HTML.
    message_html: String,
}

impl StatusDto {
    pub(crate) fn new(app: &App, status: Option<Status>) -> Self {
        match status {
            None => Self { emoji: None, message: None, message_html: String::new() },
            Some(Status { emoji, message }) => {
                Self { emoji: Some(emoji), message_html: markdown::inline(app, &message), message: Some(message) }
            }
        }
    }
}
