//! How fast the server is, on a database that is always the same.
//!
//! [`seed`] fills a database; [`measure`] starts the server on one and drives its endpoints. [`code`] does the same for
//! what runs Git. [`attack`] measures what one caller can do to another, [`compare`] compares answers about a
//! real repository with Git's, [`checks`] what it costs to find out who calls.
//! [`pages`] measures the pages for people. The program `bench` has a command for each of them, and `floor`, which answers a
//! constant body and so shows how fast any answer can be.

pub mod attack;
pub mod checks;
pub mod code;
pub mod compare;
pub mod endpoint;
pub mod load;
pub mod machine;
pub mod measure;
pub mod pages;
pub mod process;
mod random;
pub mod report;
pub mod seed;
