//! The speed of the server, on a database that is always the same.
//!
//! [`seed`] fills a database; [`measure`] starts the server on one and drives its endpoints. [`code`] does the same for
//! requests that run Git. [`attack`] measures the effects that one caller can have on another. [`compare`] compares
//! answers about a real repository with Git's. [`checks`] measures the cost of finding out who calls. [`pages`]
//! measures the pages for people. [`rehearse`] makes backups of a server that is written to and killed;
//! [`backup`] measures the time and memory that backups take.
//!
//! The program `bench` has a command for each of them. The program `floor` answers a constant body and so shows how
//! fast any answer can be.

pub mod attack;
pub mod backup;
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
pub mod rehearse;
pub mod report;
pub mod seed;
