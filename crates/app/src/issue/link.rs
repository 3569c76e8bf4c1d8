//! Links between issues.

use std::collections::HashMap;

use tenon_domain::id::{Iid, IssuableId, IssueLinkId};
use tenon_domain::issuable::IssuableAction;
use tenon_domain::issue::LinkKind;
use tenon_domain::refusal::IssueRefusal;
use tenon_domain::time::Timestamp;
use tenon_storage::issue_link::{self, IssueLink};
use tenon_storage::{StoreError, UniqueKey, issuable};

use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Missing};
use crate::policy::issuable::AuthorizedIssuable;
use crate::policy::quota::check_number;
use crate::policy::reference::Reference;
use crate::shared::issuable::system_notes;
use crate::shared::issuable::view::{Detail, IssuableView, one, views, visible};

/// An issue as the other end of a link.
#[derive(Debug, Clone)]
pub struct LinkedIssue {
    /// The issue.
    pub issue: IssuableView,
    /// The link.
    pub link: IssueLinkId,
    /// How it stands to the issue that was asked about.
    pub kind: LinkKind,
    /// When the link was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// Both ends of a link.
#[derive(Debug, Clone)]
pub struct LinkView {
    /// The issue that was asked about.
    pub source: IssuableView,
    /// The other one.
    pub target: IssuableView,
    /// How the first stands to the second.
    pub kind: LinkKind,
}

/// The issues that an issue is linked with, as far as the caller may see them, in the order of the links.
pub fn linked(query: &mut Query<'_>, project: &Reference, iid: Iid) -> Result<Vec<LinkedIssue>, AppError> {
    let found = query.issue(project, iid, IssuableAction::Read)?;
    let links = issue_link::of_issue(&mut query.tx, found.issuable.id)?;
    let others: Vec<IssuableId> = links.iter().map(|link| other_end(link, found.issuable.id)).collect();
    let visible = visible(query, &others)?;
    let issues = issuable::by_ids(&mut query.tx, &visible.into_iter().collect::<Vec<_>>())?;
    let mut shown: HashMap<IssuableId, IssuableView> =
        views(query, issues, Detail::default())?.into_iter().map(|view| (view.issuable.id, view)).collect();
    Ok(links
        .into_iter()
        .filter_map(|link| {
            let issue = shown.remove(&other_end(&link, found.issuable.id))?;
            Some(LinkedIssue {
                issue,
                kind: kind_from(&link, found.issuable.id),
                link: link.id,
                created_at: link.created_at,
                updated_at: link.updated_at,
            })
        })
        .collect())
}

/// Links two issues; 409 if they are linked already.
pub fn link(
    command: &mut Command<'_>,
    project: &Reference,
    iid: Iid,
    target: (&Reference, Iid),
    kind: LinkKind,
) -> Result<LinkView, AppError> {
    let here = command.query().issue(project, iid, IssuableAction::Triage)?;
    let there = command.query().issue(target.0, target.1, IssuableAction::Read)?;
    if here.issuable.id == there.issuable.id {
        return Err(IssueRefusal::LinkedToItself.into());
    }
    let (source, end) = match kind {
        LinkKind::RelatesTo | LinkKind::Blocks => (&here, &there),
        LinkKind::IsBlockedBy => (&there, &here),
    };
    let taken = || AppError::from(IssueRefusal::AlreadyLinked);
    let known = issue_link::of_issue(&mut command.tx, here.issuable.id)?;
    if known.iter().any(|link| other_end(link, here.issuable.id) == there.issuable.id) {
        return Err(taken());
    }
    let most = command.app.limits().contents.issue_links;
    for end in [&here, &there] {
        check_number(issue_link::count(&mut command.tx, end.issuable.id)?, most, "An issue", "links to others")?;
    }
    let new = IssueLink {
        id: IssueLinkId::new(0),
        source: source.issuable.id,
        target: end.issuable.id,
        blocks: kind != LinkKind::RelatesTo,
        created_at: command.now,
        updated_at: command.now,
    };
    issue_link::insert(&mut command.tx, &new).map_err(|error| match error {
        StoreError::Unique(UniqueKey::IssueLink) => taken(),
        other => other.into(),
    })?;
    note_both(command, &here, &there, kind)?;
    let mut query = command.query();
    Ok(LinkView { source: one(&mut query, here.issuable)?, target: one(&mut query, there.issuable)?, kind })
}

/// Takes a link away.
pub fn unlink(command: &mut Command<'_>, project: &Reference, iid: Iid, id: IssueLinkId) -> Result<LinkView, AppError> {
    let here = command.query().issue(project, iid, IssuableAction::Triage)?;
    let missing = || AppError::NotFound(Missing::Record);
    let links = issue_link::of_issue(&mut command.tx, here.issuable.id)?;
    let link = links.into_iter().find(|link| link.id == id).ok_or_else(missing)?;
    let other = other_end(&link, here.issuable.id);
    let mut query = command.query();
    if !visible(&mut query, &[other])?.contains(&other) {
        return Err(missing());
    }
    let there = issuable::find_by_id(&mut query.tx, other)?.ok_or_else(missing)?;
    let view = LinkView {
        kind: kind_from(&link, here.issuable.id),
        source: one(&mut query, here.issuable.clone())?,
        target: one(&mut query, there)?,
    };
    issue_link::delete(&mut command.tx, id)?;
    Ok(view)
}

fn other_end(link: &IssueLink, issue: IssuableId) -> IssuableId {
    if link.source == issue { link.target } else { link.source }
}

/// How the link looks from `issue`.
fn kind_from(link: &IssueLink, issue: IssuableId) -> LinkKind {
    match (link.blocks, link.source == issue) {
        (false, _) => LinkKind::RelatesTo,
        (true, true) => LinkKind::Blocks,
        (true, false) => LinkKind::IsBlockedBy,
    }
}

/// How the link looks from the other end.
const fn inverse(kind: LinkKind) -> LinkKind {
    match kind {
        LinkKind::RelatesTo => LinkKind::RelatesTo,
        LinkKind::Blocks => LinkKind::IsBlockedBy,
        LinkKind::IsBlockedBy => LinkKind::Blocks,
    }
}

const fn words(kind: LinkKind) -> &'static str {
    match kind {
        LinkKind::RelatesTo => "marked this issue as related to",
        LinkKind::Blocks => "marked this issue as blocking",
        LinkKind::IsBlockedBy => "marked this issue as blocked by",
    }
}

/// Each end notes how it stands to the other. An archived project is not written to, as with references in texts.
fn note_both(
    command: &mut Command<'_>,
    here: &AuthorizedIssuable,
    there: &AuthorizedIssuable,
    kind: LinkKind,
) -> Result<(), AppError> {
    use tenon_domain::issuable::relative_reference;
    let author = command.user()?.id;
    for (at, other, kind) in [(here, there, kind), (there, here, inverse(kind))] {
        if at.home.project.archived {
            continue;
        }
        let reference =
            relative_reference(&at.home.full_path(), &other.home.full_path(), &other.issuable.short_reference());
        let body = format!("{} {reference}", words(kind));
        system_notes::write(command, at.issuable.id, author, body, Some(other.issuable.id))?;
    }
    Ok(())
}
