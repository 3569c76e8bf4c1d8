//! The stored data of an event until its body is made.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tenon_domain::id::UserId;
use tenon_domain::time::Timestamp;

/// The data as of the moment of an event. It is stored until the body is made of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "snake_case")]
pub(crate) enum Captured {
    /// A ref was made, moved or removed.
    Push {
        /// Its full name.
        name: String,
        /// The commit before; `None` for a new ref.
        before: Option<String>,
        /// The commit after; `None` for one that was removed.
        after: Option<String>,
    },
    /// An issue or merge request was opened or changed.
    Issuable(IssuableCapture),
    /// A comment was written on an issue or merge request.
    Note {
        /// The attributes of the comment, as they are sent.
        attributes: Map<String, Value>,
        /// The issue or merge request; its changes are empty.
        on: IssuableCapture,
    },
    /// A comment was written on a commit.
    CommitNote {
        /// The attributes of the comment, as they are sent.
        attributes: Map<String, Value>,
        /// The commit.
        sha: String,
    },
    /// A comment was written on a snippet.
    SnippetNote {
        /// The attributes of the comment, as they are sent.
        attributes: Map<String, Value>,
        /// Those of the snippet.
        snippet: Map<String, Value>,
    },
    /// A pipeline came into another state.
    Pipeline {
        /// The pipeline.
        pipeline: PipelineCapture,
        /// Its jobs.
        jobs: Vec<JobCapture>,
    },
    /// A job came into another state.
    Job {
        /// The pipeline that it belongs to.
        pipeline: PipelineCapture,
        /// The job.
        job: JobCapture,
    },
    /// A reaction was given or taken back.
    Award {
        /// The attributes of the reaction, as they are sent.
        attributes: Map<String, Value>,
        /// The attributes of the comment that it is for, if it is for one.
        note: Option<Map<String, Value>>,
        /// The issue or merge request; its changes are empty.
        on: IssuableCapture,
    },
    /// A milestone was made, closed or opened again.
    Milestone {
        /// Its attributes, as they are sent.
        attributes: Map<String, Value>,
        /// The word for what was done with it.
        action: String,
    },
    /// A release was made, changed or removed.
    Release(ReleaseCapture),
    /// A deployment came into another state.
    Deployment(DeploymentCapture),
    /// A feature flag was switched on or off.
    FeatureFlag {
        /// Its attributes, as they are sent.
        attributes: Map<String, Value>,
    },
    /// A page of the wiki was made, changed or removed.
    WikiPage {
        /// Its attributes, as they are sent but for its address.
        attributes: Map<String, Value>,
        /// The branch of the pages.
        branch: String,
    },
    /// All changes of one push.
    RepositoryUpdate {
        /// The refs, in the order in which the push names them.
        refs: Vec<MovedRef>,
    },
    /// Something that concerns the whole server.
    System {
        /// The event as it is sent.
        body: Map<String, Value>,
    },
}

impl Captured {
    /// The full name of the ref that was pushed, for the filters of hooks.
    pub(crate) fn pushed_ref(&self) -> Option<&str> {
        if let Self::Push { name, .. } = self { Some(name) } else { None }
    }

    /// The user whom the body names as the one that it is about, if `actor` made it happen: pipelines and jobs are of
    /// those who have set them going.
    pub(crate) fn named_user(&self, actor: Option<UserId>) -> Option<UserId> {
        match self {
            Self::Pipeline { pipeline, .. } => pipeline.user.map(UserId::new),
            Self::Job { job, .. } => job.user.map(UserId::new),
            Self::Push { .. }
            | Self::Issuable(_)
            | Self::Note { .. }
            | Self::CommitNote { .. }
            | Self::SnippetNote { .. }
            | Self::Award { .. }
            | Self::Milestone { .. }
            | Self::Release(_)
            | Self::Deployment(_)
            | Self::FeatureFlag { .. }
            | Self::WikiPage { .. }
            | Self::RepositoryUpdate { .. }
            | Self::System { .. } => actor,
        }
    }

    /// The one commit that it is about, besides pushes.
    pub(crate) fn commit(&self) -> Option<&str> {
        match self {
            Self::CommitNote { sha, .. } => Some(sha),
            Self::Pipeline { pipeline, .. } | Self::Job { pipeline, .. } => Some(&pipeline.sha),
            Self::Deployment(of) => Some(&of.sha),
            Self::Push { .. }
            | Self::Issuable(_)
            | Self::Note { .. }
            | Self::SnippetNote { .. }
            | Self::Award { .. }
            | Self::Milestone { .. }
            | Self::Release(_)
            | Self::FeatureFlag { .. }
            | Self::WikiPage { .. }
            | Self::RepositoryUpdate { .. }
            | Self::System { .. } => None,
        }
    }

    /// The tag of the release that it is about.
    pub(crate) fn tag(&self) -> Option<&str> {
        if let Self::Release(of) = self { Some(&of.tag) } else { None }
    }
}

/// A ref that was made, moved or removed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct MovedRef {
    /// Its full name.
    pub(crate) name: String,
    /// The commit before; `None` for a new ref.
    pub(crate) before: Option<String>,
    /// The commit after; `None` for one that was removed.
    pub(crate) after: Option<String>,
}

/// An issue or merge request as it was.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct IssuableCapture {
    /// `issue` or `merge_request`.
    pub(crate) kind: String,
    /// Its attributes, as they are sent.
    pub(crate) attributes: Map<String, Value>,
    /// Its labels, and those before.
    pub(crate) labels: Changed,
    /// Its assignees, and those before.
    pub(crate) assignees: Changed,
    /// The attributes that changed: `{"title": {"previous": .., "current": ..}}`.
    pub(crate) changes: Map<String, Value>,
    /// The head before a push to the source branch of a merge request.
    pub(crate) oldrev: Option<String>,
}

/// A release as it was.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ReleaseCapture {
    /// Its attributes, as they are sent.
    pub(crate) attributes: Map<String, Value>,
    /// The name of its tag.
    pub(crate) tag: String,
    /// Its links, as they are sent.
    pub(crate) links: Vec<Value>,
    /// The word for what was done with it.
    pub(crate) action: String,
}

/// A deployment as it was.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct DeploymentCapture {
    pub(crate) id: i64,
    pub(crate) status: String,
    /// When it came into its state.
    pub(crate) changed_at: String,
    /// The name of the environment.
    pub(crate) environment: String,
    /// The slug of the environment.
    pub(crate) slug: String,
    /// The tier of the environment.
    pub(crate) tier: String,
    /// The address at which the environment is found.
    pub(crate) external_url: Option<String>,
    pub(crate) ref_name: String,
    pub(crate) sha: String,
}

/// Ids, and what they were before if they have changed.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Changed {
    pub(crate) now: Vec<i64>,
    pub(crate) before: Option<Vec<i64>>,
}

/// When something was made, began and ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Times {
    pub(crate) created_at: String,
    pub(crate) started_at: Option<String>,
    pub(crate) finished_at: Option<String>,
    /// Seconds from the beginning to the end.
    pub(crate) duration: Option<i64>,
}

impl Times {
    pub(crate) fn of(created: Timestamp, started: Option<Timestamp>, finished: Option<Timestamp>) -> Self {
        Self {
            created_at: moment(created),
            started_at: started.map(moment),
            finished_at: finished.map(moment),
            duration: started.zip(finished).map(|(from, to)| (to - from).num_seconds()),
        }
    }
}

/// A pipeline as it was.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PipelineCapture {
    pub(crate) id: i64,
    /// Who has set it going. Others may have changed it since.
    #[serde(default)]
    pub(crate) user: Option<i64>,
    pub(crate) ref_name: String,
    pub(crate) tag: bool,
    pub(crate) sha: String,
    pub(crate) status: String,
    pub(crate) times: Times,
}

/// A job as it was.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct JobCapture {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) status: String,
    pub(crate) times: Times,
    /// Who has posted it.
    pub(crate) user: Option<i64>,
}

/// A moment as receivers of this generation parse it.
pub(crate) fn moment(at: Timestamp) -> String {
    at.format("%Y-%m-%d %H:%M:%S UTC").to_string()
}

/// The fields of a JSON object.
pub(crate) fn fields(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _other => Map::new(),
    }
}
