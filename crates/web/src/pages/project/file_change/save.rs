//! The commit of a form of one file: it is made, or was made before, or is in conflict with another one.

use actix_web::http::StatusCode;
use tenon_app::error::{AppError, Missing};
use tenon_app::repository::{self, Content, FileView};
use tenon_domain::refusal::{Refusal, RepositoryRefusal};

use super::form::{Parts, page, refused};
use super::home::Home;
use super::values::{Change, FormValues};
use crate::context::project::ProjectContext;
use crate::kit::address::in_path;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::problems::Problems;
use crate::kit::text_style::TextStyle;
use crate::parts::diff::all_changed;

const CHANGED: &str =
    "Someone else changed this file after you opened it. Compare both versions, then save again to overwrite theirs.";
const DELETED: &str = "Someone else deleted this file after you opened it. Save again to create it with your text.";

/// Makes the commit, and leads to the file, or to the form of a merge request for a new branch.
pub(super) async fn save(
    context: ProjectContext,
    home: Home,
    change: Change,
    typed: FormValues,
    bytes: Vec<u8>,
) -> Result<Answer, PageError> {
    use RepositoryRefusal as R;
    let (app, identity) = (context.request.app(), context.request.identity());
    let (place, wanted) = (home.place(&context), typed.outcome(change, &bytes));
    let project = place.project.clone();
    let made = repository::commit_at(app, identity, place, typed.commit(change, bytes)).await;
    let Err(error) = made else { return Ok(done(&context, &home, change, &typed)) };
    if may_be_repeated(&error) && repository::has_files(app, identity, project, typed.branch.clone(), wanted).await? {
        return Ok(done(&context, &home, change, &typed));
    }
    match error {
        AppError::Refused(Refusal::Repository(R::FileChanged(_))) => conflict(context, &home, change, typed).await,
        AppError::Refused(Refusal::Repository(R::FileMissing)) if change == Change::Edit => {
            deleted(context, &home, typed)
        }
        error => {
            let problems = problems_of(error)?;
            refused(context, &home, change, typed, problems)
        }
    }
}

/// True if the error may come from a form that was sent twice.
pub(super) fn may_be_repeated(error: &AppError) -> bool {
    use RepositoryRefusal as R;
    let AppError::Refused(Refusal::Repository(refusal)) = error else { return false };
    matches!(
        refusal,
        R::BranchTaken(_) | R::RefExists | R::FileChanged(_) | R::FileExists | R::FileMissing | R::FileTaken(_)
    )
}

/// The sentences about a commit that was not made. Another failure is passed on.
pub(super) fn problems_of(error: AppError) -> Result<Problems, PageError> {
    use RepositoryRefusal as R;
    Ok(match error {
        AppError::Refused(Refusal::Repository(refusal @ (R::BranchProtected | R::BranchTaken(_)))) => {
            Problems::with("branch", &refusal.to_string())
        }
        AppError::Refused(Refusal::Repository(refusal @ R::BranchMoved)) => Problems::plain(&refusal.to_string()),
        AppError::QuotaExceeded(quota) => Problems::plain(&quota.to_string()),
        error => Problems::of(error)?,
    })
}

fn done(context: &ProjectContext, home: &Home, change: Change, typed: &FormValues) -> Answer {
    let is_new = typed.branch != typed.start && context.page.view.brief.project.default_branch.is_some();
    if is_new || matches!(home, Home::Fork(_)) {
        return home.proposed(context, &typed.branch, &typed.start);
    }
    let branch = in_path(&typed.branch);
    let page = match change {
        Change::New | Change::Edit => format!("/blob/{branch}/{}", in_path(&typed.becomes())),
        Change::Delete => format!("/tree/{branch}"),
    };
    context.done(&page).cookie(cookie::of_flash(Flash::FileSaved))
}

/// The file that a form is about, as it is now. None if it is gone.
pub(super) async fn stored(context: &ProjectContext, typed: &FormValues) -> Result<Option<FileView>, PageError> {
    let (app, identity) = (context.request.app(), context.request.identity());
    let limit = app.limits().pages.text;
    match repository::file(app, identity, context.project(), typed.was.clone(), typed.start.clone(), limit).await {
        Ok(file) => Ok(Some(file)),
        Err(AppError::NotFound(Missing::Project)) => Err(PageError::NotFound),
        Err(AppError::NotFound(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The form beside the text that another user has stored, and what that user has changed.
async fn conflict(
    context: ProjectContext,
    home: &Home,
    change: Change,
    typed: FormValues,
) -> Result<Answer, PageError> {
    let Some(file) = stored(&context, &typed).await? else { return deleted(context, home, typed) };
    let current = match &file.content {
        Content::Whole(bytes) => TextStyle::read(bytes).map(|(text, _)| text).unwrap_or_default(),
        Content::Large(_) => String::new(),
    };
    let (app, code) = (context.request.app(), context.code()?);
    let sides = (typed.last_commit.clone(), file.commit_id.clone());
    let difference = match repository::file_difference(app, code, sides, typed.was.clone()).await? {
        Some((files, sides)) => all_changed(app, Some(&sides), files, &file.commit_id).await?,
        None => Vec::new(),
    };
    let current = Some(current).filter(|_| change == Change::Edit);
    let parts = Parts { current, difference, ..Parts::of(home) };
    let typed = FormValues { last_commit: file.last_commit_id, ..typed };
    let problems = if change == Change::Edit { Problems::with("content", CHANGED) } else { Problems::plain(CHANGED) };
    let page = page(context, change, typed, problems, parts)?;
    Ok(page.status(StatusCode::CONFLICT))
}

/// The form of a new file with the text, since another user has deleted the file.
fn deleted(context: ProjectContext, home: &Home, typed: FormValues) -> Result<Answer, PageError> {
    let path = typed.becomes();
    let typed = FormValues { path, was: String::new(), last_commit: String::new(), ..typed };
    let page = page(context, Change::New, typed, Problems::with("content", DELETED), Parts::of(home))?;
    Ok(page.status(StatusCode::CONFLICT))
}
