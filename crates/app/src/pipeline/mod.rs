//! Pipelines, as external CI makes them by posting statuses.

mod list;
mod ref_name;
mod status;

pub use crate::shared::views::head_pipeline::HeadPipeline;
pub use crate::shared::views::pipelines::PipelineView;
pub use list::{
    ListPipelines, PipelinePage, PipelineScope, cancel, commit_id, list, page, retry, show, states_of_commits,
};
pub(crate) use status::STAGE;
pub use status::{ListStatuses, PostStatus, StatusView, post, statuses};
pub use tenon_storage::pipeline::{CommitStatus, PipelineOrder};
