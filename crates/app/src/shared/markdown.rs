//! Rendering Markdown.

use std::collections::HashMap;

use tenon_domain::access::Decision;
use tenon_domain::id::Iid;
use tenon_domain::issuable::{IssuableKind, relative_reference};
use tenon_domain::project::ProjectAction;
use tenon_domain::user::sees;
use tenon_markdown::{Ends, FileContext, Names, Options, Reference as Named, Target};
use tenon_storage::issuable;
use tenon_storage::label::{self, LabelSet};
use tenon_storage::milestone::{self, MilestoneFilter};
use tenon_storage::user;

use crate::core::app::{App, Query};
use crate::core::error::AppError;
use crate::core::links::in_path;
use crate::policy::authorization::AuthorizedProject;
use crate::policy::reference::Reference;
use crate::shared::issuable::issue_tracker;
use crate::shared::issuable::view::visible;

/// More distinct references than this are left as text.
const MAX_LINKS: usize = 100;

/// `text` as HTML. With a project, what it names becomes a link, as far as the caller may see it, and uploads are found
/// there. A text that takes longer than it may is shown as it was written, with a note that says so; so it is with all
/// functions here.
pub fn render(query: &mut Query<'_>, text: &str, gfm: bool, project: Option<&Reference>) -> Result<String, AppError> {
    let home = match project {
        Some(reference) => Some(query.project(reference, ProjectAction::Read)?),
        None => None,
    };
    if !gfm {
        return Ok(query.within_budget(|ends| tenon_markdown::plain_html(text, ends)));
    }
    let place = Place::of(query, home.as_ref());
    let targets = match &home {
        Some(home) => {
            let named = place.references(query, text);
            targets(query, home, named)?
        }
        None => HashMap::new(),
    };
    Ok(query.within_budget(|ends| tenon_markdown::html(text, &place.options(ends), &targets)))
}

/// The place at which a text is read.
struct Place {
    base_url: String,
    /// The path of the page of the project that it belongs to; empty if there is none.
    project: String,
}

impl Place {
    fn of(query: &Query<'_>, home: Option<&AuthorizedProject>) -> Self {
        let links = query.app.links();
        let project = home.map(|home| links.without_host(&links.page(&home.full_path())).clone());
        Self { base_url: query.app.base_url().to_owned(), project: project.unwrap_or_default() }
    }

    fn options<'p>(&'p self, ends: Ends<'p>) -> Options<'p> {
        Options { base_url: &self.base_url, project: &self.project, ends }
    }

    /// The names in a text; nothing if finding them takes too long.
    fn references(&self, query: &Query<'_>, text: &str) -> Vec<Named> {
        let names = query.within_budget(|ends| Names::of(text, &self.options(ends)));
        names.unwrap_or_default().references()
    }
}

/// One line of Markdown as safe HTML that fits into a line of a page. References stay text.
#[must_use]
pub fn inline(app: &App, text: &str) -> String {
    tenon_markdown::inline_html(text, &Options::of(app.base_url()))
}

/// A file of a repository whose text is rendered.
#[derive(Debug, Clone)]
pub struct FileText {
    /// Its text, which is Markdown.
    pub text: String,
    /// The branch, tag or commit, as addresses name it.
    pub revision: String,
    /// From the top of the repository.
    pub path: String,
    /// How many levels of headings the page has above the text.
    pub levels: u8,
    /// The names of places that the page has itself: no place of the text gets one of them.
    pub taken: &'static [&'static str],
}

/// The text of a file of a project as HTML for a page: relative links lead to other files of the same branch, tag or commit.
pub fn render_file(query: &mut Query<'_>, project: &Reference, file: &FileText) -> Result<String, AppError> {
    let home = query.project(project, ProjectAction::ReadCode)?;
    let place = Place::of(query, Some(&home));
    let links = query.app.links();
    let page = links.without_host(&links.page(&home.full_path()));
    let (pages, raw) = (format!("{page}/blob"), format!("{page}/raw"));
    let revision = in_path(&file.revision);
    let folder = file.path.rsplit_once('/').map(|(folder, _)| in_path(folder)).unwrap_or_default();
    let (pages, raw) = (format!("{pages}/{revision}"), format!("{raw}/{revision}"));
    let context = FileContext { pages: &pages, raw: &raw, folder: &folder, levels: file.levels, taken: file.taken };
    let named = place.references(query, &file.text);
    let targets = targets(query, &home, named)?;
    Ok(query.within_budget(|ends| tenon_markdown::file_html(&file.text, &place.options(ends), &targets, &context)))
}

/// Several texts of one project as HTML. References in all of them are looked up together, as many as in one text; those
/// behind them stay text.
pub(crate) fn render_all(query: &mut Query<'_>, texts: &[&str], project: &Reference) -> Result<Vec<String>, AppError> {
    let home = query.project(project, ProjectAction::Read)?;
    let place = Place::of(query, Some(&home));
    let mut named: Vec<Named> = Vec::new();
    for text in texts {
        for reference in place.references(query, text) {
            if named.len() < MAX_LINKS && !named.contains(&reference) {
                named.push(reference);
            }
        }
    }
    let targets = targets(query, &home, named)?;
    let shown = |text: &&str| query.within_budget(|ends| tenon_markdown::html(text, &place.options(ends), &targets));
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
    let page = query.app.links().page(&home.full_path());
    for label in label::named(&mut query.tx, LabelSet::usable_in(home.project.id), &wanted)? {
        let query_string: String = url::form_urlencoded::byte_serialize(label.name.as_bytes()).collect();
        let target = Target {
            href: format!("{page}/issues?label_name={query_string}"),
            title: label.description.unwrap_or_default(),
            text: label.name.clone(),
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
    for reference in named {
        let Named::Milestone(title) = reference else { continue };
        let filter = MilestoneFilter { title: Some(title.clone()), ..MilestoneFilter::usable_in(home.project.id) };
        let titled = milestone::all(&mut query.tx, &filter)?;
        if let Some(view) = crate::shared::issuable::milestones::views(query, titled)?.into_iter().next() {
            let target =
                Target { href: view.web_url, title: String::new(), text: format!("%{}", view.milestone.title) };
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
    let issues_off = !home.project.features.issues_enabled;
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
