//! Resolving conflicts of texts: one side of each, or an edited text.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::merge_request::{self, ConflictResolution, Conflicts, ResolveConflicts};
use tenon_domain::merge_request::{ConflictSide, MAX_CONFLICTED_FILES, MAX_CONFLICTS, Piece, pieces};
use tenon_domain::refusal::{Refusal, RepositoryRefusal};

use super::merge::why;
use super::show::{reference, refused};
use crate::context::frame::Frame;
use crate::context::project::ProjectContext;
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::form::Form;
use crate::kit::problems::Problems;
use crate::parts::issuable::reference::page_of;

#[derive(Template)]
#[template(path = "merge_request/conflicts.html")]
struct ConflictsPage {
    frame: Frame,
    project: ProjectFrame,
    /// The address of the merge request, and its number.
    href: String,
    reference: String,
    source: String,
    target: String,
    ours: String,
    theirs: String,
    files: Vec<FileView>,
    is_cut: bool,
    is_resolvable: bool,
    message: String,
    problems: Problems,
}

/// A file in conflict.
struct FileView {
    path: String,
    /// Why it cannot be resolved here. Empty if it can.
    obstacle: &'static str,
    conflicts: Vec<ConflictView>,
    /// True if the text is used in place of the sides.
    is_edited: bool,
    text: String,
}

/// A conflict with its two sides.
struct ConflictView {
    /// The name of its field.
    name: String,
    ours: String,
    theirs: String,
    choice: String,
}

pub(super) async fn show(context: ProjectContext) -> Result<Answer, PageError> {
    context.frame.user.as_ref().ok_or(PageError::SignIn)?;
    match conflicts(&context).await {
        Ok(found) => present(context, found, false, Problems::default()).await,
        // There is nothing to resolve any more.
        Err(AppError::Refused(Refusal::MergeRequest(_))) => Ok(context.done(&page_of(&context.asked))),
        Err(error) => refused_to_begin(context, error).await,
    }
}

async fn conflicts(context: &ProjectContext) -> Result<Conflicts, AppError> {
    let of = reference(&context.asked.project, context.asked.iid()?);
    merge_request::conflicting_texts(context.request.app(), context.request.identity(), of).await
}

/// The page of the merge request says why.
async fn refused_to_begin(context: ProjectContext, error: AppError) -> Result<Answer, PageError> {
    match error {
        AppError::Refused(Refusal::Repository(RepositoryRefusal::BranchProtected)) => {
            Err(PageError::Status(StatusCode::FORBIDDEN, None))
        }
        error @ AppError::Refused(_) => refused(context, why(error)?).await,
        error => Err(error.into()),
    }
}

pub(super) async fn resolve(context: ProjectContext) -> Result<Answer, PageError> {
    context.frame.user.as_ref().ok_or(PageError::SignIn)?;
    let of = reference(&context.asked.project, context.asked.iid()?);
    let form = context.request.form();
    let request = ResolveConflicts {
        ours: form.text("", "ours"),
        theirs: form.text("", "theirs"),
        files: resolutions(form),
        message: form.filled("", "commit_message"),
    };
    let (app, identity) = (context.request.app(), context.request.identity());
    let error = match merge_request::resolve_conflicts(app, identity, of, request).await {
        Ok(()) => return Ok(context.done(&page_of(&context.asked)).cookie(cookie::of_flash(Flash::ConflictsResolved))),
        Err(error) => error,
    };
    let (status, problems) = match error {
        AppError::Refused(Refusal::Repository(RepositoryRefusal::BranchMoved)) => {
            let text = "A branch has changed since you opened this page. These are the conflicts now.";
            (StatusCode::CONFLICT, Problems::plain(text))
        }
        error @ AppError::Refused(Refusal::MergeRequest(_)) => (StatusCode::UNPROCESSABLE_ENTITY, Problems::of(error)?),
        AppError::QuotaExceeded(quota) => (StatusCode::UNPROCESSABLE_ENTITY, Problems::plain(&format!("{quota}."))),
        error => return refused_to_begin(context, error).await,
    };
    match conflicts(&context).await {
        Ok(found) => Ok(present(context, found, true, problems).await?.status(status)),
        // There are none any more.
        Err(AppError::Refused(Refusal::MergeRequest(_))) => Ok(refused(context, problems).await?.status(status)),
        Err(error) => refused_to_begin(context, error).await,
    }
}

/// The choices of the form. A file is edited if its box is ticked.
fn resolutions(form: Form<'_>) -> Vec<ConflictResolution> {
    let count: usize = form.text("", "count").parse().unwrap_or(0).min(MAX_CONFLICTED_FILES);
    let file = |file: usize| {
        if form.ticked("edit", &file.to_string()) {
            return ConflictResolution::Text(form.text("text", &file.to_string()));
        }
        let side = |conflict: usize| match form.text("side", &format!("{file}_{conflict}")).as_str() {
            "ours" => Some(ConflictSide::Ours),
            "theirs" => Some(ConflictSide::Theirs),
            _ => None,
        };
        ConflictResolution::Chosen((0..MAX_CONFLICTS).map_while(side).collect())
    };
    (0..count).map(file).collect()
}

/// The page. If the form was sent for the same commits, it shows the sent values again.
async fn present(
    context: ProjectContext,
    found: Conflicts,
    is_sent: bool,
    problems: Problems,
) -> Result<Answer, PageError> {
    let of = reference(&context.asked.project, context.asked.iid()?);
    let iid = of.iid;
    let request = context.request.ask(move |query| merge_request::page(query, &of)).await?;
    let form = context.request.form();
    let is_same = is_sent && form.text("", "ours") == found.ours && form.text("", "theirs") == found.theirs;
    let files = found.files.iter().enumerate().map(|(place, file)| {
        let (text, obstacle) = match &file.text {
            Ok(text) => (text.as_str(), ""),
            Err(why) => ("", *why),
        };
        let sides = pieces(text, &found.ours, &found.theirs).unwrap_or_default();
        let sides = sides.into_iter().filter_map(|piece| match piece {
            Piece::Merged(_) => None,
            Piece::Conflict { ours, theirs } => Some((ours.to_owned(), theirs.to_owned())),
        });
        let conflicts: Vec<ConflictView> = sides
            .enumerate()
            .map(|(number, (ours, theirs))| {
                let name = format!("{place}_{number}");
                let choice = if is_same { form.text("side", &name) } else { String::new() };
                ConflictView { name, ours, theirs, choice }
            })
            .collect();
        let was_edited = is_same && form.ticked("edit", &place.to_string());
        FileView {
            path: file.path.legible(),
            obstacle,
            is_edited: was_edited || (obstacle.is_empty() && conflicts.is_empty()),
            text: if was_edited { form.text("text", &place.to_string()) } else { text.replace("\r\n", "\n") },
            conflicts,
        }
    });
    let files: Vec<FileView> = files.collect();
    let message = if is_same { form.text("", "commit_message") } else { String::new() };
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::MergeRequests);
    Answer::page(&ConflictsPage {
        href: format!("{}/merge_requests/{iid}", project.href),
        reference: format!("!{iid}"),
        source: request.view.request.source_branch.clone(),
        target: request.view.request.target_branch.clone(),
        is_resolvable: found.is_resolvable(),
        is_cut: found.is_cut,
        ours: found.ours,
        theirs: found.theirs,
        files,
        message,
        problems,
        frame: context.frame,
        project,
    })
}
