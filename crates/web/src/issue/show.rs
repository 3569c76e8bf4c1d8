//! The page of an issue.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::issuable::{self, IssuablePage, IssuableView};
use tenon_app::issue::{self, LinkedIssue};
use tenon_app::merge_request::{self, MergeRequestView};
use tenon_app::note::{self, Conversation};
use tenon_app::{PageRequest, Query};
use tenon_domain::id::NoteId;
use tenon_domain::issuable::relative_reference;
use tenon_domain::issue::LinkKind;
use tenon_domain::note::Note;

use crate::answer::Answer;
use crate::error::PageError;
use crate::frame::Frame;
use crate::issuable::excerpt::Excerpt;
use crate::issuable::list::{StateBadge, permitted};
use crate::issuable::parts::own_path;
use crate::issuable::reference;
use crate::issuable::side::{Facts, shown_page};
use crate::issuable::talk::{Draft, DraftPlace, Talk};
use crate::parameters::Parameters;
use crate::project::frame::{ProjectFrame, Tab};
use crate::project::{Asked, Room};

/// Threads on a page.
const THREADS: i64 = 100;
/// Merge requests beside an issue.
const RELATED: i64 = 20;

/// Something that an issue has to do with.
pub(crate) struct Related {
    pub(crate) href: String,
    pub(crate) reference: String,
    pub(crate) title: String,
    pub(crate) state: StateBadge,
    /// How it stands to the issue; empty where that is plain.
    pub(crate) how: &'static str,
}

/// An issue or merge request, as a page of the project at the path `here` names it.
pub(crate) fn related_to(frame: &Frame, base_url: &str, here: &str, view: &IssuableView) -> Related {
    Related {
        href: own_path(&frame.root, base_url, &view.web_url),
        reference: relative_reference(here, &view.project_path, &view.issuable.short_reference()),
        title: view.issuable.title.clone(),
        state: StateBadge::new(view.issuable.state, false),
        how: "",
    }
}

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
    /// Where it was continued.
    moved: Option<Related>,
}

/// What the page shows.
pub(crate) struct Found {
    page: IssuablePage,
    talk: Conversation,
    related: Vec<MergeRequestView>,
    linked: Vec<LinkedIssue>,
    /// The form that the address opens.
    draft: Option<Draft>,
}

pub(super) fn read(query: &mut Query<'_>, asked: &Asked) -> Result<Found, AppError> {
    read_with(query, asked, None)
}

/// The same, where this form is open.
fn read_with(query: &mut Query<'_>, asked: &Asked, open: Option<&DraftPlace>) -> Result<Found, AppError> {
    let of = reference(asked)?;
    let page = issuable::page(query, &of)?;
    let talk = conversation(query, &of, &asked.query, open)?;
    let few = PageRequest::new(None, Some(RELATED));
    let related = permitted(merge_request::related(query, &of.project, of.iid, few))?;
    let linked = permitted(issue::linked(query, &of.project, of.iid))?;
    Ok(Found {
        draft: opened(&asked.query, &talk),
        page,
        talk,
        related: related.map(|found| found.items).unwrap_or_default(),
        linked: linked.unwrap_or_default(),
    })
}

/// A page of what was said: the one that has the form that is open, that is asked for, or has the note that the address names,
/// or else the last one, where new comments stand.
pub(crate) fn conversation(
    query: &mut Query<'_>,
    of: &issuable::IssuableReference,
    asked: &Parameters,
    open: Option<&DraftPlace>,
) -> Result<Conversation, AppError> {
    let excerpt = Excerpt::parse(asked, open.and_then(DraftPlace::note));
    let kept = |notes: &[Note]| excerpt.kept(notes);
    let of_form = match open {
        Some(DraftPlace::Note(id)) => note::page_of_note(query, of, *id, THREADS)?,
        Some(DraftPlace::Reply(discussion)) => note::page_of_thread(query, of, discussion, THREADS)?,
        Some(_) | None => None,
    };
    let named = asked.number("edit_note").or_else(|| asked.number("note")).map(NoteId::new);
    let number = match (of_form.or_else(|| asked.number("page")), named) {
        (Some(number), _) => Some(number),
        (None, Some(id)) => note::page_of_note(query, of, id, THREADS)?,
        (None, None) => None,
    };
    let first = note::conversation(query, of, PageRequest::new(number, Some(THREADS)), &kept)?;
    let last = first.threads.total_pages();
    if number.is_some() || last < 2 {
        return Ok(first);
    }
    note::conversation(query, of, PageRequest::new(Some(last), Some(THREADS)), &kept)
}

/// The form of a note that the address opens: it holds the Markdown of the note.
pub(crate) fn opened(asked: &Parameters, talk: &Conversation) -> Option<Draft> {
    let id = NoteId::new(asked.number("edit_note")?);
    let mut notes = talk.threads.items.iter().flat_map(|thread| &thread.notes);
    let note = notes.find(|note| note.view.note.id == id && note.may_change)?;
    Some(Draft { place: DraftPlace::Note(id), text: note.view.note.body.clone(), ..Draft::default() })
}

pub(super) async fn show(room: Room, found: Found) -> Result<Answer, PageError> {
    present(room, found, None)
}

/// The page with a form as it was sent: 422 where something is wrong with it.
pub(crate) async fn again(room: Room, draft: Draft) -> Result<Answer, PageError> {
    let (asked, open) = (room.asked.clone(), draft.place.clone());
    let (frame, found) = room.visit.read(move |query| read_with(query, &asked, Some(&open))).await?;
    let status = if draft.preview.is_some() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    Ok(present(Room { frame, ..room }, found, Some(draft))?.status(status))
}

fn present(room: Room, found: Found, draft: Option<Draft>) -> Result<Answer, PageError> {
    let Room { visit, frame, page, .. } = room;
    let base_url = visit.app().base_url();
    let view = &found.page.view;
    let twin = format!("/issues/{}", view.issuable.iid);
    let project = ProjectFrame::new(&frame.root, &page, Tab::Issues).with_twin(&twin);
    let draft = draft.or(found.draft);
    let mut facts = Facts::new(&frame, base_url, &project.href, &found.page);
    facts.kept = shown_page(visit.parameters(), &found.talk);
    let talk = Talk::new(&frame, found.talk, &found.page.awards, draft.as_ref());
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
