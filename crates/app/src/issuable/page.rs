//! An issue or merge request as its page shows it: with its text as HTML, its reactions, and what the caller may do.

use std::collections::HashMap;

use tenon_domain::id::{NoteId, UserId};
use tenon_domain::issuable::IssuableAction;
use tenon_markdown::{Options, inline_html};
use tenon_storage::{award_emoji, issuable};

use crate::core::app::Query;
use crate::core::error::{AppError, Missing};
use crate::policy::issuable::{AuthorizedIssuable, IssuableReference};
use crate::policy::precondition::text_version;
use crate::policy::reference::Reference;
use crate::shared::issuable::view::{Detail, IssuableView, views};
use crate::shared::markdown::{PageText, render_all};
use crate::shared::tasks::{self, ShownTasks, TaskChange};

/// An issue or merge request, for its page.
pub struct IssuablePage {
    /// The issue or merge request itself.
    pub view: IssuableView,
    /// The issue in which it was continued, if the caller may see that.
    pub moved_to: Option<IssuableView>,
    /// The caller's rights.
    pub may: IssuableRights,
    /// The description as safe HTML; empty if there is none.
    pub description_html: String,
    /// The tasks of the description, if the caller may tick them.
    pub tasks: Option<ShownTasks>,
    /// The reactions to it, and to its notes.
    pub awards: HashMap<Option<NoteId>, Vec<AwardCount>>,
}

/// The caller's rights. The use cases ask again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is the answer of one ability")]
pub struct IssuableRights {
    /// Change title, description and state.
    pub edit: bool,
    /// Set labels, milestone, assignees, due date and the lock.
    pub triage: bool,
    /// Continue it in another project.
    pub relocate: bool,
    /// Comment.
    pub comment: bool,
    /// React.
    pub award: bool,
    /// Change what others have said.
    pub moderate: bool,
    /// Resolve discussions.
    pub resolve: bool,
    /// Subscribe: who has signed in.
    pub subscribe: bool,
}

/// How often one emoji was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AwardCount {
    /// Its name, without colons.
    pub name: String,
    /// Itself.
    pub emoji: String,
    /// By how many users.
    pub count: usize,
    /// The caller's own, by its id.
    pub own: Option<tenon_domain::id::AwardId>,
}

/// The issue or merge request of that number.
pub fn page(query: &mut Query<'_>, of: &IssuableReference) -> Result<IssuablePage, AppError> {
    let found = query.issuable(of, IssuableAction::Read)?;
    let may = rights(query, &found);
    let description = found.issuable.description.clone().unwrap_or_default();
    let project = Reference::Id(found.home.project.id.get());
    let text = PageText { key: String::new(), text: &description };
    let description_html = render_all(query, &[text], &project)?.pop().unwrap_or_default();
    let tasks = if may.edit { tasks::shown(query, &description, &description_html) } else { None };
    let awards = awards(query, &found)?;
    let detail = Detail { labels: true, subscribed: true };
    let view = views(query, vec![found.issuable], detail)?.pop().ok_or(AppError::NotFound(Missing::Record))?;
    let moved_to = match view.moved_to {
        Some(id) => issuable::find_by_id(&mut query.tx, id)?,
        None => None,
    };
    let moved_to = views(query, moved_to.into_iter().collect(), Detail::default())?.pop();
    Ok(IssuablePage { view, moved_to, may, description_html, tasks, awards })
}

/// The description with other ticks, and the version of the text that has it ([`IssuableView::text_version`]).
/// [`AppError::Stale`] if it is not as the caller has read it.
pub fn ticked_description(
    query: &mut Query<'_>,
    of: &IssuableReference,
    change: &TaskChange,
) -> Result<(String, String), AppError> {
    let found = query.issuable(of, IssuableAction::Edit)?;
    let text = found.issuable.description.as_deref().unwrap_or_default();
    Ok((change.applied_to(query, text)?, text_version(&found.issuable)))
}

/// The caller's rights in the found issue or merge request.
fn rights(query: &Query<'_>, found: &AuthorizedIssuable) -> IssuableRights {
    let signed_in = query.viewer().user().is_some();
    let may = |action| signed_in && found.may(action);
    IssuableRights {
        edit: may(IssuableAction::Edit),
        triage: may(IssuableAction::Triage),
        relocate: may(IssuableAction::Move),
        comment: may(IssuableAction::Comment),
        award: may(IssuableAction::Award),
        moderate: may(IssuableAction::Moderate),
        resolve: may(IssuableAction::Resolve),
        subscribe: signed_in,
    }
}

/// The reactions, counted by emoji, in the order in which each was given first.
fn awards(
    query: &mut Query<'_>,
    found: &AuthorizedIssuable,
) -> Result<HashMap<Option<NoteId>, Vec<AwardCount>>, AppError> {
    let viewer: Option<UserId> = query.viewer().user();
    let mut counted: HashMap<Option<NoteId>, Vec<AwardCount>> = HashMap::new();
    for award in award_emoji::all(&mut query.tx, found.issuable.id)? {
        let of_subject = counted.entry(award.subject.note).or_default();
        let own = (viewer == Some(award.user)).then_some(award.id);
        if let Some(known) = of_subject.iter_mut().find(|known| known.name == award.name) {
            known.count += 1;
            known.own = known.own.or(own);
        } else {
            let emoji = inline_html(&format!(":{}:", award.name), &Options::of(""));
            of_subject.push(AwardCount { name: award.name, emoji, count: 1, own });
        }
    }
    Ok(counted)
}
