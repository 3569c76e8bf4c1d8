//! The commits and changes that one branch, tag or commit has and another lacks.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::repository::{self, ComparisonPage, RefNames, WhiteSpace};

use crate::context::frame::Frame;
use crate::context::project::ProjectContext;
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::address::{self, in_path, in_query};
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::problems::Problems;
use crate::parts::commit_line::CommitLine;
use crate::parts::diff::{ChangedFile, TOO_MUCH, all_changed, white_space};

/// The longest name of a side, in bytes.
const LONGEST: usize = 1000;

/// The two sides, as an address or a form names them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Sides {
    from: String,
    to: String,
    /// True for a direct difference between the sides. False for the changes of the second side since their merge base.
    straight: bool,
}

impl Sides {
    /// The sides of `a...b` or `a..b`. Names of branches and tags have no two dots in a row.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (from, to, straight) = match text.split_once("...") {
            Some((from, to)) => (from, to, false),
            None => text.split_once("..").map(|(from, to)| (from, to, true))?,
        };
        let is_name = |name: &str| !name.is_empty() && name.len() <= LONGEST;
        (is_name(from) && is_name(to)).then(|| Self { from: from.to_owned(), to: to.to_owned(), straight })
    }

    /// The names of the sides.
    pub(super) fn names(&self) -> Vec<String> {
        vec![self.from.clone(), self.to.clone()]
    }

    /// The address of the comparison, below the project.
    pub(super) fn below(&self) -> String {
        let dots = if self.straight { ".." } else { "..." };
        format!("/compare/{}{dots}{}", in_path(&self.from), in_path(&self.to))
    }
}

#[derive(Template)]
#[template(path = "project/compare.html")]
struct ComparePage {
    frame: Frame,
    project: ProjectFrame,
    sides: Sides,
    problems: Problems,
    names: RefNames,
    found: Option<PageData>,
}

/// The result of the comparison.
struct PageData {
    commits: Vec<CommitLine>,
    has_more_commits: bool,
    files: Vec<ChangedFile>,
    is_cut: bool,
    ignores_space: bool,
    /// The address of this comparison, below the project.
    below: String,
    /// The second side, as part of addresses.
    revision: String,
    /// The address of the comparison with the sides swapped.
    swapped: String,
    /// The address at which a merge request for it is made, if the caller may.
    new_request: Option<String>,
}

/// The form, filled with the values in the address.
pub(super) async fn form(context: ProjectContext) -> Result<Answer, PageError> {
    let usual = context.page.view.brief.project.default_branch.clone().unwrap_or_default();
    let named = |name: &str| context.request.query(name).filter(|text| text.len() <= LONGEST).map(str::to_owned);
    let from = named("from").unwrap_or_else(|| usual.clone());
    let sides = Sides { to: named("to").unwrap_or(usual), from, straight: context.request.query("straight").is_some() };
    shown(context, sides, Problems::default(), None).await
}

/// Leads from the form to the address of the comparison. 422 if a side is missing.
pub(super) async fn go(context: ProjectContext) -> Result<Answer, PageError> {
    let form = context.request.form();
    let sides = Sides {
        from: form.filled("", "from").unwrap_or_default(),
        to: form.filled("", "to").unwrap_or_default(),
        straight: form.ticked("", "straight"),
    };
    let known = repository::known_revisions(context.request.app(), context.code()?, sides.names()).await?;
    let mut problems = Problems::default().under("Comparison failed");
    for (field, words, is_known) in [("from", "Base", known.first()), ("to", "Compare with", known.get(1))] {
        if is_known != Some(&true) {
            problems.add(field, &format!("{words} must be a branch, tag or commit"));
        }
    }
    if problems.is_empty() {
        return Ok(context.done(&sides.below()));
    }
    Ok(shown(context, sides, problems, None).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

pub(super) async fn show(context: ProjectContext) -> Result<Answer, PageError> {
    let text = context.asked.below("path").join("/");
    let Some(sides) = Sides::parse(&text) else {
        context.code()?;
        return Ok(Answer::to(&context.address(&format!("/compare?to={}", in_query(&text)))));
    };
    let white_space = white_space(&context.request).await?;
    let (app, pair) = (context.request.app(), (sides.from.clone(), sides.to.clone()));
    let found = repository::comparison_page(app, context.code()?, pair, sides.straight, white_space).await?;
    let ComparisonPage { commits, has_more_commits, files, is_cut, head, branches, sides: trees } = found;
    let files = all_changed(app, Some(&trees), files, &head).await?;
    let may_open = context.page.may_push && context.page.may.read_merge_requests && !commits.is_empty();
    let new_request = branches.filter(|_| may_open).map(|(from, to)| address::new_request(&to, Some(&from)));
    let other = Sides { from: sides.to.clone(), to: sides.from.clone(), straight: sides.straight };
    let found = PageData {
        commits: commits.into_iter().map(Into::into).collect(),
        has_more_commits,
        is_cut: is_cut || files.iter().any(|file| file.note == TOO_MUCH),
        files,
        ignores_space: white_space == WhiteSpace::Ignored,
        below: sides.below(),
        revision: in_path(&sides.to),
        swapped: other.below(),
        new_request,
    };
    shown(context, sides, Problems::default(), Some(found)).await
}

async fn shown(
    context: ProjectContext,
    sides: Sides,
    problems: Problems,
    found: Option<PageData>,
) -> Result<Answer, PageError> {
    let names = repository::ref_names(context.request.app(), context.code()?).await?;
    let api_path = format!("/repository/compare?from={}&to={}", in_query(&sides.from), in_query(&sides.to));
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Commits).with_api_path(&api_path);
    Answer::cacheable(&ComparePage { frame: context.frame, project, sides, problems, names, found })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_between_dots() {
        let sides = |from: &str, to: &str, straight| Sides { from: from.to_owned(), to: to.to_owned(), straight };
        for (text, want) in [
            ("main...feature/x", Some(sides("main", "feature/x", false))),
            ("v1.0..v1.1", Some(sides("v1.0", "v1.1", true))),
            ("main", None),
            ("main...", None),
            ("...", None),
        ] {
            assert_eq!(Sides::parse(text), want, "{text}");
        }
        assert_eq!(sides("a b", "c/d", false).below(), "/compare/a%20b...c/d");
    }
}
