//! Making, changing and removing boards.

use tenon_domain::board::Board;
use tenon_domain::field_errors::FieldErrors;
use tenon_domain::id::BoardId;
use tenon_domain::time::Timestamp;
use tenon_storage::board;

use super::{BoardView, changeable, find, view};
use crate::core::app::Command;
use crate::core::error::AppError;
use crate::policy::container::ContainerReference;
use crate::policy::precondition::check_unmodified;
use crate::policy::quota::{check_number, container_word};

/// The fields of a board in a request; `None` leaves a field as it is.
#[derive(Debug, Clone, Default)]
pub struct BoardChange {
    /// Its name.
    pub name: Option<String>,
    /// True if it does not show the open issues that are in none of its lists.
    pub hides_open: Option<bool>,
    /// True if it does not show the closed issues.
    pub hides_closed: Option<bool>,
}

impl BoardChange {
    fn apply(self, board: &mut Board) -> Result<(), AppError> {
        if let Some(name) = self.name {
            name.trim().clone_into(&mut board.name);
        }
        board.hides_open = self.hides_open.unwrap_or(board.hides_open);
        board.hides_closed = self.hides_closed.unwrap_or(board.hides_closed);
        let mut errors = FieldErrors::default();
        board.check(&mut errors);
        Ok(errors.into_result()?)
    }
}

/// Makes a board without lists.
pub fn create(command: &mut Command<'_>, of: &ContainerReference, change: BoardChange) -> Result<BoardView, AppError> {
    let home = changeable(&mut command.query(), of)?;
    let container = home.container();
    let mut new = Board {
        id: BoardId::new(0),
        container,
        name: String::new(),
        hides_open: false,
        hides_closed: false,
        created_at: command.now,
        updated_at: command.now,
    };
    change.apply(&mut new)?;
    let count = board::count(&mut command.tx, container)?;
    check_number(count, command.app.limits().contents.boards, container_word(container), "boards")?;
    new.id = board::insert(&mut command.tx, &new)?;
    view(&mut command.query(), &home, new)
}

/// Changes a board.
pub fn edit(
    command: &mut Command<'_>,
    of: &ContainerReference,
    id: BoardId,
    change: BoardChange,
) -> Result<BoardView, AppError> {
    let home = changeable(&mut command.query(), of)?;
    let before = find(&mut command.query(), &home, id)?;
    let mut after = before.clone();
    change.apply(&mut after)?;
    if after != before {
        after.updated_at = command.now;
        board::update(&mut command.tx, &after)?;
    }
    view(&mut command.query(), &home, after)
}

/// Removes a board with its lists; issues and labels stay.
pub fn delete(
    command: &mut Command<'_>,
    of: &ContainerReference,
    id: BoardId,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let home = changeable(&mut command.query(), of)?;
    let gone = find(&mut command.query(), &home, id)?;
    check_unmodified(gone.updated_at, unmodified_since)?;
    Ok(board::delete(&mut command.tx, gone.id)?)
}
