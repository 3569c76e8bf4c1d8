//! The pages for people: HTML that needs no script.
//!
//! Read `serve/request.rs` first. It checks a request against forgery (`kit/csrf.rs`), and takes it through the tables
//! of pages (`all_pages.rs`) to the handler of a page. A handler parses its form, calls the use cases that the API
//! calls too, and fills a template (`templates/`). It decides nothing about permission. All pages have the same frame
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
