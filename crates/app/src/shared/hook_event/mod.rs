//! The bodies for hooks: the data that is captured of an event when it happens, and its record.

pub(crate) mod award_event;
pub(crate) mod captured;
pub(crate) mod commit_note_event;
pub(crate) mod deployment_event;
pub(crate) mod feature_flag_event;
pub(crate) mod milestone_event;
pub(crate) mod pipeline_event;
pub(crate) mod record;
pub(crate) mod release_event;
pub(crate) mod snippet_note_event;
pub(crate) mod template;
