//! The decision of a project if the commits of a merge request become one.

use super::AcceptRefusal;
use crate::project::Project;
use crate::project::setting::SQUASH_OPTION;
use crate::words::words;

words! {
    /// The squash option of a project.
    pub enum SquashOption {
        /// Commits are merged as they are.
        Never = "never",
        /// They always become one.
        Always = "always",
        /// They become one, unless the merge request says otherwise.
        DefaultOn = "default_on",
        /// They are merged as they are, unless the merge request says otherwise.
        DefaultOff = "default_off",
    }
}

impl SquashOption {
    /// The option of a project.
    #[must_use]
    pub fn of(project: &Project) -> Self {
        project.settings.text_of(&SQUASH_OPTION).and_then(Self::parse).unwrap_or(Self::DefaultOff)
    }

    /// The value of a new merge request, if its author has asked for this.
    #[must_use]
    pub fn initial(self, asked: Option<bool>) -> bool {
        match self {
            Self::Never => false,
            Self::Always => true,
            Self::DefaultOn => asked.unwrap_or(true),
            Self::DefaultOff => asked.unwrap_or(false),
        }
    }

    /// True if the commits become one when a merge request that says `wanted` is merged.
    #[must_use]
    pub const fn on_merge(self, wanted: bool) -> bool {
        match self {
            Self::Never => false,
            Self::Always => true,
            Self::DefaultOn | Self::DefaultOff => wanted,
        }
    }

    /// As [`Self::on_merge`], if the caller who merges has asked for this.
    ///
    /// # Errors
    /// [`AcceptRefusal::SquashRequired`] if the caller asks for several commits where there is always one.
    pub fn accepted(self, wanted: bool, asked: Option<bool>) -> Result<bool, AcceptRefusal> {
        if self == Self::Always && asked == Some(false) {
            return Err(AcceptRefusal::SquashRequired);
        }
        Ok(self.on_merge(wanted || asked == Some(true)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_project_decides_before_the_author_and_the_author_before_the_default() {
        use SquashOption::{Always, DefaultOff, DefaultOn, Never};
        for (option, unasked, asked_on, asked_off) in [
            (Never, false, false, false),
            (Always, true, true, true),
            (DefaultOn, true, true, false),
            (DefaultOff, false, true, false),
        ] {
            assert_eq!(option.initial(None), unasked);
            assert_eq!(option.initial(Some(true)), asked_on);
            assert_eq!(option.initial(Some(false)), asked_off);
            assert_eq!((option.on_merge(true), option.on_merge(false)), (asked_on, asked_off));
        }
    }

    #[test]
    fn only_where_commits_are_always_squashed_is_the_contrary_refused() {
        use SquashOption::{Always, DefaultOff, DefaultOn, Never};
        assert_eq!(Always.accepted(true, Some(false)), Err(AcceptRefusal::SquashRequired));
        assert_eq!(Always.accepted(false, None), Ok(true));
        assert_eq!(Never.accepted(true, Some(true)), Ok(false));
        // The wish of the merge request stays, as it always has.
        assert_eq!(DefaultOn.accepted(true, Some(false)), Ok(true));
        assert_eq!(DefaultOff.accepted(false, Some(true)), Ok(true));
        assert_eq!(DefaultOff.accepted(false, None), Ok(false));
    }
}
