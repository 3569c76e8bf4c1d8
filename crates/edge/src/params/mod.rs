//! The parameters of a request before they are read into types: from the query, and from a body of any supported type.

pub mod body;
mod multipart;
pub mod param_map;
pub mod raw;
pub mod unreadable;
