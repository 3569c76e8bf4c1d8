//! Access tokens.

mod access;
mod bot;
mod impersonation;
mod personal;
