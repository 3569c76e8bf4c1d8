//! From the path of a page to the project, group or user that it is about.

use tenon_domain::group::GroupAction;
use tenon_domain::id::{NamespaceId, ProjectId, UserId};
use tenon_domain::path;
use tenon_domain::project::ProjectAction;
use tenon_domain::user::UserAction;
use tenon_storage::namespace::{self, PathHolder};

use crate::core::app::Query;
use crate::core::error::{AppError, Missing};
use crate::policy::reference::Reference;

/// The holder of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A project. The rest after its path is one of its pages.
    Project {
        /// The project.
        id: ProjectId,
        /// Its full path, as it is stored.
        full_path: String,
        /// How many segments name it.
        segments: usize,
        /// True if they are its path no more.
        is_former: bool,
    },
    /// A group.
    Group {
        /// The group.
        id: NamespaceId,
        /// Its full path, as it is stored.
        full_path: String,
    },
    /// A user.
    User {
        /// The user.
        id: UserId,
        /// The name, as it is stored.
        username: String,
    },
}

/// The most segments of a path that may name something.
const DEEPEST: usize = 20;

/// The holder of the path of these segments: the project whose full path it begins with, or else the group or the user
/// whose path it is. A place that the caller may not see is missing, with the same answer after the same questions.
pub fn find(query: &mut Query<'_>, segments: &[String]) -> Result<Place, AppError> {
    let mut prefixes: Vec<String> = Vec::new();
    for segment in segments.iter().take(DEEPEST) {
        let above = prefixes.last().map(|above| format!("{above}/")).unwrap_or_default();
        prefixes.push(format!("{above}{segment}"));
    }
    let holders = namespace::holders(&mut query.tx, &prefixes)?;
    let numbered = || prefixes.iter().enumerate();
    let project_at = |(at, prefix): (usize, &String)| Some((holders.get(&path::key(prefix))?.project()?, at + 1));
    if let Some(place) = project(query, numbered().find_map(project_at), false)? {
        return Ok(place);
    }
    let former = namespace::former_holders(&mut query.tx, &prefixes)?;
    let former_at = |(at, prefix): (usize, &String)| {
        let key = path::key(prefix);
        let holder = former.get(&key).filter(|_| !holders.contains_key(&key))?;
        Some((holder.project()?, at + 1))
    };
    if let Some(place) = project(query, numbered().rev().find_map(former_at), true)? {
        return Ok(place);
    }
    let whole = prefixes.last().filter(|_| segments.len() <= DEEPEST).map(|path| path::key(path)).unwrap_or_default();
    let holder = holders.get(&whole).or_else(|| former.get(&whole));
    let group = holder.and_then(|holder| holder.namespace()).unwrap_or(NamespaceId::new(0));
    match query.group(&Reference::Id(group.get()), GroupAction::Read) {
        Ok(found) => return Ok(Place::Group { id: group, full_path: found.group.namespace.full_path }),
        Err(AppError::NotFound(_)) => {}
        Err(error) => return Err(error),
    }
    let missing = || AppError::NotFound(Missing::Plain);
    let user = query.account_named(&Reference::Path(whole), UserAction::Read).map_err(|error| match error {
        AppError::NotFound(_) => missing(),
        error => error,
    })?;
    Ok(Place::User { id: user.id, username: user.username })
}

/// The project that had this path before it moved. `None` if there is none that the caller may see, or if another object has
/// the path now: the same questions in each case.
pub fn moved_project(query: &mut Query<'_>, path: &str) -> Result<Option<ProjectId>, AppError> {
    let id = moved(query, path)?.and_then(PathHolder::project).unwrap_or(ProjectId::new(0));
    match query.project(&Reference::Id(id.get()), ProjectAction::Read) {
        Ok(_) => Ok(Some(id)),
        Err(AppError::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// As [`moved_project`], for a group.
pub fn moved_group(query: &mut Query<'_>, path: &str) -> Result<Option<NamespaceId>, AppError> {
    let id = moved(query, path)?.and_then(PathHolder::namespace).unwrap_or(NamespaceId::new(0));
    match query.group(&Reference::Id(id.get()), GroupAction::Read) {
        Ok(_) => Ok(Some(id)),
        Err(AppError::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The object that had a path before it moved, if no other object has the path.
fn moved(query: &mut Query<'_>, path: &str) -> Result<Option<PathHolder>, AppError> {
    let holder = namespace::holder(&mut query.tx, path)?;
    let former = namespace::former_holder(&mut query.tx, path)?;
    Ok(former.filter(|_| holder.is_none()))
}

/// The project of this id, whose path has so many segments, if there is one that the caller may see.
fn project(
    query: &mut Query<'_>,
    found: Option<(ProjectId, usize)>,
    is_former: bool,
) -> Result<Option<Place>, AppError> {
    let (id, segments) = found.unwrap_or((ProjectId::new(0), 0));
    match query.project(&Reference::Id(id.get()), ProjectAction::Read) {
        Ok(found) => Ok(Some(Place::Project { id, full_path: found.full_path(), segments, is_former })),
        Err(AppError::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}
