//! The labels of a project.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::{AppError, Missing};
use tenon_app::label::{self, CreateLabel, EditLabel, LabelReference, LabelView, ListLabels};
use tenon_app::{ContainerReference, Query};
use tenon_domain::label::DEFAULT_COLOR;
use tenon_domain::page::Page;
use tenon_domain::transition::Transition;

use crate::answer::Answer;
use crate::cookie;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Form, Problems, Shown};
use crate::frame::Frame;
use crate::issuable::form::patch;
use crate::issuable::parts::LabelBadge;
use crate::pagination::{Pagination, chosen};
use crate::place::in_query;
use crate::project::frame::{ProjectFrame, Tab};
use crate::project::{Asked, Room, Table};
use crate::words::count;

const FORM: &str = "label";

pub(crate) fn routes(table: &mut Table) {
    table.page("/labels", read_list, list);
    table.post("/labels", create);
    table.page("/labels/new", read_new, new);
    table.page("/labels/{id}/edit", read_edit, edit);
    table.put("/labels/{id}", update);
    table.delete("/labels/{id}", delete);
    table.post("/labels/{id}/toggle_subscription", toggle_subscription);
}

/// A label in the list.
struct Row {
    id: i64,
    badge: LabelBadge,
    issues: String,
    issues_href: String,
    requests: String,
    requests_href: String,
    /// Whether it is the project's own, and not one of a group above.
    is_own: bool,
    priority: Option<i64>,
    is_followed: bool,
}

#[derive(Template)]
#[template(path = "label/list.html")]
struct ListPage {
    frame: Frame,
    project: ProjectFrame,
    search: String,
    rows: Vec<Row>,
    pages: Pagination,
    may_manage: bool,
    is_signed_in: bool,
}

#[derive(Template)]
#[template(path = "label/form.html")]
struct FormPage {
    frame: Frame,
    project: ProjectFrame,
    /// The label that is changed; none for a new one.
    id: Option<i64>,
    problems: Problems,
    typed: Typed,
}

struct Typed {
    title: String,
    color: String,
    description: String,
    priority: String,
    /// The fields as the page had them at first ([`Shown::field`]); empty for a new label.
    shown: String,
}

impl Typed {
    fn sent(form: Form<'_>) -> Self {
        Self {
            title: form.filled(FORM, "title").unwrap_or_default(),
            color: form.filled(FORM, "color").unwrap_or_default(),
            description: form.filled(FORM, "description").unwrap_or_default(),
            priority: form.filled(FORM, "priority").unwrap_or_default(),
            shown: Shown::sent(form).field(),
        }
    }

    fn of(view: LabelView) -> Self {
        let description = view.label.description.unwrap_or_default();
        let priority = view.priority.map(|rank| rank.to_string()).unwrap_or_default();
        let shown = Shown::of([
            ("title", view.label.name.as_str().into()),
            ("color", view.label.color.as_str().into()),
            ("description", description.as_str().into()),
            ("priority", priority.as_str().into()),
        ]);
        Self { title: view.label.name, color: view.label.color, description, priority, shown: shown.field() }
    }

    /// The rank; a sentence where it is no number.
    fn rank(&self) -> Result<Option<i64>, Problems> {
        match self.priority.as_str() {
            "" => Ok(None),
            text => text.parse().map(Some).map_err(|_no_number| Problems::with("priority", "Priority is not a number")),
        }
    }
}

fn of(asked: &Asked) -> ContainerReference {
    ContainerReference::Project(asked.project.clone())
}

/// A label by its id alone: a label may be named by a number.
fn reference(asked: &Asked) -> Result<LabelReference, AppError> {
    Ok(LabelReference(asked.number("id")?.to_string()))
}

/// The label of that id. Names that are numbers are not meant.
fn find(query: &mut Query<'_>, asked: &Asked) -> Result<LabelView, AppError> {
    let view = label::show(query, &of(asked), &reference(asked)?)?;
    if view.label.id.get() == asked.number("id")? { Ok(view) } else { Err(AppError::NotFound(Missing::Plain)) }
}

fn read_list(query: &mut Query<'_>, asked: &Asked) -> Result<Page<LabelView>, AppError> {
    let request = ListLabels { search: asked.query.words("search"), only_own: false, page: chosen(&asked.query) };
    label::list(query, &of(asked), &request)
}

async fn list(room: Room, found: Page<LabelView>) -> Result<Answer, PageError> {
    let project = ProjectFrame::new(&room.frame.root, &room.page, Tab::Labels).with_twin("/labels");
    let search = room.visit.parameters().words("search").unwrap_or_default();
    let query = if search.is_empty() { String::new() } else { format!("search={}", in_query(&search)) };
    let pages = Pagination::of(&found).with_query(&query);
    let row = |view: LabelView| {
        let (label, name) = (&view.label, in_query(&view.label.name));
        let description = label.description.as_deref().unwrap_or_default();
        Row {
            id: label.id.get(),
            badge: LabelBadge::new(&project.href, "issues", &label.name, &label.color, description),
            issues: count(view.open_issues, "open issue", "open issues"),
            issues_href: format!("{}/issues?label_name[]={name}", project.href),
            requests: count(view.open_merge_requests, "open merge request", "open merge requests"),
            requests_href: format!("{}/merge_requests?label_name[]={name}", project.href),
            is_own: view.is_project_label,
            priority: view.priority,
            is_followed: view.subscribed,
        }
    };
    Answer::cacheable(&ListPage {
        rows: found.items.into_iter().map(row).collect(),
        may_manage: room.page.may.manage_labels,
        is_signed_in: room.frame.user.is_some(),
        search,
        pages,
        project,
        frame: room.frame,
    })
}

fn read_new(query: &mut Query<'_>, _: &Asked) -> Result<(), AppError> {
    query.user().map(drop)
}

async fn new(room: Room, (): ()) -> Result<Answer, PageError> {
    if !room.page.may.manage_labels {
        return Err(PageError::Status(StatusCode::FORBIDDEN, None));
    }
    let typed = Typed {
        title: room.visit.parameters().words("title").unwrap_or_default(),
        color: DEFAULT_COLOR.to_owned(),
        description: String::new(),
        priority: String::new(),
        shown: String::new(),
    };
    form(room, None, typed, Problems::default())
}

fn read_edit(query: &mut Query<'_>, asked: &Asked) -> Result<LabelView, AppError> {
    query.user()?;
    find(query, asked)
}

/// The form of a label of the project's own. 403 for those of groups, which are changed there.
async fn edit(room: Room, found: LabelView) -> Result<Answer, PageError> {
    if !room.page.may.manage_labels || !found.is_project_label {
        return Err(PageError::Status(StatusCode::FORBIDDEN, None));
    }
    form(room, Some(found.label.id.get()), Typed::of(found), Problems::default())
}

async fn create(room: Room) -> Result<Answer, PageError> {
    let typed = Typed::sent(room.visit.form());
    let priority = match typed.rank() {
        Ok(rank) => rank,
        Err(problems) => return refused(room, None, typed, problems),
    };
    let request = CreateLabel {
        name: typed.title.clone(),
        color: typed.color.clone(),
        description: Some(typed.description.clone()),
        priority,
    };
    let of = of(&room.asked);
    match room.visit.write(move |command| label::create(command, &of, request)).await {
        Ok(_) => Ok(room.done("/labels").cookie(cookie::of_flash(Flash::LabelSaved))),
        Err(error) => refused(room, None, typed, Problems::of(error)?),
    }
}

async fn update(room: Room) -> Result<Answer, PageError> {
    let id = room.asked.number("id")?;
    let shown = Shown::sent(room.visit.form());
    let form = room.visit.form().changed(&shown);
    let typed = Typed::sent(form);
    let priority = match typed.rank() {
        Ok(rank) => patch(form.has(FORM, "priority"), rank),
        Err(problems) => return refused(room, Some(id), typed, problems),
    };
    let given = |field: &str, text: &str| form.has(FORM, field).then(|| text.to_owned());
    let request = EditLabel {
        new_name: given("title", &typed.title),
        color: given("color", &typed.color),
        description: given("description", &typed.description),
        priority,
    };
    let asked = room.asked.clone();
    let written = room.visit.write(move |command| {
        find(&mut command.query(), &asked)?;
        label::edit(command, &of(&asked), &reference(&asked)?, request)
    });
    match written.await {
        Ok(_) => Ok(room.done("/labels").cookie(cookie::of_flash(Flash::LabelSaved))),
        Err(error) => refused(room, Some(id), typed, Problems::of(error)?),
    }
}

async fn delete(room: Room) -> Result<Answer, PageError> {
    let asked = room.asked.clone();
    room.visit
        .write(move |command| {
            find(&mut command.query(), &asked)?;
            label::delete(command, &of(&asked), &reference(&asked)?)
        })
        .await?;
    Ok(room.done("/labels").cookie(cookie::of_flash(Flash::LabelRemoved)))
}

async fn toggle_subscription(room: Room) -> Result<Answer, PageError> {
    let asked = room.asked.clone();
    room.visit
        .write(move |command| {
            find(&mut command.query(), &asked)?;
            let (of, label) = (of(&asked), reference(&asked)?);
            if let Transition::Stayed(_) = label::subscribe(command, &of, &label)? {
                label::unsubscribe(command, &of, &label)?;
            }
            Ok(())
        })
        .await?;
    Ok(room.done("/labels"))
}

fn refused(room: Room, id: Option<i64>, typed: Typed, problems: Problems) -> Result<Answer, PageError> {
    Ok(form(room, id, typed, problems)?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

fn form(room: Room, id: Option<i64>, typed: Typed, problems: Problems) -> Result<Answer, PageError> {
    let project = ProjectFrame::new(&room.frame.root, &room.page, Tab::Labels).with_twin("/labels");
    Answer::page(&FormPage { id, problems, typed, project, frame: room.frame })
}
