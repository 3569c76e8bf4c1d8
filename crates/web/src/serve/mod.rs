//! From a request to its answer.

mod demand;
mod failure;
mod receive;
mod request;
pub(crate) mod site;
