//! Parts that the pages of one merge request have in common: its branches, and its tabs.

use tenon_app::merge_request::{self, MergeRequestPage};
use tenon_domain::issuable::IssuableKind;

use crate::context::frame::Frame;
use crate::context::project::ProjectContext;
use crate::kit::address::in_path;
use crate::kit::words::count;
use crate::parts::issuable::list::{StateBadge, state_icon};

/// The numbers of lines that a merge request adds and removes. None if the caller may not read the code. The page does without if they
/// cannot be counted.
pub(super) async fn lines(context: &ProjectContext, found: &MergeRequestPage) -> Option<(u64, u64)> {
    let code = context.page.code.as_ref()?;
    merge_request::changed_lines(context.request.app(), code, found).await.unwrap_or_default()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Overview,
    Commits,
    Changes,
    Pipelines,
}

/// The top of each page of a merge request.
pub(super) struct RequestFrame {
    pub(super) part: Part,
    /// The branch, with the project in front if that is another one.
    pub(super) source: String,
    /// The branch alone.
    pub(super) branch: String,
    /// The address of the source branch, if the caller may see it.
    pub(super) source_href: Option<String>,
    pub(super) target: String,
    pub(super) target_href: String,
    pub(super) commits: i64,
    pub(super) changes: String,
    /// The numbers of lines that it adds and removes, if they are known.
    pub(super) lines: Option<(u64, u64)>,
    pub(super) state: StateBadge,
    pub(super) state_icon: &'static str,
}

impl RequestFrame {
    pub(super) fn new(frame: &Frame, project: &str, found: &MergeRequestPage, part: Part) -> Self {
        let request = &found.view.request;
        let is_fork = request.is_from_fork(found.view.of.issuable.project);
        let source = match (is_fork, &found.source_path) {
            (false, _) => request.source_branch.clone(),
            (true, Some(path)) => format!("{path}:{}", request.source_branch),
            (true, None) => format!("(another project):{}", request.source_branch),
        };
        let in_source = found.source_path.as_ref();
        let tree = |path: &String| format!("{}/{path}/tree/{}", frame.root, in_path(&request.source_branch));
        let diff = request.diff.as_ref();
        Self {
            part,
            source,
            branch: request.source_branch.clone(),
            source_href: in_source.map(tree),
            target_href: format!("{project}/tree/{}", in_path(&request.target_branch)),
            target: request.target_branch.clone(),
            commits: diff.map_or(0, |diff| diff.commits_count),
            changes: diff.map_or_else(
                || "0".to_owned(),
                |diff| {
                    if diff.overflow { "1000+".to_owned() } else { diff.changes_count.to_string() }
                },
            ),
            lines: None,
            state: StateBadge::new(found.view.of.issuable.state, request.draft),
            state_icon: state_icon(IssuableKind::MergeRequest, found.view.of.issuable.state, request.draft),
        }
    }

    /// The number of commits in words.
    pub(super) fn commit_words(&self) -> String {
        count(self.commits, "commit", "commits")
    }

    pub(super) fn is_at(&self, part: &str) -> bool {
        let here = match self.part {
            Part::Overview => "overview",
            Part::Commits => "commits",
            Part::Changes => "changes",
            Part::Pipelines => "pipelines",
        };
        here == part
    }
}
