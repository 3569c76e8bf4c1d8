//! The rows of a project.

use diesel::prelude::*;
use tenon_domain::avatar::Avatar;
use tenon_domain::id::{NamespaceId, ProjectId, UserId};
use tenon_domain::project::setting::{ISSUES, MERGE_REQUESTS, REPOSITORY, SNIPPETS, find_setting};
use tenon_domain::project::{Features, Import, MergeMethod, Project};
use tenon_domain::settings::{Value, Values};
use tenon_domain::visibility::Visibility;

use crate::db::row::{Moment, parsed, utc};
use crate::error::StoreResult;
use crate::rows::setting_value::{from_object, to_object};
use crate::schema::{project_features, projects};

#[derive(Queryable, Selectable)]
#[diesel(table_name = projects)]
pub(crate) struct ProjectRow {
    id: i64,
    namespace_id: i64,
    creator_id: Option<i64>,
    name: String,
    path: String,
    description: Option<String>,
    visibility: String,
    archived: bool,
    default_branch: Option<String>,
    unborn_branch: String,
    avatar: Option<String>,
    ci_config_path: Option<String>,
    merge_method: String,
    forked_from_id: Option<i64>,
    import_status: String,
    import_error: Option<String>,
    imported_from: Option<String>,
    star_count: i64,
    forks_count: i64,
    open_issues_count: i64,
    last_activity_at: Moment,
    created_at: Moment,
    updated_at: Moment,
}

/// Declares the row of the switches; the columns have the names of the domain's fields.
macro_rules! features_row {
    ($($column:ident),* $(,)?) => {
        #[derive(Queryable, Selectable, Insertable, AsChangeset)]
        #[diesel(table_name = project_features)]
        pub(crate) struct FeaturesRow {
            $( $column: bool, )*
            issues_access_level: String,
            merge_requests_access_level: String,
            repository_access_level: String,
            snippets_access_level: String,
            settings: String,
        }

        impl From<&Project> for FeaturesRow {
            fn from(project: &Project) -> Self {
                Self {
                    $( $column: project.features.$column, )*
                    issues_access_level: project.level(&ISSUES).as_str().to_owned(),
                    merge_requests_access_level: project.level(&MERGE_REQUESTS).as_str().to_owned(),
                    repository_access_level: project.level(&REPOSITORY).as_str().to_owned(),
                    snippets_access_level: project.level(&SNIPPETS).as_str().to_owned(),
                    settings: to_object(&project.settings, &[&ISSUES, &MERGE_REQUESTS, &REPOSITORY, &SNIPPETS]),
                }
            }
        }

        impl FeaturesRow {
            const fn features(&self) -> Features {
                Features { $( $column: self.$column, )* }
            }
        }
    };
}

features_row! {
    shared_runners_enabled,
    public_jobs,
    lfs_enabled,
    request_access_enabled,
    resolve_outdated_diff_discussions,
    only_allow_merge_if_pipeline_succeeds,
    only_allow_merge_if_all_discussions_are_resolved,
    printing_merge_request_link_enabled,
}

/// The settings of the project `id`: those in the object, and the levels that have columns.
fn settings(id: i64, row: &FeaturesRow) -> StoreResult<Values> {
    let mut values = from_object(find_setting, "project_features", id, &row.settings)?;
    for (setting, level) in [
        (&ISSUES, &row.issues_access_level),
        (&MERGE_REQUESTS, &row.merge_requests_access_level),
        (&REPOSITORY, &row.repository_access_level),
        (&SNIPPETS, &row.snippets_access_level),
    ] {
        values.set(setting, Value::Text(level.clone()));
    }
    Ok(values)
}

/// A project from its two rows.
pub(crate) fn assemble((row, features): (ProjectRow, FeaturesRow)) -> StoreResult<Project> {
    let import = parsed("projects", "import_status", row.id, &row.import_status, |status| {
        Import::parse(status, row.import_error.clone())
    })?;
    Ok(Project {
        id: ProjectId::new(row.id),
        namespace: NamespaceId::new(row.namespace_id),
        creator: row.creator_id.map(UserId::new),
        visibility: parsed("projects", "visibility", row.id, &row.visibility, Visibility::parse)?,
        merge_method: parsed("projects", "merge_method", row.id, &row.merge_method, MergeMethod::parse)?,
        name: row.name,
        path: row.path,
        description: row.description,
        archived: row.archived,
        default_branch: row.default_branch,
        unborn_branch: row.unborn_branch,
        avatar: row.avatar.as_deref().and_then(Avatar::parse),
        ci_config_path: row.ci_config_path,
        features: features.features(),
        settings: settings(row.id, &features)?,
        forked_from: row.forked_from_id.map(ProjectId::new),
        import,
        imported_from: row.imported_from,
        star_count: row.star_count,
        forks_count: row.forks_count,
        open_issues_count: row.open_issues_count,
        last_activity_at: utc(row.last_activity_at),
        created_at: utc(row.created_at),
        updated_at: utc(row.updated_at),
    })
}
