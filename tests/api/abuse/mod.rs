//! The abuse cases: each test names the number of its case.

mod assignment;
mod budgets;
mod credentials;
mod files;
mod limits;
mod lists;
mod names;
mod outbound;
mod people;
mod quotas;
mod races;
mod scripts;
mod search;
mod secrets;
mod sudo;
mod switched_off;
mod trackers;
mod transfers;
mod visibility;
