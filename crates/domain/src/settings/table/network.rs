//! Requests: how many, from which addresses, and to which ones.

use super::OBEYED;
use crate::settings::kind::Kind;
use crate::settings::setting::{DefaultValue, Effect, Setting};

/// The largest number of requests, and of seconds, of a throttle.
const MOST: i64 = 1_000_000_000;
/// The most addresses of one user that are counted.
const MOST_ADDRESSES: i64 = 1_000;

const fn number(name: &'static str, most: i64, default: i64, meaning: &'static str) -> Setting {
    Setting::new(name, Kind::Number { least: 1, most }, DefaultValue::Number(default), OBEYED, meaning)
}

pub(super) const SETTINGS: &[Setting] = &[
    Setting::switch(
        "throttle_unauthenticated_enabled",
        false,
        OBEYED,
        "Requests without a credential that proves a user are counted by address.",
    )
    .fills(&["throttle_unauthenticated_period_in_seconds", "throttle_unauthenticated_requests_per_period"]),
    number(
        "throttle_unauthenticated_requests_per_period",
        MOST,
        3_600,
        "Requests that an address (IPv6: a network of 64 bits) may send in a period.",
    ),
    number("throttle_unauthenticated_period_in_seconds", MOST, 3_600, "The period in seconds."),
    Setting::switch("throttle_authenticated_api_enabled", false, OBEYED, "Requests of a user to the API are counted.")
        .fills(&["throttle_authenticated_api_period_in_seconds", "throttle_authenticated_api_requests_per_period"]),
    number(
        "throttle_authenticated_api_requests_per_period",
        MOST,
        7_200,
        "Requests that a user may send to the API in a period.",
    ),
    number("throttle_authenticated_api_period_in_seconds", MOST, 3_600, "The period in seconds."),
    Setting::switch(
        "throttle_authenticated_web_enabled",
        false,
        OBEYED,
        "Requests of a user outside the API are counted: Git, files and archives.",
    )
    .fills(&["throttle_authenticated_web_period_in_seconds", "throttle_authenticated_web_requests_per_period"]),
    number(
        "throttle_authenticated_web_requests_per_period",
        MOST,
        7_200,
        "Requests that a user may send outside the API in a period.",
    ),
    number("throttle_authenticated_web_period_in_seconds", MOST, 3_600, "The period in seconds."),
    Setting::switch("unique_ips_limit_enabled", false, OBEYED, "The addresses that a user calls from are counted.")
        .fills(&["unique_ips_limit_per_user", "unique_ips_limit_time_window"]),
    number(
        "unique_ips_limit_per_user",
        MOST_ADDRESSES,
        10,
        "Addresses from which a user may call within the time window.",
    ),
    Setting::new(
        "unique_ips_limit_time_window",
        Kind::Number { least: 0, most: MOST },
        DefaultValue::Number(3_600),
        OBEYED,
        "Seconds for which an address counts after it was last used.",
    ),
    Setting::switch(
        "allow_local_requests_from_hooks_and_services",
        false,
        OBEYED,
        "Hooks and imports may call addresses of the local network.",
    )
    .aliases(&[("allow_local_requests_from_web_hooks_and_services", true)]),
    Setting::switch(
        "allow_local_requests_from_system_hooks",
        true,
        OBEYED,
        "Hooks of the server may call addresses of the local network.",
    ),
    Setting::new(
        "outbound_local_requests_whitelist",
        Kind::Names,
        DefaultValue::List(&[]),
        OBEYED,
        "Hosts and addresses of the local network that hooks and imports may call although they may not call the others: `host`, \
         `host:port`, `10.0.0.7` or `10.0.0.0/8`.",
    )
    .lines("outbound_local_requests_allowlist_raw"),
    Setting::switch(
        "dns_rebinding_protection_enabled",
        true,
        Effect::Stored("always on: the address that was checked is the one that is called"),
        "A name is looked up once for a call.",
    ),
];
