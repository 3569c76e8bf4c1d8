//! The lists of users of a project, for strategies of feature flags.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::Query;
use tenon_app::error::AppError;
use tenon_app::feature_flag::{self, UserListChange};
use tenon_domain::feature_flag::UserList;
use tenon_domain::id::Iid;
use tenon_domain::page::Page;

use crate::context::frame::Frame;
use crate::context::project::{ProjectContext, ProjectRequest};
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::form::{Form, OriginalValues};
use crate::kit::pagination::{Pagination, chosen};
use crate::kit::problems::Problems;
use crate::table::project::ProjectTable;

const ADDRESS: &str = "/feature_flags_user_lists";
const FORM: &str = "user_list";

pub(crate) fn routes(table: &mut ProjectTable) {
    table.page(ADDRESS, read_list, list);
    table.post(ADDRESS, create);
    table.page("/feature_flags_user_lists/{id}/edit", read_one, edit);
    table.put("/feature_flags_user_lists/{id}", update);
    table.delete("/feature_flags_user_lists/{id}", delete);
}

struct Row {
    iid: i64,
    name: String,
    users: usize,
}

/// The values of the form of a list.
#[derive(Default)]
struct FormValues {
    /// The number of the list that is changed. None for a new one.
    iid: Option<i64>,
    name: String,
    users: String,
    /// The fields as the page had them at first ([`OriginalValues::field`]). Empty for a new list.
    shown: String,
}

impl FormValues {
    fn of(list: UserList) -> Self {
        let shown =
            OriginalValues::of([("name", list.name.as_str().into()), ("user_xids", list.users.as_str().into())]);
        Self { iid: Some(list.iid.get()), name: list.name, users: list.users, shown: shown.field() }
    }

    /// The form of a list, new if there is no number, as it was sent.
    fn sent(iid: Option<i64>, form: Form<'_>) -> Self {
        Self {
            iid,
            name: form.text(FORM, "name"),
            users: form.text(FORM, "user_xids"),
            shown: OriginalValues::sent(form).field(),
        }
    }
}

/// The fields that a form has.
fn changed(form: Form<'_>) -> UserListChange {
    let text = |field: &str| form.has(FORM, field).then(|| form.text(FORM, field).trim().to_owned());
    UserListChange { name: text("name"), users: text("user_xids") }
}

#[derive(Template)]
#[template(path = "feature_flag/user_lists.html")]
struct ListPage {
    frame: Frame,
    project: ProjectFrame,
    /// The address of the list.
    href: String,
    rows: Vec<Row>,
    pages: Pagination,
    typed: FormValues,
    problems: Problems,
    may_manage: bool,
}

#[derive(Template)]
#[template(path = "feature_flag/user_list.html")]
struct EditPage {
    frame: Frame,
    project: ProjectFrame,
    /// The address of the list.
    href: String,
    typed: FormValues,
    problems: Problems,
}

fn iid(asked: &ProjectRequest) -> Result<Iid, AppError> {
    asked.number("id").map(Iid::new)
}

fn frame(context: &ProjectContext) -> ProjectFrame {
    ProjectFrame::new(&context.frame.root, &context.page, Tab::Pipelines).with_api_path(ADDRESS)
}

fn read_list(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<Page<UserList>, AppError> {
    query.user()?;
    feature_flag::user_lists(query, &asked.project, None, chosen(&asked.query))
}

async fn list(context: ProjectContext, found: Page<UserList>) -> Result<Answer, PageError> {
    present_list(context, found, FormValues::default(), Problems::default())
}

fn present_list(
    context: ProjectContext,
    found: Page<UserList>,
    typed: FormValues,
    problems: Problems,
) -> Result<Answer, PageError> {
    let (project, may_manage) = (frame(&context), context.page.may.manage_feature_flags);
    let href = format!("{}{ADDRESS}", project.href);
    let pages = Pagination::of(&found).at(&href);
    let row = |list: UserList| Row {
        iid: list.iid.get(),
        name: list.name,
        users: list.users.split(',').filter(|user| !user.trim().is_empty()).count(),
    };
    let rows = found.items.into_iter().map(row).collect();
    Answer::page(&ListPage { frame: context.frame, project, href, rows, pages, typed, problems, may_manage })
}

async fn create(context: ProjectContext) -> Result<Answer, PageError> {
    let (project, change) = (context.project(), changed(context.request.form()));
    match context.request.write(move |command| feature_flag::create_user_list(command, &project, change)).await {
        Ok(_) => Ok(context.done(ADDRESS).cookie(cookie::of_flash(Flash::UserListSaved))),
        Err(error) => {
            let (typed, problems) = (FormValues::sent(None, context.request.form()), Problems::of(error)?);
            let asked = context.asked.clone();
            let (frame, found) = context.request.read(move |query| read_list(query, &asked)).await?;
            let page = present_list(ProjectContext { frame, ..context }, found, typed, problems)?;
            Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

fn read_one(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<UserList, AppError> {
    query.user()?;
    feature_flag::show_user_list(query, &asked.project, iid(asked)?)
}

async fn edit(context: ProjectContext, found: UserList) -> Result<Answer, PageError> {
    if !context.page.may.manage_feature_flags {
        return Err(PageError::Status(StatusCode::FORBIDDEN, None));
    }
    present(context, FormValues::of(found), Problems::default())
}

fn present(context: ProjectContext, typed: FormValues, problems: Problems) -> Result<Answer, PageError> {
    let project = frame(&context);
    let href = format!("{}{ADDRESS}", project.href);
    Answer::page(&EditPage { frame: context.frame, project, href, typed, problems })
}

async fn update(context: ProjectContext) -> Result<Answer, PageError> {
    let (project, iid) = (context.project(), iid(&context.asked)?);
    let shown = OriginalValues::sent(context.request.form());
    let change = changed(context.request.form().changed(&shown));
    match context.request.write(move |command| feature_flag::edit_user_list(command, &project, iid, change)).await {
        Ok(_) => Ok(context.done(ADDRESS).cookie(cookie::of_flash(Flash::UserListSaved))),
        Err(error) => {
            let typed = FormValues::sent(Some(iid.get()), context.request.form());
            Ok(present(context, typed, Problems::of(error)?)?.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

/// Removes a list. One that a strategy names stays, and the page says so.
async fn delete(context: ProjectContext) -> Result<Answer, PageError> {
    let (project, iid) = (context.project(), iid(&context.asked)?);
    let deleted = context.request.write(move |command| feature_flag::delete_user_list(command, &project, iid, None));
    match deleted.await {
        Ok(()) => Ok(context.done(ADDRESS).cookie(cookie::of_flash(Flash::UserListDeleted))),
        Err(error) => {
            let problems = Problems::of(error)?;
            let asked = context.asked.clone();
            let (frame, found) = context.request.read(move |query| read_list(query, &asked)).await?;
            let context = ProjectContext { frame, ..context };
            let page = present_list(context, found, FormValues::default(), problems)?;
            Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}
