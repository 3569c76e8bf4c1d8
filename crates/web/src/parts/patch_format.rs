//! Addresses that ask for a difference as a text.

use tenon_app::repository::PatchFormat;

/// The part of an address before `.diff` or `.patch`, and the format of the text. None for any other ending.
pub(crate) fn patch_format(name: &str) -> Option<(&str, PatchFormat)> {
    let diff = name.strip_suffix(".diff").map(|name| (name, PatchFormat::Diff));
    diff.or_else(|| name.strip_suffix(".patch").map(|name| (name, PatchFormat::Mail)))
}
