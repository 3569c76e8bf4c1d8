//! The rules for every endpoint: routing, headers, pages, forms of bodies.

mod empty_texts;
mod forms;
mod headers;
mod routing;
