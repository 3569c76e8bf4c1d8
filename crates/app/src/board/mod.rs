//! Boards of projects and groups: their lists, and the issues in these.

mod change;
mod issues;
mod lists;

pub use change::{BoardChange, create, delete, edit};
pub use issues::{BoardColumn, BoardContent, ColumnName, MoveIssue, content, move_issue};
pub use lists::{add_list, delete_list, list, lists, move_list};

use tenon_domain::board::{Board, BoardList};
use tenon_domain::group::GroupAction;
use tenon_domain::id::{BoardId, BoardListId, NamespaceId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;
use tenon_domain::project::setting::ISSUES;
use tenon_storage::board;
use tenon_storage::project::ProjectWithNamespace;

use crate::core::app::Query;
use crate::core::error::{AppError, Missing};
use crate::policy::container::{AuthorizedContainer, ContainerReference};
use crate::shared::views::project_view::{ProjectBrief, brief_of};

/// A board as answers show it.
#[derive(Debug, Clone)]
pub struct BoardView {
    /// The board.
    pub board: Board,
    /// Its lists, in their order.
    pub lists: Vec<BoardList>,
    /// The project or group that it belongs to.
    pub home: BoardHome,
}

/// The project or group of a board, as answers show it.
#[derive(Debug, Clone)]
pub enum BoardHome {
    /// A project.
    Project(Box<ProjectBrief>),
    /// A group.
    Group {
        /// Its id.
        id: NamespaceId,
        /// Its name.
        name: String,
        /// The address of its page.
        web_url: String,
    },
}

/// A list of a board, and its place there, from 0 on.
#[derive(Debug, Clone)]
pub struct ListView {
    /// The list.
    pub list: BoardList,
    /// Its place.
    pub position: usize,
}

/// The boards of a project or group, the oldest first.
pub fn all(query: &mut Query<'_>, of: &ContainerReference, page: PageRequest) -> Result<Page<BoardView>, AppError> {
    let home = readable(query, of)?;
    let found = board::list(&mut query.tx, home.container(), page)?;
    let ids: Vec<BoardId> = found.items.iter().map(|board| board.id).collect();
    let mut lists = board::lists(&mut query.tx, &ids)?;
    let shown = shown(query, &home)?;
    Ok(found.map(|board| BoardView { lists: lists.remove(&board.id).unwrap_or_default(), home: shown.clone(), board }))
}

/// One board.
pub fn show(query: &mut Query<'_>, of: &ContainerReference, id: BoardId) -> Result<BoardView, AppError> {
    let home = readable(query, of)?;
    let found = find(query, &home, id)?;
    view(query, &home, found)
}

fn view(query: &mut Query<'_>, home: &AuthorizedContainer, board: Board) -> Result<BoardView, AppError> {
    Ok(BoardView { lists: lists_of(query, board.id)?, home: shown(query, home)?, board })
}

fn shown(query: &mut Query<'_>, home: &AuthorizedContainer) -> Result<BoardHome, AppError> {
    Ok(match home {
        AuthorizedContainer::Project(found) => {
            let placed = ProjectWithNamespace { project: found.project.clone(), home: found.namespace.clone() };
            BoardHome::Project(Box::new(brief_of(query, placed)?))
        }
        AuthorizedContainer::Group(found) => {
            let group = &found.group.namespace;
            let web_url = query.app.links().group(&group.full_path);
            BoardHome::Group { id: group.id, name: group.name.clone(), web_url }
        }
    })
}

/// The project or group, if the caller sees it. 403 if issues are off in the project, or are not for the caller.
fn readable(query: &mut Query<'_>, of: &ContainerReference) -> Result<AuthorizedContainer, AppError> {
    Ok(match of {
        ContainerReference::Project(reference) => {
            AuthorizedContainer::Project(Box::new(query.project_part(reference, ProjectAction::Read, &ISSUES)?))
        }
        ContainerReference::Group(reference) => {
            AuthorizedContainer::Group(Box::new(query.group(reference, GroupAction::Read)?))
        }
    })
}

/// Refuses callers who may not change boards and lists: those who may change labels.
fn judge_change(home: &AuthorizedContainer) -> Result<(), AppError> {
    match home {
        AuthorizedContainer::Project(found) => found.judge(ProjectAction::ManageLabels),
        AuthorizedContainer::Group(found) if found.may(GroupAction::ManageLabels) => Ok(()),
        AuthorizedContainer::Group(_) => Err(AppError::Forbidden),
    }
}

/// As [`readable`], if the caller may also change boards there.
fn changeable(query: &mut Query<'_>, of: &ContainerReference) -> Result<AuthorizedContainer, AppError> {
    let home = readable(query, of)?;
    judge_change(&home)?;
    Ok(home)
}

fn find(query: &mut Query<'_>, home: &AuthorizedContainer, id: BoardId) -> Result<Board, AppError> {
    board::find(&mut query.tx, home.container(), id)?.ok_or(AppError::NotFound(Missing::Record))
}

fn lists_of(query: &mut Query<'_>, id: BoardId) -> Result<Vec<BoardList>, AppError> {
    Ok(board::lists(&mut query.tx, &[id])?.remove(&id).unwrap_or_default())
}

/// The list of that id among those of a board.
fn find_list(lists: &[BoardList], id: BoardListId) -> Result<ListView, AppError> {
    let found = lists.iter().enumerate().find(|(_, list)| list.id == id);
    let (position, list) = found.ok_or(AppError::NotFound(Missing::Record))?;
    Ok(ListView { list: list.clone(), position })
}
