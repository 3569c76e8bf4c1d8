//! Fetching and pushing, over HTTP and SSH.

mod answer;
mod conversation;
mod create_on_push;
mod exchange;
mod git_access;
mod give;
mod gunzip;
mod hooks;
mod push_check;
mod push_messages;
mod receive;
mod remote_archive;
mod ssh_access;

pub use crate::core::push_sessions::Running;
pub use conversation::{GitCommand, SshService, converse};
pub use exchange::{ContentEncoding, GitRequest, advertise, exchange};
pub use git_access::{DISK_FULL, FetchProof, GitCaller, GitCredential, GitRefusal, OpenRepository};
pub use hooks::{answer_hooks, hook_of, run_hook};
pub use ssh_access::SshCaller;
pub use tenon_git::transport::Service;
