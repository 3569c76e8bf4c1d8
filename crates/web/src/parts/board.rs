//! Parts that the boards of projects and those of groups have in common: the list, the columns, and the forms.

use tenon_app::board::{BoardChange, BoardColumn, BoardContent, BoardView, ColumnName, MoveIssue};
use tenon_app::error::{AppError, Missing};
use tenon_app::issuable::IssuableView;
use tenon_app::issue::Neighbours;
use tenon_app::{ContainerReference, Query, board, label};
use tenon_domain::board::Board;
use tenon_domain::id::{BoardId, BoardListId, IssuableId};
use tenon_domain::label::Label;
use tenon_domain::page::{Page, PageRequest};

use super::issuable::list::Row;
use super::links::LabelBadge;
use crate::kit::choice::Choice;
use crate::kit::error::permitted;
use crate::kit::form::{Form, OriginalValues};
use crate::kit::pagination::Pagination;
use crate::kit::words::{count, grouped};

const FORM: &str = "board";

/// A board of a list.
pub(crate) struct BoardRow {
    pub(crate) href: String,
    pub(crate) name: String,
    /// Its lists in words.
    pub(crate) lists: String,
}

/// A list of boards, ready for its page.
pub(crate) struct Listed {
    /// The address to which the form of a new board is sent.
    pub(crate) href: String,
    pub(crate) rows: Vec<BoardRow>,
    pub(crate) pages: Pagination,
    pub(crate) may_change: bool,
    /// The name in the form of a new board.
    pub(crate) typed: String,
}

impl Listed {
    pub(crate) fn new(href: String, found: Page<BoardView>, may_change: bool, typed: String) -> Self {
        let pages = Pagination::of(&found).at(&href);
        let row = |view: BoardView| BoardRow {
            href: format!("{href}/{}", view.board.id),
            lists: count(i64::try_from(view.lists.len()).unwrap_or(i64::MAX), "list", "lists"),
            name: view.board.name,
        };
        Self { rows: found.items.into_iter().map(row).collect(), pages, href, may_change, typed }
    }
}

/// The data of a page with a board.
pub(crate) struct BoardData {
    content: BoardContent,
    /// The labels that a new list may have.
    labels: Vec<Label>,
}

/// Reads a board, and the first labels for a new list.
pub(crate) fn read(query: &mut Query<'_>, of: &ContainerReference, id: BoardId) -> Result<BoardData, AppError> {
    let content = board::content(query, of, id)?;
    let labels = label::first(query, of, PageRequest::MAX_PER_PAGE);
    Ok(BoardData { content, labels: permitted(labels)?.unwrap_or_default() })
}

/// The place of a board, and the rights of the caller there.
pub(crate) struct Home<'a> {
    /// The address of the project, or of the pages of the group.
    pub(crate) href: &'a str,
    /// True if the caller may change the board and move issues.
    pub(crate) may_change: bool,
}

/// A board, ready for its page.
pub(crate) struct BoardPart {
    /// The address of the board.
    pub(crate) href: String,
    /// The address of the list of boards.
    pub(crate) all: String,
    pub(crate) name: String,
    pub(crate) columns: Vec<ColumnPart>,
    /// The labels that a new list may have.
    pub(crate) labels: Vec<Choice>,
    pub(crate) may_change: bool,
    pub(crate) typed: FormValues,
}

/// A column of a board.
pub(crate) struct ColumnPart {
    /// Its name in forms.
    pub(crate) value: String,
    pub(crate) title: String,
    /// The label of a list.
    pub(crate) label: Option<LabelBadge>,
    /// The id of a list, and the places to which it can be moved.
    pub(crate) list: Option<ListPart>,
    pub(crate) total: String,
    pub(crate) cards: Vec<Card>,
    /// The address of the list of all its issues, if it does not show all.
    pub(crate) more: Option<String>,
}

/// A list in the menu of its board.
pub(crate) struct ListPart {
    pub(crate) id: i64,
    pub(crate) left: Option<usize>,
    pub(crate) right: Option<usize>,
}

/// An issue in a column.
pub(crate) struct Card {
    /// The id of the issue.
    pub(crate) id: i64,
    pub(crate) row: Row,
    /// The ids of the issues above and below.
    pub(crate) above: Option<i64>,
    pub(crate) below: Option<i64>,
}

impl BoardPart {
    /// The board with its cards, which `row` makes of issues. The form has what was typed, or else what is stored.
    pub(crate) fn new(
        home: &Home<'_>,
        found: BoardData,
        typed: Option<FormValues>,
        row: impl Fn(&IssuableView) -> Row,
    ) -> Self {
        let BoardData { content, labels } = found;
        let listed = content.columns.iter().filter_map(|column| column.list.as_ref());
        let used: Vec<_> = listed.map(|list| list.label.id).collect();
        let free = labels.iter().filter(|label| !used.contains(&label.id));
        let mut place = 0;
        let mut columns = Vec::with_capacity(content.columns.len());
        for column in content.columns {
            let part = ColumnPart::new(home, column, (place, used.len()), &row);
            place += usize::from(part.list.is_some());
            columns.push(part);
        }
        Self {
            href: format!("{}/boards/{}", home.href, content.board.id),
            all: format!("{}/boards", home.href),
            columns,
            labels: free.map(|label| Choice::new(&label.id.to_string(), &label.name, false)).collect(),
            may_change: home.may_change,
            name: content.board.name.clone(),
            typed: typed.unwrap_or_else(|| FormValues::of(content.board)),
        }
    }
}

impl ColumnPart {
    fn new(
        home: &Home<'_>,
        column: BoardColumn,
        (place, lists): (usize, usize),
        row: &impl Fn(&IssuableView) -> Row,
    ) -> Self {
        let ids: Vec<i64> = column.first.iter().map(|view| view.issuable.id.get()).collect();
        let card = |(number, view): (usize, &IssuableView)| Card {
            id: view.issuable.id.get(),
            row: row(view),
            above: number.checked_sub(1).and_then(|above| ids.get(above)).copied(),
            below: ids.get(number + 1).copied(),
        };
        let cards: Vec<Card> = column.first.iter().enumerate().map(card).collect();
        let label = column.list.as_ref().map(|list| &list.label);
        let badge = label.map(|label| {
            let description = label.description.as_deref().unwrap_or_default();
            LabelBadge::new(home.href, "issues", &label.name, &label.color, description)
        });
        let (value, title, all) = match (column.name, &badge) {
            (ColumnName::List(id), Some(badge)) => (id.to_string(), badge.name.clone(), badge.href.clone()),
            (ColumnName::Closed, _) => ("closed".into(), "Closed".into(), format!("{}/issues?state=closed", home.href)),
            (ColumnName::Open | ColumnName::List(_), _) => {
                ("open".into(), "Open".into(), format!("{}/issues", home.href))
            }
        };
        let has_more = usize::try_from(column.total).is_ok_and(|total| total > cards.len());
        let list = column.list.as_ref().map(|list| ListPart {
            id: list.id.get(),
            left: place.checked_sub(1),
            right: Some(place + 1).filter(|right| *right < lists),
        });
        Self { value, title, label: badge, list, total: grouped(column.total), cards, more: has_more.then_some(all) }
    }
}

/// The values of the form of a board.
#[derive(Default)]
pub(crate) struct FormValues {
    pub(crate) name: String,
    pub(crate) hides_open: bool,
    pub(crate) hides_closed: bool,
    /// The fields as the page had them at first ([`OriginalValues::field`]).
    pub(crate) shown: String,
}

impl FormValues {
    fn of(board: Board) -> Self {
        let shown = OriginalValues::of([
            ("name", board.name.as_str().into()),
            ("hides_open", board.hides_open.into()),
            ("hides_closed", board.hides_closed.into()),
        ]);
        Self { name: board.name, hides_open: board.hides_open, hides_closed: board.hides_closed, shown: shown.field() }
    }

    /// The form as it was sent.
    pub(crate) fn sent(form: Form<'_>) -> Self {
        Self {
            name: form.text(FORM, "name"),
            hides_open: form.ticked(FORM, "hides_open"),
            hides_closed: form.ticked(FORM, "hides_closed"),
            shown: OriginalValues::sent(form).field(),
        }
    }
}

/// The fields that a form has.
pub(crate) fn changed(form: Form<'_>) -> BoardChange {
    let ticked = |field| form.has(FORM, field).then(|| form.ticked(FORM, field));
    BoardChange {
        name: form.has(FORM, "name").then(|| form.text(FORM, "name")),
        hides_open: ticked("hides_open"),
        hides_closed: ticked("hides_closed"),
    }
}

/// A number of a form. 404 if it is none.
pub(crate) fn number(form: Form<'_>, object: &str, field: &str) -> Result<i64, AppError> {
    form.text(object, field).parse().map_err(|_not_a_number| AppError::NotFound(Missing::Plain))
}

/// The move that the form of a card asks for. 404 if it names no issue or no column.
pub(crate) fn moved(form: Form<'_>) -> Result<MoveIssue, AppError> {
    let column = |field: &str| match form.text("move", field).as_str() {
        "open" => Ok(ColumnName::Open),
        "closed" => Ok(ColumnName::Closed),
        _ => number(form, "move", field).map(|id| ColumnName::List(BoardListId::new(id))),
    };
    let beside = |field: &str| form.text("move", field).parse().ok().map(IssuableId::new);
    Ok(MoveIssue {
        issue: IssuableId::new(number(form, "move", "issue")?),
        from: column("from")?,
        to: column("to")?,
        neighbours: Neighbours { above: beside("after"), below: beside("before") },
    })
}
