//! Accounts.

mod activity;
mod block;
mod change_password;
mod committers;
mod counts;
mod create;
mod delete;
mod edit;
mod follow;
pub(crate) mod ghost;
mod list;
mod membership;
mod outside;
mod password;
mod password_reset;
mod preferences;
mod show;
mod sign_up;
mod status;
mod view;

pub use crate::shared::views::user_ref::UserRef;
pub use activity::activities;
pub use block::{activate, approve, ban, block, deactivate, reject, unban, unblock};
pub use change_password::{has_password, must_change_password};
pub use committers::committers;
pub use counts::{Associations, Workload, associations, workload};
pub use create::{CreateUser, DetailChange, ProfileChange, create};
pub(crate) use create::{NewAccount, open_account};
pub(crate) use delete::HARD;
pub use delete::delete;
pub use edit::{EditOwnAccount, EditUser, edit, edit_own, remove_identity, reset_password, set_avatar};
pub use follow::{follow, followed, followers, unfollow};
pub use list::{ListUsers, list};
pub use membership::memberships;
pub(crate) use outside::{NewOutsideUser, open_outside};
pub use password::{NewPassword, Password};
pub(crate) use password_reset::SendPasswordReset;
pub use password_reset::awaits_new_password;
pub use preferences::{PreferencesChange, change_preferences, preferences};
pub use show::{account_id, current, show};
pub use sign_up::SignUp;
pub use status::{change_status, own_status, set_status, status};
pub use view::UserView;

pub use tenon_storage::membership::{Membership, MembershipKind};
pub use tenon_storage::user::{Identity, Status, UserOrder};
