//! Creating a project together with what its repository begins with.

use tenon_domain::id::UserId;
use tenon_domain::patch::Patch;

use super::create::{CreateProject, create, create_for_user};
use super::show::{ShowProject, show};
use crate::core::app::{App, Command};
use crate::core::error::AppError;
use crate::core::identity::Identity;
use crate::policy::reference::Reference;
use crate::repository::import::initialise;
use crate::shared::files::avatar::{NewPicture, write_with_picture};
use crate::shared::views::project_view::ProjectView;

/// A request for a new project and what its repository begins with.
#[derive(Debug, Clone, Default)]
pub struct NewProject {
    /// The project, and with what its repository begins. A picture in it is replaced by `picture`.
    pub project: CreateProject,
    /// Another user who is to have it, which only administrators may ask for; `None` for the caller.
    pub owner: Option<UserId>,
    /// Its picture.
    pub picture: Option<NewPicture>,
}

/// A project that was created.
#[derive(Debug)]
pub struct CreatedProject {
    /// The project.
    pub view: ProjectView,
    /// Fails if its repository does not begin as it was asked. The project exists also if it does not: a caller who
    /// repeats the request is refused, since the name is taken.
    pub repository: Result<(), AppError>,
}

/// Creates a project, and makes its first commit if one is asked for.
pub async fn create_with_repository(
    app: &App,
    identity: &Identity,
    request: NewProject,
) -> Result<CreatedProject, AppError> {
    let NewProject { project, owner, picture } = request;
    let with_readme = project.with_readme;
    let work = move |command: &mut Command<'_>, avatar: Patch<_>| {
        let request = CreateProject { avatar: avatar.apply(None), ..project };
        match owner {
            None => create(command, request),
            Some(owner) => create_for_user(command, owner, request),
        }
    };
    let mut view = write_with_picture(app, identity, picture.map_or(Patch::Absent, Patch::Set), work).await?;
    let repository = if with_readme { begin(app, identity, &mut view).await } else { Ok(()) };
    if let Err(error) = &repository {
        tracing::warn!(%error, project = view.brief.project.id.get(), "the first commit of a new project could not be made");
    }
    Ok(CreatedProject { view, repository })
}

/// Makes the first commit, and shows the project again: it has a branch now.
async fn begin(app: &App, identity: &Identity, view: &mut ProjectView) -> Result<(), AppError> {
    let id = view.brief.project.id;
    initialise(app, id, view.brief.project.creator).await?;
    let again = Reference::Id(id.get());
    *view = app.read(identity, move |query| show(query, &again, ShowProject::default())).await?;
    Ok(())
}
