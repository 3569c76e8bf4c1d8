//! The labels of a project, and what the pages of a group's labels have in common with theirs.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::{AppError, Missing};
use tenon_app::label::{self, CreateLabel, EditLabel, LabelReference, LabelView, ListLabels};
use tenon_app::{Command, ContainerReference, Query};
use tenon_domain::issuable::IssuableKind;
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
use crate::issuable::list::list_of;
use crate::issuable::parts::LabelBadge;
use crate::pagination::{Pagination, chosen};
use crate::parameters::Parameters;
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
    table.post("/labels/{id}/promote", promote);
}

/// A label in the list.
pub(crate) struct Row {
    pub(crate) id: i64,
    pub(crate) badge: LabelBadge,
    /// Lists of what carries it: the address of each, and how much is in it.
    pub(crate) counts: Vec<(String, String)>,
    /// Whether it belongs to what the list is about, and not to a group above.
    pub(crate) is_own: bool,
    pub(crate) priority: Option<i64>,
    pub(crate) is_followed: bool,
}

/// A list of labels, ready for its page.
pub(crate) struct Listed {
    /// Where labels are made.
    pub(crate) href: String,
    pub(crate) search: String,
    pub(crate) rows: Vec<Row>,
    pub(crate) pages: Pagination,
    pub(crate) may_manage: bool,
    /// Whether those of a project can be made labels of its group.
    pub(crate) may_promote: bool,
}

impl Listed {
    /// The labels of a project or group whose pages begin with `home`, which has lists of these kinds.
    pub(crate) fn new(home: &str, lists: &[IssuableKind], found: Page<LabelView>, asked: &Parameters) -> Self {
        let search = asked.words("search").unwrap_or_default();
        let query = if search.is_empty() { String::new() } else { format!("search={}", in_query(&search)) };
        let pages = Pagination::of(&found).with_query(&query);
        let row = |view: LabelView| {
            let label = &view.label;
            let badge = |list| {
                LabelBadge::new(home, list, &label.name, &label.color, label.description.as_deref().unwrap_or_default())
            };
            let count = |kind: &IssuableKind| {
                let words = match kind {
                    IssuableKind::Issue => count(view.open_issues, "open issue", "open issues"),
                    IssuableKind::MergeRequest => {
                        count(view.open_merge_requests, "open merge request", "open merge requests")
                    }
                };
                (badge(list_of(*kind)).href, words)
            };
            Row {
                id: label.id.get(),
                badge: badge("issues"),
                counts: lists.iter().map(count).collect(),
                is_own: view.is_project_label,
                priority: view.priority,
                is_followed: view.subscribed,
            }
        };
        let rows = found.items.into_iter().map(row).collect();
        Self { href: format!("{home}/labels"), search, rows, pages, may_manage: false, may_promote: false }
    }
}

#[derive(Template)]
#[template(path = "label/list.html")]
struct ListPage {
    frame: Frame,
    project: ProjectFrame,
    listed: Listed,
}

#[derive(Template)]
#[template(path = "label/form.html")]
struct FormPage {
    frame: Frame,
    project: ProjectFrame,
    /// Where labels are made.
    href: String,
    /// The label that is changed; none for a new one.
    id: Option<i64>,
    problems: Problems,
    typed: Typed,
}

/// What was typed into the form of a label.
pub(crate) struct Typed {
    pub(crate) title: String,
    pub(crate) color: String,
    pub(crate) description: String,
    pub(crate) priority: String,
    /// Whether there is a field for the rank, which labels have in projects.
    pub(crate) has_priority: bool,
    /// The fields as the page had them at first ([`Shown::field`]); empty for a new label.
    pub(crate) shown: String,
}

impl Typed {
    /// The form of a new label.
    pub(crate) fn new(asked: &Parameters) -> Self {
        Self {
            title: asked.words("title").unwrap_or_default(),
            color: DEFAULT_COLOR.to_owned(),
            description: String::new(),
            priority: String::new(),
            has_priority: true,
            shown: String::new(),
        }
    }

    pub(crate) fn sent(form: Form<'_>) -> Self {
        Self {
            title: form.filled(FORM, "title").unwrap_or_default(),
            color: form.filled(FORM, "color").unwrap_or_default(),
            description: form.filled(FORM, "description").unwrap_or_default(),
            priority: form.filled(FORM, "priority").unwrap_or_default(),
            has_priority: true,
            shown: Shown::sent(form).field(),
        }
    }

    pub(crate) fn of(view: LabelView) -> Self {
        let LabelView { label, priority, .. } = view;
        let description = label.description.unwrap_or_default();
        let priority = priority.map(|rank| rank.to_string()).unwrap_or_default();
        let shown = Shown::of([
            ("title", label.name.as_str().into()),
            ("color", label.color.as_str().into()),
            ("description", description.as_str().into()),
            ("priority", priority.as_str().into()),
        ]);
        Self { title: label.name, color: label.color, description, priority, has_priority: true, shown: shown.field() }
    }

    /// The same without a field for the rank.
    pub(crate) fn without_priority(self) -> Self {
        Self { has_priority: false, ..self }
    }

    /// A label as it was typed; a sentence where it cannot be one.
    pub(crate) fn created(&self) -> Result<CreateLabel, Problems> {
        Ok(CreateLabel {
            name: self.title.clone(),
            color: self.color.clone(),
            description: Some(self.description.clone()),
            priority: self.rank()?,
        })
    }

    /// What was changed in the form; a sentence where it cannot be.
    pub(crate) fn changed(&self, form: Form<'_>) -> Result<EditLabel, Problems> {
        let given = |field: &str, text: &str| form.has(FORM, field).then(|| text.to_owned());
        Ok(EditLabel {
            new_name: given("title", &self.title),
            color: given("color", &self.color),
            description: given("description", &self.description),
            priority: patch(form.has(FORM, "priority"), self.rank()?),
        })
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

/// As use cases name a label of this id.
pub(crate) fn reference(id: i64) -> LabelReference {
    LabelReference(id.to_string())
}

/// The label of that id. Names that are numbers are not meant.
pub(crate) fn find(query: &mut Query<'_>, of: &ContainerReference, id: i64) -> Result<LabelView, AppError> {
    let view = label::show(query, of, &reference(id))?;
    if view.label.id.get() == id { Ok(view) } else { Err(AppError::NotFound(Missing::Plain)) }
}

/// The labels that a list asks for.
pub(crate) fn wanted(asked: &Parameters) -> ListLabels {
    ListLabels { search: asked.words("search"), only_own: false, page: chosen(asked) }
}

/// Subscribes the caller to a label, or ends the subscription.
pub(crate) fn toggle(command: &mut Command<'_>, of: &ContainerReference, id: i64) -> Result<(), AppError> {
    find(&mut command.query(), of, id)?;
    if let Transition::Stayed(_) = label::subscribe(command, of, &reference(id))? {
        label::unsubscribe(command, of, &reference(id))?;
    }
    Ok(())
}

fn read_list(query: &mut Query<'_>, asked: &Asked) -> Result<Page<LabelView>, AppError> {
    label::list(query, &of(asked), &wanted(&asked.query))
}

async fn list(room: Room, found: Page<LabelView>) -> Result<Answer, PageError> {
    let project = ProjectFrame::new(&room.frame.root, &room.page, Tab::Labels).with_twin("/labels");
    let lists = [(IssuableKind::Issue, project.has_issues), (IssuableKind::MergeRequest, project.has_merge_requests)];
    let lists: Vec<IssuableKind> = lists.into_iter().filter_map(|(kind, has)| has.then_some(kind)).collect();
    let listed = Listed::new(&project.href, &lists, found, room.visit.parameters());
    let may_manage = room.page.may.manage_labels;
    let may_promote = may_manage && room.group_where(|may| may.manage_labels).await?.is_some();
    let listed = Listed { may_manage, may_promote, ..listed };
    Answer::cacheable(&ListPage { frame: room.frame, project, listed })
}

fn read_new(query: &mut Query<'_>, _: &Asked) -> Result<(), AppError> {
    query.user().map(drop)
}

async fn new(room: Room, (): ()) -> Result<Answer, PageError> {
    if !room.page.may.manage_labels {
        return Err(PageError::Status(StatusCode::FORBIDDEN, None));
    }
    let typed = Typed::new(room.visit.parameters());
    form(room, None, typed, Problems::default())
}

fn read_edit(query: &mut Query<'_>, asked: &Asked) -> Result<LabelView, AppError> {
    query.user()?;
    find(query, &of(asked), asked.number("id")?)
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
    let request = match typed.created() {
        Ok(request) => request,
        Err(problems) => return refused(room, None, typed, problems),
    };
    let of = of(&room.asked);
    match room.visit.write(move |command| label::create(command, &of, request)).await {
        Ok(_) => Ok(room.done("/labels").cookie(cookie::of_flash(Flash::LabelSaved))),
        Err(error) => refused(room, None, typed, Problems::of(error)?),
    }
}

async fn update(room: Room) -> Result<Answer, PageError> {
    let (of, id) = (of(&room.asked), room.asked.number("id")?);
    let shown = Shown::sent(room.visit.form());
    let form = room.visit.form().changed(&shown);
    let typed = Typed::sent(form);
    let request = match typed.changed(form) {
        Ok(request) => request,
        Err(problems) => return refused(room, Some(id), typed, problems),
    };
    let written = room.visit.write(move |command| {
        find(&mut command.query(), &of, id)?;
        label::edit(command, &of, &reference(id), request)
    });
    match written.await {
        Ok(_) => Ok(room.done("/labels").cookie(cookie::of_flash(Flash::LabelSaved))),
        Err(error) => refused(room, Some(id), typed, Problems::of(error)?),
    }
}

async fn delete(room: Room) -> Result<Answer, PageError> {
    let (of, id) = (of(&room.asked), room.asked.number("id")?);
    room.visit
        .write(move |command| {
            find(&mut command.query(), &of, id)?;
            label::delete(command, &of, &reference(id))
        })
        .await?;
    Ok(room.done("/labels").cookie(cookie::of_flash(Flash::LabelRemoved)))
}

/// Makes a label one of the group. Those of the same name in other projects of the group become it.
async fn promote(room: Room) -> Result<Answer, PageError> {
    let (project, id) = (room.project(), room.asked.number("id")?);
    let of = of(&room.asked);
    room.visit
        .write(move |command| {
            find(&mut command.query(), &of, id)?;
            label::promote(command, &project, &reference(id))
        })
        .await?;
    Ok(room.done("/labels").cookie(cookie::of_flash(Flash::LabelPromoted)))
}

async fn toggle_subscription(room: Room) -> Result<Answer, PageError> {
    let (of, id) = (of(&room.asked), room.asked.number("id")?);
    room.visit.write(move |command| toggle(command, &of, id)).await?;
    Ok(room.done("/labels"))
}

fn refused(room: Room, id: Option<i64>, typed: Typed, problems: Problems) -> Result<Answer, PageError> {
    Ok(form(room, id, typed, problems)?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

fn form(room: Room, id: Option<i64>, typed: Typed, problems: Problems) -> Result<Answer, PageError> {
    let project = ProjectFrame::new(&room.frame.root, &room.page, Tab::Labels).with_twin("/labels");
    let href = format!("{}/labels", project.href);
    Answer::page(&FormPage { href, id, problems, typed, project, frame: room.frame })
}
