//! Parts that the pages of issues and of merge requests have in common.

pub(crate) mod across;
pub(crate) mod bulk;
pub(crate) mod changed;
pub(crate) mod conversation;
pub(crate) mod difference_query;
pub(crate) mod excerpt;
pub(crate) mod fact;
pub(crate) mod filter;
pub(crate) mod form;
pub(crate) mod list;
pub(crate) mod list_page;
pub(crate) mod note;
pub(crate) mod reference;
pub(crate) mod related;
pub(crate) mod side;
pub(crate) mod suggestion;
pub(crate) mod talk;
pub(crate) mod template;
