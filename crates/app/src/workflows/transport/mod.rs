//! Fetching and pushing over HTTP.

mod create_on_push;
mod exchange;
mod git_access;
mod gunzip;
mod hooks;
mod push_check;
mod push_messages;
mod receive;

pub use crate::core::push_sessions::Running;
pub use exchange::{ContentEncoding, GitRequest, advertise, exchange};
pub use git_access::{GitCredential, GitRefusal, OpenRepository};
pub use hooks::{answer_hooks, hook_of, run_hook};
