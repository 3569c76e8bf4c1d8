//! Shares a project with a group, or ends a share.

use tenon_app::error::AppError;
use tenon_app::project::{self, ShareProject};
use tenon_app::{Command, group};
use tenon_domain::id::NamespaceId;
use tenon_domain::refusal::{ProjectRefusal, Refusal};

use super::members;
use super::shares::FormValues;
use crate::context::project::ProjectContext;
use crate::kit::address::by_path_or_number;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::problems::Problems;
use crate::parts::member;

/// Shares the project with the group that was typed.
pub(super) async fn create(context: ProjectContext) -> Result<Answer, PageError> {
    let typed = FormValues::sent(context.request.form());
    let expires_at = match member::last_day(&typed.expires) {
        Ok(day) => day,
        Err(problems) => return members::not_shared(context, typed, problems).await,
    };
    let Some(level) = member::level(&typed.level) else {
        let problems = Problems::with("link_group_access", "Select a role");
        return members::not_shared(context, typed, problems).await;
    };
    let (project, named, may) = (context.project(), typed.group.clone(), context.page.may.manage_members);
    let written = context.request.write(move |command| {
        let group = if may { group_of(command, &named)? } else { NamespaceId::new(0) };
        project::share(command, &project, ShareProject { group, level, expires_at })
    });
    match written.await {
        Ok(_) => Ok(context.done("/project_members").cookie(cookie::of_flash(Flash::ProjectShared))),
        Err(error) => members::not_shared(context, typed, problems(error)?).await,
    }
}

/// The errors, by the fields of the form.
fn problems(error: AppError) -> Result<Problems, PageError> {
    match error {
        AppError::Invalid(fields) if fields.iter().any(|(field, _)| field == "group_access") => {
            Ok(Problems::with("link_group_access", "Select a role"))
        }
        AppError::Invalid(fields) if fields.iter().any(|(field, _)| field == "link_group_id") => {
            Ok(Problems::with("link_group_id", "Group not found"))
        }
        AppError::Refused(Refusal::Group(_) | Refusal::Project(ProjectRefusal::SharedWithOwnGroup)) => {
            Ok(Problems::with("link_group_id", "The project is already shared with this group or belongs to it"))
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

pub(super) async fn delete(context: ProjectContext) -> Result<Answer, PageError> {
    let (project, group) = (context.project(), NamespaceId::new(context.asked.number("id")?));
    context.request.write(move |command| project::unshare(command, &project, group)).await?;
    Ok(context.done("/project_members").cookie(cookie::of_flash(Flash::ProjectUnshared)))
}
