//! The page of a project.

use askama::Template;
use tenon_app::Query;
use tenon_app::badge::{self, BadgeView};
use tenon_app::dashboard::{self, PushedBranch};
use tenon_app::error::AppError;
use tenon_app::repository::Browsed;
use tenon_domain::project::Import;

use super::tree::{Directory, find, present};
use crate::context::frame::Frame;
use crate::context::project::{ProjectContext, ProjectRequest};
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::address::{in_path, in_query};
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::words::{self, Moment};
use crate::parts::badge::markdown;
use crate::parts::clone_address::CloneAddresses;
use crate::parts::pushed::JustPushed;

#[derive(Template)]
#[template(path = "project/home.html")]
struct HomePage {
    frame: Frame,
    project: ProjectFrame,
    description: String,
    /// Topics, and their form in addresses.
    topics: Vec<(String, String)>,
    /// The project from which it was forked: its name, and its address.
    origin: Option<(String, String)>,
    /// The address that the project follows, and when it was updated last.
    mirror: Option<(String, Option<Moment>)>,
    languages: Vec<Language>,
    /// The languages in words.
    language_words: String,
    license: Option<(String, String)>,
    /// The tag of the newest release, and when it was released.
    release: Option<(String, Moment)>,
    clone: CloneAddresses,
    /// Parts of the commands: the address that is offered first, and the directory that Git makes.
    clone_first: String,
    /// The branch that is still to come in an empty repository, as part of addresses.
    unborn: String,
    folder: String,
    may_push: bool,
    /// True if its repository is still being copied.
    is_coming: bool,
    /// True if it may be filled from another repository.
    may_import: bool,
    /// The reason why the copy from another repository failed. Only for callers who can do something about it.
    import_problem: Option<String>,
    directory: Option<Directory>,
    pushed: Vec<JustPushed>,
    /// Its badges: HTML that is safe. Empty if it has none.
    badges: String,
}

/// A language as a part of the bar of all languages, which is 100 wide.
struct Language {
    name: String,
    share: String,
    /// The place in the bar where it begins, and its width.
    from: String,
    width: String,
    color: &'static str,
}

/// The colours of languages, by their rank.
const COLORS: [&str; 6] = ["#c96a3d", "#3572a5", "#7a7f87", "#7a3ec8", "#1a7f43", "#b08800"];

/// The branches that the caller has just pushed, and the badges of the project.
type Found = (Vec<PushedBranch>, Vec<BadgeView>);

pub(super) fn read(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<Found, AppError> {
    Ok((dashboard::just_pushed(query, &asked.project)?, badge::shown(query, &asked.project)?))
}

pub(super) async fn show(context: ProjectContext, (pushed, badges): Found) -> Result<Answer, PageError> {
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
    let badges = match badges.as_slice() {
        [] => String::new(),
        badges => context.rendered(markdown(badges)).await?,
    };
    let frame_of_project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Overview);
    let may_import = crate::pages::project::import::is_offered(&context);
    let ProjectContext { request, frame, page, .. } = context;
    let brief = page.view.brief;
    let unborn = in_path(&brief.project.unborn_branch);
    let clone = CloneAddresses::of(request.app(), &brief);
    let origin = page.view.forked_from.map(|origin| {
        let href = request.own(&format!("/{}", origin.full_path));
        (origin.full_name, href)
    });
    let mirror = page.mirror.and_then(|found| Some((found.url?, found.mirror.succeeded_at.map(Into::into))));
    let license = page.view.license.flatten().map(|license| (license.license.name.to_owned(), license.url));
    let languages = if page.code.is_some() { shares(&brief.facts.languages) } else { Vec::new() };
    let counts_this = |directory: &Directory| brief.project.default_branch.as_ref() == Some(&directory.spot.name);
    let commits = counted_commits(brief.facts.commit_count);
    let directory = directory.map(|directory| {
        let commits = if counts_this(&directory) { commits } else { String::new() };
        Directory { commits, ..directory }
    });
    let pushed = JustPushed::all(request.app(), &frame.root, pushed).await?;
    let project = brief.project;
    Answer::cacheable(&HomePage {
        pushed,
        badges,
        is_coming: matches!(project.import, Import::Scheduled | Import::Started),
        import_problem: match project.import {
            Import::Failed(reason) if page.may.edit || page.may.administer => Some(reason),
            Import::Failed(_) | Import::None | Import::Scheduled | Import::Started | Import::Finished => None,
        },
        frame,
        project: frame_of_project,
        description: project.description.unwrap_or_default(),
        topics: brief.tags.into_iter().map(|topic| (topic.clone(), in_query(&topic))).collect(),
        origin,
        mirror,
        language_words: words_of(&languages),
        languages,
        release: page.latest_release.map(|(tag, at)| (tag, at.into())),
        license,
        clone_first: clone.first(),
        unborn,
        clone,
        folder: project.path,
        may_push: page.may_push,
        may_import,
        directory,
    })
}

fn counted_commits(number: i64) -> String {
    if number > 0 { words::count(number, "commit", "commits") } else { String::new() }
}

/// Hundredths as a number with one digit behind the point.
fn tenths(hundredths: i64) -> String {
    format!("{}.{}", hundredths / 100, hundredths % 100 / 10)
}

/// The most used languages. Their shares are hundredths of a percent.
fn shares(languages: &[(String, i64)]) -> Vec<Language> {
    let mut from = 0;
    let language = |((name, share), color): (&(String, i64), &&'static str)| {
        let begin = from;
        from += share;
        Language {
            name: name.clone(),
            share: format!("{} %", tenths(*share)),
            from: tenths(begin),
            width: tenths(*share),
            color,
        }
    };
    languages.iter().zip(&COLORS).map(language).collect()
}

fn words_of(languages: &[Language]) -> String {
    let words: Vec<String> = languages.iter().map(|language| format!("{} {}", language.name, language.share)).collect();
    words.join(", ")
}
