//! What the server sends to other servers: HTTP requests to checked addresses, and mail.

pub mod address;
pub mod http;
pub mod mail;
pub mod own;
