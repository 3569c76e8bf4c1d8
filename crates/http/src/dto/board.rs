//! Boards and their lists as JSON.

use serde::Serialize;
use tenon_app::board::{BoardHome, BoardView, ListView};
use tenon_domain::label::Label;
use utoipa::ToSchema;

use super::project::SimpleProjectDto;

/// A board of a project or group.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BoardDto {
    id: i64,
    name: String,
    /// True if pages do not show the open issues that are in no list.
    hide_backlog_list: bool,
    /// True if pages do not show the closed issues.
    hide_closed_list: bool,
    /// The project of the board. Null if it belongs to a group.
    project: Option<SimpleProjectDto>,
    /// The group of the board.
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<BoardGroupDto>,
    /// The lists, in their order.
    lists: Vec<BoardListDto>,
    /// Always null: boards show the issues of all milestones.
    milestone: Option<i64>,
    /// Always null: boards show the issues of all assignees.
    assignee: Option<i64>,
    /// Always empty: boards show issues whatever their labels.
    labels: Vec<BoardLabelDto>,
    /// Always null: boards show issues of any weight.
    weight: Option<i64>,
}

/// The group of a board.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BoardGroupDto {
    id: i64,
    web_url: String,
    name: String,
}

/// A list of a board: the open issues with a label.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BoardListDto {
    id: i64,
    label: BoardLabelDto,
    /// Its place among the lists, from 0 on.
    position: i64,
}

/// The label of a list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BoardLabelDto {
    id: i64,
    name: String,
    /// `#RRGGBB`.
    color: String,
    description: Option<String>,
}

impl From<Label> for BoardLabelDto {
    fn from(label: Label) -> Self {
        Self { id: label.id.get(), name: label.name, color: label.color, description: label.description }
    }
}

impl From<ListView> for BoardListDto {
    fn from(view: ListView) -> Self {
        let position = i64::try_from(view.position).unwrap_or(i64::MAX);
        Self { id: view.list.id.get(), label: view.list.label.into(), position }
    }
}

impl From<BoardView> for BoardDto {
    fn from(view: BoardView) -> Self {
        let (project, group) = match view.home {
            BoardHome::Project(brief) => (Some(SimpleProjectDto::present(*brief)), None),
            BoardHome::Group { id, name, web_url } => (None, Some(BoardGroupDto { id: id.get(), web_url, name })),
        };
        let lists = view.lists.into_iter().enumerate();
        Self {
            id: view.board.id.get(),
            name: view.board.name,
            hide_backlog_list: view.board.hides_open,
            hide_closed_list: view.board.hides_closed,
            project,
            group,
            lists: lists.map(|(position, list)| ListView { list, position }.into()).collect(),
            milestone: None,
            assignee: None,
            labels: Vec::new(),
            weight: None,
        }
    }
}
