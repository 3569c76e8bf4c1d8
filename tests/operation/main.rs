//! The server as something that is started, stopped, and started twice.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "what goes wrong here is a failed test"
)]

#[cfg(target_os = "linux")]
mod git_processes;
mod imports;
mod jobs;
mod merging;
mod neighbours;
mod schema;
mod webhooks;
mod writers;

// As the product has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
