//! Why a snippet is not changed.

/// Why a snippet is not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SnippetRefusal {
    /// One text is given for a snippet of several files.
    #[error("To update Snippets with multiple files, you must use the `files` parameter")]
    SeveralFiles,
    /// It was changed after the caller has read it.
    #[error("The snippet has changed since you opened the form. Saving again replaces it.")]
    Changed,
}
