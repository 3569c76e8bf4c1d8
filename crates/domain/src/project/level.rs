//! Who has a part of a project: nobody, its members, or everybody who sees it.

use super::Project;
use crate::settings::Setting;
use crate::visibility::Visibility;
use crate::words::words;

words! {
    /// Who has a part of a project, such as its issues.
    pub enum FeatureLevel {
        /// Nobody: it is switched off.
        Disabled = "disabled",
        /// The members of the project, as if it were private.
        Private = "private",
        /// Everybody who sees the project.
        Enabled = "enabled",
        /// Everybody, for the pages of a project.
        Public = "public",
    }
}

/// The levels of a part that everybody who sees the project may have.
pub const LEVELS: &[&str] = &["disabled", "private", "enabled"];

impl Project {
    /// The level of a part, which is one of the settings `*_access_level`.
    #[must_use]
    pub fn level(&self, part: &Setting) -> FeatureLevel {
        self.settings.text_of(part).and_then(FeatureLevel::parse).unwrap_or(FeatureLevel::Enabled)
    }

    /// True if a part is there for somebody.
    #[must_use]
    pub fn has(&self, part: &Setting) -> bool {
        self.level(part) != FeatureLevel::Disabled
    }

    /// How open a part is: as the project, or for members only.
    #[must_use]
    pub fn visibility_of(&self, part: &Setting) -> Visibility {
        match self.level(part) {
            FeatureLevel::Private => Visibility::Private,
            FeatureLevel::Disabled | FeatureLevel::Enabled | FeatureLevel::Public => self.visibility,
        }
    }
}
