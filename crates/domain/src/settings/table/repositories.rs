//! Git and repositories.

use super::OBEYED;
use crate::settings::kind::Kind;
use crate::settings::setting::{DefaultValue, Effect, Setting};

const OWN_LAYOUT: Effect = Effect::Stored("there is one storage with a layout of its own");
const OWN_UPKEEP: Effect = Effect::Stored("repositories are packed when they need it, not after so many pushes");
const NO_SERVICE: Effect = Effect::Stored("Git runs on this machine; its limits are in the configuration");

const NO_RESTRICTION: DefaultValue = DefaultValue::Number(0);

const fn key(name: &'static str, bits: &'static [i64], meaning: &'static str) -> Setting {
    Setting::new(name, Kind::OneOf(bits), NO_RESTRICTION, OBEYED, meaning)
}

pub(super) const SETTINGS: &[Setting] = &[
    Setting::new(
        "enabled_git_access_protocol",
        Kind::Word(&["ssh", "http"]),
        DefaultValue::Null,
        OBEYED,
        "The only protocol over which Git works; both if it is null.",
    ),
    key(
        "rsa_key_restriction",
        &[0, 1024, 2048, 3072, 4096, -1],
        "The least bits of an RSA key, to be added and to open Git; 0 refuses new ones of fewer than 2048, -1 all such keys.",
    ),
    key(
        "dsa_key_restriction",
        &[0, 1024, 2048, 3072, -1],
        "The least bits of a DSA key, to be added and to open Git; 0 restricts nothing, -1 refuses such keys.",
    ),
    key(
        "ecdsa_key_restriction",
        &[0, 256, 384, 521, -1],
        "The least bits of an ECDSA key, to be added and to open Git; 0 restricts nothing, -1 refuses such keys.",
    ),
    key(
        "ed25519_key_restriction",
        &[0, 256, -1],
        "The least bits of an Ed25519 key, to be added and to open Git; 0 restricts nothing, -1 refuses such keys.",
    ),
    key("ecdsa_sk_key_restriction", &[0, 256, -1], "The same for ECDSA keys of security keys."),
    key("ed25519_sk_key_restriction", &[0, 256, -1], "The same for Ed25519 keys of security keys."),
    Setting::switch(
        "authorized_keys_enabled",
        true,
        Effect::Stored("there is no file of authorized keys"),
        "Keys are written to the file of authorized keys.",
    ),
    Setting::switch("housekeeping_enabled", true, OBEYED, "Repositories are packed from time to time.").needs(&[
        "housekeeping_bitmaps_enabled",
        "housekeeping_full_repack_period",
        "housekeeping_gc_period",
        "housekeeping_incremental_repack_period",
    ]),
    Setting::switch("housekeeping_bitmaps_enabled", true, OWN_UPKEEP, "Packs get bitmaps."),
    Setting::number("housekeeping_full_repack_period", 1, 50, OWN_UPKEEP, "Pushes until everything is packed anew."),
    Setting::number("housekeeping_gc_period", 1, 200, OWN_UPKEEP, "Pushes until unreachable objects are removed."),
    Setting::number(
        "housekeeping_incremental_repack_period",
        1,
        10,
        OWN_UPKEEP,
        "Pushes until new objects are packed.",
    ),
    Setting::switch(
        "repository_checks_enabled",
        true,
        Effect::Stored("`tenon admin doctor` checks repositories"),
        "Repositories are checked from time to time.",
    ),
    Setting::switch("hashed_storage_enabled", false, OWN_LAYOUT, "New repositories lie under a hash."),
    Setting::new(
        "repository_storages",
        Kind::Names,
        DefaultValue::List(&["default"]),
        OWN_LAYOUT,
        "Where new repositories are put. There is only `default`.",
    ),
    Setting::new(
        "repository_storages_weighted",
        Kind::Weights(&["default"]),
        DefaultValue::List(&["default=100"]),
        OWN_LAYOUT,
        "How often each storage gets a new repository.",
    ),
    Setting::number(
        "housekeeping_optimize_repository_period",
        1,
        10,
        OBEYED,
        "Pushes until the new objects of a repository are packed, beside what is packed because it is untidy.",
    ),
    Setting::number("circuitbreaker_access_retries", 1, 3, OWN_LAYOUT, "How often a storage is tried."),
    Setting::number("circuitbreaker_check_interval", 0, 1, OWN_LAYOUT, "Seconds between two checks of a storage."),
    Setting::number(
        "circuitbreaker_failure_count_threshold",
        0,
        3,
        OWN_LAYOUT,
        "Failures after which a storage is not used.",
    ),
    Setting::number("circuitbreaker_failure_reset_time", 0, 1_800, OWN_LAYOUT, "Seconds for which a failure counts."),
    Setting::number("circuitbreaker_storage_timeout", 0, 15, OWN_LAYOUT, "Seconds until an access has failed."),
    Setting::number("storagesvc_timeout_default", 0, 55, NO_SERVICE, "Seconds for an ordinary call; 0 is no limit.")
        .aliases(&[("gitaly_timeout_default", true)]),
    Setting::number("storagesvc_timeout_medium", 0, 30, NO_SERVICE, "Seconds for a call that should be quick.")
        .aliases(&[("gitaly_timeout_medium", true)]),
    Setting::number("storagesvc_timeout_fast", 0, 10, NO_SERVICE, "Seconds for a call that is quick.")
        .aliases(&[("gitaly_timeout_fast", true)]),
];
