//! Answers requests.

mod demand;
mod failure;
mod receive;
mod request;
pub(crate) mod site;
