//! Templates of files: those of a project, and the same ones at their older addresses.

use tenon_app::error::{AppError, Missing};
use tenon_app::identity::Guard;
use tenon_app::template::{self, DescriptionKind, FillIn, TemplateKind};
use tenon_app::{PageRequest, Reference};
use tenon_edge::error::ApiError;

use crate::dto::template::{FileTemplateDto, LicenseTemplateDto, TemplateDto, TemplateNameDto};
use crate::endpoint::{Call, Caller, Json, Paged, Routes};
use crate::params::{Paging, choice, params};

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Templates")
        .get("/projects/{id}/templates/{type}", Guard::Anyone, list, "The templates of this type for a project.")
        .get("/projects/{id}/templates/{type}/{key}", Guard::Anyone, show, "One template; a licence is filled in.")
        .get("/templates/licenses", Guard::Anyone, licenses, "The licences.")
        .get("/templates/licenses/{key}", Guard::Anyone, license, "One licence, filled in.");
    let files = [
        ("/templates/dockerfiles", "/templates/dockerfiles/{key}", TemplateKind::Dockerfile),
        ("/templates/gitignores", "/templates/gitignores/{key}", TemplateKind::Gitignore),
        ("/templates/gitlab_ci_ymls", "/templates/gitlab_ci_ymls/{key}", TemplateKind::Ci),
    ];
    for (all, one, kind) in files {
        api.get(all, Guard::Anyone, move |call| files_of(call, kind), "The templates of a kind.").get(
            one,
            Guard::Anyone,
            move |call| file(call, kind),
            "One template.",
        );
    }
}

choice! {
    /// The purpose of a template.
    pub(crate) enum TemplateType {
        /// Dockerfiles.
        Dockerfiles = "dockerfiles",
        /// `.gitignore`.
        Gitignores = "gitignores",
        /// `.gitlab-ci.yml`.
        GitlabCiYmls = "gitlab_ci_ymls",
        /// Licences.
        Licenses = "licenses",
        /// Descriptions of issues, from `.tenon/issue_templates` and `.gitlab/issue_templates` of the repository.
        Issues = "issues",
        /// Descriptions of merge requests, from the folders `merge_request_templates` there.
        MergeRequests = "merge_requests",
    }
}

/// The sources of the templates of a type.
enum Origin {
    Program(TemplateKind),
    Repository(DescriptionKind),
}

impl From<TemplateType> for Origin {
    fn from(kind: TemplateType) -> Self {
        match kind {
            TemplateType::Dockerfiles => Self::Program(TemplateKind::Dockerfile),
            TemplateType::Gitignores => Self::Program(TemplateKind::Gitignore),
            TemplateType::GitlabCiYmls => Self::Program(TemplateKind::Ci),
            TemplateType::Licenses => Self::Program(TemplateKind::License),
            TemplateType::Issues => Self::Repository(DescriptionKind::Issue),
            TemplateType::MergeRequests => Self::Repository(DescriptionKind::MergeRequest),
        }
    }
}

params! {
    /// The templates of a type.
    pub(crate) struct ListParams {
        /// The purpose of the templates.
        r#type: TemplateType,
        paging: Paging,
    }
}

params! {
    /// One template.
    pub(crate) struct ShowParams {
        /// The purpose of the template.
        r#type: TemplateType,
        /// The name of the work, which is filled into a licence.
        project: Option<String>,
        /// The holder of the copyright; the caller's name by default.
        fullname: Option<String>,
    }
}

params! {
    /// Filters of licences.
    pub(crate) struct LicensesParams {
        /// Only the popular ones.
        popular: Option<bool>,
        paging: Paging,
    }
}

params! {
    /// The values that are filled into a licence.
    pub(crate) struct FillInParams {
        /// The name of the work.
        project: Option<String>,
        /// The holder of the copyright; the caller's name by default.
        fullname: Option<String>,
    }
}

/// The kind of thing that answers name if a template is missing at its older address.
const fn at_older_address(kind: TemplateKind) -> Missing {
    match kind {
        TemplateKind::Dockerfile => Missing::Dockerfile,
        TemplateKind::Gitignore => Missing::Gitignore,
        TemplateKind::Ci => Missing::CiTemplate,
        TemplateKind::License => Missing::License,
    }
}

async fn list(Call { caller, params }: Call<ListParams>) -> Result<Paged<TemplateNameDto>, ApiError> {
    let (project, page): (_, PageRequest) = (Reference::parse(caller.path("id")), params.paging.into());
    match params.r#type.into() {
        Origin::Program(kind) => {
            let found = caller.read(move |query| template::list(query, Some(&project), kind, page)).await?;
            Ok(Paged(found.map(Into::into)))
        }
        Origin::Repository(kind) => {
            let found = template::descriptions(caller.app(), caller.identity(), project, kind, page).await?;
            Ok(Paged(found.map(Into::into)))
        }
    }
}

async fn show(Call { caller, params }: Call<ShowParams>) -> Result<Json<TemplateDto>, ApiError> {
    let project = Reference::parse(caller.path("id"));
    let key = caller.path("key").to_owned();
    match params.r#type.into() {
        Origin::Program(kind) => {
            let fill_in = FillIn { project: params.project, fullname: params.fullname };
            one(&caller, Some(project), kind, key, fill_in, Missing::Template).await.map(Json)
        }
        Origin::Repository(kind) => {
            let content = template::description(caller.app(), caller.identity(), project, kind, &key).await?;
            Ok(Json(TemplateDto::File(FileTemplateDto { name: key, content })))
        }
    }
}

async fn one(
    caller: &Caller,
    project: Option<Reference>,
    kind: TemplateKind,
    key: String,
    fill_in: FillIn,
    missing: Missing,
) -> Result<TemplateDto, ApiError> {
    let found = caller.read(move |query| template::show(query, project.as_ref(), kind, &key, &fill_in)).await?;
    Ok(found.ok_or_else(|| AppError::NotFound(missing))?.into())
}

async fn licenses(Call { caller, params }: Call<LicensesParams>) -> Result<Paged<LicenseTemplateDto>, ApiError> {
    caller.admit().await?;
    let page = template::licenses(params.popular.unwrap_or(false), params.paging.into());
    Ok(Paged(page.map(Into::into)))
}

/// A licence at its older address: the same answer as for a project.
async fn license(Call { caller, params }: Call<FillInParams>) -> Result<Json<TemplateDto>, ApiError> {
    let fill_in = FillIn { project: params.project, fullname: params.fullname };
    let key = caller.path("key").to_owned();
    one(&caller, None, TemplateKind::License, key, fill_in, at_older_address(TemplateKind::License)).await.map(Json)
}

async fn files_of(
    Call { caller, params }: Call<Paging>,
    kind: TemplateKind,
) -> Result<Paged<TemplateNameDto>, ApiError> {
    let page = params.into();
    let found = caller.read(move |query| template::list(query, None, kind, page)).await?;
    Ok(Paged(found.map(Into::into)))
}

async fn file(caller: Call<()>, kind: TemplateKind) -> Result<Json<TemplateDto>, ApiError> {
    let key = caller.path("key").to_owned();
    one(&caller, None, kind, key, FillIn::default(), at_older_address(kind)).await.map(Json)
}
