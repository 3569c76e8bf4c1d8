//! The kinds of events that hooks receive.

use crate::words::words;

words! {
    /// A kind of events. The names are stored, and shown in the log of deliveries.
    pub enum Trigger {
        /// A push to a branch.
        Push = "push_hooks",
        /// A push of a tag.
        TagPush = "tag_push_hooks",
        /// An issue that everyone who sees the project's issues may read.
        Issue = "issue_hooks",
        /// A confidential issue.
        ConfidentialIssue = "confidential_issue_hooks",
        /// A merge request.
        MergeRequest = "merge_request_hooks",
        /// A comment.
        Note = "note_hooks",
        /// A comment on a confidential issue.
        ConfidentialNote = "confidential_note_hooks",
        /// A job of a pipeline.
        Job = "job_hooks",
        /// A pipeline.
        Pipeline = "pipeline_hooks",
        /// A page of a wiki.
        WikiPage = "wiki_page_hooks",
        /// A reaction with an emoji.
        Emoji = "emoji_hooks",
        /// A milestone of a project.
        Milestone = "milestone_hooks",
        /// A release.
        Release = "release_hooks",
        /// A feature flag.
        FeatureFlag = "feature_flag_hooks",
        /// A deployment.
        Deployment = "deployment_hooks",
        /// An access token of a project that ends soon.
        ResourceAccessToken = "resource_access_token_hooks",
        /// All changes that one push made to the refs of a repository.
        RepositoryUpdate = "repository_update_hooks",
        /// Accounts, keys, groups, projects and members.
        System = "system_hooks",
    }
}

impl Trigger {
    /// The text of the event header, for a hook of a project.
    #[must_use]
    pub const fn header(self) -> &'static str {
        match self {
            Self::Push => "Push Hook",
            Self::TagPush => "Tag Push Hook",
            Self::Issue => "Issue Hook",
            Self::ConfidentialIssue => "Confidential Issue Hook",
            Self::MergeRequest => "Merge Request Hook",
            Self::Note => "Note Hook",
            Self::ConfidentialNote => "Confidential Note Hook",
            Self::Job => "Job Hook",
            Self::Pipeline => "Pipeline Hook",
            Self::WikiPage => "Wiki Page Hook",
            Self::Emoji => "Emoji Hook",
            Self::Milestone => "Milestone Hook",
            Self::Release => "Release Hook",
            Self::FeatureFlag => "Feature Flag Hook",
            Self::Deployment => "Deployment Hook",
            Self::ResourceAccessToken => "Resource Access Token Hook",
            Self::RepositoryUpdate | Self::System => "System Hook",
        }
    }

    /// True if only hooks of the whole server receive such events.
    #[must_use]
    pub const fn is_of_server(self) -> bool {
        matches!(self, Self::RepositoryUpdate | Self::System)
    }
}
