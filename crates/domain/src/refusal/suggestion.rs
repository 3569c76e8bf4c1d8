//! Why suggestions are not applied.

/// Why suggestions are not applied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SuggestionRefusal {
    /// None is named.
    #[error("Select at least one suggestion")]
    None,
    /// More are named than one commit applies.
    #[error("At most {0} suggestions can be applied at once")]
    TooMany(usize),
    /// They are of several merge requests.
    #[error("Suggestions must all be on the same branch")]
    SeveralBranches,
    /// The merge request is merged, or is being merged.
    #[error("This merge request was merged. To apply this suggestion, edit this file directly")]
    Merged,
    /// The merge request is closed.
    #[error("This merge request is closed. To apply this suggestion, edit this file directly")]
    Closed,
    /// The branch that would get the commit is not there.
    #[error("Can't apply as the source branch was deleted")]
    BranchGone,
    /// The file is not there any more.
    #[error("Can't apply as the file was deleted or renamed: {0}")]
    FileGone(String),
    /// The file has become a picture, a link or something else without lines.
    #[error("Can't apply as the file is not a text that can be changed here: {0}")]
    NotText(String),
    /// The lines are not as they were.
    #[error("Can't apply as these lines were changed in a more recent version: {0}")]
    Outdated(String),
    /// Nothing would change.
    #[error("This suggestion already matches its content: {0}")]
    SameContent(String),
    /// Two of them are about the same line.
    #[error("Suggestions are not applicable as their lines cannot overlap: {0}")]
    Overlapping(String),
}
