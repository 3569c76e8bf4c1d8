//! Application settings: what an administrator decides for the whole server.
//!
//! [`AREAS`] is the one table of all settings: names, types, defaults, companions, and whether anything here acts on them.
//! The API, the stored form, the checks and docs/settings.md are made from it. [`Values`] are the stored values of all of
//! them; [`Settings`] are those that rules depend on, as types.

mod branch_protection;
mod budget;
mod check;
mod duration;
mod email_domains;
mod in_force;
mod keys;
mod kind;
mod page;
mod parse;
mod pictures;
mod rules;
mod setting;
mod table;
mod value;
mod values;

/// The branch that `HEAD` of a new repository names, if the settings name none.
pub const FIRST_BRANCH: &str = "main";

pub use branch_protection::{DefaultBranchProtection, PROTECTION_LEVELS};
pub use budget::{BUDGETS, Budget, Counts, Rate, RequestTarget};
pub use check::check;
pub use email_domains::{DomainRefusal, EmailDomains};
pub use in_force::{GitAccess, Settings, UniqueIps};
pub use kind::Kind;
pub use page::{markdown_table, page};
pub use parse::{NoValue, parse_switch};
pub use pictures::{DiagramServers, KrokiServer, PictureProxy};
pub use rules::{
    AccountRules, DiffRules, DownloadLimit, DownloadRules, LocalRequests, LockoutRule, PasswordRules, TokenRules,
};
pub use setting::{Area, DefaultValue, Effect, Setting};
pub use table::{AREAS, all, find};
pub use value::Value;
pub use values::{Changes, Values};

#[cfg(test)]
pub(crate) use values::assert_valid;
