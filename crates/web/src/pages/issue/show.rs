//! The page of an issue.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::issuable::{self, IssuablePage};
use tenon_app::issue::{self, LinkedIssue};
use tenon_app::issue_branch;
use tenon_app::merge_request::{self, MergeRequestView};
use tenon_app::note::Conversation;
use tenon_app::{PageRequest, Query};
use tenon_domain::issue::LinkKind;

use crate::context::frame::Frame;
use crate::context::project::{ProjectContext, ProjectRequest};
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::answer::Answer;
use crate::kit::error::{PageError, permitted};
use crate::parts::issuable::changed;
use crate::parts::issuable::conversation::{changes, conversation, opened};
use crate::parts::issuable::fact::{Control, FactData, Value, rows};
use crate::parts::issuable::list::{Offered, StateBadge, offered};
use crate::parts::issuable::reference::reference;
use crate::parts::issuable::related::{Related, related_to};
use crate::parts::issuable::side::{Facts, shown_page};
use crate::parts::issuable::talk::{Draft, DraftPlace, Placed, Talk, words_until};

/// Merge requests beside an issue.
const RELATED: i64 = 20;

#[derive(Template)]
#[template(path = "issue/show.html")]
struct ShowPage {
    frame: Frame,
    project: ProjectFrame,
    facts: Facts,
    talk: Talk,
    /// The form of a new comment.
    comment: Draft,
    related: Vec<Related>,
    linked: Vec<Related>,
    /// The issue in which it was continued.
    moved: Option<Related>,
}

/// The data of the page.
pub(crate) struct PageData {
    page: IssuablePage,
    talk: Conversation,
    changes: Placed,
    related: Vec<MergeRequestView>,
    linked: Vec<LinkedIssue>,
    branch: String,
    more: FactData,
    /// The form that the address opens.
    draft: Option<Draft>,
}

pub(super) fn read(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<PageData, AppError> {
    read_with(query, asked, None)
}

/// The same, if this form is open.
fn read_with(query: &mut Query<'_>, asked: &ProjectRequest, open: Option<&DraftPlace>) -> Result<PageData, AppError> {
    let of = reference(asked)?;
    let page = issuable::page(query, &of)?;
    let talk = conversation(query, &of, &asked.query, open)?;
    let changes = changes(query, &of, &talk)?;
    let few = PageRequest::new(None, Some(RELATED));
    let related = permitted(merge_request::related(query, &of.project, of.iid, few))?;
    let linked = permitted(issue::linked(query, &of.project, of.iid))?;
    let branch = match query.viewer().user() {
        Some(_) => permitted(issue_branch::offered(query, &of.project, of.iid))?.flatten().unwrap_or_default(),
        None => String::new(),
    };
    let offered = if page.may.triage { offered(query, &asked.project)? } else { Offered::default() };
    Ok(PageData {
        more: FactData { offered, ..FactData::default() },
        draft: opened(&asked.query, &talk),
        page,
        talk,
        changes,
        related: related.map(|found| found.items).unwrap_or_default(),
        linked: linked.unwrap_or_default(),
        branch,
    })
}

pub(super) async fn show(context: ProjectContext, found: PageData) -> Result<Answer, PageError> {
    if let Some(part) = changed::asked_for(&context) {
        return changed::part(context, part, found.draft).await;
    }
    present(context, found, None)
}

/// The page with a form as it was sent. 422 if the form has an error.
pub(crate) async fn again(context: ProjectContext, draft: Draft) -> Result<Answer, PageError> {
    let (asked, open) = (context.asked.clone(), draft.place.clone());
    let (frame, found) = context.request.read(move |query| read_with(query, &asked, Some(&open))).await?;
    let status = if draft.preview.is_some() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    Ok(present(ProjectContext { frame, ..context }, found, Some(draft))?.status(status))
}

fn present(context: ProjectContext, found: PageData, draft: Option<Draft>) -> Result<Answer, PageError> {
    let ProjectContext { request, frame, page, .. } = context;
    let base_url = request.app().base_url();
    let view = &found.page.view;
    let api_path = format!("/issues/{}", view.issuable.iid);
    let project = ProjectFrame::new(&frame.root, &page, Tab::Issues).with_api_path(&api_path);
    let draft = draft.or(found.draft);
    let mut facts = Facts::new(&frame, &project.href, &found.page).with_refusal(draft.as_ref());
    facts.rows = rows(&frame, base_url, &project.href, &found.page, &found.more, draft.as_ref());
    facts.kept = shown_page(request.parameters(), &found.talk);
    (facts.branch, facts.may_request) = (found.branch, page.may.read_merge_requests);
    let talk =
        Talk::new(&frame, found.talk, &found.page.awards, draft.as_ref(), words_until(&request.app().limits().pages));
    let talk = talk.with_changes(&frame, &project.href, "issues", found.changes);
    if let Some(draft) = draft.as_ref().filter(|draft| draft.place == DraftPlace::Move) {
        facts.move_to.clone_from(&draft.text);
        facts.move_problem = draft.problems.iter().next().map(|problem| problem.text.clone());
    }
    let here = page.view.brief.full_path.as_str();
    let related = found.related.iter().map(|request| Related {
        state: StateBadge::new(request.of.issuable.state, request.request.draft),
        ..related_to(&frame, base_url, here, &request.of)
    });
    let linked = found.linked.iter().map(|link| Related {
        how: match link.kind {
            LinkKind::RelatesTo => "relates to",
            LinkKind::Blocks => "blocks",
            LinkKind::IsBlockedBy => "is blocked by",
        },
        ..related_to(&frame, base_url, here, &link.issue)
    });
    Answer::cacheable(&ShowPage {
        comment: draft.filter(|draft| draft.place == DraftPlace::Comment).unwrap_or_default(),
        related: related.collect(),
        linked: linked.collect(),
        moved: found.page.moved_to.as_ref().map(|issue| related_to(&frame, base_url, here, issue)),
        facts,
        talk,
        project,
        frame,
    })
}
