//! Application settings.

mod access;
mod changes;
mod counting;
mod obeyed;
mod rows;
