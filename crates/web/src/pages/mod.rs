//! The pages, by resource.

pub(crate) mod admin;
pub(crate) mod dashboard;
pub(crate) mod environment;
pub(crate) mod explore;
pub(crate) mod feature_flag;
pub(crate) mod go_get;
pub(crate) mod group;
pub(crate) mod help;
pub(crate) mod home;
pub(crate) mod invitation;
pub(crate) mod issuable;
pub(crate) mod issue;
pub(crate) mod label;
pub(crate) mod merge_request;
pub(crate) mod milestone;
pub(crate) mod oauth;
pub(crate) mod pipeline;
pub(crate) mod profile;
pub(crate) mod project;
pub(crate) mod review;
pub(crate) mod search;
pub(crate) mod session;
pub(crate) mod snippet;
pub(crate) mod unsubscribe;
pub(crate) mod user;
pub(crate) mod user_list;
