//! What endpoints are made of: the call that a handler gets, the replies that it gives, and the table that routes lead to it.

pub(crate) mod call;
pub(crate) mod paging;
pub(crate) mod reply;
pub(crate) mod routes;

pub(crate) use call::{Call, Caller, RequestHead};
pub(crate) use reply::{
    Accepted, Begun, Changed, Created, CreatedOr, Elsewhere, Json, NoContent, Paged, PagedBy, Reply, ReplyDoc,
};
pub(crate) use routes::{Endpoint, Found, RouteTable, Routes};
