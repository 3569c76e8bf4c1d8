//! Putting an issue between others.

use std::cmp::Reverse;

use tenon_domain::id::IssuableId;
use tenon_domain::issuable::position::{GAP, MAX_SPREAD, between, cell, spread};
use tenon_domain::issuable::{IssuableAction, IssuableKind};
use tenon_domain::refusal::BoardRefusal;
use tenon_storage::issuable::{self, position};

use crate::core::app::Command;
use crate::core::error::AppError;
use crate::policy::reference::Reference;

/// The issues beside the place to which one is moved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Neighbours {
    /// The one that comes before it.
    pub above: Option<IssuableId>,
    /// The one that comes after it.
    pub below: Option<IssuableId>,
}

/// The issue of that id. `None` if there is none that the caller may read.
pub(crate) fn readable(command: &mut Command<'_>, id: Option<IssuableId>) -> Result<Option<IssuableId>, AppError> {
    let Some(id) = id else { return Ok(None) };
    let found = issuable::find_by_id(&mut command.tx, id)?.filter(|found| found.kind == IssuableKind::Issue);
    let Some(issue) = found else { return Ok(None) };
    match command.query().issue(&Reference::Id(issue.project.get()), issue.iid, IssuableAction::Read) {
        Ok(_) => Ok(Some(id)),
        Err(AppError::NotFound(_) | AppError::Forbidden) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Puts an issue between its new neighbours, whichever of them comes first, or directly beside the only one. Nothing happens
/// if there are none. The positions of others change only if there is none left between the two.
pub(crate) fn move_beside(
    command: &mut Command<'_>,
    moved: IssuableId,
    neighbours: Neighbours,
) -> Result<(), AppError> {
    let Neighbours { above, below } = neighbours;
    let (above, below) = (above.filter(|id| *id != moved), below.filter(|id| *id != moved && above != Some(*id)));
    if above.is_none() && below.is_none() {
        return Ok(());
    }
    if let Some(found) = free(command, moved, above, below)? {
        return Ok(position::set(&mut command.tx, moved, found)?);
    }
    make_room(command, above.or(below), moved)?;
    match free(command, moved, above, below)? {
        Some(found) => Ok(position::set(&mut command.tx, moved, found)?),
        None => Err(BoardRefusal::IssueNotMoved.into()),
    }
}

/// A free position between the neighbours. `None` if there is none.
fn free(
    command: &mut Command<'_>,
    moved: IssuableId,
    above: Option<IssuableId>,
    below: Option<IssuableId>,
) -> Result<Option<i64>, AppError> {
    let ids: Vec<IssuableId> = above.into_iter().chain(below).collect();
    let mut known: Vec<(i64, Reverse<IssuableId>)> =
        position::of(&mut command.tx, &ids)?.into_iter().map(|(id, position)| (position, Reverse(id))).collect();
    known.sort_unstable();
    Ok(match (known.as_slice(), above) {
        ([(first, _), (second, _)], _) => between(*first, *second),
        ([(only, _)], Some(_)) => {
            let initial = cell(*only).saturating_add(GAP);
            let given = position::next_behind(&mut command.tx, *only, moved)?;
            between(*only, given.map_or(initial, |given| given.min(initial)))
        }
        ([(only, _)], None) => {
            let initial = cell(only.saturating_sub(1));
            let given = position::next_before(&mut command.tx, *only, moved)?;
            between(given.map_or(initial, |given| given.max(initial)), *only)
        }
        _ => None,
    })
}

/// Spreads the moved issues around a neighbour, in their order, between the initial positions around it.
fn make_room(command: &mut Command<'_>, neighbour: Option<IssuableId>, moved: IssuableId) -> Result<(), AppError> {
    let ids: Vec<IssuableId> = neighbour.into_iter().collect();
    for at in position::of(&mut command.tx, &ids)?.into_values() {
        // An issue that was not moved stands at the beginning of a cell; what is directly before it is in the one before.
        for begin in [cell(at), cell(at.saturating_sub(1))] {
            let limit = i64::try_from(MAX_SPREAD + 1).unwrap_or(i64::MAX);
            let end = begin.saturating_add(GAP);
            let mut crowd = position::moved_between(&mut command.tx, begin, end, limit)?;
            crowd.retain(|id| *id != moved);
            if crowd.len() > MAX_SPREAD {
                return Err(BoardRefusal::IssueNotMoved.into());
            }
            for (id, position) in crowd.iter().zip(spread(begin, crowd.len())) {
                position::set(&mut command.tx, *id, position)?;
            }
        }
    }
    Ok(())
}
