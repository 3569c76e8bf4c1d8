//! What was promised: which routes there are, who may call them, and what they never do.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "what goes wrong here is a failed test"
)]

mod code;
mod description;
mod fixture;
mod fuzz;
mod matrix;
mod merging;
mod parameters;
mod requests;
mod routes;
mod statements;
mod tracker;

// As the product has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
