//! The bodies for hooks: the data that is captured of an event when it happens, and its record.

pub(crate) mod captured;
pub(crate) mod commit_note_event;
pub(crate) mod pipeline_event;
pub(crate) mod record;
