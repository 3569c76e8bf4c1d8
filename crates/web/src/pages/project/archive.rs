//! Other addresses of archives. Those with a revision and a name are served with the other files of projects.

use crate::context::project::ProjectContext;
use crate::kit::address::{in_path, in_query};
use crate::kit::answer::Answer;
use crate::kit::error::PageError;

/// The endings of the names of archives. If two of them end alike, the longer one comes first.
const SUFFIXES: [&str; 8] = ["tar.gz", "tgz", "tar.bz2", "tbz2", "tbz", "tb2", "tar", "zip"];

/// An address that names only the branch: `-/archive/main.zip`.
pub(super) async fn short(context: ProjectContext) -> Result<Answer, PageError> {
    let file = context.asked.segment("file");
    let (revision, suffix) = SUFFIXES
        .iter()
        .find_map(|suffix| Some((file.strip_suffix(suffix)?.strip_suffix('.')?, *suffix)))
        .ok_or(PageError::NotFound)?;
    Ok(leading_to(&context, revision, suffix))
}

/// The addresses of older programs: `repository/archive.zip?ref=…` and `repository/{ref}/archive.zip`.
pub(super) async fn moved(context: ProjectContext) -> Result<Answer, PageError> {
    let segments = context.asked.below("path");
    let (file, named) = segments.split_last().ok_or(PageError::NotFound)?;
    let suffix = match file.strip_prefix("archive") {
        Some("") => "tar.gz",
        Some(rest) => {
            let suffix = rest.strip_prefix('.').unwrap_or_default();
            SUFFIXES.iter().find(|known| **known == suffix).ok_or(PageError::NotFound)?
        }
        None => return Err(PageError::NotFound),
    };
    let project = &context.page.view.brief.project;
    let asked =
        if named.is_empty() { context.request.query("ref").map(ToOwned::to_owned) } else { Some(named.join("/")) };
    let revision = asked.or_else(|| project.default_branch.clone()).ok_or(PageError::NotFound)?;
    Ok(leading_to(&context, &revision, suffix))
}

fn leading_to(context: &ProjectContext, revision: &str, suffix: &str) -> Answer {
    let name = format!("{}-{}", context.page.view.brief.project.path, revision.replace('/', "-"));
    let path =
        context.request.parameters().path("path").map(|path| format!("?path={}", in_query(path))).unwrap_or_default();
    Answer::to(&context.address(&format!("/-/archive/{}/{}.{suffix}{path}", in_path(revision), in_path(&name))))
}
