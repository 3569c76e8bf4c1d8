//! Parts that pages of several resources show: lists, rows, forms, differences.

pub(crate) mod activity;
pub(crate) mod badge;
pub(crate) mod clone_address;
pub(crate) mod commit_line;
pub(crate) mod deploy_token;
pub(crate) mod diff;
pub(crate) mod diff_pictures;
pub(crate) mod feed;
pub(crate) mod group_list;
pub(crate) mod hook;
pub(crate) mod invited;
pub(crate) mod issuable;
pub(crate) mod key;
pub(crate) mod label;
pub(crate) mod links;
pub(crate) mod loose_lines;
pub(crate) mod member;
pub(crate) mod milestone;
pub(crate) mod milestone_contents;
pub(crate) mod patch_format;
pub(crate) mod pipeline_line;
pub(crate) mod project_list;
pub(crate) mod pushed;
pub(crate) mod token;
pub(crate) mod variable;
pub(crate) mod visibility;
