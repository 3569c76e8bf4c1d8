//! The events of a push, as activities show them, and the reading of the messages that it brought.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use tenon_domain::id::{ProjectId, UserId};
use tenon_domain::repository::RefKind;
use tenon_git::commit::{CommitQuery, CommitRange};
use tenon_git::{BranchName, Oid, Repository};
use tenon_storage::job::Queue;

use crate::core::error::AppError;
use crate::core::push_sessions::Pusher;
use crate::core::ref_update::RefUpdate;
use crate::jobs::Job;
use crate::repository::refs::push_policy::short_name;

/// The data that a push event keeps; the shape of `push_data` in the API.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PushData {
    /// How many commits came; 0 for several refs.
    pub commit_count: i64,
    /// `created`, `removed` or `pushed`.
    pub action: String,
    /// `branch` or `tag`.
    pub ref_type: String,
    /// The commit before.
    pub commit_from: Option<String>,
    /// The commit after.
    pub commit_to: Option<String>,
    /// The short name; `None` for several refs.
    #[serde(rename = "ref")]
    pub ref_name: Option<String>,
    /// The first line of the newest commit.
    pub commit_title: Option<String>,
    /// The number of refs, if the push did the same to more of them than get an event each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ref_count: Option<i64>,
    /// True if the commits were pushed with a deploy key, or have come from the repository that a mirror follows: their messages
    /// change nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_deploy_key: bool,
}

impl PushData {
    /// True if the push has created a branch all of whose commits the default branch had already.
    pub(crate) fn has_made_nothing_new(&self) -> bool {
        self.action == "created" && self.commit_count == 0
    }

    /// That the same was done to so many refs.
    fn of_several(shown: &Shown<'_>, count: usize) -> Self {
        Self {
            commit_count: 0,
            action: shown.action.to_owned(),
            ref_type: shown.ref_type.to_owned(),
            commit_from: None,
            commit_to: None,
            ref_name: None,
            commit_title: None,
            ref_count: i64::try_from(count).ok(),
            by_deploy_key: false,
        }
    }
}

/// Reads the messages of commits that came to a branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ProcessCommitMessages {
    /// Into which project.
    pub(crate) project: i64,
    /// Who pushed them.
    pub(crate) pusher: i64,
    /// To which branch.
    pub(crate) branch: String,
    /// The commit of the branch before; nothing if it is new.
    pub(crate) from: Option<String>,
    /// Its present commit.
    pub(crate) to: String,
}

impl Job for ProcessCommitMessages {
    const KIND: &'static str = "read_messages";
    const QUEUE: Queue = Queue::Git;

    fn charged_to(&self) -> Option<UserId> {
        Some(UserId::new(self.pusher))
    }
}

impl ProcessCommitMessages {
    /// The commits of a push; nothing if it brought none to a branch, and if no user has pushed them: with a deploy key
    /// come no rights in issues.
    pub(crate) fn of(project: ProjectId, pusher: UserId, push: PushData) -> Option<Self> {
        let to = push.commit_to.filter(|_| push.ref_type == "branch" && !push.by_deploy_key)?;
        let branch = push.ref_name?;
        Some(Self { project: project.get(), pusher: pusher.get(), branch, from: push.commit_from, to })
    }
}

/// The most refs of a push that get an event, or whose messages are read; each costs a few processes.
pub(crate) const MAX_EVENTS: usize = 50;
/// The longest title that an event remembers, in characters.
const MAX_TITLE: usize = 70;

/// The events of a push, and the reading of messages that follows from it beside them.
#[derive(Debug, Default)]
pub(crate) struct PushEvents {
    /// The events, that of the default branch first.
    pub(crate) events: Vec<PushData>,
    /// The branches without an event of their own whose messages are read.
    pub(crate) messages: Vec<ProcessCommitMessages>,
}

/// A branch or tag that has moved.
struct Shown<'r> {
    moved: &'r RefUpdate,
    name: &'r str,
    /// `branch` or `tag`.
    ref_type: &'static str,
    action: &'static str,
}

impl<'r> Shown<'r> {
    fn of(moved: &'r RefUpdate) -> Option<Self> {
        let (kind, name) = short_name(&moved.name);
        let ref_type = match kind {
            RefKind::Branch => "branch",
            RefKind::Tag => "tag",
            RefKind::Other => return None,
        };
        let action = match (moved.old.is_zero(), moved.new.is_zero()) {
            (true, _) => "created",
            (false, true) => "removed",
            (false, false) => "pushed",
        };
        Some(Self { moved, name, ref_type, action })
    }
}

impl PushEvents {
    /// The events of a push that has moved these refs. If it has done the same to more than `most_alone` branches or tags, they
    /// share one event. Asks Git about the others.
    pub(crate) fn of(
        project: ProjectId,
        repository: &Repository,
        moved: &[RefUpdate],
        by: Pusher,
        default: Option<&str>,
        most_alone: usize,
    ) -> Result<Self, AppError> {
        let is_default = |one: &&RefUpdate| one.name.strip_prefix("refs/heads/") == default;
        let default_first = moved.iter().filter(is_default).chain(moved.iter().filter(|one| !is_default(one)));
        let shown: Vec<Shown<'_>> = default_first.filter_map(Shown::of).collect();
        let mut alike: HashMap<(&str, &str), usize> = HashMap::new();
        for one in &shown {
            *alike.entry((one.ref_type, one.action)).or_default() += 1;
        }
        let by_deploy_key = by.user().is_none();
        let mut made = Self::default();
        let mut alone = 0;
        for one in &shown {
            let count = alike.get(&(one.ref_type, one.action)).copied().unwrap_or_default();
            if count <= most_alone {
                if alone < MAX_EVENTS {
                    alone += 1;
                    made.events.push(PushData { by_deploy_key, ..push_data(repository, one, default)? });
                }
                continue;
            }
            let event = PushData::of_several(one, count);
            if !made.events.contains(&event) {
                made.events.push(event);
            }
            if let (Some(pusher), Some(to)) = (by.user(), present(one.moved.new))
                && one.ref_type == "branch"
                && made.messages.len() < MAX_EVENTS
            {
                let from = present(one.moved.old);
                let (project, pusher, branch) = (project.get(), pusher.get(), one.name.to_owned());
                made.messages.push(ProcessCommitMessages { project, pusher, branch, from, to });
            }
        }
        Ok(made)
    }
}

/// An object as rows have it; `None` for zeros.
pub(crate) fn present(oid: Oid) -> Option<String> {
    (!oid.is_zero()).then(|| oid.to_string())
}

fn push_data(repository: &Repository, shown: &Shown<'_>, default: Option<&str>) -> Result<PushData, AppError> {
    let Shown { moved, name, ref_type, action } = *shown;
    let mut commit_count = 0;
    let mut commit_title = None;
    if ref_type == "branch" && !moved.new.is_zero() {
        let range = new_commits(repository, moved, name, default)?;
        commit_count = repository.commit_count(&CommitQuery::new(range))?;
        commit_title = repository.commit(moved.new)?.map(|commit| shortened(commit.title()));
    }
    Ok(PushData {
        commit_count,
        action: action.to_owned(),
        ref_type: ref_type.to_owned(),
        commit_from: present(moved.old),
        commit_to: present(moved.new),
        ref_name: Some(name.to_owned()),
        commit_title,
        ref_count: None,
        by_deploy_key: false,
    })
}

/// The commits that an update of a branch has brought: for a new branch, those that the default branch does not have.
pub(crate) fn new_commits(
    repository: &Repository,
    moved: &RefUpdate,
    branch: &str,
    default: Option<&str>,
) -> Result<CommitRange, AppError> {
    if !moved.old.is_zero() {
        return Ok(CommitRange::Between { from: moved.old, to: moved.new });
    }
    let tip = match default.filter(|default| *default != branch) {
        Some(default) => default_tip(repository, default)?,
        None => None,
    };
    Ok(tip.map_or(CommitRange::From(moved.new), |from| CommitRange::Between { from, to: moved.new }))
}

/// The commit of the default branch.
pub(crate) fn default_tip(repository: &Repository, branch: &str) -> Result<Option<Oid>, AppError> {
    let Ok(branch) = BranchName::parse(branch) else { return Ok(None) };
    Ok(repository.ref_target(&branch.full())?)
}

fn shortened(title: &str) -> String {
    if title.chars().count() <= MAX_TITLE {
        return title.to_owned();
    }
    title.chars().take(MAX_TITLE - 1).chain(['…']).collect()
}
