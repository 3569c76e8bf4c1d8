//! The overview of a merge request, and its difference as a text.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::issuable::{self, IssuablePage, IssuableReference};
use tenon_app::merge_request::{self, MergeRequestPage, ShowMergeRequest};
use tenon_app::note::Conversation;
use tenon_app::repository::PatchFormat;
use tenon_app::{Query, Reference};
use tenon_domain::id::Iid;
use tenon_domain::issuable::{IssuableKind, State};
use tenon_domain::merge_request::MergeStatus;

use super::frame::{Part, RequestFrame};
use super::review::{self, Review, ReviewFound, Standing, Waiting};
use super::verdict::Verdict;
use crate::answer::Answer;
use crate::error::PageError;
use crate::form::Problems;
use crate::frame::Frame;
use crate::issuable::side::{Facts, shown_page};
use crate::issuable::talk::{Draft, DraftPlace, Talk};
use crate::issue::show::{Related, conversation, opened, related_to};
use crate::pipeline::PipelineLine;
use crate::project::commit::patch_format;
use crate::project::frame::{ProjectFrame, Tab};
use crate::project::{Asked, Room};

#[derive(Template)]
#[template(path = "merge_request/show.html")]
struct ShowPage {
    frame: Frame,
    project: ProjectFrame,
    facts: Facts,
    request: RequestFrame,
    verdict: Verdict,
    /// What went wrong with a merge that was asked for.
    problems: Problems,
    /// Why the last attempt to merge or rebase came to nothing.
    failure: Option<String>,
    pipeline: Option<PipelineLine>,
    closes: Vec<Related>,
    talk: Talk,
    review: Review,
    /// The form of a new comment.
    comment: Draft,
    /// The source branch, the address to clone, and the directory that this makes, for commands.
    source_branch: String,
    clone: String,
    directory: String,
}

/// What was asked for.
pub(crate) enum Wanted {
    Page(Box<Found>),
    /// The difference as a text.
    Patch(IssuableReference, PatchFormat),
}

/// What the page shows.
pub(crate) struct Found {
    of: IssuableReference,
    page: IssuablePage,
    request: MergeRequestPage,
    talk: Conversation,
    review: ReviewFound,
    draft: Option<Draft>,
}

/// The merge request that a path names.
pub(super) fn reference(project: &Reference, iid: Iid) -> IssuableReference {
    IssuableReference { kind: IssuableKind::MergeRequest, project: project.clone(), iid }
}

pub(super) fn read(query: &mut Query<'_>, asked: &Asked) -> Result<Wanted, AppError> {
    let segment = asked.segment("iid");
    if let Some((number, format)) = patch_format(segment) {
        let named = vec![("iid".to_owned(), vec![number.to_owned()])];
        let iid = Asked { named, ..asked.clone() }.iid()?;
        // The use case asks whether the caller may.
        return Ok(Wanted::Patch(reference(&asked.project, iid), format));
    }
    read_page(query, asked, None).map(|found| Wanted::Page(Box::new(found)))
}

/// What the page shows, where this form is open.
fn read_page(query: &mut Query<'_>, asked: &Asked, open: Option<&DraftPlace>) -> Result<Found, AppError> {
    let of = reference(&asked.project, asked.iid()?);
    let page = issuable::page(query, &of)?;
    let talk = conversation(query, &of, &asked.query, open)?;
    let review = review::read(query, asked)?;
    let draft = opened(&asked.query, &talk).or_else(|| review::opened(&asked.query, &review));
    Ok(Found { draft, request: merge_request::page(query, &of)?, page, talk, review, of })
}

pub(super) async fn show(room: Room, wanted: Wanted) -> Result<Answer, PageError> {
    let found = match wanted {
        Wanted::Patch(of, format) => {
            let text = merge_request::patch(room.visit.app(), room.visit.identity(), of, format).await?;
            return Ok(Answer::patch(text));
        }
        Wanted::Page(found) => *found,
    };
    let (status, state) = (found.request.view.request.merge_status, found.request.view.of.issuable.state);
    if status == MergeStatus::Unchecked && state == State::Opened {
        // A branch has moved, and Git was not asked since.
        let (app, identity) = (room.visit.app(), room.visit.identity());
        match merge_request::show(app, identity, found.of.clone(), ShowMergeRequest::default()).await {
            Ok(_) => {
                let (room, found) = read_again(room, None).await?;
                return present(room, found, None, Problems::default());
            }
            // The page says that it is being found out.
            Err(AppError::Busy { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    present(room, found, None, Problems::default())
}

/// The page with a form as it was sent: 422 where something is wrong with it.
pub(crate) async fn again(room: Room, draft: Draft) -> Result<Answer, PageError> {
    let status = if draft.preview.is_some() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    let (room, found) = read_again(room, Some(draft.place.clone())).await?;
    Ok(present(room, found, Some(draft), Problems::default())?.status(status))
}

/// The page with what went wrong with a merge.
pub(super) async fn refused(room: Room, problems: Problems) -> Result<Answer, PageError> {
    let (room, found) = read_again(room, None).await?;
    Ok(present(room, found, None, problems)?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

async fn read_again(room: Room, open: Option<DraftPlace>) -> Result<(Room, Found), PageError> {
    let asked = room.asked.clone();
    let (frame, found) = room.visit.read(move |query| read_page(query, &asked, open.as_ref())).await?;
    Ok((Room { frame, ..room }, found))
}

fn present(room: Room, found: Found, draft: Option<Draft>, problems: Problems) -> Result<Answer, PageError> {
    let Room { visit, frame, page, .. } = room;
    let base_url = visit.app().base_url();
    let twin = format!("/merge_requests/{}", found.page.view.issuable.iid);
    let project = ProjectFrame::new(&frame.root, &page, Tab::MergeRequests).with_twin(&twin);
    let draft = draft.or(found.draft);
    let request = RequestFrame::new(&frame, &project.href, &found.request, Part::Overview);
    let mut facts = Facts::new(&frame, base_url, &project.href, &found.page);
    facts.state = request.state;
    facts.kept = shown_page(visit.parameters(), &found.talk);
    let mut talk = Talk::new(&frame, found.talk, &found.page.awards, draft.as_ref());
    let ReviewFound { drafts, progress } = found.review;
    let count = drafts.len();
    let mut waiting = Waiting::new(drafts, draft.as_ref());
    for thread in &mut talk.threads {
        thread.drafts = waiting.of_thread(&thread.id);
    }
    let is_signed_in = frame.user.is_some();
    let review = Review::new(count, waiting, &found.request, &Standing { progress: &progress, is_signed_in });
    let here = page.view.brief.full_path.as_str();
    let closes = found.request.closes.iter().map(|issue| related_to(&frame, base_url, here, issue));
    let single = found.request.view.single.as_ref();
    let mut verdict = Verdict::new(&found.request);
    // What was sent stands in the form again, where that is why there is a problem.
    let sent = visit.form();
    if let Some(form) = verdict.form.as_mut().filter(|_| !problems.is_empty() && sent.has("", "sha")) {
        form.squash = sent.ticked("", "squash");
        form.remove_source_branch = sent.ticked("", "should_remove_source_branch");
        form.message = sent.text("", "commit_message");
    }
    verdict.may_mark_as_ready = facts.is_open && found.request.view.request.draft && facts.may.edit;
    Answer::cacheable(&ShowPage {
        comment: draft.filter(|draft| draft.place == DraftPlace::Comment).unwrap_or_default(),
        closes: closes.collect(),
        failure: found.request.view.request.merge_error.clone().filter(|_| facts.is_open),
        pipeline: single.and_then(|single| single.pipeline.shown()).map(|view| PipelineLine::new(&frame, view)),
        source_branch: found.request.view.request.source_branch.clone(),
        clone: page.view.brief.http_url.clone(),
        directory: page.view.brief.project.path.clone(),
        verdict,
        review,
        problems,
        request,
        facts,
        talk,
        project,
        frame,
    })
}
