//! Fetching and pushing over HTTP.

mod access;
mod exchange;
mod gunzip;
mod hooks;
mod push_check;
mod push_messages;
mod pushed_project;
mod receive;

pub use crate::core::push_sessions::Running;
pub use access::{GitCredential, GitRefusal, OpenRepository};
pub use exchange::{ContentEncoding, GitRequest, advertise, exchange};
pub use hooks::{answer_hooks, hook_of, run_hook};
