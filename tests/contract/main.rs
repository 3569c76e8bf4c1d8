//! The promises of the API: its routes, the callers who may use them, and answers that they never give.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "what goes wrong here is a failed test"
)]

mod code;
mod deploying;
mod description;
mod fields;
mod fixture;
mod fuzz;
mod lists;
mod matrix;
mod merging;
mod parameters;
mod requests;
mod routes;
#[path = "../api/setting_values.rs"]
#[expect(dead_code, reason = "the tests of resources use the rest of it")]
mod setting_values;
mod snippet;
mod statements;
mod terraform;
mod tracker;
mod walk;

// As the product has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
