//! Pipelines, as external CI makes them by posting statuses (reference: issues-merge-requests-projects, sections 10.6 and
//! 10.7).

mod head;
mod list;
mod status;

pub use head::HeadPipeline;
pub(crate) use head::{of_head, of_heads, status_of_head};
pub use list::{ListPipelines, PipelineScope, PipelineView, cancel, list, retry, show};
pub use status::{ListStatuses, PostStatus, StatusView, post, statuses};
pub use tenon_storage::pipeline::PipelineOrder;
