//! Applications that act for users, and what they are granted. Secrets and codes are known by their digests only.

pub mod application;
pub mod device;
pub mod grant;
