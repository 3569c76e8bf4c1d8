//! Notes at addresses below the project that do not name their subject: `notes?target_type=issue&target_id=5`, and
//! `notes/{id}`. They are handled like those below the issue or merge request.

use tenon_app::issuable::{self, IssuableReference};
use tenon_app::note;
use tenon_domain::id::{IssuableId, NoteId};
use tenon_domain::issuable::IssuableKind;

use super::note as below;
use crate::context::project::ProjectContext;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::pages::project::commit;
use crate::table::project::ProjectTable;

pub(crate) fn routes(table: &mut ProjectTable) {
    table.post("/notes", create);
    table.put("/notes/{id}", update);
    table.delete("/notes/{id}", delete);
    table.post("/notes/{id}/resolve", resolve);
    table.delete("/notes/{id}/resolve", reopen);
}

/// The same request, below the subject of a note.
fn about(mut context: ProjectContext, of: &IssuableReference) -> ProjectContext {
    context.asked.pattern = match of.kind {
        IssuableKind::Issue => "/issues/{iid}/notes",
        IssuableKind::MergeRequest => "/merge_requests/{iid}/notes",
    };
    context.asked.named.push(("iid".to_owned(), vec![of.iid.to_string()]));
    context
}

/// The same request, below the subject of the note that the path names. 404 if the caller may not see the note.
async fn about_target(context: ProjectContext) -> Result<ProjectContext, PageError> {
    let (project, id) = (context.project(), NoteId::new(context.asked.number("id")?));
    let of = context.request.ask(move |query| note::target(query, &project, id)).await?;
    Ok(about(context, &of))
}

/// Comments on a commit, or on the issue or merge request of this id. The address or the form names it. 404 if there is
/// none that the caller may see.
async fn create(context: ProjectContext) -> Result<Answer, PageError> {
    let form = context.request.form();
    let named = |name: &str| {
        form.filled("", name).or_else(|| context.request.query(name).map(str::to_owned)).unwrap_or_default()
    };
    let (kind, id) = (named("target_type"), named("target_id"));
    let wanted = match kind.as_str() {
        "issue" => IssuableKind::Issue,
        "merge_request" => IssuableKind::MergeRequest,
        "commit" => return commit::comment(context, id).await,
        _ => return Err(PageError::NotFound),
    };
    let (project, id) = (context.project(), id.parse().map_err(|_no_number| PageError::NotFound)?);
    let of = context.request.ask(move |query| issuable::reference_of(query, &project, IssuableId::new(id))).await?;
    if of.kind != wanted {
        return Err(PageError::NotFound);
    }
    Box::pin(below::create(about(context, &of))).await
}

async fn update(context: ProjectContext) -> Result<Answer, PageError> {
    Box::pin(below::update(about_target(context).await?)).await
}

async fn delete(context: ProjectContext) -> Result<Answer, PageError> {
    below::delete(about_target(context).await?).await
}

async fn resolve(context: ProjectContext) -> Result<Answer, PageError> {
    below::set_note_resolved(about_target(context).await?, true).await
}

async fn reopen(context: ProjectContext) -> Result<Answer, PageError> {
    below::set_note_resolved(about_target(context).await?, false).await
}
