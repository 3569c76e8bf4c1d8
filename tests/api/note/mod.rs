//! Notes and discussions.

mod change;
mod discussion;
mod list;
