//! Putting an issue between others.

use std::cmp::Reverse;

use tenon_domain::id::IssuableId;
use tenon_domain::issuable::position::{GAP, SPREADS, between, cell, spread};
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
    let mut widths = SPREADS.into_iter();
    loop {
        let (first, second) = places(command, above, below)?;
        let Some(at) = first.or(second.map(|second| second.saturating_sub(1))) else { return Ok(()) };
        if let Some(found) = free(command, moved, first, second)? {
            return Ok(position::set(&mut command.tx, moved, found)?);
        }
        let width = widths.next().ok_or(BoardRefusal::IssueNotMoved)?;
        make_room(command, at, width, moved)?;
    }
}

/// The positions of the neighbours: of two, whichever comes first is the first.
fn places(
    command: &mut Command<'_>,
    above: Option<IssuableId>,
    below: Option<IssuableId>,
) -> Result<(Option<i64>, Option<i64>), AppError> {
    let ids: Vec<IssuableId> = above.into_iter().chain(below).collect();
    let mut known: Vec<(i64, Reverse<IssuableId>)> =
        position::of(&mut command.tx, &ids)?.into_iter().map(|(id, position)| (position, Reverse(id))).collect();
    known.sort_unstable();
    let mut known = known.into_iter().map(|(position, _)| position);
    Ok(if above.is_some() { (known.next(), known.next()) } else { (None, known.next()) })
}

/// A free position behind the first and before the second. `None` if there is none.
fn free(
    command: &mut Command<'_>,
    moved: IssuableId,
    first: Option<i64>,
    second: Option<i64>,
) -> Result<Option<i64>, AppError> {
    // The issue itself is not in its own way.
    let other = |found: Vec<(IssuableId, i64)>| found.into_iter().find(|(id, _)| *id != moved).map(|found| found.1);
    Ok(match (first, second) {
        (Some(first), Some(second)) => {
            // Directly behind the first, before what may already be between the two.
            let given = other(position::first_behind(&mut command.tx, first, second, 2)?);
            between(first, given.unwrap_or(second))
        }
        (Some(first), None) => {
            let initial = cell(first).saturating_add(GAP);
            let given = other(position::first_behind(&mut command.tx, first, initial, 2)?);
            between(first, given.unwrap_or(initial))
        }
        (None, Some(second)) => {
            let (initial, last) = (cell(second.saturating_sub(1)), second.saturating_sub(1));
            let given = other(position::last_up_to(&mut command.tx, initial, last, 2)?);
            between(given.unwrap_or(initial), second)
        }
        (None, None) => None,
    })
}

/// Spreads the moved issues around a place, in their order: at most `width` on either side, and none beyond the initial
/// positions around it.
fn make_room(command: &mut Command<'_>, at: i64, width: usize, moved: IssuableId) -> Result<(), AppError> {
    let (mut from, mut to) = (cell(at), cell(at).saturating_add(GAP));
    // One more on either side, which stays, and the issue itself, which goes.
    let mut before = position::last_up_to(&mut command.tx, from, at, width + 2)?;
    let mut behind = position::first_behind(&mut command.tx, at, to, width + 2)?;
    for (side, end) in [(&mut before, &mut from), (&mut behind, &mut to)] {
        side.retain(|(id, _)| *id != moved);
        side.truncate(width + 1);
        if side.len() > width {
            *end = side.pop().map_or(*end, |(_, position)| position);
        }
    }
    let crowd: Vec<(IssuableId, i64)> = before.into_iter().rev().chain(behind).collect();
    for ((id, old), new) in crowd.iter().zip(spread(from, to, crowd.len()).unwrap_or_default()) {
        if *old != new {
            position::set(&mut command.tx, *id, new)?;
        }
    }
    Ok(())
}
