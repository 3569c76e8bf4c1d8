//! Groups with which a project is shared: their members can use it.

use tenon_app::Command;
use tenon_app::error::AppError;
use tenon_app::group;
use tenon_app::project::{self, ShareProject, SharedGroup};
use tenon_domain::access::AccessLevel;
use tenon_domain::id::NamespaceId;

use super::Room;
use super::members;
use crate::answer::Answer;
use crate::cookie;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Form, Problems};
use crate::issuable::list::Choice;
use crate::member;
use crate::place::by_path_or_number;
use crate::words::day;

/// The groups, and the form that adds one.
pub(super) struct Shares {
    pub(super) rows: Vec<Row>,
    pub(super) levels: Vec<Choice>,
    pub(super) typed: Typed,
    pub(super) problems: Problems,
}

/// A group.
pub(super) struct Row {
    pub(super) id: i64,
    pub(super) name: String,
    pub(super) href: String,
    /// The most that its members may do.
    pub(super) level: &'static str,
    pub(super) expires: Option<String>,
}

/// What was typed to share the project.
#[derive(Debug, Clone, Default)]
pub(super) struct Typed {
    pub(super) group: String,
    level: String,
    pub(super) expires: String,
}

impl Typed {
    fn sent(form: Form<'_>) -> Self {
        Self {
            group: form.filled("", "link_group_id").unwrap_or_default(),
            level: form.filled("", "link_group_access").unwrap_or_default(),
            expires: form.filled("", "expires_at").unwrap_or_default(),
        }
    }
}

impl Shares {
    pub(super) fn new(root: &str, shared_with: &[SharedGroup], sent: Option<(Typed, Problems)>) -> Self {
        let (typed, problems) = sent.unwrap_or_default();
        let row = |share: &SharedGroup| Row {
            id: share.id.get(),
            name: share.name.clone(),
            href: format!("{root}/groups/{}", share.full_path),
            level: member::words(share.level),
            expires: share.expires_at.map(day),
        };
        let chosen = member::level(&typed.level).unwrap_or(AccessLevel::Developer);
        let levels = AccessLevel::ALL.into_iter().filter(|level| *level <= AccessLevel::Maintainer);
        let choice =
            |level: AccessLevel| Choice::new(&level.value().to_string(), member::words(level), level == chosen);
        Self { rows: shared_with.iter().map(row).collect(), levels: levels.map(choice).collect(), typed, problems }
    }
}

/// Shares the project with the group that was typed.
pub(super) async fn create(room: Room) -> Result<Answer, PageError> {
    let typed = Typed::sent(room.visit.form());
    let expires_at = match member::last_day(&typed.expires) {
        Ok(day) => day,
        Err(problems) => return members::not_shared(room, typed, problems).await,
    };
    let Some(level) = member::level(&typed.level) else {
        let problems = Problems::with("link_group_access", "Choose what the members of the group may do");
        return members::not_shared(room, typed, problems).await;
    };
    let (project, named, may) = (room.project(), typed.group.clone(), room.page.may.manage_members);
    let written = room.visit.write(move |command| {
        let group = if may { group_of(command, &named)? } else { NamespaceId::new(0) };
        project::share(command, &project, ShareProject { group, level, expires_at })
    });
    match written.await {
        Ok(_) => Ok(room.done("/project_members").cookie(cookie::of_flash(Flash::ProjectShared))),
        Err(error) => members::not_shared(room, typed, problems(error)?).await,
    }
}

/// What is wrong, by the fields of the form.
fn problems(error: AppError) -> Result<Problems, PageError> {
    match error {
        AppError::Invalid(fields) if fields.iter().any(|(field, _)| field == "group_access") => {
            Ok(Problems::with("link_group_access", "Choose what the members of the group may do"))
        }
        AppError::Invalid(fields) if fields.iter().any(|(field, _)| field == "link_group_id") => {
            Ok(Problems::with("link_group_id", "The path is that of no group that you see"))
        }
        AppError::Conflict(_) => {
            Ok(Problems::with("link_group_id", "The project is shared with this group already, or lies in it"))
        }
        error => Problems::of(error),
    }
}

/// The group of this path or number.
fn group_of(command: &mut Command<'_>, named: &str) -> Result<NamespaceId, AppError> {
    match by_path_or_number(named, |named| group::page(&mut command.query(), named)) {
        Ok(page) => Ok(page.group.id()),
        Err(AppError::NotFound(_)) => Err(AppError::invalid("link_group_id", "is not found")),
        Err(error) => Err(error),
    }
}

/// Ends the share with a group.
pub(super) async fn delete(room: Room) -> Result<Answer, PageError> {
    let (project, group) = (room.project(), NamespaceId::new(room.asked.number("id")?));
    room.visit.write(move |command| project::unshare(command, &project, group)).await?;
    Ok(room.done("/project_members").cookie(cookie::of_flash(Flash::ProjectUnshared)))
}
