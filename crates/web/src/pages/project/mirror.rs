//! The mirror in the settings of a project: the repository that it follows, and the state of the last update.

use tenon_app::Query;
use tenon_app::error::AppError;
use tenon_app::project::{self, EditProject, ProjectSettings};
use tenon_domain::patch::Patch;
use tenon_domain::project::mirror::{MirrorChanges, MirrorStatus};

use crate::context::project::ProjectRequest;
use crate::kit::error::permitted;
use crate::kit::form::Form;
use crate::kit::words::Moment;

const FORM: &str = "mirror";

/// The section of the page.
#[derive(Debug, Clone, Default)]
pub(super) struct Mirror {
    pub(super) url: String,
    pub(super) enabled: bool,
    pub(super) only_protected: bool,
    pub(super) overwrites: bool,
    pub(super) regex: String,
    /// The state of the last update, if it is updated.
    pub(super) state: Option<State>,
}

/// The state of the last update.
#[derive(Debug, Clone)]
pub(super) struct State {
    pub(super) words: &'static str,
    pub(super) ended: Option<Moment>,
    pub(super) error: Option<String>,
}

impl Mirror {
    /// The values that were typed.
    pub(super) fn sent(form: Form<'_>) -> Self {
        Self {
            url: form.filled(FORM, "url").unwrap_or_default(),
            enabled: form.ticked(FORM, "enabled"),
            only_protected: form.ticked(FORM, "only_protected"),
            overwrites: form.ticked(FORM, "overwrites"),
            regex: form.filled(FORM, "regex").unwrap_or_default(),
            state: None,
        }
    }

    /// The form as a request.
    pub(super) fn request(&self) -> EditProject {
        let mirror = MirrorChanges {
            enabled: Some(self.enabled),
            only_protected_branches: Some(self.only_protected),
            overwrites_diverged_branches: Some(self.overwrites),
            branch_regex: Patch::Set(self.regex.clone()),
            ..MirrorChanges::default()
        };
        // The address of a project that is no mirror is that of its import.
        let import_url = Some(self.url.clone()).filter(|_| self.enabled);
        let settings = ProjectSettings { mirror, import_url, ..ProjectSettings::default() };
        EditProject { settings, ..EditProject::default() }
    }
}

/// The mirror of a project. None for callers who may not change it.
pub(super) fn read(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<Option<Mirror>, AppError> {
    let Some(view) = permitted(project::mirror_settings(query, &asked.project))? else { return Ok(None) };
    let (found, url) = (view.mirror, view.url);
    let words = match found.status {
        MirrorStatus::None => "Not updated yet",
        MirrorStatus::Scheduled => "Waits for its update",
        MirrorStatus::Started => "Is being updated",
        MirrorStatus::Finished => "Updated",
        MirrorStatus::Failed => "Update failed",
    };
    let state = State { words, ended: found.ended_at.map(Into::into), error: found.last_error };
    Ok(Some(Mirror {
        url: url.unwrap_or_default(),
        state: found.enabled.then_some(state),
        enabled: found.enabled,
        only_protected: found.only_protected_branches,
        overwrites: found.overwrites_diverged_branches,
        regex: found.branch_regex.unwrap_or_default(),
    }))
}
