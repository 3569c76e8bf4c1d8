//! The actions of a single button: a subscription, a reaction.

use tenon_app::award_emoji::{self, Awardable};
use tenon_app::error::AppError;
use tenon_app::{issue, merge_request};
use tenon_domain::id::{AwardId, NoteId};
use tenon_domain::issuable::IssuableKind;
use tenon_domain::transition::Transition;

use crate::context::project::ProjectContext;
use crate::kit::address::of_note;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::parts::issuable::changed::{Part, part};
use crate::parts::issuable::note::origin;
use crate::parts::issuable::reference::{both, page_of, reference};
use crate::table::project::ProjectTable;

pub(crate) fn routes(table: &mut ProjectTable) {
    for path in both!("/toggle_subscription") {
        table.post(path, toggle_subscription);
    }
    for path in both!("/toggle_award_emoji") {
        table.post(path, toggle_award);
    }
    for path in both!("/notes/{id}/toggle_award_emoji") {
        table.post(path, toggle_award);
    }
}

/// Subscribes the caller, or ends the subscription.
async fn toggle_subscription(context: ProjectContext) -> Result<Answer, PageError> {
    let of = reference(&context.asked)?;
    context
        .request
        .write(move |command| {
            match of.kind {
                IssuableKind::Issue => {
                    if let Transition::Stayed(_) = issue::subscribe(command, &of.project, of.iid)? {
                        issue::unsubscribe(command, &of.project, of.iid)?;
                    }
                }
                IssuableKind::MergeRequest => {
                    if let Transition::Stayed(_) = merge_request::subscribe(command, &of)? {
                        merge_request::unsubscribe(command, &of)?;
                    }
                }
            }
            Ok(())
        })
        .await?;
    Ok(context.done(&page_of(&context.asked)))
}

/// Adds a reaction to the subject of the page or to the note that the address names. If the form has the id of a
/// reaction, it removes that one. Actions that another window has already done are no error.
async fn toggle_award(context: ProjectContext) -> Result<Answer, PageError> {
    let of = reference(&context.asked)?;
    let form = context.request.form();
    let note = match context.asked.segment("id") {
        "" => None,
        _ => Some(NoteId::new(context.asked.number("id")?)),
    };
    let own = form.filled("", "award_id").and_then(|text| text.parse().ok()).map(AwardId::new);
    let name = form.filled("", "name").unwrap_or_default();
    let back = note.map_or_else(|| origin(&context), |id| of_note(&origin(&context), id));
    let to = Awardable { of, note };
    let written = context.request.write(move |command| match own {
        Some(id) => award_emoji::withdraw(command, &to, id, None),
        None => award_emoji::give(command, &to, &name).map(drop),
    });
    match written.await {
        Ok(()) | Err(AppError::Rejected(..)) if context.request.is_fragment() => {
            part(context, Part::Awards(note), None).await
        }
        Ok(()) | Err(AppError::Rejected(..)) => Ok(context.done(&back)),
        Err(error) => Err(error.into()),
    }
}
