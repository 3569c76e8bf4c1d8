//! The graph of commits: the list of a history with the lines between its commits.

use std::fmt::Write as _;

use askama::Template;
use tenon_app::repository::{self, Browsed, GraphPage, GraphRow, GraphScope, LONGEST_GRAPH, Lanes};

use super::spot::Spot;
use crate::context::frame::Frame;
use crate::context::project::ProjectContext;
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::address::{in_path, in_query};
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::pagination::{self, Pagination};
use crate::kit::words::grouped;
use crate::parts::commit_line::{CommitLine, find_faces};

/// The lanes that are drawn. Commits of further ones are drawn at the edge, without lines.
const LANES: usize = 12;
/// The height of a row, and the distance between lanes, in pixels.
const HEIGHT: usize = 40;
const STEP: usize = 14;
/// The colours of lanes, which repeat.
const COLOURS: [&str; 6] = ["accent", "good", "done", "wait", "bad", "fg-2"];

#[derive(Template)]
#[template(path = "project/graph.html")]
struct GraphTemplate {
    frame: Frame,
    project: ProjectFrame,
    spot: Spot,
    is_of_all: bool,
    /// The width of the lanes of all rows, in pixels.
    width: usize,
    rows: Vec<Row>,
    /// The number of commits at which the graph ends, if there are more.
    end: Option<String>,
    pages: Pagination,
}

struct Row {
    commit: CommitLine,
    is_merge: bool,
    /// The names of branches and tags, and their addresses below the project.
    branches: Vec<(String, String)>,
    tags: Vec<(String, String)>,
    unnamed: usize,
    /// The place of the commit from the left.
    x: usize,
    colour: &'static str,
    /// Lines by their colours, as the data of a path.
    lines: Vec<(&'static str, String)>,
}

pub(super) async fn show(context: ProjectContext) -> Result<Answer, PageError> {
    if !context.page.may.read_analytics {
        return Err(PageError::NotFound);
    }
    let address = context.at();
    let is_of_all = address.segments.is_empty();
    let scope = if is_of_all { GraphScope::Everything } else { GraphScope::OfRef };
    let (only, request) = (address.only, pagination::asked(context.request.parameters()));
    let found = match repository::graph(context.request.app(), context.code()?, address, scope, request).await? {
        Browsed::Found(found) => found,
        Browsed::Other(_) | Browsed::Empty => return Err(PageError::NotFound),
    };
    let GraphPage { located, rows, is_cut, refs } = found;
    let spot = Spot::new(&located, refs, only, "network");
    let api_path = format!("/repository/commits?ref_name={}", in_query(&spot.name));
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Commits).with_api_path(&api_path);
    let pages = Pagination { is_counted: false, ..Pagination::of(&rows) }.with_query(spot.ties);
    let is_at_end = pages.number >= pages.last && is_cut;
    let end = is_at_end.then(|| grouped(i64::try_from(LONGEST_GRAPH).unwrap_or(i64::MAX)));
    let lanes = rows.items.iter().map(|row| widest(&row.lanes)).max().unwrap_or_default();
    let mut rows: Vec<Row> = rows.items.into_iter().map(Row::from).collect();
    find_faces(&context.request, &context.frame, rows.iter_mut().map(|row| &mut row.commit)).await?;
    let width = (lanes + 1) * STEP + 4;
    Answer::cacheable(&GraphTemplate { frame: context.frame, project, spot, is_of_all, width, rows, end, pages })
}

/// The last of the drawn lanes of a row.
fn widest(lanes: &Lanes) -> usize {
    let others = lanes.passing.iter().chain(&lanes.joining).chain(&lanes.parents);
    others.chain([&lanes.own]).map(|lane| (*lane).min(LANES)).max().unwrap_or_default()
}

/// The place of a lane from the left.
const fn x(lane: usize) -> usize {
    let lane = if lane < LANES { lane } else { LANES };
    lane * STEP + STEP / 2 + 2
}

fn colour(lane: usize) -> &'static str {
    COLOURS.get(lane % COLOURS.len()).copied().unwrap_or_default()
}

impl From<GraphRow> for Row {
    fn from(row: GraphRow) -> Self {
        let GraphRow { commit, branches, tags, unnamed, lanes } = row;
        let named = |kind: &str, names: Vec<String>| {
            let address = |name: String| (format!("/{kind}/{}", in_path(&name)), name);
            names.into_iter().map(address).map(|(href, name)| (name, href)).collect()
        };
        Self {
            is_merge: commit.parent_ids.len() > 1,
            commit: commit.into(),
            branches: named("tree", branches),
            tags: named("tags", tags),
            unnamed,
            x: x(lanes.own),
            colour: colour(lanes.own),
            lines: lines(&lanes),
        }
    }
}

/// The lines of a row, those of one colour together. They reach the row below, over the line between the two.
fn lines(lanes: &Lanes) -> Vec<(&'static str, String)> {
    let (top, middle, bottom) = (-1, HEIGHT / 2, HEIGHT);
    let mut drawn: Vec<(&'static str, String)> = Vec::new();
    let mut draw = |lane: usize, line: std::fmt::Arguments<'_>| {
        let colour = colour(lane);
        let known = drawn.iter().position(|(known, _)| *known == colour);
        let place = known.unwrap_or(drawn.len());
        if known.is_none() {
            drawn.push((colour, String::new()));
        }
        let path = drawn.get_mut(place);
        if let Some((_, path)) = path {
            let _ = path.write_fmt(line);
        }
    };
    for lane in lanes.passing.iter().copied().filter(|lane| *lane < LANES) {
        draw(lane, format_args!("M{} {top}V{bottom}", x(lane)));
    }
    if lanes.own >= LANES {
        return drawn;
    }
    let own = x(lanes.own);
    for lane in lanes.joining.iter().copied().filter(|lane| *lane < LANES) {
        let there = x(lane);
        draw(lane, format_args!("M{there} {top}C{there} {middle} {own} {middle} {own} {bottom}"));
    }
    if lanes.is_led_to {
        draw(lanes.own, format_args!("M{own} {top}V{middle}"));
    }
    for lane in lanes.parents.iter().copied().filter(|lane| *lane < LANES) {
        let there = x(lane);
        if lane == lanes.own {
            draw(lane, format_args!("M{own} {middle}V{bottom}"));
        } else {
            // A line has the colour of the branch that it leads from, or to.
            draw(lane.max(lanes.own), format_args!("M{own} {middle}C{own} {bottom} {there} {middle} {there} {bottom}"));
        }
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_one_colour_are_one_path() {
        let merge = Lanes { own: 0, is_led_to: true, passing: vec![1], joining: Vec::new(), parents: vec![0, 2] };
        let want = [
            ("good", "M23 -1V40".to_owned()),
            ("accent", "M9 -1V20M9 20V40".to_owned()),
            ("done", "M9 20C9 40 37 20 37 40".to_owned()),
        ];
        assert_eq!(lines(&merge), want);
        let joined = Lanes { joining: vec![1], ..Lanes::default() };
        assert_eq!(lines(&joined), [("good", "M23 -1C23 20 9 20 9 40".to_owned())]);
    }

    #[test]
    fn far_lanes_are_not_drawn() {
        let far = Lanes {
            own: 5_000,
            is_led_to: true,
            passing: (0..5_000).collect(),
            joining: Vec::new(),
            parents: vec![0, 5_000],
        };
        let drawn = lines(&far);
        assert_eq!(drawn.len(), COLOURS.len());
        assert_eq!(drawn.iter().map(|(_, path)| path.matches('M').count()).sum::<usize>(), LANES);
        assert_eq!((widest(&far), x(far.own)), (LANES, x(LANES)));
    }
}
