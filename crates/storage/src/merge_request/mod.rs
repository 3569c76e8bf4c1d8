//! The parts of merge requests that issues do not have: branches, versions, closed issues, and merges under way.

mod closes;
mod code_owners;
mod find;
mod intent;
mod progress;
mod verdict;
mod version;
mod write;

pub use closes::{ClosingName, closed_by, closing_names, count_closing, set_closes};
pub use code_owners::{set_touched_owners, touched_owners};
pub use find::{
    AtBranch, Offered, OpenOffer, approvals_before_merge, at_branch, by_ids, compared_with, duplicate, find, merged_by,
    newest_of_branches, offered, open_branches, open_elsewhere, open_heads_of, open_into, open_to_others,
    sources_with_request, waiting_for, written_by,
};
pub use intent::{begin, drop_intent, find_intent, intents};
pub use progress::{
    count_viewed_files, delete_viewed_file, insert_viewed_file, seen_version, set_seen_version, viewed_files,
};
pub use verdict::{delete_approvals, delete_verdict, set_verdict, verdicts};
pub use version::{insert_version, known_heads, newest_version, version, versions};
pub use write::{
    branches_with_open, break_those_from, forget_error_at, insert, reviewers, set_reviewers, set_status, uncheck_at,
    update,
};
