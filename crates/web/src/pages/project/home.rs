//! The page of a project.

use askama::Template;
use tenon_app::error::AppError;
use tenon_app::repository::Browsed;
use tenon_app::{Query, Reference, project};
use tenon_domain::id::ProjectId;
use tenon_domain::project::Import;

use super::tree::{Directory, find, present};
use crate::context::frame::Frame;
use crate::context::project::{ProjectContext, ProjectRequest};
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::address::in_query;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::parts::clone_address::CloneAddresses;

#[derive(Template)]
#[template(path = "project/home.html")]
struct HomePage {
    frame: Frame,
    project: ProjectFrame,
    description: String,
    /// Topics, and their form in addresses.
    topics: Vec<(String, String)>,
    stars: String,
    forks: String,
    /// The project from which it was forked: its name, and its address.
    origin: Option<(String, String)>,
    languages: String,
    license: Option<(String, String)>,
    clone: CloneAddresses,
    /// Parts of the commands: the address that is offered first, and the directory that Git makes.
    clone_first: String,
    folder: String,
    may_push: bool,
    /// True if the caller has starred it. The next field is true if the caller may.
    is_starred: bool,
    may_star: bool,
    /// True if its repository is still being copied.
    is_coming: bool,
    /// True if it may be filled from another repository.
    may_import: bool,
    /// The reason why the copy from another repository failed. Only for callers who can do something about it.
    import_problem: Option<String>,
    directory: Option<Directory>,
}

/// True if the caller has starred the project.
pub(super) fn read(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<bool, AppError> {
    let Reference::Id(id) = asked.project else { return Ok(false) };
    project::is_starred(query, ProjectId::new(id))
}

pub(super) async fn show(context: ProjectContext, is_starred: bool) -> Result<Answer, PageError> {
    if crate::pages::project::commit::wants_feed(&context) {
        return Ok(Answer::to(&context.address(".atom")));
    }
    let directory = match context.code() {
        Ok(_) => match find(&context).await? {
            Browsed::Found(found) => Some(present(&context, found).await?),
            Browsed::Other(_) | Browsed::Empty => None,
        },
        Err(_) => None,
    };
    let frame_of_project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Overview);
    let is_signed_in = context.frame.user.is_some();
    let may_import = crate::pages::project::import::is_offered(&context);
    let ProjectContext { request, frame, page, .. } = context;
    let brief = page.view.brief;
    let clone = CloneAddresses::of(request.app(), &brief);
    let origin = page.view.forked_from.map(|origin| {
        let href = request.own(&format!("/{}", origin.full_path));
        (origin.full_name, href)
    });
    let license = page.view.license.flatten().map(|license| (license.license.name.to_owned(), license.url));
    let project = brief.project;
    Answer::cacheable(&HomePage {
        is_coming: matches!(project.import, Import::Scheduled | Import::Started),
        import_problem: match project.import {
            Import::Failed(reason) if page.may.edit || page.may.administer => Some(reason),
            Import::Failed(_) | Import::None | Import::Scheduled | Import::Started | Import::Finished => None,
        },
        frame,
        project: frame_of_project,
        description: project.description.unwrap_or_default(),
        topics: brief.tags.into_iter().map(|topic| (topic.clone(), in_query(&topic))).collect(),
        stars: counted(project.star_count, "star", "stars"),
        forks: counted(project.forks_count, "fork", "forks"),
        origin,
        languages: if page.code.is_some() { shares(&brief.facts.languages) } else { String::new() },
        license,
        clone_first: clone.first(),
        clone,
        folder: project.path,
        may_push: page.may_push,
        may_import,
        is_starred,
        may_star: page.may.star && is_signed_in,
        directory,
    })
}

fn counted(number: i64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// Languages with their shares, which are hundredths of a percent.
fn shares(languages: &[(String, i64)]) -> String {
    let words: Vec<String> = languages
        .iter()
        .take(6)
        .map(|(name, share)| format!("{name} {}.{} %", share / 100, share % 100 / 10))
        .collect();
    words.join(", ")
}
