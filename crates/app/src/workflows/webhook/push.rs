//! The bodies of pushes.

use serde_json::{Map, Value, json};
use tenon_domain::hook::Trigger;
use tenon_domain::id::ProjectId;
use tenon_git::commit::{Commit, CommitQuery};
use tenon_git::{GitError, Oid, TagName};
use tenon_storage::project;

use super::payload::{Scene, hook_commit};
use crate::core::app::App;
use crate::core::error::AppError;
use crate::core::ref_update::RefUpdate;
use crate::repository::refs::push_events::new_commits;
use crate::shared::hook_event::record::MovedRef;

/// The most commits that a push names.
const NAMED: i64 = 20;
/// The id in place of a ref that is not there.
pub(super) const ZERO: &str = "0000000000000000000000000000000000000000";

/// The facts of Git about a push.
#[derive(Default)]
pub(super) struct Pushed {
    /// The newest of its commits, oldest first, with the files that they have changed.
    commits: Vec<(Commit, Value)>,
    total: i64,
    /// The commit that is there now.
    checkout: Option<String>,
    /// The text of an annotated tag.
    message: Option<String>,
}

impl Pushed {
    /// A push of which Git says nothing.
    pub(super) fn unread(after: Option<&str>) -> Self {
        Self { checkout: after.map(str::to_owned), ..Self::default() }
    }
}

/// Asks Git for what a push has brought. Fails if its commits are gone.
pub(super) fn read(
    app: &App,
    project: ProjectId,
    name: &str,
    before: Option<&str>,
    after: Option<&str>,
) -> Result<Pushed, AppError> {
    let Some(new) = after.and_then(|after| after.parse::<Oid>().ok()) else { return Ok(Pushed::default()) };
    let repository = app.repositories().store.repository(project);
    let range = match name.strip_prefix("refs/heads/") {
        Some(branch) => {
            let known = app.database().read(|tx| project::find(tx, project))?;
            let default = known.and_then(|project| project.default_branch);
            let old = before.and_then(|before| before.parse().ok()).unwrap_or(Oid::ZERO);
            let moved = RefUpdate { name: name.to_owned(), old, new };
            new_commits(&repository, &moved, branch, default.as_deref())
        }
        None => return read_tag(app, project, name, new),
    };
    let query = CommitQuery::new(range?);
    let (mut commits, total) = (repository.commit_list(&query, 0, NAMED)?, repository.commit_count(&query)?);
    commits.reverse();
    Ok(Pushed { commits: with_paths(&repository, commits)?, total, checkout: Some(new.to_string()), message: None })
}

fn read_tag(app: &App, project: ProjectId, name: &str, new: Oid) -> Result<Pushed, AppError> {
    let repository = app.repositories().store.repository(project);
    let tag = match name.strip_prefix("refs/tags/").map(TagName::parse) {
        Some(Ok(tag)) => repository.tag(&tag)?,
        Some(Err(_)) | None => None,
    };
    let Some(tag) = tag.filter(|tag| tag.target == new) else {
        return Ok(Pushed { checkout: Some(new.to_string()), ..Pushed::default() });
    };
    // A tag of a file or directory has no commit.
    let commit = tag.commit.clone();
    Ok(Pushed {
        total: i64::from(commit.is_some()),
        checkout: commit.as_ref().map(|commit| commit.id.to_string()),
        commits: with_paths(&repository, commit.into_iter().collect())?,
        message: tag.annotation.map(|annotation| annotation.message),
    })
}

fn with_paths(repository: &tenon_git::Repository, commits: Vec<Commit>) -> Result<Vec<(Commit, Value)>, AppError> {
    let ids: Vec<Oid> = commits.iter().map(|commit| commit.id).collect();
    let mut paths = match repository.changed_paths(&ids) {
        Err(GitError::TooLarge(_)) => std::collections::HashMap::new(),
        found => found?,
    };
    let with_its_own = |commit: Commit| {
        let changed = paths.remove(&commit.id).unwrap_or_default();
        let changed = json!({ "added": changed.added, "modified": changed.modified, "removed": changed.removed });
        (commit, changed)
    };
    Ok(commits.into_iter().map(with_its_own).collect())
}

/// The body of a push to a branch or tag.
pub(super) fn body(
    scene: &Scene,
    trigger: Trigger,
    name: &str,
    before: Option<&str>,
    after: Option<&str>,
    pushed: &Pushed,
) -> Value {
    let kind = if trigger == Trigger::TagPush { "tag_push" } else { "push" };
    let commits: Vec<Value> = pushed
        .commits
        .iter()
        .map(|(commit, changed)| {
            let mut one = hook_commit(scene, commit);
            if let (Value::Object(one), Value::Object(changed)) = (&mut one, changed) {
                one.extend(changed.clone());
            }
            one
        })
        .collect();
    let mut body = Map::new();
    let user = scene.user_fields();
    for (field, value) in [
        ("object_kind", json!(kind)),
        ("event_name", json!(kind)),
        ("before", json!(before.unwrap_or(ZERO))),
        ("after", json!(after.unwrap_or(ZERO))),
        ("ref", json!(name)),
        ("checkout_sha", json!(pushed.checkout)),
        ("message", json!(pushed.message)),
    ] {
        body.insert(field.to_owned(), value);
    }
    body.extend(user);
    for (field, value) in [
        ("project_id", json!(scene.project_id())),
        ("project", scene.project()),
        ("commits", Value::Array(commits)),
        ("total_commits_count", json!(pushed.total)),
        ("push_options", json!({})),
        ("repository", scene.repository_of_push()),
    ] {
        body.insert(field.to_owned(), value);
    }
    Value::Object(body)
}

/// The body of what a push did to all refs.
pub(super) fn update_body(scene: &Scene, refs: &[MovedRef]) -> Value {
    let mut body = Map::new();
    body.insert("event_name".to_owned(), json!("repository_update"));
    body.extend(scene.user_fields());
    let ends = |commit: &Option<String>| commit.clone().unwrap_or_else(|| ZERO.to_owned());
    let changes: Vec<Value> = refs
        .iter()
        .map(|one| json!({ "before": ends(&one.before), "after": ends(&one.after), "ref": one.name }))
        .collect();
    for (field, value) in [
        ("project_id", json!(scene.project_id())),
        ("project", scene.project()),
        ("changes", Value::Array(changes)),
        ("refs", json!(refs.iter().map(|one| one.name.as_str()).collect::<Vec<_>>())),
    ] {
        body.insert(field.to_owned(), value);
    }
    Value::Object(body)
}
