//! The wikis of projects. Pages are files of a repository of their own; the database knows its size only.

mod attach;
mod change;
mod page;
mod pages;
mod place;
mod record;

pub use self::attach::{Attached, Attachment, attach, attachment};
pub use self::change::{ChangePage, NewPage, create, delete, edit};
pub use self::page::{PageView, ShowPage, contents, history, list, show};
pub use self::page::{WikiHistory, WikiPage, page};
pub use self::place::WikiRights;
pub(crate) use self::place::{NO_WIKI_PUSH, may_write};
pub(crate) use self::record::sample_page;
