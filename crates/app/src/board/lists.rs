//! The lists of a board.

use tenon_domain::board::{BoardList, moved};
use tenon_domain::id::{BoardId, BoardListId, LabelId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::refusal::BoardRefusal;
use tenon_domain::time::Timestamp;
use tenon_storage::label::{self, LabelSet};

use super::{ListView, changeable, find, find_list, judge_change, lists_of, readable};
use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Missing};
use crate::policy::container::ContainerReference;
use crate::policy::precondition::check_unmodified;
use crate::policy::quota::check_number;

/// The lists of a board, in their order.
pub fn lists(
    query: &mut Query<'_>,
    of: &ContainerReference,
    id: BoardId,
    page: PageRequest,
) -> Result<Page<ListView>, AppError> {
    let all = readable_lists(query, of, id)?;
    let views = all.into_iter().enumerate().map(|(position, list)| ListView { list, position });
    Ok(Page::cut(views.collect(), page))
}

/// One list of a board.
pub fn list(
    query: &mut Query<'_>,
    of: &ContainerReference,
    id: BoardId,
    list: BoardListId,
) -> Result<ListView, AppError> {
    find_list(&readable_lists(query, of, id)?, list)
}

fn readable_lists(query: &mut Query<'_>, of: &ContainerReference, id: BoardId) -> Result<Vec<BoardList>, AppError> {
    let home = readable(query, of)?;
    let found = find(query, &home, id)?;
    lists_of(query, found.id)
}

/// Adds the list of a label behind the others. The label is of the project, of the group, or of a group above.
pub fn add_list(
    command: &mut Command<'_>,
    of: &ContainerReference,
    id: BoardId,
    label: LabelId,
) -> Result<ListView, AppError> {
    let home = readable(&mut command.query(), of)?;
    let found = find(&mut command.query(), &home, id)?;
    let set = LabelSet { container: home.container(), with_ancestors: true };
    let label = label::find(&mut command.tx, set, label)?.ok_or(BoardRefusal::LabelNotFound)?;
    judge_change(&home)?;
    let before = lists_of(&mut command.query(), found.id)?;
    if before.iter().any(|list| list.label.id == label.id) {
        return Err(AppError::invalid("label_id", "has already been taken"));
    }
    let count = i64::try_from(before.len()).unwrap_or(i64::MAX);
    check_number(count, command.app.limits().contents.board_lists, "A board", "lists")?;
    let now = command.now;
    tenon_storage::board::insert_list(&mut command.tx, found.id, label.id, now)?;
    let list = lists_of(&mut command.query(), found.id)?.pop().ok_or(AppError::NotFound(Missing::Record))?;
    Ok(ListView { list, position: before.len() })
}

/// Moves a list to another place; those between move by one.
pub fn move_list(
    command: &mut Command<'_>,
    of: &ContainerReference,
    id: BoardId,
    list: BoardListId,
    position: i64,
) -> Result<ListView, AppError> {
    let home = readable(&mut command.query(), of)?;
    let found = find(&mut command.query(), &home, id)?;
    let mut all = lists_of(&mut command.query(), found.id)?;
    let before = find_list(&all, list)?;
    judge_change(&home)?;
    if !moved(&mut all, before.position, position) {
        return Err(BoardRefusal::ListNotMoved.into());
    }
    let (ordered, now): (Vec<BoardListId>, _) = (all.iter().map(|list| list.id).collect(), command.now);
    tenon_storage::board::order_lists(&mut command.tx, &ordered, list, now)?;
    let after = find_list(&all, list)?;
    Ok(ListView { list: BoardList { updated_at: now, ..after.list }, ..after })
}

/// Removes a list; the issues and the label stay.
pub fn delete_list(
    command: &mut Command<'_>,
    of: &ContainerReference,
    id: BoardId,
    list: BoardListId,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let home = changeable(&mut command.query(), of)?;
    let found = find(&mut command.query(), &home, id)?;
    let gone = find_list(&lists_of(&mut command.query(), found.id)?, list)?.list;
    check_unmodified(gone.updated_at, unmodified_since)?;
    Ok(tenon_storage::board::delete_list(&mut command.tx, gone.id)?)
}
