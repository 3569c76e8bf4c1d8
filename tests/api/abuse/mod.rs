//! Attacks of hostile callers: to see hidden objects, to act as others, to break a count, to use up shared resources.

mod assignment;
mod budgets;
mod contents;
mod credentials;
mod files;
mod limits;
mod lists;
mod machine;
mod names;
mod outbound;
mod people;
mod quotas;
mod races;
mod scripts;
mod search;
mod secrets;
mod strangers;
mod sudo;
mod switched_off;
mod texts;
mod trackers;
mod transfers;
mod visibility;
