//! The server as a whole: maintenance, and what it tells the world.

use super::{LINE, OBEYED, TEXT};
use crate::settings::kind::Kind;
use crate::settings::setting::{Effect, Setting};

pub(super) const SETTINGS: &[Setting] = &[
    Setting::switch(
        "maintenance_mode",
        false,
        OBEYED,
        "Nothing is written: changes by pages, API and Git are answered 503. Administrators can still sign in and change settings.",
    ),
    Setting::text(
        "maintenance_mode_message",
        Kind::Line(LINE),
        OBEYED,
        "The text of such answers; a general one if it is null.",
    ),
    Setting::text("security_txt_content", Kind::Text(2_048), OBEYED, "The text at `/.well-known/security.txt`."),
    Setting::text("email_additional_text", Kind::Text(10_000), OBEYED, "A text at the end of each mail."),
    Setting::text(
        "help_text",
        Kind::Text(TEXT),
        OBEYED,
        "A text of the administrators on the help page, in Markdown, below `help_page_text`.",
    ),
    Setting::text(
        "abuse_notification_email",
        Kind::Email,
        Effect::Stored("abuse cannot be reported"),
        "The address that gets reports of abuse.",
    ),
    Setting::text(
        "help_page_documentation_base_url",
        Kind::Url,
        Effect::Stored("no page links to documentation elsewhere"),
        "Where links to the documentation lead.",
    ),
];
