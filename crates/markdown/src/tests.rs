//! Behaviour that takes all of the crate.
