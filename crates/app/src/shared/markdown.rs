//! Rendering Markdown.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tenon_domain::access::Decision;
use tenon_domain::id::Iid;
use tenon_domain::issuable::{IssuableKind, relative_reference};
use tenon_domain::project::ProjectAction;
use tenon_domain::project::setting::ISSUES;
use tenon_domain::user::sees;
use tenon_domain::wiki::WikiFormat;
use tenon_markdown::{Ends, FileContext, Names, Options, OutsidePictures, Reference as Named, Target};
use tenon_storage::issuable;
use tenon_storage::label::{self, LabelSet};
use tenon_storage::milestone::{self, MilestoneFilter};
use tenon_storage::user;

use crate::core::app::{App, Query};
use crate::core::error::AppError;
use crate::core::identity::Identity;
use crate::core::links::in_path;
use crate::core::texts::SHORT_TEXT;
use crate::policy::authorization::AuthorizedProject;
use crate::policy::reference::Reference;
use crate::shared::issuable::issue_tracker;
use crate::shared::issuable::view::visible;

pub use tenon_markdown::{SuggestedPart, suggested_parts};

/// More distinct references than this are left as text.
const MAX_LINKS: usize = 100;

/// `text` as HTML. With a project, what it names becomes a link, as far as the caller may see it, and uploads are found there.
/// A text that takes longer than it may is shown as it was written, with a note that says so; so it is with all functions here.
pub fn render(query: &mut Query<'_>, text: &str, project: Option<&Reference>) -> Result<String, AppError> {
    let home = match project {
        Some(reference) => Some(query.project(reference, ProjectAction::Read)?),
        None => None,
    };
    let named = home.as_ref().map(|_| query.within_budget(|ends| references(query.app, text, ends)));
    let place = Place::of(query, home.as_ref(), named.unwrap_or_default())?;
    Ok(query.within_budget(|ends| place.html(text, ends)))
}

/// The form of a text that a caller has sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `CommonMark`: without emoji, task lists and references.
    Plain,
    /// As pages show it.
    Page,
    /// As pages show it, and each block names its place in the text and has the direction of its letters.
    Located,
}

/// As [`render`], of a text that the caller has sent. No connection to the database is held while a long text is formatted.
pub async fn render_sent(
    app: &App,
    identity: &Identity,
    text: String,
    form: Form,
    project: Option<Reference>,
) -> Result<String, AppError> {
    let has_links = form != Form::Plain && project.is_some();
    let find = move |query: &mut Query<'_>, named: Vec<Named>| {
        let home = project.map(|reference| query.project(&reference, ProjectAction::Read)).transpose()?;
        Place::of(query, home.as_ref(), named)
    };
    let format = move |text: &str, place: &Place, ends: Ends<'_>| match form {
        Form::Plain => {
            tenon_markdown::plain_html(text, &Options { outside: Some(&place.outside), ends, ..Options::of("") })
        }
        Form::Page => place.html(text, ends),
        Form::Located => place.located_html(text, ends),
    };
    let named = if has_links { references } else { no_references };
    in_steps(app, identity, text, named, find, format).await
}

/// Formats a text that is not stored. The names in a long one are found before a connection to the database is taken, and it is
/// formatted after that was given back.
async fn in_steps<P: Send + 'static>(
    app: &App,
    identity: &Identity,
    text: String,
    named: fn(&App, &str, Ends<'_>) -> Vec<Named>,
    find: impl FnOnce(&mut Query<'_>, Vec<Named>) -> Result<P, AppError> + Send + 'static,
    format: impl FnOnce(&str, &P, Ends<'_>) -> String + Send + 'static,
) -> Result<String, AppError> {
    if text.len() <= SHORT_TEXT {
        let work = move |query: &mut Query<'_>| {
            let named = query.within_budget(|ends| named(query.app, &text, ends));
            let place = find(query, named)?;
            Ok(query.within_budget(|ends| format(&text, &place, ends)))
        };
        return app.read(identity, work).await;
    }
    let parse = move |app: &App, ends: Ends<'_>| (named(app, &text, ends), text);
    let ((named, text), used) = app.on_text(Duration::ZERO, parse).await?;
    let place = app.read(identity, move |query| find(query, named)).await?;
    let (html, _) = app.on_text(used, move |_app, ends| format(&text, &place, ends)).await?;
    Ok(html)
}

/// The names in a text; nothing if finding them takes too long.
fn references(app: &App, text: &str, ends: Ends<'_>) -> Vec<Named> {
    let names = Names::of(text, &Options { ends, ..Options::of(app.base_url()) });
    names.unwrap_or_default().references()
}

/// The names in a text that gets no links.
fn no_references(_: &App, _: &str, _: Ends<'_>) -> Vec<Named> {
    Vec::new()
}

/// The place at which a text is read.
struct Place {
    base_url: String,
    outside: Arc<OutsidePictures>,
    /// The path of the page of the project that it belongs to; empty if there is none.
    project: String,
    /// The path below which the pages of the project are; empty if there is none.
    pages: String,
    /// Where lead the names that the caller may follow from there.
    targets: HashMap<Named, Target>,
}

impl Place {
    fn of(query: &mut Query<'_>, home: Option<&AuthorizedProject>, named: Vec<Named>) -> Result<Self, AppError> {
        let links = query.app.links();
        let project = home.map(|home| links.without_host(&links.page(&home.full_path()))).unwrap_or_default();
        let pages = home.map(|home| links.without_host(&links.pages(&home.full_path()))).unwrap_or_default();
        let base_url = query.app.base_url().to_owned();
        let targets = home.map(|home| targets(query, home, named)).transpose()?.unwrap_or_default();
        Ok(Self { base_url, outside: query.app.outside_pictures(), project, pages, targets })
    }

    /// As [`Place::html`], of a page of the wiki of the project.
    fn wiki_html(&self, text: &str, of: &WikiPlace, ends: Ends<'_>) -> String {
        let pages = format!("{}/wikis", self.pages);
        let context = FileContext { pages: &pages, raw: &pages, folder: "", levels: of.levels, taken: of.taken };
        let options = Options { links_pages: true, key: of.key, ..self.options(ends) };
        tenon_markdown::file_html(text, &options, &self.targets, &context)
    }

    fn options<'p>(&'p self, ends: Ends<'p>) -> Options<'p> {
        Options { project: &self.project, outside: Some(&self.outside), ends, ..Options::of(&self.base_url) }
    }

    fn html(&self, text: &str, ends: Ends<'_>) -> String {
        self.html_of("", text, ends)
    }

    /// As [`Place::html`], with the places of blocks in the text. Pages leave them out to stay small.
    fn located_html(&self, text: &str, ends: Ends<'_>) -> String {
        tenon_markdown::html(text, &Options { shows_places: true, ..self.options(ends) }, &self.targets)
    }

    /// As [`Place::html`], of a text that has this key among those of its page.
    fn html_of(&self, key: &str, text: &str, ends: Ends<'_>) -> String {
        tenon_markdown::html(text, &Options { key, ..self.options(ends) }, &self.targets)
    }

    /// As [`Place::html`], of a file of the project.
    fn file_html(&self, text: &str, file: &FilePlace, ends: Ends<'_>) -> String {
        let revision = in_path(&file.revision);
        let folder = file.path.rsplit_once('/').map(|(folder, _)| in_path(folder)).unwrap_or_default();
        let [pages, raw] = ["blob", "raw"].map(|kind| format!("{}/{kind}/{revision}", self.project));
        let context = FileContext { pages: &pages, raw: &raw, folder: &folder, levels: file.levels, taken: file.taken };
        tenon_markdown::file_html(text, &self.options(ends), &self.targets, &context)
    }
}

/// One line of Markdown as safe HTML that fits into a line of a page. References stay text.
#[must_use]
pub fn inline(app: &App, text: &str) -> String {
    let outside = app.outside_pictures();
    tenon_markdown::inline_html(text, &Options { outside: Some(&outside), ..Options::of(app.base_url()) })
}

/// A file of a repository whose text is rendered.
#[derive(Debug, Clone)]
pub struct FilePlace {
    /// The branch, tag or commit, as addresses name it.
    pub revision: String,
    /// From the top of the repository.
    pub path: String,
    /// How many levels of headings the page has above the text.
    pub levels: u8,
    /// The names of places that the page has itself: no place of the text gets one of them.
    pub taken: &'static [&'static str],
}

/// The text of a file of a project, which is Markdown, as HTML for a page: relative links lead to other files of the same branch, tag
/// or commit. No connection to the database is held while a long text is formatted.
pub async fn render_file(
    app: &App,
    identity: &Identity,
    project: Reference,
    text: String,
    file: FilePlace,
) -> Result<String, AppError> {
    let find = move |query: &mut Query<'_>, named: Vec<Named>| {
        let home = query.project(&project, ProjectAction::ReadCode)?;
        Place::of(query, Some(&home), named)
    };
    let format = move |text: &str, place: &Place, ends: Ends<'_>| place.file_html(text, &file, ends);
    in_steps(app, identity, text, references, find, format).await
}

/// The place of the text of a page of a wiki.
#[derive(Debug, Clone, Copy, Default)]
pub struct WikiPlace {
    /// A name that the text has among those of the same page of the server; empty for the main one.
    pub key: &'static str,
    /// How many levels of headings the page has above the text.
    pub levels: u8,
    /// The names of places that the page has itself: no place of the text gets one of them.
    pub taken: &'static [&'static str],
}

/// Bytes of the longest text of a wiki that becomes HTML.
const LONGEST_WIKI_PAGE: usize = 2 << 20;

/// The text of a page of the wiki of a project as HTML: Markdown is formatted, and relative links lead to other pages from the top
/// of the wiki. Text of other formats is shown as it was written. A text of more than 2 MiB is replaced by a sentence that says so.
pub async fn render_wiki(
    app: &App,
    identity: &Identity,
    project: Reference,
    (text, format): (String, WikiFormat),
    of: WikiPlace,
) -> Result<String, AppError> {
    if text.len() > LONGEST_WIKI_PAGE {
        return Ok("<p>This page is too large to be shown. Clone the wiki to read it.</p>".to_owned());
    }
    if format != WikiFormat::Markdown {
        return Ok(tenon_markdown::preformatted(&text));
    }
    let find = move |query: &mut Query<'_>, named: Vec<Named>| {
        let home = query.project(&project, ProjectAction::ReadWiki)?;
        Place::of(query, Some(&home), named)
    };
    let format = move |text: &str, place: &Place, ends: Ends<'_>| place.wiki_html(text, &of, ends);
    in_steps(app, identity, text, references, find, format).await
}

/// One of several texts of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PageText<'t> {
    /// A text that no other text of the page has as its key: footnotes and headings of equal texts then have different
    /// names. Empty: it is the main text of the page.
    pub(crate) key: String,
    pub(crate) text: &'t str,
}

/// Several texts of one project as HTML. References in all of them are looked up together, as many as in one text; those
/// behind them stay text.
pub(crate) fn render_all(
    query: &mut Query<'_>,
    texts: &[PageText<'_>],
    project: &Reference,
) -> Result<Vec<String>, AppError> {
    let home = query.project(project, ProjectAction::Read)?;
    let mut named: Vec<Named> = Vec::new();
    for PageText { text, .. } in texts {
        for reference in query.within_budget(|ends| references(query.app, text, ends)) {
            if named.len() < MAX_LINKS && !named.contains(&reference) {
                named.push(reference);
            }
        }
    }
    let place = Place::of(query, Some(&home), named)?;
    let shown = |PageText { key, text }: &PageText<'_>| query.within_budget(|ends| place.html_of(key, text, ends));
    Ok(texts.iter().map(shown).collect())
}

/// The targets of references: people, issues, labels and milestones that the caller may see from `home`.
fn targets(
    query: &mut Query<'_>,
    home: &AuthorizedProject,
    named: Vec<Named>,
) -> Result<HashMap<Named, Target>, AppError> {
    let named: Vec<Named> = named.into_iter().take(MAX_LINKS).collect();
    let mut found = HashMap::new();
    link_people(query, &named, &mut found)?;
    link_issues(query, home, &named, &mut found)?;
    link_labels(query, home, &named, &mut found)?;
    link_milestones(query, home, &named, &mut found)?;
    link_external(query, home, &named, &mut found)?;
    Ok(found)
}

fn link_people(query: &mut Query<'_>, named: &[Named], found: &mut HashMap<Named, Target>) -> Result<(), AppError> {
    let wanted: Vec<String> = named
        .iter()
        .filter_map(|reference| match reference {
            Named::User(name) => Some(name.clone()),
            Named::Issue { .. }
            | Named::MergeRequest { .. }
            | Named::Label(_)
            | Named::Milestone(_)
            | Named::External(_) => None,
        })
        .collect();
    let mut users = user::by_usernames(&mut query.tx, &wanted)?;
    let viewer = query.viewer();
    users.retain(|user| sees(viewer, user) == Decision::Allow);
    for name in wanted {
        if let Some(user) = users.iter().find(|user| user.username.eq_ignore_ascii_case(&name)) {
            let target = Target {
                href: query.app.links().page(&user.username),
                title: user.name.clone(),
                text: format!("@{}", user.username),
                color: String::new(),
            };
            found.insert(Named::User(name), target);
        }
    }
    Ok(())
}

fn link_issues(
    query: &mut Query<'_>,
    home: &AuthorizedProject,
    named: &[Named],
    found: &mut HashMap<Named, Target>,
) -> Result<(), AppError> {
    let here = home.full_path();
    let mut meant = Vec::new();
    for reference in named {
        let (kind, project, iid) = match reference {
            Named::Issue { project, iid } => (IssuableKind::Issue, project, iid),
            Named::MergeRequest { project, iid } => (IssuableKind::MergeRequest, project, iid),
            Named::User(_) | Named::Label(_) | Named::Milestone(_) | Named::External(_) => continue,
        };
        let path = match project.as_deref() {
            None => here.clone(),
            Some(path) if path.contains('/') => path.to_owned(),
            Some(name) => home.namespace.path_of(name),
        };
        let Some(tenon_storage::namespace::PathHolder::Project(id)) =
            tenon_storage::namespace::holder(&mut query.tx, &path)?
        else {
            continue;
        };
        if let Some(issue) = issuable::find(&mut query.tx, kind, id, Iid::new(*iid))? {
            meant.push((reference.clone(), path, issue));
        }
    }
    let ids: Vec<_> = meant.iter().map(|(_, _, issue)| issue.id).collect();
    let visible = visible(query, &ids)?;
    for (reference, path, issue) in meant {
        if visible.contains(&issue.id) {
            let target = Target {
                href: query.app.links().issuable(issue.kind, &path, issue.iid),
                text: relative_reference(&here, &path, &issue.short_reference()),
                title: issue.title,
                color: String::new(),
            };
            found.insert(reference, target);
        }
    }
    Ok(())
}

fn link_labels(
    query: &mut Query<'_>,
    home: &AuthorizedProject,
    named: &[Named],
    found: &mut HashMap<Named, Target>,
) -> Result<(), AppError> {
    if !home.may(ProjectAction::ReadPlanning) {
        return Ok(());
    }
    let wanted: Vec<String> = named
        .iter()
        .filter_map(|reference| match reference {
            Named::Label(name) => Some(name.clone()),
            Named::User(_)
            | Named::Issue { .. }
            | Named::MergeRequest { .. }
            | Named::Milestone(_)
            | Named::External(_) => None,
        })
        .collect();
    let pages = query.app.links().pages(&home.full_path());
    for label in label::named(&mut query.tx, LabelSet::usable_in(home.project.id), &wanted)? {
        let query_string: String = url::form_urlencoded::byte_serialize(label.name.as_bytes()).collect();
        let target = Target {
            href: format!("{pages}/issues?label_name={query_string}"),
            title: label.description.unwrap_or_default(),
            text: label.name.clone(),
            color: label.color,
        };
        found.insert(Named::Label(label.name), target);
    }
    Ok(())
}

fn link_milestones(
    query: &mut Query<'_>,
    home: &AuthorizedProject,
    named: &[Named],
    found: &mut HashMap<Named, Target>,
) -> Result<(), AppError> {
    if !home.may(ProjectAction::ReadPlanning) {
        return Ok(());
    }
    for reference in named {
        let Named::Milestone(title) = reference else { continue };
        let filter = MilestoneFilter { title: Some(title.clone()), ..MilestoneFilter::usable_in(home.project.id) };
        let titled = milestone::all(&mut query.tx, &filter)?;
        if let Some(view) = crate::shared::issuable::milestones::views(query, titled)?.into_iter().next() {
            let target = Target { href: view.web_url, text: format!("%{}", view.milestone.title), ..Target::default() };
            found.insert(reference.clone(), target);
        }
    }
    Ok(())
}

/// Links to the tracker of another program, if the project uses one.
fn link_external(
    query: &mut Query<'_>,
    home: &AuthorizedProject,
    named: &[Named],
    found: &mut HashMap<Named, Target>,
) -> Result<(), AppError> {
    let is_short = |reference: &Named| matches!(reference, Named::Issue { project: None, .. });
    let issues_off = !home.project.has(&ISSUES);
    let may_lead_there =
        |reference: &&Named| matches!(reference, Named::External(_)) || (issues_off && is_short(reference));
    let wanted: Vec<&Named> = named.iter().filter(may_lead_there).collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let Some(tracker) = issue_tracker::of(query, home)? else { return Ok(()) };
    for reference in wanted {
        let target = match reference {
            Named::External(name) => Some(tracker.named(name)),
            Named::Issue { iid, .. } => tracker.numbered(*iid),
            Named::User(_) | Named::MergeRequest { .. } | Named::Label(_) | Named::Milestone(_) => None,
        };
        found.extend(target.map(|target| (reference.clone(), target)));
    }
    Ok(())
}
