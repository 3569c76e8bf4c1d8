//! Git over SSH: a listener that takes public keys only, and exactly the commands of Git.
//!
//! `tenon_app::transport` decides the rights and the costs of a command, as it does for Git over HTTP. Here are the protocol,
//! the connections and their bounds. There is no shell, no terminal, no forwarding, no subsystem and no environment but
//! `GIT_PROTOCOL`.

mod command;
mod connection;
mod host_key;
mod peer;
mod server;

pub use host_key::{HostKey, HostKeyError};
pub use server::run;
