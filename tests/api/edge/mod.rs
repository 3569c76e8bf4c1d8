//! What holds for every endpoint: routing, headers, pages, forms on the wire.

mod forms;
mod headers;
mod routing;
