//! Creating projects.

use tenon_auth::Secret;
use tenon_domain::access::AccessLevel;
use tenon_domain::avatar::Avatar;
use tenon_domain::container::Container;
use tenon_domain::event::EventKind;
use tenon_domain::field_errors::{FieldErrors, TAKEN};
use tenon_domain::group::setting::DEFAULT_BRANCH;
use tenon_domain::group::{self, GroupAction};
use tenon_domain::hook::SystemEvent;
use tenon_domain::id::{NamespaceId, ProjectId, UserId};
use tenon_domain::member::Member;
use tenon_domain::namespace::{Namespace, NamespaceKind};
use tenon_domain::path;
use tenon_domain::project::expiration::EXPIRATION;
use tenon_domain::project::mirror::MirrorChanges;
use tenon_domain::project::setting::SETTINGS;
use tenon_domain::project::{
    FeatureChanges, Features, Import, MergeMethod, Project, check_ci_config_path, check_description, check_name,
    check_path, check_tags, clean_tags, visibility_above_group,
};
use tenon_domain::refusal::{ProjectRefusal, Refusal};
use tenon_domain::settings::{Changes, Settings, Values};
use tenon_domain::user::{User, UserAction};
use tenon_domain::visibility::Visibility;
use tenon_git::BranchName;
use tenon_storage::namespace::PathHolder;
use tenon_storage::project::NewProject;
use tenon_storage::{StoreError, UniqueKey, member, membership, namespace, project, user};

use super::mirror;
use crate::core::app::{App, Command};
use crate::core::caller::Caller;
use crate::core::error::{AppError, Missing};
use crate::core::local_requests::allows;
use crate::policy::reference::Reference;
use crate::repository::import::{schedule_import, without_credentials};
use crate::shared::access::project_transfer::leaves_wikis;
use crate::shared::access::system_event::{self, Membership};
use crate::shared::approvals::require_approvals;
use crate::shared::views::project_view::{Detail, ProjectView, views};

/// The settings of a project that requests may name; `None` leaves a setting as it is.
#[derive(Debug, Clone, Default)]
pub struct ProjectSettings {
    /// Its description; empty clears.
    pub description: Option<String>,
    /// How open it is.
    pub visibility: Option<Visibility>,
    /// How merge requests are merged.
    pub merge_method: Option<MergeMethod>,
    /// Its tags, all of them.
    pub tag_list: Option<Vec<String>>,
    /// Path of the CI configuration; empty clears.
    pub ci_config_path: Option<String>,
    /// The source of the repository.
    pub import_url: Option<String>,
    /// How many approvals of anybody a merge requires.
    pub approvals_before_merge: Option<i64>,
    /// The repository of another server that it is to follow.
    pub mirror: MirrorChanges,
    /// The switches that it names.
    pub features: FeatureChanges,
    /// The settings of the table that it names.
    pub table: Changes,
}

impl ProjectSettings {
    /// The source of the repository, if it has one; notes what may not be asked. 403 if imports are switched off.
    pub(super) fn import_source(
        &self,
        app: &App,
        errors: &mut FieldErrors,
        settings: &Settings,
    ) -> Result<Option<&str>, AppError> {
        let Some(url) = self.given_import_url() else { return Ok(None) };
        if !settings.imports_by_url {
            return Err(AppError::Forbidden);
        }
        let permitted = app.may_call(url, allows(&settings.local, url));
        errors.require(permitted, "import_url", "is blocked: Only allowed schemes are http, https, and no local hosts");
        Ok(Some(url))
    }

    /// True if the source that was given is this one.
    pub(super) fn names_import_source(&self, known: Option<&str>) -> bool {
        known.is_some() && self.given_import_url() == known
    }

    fn given_import_url(&self) -> Option<&str> {
        self.import_url.as_deref().map(str::trim).filter(|url| !url.is_empty())
    }

    /// Puts what was given into `project`; the visibility is the caller's business, because it has rules of its own.
    pub(super) fn apply(&self, project: &mut Project) {
        for (given, text) in
            [(&self.description, &mut project.description), (&self.ci_config_path, &mut project.ci_config_path)]
        {
            if given.is_some() {
                text.clone_from(given);
            }
        }
        if let Some(method) = self.merge_method {
            project.merge_method = method;
        }
        project.features.apply(&self.features);
        for (setting, value) in &self.table {
            project.settings.set(setting, value.clone());
        }
    }
}

/// A request for a new project. One of `name` and `path` is there.
#[derive(Debug, Clone, Default)]
pub struct CreateProject {
    /// Display name; the path if absent.
    pub name: Option<String>,
    /// Last segment of the path; made from the name if absent.
    pub path: Option<String>,
    /// A picture that has been stored.
    pub avatar: Option<Avatar>,
    /// The namespace in which it will live; the owner's own namespace if absent.
    pub namespace: Option<NamespaceId>,
    /// The branch of the first commit or push; the one to take of what is imported. The usual one if absent or empty.
    pub default_branch: Option<String>,
    /// True if a commit with a readme is to follow, which is not possible beside an import.
    pub with_readme: bool,
    /// Everything else.
    pub settings: ProjectSettings,
}

/// Creates a project for the caller, with an empty repository.
pub fn create(command: &mut Command<'_>, request: CreateProject) -> Result<ProjectView, AppError> {
    let owner = command.user()?.clone();
    let id = store(command, &owner, request)?;
    created(command, id)
}

/// Creates a project for another user, if that user may have one; administrators only.
pub(super) fn create_for_user(
    command: &mut Command<'_>,
    user: UserId,
    request: CreateProject,
) -> Result<ProjectView, AppError> {
    let mut query = command.query();
    let owner = query.account(user, UserAction::Administer)?;
    let id = store(command, &owner, request).map_err(limit_as_field)?;
    created(command, id)
}

fn created(command: &mut Command<'_>, id: ProjectId) -> Result<ProjectView, AppError> {
    let mut query = command.query();
    let placed = project::find_placed(&mut query.tx, id)?.ok_or(AppError::NotFound(Missing::Project))?;
    let detail = Detail { for_editor: true, ..Detail::default() };
    views(&mut query, vec![placed], detail)?.pop().ok_or(AppError::NotFound(Missing::Project))
}

fn store(command: &mut Command<'_>, owner: &User, request: CreateProject) -> Result<ProjectId, AppError> {
    let home = home(command, owner, request.namespace)?;
    check_limit(command, &home)?;
    let settings = command.query().settings()?;
    let name = request.name.filter(|name| !name.is_empty()).or_else(|| request.path.clone()).unwrap_or_default();
    let path = request.path.filter(|path| !path.is_empty()).unwrap_or_else(|| path::slug(&name));
    let visibility = request.settings.visibility.unwrap_or_else(|| {
        // The default gives way to the group; what was asked for does not.
        let roof = if home.kind == NamespaceKind::Group { home.visibility } else { Visibility::Public };
        settings.default_project_visibility.min(roof)
    });
    let branch = request.default_branch.filter(|branch| !branch.is_empty());
    let inherited = tenon_storage::group::inherited_settings(&mut command.tx, home.id)?;
    let first_branch = inherited.text_of(&DEFAULT_BRANCH).unwrap_or(settings.first_branch()).to_owned();
    let mut project = Project {
        id: ProjectId::new(0),
        namespace: home.id,
        creator: Some(owner.id),
        name,
        path,
        description: None,
        visibility,
        archived: false,
        default_branch: None,
        unborn_branch: branch.clone().unwrap_or(first_branch),
        avatar: request.avatar,
        ci_config_path: None,
        merge_method: MergeMethod::default(),
        features: Features { shared_runners_enabled: settings.shared_runners_enabled, ..Features::default() },
        settings: Values::default(),
        forked_from: None,
        import: Import::None,
        imported_from: None,
        star_count: 0,
        forks_count: 0,
        open_issues_count: 0,
        last_activity_at: command.now,
        created_at: command.now,
        updated_at: command.now,
    };
    request.settings.apply(&mut project);
    let restricted = settings.restricts(visibility) && !command.viewer().is_admin();
    let tags = clean_tags(request.settings.tag_list.clone().unwrap_or_default());
    let mut errors = check(&project, &home, restricted);
    check_tags(&mut errors, &tags);
    check_default_branch(&mut errors, branch.as_deref());
    let import_url = request.settings.import_source(command.app, &mut errors, &settings)?.map(ToOwned::to_owned);
    let mirror = mirror::plan(command, &project, &request.settings.mirror, import_url.as_deref(), &mut errors)?;
    errors.require(
        !(request.with_readme && import_url.is_some()),
        "initialize_with_readme",
        "is not possible together with import_url",
    );
    errors.into_result()?;
    if let Some(url) = &import_url {
        project.import = Import::Scheduled;
        project.imported_from = without_credentials(url);
    }
    check_free(command, &project, &home)?;
    let token = Secret::generate(command.app.entropy());
    let sealed = command.app.vault().seal(command.app.entropy(), token.expose()).map_err(AppError::internal)?;
    let new = NewProject { project: &project, namespace: &home, tags: &tags, sealed_runners_token: &sealed };
    let id = project::insert(&mut command.tx, &new).map_err(taken)?;
    let project = Project { id, ..project };
    system_event::of_project(command, SystemEvent::ProjectCreate, &project, &home, None)?;
    if let Some(holder) = home.owner {
        let membership = Member {
            container: Container::Project(id),
            user: holder,
            level: AccessLevel::Maintainer,
            expires_at: None,
            created_at: command.now,
            created_by: command.viewer().user(),
            updated_at: command.now,
        };
        member::insert(&mut command.tx, &membership)?;
        system_event::of_member(command, Membership::Begun, &membership)?;
    }
    if let Some(url) = import_url {
        schedule_import(command, id, &url, branch)?;
    }
    mirror::store(command, id, mirror)?;
    require_approvals(command, id, request.settings.approvals_before_merge)?;
    let event = command.event(EventKind::ProjectCreated).project(id).namespace(home.id);
    command.append(&event)?;
    Ok(id)
}

/// The namespace that the project will live in, if its owner may put projects there. For the caller's own project the
/// rights of the request count. Another owner acts as an administrator only if the caller does.
fn home(command: &mut Command<'_>, owner: &User, asked: Option<NamespaceId>) -> Result<Namespace, AppError> {
    let administers = owner.admin && command.viewer().is_admin();
    let other = Caller { administers, ..Caller::of(owner.clone()) };
    let mut query = if command.user()?.id == owner.id { command.query() } else { command.query_as(&other) };
    let invalid = || AppError::invalid("namespace", "is not valid");
    match asked {
        None => namespace::of_user(&mut query.tx, owner.id)?.ok_or_else(invalid),
        Some(id) => {
            query.namespace(&Reference::Id(id.get()), GroupAction::CreateProject).map_err(|error| match error {
                AppError::Forbidden | AppError::NotFound(_) => invalid(),
                other => other,
            })
        }
    }
}

/// Checks that there may be one more project in `home`: users have a limit in their own namespaces, also if an
/// administrator makes the project. The settings can make it 0 for users who are no more than guests anywhere.
pub(super) fn check_limit(command: &mut Command<'_>, home: &Namespace) -> Result<(), AppError> {
    let Some(owner) = home.owner else { return Ok(()) };
    let owner = user::find(&mut command.tx, owner)?.ok_or(AppError::NotFound(Missing::User))?;
    if !command.query().settings()?.guests_create_projects && !owner.admin {
        let today = command.today();
        let highest = membership::highest_level(&mut command.tx, owner.id, today)?;
        if highest.is_none_or(|level| level <= AccessLevel::Guest) {
            return Err(ProjectRefusal::Limit(0).into());
        }
    }
    let personal = namespace::homes(&mut command.tx, &[owner.id])?.get(&owner.id).map_or(0, |home| home.projects);
    if personal < owner.projects_limit {
        return Ok(());
    }
    Err(ProjectRefusal::Limit(owner.projects_limit).into())
}

/// The limit of projects as a problem of the request, if the caller is not the one whose limit is reached.
pub(super) fn limit_as_field(error: AppError) -> AppError {
    match error {
        AppError::Refused(Refusal::Project(ProjectRefusal::Limit(limit))) => {
            AppError::invalid("limit_reached", ProjectRefusal::Limit(limit).to_string())
        }
        other => other,
    }
}

/// The problems of a project in `home`, taken names aside.
pub(super) fn check(project: &Project, home: &Namespace, restricted: bool) -> FieldErrors {
    let mut errors = FieldErrors::default();
    check_name(&mut errors, &project.name);
    check_path(&mut errors, &project.path);
    check_description(&mut errors, project.description.as_deref().unwrap_or_default());
    check_ci_config_path(&mut errors, project.ci_config_path.as_deref().unwrap_or_default());
    for setting in SETTINGS.iter().chain(EXPIRATION) {
        if let Some(problem) = setting.kind.problem(&project.settings.of(setting)) {
            errors.add(setting.name, problem);
        }
    }
    let full_path = home.full_path.len() + 1 + project.path.len();
    if full_path > path::MAX_PATH && project.path.len() <= path::MAX_PATH {
        errors.add("path", format!("is too long (maximum is {} characters)", path::MAX_PATH));
    }
    check_visibility(&mut errors, project, home, restricted);
    errors
}

/// Notes if no branch can be called so.
pub(super) fn check_default_branch(errors: &mut FieldErrors, name: Option<&str>) {
    let is_possible = name.is_none_or(|name| BranchName::parse(name).is_ok());
    errors.require(is_possible, "default_branch", "is not a valid branch name");
}

/// Notes a problem if a project would be more open than it may be.
pub(super) fn check_visibility(errors: &mut FieldErrors, project: &Project, home: &Namespace, restricted: bool) {
    if restricted {
        errors.add("visibility_level", group::visibility_restricted(project.visibility));
    }
    if home.kind == NamespaceKind::Group
        && let Some(message) = visibility_above_group(project.visibility, home.visibility)
    {
        errors.add("visibility_level", message);
    }
}

/// Refuses a name or path that `home` has already; names both if both are taken.
pub(super) fn check_free(command: &mut Command<'_>, project: &Project, home: &Namespace) -> Result<(), AppError> {
    let mut errors = FieldErrors::default();
    let namesake = project::named(&mut command.tx, home.id, &project.name)?;
    errors.require(namesake.is_none_or(|id| id == project.id), "name", TAKEN);
    let full_path = home.path_of(&project.path);
    let holder = namespace::holder(&mut command.tx, &full_path)?;
    errors.require(holder.is_none_or(|holder| holder == PathHolder::Project(project.id)), "path", TAKEN);
    errors.require(leaves_wikis(command, &full_path, project.id)?, "name", TAKEN);
    Ok(errors.into_result()?)
}

/// A name or path that was taken concurrently.
pub(super) fn taken(error: StoreError) -> AppError {
    match error {
        StoreError::Unique(UniqueKey::FullPath) => AppError::invalid("path", TAKEN),
        StoreError::Unique(UniqueKey::ProjectName) => AppError::invalid("name", TAKEN),
        other => other.into(),
    }
}
