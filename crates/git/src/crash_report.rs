//! The reports that `fast-import` writes into a repository if it fails: its input, and its next step.

use std::fs;
use std::path::Path;

/// Removes the reports in a repository. Yields how many there were.
pub(crate) fn remove_all(repository: &Path) -> usize {
    let entries = fs::read_dir(repository).into_iter().flatten().flatten();
    let reports = entries.filter(|entry| entry.file_name().as_encoded_bytes().starts_with(b"fast_import_crash_"));
    reports.filter(|entry| fs::remove_file(entry.path()).is_ok()).count()
}
