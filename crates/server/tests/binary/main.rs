//! The binary as an administrator runs it.

#![expect(clippy::expect_used, clippy::unwrap_used, reason = "what goes wrong here is a failed test")]

mod alone;
mod backup;
mod command_line;
mod crash;
mod git;
mod highlight;
mod log;
mod outage;
mod private;
mod process;
mod ssh;
mod streams;
mod walk;
mod webhooks;
