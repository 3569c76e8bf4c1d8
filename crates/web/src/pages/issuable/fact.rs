//! Changes one fact of an issue or merge request from its page. The use cases are those of the whole form.

use tenon_app::{issue, merge_request};
use tenon_domain::issuable::IssuableKind;

use super::note::again;
use crate::context::project::ProjectContext;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::form::OriginalValues;
use crate::kit::problems::Problems;
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
    again(context, Draft { place: DraftPlace::Fact(fact.field), text, problems, ..Draft::default() }, false).await
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
            let request = match issue_form::asked_for(form, &typed) {
                Ok(request) => request,
                Err(problems) => return Ok(Err(problems)),
            };
            context.request.write(move |command| issue::edit(command, &of.project, of.iid, request)).await.map(drop)
        }
        IssuableKind::MergeRequest => {
            let request = match merge_request_form::asked_for(form, &typed) {
                Ok(request) => request,
                Err(problems) => return Ok(Err(problems)),
            };
            merge_request::edit(context.request.app(), context.request.identity(), of, request).await.map(drop)
        }
    };
    match saved {
        Ok(()) => Ok(Ok(())),
        Err(error) => Problems::of(error).map(Err),
    }
}
