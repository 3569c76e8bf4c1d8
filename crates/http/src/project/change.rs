//! Creating, changing and removing projects.

use tenon_app::Reference;
use tenon_app::project::{self, CreateProject, EditProject, NewProject, ProjectView};
use tenon_domain::id::{NamespaceId, UserId};
use tenon_domain::patch::Patch;
use tenon_domain::project::Feature;
use tenon_domain::project::setting::SETTINGS;
use tenon_domain::transition::Transition;
use tenon_edge::error::ApiError;
use tenon_edge::raw::Upload;

use super::settings::{SettingsParams, names_a_setting};
use crate::avatar::{picture, with_picture};
use crate::dto::project::ProjectDto;
use crate::endpoint::{Accepted, Call, Caller, Changed, Created, Json};
use crate::params::params;

params! {
    /// A new project.
    pub(crate) struct CreateParams {
        /// Display name; required without `path`.
        name: Option<String>,
        /// Last part of the path; derived from the name by default.
        path: Option<String>,
        /// The id of the namespace; the caller's own by default.
        namespace_id: Option<i64>,
        settings: SettingsParams,
        /// A picture.
        avatar: Patch<Upload>,
        /// True to create a first commit with a readme.
        initialize_with_readme: Option<bool>,
        /// The default branch: the branch of that commit, or of the first push.
        default_branch: Option<String>,
    }
    rules(reader) { reader.at_least_one_of(&["name", "path"]); }
}

params! {
    /// A new project for another user.
    pub(crate) struct CreateForUserParams {
        /// Display name.
        name: String,
        /// Last part of the path; derived from the name by default.
        path: Option<String>,
        /// The id of a namespace in which that user may make projects; the user's own by default.
        namespace_id: Option<i64>,
        settings: SettingsParams,
        /// A picture.
        avatar: Patch<Upload>,
        /// The default branch, if it is pushed first.
        default_branch: Option<String>,
    }
}

params! {
    /// Changes to a project.
    pub(crate) struct EditParams {
        /// Display name.
        name: Option<String>,
        /// Last part of the path.
        path: Option<String>,
        /// The default branch.
        default_branch: Option<String>,
        settings: SettingsParams,
        /// A picture; empty removes it.
        avatar: Patch<Upload>,
    }
    rules(reader) {
        let features = Feature::ALL.iter().flat_map(|feature| feature.names());
        let short = SETTINGS.iter().flat_map(|setting| setting.short);
        let names = ["name", "path", "default_branch", "description"].iter().chain(short).chain(features).chain(&[
            "visibility", "merge_method", "tag_list", "topics", "ci_config_path", "avatar", "import_url",
            "approvals_before_merge", "repository_storage", "mirror", "mirror_user_id", "only_mirror_protected_branches",
            "mirror_overwrites_diverged_branches", "mirror_branch_regex", "mirror_trigger_builds",
        ]);
        if !names_a_setting(reader) {
            reader.at_least_one_of(&names.copied().collect::<Vec<_>>());
        }
    }
}

params! {
    /// The target of a transfer.
    pub(crate) struct TransferParams {
        /// The namespace, by id or path.
        namespace: String,
    }
}

fn reference(call: &Caller) -> Reference {
    Reference::parse(call.path("id"))
}

pub(super) async fn create(Call { caller, params }: Call<CreateParams>) -> Result<Created<ProjectDto>, ApiError> {
    let project = CreateProject {
        name: params.name,
        path: params.path,
        avatar: None,
        namespace: params.namespace_id.map(NamespaceId::new),
        default_branch: params.default_branch,
        with_readme: params.initialize_with_readme == Some(true),
        settings: params.settings.into(),
    };
    let request = NewProject { project, owner: None, picture: params.avatar.apply(None).map(picture) };
    created(&caller, request).await
}

pub(super) async fn create_for_user(
    Call { caller, params }: Call<CreateForUserParams>,
) -> Result<Created<ProjectDto>, ApiError> {
    let owner = UserId::new(caller.path_i64("user_id")?);
    let project = CreateProject {
        name: Some(params.name),
        path: params.path,
        avatar: None,
        namespace: params.namespace_id.map(NamespaceId::new),
        default_branch: params.default_branch,
        with_readme: false,
        settings: params.settings.into(),
    };
    let request = NewProject { project, owner: Some(owner), picture: params.avatar.apply(None).map(picture) };
    created(&caller, request).await
}

/// The answer of a new project. It exists, and is answered, also if its first commit could not be made.
async fn created(caller: &Caller, request: NewProject) -> Result<Created<ProjectDto>, ApiError> {
    let made = project::create_with_repository(caller.app(), caller.identity(), request).await?;
    Ok(Created(ProjectDto::present(made.view)))
}

pub(super) async fn edit(Call { caller, params }: Call<EditParams>) -> Result<Json<ProjectDto>, ApiError> {
    let id = reference(&caller);
    let request = EditProject {
        name: params.name,
        path: params.path,
        default_branch: params.default_branch,
        avatar: Patch::Absent,
        settings: params.settings.into(),
    };
    let view = with_picture(&caller, params.avatar, move |command, avatar| {
        project::edit(command, &id, EditProject { avatar, ..request })
    })
    .await?;
    Ok(Json(ProjectDto::present(view)))
}

pub(super) async fn delete(call: Call<()>) -> Result<Accepted, ApiError> {
    let (id, since) = (reference(&call), call.head().unmodified_since);
    call.write(move |command| project::delete(command, &id, since)).await?;
    Ok(Accepted)
}

pub(super) async fn archive(call: Call<()>) -> Result<Json<ProjectDto>, ApiError> {
    let id = reference(&call);
    let view = call.write(move |command| project::archive(command, &id)).await?;
    Ok(Json(ProjectDto::present(view)))
}

pub(super) async fn unarchive(call: Call<()>) -> Result<Json<ProjectDto>, ApiError> {
    let id = reference(&call);
    let view = call.write(move |command| project::unarchive(command, &id)).await?;
    Ok(Json(ProjectDto::present(view)))
}

pub(super) async fn star(call: Call<()>) -> Result<Changed<Json<ProjectDto>>, ApiError> {
    let id = reference(&call);
    Ok(changed(call.write(move |command| project::star(command, &id)).await?))
}

pub(super) async fn unstar(call: Call<()>) -> Result<Changed<Json<ProjectDto>>, ApiError> {
    let id = reference(&call);
    Ok(changed(call.write(move |command| project::unstar(command, &id)).await?))
}

fn changed(outcome: Transition<ProjectView>) -> Changed<Json<ProjectDto>> {
    match outcome {
        Transition::Moved(view) => Changed::Yes(Json(ProjectDto::present(view))),
        Transition::Stayed(_) => Changed::No,
    }
}

pub(super) async fn transfer(Call { caller, params }: Call<TransferParams>) -> Result<Json<ProjectDto>, ApiError> {
    let (id, target) = (reference(&caller), Reference::parse(&params.namespace));
    let view = caller.write(move |command| project::transfer(command, &id, &target)).await?;
    Ok(Json(ProjectDto::present(view)))
}
