//! Groups.

mod create;
mod delete;
mod edit;
mod homes;
mod list;
mod page;
mod settings;
mod share;
mod show;
mod transfer;
mod view;

pub use create::{CreateGroup, create};
pub use delete::delete;
pub use edit::{EditGroup, edit};
pub use homes::homes;
pub use list::{GroupPlace, ListGroups, find, list, of_user, subgroups};
pub use page::{GroupPage, GroupRights, page};
pub use settings::GroupSettings;
pub use share::{share, unshare};
pub use show::{ShowGroup, show};
pub use transfer::{transfer, transfer_project};
pub use view::{GroupDetail, GroupView};

pub use tenon_domain::group::setting::page as fields_page;
pub use tenon_storage::group::GroupOrder;
