//! How large things may be.

use super::OBEYED;
use super::credentials::optional;
use crate::settings::kind::Kind;
use crate::settings::setting::{DefaultValue, Effect, Setting};

const NO_ARCHIVES: Effect = Effect::Stored("exported projects and groups cannot be imported");
const NO_EXPORT: Effect = Effect::Stored("projects and groups cannot be exported");

const fn up_to(name: &'static str, most: i64, default: i64, effect: Effect, meaning: &'static str) -> Setting {
    Setting::new(name, Kind::Number { least: 1, most }, DefaultValue::Number(default), effect, meaning)
}

pub(super) const SETTINGS: &[Setting] = &[
    up_to("diff_max_files", 3_000, 1_000, OBEYED, "Files that the page of a difference shows."),
    up_to("diff_max_lines", 100_000, 50_000, OBEYED, "Lines that the page of a difference shows."),
    up_to("diff_max_patch_bytes", 512_000, 102_400, OBEYED, "Bytes of the difference of one file that is shown."),
    optional(
        "receive_max_input_size",
        0,
        Kind::MOST,
        OBEYED,
        "MiB that one push may have, beside the limits of the server; those alone if it is null or 0.",
    ),
    Setting::text(
        "repository_size_limit",
        Kind::Number { least: 0, most: 1 << 50 },
        OBEYED,
        "Bytes that a repository may have, beside the limits of the server; those alone if it is null or 0.",
    ),
    Setting::number(
        "push_event_hooks_limit",
        0,
        50,
        OBEYED,
        "Branches and tags that one push may change so that hooks are sent an event for each; 0 sends none. At most 50 are sent.",
    ),
    Setting::number(
        "push_event_activities_limit",
        0,
        3,
        OBEYED,
        "Branches or tags that one push may create, change or remove so that each is an activity of its own. If there are more, they share one.",
    ),
    Setting::number(
        "snippet_size_limit",
        1,
        52_428_800,
        OBEYED,
        "Bytes that the files of a snippet may have together; never more than 2 MiB.",
    ),
    Setting::number(
        "wiki_page_max_content_bytes",
        1_024,
        5_242_880,
        OBEYED,
        "Bytes that a page of a wiki may have if it is written over the API or a form; at most 16 MiB are read.",
    ),
    Setting::number("max_export_size", 0, 0, NO_EXPORT, "MiB of an exported project; 0 is no limit."),
    Setting::number("max_import_size", 0, 0, NO_ARCHIVES, "MiB of a file to import; 0 is no limit."),
    Setting::number(
        "max_import_remote_file_size",
        0,
        10_240,
        NO_ARCHIVES,
        "MiB of a file to import that is on another server; 0 is no limit.",
    ),
    Setting::number(
        "max_decompressed_archive_size",
        0,
        25_600,
        NO_ARCHIVES,
        "MiB of a file to import once it is decompressed; 0 is no limit.",
    ),
    Setting::number("decompress_archive_file_timeout", 0, 210, NO_ARCHIVES, "Seconds to decompress it; 0 is no limit."),
    Setting::number(
        "bulk_import_max_download_file_size",
        1,
        5_120,
        NO_ARCHIVES,
        "MiB of a file of another server whose groups are imported.",
    ),
    Setting::switch("bulk_import_enabled", false, NO_ARCHIVES, "Groups of other servers can be imported."),
    Setting::number(
        "bulk_import_concurrent_pipeline_batch_limit",
        1,
        25,
        NO_ARCHIVES,
        "Batches of such an import at once.",
    ),
    Setting::number(
        "concurrent_github_import_jobs_limit",
        1,
        1_000,
        NO_ARCHIVES,
        "Jobs at once of imports from GitHub.",
    ),
    Setting::number(
        "concurrent_bitbucket_import_jobs_limit",
        1,
        100,
        NO_ARCHIVES,
        "Jobs at once of imports from Bitbucket.",
    ),
    Setting::number(
        "concurrent_bitbucket_server_import_jobs_limit",
        1,
        100,
        NO_ARCHIVES,
        "Jobs at once of imports from a Bitbucket server.",
    ),
    Setting::number(
        "asciidoc_max_includes",
        0,
        32,
        Effect::Stored("AsciiDoc is shown as text"),
        "Files that a document includes.",
    ),
    Setting::number(
        "max_terraform_state_size_bytes",
        0,
        0,
        Effect::Stored("states of Terraform are not kept"),
        "Bytes of a state of Terraform; 0 is no limit.",
    ),
];
