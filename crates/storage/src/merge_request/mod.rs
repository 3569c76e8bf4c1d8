//! What merge requests have besides what issues have: branches, versions, what they close, and merges under way.

mod closes;
mod find;
mod intent;
mod row;
mod version;
mod write;

pub use closes::{closed_by, closes, set_closes};
pub use find::{Found, by_ids, duplicate, find, open_from, open_into, unchecked_into, with_commit};
pub use intent::{begin, drop_intent, find_intent, intents};
pub use version::{insert_version, known_heads, version, versions};
pub use write::{insert, reviewers, set_reviewers, set_status, uncheck_into, update};
