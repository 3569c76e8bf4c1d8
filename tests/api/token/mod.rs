//! Access tokens.

mod impersonation;
mod personal;
