//! The overview of a merge request, and its difference as a text.

use std::collections::HashMap;

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::highlighter::Origin;
use tenon_app::issuable::{self, IssuablePage, IssuableReference};
use tenon_app::merge_request::{self, Excerpt, GivenView, MergeRequestPage, ShowMergeRequest};
use tenon_app::note::{Conversation, Thread};
use tenon_app::repository::PatchFormat;
use tenon_app::{Query, Reference};
use tenon_domain::id::Iid;
use tenon_domain::issuable::{IssuableKind, State};
use tenon_domain::merge_request::MergeStatus;
use tenon_domain::note::DiffPosition;

use super::approvals::ApprovalsLine;
use super::frame::{Part, RequestFrame, lines as changed_lines};
use super::review::{self, Review, ReviewFound, Standing, Waiting};
use super::verdict::{MergedLine, Verdict};
use crate::context::frame::Frame;
use crate::context::project::{ProjectContext, ProjectRequest};
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::problems::Problems;
use crate::kit::words::count;
use crate::parts::clone_address::CloneAddresses;
use crate::parts::diff::{DiffLine, lines};
use crate::parts::issuable::changed;
use crate::parts::issuable::conversation::{changes, conversation, opened};
use crate::parts::issuable::fact::{Control, FactData, Value, rows};
use crate::parts::issuable::list::{Offered, offered};
use crate::parts::issuable::related::{Related, related_to};
use crate::parts::issuable::side::{Facts, shown_page};
use crate::parts::issuable::talk::{Draft, DraftPlace, Placed, Talk, link, words_until};
use crate::parts::loose_lines::{LooseLines, colour_loose};
use crate::parts::patch_format::patch_format;
use crate::parts::pipeline_line::PipelineLine;

/// The files in conflict that the page names.
const MOST_CONFLICTS: usize = 20;

#[derive(Template)]
#[template(path = "merge_request/show.html")]
struct ShowPage {
    frame: Frame,
    project: ProjectFrame,
    facts: Facts,
    request: RequestFrame,
    verdict: Verdict,
    approvals: ApprovalsLine,
    merged: Option<MergedLine>,
    /// The files in conflict, some of them if there are many, and the number of the others.
    conflicts: Vec<String>,
    more_conflicts: usize,
    /// The problems of a requested merge.
    problems: Problems,
    /// The reason why the last attempt to merge or rebase failed.
    failure: Option<String>,
    pipeline: Option<PipelineLine>,
    closes: Vec<Related>,
    talk: Talk,
    review: Review,
    /// The form of a new comment.
    comment: Draft,
    /// For commands: the source branch, the address to clone, and the directory that Git makes.
    source_branch: String,
    clone: String,
    directory: String,
}

/// The requested form of the merge request.
pub(crate) enum Representation {
    Page(Box<PageData>),
    /// The difference as a text.
    Patch(IssuableReference, PatchFormat),
}

/// The data of the page.
pub(crate) struct PageData {
    of: IssuableReference,
    page: IssuablePage,
    request: MergeRequestPage,
    talk: Conversation,
    changes: Placed,
    review: ReviewFound,
    more: FactData,
    /// The files that prevent the merge.
    conflicts: Vec<String>,
    /// The lines that threads are about, by the ids of the threads.
    excerpts: HashMap<String, Quoted>,
    /// The numbers of lines that it adds and removes.
    changed_lines: Option<(u64, u64)>,
    draft: Option<Draft>,
}

/// The lines that a thread is about.
struct Quoted {
    code: LooseLines,
    /// True if the newest difference has no such line any more.
    is_gone: bool,
}

impl Quoted {
    fn new(position: &DiffPosition, excerpt: Excerpt) -> Self {
        let name = position.new_path.rsplit('/').next().unwrap_or_default();
        let language = name.rsplit_once('.').map(|(_, ending)| ending.to_owned()).unwrap_or_default();
        let lines = lines(&excerpt.text).into_iter().filter(DiffLine::is_line).collect();
        Self { code: LooseLines { language, lines }, is_gone: excerpt.is_gone }
    }
}

/// The merge request that a path names.
pub(super) fn reference(project: &Reference, iid: Iid) -> IssuableReference {
    IssuableReference { kind: IssuableKind::MergeRequest, project: project.clone(), iid }
}

pub(super) fn read(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<Representation, AppError> {
    let segment = asked.segment("iid");
    if let Some((number, format)) = patch_format(segment) {
        let named = vec![("iid".to_owned(), vec![number.to_owned()])];
        let iid = ProjectRequest { named, ..asked.clone() }.iid()?;
        // The use case checks the permission.
        return Ok(Representation::Patch(reference(&asked.project, iid), format));
    }
    read_page(query, asked, None).map(|found| Representation::Page(Box::new(found)))
}

/// The data of the page, if this form is open.
fn read_page(query: &mut Query<'_>, asked: &ProjectRequest, open: Option<&DraftPlace>) -> Result<PageData, AppError> {
    let of = reference(&asked.project, asked.iid()?);
    let page = issuable::page(query, &of)?;
    let talk = conversation(query, &of, &asked.query, open)?;
    let changes = changes(query, &of, &talk)?;
    let review = review::read(query, asked)?;
    let draft = opened(&asked.query, &talk).or_else(|| review::opened(&asked.query, &review));
    let request = merge_request::page(query, &of)?;
    let given = |given: &[GivenView]| given.iter().map(|given| given.by.id).collect();
    let more = FactData {
        approved_by: given(&request.approvals.approved_by),
        changes_requested_by: given(&request.approvals.changes_requested_by),
        offered: if page.may.triage { offered(query, &asked.project)? } else { Offered::default() },
        reviewers: request.view.reviewers.clone(),
        target_branch: request.view.request.target_branch.clone(),
    };
    Ok(PageData {
        draft,
        request,
        page,
        talk,
        changes,
        review,
        more,
        conflicts: Vec::new(),
        excerpts: HashMap::new(),
        changed_lines: None,
        of,
    })
}

pub(super) async fn show(context: ProjectContext, wanted: Representation) -> Result<Answer, PageError> {
    let found = match wanted {
        Representation::Patch(of, format) => {
            let text = merge_request::patch(context.request.app(), context.request.identity(), of, format).await?;
            return Ok(Answer::patch(text));
        }
        Representation::Page(found) => *found,
    };
    if let Some(part) = changed::asked_for(&context) {
        return changed::part(context, part, found.draft).await;
    }
    let (status, state) = (found.request.view.request.merge_status, found.request.view.of.issuable.state);
    if status == MergeStatus::Unchecked && state == State::Opened {
        // A branch has moved, and Git was not asked since then.
        let (app, identity) = (context.request.app(), context.request.identity());
        match merge_request::show(app, identity, found.of.clone(), ShowMergeRequest::default()).await {
            Ok(_) => {
                let (context, found) = read_again(context, None).await?;
                return Box::pin(with_code(context, found, None, Problems::default())).await;
            }
            // The page says that the check is still running.
            Err(AppError::Busy { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Box::pin(with_code(context, found, None, Problems::default())).await
}

/// The page with what only Git knows: the files in conflict, and the lines that threads are about.
async fn with_code(
    context: ProjectContext,
    mut found: PageData,
    draft: Option<Draft>,
    problems: Problems,
) -> Result<Answer, PageError> {
    if found.request.view.readiness == "conflict" && context.page.code.is_some() {
        let (app, identity) = (context.request.app(), context.request.identity());
        // Without them, the page still says that there are some.
        found.conflicts = merge_request::conflicts(app, identity, found.of.clone()).await.unwrap_or_default();
    }
    found.changed_lines = changed_lines(&context, &found.request).await;
    let of_thread = |thread: &Thread| Some((thread.id.clone(), thread.position.clone()?));
    let (ids, positions): (Vec<_>, Vec<_>) = found.talk.threads.items.iter().filter_map(of_thread).unzip();
    if !ids.is_empty() && context.page.code.is_some() {
        let (app, identity) = (context.request.app(), context.request.identity());
        // Without them, the page still names the lines.
        let read =
            merge_request::excerpts(app, identity, found.of.clone(), positions.clone()).await.unwrap_or_default();
        let threads = ids.into_iter().zip(positions).zip(read);
        let quoted = |((id, position), excerpt): ((String, DiffPosition), Option<Excerpt>)| {
            Some((id, Quoted::new(&position, excerpt?)))
        };
        found.excerpts = threads.filter_map(quoted).collect();
        let origin = Origin::new(context.page.view.brief.project.id.get());
        colour_loose(app, origin, found.excerpts.values_mut().map(|quoted| &mut quoted.code).collect()).await;
    }
    present(context, found, draft, problems)
}

/// The page with a form as it was sent. 422 if the form has an error.
pub(crate) async fn again(context: ProjectContext, draft: Draft) -> Result<Answer, PageError> {
    let status = if draft.preview.is_some() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    let (context, found) = read_again(context, Some(draft.place.clone())).await?;
    Ok(Box::pin(with_code(context, found, Some(draft), Problems::default())).await?.status(status))
}

/// The page with the problems of a merge.
pub(crate) async fn refused(context: ProjectContext, problems: Problems) -> Result<Answer, PageError> {
    let (context, found) = read_again(context, None).await?;
    Ok(Box::pin(with_code(context, found, None, problems)).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

async fn read_again(
    context: ProjectContext,
    open: Option<DraftPlace>,
) -> Result<(ProjectContext, PageData), PageError> {
    let asked = context.asked.clone();
    let (frame, found) = context.request.read(move |query| read_page(query, &asked, open.as_ref())).await?;
    Ok((ProjectContext { frame, ..context }, found))
}

fn present(
    context: ProjectContext,
    mut found: PageData,
    draft: Option<Draft>,
    problems: Problems,
) -> Result<Answer, PageError> {
    let ProjectContext { request: context, frame, page, .. } = context;
    let base_url = context.app().base_url();
    let api_path = format!("/merge_requests/{}", found.page.view.issuable.iid);
    let project = ProjectFrame::new(&frame.root, &page, Tab::MergeRequests).with_api_path(&api_path);
    let draft = draft.or(found.draft);
    let mut request = RequestFrame::new(&frame, &project.href, &found.request, Part::Overview);
    request.lines = found.changed_lines;
    let mut facts = Facts::new(&frame, &project.href, &found.page).with_refusal(draft.as_ref());
    facts.state = request.state;
    facts.state_icon = request.state_icon;
    facts.rows = rows(&frame, base_url, &project.href, &found.page, &found.more, draft.as_ref());
    (facts.suggestions, facts.may_apply) = (found.request.suggestions, found.request.may.push);
    facts.kept = shown_page(context.parameters(), &found.talk);
    let talk =
        Talk::new(&frame, found.talk, &found.page.awards, draft.as_ref(), words_until(&context.app().limits().pages));
    let mut talk = talk.with_changes(&frame, &project.href, "merge_requests", found.changes);
    let ReviewFound { drafts, progress } = found.review;
    let pending = drafts.len();
    let mut waiting = Waiting::new(drafts, draft.as_ref());
    for thread in &mut talk.threads {
        thread.drafts = waiting.of_thread(&thread.id);
        let Some(quoted) = found.excerpts.remove(&thread.id) else { continue };
        thread.quoted = quoted.code.lines;
        if let Some(spot) = thread.line.as_mut().filter(|_| quoted.is_gone) {
            spot.words.push_str(" (outdated)");
        }
    }
    link(talk.threads.iter_mut().collect());
    let (is_signed_in, may_comment) = (frame.user.is_some(), facts.may.comment);
    let review =
        Review::new(pending, waiting, &found.request, &Standing { progress: &progress, is_signed_in, may_comment });
    let here = page.view.brief.full_path.as_str();
    let closes = found.request.closes.iter().map(|issue| related_to(&frame, base_url, here, issue));
    let single = found.request.view.single.as_ref();
    let mut verdict = Verdict::new(&found.request);
    // If the form of the merge was sent and refused, it shows the sent values again.
    let sent = context.form();
    if let Some(form) = verdict.form.as_mut().filter(|_| !problems.is_empty() && sent.has("", "sha")) {
        form.squash = sent.ticked("", "squash");
        form.remove_source_branch = sent.ticked("", "should_remove_source_branch");
        form.message = sent.text("", "commit_message");
    }
    let clone = CloneAddresses::of(context.app(), &page.view.brief).first();
    verdict.shows_commands &= !clone.is_empty();
    let open = i64::try_from(found.request.open_discussions).unwrap_or(i64::MAX);
    if facts.is_open && open > 0 {
        verdict.discussions = count(open, "open discussion", "open discussions");
    }
    verdict.may_mark_as_ready = facts.is_open && found.request.view.request.draft && facts.may.edit;
    let more_conflicts = found.conflicts.len().saturating_sub(MOST_CONFLICTS);
    Answer::cacheable(&ShowPage {
        approvals: ApprovalsLine::new(&frame, &found.request),
        merged: MergedLine::new(&frame, &project.href, &found.request, page.may_push),
        conflicts: found.conflicts.into_iter().take(MOST_CONFLICTS).collect(),
        more_conflicts,
        comment: draft.filter(|draft| draft.place == DraftPlace::Comment).unwrap_or_default(),
        closes: closes.collect(),
        failure: found.request.view.request.merge_error.clone().filter(|_| facts.is_open),
        pipeline: single.and_then(|single| single.pipeline.shown()).map(|view| PipelineLine::new(&frame, view)),
        source_branch: found.request.view.request.source_branch.clone(),
        clone,
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
