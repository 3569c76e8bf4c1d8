//! The settings of a project.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::project::{self, EditProject, ProjectSettings};
use tenon_app::{Command, Query, merge_request, visibilities};
use tenon_domain::merge_request::ApprovalSettings;
use tenon_domain::namespace::Namespace;
use tenon_domain::project::{Feature, MergeMethod};
use tenon_domain::settings::{Changes, Values};
use tenon_domain::visibility::Visibility;

use super::new::{NO_HOME, homes};
use super::setting_words::{self, FIELDS};
use crate::context::frame::Frame;
use crate::context::project::{ProjectContext, ProjectRequest};
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::address::by_path_or_number;
use crate::kit::answer::Answer;
use crate::kit::choice::Choice;
use crate::kit::cookie;
use crate::kit::error::{PageError, permitted};
use crate::kit::flash::Flash;
use crate::kit::form::{Form, OriginalValues};
use crate::kit::problems::Problems;
use crate::kit::setting_field::{Content, SettingField};
use crate::parts::visibility::{visibility, visibility_choices};

const FORM: &str = "project";
const APPROVALS: &str = "approvals";

#[derive(Template)]
#[template(path = "project/settings.html")]
struct SettingsPage {
    frame: Frame,
    project: ProjectFrame,
    object: &'static str,
    problems: Problems,
    typed: FormValues,
    methods: Vec<Choice>,
    visibilities: Vec<Choice>,
    /// Paths of namespaces that the form suggests, and the one that was typed.
    homes: Vec<String>,
    target: String,
    /// The path that has to be typed before the project is deleted.
    full_path: String,
    approvals: Option<(ApprovalSettings, i64)>,
    general: Vec<SettingField>,
    features: Vec<SettingField>,
    merging: Vec<SettingField>,
    issues: Vec<SettingField>,
    may_administer: bool,
    may_delete: bool,
    is_fork: bool,
}

#[derive(Debug, Clone, Default)]
struct FormValues {
    name: String,
    path: String,
    description: String,
    topics: String,
    visibility: String,
    merge_method: String,
    needs_pipeline: bool,
    needs_resolved: bool,
    prints_link: bool,
    takes_requests: bool,
    /// The fields as the page had them at first ([`OriginalValues::field`]).
    shown: String,
}

impl FormValues {
    fn of(context: &ProjectContext) -> Self {
        let (brief, project) = (&context.page.view.brief, &context.page.view.brief.project);
        let features = &project.features;
        Self {
            name: project.name.clone(),
            path: project.path.clone(),
            description: project.description.clone().unwrap_or_default(),
            topics: brief.tags.join(", "),
            visibility: project.visibility.level().to_string(),
            merge_method: project.merge_method.as_str().to_owned(),
            needs_pipeline: features.only_allow_merge_if_pipeline_succeeds,
            needs_resolved: features.only_allow_merge_if_all_discussions_are_resolved,
            prints_link: features.printing_merge_request_link_enabled,
            takes_requests: features.request_access_enabled,
            shown: String::new(),
        }
        .with_shown(context.page.may.administer, &project.settings)
    }

    /// The same for a page that shows the fields as they are stored. Some of them are shown only to owners.
    fn with_shown(mut self, to_owner: bool, settings: &Values) -> Self {
        let shown = OriginalValues::of([
            ("path", self.path.as_str().into()),
            ("description", self.description.as_str().into()),
            ("tag_list", self.topics.as_str().into()),
            ("merge_method", self.merge_method.as_str().into()),
            ("only_allow_merge_if_pipeline_succeeds", self.needs_pipeline.into()),
            ("only_allow_merge_if_all_discussions_are_resolved", self.needs_resolved.into()),
            ("printing_merge_request_link_enabled", self.prints_link.into()),
            ("request_access_enabled", self.takes_requests.into()),
        ]);
        let shown = FIELDS.shown(shown, settings);
        let shown = if to_owner {
            let shown = shown.with("name", self.name.as_str().into());
            shown.with("visibility_level", self.visibility.as_str().into())
        } else {
            shown
        };
        self.shown = shown.field();
        self
    }

    fn sent(form: Form<'_>) -> Self {
        let text = |field: &str| form.filled(FORM, field).unwrap_or_default();
        let ticked = |field: &str| form.ticked(FORM, field);
        Self {
            name: text("name"),
            path: text("path"),
            description: form.text(FORM, "description"),
            topics: text("tag_list"),
            visibility: text("visibility_level"),
            merge_method: text("merge_method"),
            needs_pipeline: ticked("only_allow_merge_if_pipeline_succeeds"),
            needs_resolved: ticked("only_allow_merge_if_all_discussions_are_resolved"),
            prints_link: ticked("printing_merge_request_link_enabled"),
            takes_requests: ticked("request_access_enabled"),
            shown: OriginalValues::sent(form).field(),
        }
    }

    /// The form as a request. For each box, the form also says that it has the box, even if it is not ticked.
    fn request(&self, form: Form<'_>, table: Changes) -> EditProject {
        let given = |field: &str, text: &str| form.has(FORM, field).then(|| text.to_owned());
        let switches = [
            (Feature::PipelineMustSucceed, self.needs_pipeline),
            (Feature::DiscussionsMustBeResolved, self.needs_resolved),
            (Feature::PrintMergeRequestLink, self.prints_link),
            (Feature::RequestAccess, self.takes_requests),
        ];
        let topics = || self.topics.split(',').map(|topic| topic.trim().to_owned()).filter(|topic| !topic.is_empty());
        EditProject {
            name: given("name", &self.name),
            path: given("path", &self.path),
            settings: ProjectSettings {
                description: given("description", &self.description),
                tag_list: form.has(FORM, "tag_list").then(|| topics().collect()),
                visibility: given("visibility_level", &self.visibility).as_deref().and_then(visibility),
                merge_method: given("merge_method", &self.merge_method).as_deref().and_then(MergeMethod::parse),
                table,
                features: switches.into_iter().filter(|(feature, _)| form.has(FORM, feature.name())).collect(),
                ..ProjectSettings::default()
            },
            ..EditProject::default()
        }
    }
}

/// The choices of the form.
pub(super) struct PageData {
    /// Namespaces to which the project could be moved.
    homes: Vec<Namespace>,
    visibilities: Vec<Visibility>,
    /// The settings about approvals, and how many everyone's rule requires. None for callers who may not change them.
    approvals: Option<(ApprovalSettings, i64)>,
}

pub(super) fn read(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<PageData, AppError> {
    query.user()?;
    let visibilities = visibilities::of_project(query, &asked.project)?;
    let homes = homes(query, "")?;
    let approvals = permitted(merge_request::approval_settings(query, &asked.project))?;
    Ok(PageData { homes: project::targets(query, &asked.project, homes)?, visibilities, approvals })
}

/// The form. 403 if the caller may not change settings.
pub(super) async fn show(context: ProjectContext, found: PageData) -> Result<Answer, PageError> {
    let typed = FormValues::of(&context);
    present(context, found, typed, Problems::default())
}

fn present(
    context: ProjectContext,
    found: PageData,
    typed: FormValues,
    problems: Problems,
) -> Result<Answer, PageError> {
    if !context.page.may.edit && !context.page.may.administer {
        return Err(PageError::Status(StatusCode::FORBIDDEN, None));
    }
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Settings);
    let method = |method: MergeMethod| {
        let words = match method {
            MergeMethod::Merge => "Merge commit",
            MergeMethod::RebaseMerge => "Merge commit with semi-linear history",
            MergeMethod::FastForward => "Fast-forward merge",
        };
        Choice::new(method.as_str(), words, method.as_str() == typed.merge_method)
    };
    let usual = context.page.view.brief.project.visibility;
    let settings = &context.page.view.brief.project.settings;
    // The form of a first visit has no field.
    let sent = context.request.form();
    let fields = |names: &[&str]| FIELDS.fields(names, settings, sent);
    Answer::page(&SettingsPage {
        methods: MergeMethod::ALL.map(method).into(),
        visibilities: visibility_choices(&found.visibilities, &typed.visibility, usual),
        homes: found.homes.into_iter().map(|other| other.full_path).collect(),
        target: context.request.form().text("", "new_namespace_id"),
        full_path: context.page.view.brief.full_path.clone(),
        approvals: found.approvals,
        general: fields(&setting_words::GENERAL),
        features: fields(&setting_words::FEATURES),
        merging: fields(&setting_words::MERGING),
        issues: fields(&setting_words::ISSUES),
        may_administer: context.page.may.administer,
        may_delete: context.page.may.delete,
        is_fork: context.page.view.brief.project.forked_from.is_some(),
        object: FORM,
        problems,
        typed,
        project,
        frame: context.frame,
    })
}

async fn refused(context: ProjectContext, typed: FormValues, problems: Problems) -> Result<Answer, PageError> {
    let asked = context.asked.clone();
    let (frame, found) = context.request.read(move |query| read(query, &asked)).await?;
    Ok(present(ProjectContext { frame, ..context }, found, typed, problems)?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

pub(super) async fn update(context: ProjectContext) -> Result<Answer, PageError> {
    let shown = OriginalValues::sent(context.request.form());
    let form = context.request.form().changed(&shown);
    let typed = FormValues::sent(form);
    let mut problems = Problems::default();
    let table = FIELDS.changes(form, &mut problems);
    if !problems.is_empty() {
        return refused(context, typed, problems).await;
    }
    let (project, request) = (context.project(), typed.request(form, table));
    match context.request.write(move |command| project::edit(command, &project, request)).await {
        Ok(view) => {
            let there = context.request.own(&format!("/{}/edit", view.brief.full_path));
            Ok(Answer::done(&there).cookie(cookie::of_flash(Flash::SettingsSaved)))
        }
        Err(error) => refused(context, typed, Problems::of(error)?).await,
    }
}

/// Changes the settings about approvals.
pub(super) async fn approvals(context: ProjectContext) -> Result<Answer, PageError> {
    let (project, form) = (context.project(), context.request.form());
    let switches = (Some(form.ticked(APPROVALS, "reset_on_push")), Some(form.ticked(APPROVALS, "author_may_approve")));
    let number = form.filled(APPROVALS, "required").and_then(|number| number.parse::<i64>().ok());
    let saved = match number {
        None => Err(AppError::invalid("approvals_required", "is not a number")),
        Some(number) => {
            let set = move |command: &mut Command<'_>| {
                merge_request::set_approval_settings(command, &project, switches, Some(number))
            };
            context.request.write(set).await
        }
    };
    match saved {
        Ok(_) => Ok(context.done("/edit").cookie(cookie::of_flash(Flash::SettingsSaved))),
        Err(error) => {
            let typed = FormValues::of(&context);
            refused(context, typed, Problems::of(error)?).await
        }
    }
}

pub(super) async fn archive(context: ProjectContext) -> Result<Answer, PageError> {
    let project = context.project();
    context.request.write(move |command| project::archive(command, &project)).await?;
    Ok(context.done("/edit").cookie(cookie::of_flash(Flash::ProjectArchived)))
}

pub(super) async fn unarchive(context: ProjectContext) -> Result<Answer, PageError> {
    let project = context.project();
    context.request.write(move |command| project::unarchive(command, &project)).await?;
    Ok(context.done("/edit").cookie(cookie::of_flash(Flash::ProjectUnarchived)))
}

/// Ends the relation of a fork to its source.
pub(super) async fn unrelate(context: ProjectContext) -> Result<Answer, PageError> {
    let project = context.project();
    let written = context.request.write(move |command| project::unrelate(command, &project)).await?;
    let done = context.done("/edit");
    Ok(if written { done.cookie(cookie::of_flash(Flash::ForkUnrelated)) } else { done })
}

/// Moves the project to another namespace, and leads there.
pub(super) async fn transfer(context: ProjectContext) -> Result<Answer, PageError> {
    let named = context.request.form().filled("", "new_namespace_id").unwrap_or_default();
    let project = context.project();
    let written = context.request.write(move |command| {
        // If the target is not found, nothing changes.
        by_path_or_number(&named, |target| project::transfer(command, &project, target))
    });
    match written.await {
        Ok(view) => {
            let there = context.request.own(&format!("/{}", view.brief.full_path));
            Ok(Answer::done(&there).cookie(cookie::of_flash(Flash::ProjectMoved)))
        }
        Err(error) => {
            let problems = match error {
                AppError::NotFound(_) if context.page.may.administer => Problems::with("new_namespace_id", NO_HOME),
                // The use case has a name of its own for the field.
                AppError::Rejected(_, fields) => Problems::about("new_namespace_id", &fields),
                error => Problems::of(error)?,
            };
            let typed = FormValues::of(&context);
            refused(context, typed, problems).await
        }
    }
}

/// Deletes the project whose path was typed.
pub(super) async fn delete(context: ProjectContext) -> Result<Answer, PageError> {
    let named = context.request.form().filled("", "confirm").unwrap_or_default();
    if context.page.may.delete && named != context.page.view.brief.full_path {
        let typed = FormValues::of(&context);
        return refused(context, typed, Problems::with("confirm", "Type the project path to confirm deletion")).await;
    }
    let project = context.project();
    context.request.write(move |command| project::delete(command, &project, None)).await?;
    Ok(Answer::done(&context.request.own("/")).cookie(cookie::of_flash(Flash::ProjectRemoved)))
}
