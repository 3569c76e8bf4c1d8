//! Opening and changing merge requests.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::issuable::{self, IssuableView, Sender};
use tenon_app::merge_request::{self, CreateMergeRequest, EditMergeRequest};
use tenon_app::project::ProjectBrief;
use tenon_app::repository::{self, BranchView, ListBranches};
use tenon_app::template::DescriptionKind;
use tenon_app::user::UserRef;
use tenon_app::{PageRequest, Query, Reference};
use tenon_domain::id::ProjectId;
use tenon_domain::merge_request::SquashOption;
use tenon_domain::page::Page;
use tenon_domain::patch::Patch;
use tenon_domain::project::setting::{MR_DEFAULT_TARGET_SELF, REMOVE_SOURCE_BRANCH_AFTER_MERGE};
use tenon_domain::quick_action::extract;

use super::compared::Compared;
use super::show::reference;
use crate::context::frame::Frame;
use crate::context::project::{ProjectContext, ProjectRequest};
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::answer::Answer;
use crate::kit::choice::Choice;
use crate::kit::error::{PageError, permitted};
use crate::kit::form::{Form, OriginalValues};
use crate::kit::problems::Problems;
use crate::parts::issuable::form::{CHANGED_SINCE, Choices, FormValues, people_change};
use crate::parts::issuable::list::{Offered, offered};
use crate::parts::issuable::note::event;
use crate::parts::issuable::template::{template_text, templates};

const FORM: &str = "merge_request";

#[derive(Template)]
#[template(path = "merge_request/form.html")]
struct FormPage {
    frame: Frame,
    project: ProjectFrame,
    /// The number of the merge request that is changed. None for a new one.
    iid: Option<i64>,
    problems: Problems,
    typed: FormValues,
    source: String,
    /// Branches that are offered, for a new one.
    sources: Vec<Choice>,
    /// The number of branches, if not all of them are offered.
    more_sources: Option<i64>,
    /// Branches that are offered as the target, for a new one.
    target_branches: Vec<Choice>,
    /// The number of them, if not all are offered, and the address that searches them.
    more_targets: Option<i64>,
    target_search: String,
    /// Projects that can be the target, if there are several.
    targets: Vec<Choice>,
    choices: Choices,
    may_triage: bool,
    templates: Vec<Choice>,
    /// The rendered description: safe HTML, made by the renderer of Markdown.
    preview: Option<String>,
    /// The commits and changes that a new one brings.
    compared: Option<Compared>,
}

/// The data of the form.
pub(super) struct PageData {
    offered: Offered,
    /// The merge request that is changed. True if the caller may set all of its fields.
    request: Option<(Box<IssuableView>, bool)>,
    /// The reviewers of the merge request.
    reviewers: Vec<UserRef>,
    /// The values that the form has at first.
    typed: FormValues,
}

/// The branches and the target project, as a form or an address names them.
struct Between {
    source: String,
    target_project: Option<ProjectId>,
}

impl Between {
    fn of(form: Form<'_>) -> Self {
        let target = form.filled(FORM, "target_project_id").and_then(|text| text.parse().ok());
        Self {
            source: form.filled(FORM, "source_branch").unwrap_or_default(),
            target_project: target.map(ProjectId::new),
        }
    }
}

pub(super) fn read_new(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<PageData, AppError> {
    query.user()?;
    let typed = FormValues::prefilled(&asked.query, FORM);
    Ok(PageData { offered: offered(query, &asked.project)?, request: None, reviewers: Vec::new(), typed })
}

/// The form of a new merge request, filled with the values in the address. 403 if the caller may not push to the
/// project.
pub(super) async fn new(context: ProjectContext, found: PageData) -> Result<Answer, PageError> {
    if !context.page.may_push {
        return Err(PageError::Status(StatusCode::FORBIDDEN, None));
    }
    let mut typed = found.typed.clone();
    let between = Between::of(Form::new(context.request.parameters().map()));
    if typed.title.is_empty() {
        typed.title = in_words(&between.source);
    }
    if typed.description.is_empty() {
        let target = target_of(&context, &between);
        typed.description = template_text(&context, target, DescriptionKind::MergeRequest).await?;
    }
    preset(&context, &between, &mut typed);
    form(context, found, typed, between, Problems::default(), None).await
}

/// The project that gets the merge request, and whose templates are offered.
fn target_of(context: &ProjectContext, between: &Between) -> Reference {
    let usual = usual_target(context).project.id;
    Reference::Id(between.target_project.unwrap_or(usual).get())
}

/// The project that gets merge requests unless another is chosen: of a fork its source, if the fork does not prefer itself.
fn usual_target(context: &ProjectContext) -> &ProjectBrief {
    let view = &context.page.view;
    let prefers_itself = view.brief.project.settings.is_on(&MR_DEFAULT_TARGET_SELF);
    view.forked_from.as_deref().filter(|_| !prefers_itself).unwrap_or(&view.brief)
}

/// Ticks the boxes that the settings of the projects tick at first.
fn preset(context: &ProjectContext, between: &Between, typed: &mut FormValues) {
    let view = &context.page.view;
    let target = between.target_project.unwrap_or(usual_target(context).project.id);
    let upstream = view.forked_from.as_deref().filter(|upstream| upstream.project.id == target);
    typed.squash |= SquashOption::of(&upstream.unwrap_or(&view.brief).project).initial(None);
    typed.remove_source_branch |= view.brief.project.settings.is_on(&REMOVE_SOURCE_BRANCH_AFTER_MERGE);
}

/// The name of a branch as a title.
fn in_words(branch: &str) -> String {
    let name = branch.rsplit('/').next().unwrap_or_default().replace(['-', '_'], " ");
    let mut letters = name.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

pub(super) fn read_edit(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<PageData, AppError> {
    query.user()?;
    let of = reference(&asked.project, asked.iid()?);
    let page = issuable::page(query, &of)?;
    if !page.may.edit {
        return Err(AppError::Forbidden);
    }
    let found = merge_request::page(query, &of)?;
    let request = &found.view.request;
    let typed = FormValues {
        target_branch: request.target_branch.clone(),
        squash: request.squash,
        remove_source_branch: request.force_remove_source_branch,
        reviewers: found.view.reviewers.iter().map(|user| user.id.to_string()).collect(),
        ..FormValues::of(&page.view)
    };
    let offered = offered(query, &asked.project)?;
    Ok(PageData {
        offered,
        request: Some((Box::new(page.view), page.may.triage)),
        reviewers: found.view.reviewers,
        typed,
    })
}

pub(super) async fn edit(context: ProjectContext, found: PageData) -> Result<Answer, PageError> {
    let typed = found.typed.clone().with_shown();
    let between = Between { source: String::new(), target_project: None };
    form(context, found, typed, between, Problems::default(), None).await
}

pub(super) async fn create(context: ProjectContext) -> Result<Answer, PageError> {
    let sent = context.request.form();
    let (typed, between) = (FormValues::sent(sent, FORM), Between::of(sent));
    match sent.text("", "action").as_str() {
        "preview" => return Box::pin(preview(context, typed, between)).await,
        "compare" => {
            let (context, found) = read_again(context).await?;
            return form(context, found, typed, between, Problems::default(), None).await;
        }
        _ => {}
    }
    let triage = match typed.triage(sent, FORM) {
        Ok(triage) => triage,
        Err(problems) => return refused(context, typed, between, problems).await,
    };
    let browser = context.request.browser(false);
    let request = CreateMergeRequest {
        source_branch: between.source.clone(),
        target_branch: typed.target_branch.clone(),
        target_project: between.target_project,
        title: typed.title.clone(),
        description: Some(extract(&typed.description)).filter(|_| !typed.description.is_empty()),
        triage,
        reviewers: typed.reviewer_ids(),
        remove_source_branch: typed.remove_source_branch,
        squash: Some(typed.squash),
        sender: Sender { user_agent: browser.user_agent, ip_address: browser.address },
        ..CreateMergeRequest::default()
    };
    match merge_request::create(context.request.app(), context.request.identity(), context.project(), request).await {
        Ok(view) => {
            let there = format!("/{}/merge_requests/{}", view.of.project_path, view.of.issuable.iid);
            Ok(Answer::done(&context.request.own(&there)))
        }
        Err(error) => refused(context, typed, between, Problems::of(error)?).await,
    }
}

/// Changes the fields that were changed in the form. If a button says so, it also changes the state.
pub(super) async fn update(context: ProjectContext) -> Result<Answer, PageError> {
    let of = reference(&context.asked.project, context.asked.iid()?);
    let shown = OriginalValues::sent(context.request.form());
    let sent = context.request.form().changed(&shown);
    let (typed, between) = (FormValues::sent(sent, FORM), Between::of(sent));
    if sent.text("", "action") == "preview" {
        return Box::pin(preview(context, typed, between)).await;
    }
    let request = match asked_for(sent, &typed) {
        Ok(request) => request,
        Err(problems) => return refused(context, typed, between, problems).await,
    };
    match merge_request::edit(context.request.app(), context.request.identity(), of, request).await {
        Ok(view) => Ok(context.done(&format!("/merge_requests/{}", view.of.issuable.iid))),
        Err(AppError::Stale) => {
            let (context, found) = read_again(context).await?;
            let sent = context.request.form().changed(&shown);
            let typed = match &found.request {
                Some((view, _)) => typed.beside(view, sent, FORM),
                None => typed,
            };
            let page = form(context, found, typed, between, Problems::plain(CHANGED_SINCE), None).await?;
            Ok(page.status(StatusCode::CONFLICT))
        }
        Err(error) => refused(context, typed, between, Problems::of(error)?).await,
    }
}

/// The change that a form asks for: that of the fields that it has.
pub(crate) fn asked_for(sent: Form<'_>, typed: &FormValues) -> Result<EditMergeRequest, Problems> {
    let has = |field: &str| sent.has(FORM, field);
    Ok(EditMergeRequest {
        title: has("title").then(|| typed.title.clone()),
        description: has("description").then(|| extract(&typed.description)),
        target_branch: has("target_branch").then(|| typed.target_branch.clone()),
        reviewers: has("reviewer_ids").then(|| people_change(sent, FORM, "reviewer_ids", &typed.reviewers)),
        remove_source_branch: has("force_remove_source_branch").then_some(typed.remove_source_branch),
        squash: has("squash").then_some(typed.squash),
        approvals_before_merge: Patch::Absent,
        state_event: event(&sent.text(FORM, "state_event")).filter(|_| has("state_event")),
        triage: typed.triage(sent, FORM)?,
        allow_collaboration: None,
        text_seen: typed.text_seen(),
    })
}

async fn refused(
    context: ProjectContext,
    typed: FormValues,
    between: Between,
    problems: Problems,
) -> Result<Answer, PageError> {
    let (context, found) = read_again(context).await?;
    Ok(form(context, found, typed, between, problems, None).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

async fn preview(context: ProjectContext, typed: FormValues, between: Between) -> Result<Answer, PageError> {
    let (context, found) = read_again(context).await?;
    let html = context.rendered(typed.description.clone()).await?;
    form(context, found, typed, between, Problems::default(), Some(html)).await
}

async fn read_again(context: ProjectContext) -> Result<(ProjectContext, PageData), PageError> {
    let asked = context.asked.clone();
    let is_new = asked.segment("iid").is_empty();
    let read = move |query: &mut Query<'_>| if is_new { read_new(query, &asked) } else { read_edit(query, &asked) };
    let (frame, found) = context.request.read(read).await?;
    Ok((ProjectContext { frame, ..context }, found))
}

/// The branches that the target project offers. Empty if the caller may not read its code.
async fn into_branches(
    context: &ProjectContext,
    target: ProjectId,
    own: &Page<BranchView>,
) -> Result<Page<BranchView>, PageError> {
    if target == context.page.view.brief.project.id {
        return Ok(own.clone());
    }
    let (app, identity) = (context.request.app(), context.request.identity());
    let request = ListBranches { page: own.request, ..ListBranches::default() };
    let found = repository::branches(app, identity, Reference::Id(target.get()), request).await;
    Ok(permitted(found)?.unwrap_or(Page::empty(own.request)))
}

async fn form(
    context: ProjectContext,
    found: PageData,
    mut typed: FormValues,
    between: Between,
    problems: Problems,
    preview: Option<String>,
) -> Result<Answer, PageError> {
    let is_new = found.request.is_none();
    let (mut sources, mut targets, mut kept) = (Vec::new(), Vec::new(), Vec::new());
    let (mut more_sources, mut more_targets, mut target_branches) = (None, None, Vec::new());
    let (mut target_search, mut compared) = (String::new(), None);
    if is_new {
        kept = templates(&context, target_of(&context, &between), DescriptionKind::MergeRequest).await?;
        let page = PageRequest::new(None, Some(PageRequest::MAX_PER_PAGE));
        let request = ListBranches { page, ..ListBranches::default() };
        let branches = repository::branches_of(context.request.app(), context.code()?, request).await?;
        more_sources = Some(branches.total).filter(|total| *total > PageRequest::MAX_PER_PAGE);
        let choice = |name: &str| Choice::new(name, name, name == between.source);
        let brief = &context.page.view.brief;
        let upstream = context.page.view.forked_from.as_deref();
        let usual = usual_target(&context).project.default_branch.clone();
        let target = between.target_project.unwrap_or_else(|| usual_target(&context).project.id);
        if typed.target_branch.is_empty() {
            let is_other = |usual: &String| target != brief.project.id || *usual != between.source;
            typed.target_branch = usual.filter(is_other).unwrap_or_default();
        }
        let (of, into) = (context.project(), typed.target_branch.clone());
        let taken =
            context.request.ask(move |query| merge_request::not_to_offer(query, &of, Some(target), &into)).await?;
        let into = upstream.filter(|upstream| upstream.project.id == target).unwrap_or(brief);
        let offered = into_branches(&context, target, &branches).await?;
        more_targets = Some(offered.total).filter(|total| *total > PageRequest::MAX_PER_PAGE);
        let names = offered.items.iter().map(|branch| branch.name.as_str());
        let unknown = Some(typed.target_branch.as_str()).filter(|name| !names.clone().any(|known| known == *name));
        let into_choice = |name: &str| Choice::new(name, name, name == typed.target_branch);
        target_branches = unknown.into_iter().chain(names).map(into_choice).collect();
        target_search = context.request.own(&format!("/{}/refs/switch?kind=branches&search=", into.full_path));
        // A fork often has the commit of its source's branch. Without it nothing is shown, because nothing is fetched for a form.
        let against = if target == brief.project.id {
            Some(typed.target_branch.clone())
        } else {
            let branch = offered.items.iter().find(|branch| branch.name == typed.target_branch);
            branch.map(|branch| branch.commit.id.clone())
        };
        if let Some(against) = against {
            compared = Compared::read(&context, &between.source, &against).await?;
        }
        let free = branches.items.iter().filter(|branch| !taken.contains(&branch.name));
        sources = free.map(|branch| choice(&branch.name)).collect();
        if !between.source.is_empty() && !sources.iter().any(|choice| choice.chosen) {
            sources.push(choice(&between.source));
        }
        if let Some(upstream) = upstream {
            targets = [upstream, brief]
                .map(|brief| {
                    let id = brief.project.id;
                    Choice::new(&id.to_string(), &brief.full_path, id == target)
                })
                .into();
        }
    }
    let ProjectContext { frame, page, .. } = context;
    let project = ProjectFrame::new(&frame.root, &page, Tab::MergeRequests).with_api_path("/merge_requests");
    let now = found.request.as_ref().map(|(view, _)| view.as_ref());
    // A request from a fork may go into another project, whose labels and people this project does not offer.
    let may_triage = found.request.as_ref().map_or(targets.is_empty(), |(_, may_triage)| *may_triage);
    Answer::page(&FormPage {
        iid: now.map(|view| view.issuable.iid.get()),
        choices: Choices::new(&frame, &project.href, &found.offered, &typed, now, &found.reviewers),
        may_triage,
        source: between.source,
        problems,
        typed,
        sources,
        more_sources,
        target_branches,
        more_targets,
        target_search,
        compared,
        targets,
        templates: kept,
        preview,
        project,
        frame,
    })
}
