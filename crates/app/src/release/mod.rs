//! Releases: what is said about a tag, with links to what was made from it. The release notes of a tag are its release.

mod change;
mod create;
mod link;
mod notes;
mod view;

pub use change::{EditRelease, delete, edit};
pub use create::{NewRelease, create};
pub use link::{EditLink, LinkView, NewLink, create_link, delete_link, edit_link, list_links, show_link};
pub use notes::{create_notes, edit_notes};
pub use tenon_storage::release::ReleaseOrder;
pub use view::{ListReleases, PageLinks, ReleaseView, Source, asset, latest, list, permit, released, show};
