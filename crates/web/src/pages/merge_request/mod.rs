//! The pages of merge requests.

mod about;
mod approvals;
mod below;
mod beside;
mod changed_tree;
pub(crate) mod changes;
mod commits;
mod compared;
mod conflicts;
mod file_pager;
pub(crate) mod form;
mod frame;
mod line;
mod list;
mod merge;
mod placing;
mod query;
mod review;
pub(crate) mod show;
mod source_branch;
mod suggestion;
mod verdict;

use crate::table::project::ProjectTable;

pub(crate) fn routes(table: &mut ProjectTable) {
    table.page("/merge_requests", list::read, list::show);
    table.post("/merge_requests", form::create);
    table.page("/merge_requests/new", form::read_new, form::new);
    table.page("/merge_requests/{iid}", show::read, show::show);
    table.put("/merge_requests/{iid}", form::update);
    table.page("/merge_requests/{iid}/edit", form::read_edit, form::edit);
    table.page("/merge_requests/{iid}/commits", commits::read, commits::show);
    table.page("/merge_requests/{iid}/pipelines", commits::read_pipelines, commits::pipelines);
    table.page("/merge_requests/{iid}/diffs", changes::read, changes::show);
    table.get("/merge_requests/{iid}/diff_for_path", changes::for_path);
    table.post("/merge_requests/{iid}/merge", merge::accept);
    table.post("/merge_requests/{iid}/cancel_merge_when_pipeline_succeeds", merge::cancel);
    table.post("/merge_requests/{iid}/rebase", merge::rebase);
    table.post("/merge_requests/{iid}/approve", merge::approve);
    table.post("/merge_requests/{iid}/request_changes", merge::request_changes);
    table.post("/merge_requests/{iid}/unapprove", merge::withdraw);
    table.post("/merge_requests/{iid}/remove_wip", merge::mark_as_ready);
    table.post("/merge_requests/{iid}/suggestions/{id}/apply", suggestion::apply);
    table.get("/merge_requests/{iid}/conflicts", conflicts::show);
    table.post("/merge_requests/{iid}/conflicts", conflicts::resolve);
    table.post("/merge_requests/{iid}/source_branch", source_branch::restore);
    table.delete("/merge_requests/{iid}/source_branch", source_branch::delete);
    table.post("/merge_requests/{iid}/suggestions/apply", suggestion::apply_ticked);
}
