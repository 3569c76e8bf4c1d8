//! The pages for people: HTML that does everything without script.
//!
//! Read `serve.rs` first: it takes a request through the table of routes (`site.rs`), its form and the checks against forged
//! requests (`csrf.rs`) to the handler of a page. A handler parses, calls the use cases that the API calls too, and fills a
//! template (`templates/`); it decides nothing about permission. What all pages have in common is the frame (`frame.rs`).

mod activity;
mod address;
mod admin;
mod answer;
mod asset;
mod browser_cache;
mod code;
mod cookie;
mod csrf;
mod dashboard;
mod demand;
mod diff;
mod error;
mod explore;
mod feed;
mod fence;
mod flash;
mod form;
mod frame;
mod gap;
mod go_get;
mod group;
mod gzip;
mod help;
mod home;
mod issuable;
mod issue;
mod key;
mod label;
mod look;
mod member;
mod merge_request;
mod milestone;
mod oauth;
mod pagination;
mod parameters;
mod pipeline;
mod place;
mod profile;
mod project;
mod receive;
mod return_to;
mod search;
mod serve;
mod session;
mod site;
mod taken;
mod text;
mod token;
mod unsubscribe;
mod user;
mod visit;
mod words;

pub use self::site::{RouteError, Site};

#[cfg(test)]
mod tests;
