//! Links of releases.

use tenon_domain::field_errors::{FieldErrors, TAKEN};
use tenon_domain::id::{ProjectId, ReleaseLinkId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;
use tenon_domain::project::setting::RELEASES;
use tenon_domain::refusal::ReleaseRefusal;
use tenon_domain::release::{LinkType, ReleaseLink, check_link};
use tenon_domain::time::Timestamp;
use tenon_storage::release;

use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Missing};
use crate::core::links::{Links, in_path};
use crate::policy::precondition::check_unmodified;
use crate::policy::reference::Reference;

/// A link as answers show it.
#[derive(Debug, Clone)]
pub struct LinkView {
    /// The link.
    pub link: ReleaseLink,
    /// Its path below its release, or its address.
    pub direct_asset_url: String,
}

impl LinkView {
    pub(super) fn new(links: &Links, project_path: &str, tag: &str, link: ReleaseLink) -> Self {
        let direct_asset_url = match &link.filepath {
            Some(path) => format!("{}/downloads{}", links.release(project_path, tag), in_path(path)),
            None => link.url.clone(),
        };
        Self { link, direct_asset_url }
    }
}

/// A request for a new link.
#[derive(Debug, Clone, Default)]
pub struct NewLink {
    /// Its name.
    pub name: String,
    /// Its address.
    pub url: String,
    /// Under which path it is also found.
    pub filepath: Option<String>,
    /// The thing to which it leads.
    pub link_type: Option<LinkType>,
}

/// A request to change a link; `None` leaves a field as it is.
#[derive(Debug, Clone, Default)]
pub struct EditLink {
    /// Another name.
    pub name: Option<String>,
    /// Another address.
    pub url: Option<String>,
    /// Another path.
    pub filepath: Option<String>,
    /// Another kind.
    pub link_type: Option<LinkType>,
}

/// The release that links belong to.
struct Home {
    project: ProjectId,
    project_path: String,
    tag: String,
}

impl Home {
    fn find(query: &mut Query<'_>, project: &Reference, tag: &str, action: ProjectAction) -> Result<Self, AppError> {
        let found = query.project_part(project, action, &RELEASES)?;
        let release = release::find(&mut query.tx, found.project.id, tag)?;
        release.ok_or(AppError::NotFound(Missing::Record))?;
        Ok(Self { project: found.project.id, project_path: found.full_path(), tag: tag.to_owned() })
    }

    fn link(&self, query: &mut Query<'_>, id: ReleaseLinkId) -> Result<ReleaseLink, AppError> {
        let link = release::find_link(&mut query.tx, self.project, &self.tag, id)?;
        link.ok_or(AppError::NotFound(Missing::Record))
    }

    fn links(&self, query: &mut Query<'_>) -> Result<Vec<ReleaseLink>, AppError> {
        let links = release::links(&mut query.tx, self.project, std::slice::from_ref(&self.tag))?.remove(&self.tag);
        Ok(links.unwrap_or_default())
    }

    fn view(&self, query: &Query<'_>, link: ReleaseLink) -> LinkView {
        LinkView::new(query.app.links(), &self.project_path, &self.tag, link)
    }
}

/// The links of a release, the newest first.
pub fn list_links(
    query: &mut Query<'_>,
    project: &Reference,
    tag: &str,
    page: PageRequest,
) -> Result<Page<LinkView>, AppError> {
    let home = Home::find(query, project, tag, ProjectAction::ReadCode)?;
    let links = release::list_links(&mut query.tx, home.project, tag, page)?;
    Ok(links.map(|link| home.view(query, link)))
}

/// One link.
pub fn show_link(
    query: &mut Query<'_>,
    project: &Reference,
    tag: &str,
    id: ReleaseLinkId,
) -> Result<LinkView, AppError> {
    let home = Home::find(query, project, tag, ProjectAction::ReadCode)?;
    let link = home.link(query, id)?;
    Ok(home.view(query, link))
}

/// Adds a link.
pub fn create_link(
    command: &mut Command<'_>,
    project: &Reference,
    tag: &str,
    request: NewLink,
) -> Result<LinkView, AppError> {
    let mut query = command.query();
    let home = Home::find(&mut query, project, tag, ProjectAction::Push)?;
    let (links, most) = (home.links(&mut query)?, query.app.limits().releases.links);
    let mut link = new_link(request, command.now);
    let mut errors = FieldErrors::default();
    check(&mut errors, &link, &links);
    errors.into_result()?;
    if links.len() >= most {
        return Err(too_many(most));
    }
    let ids = release::insert_links(&mut command.tx, home.project, tag, std::slice::from_ref(&link))?;
    link.id = ids.first().copied().ok_or(AppError::NotFound(Missing::Record))?;
    Ok(home.view(&command.query(), link))
}

/// Changes a link.
pub fn edit_link(
    command: &mut Command<'_>,
    project: &Reference,
    tag: &str,
    id: ReleaseLinkId,
    request: EditLink,
) -> Result<LinkView, AppError> {
    let mut query = command.query();
    let home = Home::find(&mut query, project, tag, ProjectAction::Push)?;
    let mut link = home.link(&mut query, id)?;
    link.name = request.name.unwrap_or(link.name);
    link.url = request.url.unwrap_or(link.url);
    link.filepath = request.filepath.or(link.filepath);
    link.link_type = request.link_type.unwrap_or(link.link_type);
    link.updated_at = query.now;
    let mut others = home.links(&mut query)?;
    others.retain(|other| other.id != id);
    let mut errors = FieldErrors::default();
    check(&mut errors, &link, &others);
    errors.into_result()?;
    release::update_link(&mut command.tx, home.project, tag, &link)?;
    Ok(home.view(&command.query(), link))
}

/// Removes a link, and returns it as it was.
pub fn delete_link(
    command: &mut Command<'_>,
    project: &Reference,
    tag: &str,
    id: ReleaseLinkId,
    unmodified_since: Option<Timestamp>,
) -> Result<LinkView, AppError> {
    let mut query = command.query();
    let home = Home::find(&mut query, project, tag, ProjectAction::Push)?;
    let link = home.link(&mut query, id)?;
    check_unmodified(link.updated_at, unmodified_since)?;
    release::delete_link(&mut command.tx, id)?;
    Ok(home.view(&command.query(), link))
}

/// The link that a request asks for.
pub(super) fn new_link(request: NewLink, at: Timestamp) -> ReleaseLink {
    ReleaseLink {
        id: ReleaseLinkId::new(0),
        name: request.name,
        url: request.url,
        filepath: request.filepath,
        link_type: request.link_type.unwrap_or(LinkType::Other),
        created_at: at,
        updated_at: at,
    }
}

/// Notes what is wrong with a link beside `others` of the same release.
pub(super) fn check(errors: &mut FieldErrors, link: &ReleaseLink, others: &[ReleaseLink]) {
    check_link(errors, link);
    if link.url.trim().is_empty() {
        errors.present("url", &link.url);
    } else {
        errors.require(is_address(&link.url), "url", "is blocked: Only allowed schemes are http, https, ftp");
    }
    errors.require(others.iter().all(|other| other.name != link.name), "name", TAKEN);
    errors.require(others.iter().all(|other| other.url != link.url), "url", TAKEN);
    if link.filepath.is_some() {
        errors.require(others.iter().all(|other| other.filepath != link.filepath), "filepath", TAKEN);
    }
}

/// The refusal of a link beyond the limit.
pub(super) fn too_many(most: usize) -> AppError {
    ReleaseRefusal::TooManyLinks(most).into()
}

/// True if a text is an address that a client may be sent to. The server itself never calls it.
fn is_address(text: &str) -> bool {
    let plain = !text.chars().any(|c| c.is_control() || c.is_whitespace());
    plain && url::Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https" | "ftp") && url.has_host())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_files_elsewhere_are_links() {
        for text in
            ["http://127.0.0.1:8080/a", "https://example.com/a?b=c#d", "ftp://example.com/a", "https://ä.example/ö"]
        {
            assert!(is_address(text), "{text}");
        }
        for text in [
            "javascript:alert(1)",
            "JavaScript:alert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "ssh://example.com",
            "//example.com",
            "/a",
            "a",
            "",
            "http://",
            "https://exa mple.com",
            "https://example.com/\r\nX: 1",
            "\u{1}https://example.com",
        ] {
            assert!(!is_address(text), "{text}");
        }
    }
}
