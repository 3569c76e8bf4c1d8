//! .

pub mod postgres;
