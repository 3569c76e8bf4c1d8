//! Badges of projects and groups.

use tenon_domain::access::Decision;
use tenon_domain::badge::{Badge, rendered};
use tenon_domain::container::Container;
use tenon_domain::field_errors::FieldErrors;
use tenon_domain::group::GroupAction;
use tenon_domain::id::BadgeId;
use tenon_domain::namespace::NamespaceKind;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::patch::Patch;
use tenon_domain::project::{ProjectAction, ProjectFacts, decide};
use tenon_domain::refusal::BadgeRefusal;
use tenon_domain::time::Timestamp;
use tenon_storage::project::{ProjectFilter, ProjectSet, ProjectWithNamespace};
use tenon_storage::{badge, project, repository};

use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Missing};
use crate::core::links::{host_of, in_path};
use crate::policy::container::{AuthorizedContainer, ContainerReference};
use crate::policy::precondition::check_unmodified;
use crate::policy::quota::{check_number, container_word};
use crate::policy::reference::Reference;
use crate::shared::web_address;

/// The most badges that the page of a project shows.
const SHOWN: i64 = 20;

/// A badge as answers show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadgeView {
    /// The badge.
    pub badge: Badge,
    /// The address to which it leads, with values in the place of placeholders.
    pub rendered_link_url: String,
    /// The address of the picture, with values in the place of placeholders.
    pub rendered_image_url: String,
}

/// The fields of a badge in a request; `None` leaves a field as it is.
#[derive(Debug, Clone, Default)]
pub struct BadgeChange {
    /// Its name; an empty one is none.
    pub name: Patch<String>,
    /// The address to which it leads.
    pub link_url: Option<String>,
    /// The address of the picture.
    pub image_url: Option<String>,
}

impl BadgeChange {
    fn apply(self, badge: &mut Badge) {
        badge.name = self.name.apply(badge.name.take()).filter(|name| !name.trim().is_empty());
        if let Some(address) = self.link_url {
            badge.link_url = address;
        }
        if let Some(address) = self.image_url {
            badge.image_url = address;
        }
    }
}

/// The values of placeholders by their names, encoded for addresses. Empty if there is no project.
struct Values(Vec<(&'static str, String)>);

impl Values {
    /// Those for a project or group as the caller sees it: for a group, those of its first project. Without a
    /// placeholder in any of the badges nothing is read.
    fn of(query: &mut Query<'_>, home: &AuthorizedContainer, badges: &[Badge]) -> Result<Self, AppError> {
        if !badges.iter().any(Badge::has_placeholder) {
            return Ok(Self(Vec::new()));
        }
        let (placed, reads_code) = match home {
            AuthorizedContainer::Project(found) => {
                let placed = ProjectWithNamespace { project: found.project.clone(), home: found.namespace.clone() };
                (Some(placed), found.may(ProjectAction::ReadCode))
            }
            AuthorizedContainer::Group(found) => {
                let set = ProjectSet::In(found.group.id());
                let filter = ProjectFilter::new(query.viewer(), query.today(), set);
                let first = project::first(&mut query.tx, &filter)?;
                let facts = first.as_ref().map(|placed| ProjectFacts::of(&placed.project));
                let standing = found.standing.standing;
                let reads =
                    facts.is_some_and(|facts| decide(&standing, facts, ProjectAction::ReadCode) == Decision::Allow);
                (first, reads)
            }
        };
        let Some(ProjectWithNamespace { project, home }) = placed else {
            return Ok(Self(Vec::new()));
        };
        let branch = project.default_branch.as_deref();
        let commit = match branch.filter(|_| reads_code) {
            Some(branch) => repository::stored_ref(&mut query.tx, project.id, &format!("refs/heads/{branch}"))?,
            None => None,
        };
        let known = [
            ("project_path", Some(home.path_of(&project.path))),
            ("project_title", Some(project.name.clone())),
            ("project_name", Some(project.path.clone())),
            ("project_id", Some(project.id.to_string())),
            ("project_namespace", Some(home.full_path.clone())),
            ("group_name", (home.kind == NamespaceKind::Group).then(|| home.full_path.clone())),
            ("gitlab_server", Some(host_of(query.app.base_url()).to_owned())),
            ("default_branch", branch.map(str::to_owned)),
            ("commit_sha", commit),
        ];
        Ok(Self(known.into_iter().filter_map(|(name, value)| Some((name, in_path(&value?)))).collect()))
    }

    fn view(&self, badge: Badge) -> BadgeView {
        let value = |name: &str| self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str());
        BadgeView {
            rendered_link_url: rendered(&badge.link_url, value),
            rendered_image_url: rendered(&badge.image_url, value),
            badge,
        }
    }
}

/// One badge with its values.
fn view(query: &mut Query<'_>, home: &AuthorizedContainer, badge: Badge) -> Result<BadgeView, AppError> {
    Ok(Values::of(query, home, std::slice::from_ref(&badge))?.view(badge))
}

fn readable(query: &mut Query<'_>, of: &ContainerReference) -> Result<AuthorizedContainer, AppError> {
    AuthorizedContainer::find(query, of, ProjectAction::Read, GroupAction::Read)
}

fn changeable(query: &mut Query<'_>, of: &ContainerReference) -> Result<AuthorizedContainer, AppError> {
    AuthorizedContainer::find(query, of, ProjectAction::Edit, GroupAction::Administer)
}

/// The badges that a project has of its own and of the groups above it, or those of a group, the oldest first: all, or
/// those with this name.
pub fn list(
    query: &mut Query<'_>,
    of: &ContainerReference,
    name: Option<&str>,
    page: PageRequest,
) -> Result<Page<BadgeView>, AppError> {
    let home = readable(query, of)?;
    let found = badge::list(&mut query.tx, home.container(), name, page)?;
    let values = Values::of(query, &home, &found.items)?;
    Ok(found.map(|badge| values.view(badge)))
}

/// The first 20 badges of a project, as its page shows them. Costs one statement if none has placeholders.
pub fn shown(query: &mut Query<'_>, project: &Reference) -> Result<Vec<BadgeView>, AppError> {
    let home = readable(query, &ContainerReference::Project(project.clone()))?;
    let found = badge::first(&mut query.tx, home.container(), SHOWN)?;
    let values = Values::of(query, &home, &found)?;
    Ok(found.into_iter().map(|badge| values.view(badge)).collect())
}

/// One badge that a project or group shows.
pub fn show(query: &mut Query<'_>, of: &ContainerReference, id: BadgeId) -> Result<BadgeView, AppError> {
    let home = readable(query, of)?;
    let found = find(query, &home, id)?;
    view(query, &home, found)
}

/// A badge as it would be rendered; it is not stored.
pub fn preview(query: &mut Query<'_>, of: &ContainerReference, change: BadgeChange) -> Result<BadgeView, AppError> {
    let home = changeable(query, of)?;
    let badge = new(home.container(), change, query.now)?;
    view(query, &home, badge)
}

/// Makes a badge.
pub fn create(command: &mut Command<'_>, of: &ContainerReference, change: BadgeChange) -> Result<BadgeView, AppError> {
    let home = changeable(&mut command.query(), of)?;
    let container = home.container();
    let mut badge = new(container, change, command.now)?;
    let count = badge::count(&mut command.tx, container)?;
    check_number(count, command.app.limits().contents.badges, container_word(container), "badges")?;
    badge.id = badge::insert(&mut command.tx, &badge)?;
    view(&mut command.query(), &home, badge)
}

/// Changes a badge of the project's or group's own.
pub fn edit(
    command: &mut Command<'_>,
    of: &ContainerReference,
    id: BadgeId,
    change: BadgeChange,
) -> Result<BadgeView, AppError> {
    let home = changeable(&mut command.query(), of)?;
    let before = own(&mut command.query(), &home, id, BadgeRefusal::Edited)?;
    let mut badge = before.clone();
    change.apply(&mut badge);
    check(&badge)?;
    if badge != before {
        badge.updated_at = command.now;
        badge::update(&mut command.tx, &badge)?;
    }
    view(&mut command.query(), &home, badge)
}

/// Removes a badge of the project's or group's own.
pub fn delete(
    command: &mut Command<'_>,
    of: &ContainerReference,
    id: BadgeId,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let home = changeable(&mut command.query(), of)?;
    let gone = own(&mut command.query(), &home, id, BadgeRefusal::Deleted)?;
    check_unmodified(gone.updated_at, unmodified_since)?;
    Ok(badge::delete(&mut command.tx, gone.id)?)
}

fn find(query: &mut Query<'_>, home: &AuthorizedContainer, id: BadgeId) -> Result<Badge, AppError> {
    badge::find(&mut query.tx, home.container(), id)?.ok_or(AppError::NotFound(Missing::Record))
}

/// The badge, if it belongs to the project or group itself.
fn own(
    query: &mut Query<'_>,
    home: &AuthorizedContainer,
    id: BadgeId,
    refusal: BadgeRefusal,
) -> Result<Badge, AppError> {
    let found = find(query, home, id)?;
    if found.container == home.container() { Ok(found) } else { Err(refusal.into()) }
}

fn new(container: Container, change: BadgeChange, now: Timestamp) -> Result<Badge, AppError> {
    let mut badge = Badge {
        id: BadgeId::new(0),
        container,
        name: None,
        link_url: String::new(),
        image_url: String::new(),
        created_at: now,
        updated_at: now,
    };
    change.apply(&mut badge);
    check(&badge)?;
    Ok(badge)
}

fn check(badge: &Badge) -> Result<(), AppError> {
    let mut errors = FieldErrors::default();
    badge.check(&mut errors);
    for (field, address) in badge.addresses() {
        if let Some(problem) = problem_of(address) {
            errors.add(field, problem);
        }
    }
    Ok(errors.into_result()?)
}

/// The problem of an address, whatever its placeholders stand for. `None` if it can be kept.
fn problem_of(address: &str) -> Option<&'static str> {
    if address.trim().is_empty() {
        return Some("must be a valid URL");
    }
    web_address::problem_of(address, &rendered(address, |_any_name| Some("x")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_of_the_web() {
        let protocols = Some("is blocked: Only allowed protocols are http, https");
        let invalid = Some("is blocked: URI is invalid");
        for (address, want) in [
            ("https://example.com/a.svg?x=%{project_path}", None),
            ("HTTP://%{default_branch}.example/", None),
            ("http://localhost:3000", None),
            ("https://bücher.example/ж?%{none}/%{", None),
            ("", Some("must be a valid URL")),
            ("  ", Some("must be a valid URL")),
            ("javascript:alert(1)", protocols),
            ("javascript://x/%0aalert(1)", protocols),
            ("ftp://example.com/", protocols),
            ("example.com", protocols),
            (" https://example.com/", protocols),
            ("%{x}://example.com", protocols),
            ("https://", invalid),
            ("https:///path", invalid),
            ("https://?a", invalid),
            ("http://:80", invalid),
            ("http://@/", invalid),
            ("http://[::", invalid),
            ("http://h:99999", invalid),
            ("http://a%{x", invalid),
            ("https://exam\u{202e}ple.com/", invalid),
            ("https://exam\u{200b}ple.com/", invalid),
            ("https://example.com/\u{2066}a", invalid),
            ("https://example.com/a b", invalid),
            ("https://example.com/\">", invalid),
            ("https://example.com/\n", invalid),
        ] {
            assert_eq!(problem_of(address), want, "{address:?}");
        }
    }
}
