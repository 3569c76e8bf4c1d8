//! Writing projects: the row, its switches and its full path, always together.

#![expect(clippy::ref_option_ref, reason = "what the derive makes of optional columns")]

use diesel::prelude::*;
use tenon_domain::id::{ProjectId, UserId};
use tenon_domain::namespace::Namespace;
use tenon_domain::path;
use tenon_domain::project::Project;
use tenon_domain::time::Timestamp;
use tenon_domain::visibility::Visibility;

use super::row::FeaturesRow;
use crate::db::connection::on_each;
use crate::db::row::naive;
use crate::db::tx::WriteTx;
use crate::error::StoreResult;
use crate::rows::former_path;
use crate::schema::{commit_references, full_paths, notes, project_features, project_tags, projects};

#[derive(Insertable, AsChangeset)]
#[diesel(table_name = projects, treat_none_as_null = true)]
struct ProjectColumns<'a> {
    namespace_id: i64,
    creator_id: Option<i64>,
    name: &'a str,
    path: &'a str,
    description: Option<&'a str>,
    visibility: &'a str,
    archived: bool,
    default_branch: Option<&'a str>,
    unborn_branch: &'a str,
    avatar: Option<String>,
    ci_config_path: Option<&'a str>,
    merge_method: &'a str,
    forked_from_id: Option<i64>,
    import_status: &'a str,
    import_error: Option<&'a str>,
    imported_from: Option<&'a str>,
    last_activity_at: chrono::NaiveDateTime,
    created_at: chrono::NaiveDateTime,
    updated_at: chrono::NaiveDateTime,
}

impl<'a> From<&'a Project> for ProjectColumns<'a> {
    fn from(project: &'a Project) -> Self {
        Self {
            namespace_id: project.namespace.get(),
            creator_id: project.creator.map(UserId::get),
            name: &project.name,
            path: &project.path,
            description: project.description.as_deref(),
            visibility: project.visibility.as_str(),
            archived: project.archived,
            default_branch: project.default_branch.as_deref(),
            unborn_branch: &project.unborn_branch,
            avatar: project.avatar.as_ref().map(ToString::to_string),
            ci_config_path: project.ci_config_path.as_deref(),
            merge_method: project.merge_method.as_str(),
            forked_from_id: project.forked_from.map(ProjectId::get),
            import_status: project.import.status(),
            import_error: project.import.error(),
            imported_from: project.imported_from.as_deref(),
            last_activity_at: naive(project.last_activity_at),
            created_at: naive(project.created_at),
            updated_at: naive(project.updated_at),
        }
    }
}

/// A project that is about to exist. The id in `project` is ignored, and its counters start at zero.
pub struct NewProject<'a> {
    /// The project to be stored.
    pub project: &'a Project,
    /// The namespace it will live in.
    pub namespace: &'a Namespace,
    /// Its tags, cleaned.
    pub tags: &'a [String],
    /// The encrypted token for runners.
    pub sealed_runners_token: &'a str,
}

/// Stores a new project and claims its path. Fails with [`crate::UniqueKey::FullPath`] or
/// [`crate::UniqueKey::ProjectName`] if one is taken.
pub fn insert(tx: &mut WriteTx<'_>, new: &NewProject<'_>) -> StoreResult<ProjectId> {
    let id: i64 = diesel::insert_into(projects::table)
        .values((ProjectColumns::from(new.project), projects::sealed_runners_token.eq(new.sealed_runners_token)))
        .returning(projects::id)
        .get_result(tx.conn)?;
    diesel::insert_into(project_features::table)
        .values((project_features::project_id.eq(id), FeaturesRow::from(new.project)))
        .execute(tx.conn)?;
    let full_path = new.namespace.path_of(&new.project.path);
    diesel::insert_into(full_paths::table)
        .values((full_paths::path_key.eq(path::key(&full_path)), full_paths::project_id.eq(id)))
        .execute(tx.conn)?;
    former_path::release(tx, &full_path)?;
    let id = ProjectId::new(id);
    insert_tags(tx, id, new.tags)?;
    Ok(id)
}

/// Stores the project as it now is, except its counters and its full path.
pub fn update(tx: &mut WriteTx<'_>, project: &Project) -> StoreResult<()> {
    diesel::update(projects::table.find(project.id.get())).set(ProjectColumns::from(project)).execute(tx.conn)?;
    diesel::update(project_features::table.find(project.id.get())).set(FeaturesRow::from(project)).execute(tx.conn)?;
    Ok(())
}

/// Gives a project its full path below `namespace`; the one that it had is remembered. Fails with
/// [`crate::UniqueKey::FullPath`] if it is taken.
pub fn relocate(tx: &mut WriteTx<'_>, project: &Project, namespace: &Namespace) -> StoreResult<()> {
    let full_path = namespace.path_of(&project.path);
    let key = path::key(&full_path);
    let old: Option<String> = full_paths::table
        .filter(full_paths::project_id.eq(project.id.get()))
        .select(full_paths::path_key)
        .first(tx.conn)
        .optional()?;
    diesel::update(full_paths::table.filter(full_paths::project_id.eq(project.id.get())))
        .set(full_paths::path_key.eq(&key))
        .execute(tx.conn)?;
    former_path::release(tx, &full_path)?;
    match old.filter(|old| *old != key) {
        Some(old) => former_path::remember_of_project(tx, &old, project.id.get()),
        None => Ok(()),
    }
}

/// Replaces the tags of a project.
pub fn set_tags(tx: &mut WriteTx<'_>, id: ProjectId, tags: &[String]) -> StoreResult<()> {
    diesel::delete(project_tags::table.filter(project_tags::project_id.eq(id.get()))).execute(tx.conn)?;
    insert_tags(tx, id, tags)
}

fn insert_tags(tx: &mut WriteTx<'_>, id: ProjectId, tags: &[String]) -> StoreResult<()> {
    let rows: Vec<_> =
        tags.iter().map(|tag| (project_tags::project_id.eq(id.get()), project_tags::name.eq(tag))).collect();
    on_each!(tx.conn, c => diesel::insert_into(project_tags::table).values(&rows).execute(c))?;
    Ok(())
}

/// Lowers every fork of `source`, direct or not, that is more open than `visibility`; yields which these were.
pub fn lower_forks(tx: &mut WriteTx<'_>, source: ProjectId, visibility: Visibility) -> StoreResult<Vec<ProjectId>> {
    let more_open: Vec<&str> =
        Visibility::ALL.into_iter().filter(|level| *level > visibility).map(Visibility::as_str).collect();
    let mut parents = vec![source.get()];
    let mut lowered = Vec::new();
    // Each round goes one generation down; a fork that needs no lowering may still have forks that do.
    while !parents.is_empty() {
        let forks: Vec<i64> =
            projects::table.filter(projects::forked_from_id.eq_any(&parents)).select(projects::id).load(tx.conn)?;
        let too_open =
            projects::table.filter(projects::id.eq_any(&forks)).filter(projects::visibility.eq_any(&more_open));
        let changed: Vec<i64> = diesel::update(too_open)
            .set(projects::visibility.eq(visibility.as_str()))
            .returning(projects::id)
            .get_results(tx.conn)?;
        lowered.extend(changed.into_iter().map(ProjectId::new));
        parents = forks;
    }
    Ok(lowered)
}

/// Remembers, sealed, the address of the source of a project's repository, or forgets it.
pub fn set_import_url(tx: &mut WriteTx<'_>, id: ProjectId, sealed: Option<&str>) -> StoreResult<()> {
    diesel::update(projects::table.find(id.get())).set(projects::sealed_import_url.eq(sealed)).execute(tx.conn)?;
    Ok(())
}

/// Counts one fork more, or one fewer.
pub fn count_fork(tx: &mut WriteTx<'_>, source: ProjectId, by: i64) -> StoreResult<()> {
    diesel::update(projects::table.find(source.get()))
        .set(projects::forks_count.eq(projects::forks_count + by))
        .execute(tx.conn)?;
    Ok(())
}

/// Hides a project while a job removes it.
pub fn mark_deleting(tx: &mut WriteTx<'_>, id: ProjectId, at: Timestamp) -> StoreResult<()> {
    diesel::update(projects::table.find(id.get())).set(projects::deleting_at.eq(naive(at))).execute(tx.conn)?;
    Ok(())
}

/// Removes a project and everything that hangs on it; forks survive without their source, whose count goes down.
pub fn delete(tx: &mut WriteTx<'_>, id: ProjectId) -> StoreResult<()> {
    let source: Option<Option<i64>> =
        projects::table.find(id.get()).select(projects::forked_from_id).first(tx.conn).optional()?;
    if let Some(source) = source.flatten() {
        diesel::update(projects::table.find(source))
            .set(projects::forks_count.eq(projects::forks_count - 1))
            .execute(tx.conn)?;
    }
    delete_notes_about_commits(tx, id)?;
    diesel::delete(projects::table.find(id.get())).execute(tx.conn)?;
    Ok(())
}

/// Removes the notes that name commits of a project: without the project, it cannot be decided who may read them.
fn delete_notes_about_commits(tx: &mut WriteTx<'_>, project: ProjectId) -> StoreResult<()> {
    let telling = commit_references::table
        .filter(commit_references::project_id.eq(project.get()))
        .filter(commit_references::note_id.is_not_null())
        .select(commit_references::note_id.assume_not_null());
    diesel::delete(notes::table.filter(notes::id.eq_any(telling))).execute(tx.conn)?;
    Ok(())
}
