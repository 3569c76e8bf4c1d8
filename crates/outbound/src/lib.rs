//! Requests to other servers: HTTP requests and lines of text to checked addresses, and mail.

pub mod address;
pub mod http;
mod line;
pub mod mail;
pub mod own;
