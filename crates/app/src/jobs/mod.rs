//! Work that nobody waits for: a queue in the database, shared by every process that runs one.
//!
//! A use case appends events in its own transaction; the relay turns those that ask for work into jobs; runners claim
//! jobs by a lease that ends by itself. A job may therefore run more than once, and every handler says why that does no
//! harm.

mod relay;
mod runner;
mod schedule;
mod work;

pub use runner::{Pace, Runner};
pub use schedule::start_schedule;
pub(crate) use work::{Work, enqueue, enqueue_at};
