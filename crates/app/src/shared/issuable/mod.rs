//! The common part of issues and merge requests: the aggregate, its parts, and the effects of texts on it.

pub(crate) mod aggregate;
pub(crate) mod awards;
pub(crate) mod edit_detail;
pub(crate) mod issue_closing;
pub(crate) mod issue_move;
pub(crate) mod issue_tracker;
pub(crate) mod labels;
pub(crate) mod list;
pub(crate) mod merge_requests;
pub(crate) mod merge_when_ready;
pub(crate) mod milestones;
pub(crate) mod notes;
pub(crate) mod open_discussions;
pub(crate) mod people;
pub(crate) mod place;
pub(crate) mod position;
pub(crate) mod quick_actions;
pub(crate) mod references;
pub(crate) mod subscription;
pub(crate) mod suggestions;
pub(crate) mod system_notes;
pub(crate) mod tick_notes;
pub(crate) mod triage;
pub(crate) mod view;
