//! The milestones of a project, and what the pages of a group's milestones have in common with theirs.

pub(crate) mod contents;

use self::contents::Contents;
use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::{AppError, Missing};
use tenon_app::issuable::IssuableView;
use tenon_app::milestone::{self, CreateMilestone, EditMilestone, ListMilestones, MilestoneView};
use tenon_app::{ContainerReference, Query, markdown};
use tenon_domain::milestone::{Milestone, MilestoneEvent, MilestoneState};
use tenon_domain::page::Page;
use tenon_domain::time::Date;

use crate::answer::Answer;
use crate::cookie;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{self, Form, Problems};
use crate::frame::Frame;
use crate::issuable::form::{day as typed_day, patch};
use crate::issuable::list::Row;
use crate::issuable::parts::own_path;
use crate::pagination::{Pagination, chosen};
use crate::project::frame::{ProjectFrame, Tab};
use crate::project::{Asked, Room, Table};
use crate::words::day;

const FORM: &str = "milestone";

pub(crate) fn routes(table: &mut Table) {
    table.page("/milestones", read_list, list);
    table.post("/milestones", create);
    table.page("/milestones/new", read_new, new);
    table.page("/milestones/{iid}", read_one, show);
    table.page("/milestones/{iid}/edit", read_edit, edit);
    table.put("/milestones/{iid}", update);
    table.delete("/milestones/{iid}", delete);
    table.post("/milestones/{iid}/promote", promote);
}

/// A milestone, as pages show it.
pub(crate) struct Shown {
    pub(crate) title: String,
    pub(crate) href: String,
    /// From when to when, in words.
    pub(crate) days: String,
    pub(crate) is_active: bool,
    pub(crate) is_expired: bool,
    /// The path of the group or project that it is of, where a list has those of several; empty otherwise.
    pub(crate) home: String,
}

impl Shown {
    /// The path of the group or project of the milestone at this address.
    pub(crate) fn home_of(href: &str, root: &str) -> String {
        let path = href.strip_prefix(root).unwrap_or(href);
        let path = path.strip_prefix("/groups").filter(|rest| rest.starts_with('/')).unwrap_or(path);
        let path = path.trim_start_matches('/');
        let home = path.rsplit_once("/milestones/").map_or(path, |(home, _)| home);
        home.trim_end_matches("/-").to_owned()
    }

    /// A milestone whose page is below `project`, or below a group.
    pub(crate) fn new(project: &str, view: &MilestoneView) -> Self {
        let milestone = &view.milestone;
        Self {
            title: milestone.title.clone(),
            href: format!("{project}/milestones/{}", milestone.iid),
            days: match (milestone.start_date.map(day), milestone.due_date.map(day)) {
                (None, None) => String::new(),
                (Some(start), None) => format!("from {start}"),
                (None, Some(due)) => format!("until {due}"),
                (Some(start), Some(due)) => format!("{start} to {due}"),
            },
            is_active: milestone.state == MilestoneState::Active,
            is_expired: view.expired,
            home: String::new(),
        }
    }
}

#[derive(Template)]
#[template(path = "milestone/list.html")]
struct ListPage {
    frame: Frame,
    project: ProjectFrame,
    state: &'static str,
    rows: Vec<Shown>,
    pages: Pagination,
    may_manage: bool,
}

#[derive(Template)]
#[template(path = "milestone/show.html")]
struct ShowPage {
    frame: Frame,
    project: ProjectFrame,
    milestone: Shown,
    /// HTML that is safe: made by the renderer of Markdown.
    description: String,
    contents: Contents,
    may_manage: bool,
    may_promote: bool,
}

#[derive(Template)]
#[template(path = "milestone/form.html")]
struct FormPage {
    frame: Frame,
    project: ProjectFrame,
    /// Where milestones are made.
    href: String,
    /// The number of the milestone that is changed; none for a new one.
    iid: Option<i64>,
    problems: Problems,
    typed: Typed,
}

/// What was typed into the form of a milestone.
#[derive(Default)]
pub(crate) struct Typed {
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) start_date: String,
    pub(crate) due_date: String,
    /// The fields as the page had them at first ([`form::Shown::field`]); empty for a new milestone.
    pub(crate) shown: String,
}

impl Typed {
    pub(crate) fn sent(form: Form<'_>) -> Self {
        Self {
            title: form.text(FORM, "title"),
            description: form.text(FORM, "description"),
            start_date: form.filled(FORM, "start_date").unwrap_or_default(),
            due_date: form.filled(FORM, "due_date").unwrap_or_default(),
            shown: form::Shown::sent(form).field(),
        }
    }

    pub(crate) fn of(milestone: Milestone) -> Self {
        let text = |day: Option<Date>| day.map(|day| day.to_string()).unwrap_or_default();
        let (start_date, due_date) = (text(milestone.start_date), text(milestone.due_date));
        let shown = form::Shown::of([
            ("title", milestone.title.as_str().into()),
            ("description", milestone.description.as_str().into()),
            ("start_date", start_date.as_str().into()),
            ("due_date", due_date.as_str().into()),
        ]);
        let Milestone { title, description, .. } = milestone;
        Self { title, description, start_date, due_date, shown: shown.field() }
    }

    /// A milestone as it was typed; a sentence where it cannot be one.
    pub(crate) fn created(&self) -> Result<CreateMilestone, Problems> {
        let (start_date, due_date) = self.days()?;
        Ok(CreateMilestone {
            title: self.title.clone(),
            description: Some(self.description.clone()),
            start_date,
            due_date,
        })
    }

    /// What was changed in the form, or the state alone; a sentence where it cannot be.
    pub(crate) fn changed(&self, form: Form<'_>) -> Result<EditMilestone, Problems> {
        let (start, due) = self.days()?;
        Ok(EditMilestone {
            title: form.has(FORM, "title").then(|| self.title.clone()),
            description: form.has(FORM, "description").then(|| self.description.clone()),
            start_date: patch(form.has(FORM, "start_date"), start),
            due_date: patch(form.has(FORM, "due_date"), due),
            state_event: match form.text(FORM, "state_event").as_str() {
                "close" => Some(MilestoneEvent::Close),
                "activate" => Some(MilestoneEvent::Activate),
                _ => None,
            },
        })
    }

    /// First and last day; a sentence where one is no day.
    fn days(&self) -> Result<(Option<Date>, Option<Date>), Problems> {
        let start = typed_day(&self.start_date, "start_date", "Start date is not a day, such as 2027-01-31")?;
        Ok((start, typed_day(&self.due_date, "due_date", "Due date is not a day, such as 2027-01-31")?))
    }
}

fn of(asked: &Asked) -> ContainerReference {
    ContainerReference::Project(asked.project.clone())
}

fn read_list(query: &mut Query<'_>, asked: &Asked) -> Result<Page<MilestoneView>, AppError> {
    let (_, active) = wanted_state(asked.query.text("state"));
    let request =
        ListMilestones { active, include_ancestors: false, page: chosen(&asked.query), ..ListMilestones::default() };
    milestone::list(query, &of(asked), request)
}

/// The state that an address asks for, and whether milestones in it are active.
pub(crate) fn wanted_state(asked: Option<&str>) -> (&'static str, Option<bool>) {
    match asked {
        Some("closed") => ("closed", Some(false)),
        Some("all") => ("all", None),
        _ => ("active", Some(true)),
    }
}

async fn list(room: Room, found: Page<MilestoneView>) -> Result<Answer, PageError> {
    let project = ProjectFrame::new(&room.frame.root, &room.page, Tab::Milestones).with_twin("/milestones");
    let (state, _) = wanted_state(room.visit.query("state"));
    Answer::cacheable(&ListPage {
        pages: Pagination::of(&found).with_query(&format!("state={state}")),
        rows: found.items.iter().map(|view| Shown::new(&project.href, view)).collect(),
        may_manage: room.page.may.manage_milestones,
        state,
        project,
        frame: room.frame,
    })
}

/// The milestone of that number in a project or group.
pub(crate) fn find(query: &mut Query<'_>, of: &ContainerReference, iid: i64) -> Result<MilestoneView, AppError> {
    let request = ListMilestones { iids: Some(vec![iid]), ..ListMilestones::default() };
    milestone::list(query, of, request)?.items.pop().ok_or(AppError::NotFound(Missing::Plain))
}

/// What the page of a milestone shows.
struct Found {
    view: MilestoneView,
    description: String,
    contents: contents::Found,
}

fn read_one(query: &mut Query<'_>, asked: &Asked) -> Result<Found, AppError> {
    let of = of(asked);
    let view = find(query, &of, asked.iid()?.get())?;
    let description = markdown::render(query, &view.milestone.description, true, Some(&asked.project))?;
    Ok(Found { description, contents: contents::read(query, &of, &view)?, view })
}

async fn show(room: Room, found: Found) -> Result<Answer, PageError> {
    let twin = format!("/milestones/{}", found.view.milestone.id);
    let project = ProjectFrame::new(&room.frame.root, &room.page, Tab::Milestones).with_twin(&twin);
    let may_manage = room.page.may.manage_milestones;
    let may_promote = may_manage && room.group_where(|may| may.manage_milestones).await?.is_some();
    let base_url = room.visit.app().base_url();
    let row = |view: &IssuableView, is_draft: bool| Row::new(&room.frame, base_url, &project.href, view, is_draft);
    let mut contents = Contents::new(found.contents, row);
    contents.issues = contents.issues.filter(|_| project.has_issues);
    contents.requests = contents.requests.filter(|_| project.has_merge_requests);
    Answer::cacheable(&ShowPage {
        milestone: Shown::new(&project.href, &found.view),
        description: found.description,
        contents,
        may_manage,
        may_promote,
        project,
        frame: room.frame,
    })
}

fn read_new(query: &mut Query<'_>, _: &Asked) -> Result<(), AppError> {
    query.user().map(drop)
}

async fn new(room: Room, (): ()) -> Result<Answer, PageError> {
    if !room.page.may.manage_milestones {
        return Err(PageError::Status(StatusCode::FORBIDDEN, None));
    }
    form(room, None, Typed::default(), Problems::default())
}

fn read_edit(query: &mut Query<'_>, asked: &Asked) -> Result<MilestoneView, AppError> {
    query.user()?;
    find(query, &of(asked), asked.iid()?.get())
}

async fn edit(room: Room, found: MilestoneView) -> Result<Answer, PageError> {
    if !room.page.may.manage_milestones {
        return Err(PageError::Status(StatusCode::FORBIDDEN, None));
    }
    form(room, Some(found.milestone.iid.get()), Typed::of(found.milestone), Problems::default())
}

async fn create(room: Room) -> Result<Answer, PageError> {
    let typed = Typed::sent(room.visit.form());
    let request = match typed.created() {
        Ok(request) => request,
        Err(problems) => return refused(room, None, typed, problems),
    };
    let of = of(&room.asked);
    match room.visit.write(move |command| milestone::create(command, &of, request)).await {
        Ok(view) => Ok(room.done(&format!("/milestones/{}", view.milestone.iid))),
        Err(error) => refused(room, None, typed, Problems::of(error)?),
    }
}

async fn update(room: Room) -> Result<Answer, PageError> {
    let (of, iid) = (of(&room.asked), room.asked.iid()?.get());
    let shown = form::Shown::sent(room.visit.form());
    let form = room.visit.form().changed(&shown);
    let typed = Typed::sent(form);
    let request = match typed.changed(form) {
        Ok(request) => request,
        Err(problems) => return refused(room, Some(iid), typed, problems),
    };
    let written = room.visit.write(move |command| {
        let id = find(&mut command.query(), &of, iid)?.milestone.id;
        milestone::edit(command, &of, id, request)
    });
    match written.await {
        Ok(view) => Ok(room.done(&format!("/milestones/{}", view.milestone.iid))),
        Err(error) => refused(room, Some(iid), typed, Problems::of(error)?),
    }
}

/// Makes a milestone one of the group. Those of the same title in other projects of the group become it.
async fn promote(room: Room) -> Result<Answer, PageError> {
    let (project, of, iid) = (room.project(), of(&room.asked), room.asked.iid()?.get());
    let written = room.visit.write(move |command| {
        let id = find(&mut command.query(), &of, iid)?.milestone.id;
        milestone::promote(command, &project, id)
    });
    let view = written.await?;
    let there = own_path(&room.frame.root, room.visit.app().base_url(), &view.web_url);
    Ok(Answer::done(&there).cookie(cookie::of_flash(Flash::MilestonePromoted)))
}

async fn delete(room: Room) -> Result<Answer, PageError> {
    let (of, iid) = (of(&room.asked), room.asked.iid()?.get());
    room.visit
        .write(move |command| {
            let id = find(&mut command.query(), &of, iid)?.milestone.id;
            milestone::delete(command, &of, id, None)
        })
        .await?;
    Ok(room.done("/milestones").cookie(cookie::of_flash(Flash::MilestoneRemoved)))
}

fn refused(room: Room, iid: Option<i64>, typed: Typed, problems: Problems) -> Result<Answer, PageError> {
    Ok(form(room, iid, typed, problems)?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

fn form(room: Room, iid: Option<i64>, typed: Typed, problems: Problems) -> Result<Answer, PageError> {
    let project = ProjectFrame::new(&room.frame.root, &room.page, Tab::Milestones).with_twin("/milestones");
    let href = format!("{}/milestones", project.href);
    Answer::page(&FormPage { href, iid, problems, typed, project, frame: room.frame })
}
