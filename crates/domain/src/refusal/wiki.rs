//! Why a wiki is not read or changed.

/// Why a wiki is not read or changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WikiRefusal {
    /// The page was changed after the caller has read it.
    #[error("You are attempting to update a page that has changed since you started editing it.")]
    Changed,
    /// Another page has the new title.
    #[error("There is already a page with the same title in that path.")]
    TitleTaken,
    /// The page has more than so many bytes.
    #[error("The page has more than {0} bytes. Clone the wiki to read it.")]
    PageTooLong(u64),
    /// The wiki has more than so many files.
    #[error("The wiki has more than {0} files. Clone it to read them.")]
    TooManyFiles(usize),
    /// The pages have together more than so many bytes.
    #[error("The pages have more than {0} bytes together. Ask for each of them.")]
    ContentsTooLong(u64),
    /// An attachment has no name.
    #[error("The file name cannot be empty")]
    NoFileName,
}
