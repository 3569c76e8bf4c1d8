//! The pages for people: HTML that does everything without script.
//!
//! Read `serve/request.rs` first: it takes a request through the tables of pages (`all_pages.rs`), its form and the checks
//! against forged requests (`kit/csrf.rs`) to the handler of a page. A handler parses, calls the use cases that the API calls
//! too, and fills a template (`templates/`); it decides nothing about permission. What all pages have in common is the frame
//! (`context/frame.rs`). How to add a page is in `docs/adding-a-page.md`.

mod all_pages;
mod context;
mod dispatch;
mod kit;
mod pages;
mod parts;
mod serve;
mod table;

pub use self::serve::site::Site;
pub use self::table::page_table::RouteError;
