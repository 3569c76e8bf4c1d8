//! The parts of an endpoint: the call that a handler takes, the reply that it returns, and its line in the table of
//! routes.

pub(crate) mod call;
pub(crate) mod paging;
pub(crate) mod reply;
pub(crate) mod routes;

pub(crate) use call::{Call, Caller, RequestHead};
pub(crate) use reply::{
    Accepted, Changed, Counted, Created, CreatedOr, Json, Listed, NoContent, Paged, PagedBy, Redirect, Reply, ReplyDoc,
    Started,
};
pub(crate) use routes::{Endpoint, Lookup, RouteTable, Routes};
