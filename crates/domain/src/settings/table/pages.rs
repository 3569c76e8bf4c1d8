//! Pages and texts.

use super::{LINE, NO_POLLING, NO_SUCH_PAGES, OBEYED, TEXT};
use crate::settings::kind::Kind;
use crate::settings::setting::{Effect, Setting};

pub(super) const SETTINGS: &[Setting] = &[
    Setting::text("home_page_url", Kind::Url, OBEYED, "Where `/` redirects callers that have not signed in."),
    Setting::text("after_sign_out_path", Kind::Url, OBEYED, "Where users get after they sign out."),
    Setting::text(
        "after_sign_up_text",
        Kind::Text(TEXT),
        OBEYED,
        "The text that users read after they sign up, in Markdown.",
    ),
    Setting::text("sign_in_text", Kind::Text(TEXT), OBEYED, "The text of the page to sign in, in Markdown."),
    Setting::text("help_page_text", Kind::Text(TEXT), OBEYED, "The text at the top of the help page, in Markdown."),
    Setting::text("help_page_support_url", Kind::Url, OBEYED, "Where the help page sends users for support."),
    Setting::switch(
        "help_page_hide_commercial_content",
        false,
        Effect::Stored("the help page says nothing of that kind"),
        "The help page says nothing about products for sale.",
    ),
    Setting::switch("hide_third_party_offers", false, NO_SUCH_PAGES, "Offers of other companies are not shown."),
    Setting::switch(
        "instance_statistics_visibility_private",
        false,
        NO_SUCH_PAGES,
        "Only administrators see the statistics of the server.",
    ),
    Setting::switch(
        "performance_bar_enabled",
        false,
        NO_SUCH_PAGES,
        "Pages show what they cost. Off clears the group.",
    ),
    Setting::text(
        "performance_bar_allowed_group_path",
        Kind::Line(LINE),
        NO_SUCH_PAGES,
        "The group whose members see what pages cost.",
    )
    .aliases(&[("performance_bar_allowed_group_id", true)]),
    Setting::new(
        "polling_interval_multiplier",
        Kind::Factor,
        crate::settings::setting::DefaultValue::Text("1.0"),
        NO_POLLING,
        "How much less often pages ask for what is new; 0 is never.",
    ),
    Setting::text(
        "custom_http_clone_url_root",
        Kind::Url,
        OBEYED,
        "What addresses for Git over HTTP begin with instead of the address of the server.",
    ),
    Setting::number(
        "local_markdown_version",
        0,
        0,
        Effect::Stored("texts are rendered when they are shown"),
        "Texts that were rendered under a smaller number are rendered anew.",
    ),
    Setting::switch(
        "anonymous_searches_allowed",
        true,
        OBEYED,
        "Anonymous callers may search in what is public. Lists that are narrowed by a text are no searches.",
    ),
    Setting::switch(
        "time_tracking_limit_to_hours",
        false,
        OBEYED,
        "Times of issues are shown in hours and minutes only.",
    ),
];
