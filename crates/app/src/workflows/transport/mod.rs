//! Fetching and pushing, over HTTP and SSH.

mod answer;
mod body;
mod conversation;
mod create_on_push;
mod exchange;
mod git_access;
mod give;
mod gunzip;
mod hooks;
pub(crate) mod known;
mod locked_paths;
mod push_check;
mod push_messages;
mod receive;
mod refusal;
mod remote_archive;
mod ssh_access;

pub use crate::core::push_sessions::Running;
pub use body::ContentEncoding;
pub use conversation::{GitCommand, SshService, converse};
pub use exchange::{GitRequest, advertise, exchange};
pub use git_access::{FetchProof, GitCaller, GitCredential, OpenRepository};
pub use hooks::{answer_hooks, hook_of, run_hook};
pub use refusal::{DISK_FULL, GitRefusal};
pub use ssh_access::SshCaller;
pub use tenon_git::transport::Service;
