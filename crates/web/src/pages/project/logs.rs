//! The last commits of the entries of a directory, if its page has not found them in time. They are a page, or the rows
//! with which the script replaces those without commits.

use askama::Template;
use tenon_app::error::AppError;
use tenon_app::repository::{self, Address, Browsed, DirectoryLog, RefNames};

use super::spot::Spot;
use super::tree::{Row, entries, row};
use crate::context::frame::Frame;
use crate::context::project::ProjectContext;
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::pagination::Pagination;

/// The segment between the revision of an address and the path.
const BETWEEN: &str = "logs_tree";

/// Rows of the table of a directory.
#[derive(Template)]
#[template(path = "parts/directory_rows.html")]
struct Fragment<'a> {
    project: &'a ProjectFrame,
    spot: &'a Spot,
    rows: &'a [Row],
}

#[derive(Template)]
#[template(path = "project/logs.html")]
struct LogsPage {
    frame: Frame,
    project: ProjectFrame,
    spot: Spot,
    rows: Vec<Row>,
    pages: Pagination,
}

/// The most directories that are tried if branches or directories have the name of these pages.
const TRIED: usize = 3;

/// The directories that an address may name: a branch, tag or commit, `logs_tree`, and a path.
fn directories(asked: &Address) -> Vec<Address> {
    let without = |at: usize| {
        let segments = asked.segments.iter().enumerate().filter(|(number, _)| *number != at);
        Address { segments: segments.map(|(_, segment)| segment.clone()).collect(), ..asked.clone() }
    };
    let places = asked.segments.iter().enumerate().skip(1).filter(|(_, segment)| *segment == BETWEEN);
    places.take(TRIED).map(|(at, _)| without(at)).collect()
}

/// The first of these directories that exists. 404 if there is none.
async fn find(context: &ProjectContext, asked: &Address) -> Result<DirectoryLog, PageError> {
    for directory in directories(asked) {
        match repository::directory_log(context.request.app(), context.code()?, directory, entries(&context.request))
            .await
        {
            Ok(Browsed::Found(found)) => return Ok(found),
            Ok(Browsed::Other(_) | Browsed::Empty) | Err(AppError::NotFound(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(PageError::NotFound)
}

pub(super) async fn show(context: ProjectContext) -> Result<Answer, PageError> {
    let at = context.at();
    let DirectoryLog { located, entries } = find(&context, &at).await?;
    let spot = Spot::new(&located, RefNames::default(), at.only, "tree");
    let api_path = format!("/repository/tree{}", spot.api_path());
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Files).with_api_path(&api_path);
    let pages = Pagination::of(&entries).with_query(spot.ties);
    let rows: Vec<Row> = entries.items.into_iter().map(row).collect();
    if context.request.is_fragment() {
        return Answer::fragment(&Fragment { project: &project, spot: &spot, rows: &rows });
    }
    Answer::cacheable(&LogsPage { frame: context.frame, project, spot, rows, pages })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_directories_at_branches() {
        let named = |path: &str| {
            let segments = path.split('/').map(str::to_owned).collect();
            let found = directories(&Address { segments, only: None });
            found.iter().map(|address| address.segments.join("/")).collect::<Vec<_>>()
        };
        assert_eq!(named("feature/x/logs_tree/doc/a"), ["feature/x/doc/a"]);
        assert_eq!(named("main/logs_tree"), ["main"]);
        // A branch or a directory may have such a name.
        assert_eq!(named("a/logs_tree/b/logs_tree/c"), ["a/b/logs_tree/c", "a/logs_tree/b/c"]);
        assert_eq!(named("logs_tree/logs_tree"), ["logs_tree"]);
        assert!(named("logs_tree/x").is_empty() && named("main/doc").is_empty());
        assert_eq!(named(&["x/logs_tree"; 9].join("/")).len(), TRIED);
    }
}
