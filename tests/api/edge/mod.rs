//! What holds for every endpoint: routing, headers, pages, forms on the wire.

mod empty_texts;
mod forms;
mod headers;
mod routing;
