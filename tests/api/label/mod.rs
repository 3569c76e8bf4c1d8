//! Labels (reference: sections 10.1 and 12.1).

mod change;
mod groups;
mod list;
