//! Projects.

mod archive;
mod create;
mod create_with_repository;
mod delete;
mod edit;
mod fetches;
mod fork;
mod list;
mod mirror;
mod own_fork;
mod page;
mod share;
mod show;
mod star;
mod transfer;

pub use crate::shared::views::project_view::{LicenseView, Permissions, ProjectBrief, ProjectView, SharedGroup};
pub use archive::{archive, unarchive};
pub use create::{CreateProject, ProjectSettings, create};
pub use create_with_repository::{CreatedProject, NewProject, create_with_repository};
pub use delete::delete;
pub(crate) use delete::{DeleteProject, remove};
pub use edit::{EditProject, edit};
pub use fetches::fetches;
pub use fork::{ForkProject, fork, relate, unrelate};
pub(crate) use list::among;
pub use list::{GroupScope, ListProjects, ProjectPlace, find, forks, list, of_group, of_user, starred_by};
pub use mirror::{MirrorView, mirror, mirror_settings, update_mirror};
pub use own_fork::{OwnFork, fork_once, own_fork};
pub use page::{ProjectCounts, ProjectPage, ProjectRights, page};
pub use share::{ShareProject, share, sharing_is_locked, unshare};
pub use show::{ShowProject, show, users};
pub use star::{star, starrers, unstar};
pub use tenon_domain::project::setting::page as fields_page;
pub use transfer::{targets, transfer};

pub use tenon_storage::project::ProjectOrder;
