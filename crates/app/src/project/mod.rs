//! Projects.

mod archive;
mod create;
mod delete;
mod edit;
mod fork;
mod list;
mod share;
mod show;
mod star;
mod transfer;
mod view;

pub use archive::{archive, unarchive};
pub use create::{CreateProject, ProjectSettings, create, create_for_user};
pub(crate) use delete::DeleteProject;
pub use delete::{delete, remove};
pub use edit::{EditProject, edit};
pub use fork::{ForkProject, fork, relate, unrelate};
pub use list::{GroupScope, ListProjects, forks, list, of_group, of_user};
pub(crate) use share::already_shared;
pub use share::{ShareProject, share, unshare};
pub use show::{ShowProject, show, users};
pub use star::{star, unstar};
pub(crate) use transfer::move_to;
pub use transfer::transfer;
pub(crate) use view::{Detail, views};
pub use view::{LicenseView, Permissions, ProjectBrief, ProjectView, SharedGroup};

pub use tenon_storage::project::ProjectOrder;
