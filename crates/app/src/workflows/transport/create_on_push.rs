//! Projects that are created by a push to their path.

use tenon_domain::group::GroupAction;
use tenon_domain::id::ProjectId;
use tenon_domain::refusal::Refusal;
use tenon_domain::user::User;
use tenon_domain::visibility::Visibility;
use tenon_storage::namespace;

use crate::core::app::App;
use crate::core::caller::Rights;
use crate::core::error::AppError;
use crate::policy::reference::Reference;
use crate::project::{self, CreateProject, ProjectSettings};
use crate::workflows::transport::refusal::GitRefusal;

impl App {
    /// Makes a private project at a path if there is nothing, for a user who may create projects there. `None` if the
    /// path is taken after all, or the user may not: the caller reads it again.
    pub(crate) fn create_for_push(&self, path: &str, user: &User) -> Result<Option<ProjectId>, GitRefusal> {
        let Some((home, name)) = path.rsplit_once('/').filter(|(_, name)| !is_wiki(name)) else {
            return Err(GitRefusal::NotFound);
        };
        let made = self.command_as(user.id, Rights::WithoutSession, |command| {
            // Both are read in any case: the time must not distinguish what is hidden from what is missing.
            let taken = namespace::holder(&mut command.tx, path)?.is_some();
            let home = command.query().namespace(&Reference::Path(home.to_owned()), GroupAction::CreateProject);
            if taken {
                return Ok(None);
            }
            let home = home?;
            let settings = ProjectSettings { visibility: Some(Visibility::Private), ..ProjectSettings::default() };
            let path = Some(name.to_owned());
            let request = CreateProject { path, namespace: Some(home.id), settings, ..CreateProject::default() };
            Ok(Some(project::create(command, request)?.brief.project.id))
        });
        match made {
            Ok(Some(made)) => {
                if let Some(id) = made {
                    self.push_sessions().remember_new(id, user.id);
                }
                Ok(made)
            }
            Ok(None) => Err(GitRefusal::NotFound),
            // Read again as well, with the same answer.
            Err(AppError::NotFound(_) | AppError::Forbidden) => Ok(None),
            // A concurrent push may have been faster.
            Err(AppError::Invalid(_)) if self.is_taken(path)? => Ok(None),
            Err(AppError::Invalid(errors)) => Err(GitRefusal::NotCreated(errors.sentences())),
            Err(AppError::Refused(refusal @ Refusal::Project(_))) => Err(GitRefusal::NotCreated(refusal.to_string())),
            Err(error) => Err(GitRefusal::Failed(error)),
        }
    }

    fn is_taken(&self, path: &str) -> Result<bool, GitRefusal> {
        self.parts().database.read(|tx| Ok(namespace::holder(tx, path)?.is_some()))
    }
}

/// Wikis belong to projects, and are not made by themselves.
fn is_wiki(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".wiki")
}
