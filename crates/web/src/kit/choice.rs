//! An option of a choice in a form.

/// An option of a choice in a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) value: String,
    pub(crate) words: String,
    pub(crate) chosen: bool,
}

impl Choice {
    pub(crate) fn new(value: &str, words: &str, chosen: bool) -> Self {
        Self { value: value.to_owned(), words: words.to_owned(), chosen }
    }
}
