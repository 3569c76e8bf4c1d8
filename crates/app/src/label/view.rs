//! Labels with what answers show of them.

use std::collections::HashMap;

use tenon_domain::container::Container;
use tenon_domain::group::GroupAction;
use tenon_domain::id::LabelId;
use tenon_domain::issuable::IssuableKind;
use tenon_domain::label::Label;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;
use tenon_storage::label::LabelSet;
use tenon_storage::{issuable, label};

use super::{LabelReference, find};
use crate::core::app::Query;
use crate::core::error::{AppError, Missing};
use crate::policy::container::{AuthorizedContainer, ContainerReference};
use crate::shared::issuable::labels::description_html;
use crate::shared::issuable::milestones::visible_in;

/// A label as answers show it. The counts are those that the caller could count.
#[derive(Debug, Clone)]
pub struct LabelView {
    /// The label.
    pub label: Label,
    /// Its description as HTML; empty if it has none.
    pub description_html: String,
    /// Open issues that carry it, if counts were asked for.
    pub open_issues: i64,
    /// Closed issues that carry it.
    pub closed_issues: i64,
    /// Open merge requests that carry it.
    pub open_merge_requests: i64,
    /// Its rank in the project; nothing for groups.
    pub priority: Option<i64>,
    /// True if the caller follows it.
    pub subscribed: bool,
    /// True if it is the asked project's own.
    pub is_project_label: bool,
}

/// A request for labels.
#[derive(Debug, Clone, Default)]
pub struct ListLabels {
    /// Part of the name.
    pub search: Option<String>,
    /// Without those of the groups above.
    pub only_own: bool,
    /// Archived ones only, or none of them.
    pub archived: Option<bool>,
    /// Which page.
    pub page: PageRequest,
}

/// The labels that can be used in a project or group, by name.
pub fn list(query: &mut Query<'_>, of: &ContainerReference, request: &ListLabels) -> Result<Page<LabelView>, AppError> {
    let home = AuthorizedContainer::find(query, of, ProjectAction::ReadPlanning, GroupAction::Read)?;
    let set = LabelSet { container: home.container(), with_ancestors: !request.only_own };
    let found = label::list(&mut query.tx, set, request.search.as_deref(), request.archived, request.page)?;
    Ok(Page { items: views(query, &home, found.items)?, total: found.total, request: found.request })
}

/// The first labels, by name, that can be used in a project or group: what a form offers.
pub fn first(query: &mut Query<'_>, of: &ContainerReference, limit: i64) -> Result<Vec<Label>, AppError> {
    let home = AuthorizedContainer::find(query, of, ProjectAction::ReadPlanning, GroupAction::Read)?;
    Ok(label::first(&mut query.tx, LabelSet { container: home.container(), with_ancestors: true }, limit)?)
}

/// One label.
pub fn show(query: &mut Query<'_>, of: &ContainerReference, reference: &LabelReference) -> Result<LabelView, AppError> {
    let home = AuthorizedContainer::find(query, of, ProjectAction::ReadPlanning, GroupAction::Read)?;
    let found = find(query, LabelSet { container: home.container(), with_ancestors: true }, reference)?;
    one(query, &home, found)
}

pub(super) fn one(query: &mut Query<'_>, home: &AuthorizedContainer, label: Label) -> Result<LabelView, AppError> {
    views(query, home, vec![label])?.pop().ok_or(AppError::NotFound(Missing::Label))
}

fn views(query: &mut Query<'_>, home: &AuthorizedContainer, labels: Vec<Label>) -> Result<Vec<LabelView>, AppError> {
    let ids: Vec<LabelId> = labels.iter().map(|label| label.id).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let issues = visible_in(query, home, IssuableKind::Issue)?;
    let issues = issuable::count_by_labels(&mut query.tx, &issues, &ids)?;
    let merge_requests = visible_in(query, home, IssuableKind::MergeRequest)?;
    let merge_requests = issuable::count_by_labels(&mut query.tx, &merge_requests, &ids)?;
    let priorities = match home.container() {
        Container::Project(project) => label::priorities(&mut query.tx, project, &ids)?,
        Container::Group(_) => HashMap::new(),
    };
    let followed = match query.viewer().user() {
        Some(user) => label::followed(&mut query.tx, user, &ids)?,
        None => std::collections::HashSet::new(),
    };
    let html = |label: &Label| description_html(query, label);
    Ok(labels
        .into_iter()
        .map(|label| {
            let (open_issues, closed_issues) = issues.get(&label.id).copied().unwrap_or_default();
            let (open_merge_requests, _) = merge_requests.get(&label.id).copied().unwrap_or_default();
            LabelView {
                open_issues,
                closed_issues,
                open_merge_requests,
                priority: priorities.get(&label.id).copied(),
                subscribed: followed.contains(&label.id),
                is_project_label: matches!(label.container, Container::Project(_)),
                description_html: html(&label),
                label,
            }
        })
        .collect())
}
