//! Changes several issues or merge requests of a list.

use actix_web::http::StatusCode;
use tenon_app::error::AppError;
use tenon_app::issuable::{IssuableReference, LabelChange, PeopleChange, Triage};
use tenon_app::issue::{self, EditIssue};
use tenon_app::merge_request::{self, EditMergeRequest};
use tenon_domain::id::{Iid, MilestoneId, UserId};
use tenon_domain::issuable::IssuableKind;
use tenon_domain::patch::Patch;

use crate::context::project::ProjectContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::form::Form;
use crate::kit::segment;
use crate::parts::issuable::bulk::{MOST, NONE};
use crate::parts::issuable::list::list_of;
use crate::parts::issuable::note::event;
use crate::parts::issuable::reference::kind_of;
use crate::table::project::ProjectTable;

/// The object of the fields.
const FORM: &str = "update";

pub(crate) fn routes(table: &mut ProjectTable) {
    table.post("/issues/bulk_update", update);
    table.post("/merge_requests/bulk_update", update);
}

/// Changes all entries that are ticked. The use case decides for each of them, and those that the caller may not change
/// stay as they are.
async fn update(context: ProjectContext) -> Result<Answer, PageError> {
    let kind = kind_of(&context.asked);
    // A form without entries asks no use case.
    context.request.ask(|query| query.user().map(drop)).await?;
    let form = context.request.form();
    let numbers = form.list("", "iids").into_iter().filter_map(segment::number).map(Iid::new);
    let mut numbers: Vec<Iid> = numbers.collect();
    numbers.sort_unstable();
    numbers.dedup();
    if numbers.len() > MOST {
        return Err(PageError::Status(StatusCode::UNPROCESSABLE_ENTITY, None));
    }
    let (triage, state_event) = (asked_for(form), event(&form.text(FORM, "state_event")));
    let is_asked = changes_something(&triage) || state_event.is_some();
    let usual = if is_asked && !numbers.is_empty() { Flash::EntriesSaved } else { Flash::NothingChosen };
    let (mut flash, mut is_one_saved) = (usual, false);
    numbers.retain(|_| is_asked);
    for iid in numbers {
        let of = IssuableReference { kind, project: context.project(), iid };
        let triage = triage.clone();
        let saved = match kind {
            IssuableKind::Issue => {
                let request = EditIssue { triage, state_event, ..EditIssue::default() };
                context.request.write(move |command| issue::edit(command, &of.project, of.iid, request)).await.map(drop)
            }
            IssuableKind::MergeRequest => {
                let request = EditMergeRequest { triage, state_event, ..EditMergeRequest::default() };
                let (app, identity) = (context.request.app(), context.request.identity());
                merge_request::edit(app, identity, of, request).await.map(drop)
            }
        };
        match saved {
            Ok(()) => is_one_saved = true,
            Err(error) if leaves_entry(&error, is_one_saved) => flash = Flash::EntriesLeft,
            Err(error) => return Err(error.into()),
        }
    }
    // The list keeps its filters and its page.
    let list = context.request.with_query(&format!("/{}/{}", context.page.view.brief.full_path, list_of(kind)));
    Ok(Answer::done(&list).cookie(cookie::of_flash(flash)))
}

fn changes_something(triage: &Triage) -> bool {
    let LabelChange { all: _, add, remove } = &triage.labels;
    let is_set = triage.assignees.is_some() || !matches!(triage.milestone, Patch::Absent);
    is_set || !add.is_empty() || !remove.is_empty()
}

/// True if an entry stays as it is because of an error, and the page says so. An overload is the answer only as long as
/// no entry is changed: an error page would hide the changed ones.
const fn leaves_entry(error: &AppError, is_one_saved: bool) -> bool {
    match error {
        AppError::Forbidden | AppError::NotFound(_) | AppError::Invalid(_) | AppError::Refused(_) => true,
        AppError::Busy { .. } | AppError::TookTooLong { .. } => is_one_saved,
        _ => false,
    }
}

/// The change of each entry. An empty choice changes nothing.
fn asked_for(form: Form<'_>) -> Triage {
    let chosen = |field: &str| form.filled(FORM, field);
    let number = |text: &str| text.parse::<i64>().ok();
    let assignees = chosen("assignee_id").and_then(|text| match text.as_str() {
        NONE => Some(PeopleChange::All(Vec::new())),
        id => number(id).map(|id| PeopleChange::All(vec![UserId::new(id)])),
    });
    let milestone = match chosen("milestone_id").as_deref() {
        None => Patch::Absent,
        Some(NONE) => Patch::Clear,
        Some(id) => number(id).map_or(Patch::Absent, |id| Patch::Set(MilestoneId::new(id))),
    };
    let one = |field: &str| chosen(field).into_iter().collect();
    let labels = LabelChange { all: None, add: one("add_label"), remove: one("remove_label") };
    Triage { assignees, milestone, labels, ..Triage::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_overload_after_the_first_change_leaves_entries() {
        let busy = AppError::Busy { retry_after: 1 };
        assert!(leaves_entry(&busy, true));
        assert!(!leaves_entry(&busy, false));
        assert!(leaves_entry(&AppError::Forbidden, false));
    }
}
