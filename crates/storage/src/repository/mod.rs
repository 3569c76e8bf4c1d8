//! Stored facts about repositories: refs as last seen, facts that lists show, and data that Git does not have.

mod comment;
mod commit_reference;
mod facts;
mod protection;
mod refs;

pub use comment::{CommitComment, comments, insert_comment, newer_comments, newest_comment};
pub use commit_reference::{CommitReference, copy_reference, is_known, projects_named, remember};
pub use facts::{RepositoryFacts, RepositorySizes, facts, set_facts, sizes_in};
pub use protection::{
    count_rules, find_rule, groups_of_project, insert_rule, list_rules, remove_rule, rule_changed_at, rules,
    rules_of_code_owners, set_rule,
};
pub use refs::{StoredRef, change_refs, replace_refs, stored_ref, stored_refs, stored_refs_named};
