//! The row of an issue or merge request.

#![expect(clippy::ref_option_ref, reason = "what the derive makes of optional columns")]

use chrono::{NaiveDate, NaiveDateTime};
use diesel::prelude::*;
use tenon_domain::id::{Iid, IssuableId, MilestoneId, ProjectId, UserId};
use tenon_domain::issuable::IssueType;
use tenon_domain::issuable::{Issuable, IssuableKind, State};

use crate::db::row::{Moment, naive, parsed, utc};
use crate::error::{StoreError, StoreResult};
use crate::schema::issuables;

#[derive(Queryable, Selectable)]
#[diesel(table_name = issuables)]
pub(crate) struct IssuableRow {
    id: i64,
    kind: String,
    project_id: i64,
    iid: i64,
    author_id: i64,
    title: String,
    description: Option<String>,
    state: String,
    closed_at: Option<Moment>,
    closed_by_id: Option<i64>,
    milestone_id: Option<i64>,
    confidential: bool,
    discussion_locked: Option<bool>,
    due_date: Option<NaiveDate>,
    weight: Option<i64>,
    issue_type: String,
    time_estimate: i64,
    total_time_spent: i64,
    user_notes_count: i64,
    upvotes: i64,
    downvotes: i64,
    moved_to_id: Option<i64>,
    created_at: Moment,
    updated_at: Moment,
}

impl TryFrom<IssuableRow> for Issuable {
    type Error = StoreError;

    fn try_from(row: IssuableRow) -> StoreResult<Self> {
        let state = parsed("issuables", "state", row.id, &row.state, |state| match state {
            "opened" => Some(State::Opened),
            "closed" => Some(State::Closed { at: row.closed_at.map(utc), by: row.closed_by_id.map(UserId::new) }),
            "locked" => Some(State::Locked),
            "merged" => Some(State::Merged),
            _ => None,
        })?;
        Ok(Self {
            id: IssuableId::new(row.id),
            kind: parsed("issuables", "kind", row.id, &row.kind, IssuableKind::parse)?,
            project: ProjectId::new(row.project_id),
            iid: Iid::new(row.iid),
            author: UserId::new(row.author_id),
            title: row.title,
            description: row.description,
            state,
            milestone: row.milestone_id.map(MilestoneId::new),
            confidential: row.confidential,
            discussion_locked: row.discussion_locked,
            due_date: row.due_date,
            weight: row.weight,
            issue_type: parsed("issuables", "issue_type", row.id, &row.issue_type, IssueType::parse)?,
            time_estimate: row.time_estimate,
            total_time_spent: row.total_time_spent,
            user_notes_count: row.user_notes_count,
            upvotes: row.upvotes,
            downvotes: row.downvotes,
            moved_to: row.moved_to_id.map(IssuableId::new),
            created_at: utc(row.created_at),
            updated_at: utc(row.updated_at),
        })
    }
}

#[derive(Insertable, AsChangeset)]
#[diesel(table_name = issuables, treat_none_as_null = true)]
pub(crate) struct IssuableColumns<'a> {
    kind: &'a str,
    project_id: i64,
    iid: i64,
    author_id: i64,
    title: &'a str,
    description: Option<&'a str>,
    state: &'a str,
    closed_at: Option<NaiveDateTime>,
    closed_by_id: Option<i64>,
    milestone_id: Option<i64>,
    confidential: bool,
    discussion_locked: Option<bool>,
    due_date: Option<NaiveDate>,
    weight: Option<i64>,
    issue_type: &'a str,
    time_estimate: i64,
    total_time_spent: i64,
    moved_to_id: Option<i64>,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
}

impl<'a> From<&'a Issuable> for IssuableColumns<'a> {
    fn from(issuable: &'a Issuable) -> Self {
        let (closed_at, closed_by) = match issuable.state {
            State::Closed { at, by } => (at, by),
            State::Opened | State::Locked | State::Merged => (None, None),
        };
        Self {
            kind: issuable.kind.as_str(),
            project_id: issuable.project.get(),
            iid: issuable.iid.get(),
            author_id: issuable.author.get(),
            title: &issuable.title,
            description: issuable.description.as_deref(),
            state: issuable.state.as_str(),
            closed_at: closed_at.map(naive),
            closed_by_id: closed_by.map(UserId::get),
            milestone_id: issuable.milestone.map(MilestoneId::get),
            confidential: issuable.confidential,
            discussion_locked: issuable.discussion_locked,
            due_date: issuable.due_date,
            weight: issuable.weight,
            issue_type: issuable.issue_type.as_str(),
            time_estimate: issuable.time_estimate,
            total_time_spent: issuable.total_time_spent,
            moved_to_id: issuable.moved_to.map(IssuableId::get),
            created_at: naive(issuable.created_at),
            updated_at: naive(issuable.updated_at),
        }
    }
}
