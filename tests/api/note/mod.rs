//! Notes and discussions (reference: sections 10.3 and 10.4).

mod change;
mod discussion;
mod list;
