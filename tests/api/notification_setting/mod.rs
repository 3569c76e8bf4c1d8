//! The events about which users want mail: in general, and for each group and project.

mod change;
mod show;
