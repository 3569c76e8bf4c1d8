//! One file of a difference at a time.

use super::query::join;
use crate::kit::parameters::Parameters;

/// The place of the shown file among all files.
pub(super) struct FilePager {
    /// The number of the file, the first of which is 1.
    pub(super) number: usize,
    /// The queries of the file before it and of the one after it.
    pub(super) previous: Option<String>,
    pub(super) next: Option<String>,
}

impl FilePager {
    /// The file that is shown of so many: the one with an open form, or the one that the address names, or the first.
    /// `query` is that of the page, of whatever file.
    pub(super) fn new(asked: &Parameters, open: Option<usize>, files: usize, query: &str) -> Self {
        let named = || asked.number("file").and_then(|number| usize::try_from(number).ok()).unwrap_or(1);
        let number = open.unwrap_or_else(named).clamp(1, files.max(1));
        Self {
            number,
            previous: (number > 1).then(|| to_file(query, number - 1)),
            next: (number < files).then(|| to_file(query, number + 1)),
        }
    }
}

/// The query of the file of this number.
pub(super) fn to_file(query: &str, number: usize) -> String {
    join(query, &format!("file={number}"))
}
