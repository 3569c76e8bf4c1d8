//! Changes one fact of an issue or merge request from its page. The use cases are those of the whole form.

use tenon_app::user::UserRef;
use tenon_app::{issuable, issue, merge_request};
use tenon_domain::id::UserId;
use tenon_domain::issuable::IssuableKind;

use super::note::again;
use crate::context::project::ProjectContext;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::form::{Form, ListChange, OriginalValues, Problems};
use crate::pages::issue::change as issue_form;
use crate::pages::merge_request::form as merge_request_form;
use crate::parts::issuable::fact::Fact;
use crate::parts::issuable::form::FormValues;
use crate::parts::issuable::note::origin;
use crate::parts::issuable::reference::{both, kind_of, reference};
use crate::parts::issuable::talk::{Draft, DraftPlace};
use crate::table::project::ProjectTable;

pub(crate) fn routes(table: &mut ProjectTable) {
    for path in both!("/facts/{fact}") {
        table.post(path, change);
    }
}

/// Changes the fact that the path names, and nothing else. A refused value is shown again beside the refusal.
async fn change(context: ProjectContext) -> Result<Answer, PageError> {
    let kind = kind_of(&context.asked);
    let fact = Fact::named(context.asked.segment("fact"), kind).ok_or(PageError::NotFound)?;
    let problems = match save(&context, fact.field).await? {
        Ok(()) => return Ok(context.done(&origin(&context))),
        Err(problems) => problems,
    };
    let text = context.request.form().text(object(kind), fact.field);
    again(context, Draft { place: DraftPlace::Fact(fact.field), text, problems, preview: None }, false).await
}

const fn object(kind: IssuableKind) -> &'static str {
    match kind {
        IssuableKind::Issue => "issue",
        IssuableKind::MergeRequest => "merge_request",
    }
}

async fn save(context: &ProjectContext, field: &'static str) -> Result<Result<(), Problems>, PageError> {
    let of = reference(&context.asked)?;
    let object = object(of.kind);
    let shown = OriginalValues::sent(context.request.form());
    let form = context.request.form().changed(&shown).only(field);
    let typed = FormValues::sent(form, object);
    let saved = match of.kind {
        IssuableKind::Issue => {
            let mut request = match issue_form::asked_for(form, &typed) {
                Ok(request) => request,
                Err(problems) => return Ok(Err(problems)),
            };
            if let Some(change) = people_change(form, object, field, "assignee_ids") {
                let known = of.clone();
                let view = context.request.ask(move |query| Ok(issuable::page(query, &known)?.view)).await?;
                request.triage.assignees = Some(changed(&view.assignees, &change));
            }
            context.request.write(move |command| issue::edit(command, &of.project, of.iid, request)).await.map(drop)
        }
        IssuableKind::MergeRequest => {
            let mut request = match merge_request_form::asked_for(form, &typed) {
                Ok(request) => request,
                Err(problems) => return Ok(Err(problems)),
            };
            let (assigned, reviewing) = (
                people_change(form, object, field, "assignee_ids"),
                people_change(form, object, field, "reviewer_ids"),
            );
            if assigned.is_some() || reviewing.is_some() {
                let known = of.clone();
                let view = context.request.ask(move |query| Ok(merge_request::page(query, &known)?.view)).await?;
                request.triage.assignees = assigned.map(|change| changed(&view.of.assignees, &change));
                request.reviewers = reviewing.map(|change| changed(&view.reviewers, &change));
            }
            merge_request::edit(context.request.app(), context.request.identity(), of, request).await.map(drop)
        }
    };
    match saved {
        Ok(()) => Ok(Ok(())),
        Err(error) => Problems::of(error).map(Err),
    }
}

/// The people that a form adds and removes, if it is about them.
fn people_change(form: Form<'_>, object: &str, field: &str, wanted: &str) -> Option<ListChange> {
    form.list_change(object, wanted).filter(|_| field == wanted)
}

/// The people of now with a change. People whom another user has added since the page was made stay.
fn changed(now: &[UserRef], change: &ListChange) -> Vec<UserId> {
    let parse =
        |ids: &[String]| -> Vec<UserId> { ids.iter().filter_map(|id| id.parse().ok()).map(UserId::new).collect() };
    let (added, removed) = (parse(&change.added), parse(&change.removed));
    let mut ids: Vec<UserId> = now.iter().map(|user| user.id).filter(|id| !removed.contains(id)).collect();
    ids.extend(added.into_iter().filter(|id| !now.iter().any(|user| user.id == *id)));
    ids
}
