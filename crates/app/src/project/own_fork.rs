//! The fork in which a user proposes changes to a project to which the user may not push.

use tenon_domain::id::ProjectId;
use tenon_domain::project::{Import, ProjectAction};
use tenon_storage::{namespace, project};

use super::fork::{ForkProject, fork};
use crate::core::app::{Command, Query};
use crate::core::error::AppError;
use crate::policy::reference::Reference;

/// How many names are tried for a fork, if others of the user's projects have those before.
const NAMES: usize = 10;

/// A fork in the caller's own namespace.
#[derive(Debug, Clone)]
pub struct OwnFork {
    /// Its id.
    pub id: ProjectId,
    /// Its full path.
    pub full_path: String,
    /// How far its repository is copied.
    pub import: Import,
}

/// The caller's fork of a project. The oldest one, if there are several; none that is archived.
pub fn own_fork(query: &mut Query<'_>, source: &Reference) -> Result<Option<OwnFork>, AppError> {
    let source = query.project(source, ProjectAction::Read)?.project.id;
    let user = query.user()?.id;
    let Some(home) = namespace::of_user(&mut query.tx, user)? else { return Ok(None) };
    let placed = project::fork_in(&mut query.tx, home.id, source)?;
    Ok(placed.map(|placed| OwnFork {
        id: placed.project.id,
        full_path: placed.home.path_of(&placed.project.path),
        import: placed.project.import,
    }))
}

/// The caller's fork of a project, which is made if there is none. If the caller has another project of the same name, it
/// gets a number.
///
/// # Errors
/// Those of [`fork`].
pub fn fork_once(command: &mut Command<'_>, source: &Reference) -> Result<OwnFork, AppError> {
    let mut query = command.query();
    if let Some(fork) = own_fork(&mut query, source)? {
        return Ok(fork);
    }
    let project = query.project(source, ProjectAction::Read)?.project;
    let user = query.user()?.id;
    let mut request = ForkProject::default();
    if let Some(home) = namespace::of_user(&mut query.tx, user)? {
        for number in 0..NAMES {
            let numbered = |text: &str| if number == 0 { text.to_owned() } else { format!("{text}-{number}") };
            let (name, path) = (numbered(&project.name), numbered(&project.path));
            let full_path = home.path_of(&path);
            let key = tenon_domain::path::key(&full_path);
            let is_taken = namespace::holders(&mut query.tx, &[full_path])?.contains_key(&key)
                || project::with_name(&mut query.tx, &[home.id], &name)?.contains(&home.id);
            request = ForkProject { name: Some(name), path: Some(path), ..ForkProject::default() };
            if !is_taken {
                break;
            }
        }
    }
    let made = fork(command, source, request)?;
    Ok(OwnFork { id: made.brief.project.id, full_path: made.brief.full_path, import: made.brief.project.import })
}
