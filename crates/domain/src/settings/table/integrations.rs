//! Mail, metrics and other programs.

use super::{LINE, NO_CALLS, OBEYED};
use crate::settings::kind::Kind;
use crate::settings::setting::{DefaultValue, Effect, Setting};

const NO_REPORTS: Effect = Effect::Stored("abuse cannot be reported");
const NO_OTHER_STORE: Effect = Effect::Stored("only this server serves raw files and archives");
const NEVER: Effect = Effect::Stored("the server never calls home");

const fn port(name: &'static str, default: i64, meaning: &'static str) -> Setting {
    Setting::new(name, Kind::Number { least: 1, most: 65_535 }, DefaultValue::Number(default), NO_CALLS, meaning)
}

pub(super) const SETTINGS: &[Setting] = &[
    Setting::text("admin_notification_email", Kind::Email, NO_REPORTS, "The address that gets reports of abuse."),
    Setting::switch("email_author_in_body", false, OBEYED, "Mail names its author in the text."),
    Setting::switch("html_emails_enabled", true, OBEYED, "Mail is sent as HTML too."),
    Setting::switch("prometheus_metrics_enabled", true, OBEYED, "`/-/metrics` shows the metrics of the server."),
    Setting::switch("metrics_enabled", false, NO_CALLS, "Metrics are sent to a time-series database.").needs(&[
        "metrics_host",
        "metrics_method_call_threshold",
        "metrics_packet_size",
        "metrics_pool_size",
        "metrics_port",
        "metrics_sample_interval",
        "metrics_timeout",
    ]),
    Setting::new(
        "metrics_host",
        Kind::Line(LINE),
        DefaultValue::Text("localhost"),
        NO_CALLS,
        "The host of that database.",
    ),
    Setting::number("metrics_method_call_threshold", 0, 10, NO_CALLS, "Milliseconds from which a call is measured."),
    Setting::number("metrics_packet_size", 1, 1, NO_CALLS, "Points of data in one packet."),
    Setting::number("metrics_pool_size", 1, 16, NO_CALLS, "Connections that are kept open."),
    port("metrics_port", 8_089, "The UDP port of that database."),
    Setting::number("metrics_sample_interval", 1, 15, NO_CALLS, "Seconds between two samples."),
    Setting::number("metrics_timeout", 1, 10, NO_CALLS, "Seconds until a packet is given up."),
    Setting::switch("errortracker_enabled", false, NO_CALLS, "Errors are sent to an error tracker.")
        .aliases(&[("sentry_enabled", false)])
        .needs(&["errortracker_dsn"])
        .fills(&["errortracker_dsn"]),
    Setting::text("errortracker_dsn", Kind::Secret, NO_CALLS, "The address of the tracker, which holds a key.")
        .aliases(&[("sentry_dsn", false)]),
    Setting::switch(
        "clientside_errortracker_enabled",
        false,
        NO_CALLS,
        "Errors in browsers are sent to an error tracker.",
    )
    .aliases(&[("clientside_sentry_enabled", false)])
    .needs(&["clientside_errortracker_dsn"])
    .fills(&["clientside_errortracker_dsn"]),
    Setting::text(
        "clientside_errortracker_dsn",
        Kind::Secret,
        NO_CALLS,
        "The address of that tracker, which holds a key.",
    )
    .aliases(&[("clientside_sentry_dsn", false)]),
    Setting::switch("webide_enabled", false, NO_CALLS, "Projects can be opened in an editor for browsers.")
        .aliases(&[("koding_enabled", false)])
        .needs(&["webide_url"])
        .fills(&["webide_url"]),
    Setting::text("webide_url", Kind::Url, NO_CALLS, "The address of that editor.").aliases(&[("koding_url", false)]),
    Setting::switch("diagram_enabled", false, OBEYED, "Blocks of code with the language `plantuml` are drawn by a PlantUML server.")
        .aliases(&[("plantuml_enabled", true)])
        .needs(&["diagram_url"])
        .fills(&["diagram_url"]),
    Setting::text("diagram_url", Kind::Url, OBEYED, "The address of that server, without a user, a password, a query or a fragment.").aliases(&[("plantuml_url", true)]),
    Setting::switch("kroki_enabled", false, OBEYED, "Blocks of code with the name of a diagram as their language are drawn by a Kroki server, if it has an address."),
    Setting::text("kroki_url", Kind::Url, OBEYED, "The address of that server, without a user, a password, a query or a fragment."),
    Setting::new(
        "kroki_formats",
        Kind::Switches(&["blockdiag", "bpmn", "excalidraw"]),
        DefaultValue::List(&[]),
        OBEYED,
        "Formats that need a part of their own of that server; `blockdiag` stands for `actdiag`, `nwdiag`, `packetdiag`, `rackdiag` and `seqdiag` too.",
    ),
    Setting::switch("asset_proxy_enabled", false, OBEYED, "Texts show pictures of other servers, through a proxy. Needs its address and its key; without them such pictures are links."),
    Setting::text("asset_proxy_url", Kind::Url, OBEYED, "The address of that proxy, which has to work as Camo does."),
    Setting::text(
        "asset_proxy_secret_key",
        Kind::Hidden,
        OBEYED,
        "The key that signs addresses for that proxy.",
    ),
    Setting::new(
        "asset_proxy_allowlist",
        Kind::Domains,
        DefaultValue::List(&[]),
        OBEYED,
        "Hosts whose pictures are not fetched through the proxy; `*.` at the beginning stands for all hosts below one. Those of other patterns are fetched through it, and those behind the first 2,000 bytes.",
    )
    .aliases(&[("asset_proxy_whitelist", true)]),
    Setting::text(
        "static_objects_external_storage_url",
        Kind::Url,
        NO_OTHER_STORE,
        "A server that keeps copies of raw files and archives.",
    ),
    Setting::text(
        "static_objects_external_storage_auth_token",
        Kind::Hidden,
        NO_OTHER_STORE,
        "The key with which that server reads them.",
    ),
    Setting::switch("allow_all_integrations", true, OBEYED, "Projects may use all services."),
    Setting::new(
        "allowed_integrations",
        Kind::Names,
        DefaultValue::List(&[]),
        OBEYED,
        "The only services that projects may use if they may not use all. Others are kept, and not called.",
    ),
    Setting::switch("usage_ping_enabled", true, NEVER, "The server reports its use each week."),
    Setting::switch("version_check_enabled", true, NEVER, "The server asks for new versions."),
];
