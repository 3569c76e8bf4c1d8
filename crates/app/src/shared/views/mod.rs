//! The views that answers of several resources share.

pub(crate) mod deployments;
pub(crate) mod external_wiki;
pub(crate) mod head_pipeline;
pub mod namespace;
pub(crate) mod notification_level;
pub(crate) mod pipelines;
pub(crate) mod project_view;
pub(crate) mod release_notes;
pub(crate) mod shares;
pub(crate) mod user_ref;
