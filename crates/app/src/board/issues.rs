//! The issues of a board, and moving them between its columns.

use std::collections::BTreeMap;

use tenon_domain::board::{Board, BoardList};
use tenon_domain::container::Container;
use tenon_domain::id::{BoardId, BoardListId, IssuableId, LabelId};
use tenon_domain::issuable::{Issuable, IssuableAction, IssuableKind, State, StateEvent};
use tenon_storage::issuable::{self, Column};
use tenon_storage::namespace;

use super::{find, lists_of, readable};
use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Missing};
use crate::policy::container::{AuthorizedContainer, ContainerReference};
use crate::policy::issuable::AuthorizedIssuable;
use crate::policy::reference::Reference;
use crate::shared::issuable::aggregate::{change_state, save_changes};
use crate::shared::issuable::milestones::visible_in;
use crate::shared::issuable::position::{self, Neighbours};
use crate::shared::issuable::view::{Detail, IssuableView, views};
use crate::shared::issuable_aggregate::IssuableAggregate;

/// The most issues that a column shows.
const SHOWN: i64 = 20;

/// The name of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnName {
    /// The open issues that are in no list.
    Open,
    /// A list.
    List(BoardListId),
    /// The closed issues.
    Closed,
}

/// A column of a board with its issues.
#[derive(Debug, Clone)]
pub struct BoardColumn {
    /// Its name.
    pub name: ColumnName,
    /// The list, if it is one.
    pub list: Option<BoardList>,
    /// How many issues it has that the caller may see.
    pub total: i64,
    /// The first 20 of them, in the order in which users have put them.
    pub first: Vec<IssuableView>,
}

/// A board with its issues.
#[derive(Debug, Clone)]
pub struct BoardContent {
    /// The board.
    pub board: Board,
    /// Its columns.
    pub columns: Vec<BoardColumn>,
}

/// A board with the issues that the caller may see. The number of statements does not depend on that of the lists.
pub fn content(query: &mut Query<'_>, of: &ContainerReference, id: BoardId) -> Result<BoardContent, AppError> {
    let home = readable(query, of)?;
    let board = find(query, &home, id)?;
    let lists = lists_of(query, board.id)?;
    let mut names: Vec<(ColumnName, Option<BoardList>)> = Vec::with_capacity(lists.len() + 2);
    let labels = labels_of(&lists);
    names.extend((!board.hides_open).then_some((ColumnName::Open, None)));
    names.extend(lists.into_iter().map(|list| (ColumnName::List(list.id), Some(list))));
    names.extend((!board.hides_closed).then_some((ColumnName::Closed, None)));
    let columns: Vec<Column> = names.iter().map(|(name, list)| column(*name, list.as_ref(), &labels)).collect();
    let visible = visible_in(query, &home, IssuableKind::Issue)?;
    let found = issuable::columns(&mut query.tx, &visible, &columns, SHOWN)?;
    // An issue may be in several columns. All are completed at once.
    let issues = found.iter().flat_map(|content| &content.first).map(|issue| (issue.id, issue.clone()));
    let issues: BTreeMap<IssuableId, Issuable> = issues.collect();
    let rows = views(query, issues.into_values().collect(), Detail { labels: true, ..Detail::default() })?;
    let rows: BTreeMap<IssuableId, IssuableView> = rows.into_iter().map(|view| (view.issuable.id, view)).collect();
    let columns = names.into_iter().zip(found).map(|((name, list), content)| BoardColumn {
        name,
        list,
        total: content.total,
        first: content.first.iter().filter_map(|issue| rows.get(&issue.id).cloned()).collect(),
    });
    Ok(BoardContent { columns: columns.collect(), board })
}

fn labels_of(lists: &[BoardList]) -> Vec<LabelId> {
    lists.iter().map(|list| list.label.id).collect()
}

fn column(name: ColumnName, list: Option<&BoardList>, labels: &[LabelId]) -> Column {
    match (name, list) {
        (ColumnName::Closed, _) => Column::Closed,
        (ColumnName::List(_), Some(list)) => Column::Label(list.label.id),
        (ColumnName::Open, _) | (ColumnName::List(_), None) => Column::Open(labels.to_vec()),
    }
}

/// A request to move an issue on a board.
#[derive(Debug, Clone, Copy)]
pub struct MoveIssue {
    /// The issue.
    pub issue: IssuableId,
    /// The column from which it is moved.
    pub from: ColumnName,
    /// The column to which it is moved.
    pub to: ColumnName,
    /// The issues beside its place there. Without any it keeps its place in the order of all issues.
    pub neighbours: Neighbours,
}

/// Moves an issue. A list gives it its label, and takes that of the list from which it came. The column of open issues
/// takes the labels of all lists. The column of closed issues closes it. An issue that comes from there is opened again.
pub fn move_issue(
    command: &mut Command<'_>,
    of: &ContainerReference,
    id: BoardId,
    request: MoveIssue,
) -> Result<(), AppError> {
    let home = readable(&mut command.query(), of)?;
    let board = find(&mut command.query(), &home, id)?;
    let lists = lists_of(&mut command.query(), board.id)?;
    let found = movable(command, &home, request.issue)?;
    let list = |name: ColumnName| match name {
        ColumnName::List(id) => lists.iter().find(|list| list.id == id),
        ColumnName::Open | ColumnName::Closed => None,
    };
    if matches!(request.to, ColumnName::List(_)) && list(request.to).is_none() {
        return Err(AppError::NotFound(Missing::Record));
    }
    if request.from != request.to {
        change(command, &found, &request, list(request.from), list(request.to), &lists)?;
    }
    // A page may name issues that were deleted or hidden since it was made.
    let known = Neighbours {
        above: position::readable(command, request.neighbours.above)?,
        below: position::readable(command, request.neighbours.below)?,
    };
    position::move_beside(command, request.issue, known)
}

/// The issue, if it belongs to the project, or to one below the group, and the caller may move it.
fn movable(
    command: &mut Command<'_>,
    home: &AuthorizedContainer,
    id: IssuableId,
) -> Result<AuthorizedIssuable, AppError> {
    let missing = || AppError::NotFound(Missing::Record);
    let issue = issuable::find_by_id(&mut command.tx, id)?;
    let issue = issue.filter(|issue| issue.kind == IssuableKind::Issue).ok_or_else(missing)?;
    let project = Reference::Id(issue.project.get());
    let found = command.query().issue(&project, issue.iid, IssuableAction::Read)?;
    let is_there = match home.container() {
        Container::Project(id) => id == issue.project,
        Container::Group(group) => namespace::is_within(&mut command.tx, found.home.namespace.id, group)?,
    };
    if !is_there {
        return Err(missing());
    }
    if found.may(IssuableAction::Triage) { Ok(found) } else { Err(AppError::Forbidden) }
}

/// Changes the labels and the state of an issue as its new column demands.
fn change(
    command: &mut Command<'_>,
    found: &AuthorizedIssuable,
    request: &MoveIssue,
    from: Option<&BoardList>,
    to: Option<&BoardList>,
    lists: &[BoardList],
) -> Result<(), AppError> {
    let before = IssuableAggregate::load(command, &found.issuable)?;
    let mut after = before.clone();
    let user = command.user()?.id;
    if request.to == ColumnName::Closed {
        change_state(&mut after, StateEvent::Close, user, command.now);
    } else if request.from == ColumnName::Closed {
        change_state(&mut after, StateEvent::Reopen, user, command.now);
    }
    match (request.to, to) {
        (ColumnName::Closed, _) => {}
        (ColumnName::List(_), Some(list)) => {
            let left = from.filter(|left| left.id != list.id).map(|left| left.label.id);
            after.labels.retain(|(id, _)| Some(*id) != left && *id != list.label.id);
            after.labels.push((list.label.id, list.label.name.clone()));
            crate::shared::issuable::aggregate::sort_labels(&mut after);
            crate::shared::issuable::labels::check_count(before.labels.len(), after.labels.len())?;
        }
        (ColumnName::Open | ColumnName::List(_), _) => {
            after.labels.retain(|(id, _)| !lists.iter().any(|list| list.label.id == *id));
        }
    }
    let saved = save_changes(command, found, &before, after, None)?;
    if before.issuable.state == State::Opened || saved.issuable.state == State::Opened {
        let now = command.now;
        issuable::touch_project(&mut command.tx, saved.issuable.project, now)?;
    }
    Ok(())
}
