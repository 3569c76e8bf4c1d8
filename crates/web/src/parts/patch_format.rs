//! Addresses that ask for a difference as a text.

use tenon_app::repository::PatchFormat;

/// What an address names without its ending, where that is `.diff` or `.patch`, and the format of the text that it asks for.
pub(crate) fn patch_format(name: &str) -> Option<(&str, PatchFormat)> {
    let diff = name.strip_suffix(".diff").map(|name| (name, PatchFormat::Diff));
    diff.or_else(|| name.strip_suffix(".patch").map(|name| (name, PatchFormat::Mail)))
}
