//! Limits of what projects, groups and issues have, of how many groups there are, and of what is kept.

use super::declare::groups;
use super::setting::{GIB, MIB};

groups! {
    /// The limits of one project, group or issue, and of the groups of one user.
    ContentLimits {
        /// Groups that one user has made and still owns, at the top and below others. Administrators make more.
        count groups_per_user = 1_000;
        /// Protected branches of one project; as many protected tags. Each push is compared with all of them.
        count protected_refs = 500;
        /// Rules about approvals of one project. Each of its merge requests is checked against all of them.
        count approval_rules = 100;
        /// Labels of one project, and of one group.
        count labels = 10_000;
        /// Milestones of one project, and of one group.
        count milestones = 10_000;
        /// Variables of one project, of one group, and of the whole server.
        count variables = 1_000;
        /// Badges of one project, and of one group.
        count badges = 100;
        /// Boards of one project, and of one group.
        count boards = 100;
        /// Lists of one board.
        count board_lists = 20;
        /// Environments of one project.
        count environments = 1_000;
        /// Deployments of one project.
        count deployments = 100_000;
        /// Feature flags of one project.
        count feature_flags = 1_000;
        /// Lists of users of one project, for strategies of feature flags.
        count user_lists = 1_000;
        /// Deploy tokens of one project, and of one group.
        count deploy_tokens = 100;
        /// Access tokens of one project, and of one group, without those that were rotated.
        count access_tokens = 100;
        /// Direct members of one project, and of one group.
        count members = 20_000;
        /// Invitations by mail to one project, and to one group, that wait for an answer.
        count invitations = 500;
        /// Requests for access to one project, and to one group, that wait for an answer.
        count access_requests = 500;
        /// Groups to which one project, or one group, is opened.
        count shares = 500;
        /// Comments of one issue, and of one merge request.
        count notes = 5_000;
        /// Links of one issue to others.
        count issue_links = 500;
        /// Reactions of one user to one issue, merge request or note.
        count reactions = 100;
        /// Snippets of one user, of the user alone and in projects.
        count snippets = 1_000;
        /// Bytes of the files of all snippets of one user. 0 sets no limit.
        bytes snippet_bytes = 256 * MIB;
        /// Files that are uploaded to one project.
        count uploads = 100_000;
        /// Files that one user uploads to one project that the user is not a member of.
        count uploads_of_outsider = 1_000;
        /// Paths that are locked in one project (LFS).
        count lfs_locks = 10_000;
    }

    /// The limits of what is kept.
    QuotaLimits {
        /// Bytes of one repository. 0 sets no limit.
        bytes repository = 10 * GIB;
        /// Refs of one repository.
        count refs = 100_000;
        /// Bytes of all uploads of one project. 0 sets no limit.
        bytes uploads = 10 * GIB;
        /// Bytes of the uploads of one user to one project that the user is not a member of.
        bytes uploads_of_outsider = 20 * MIB;
        /// Bytes of one LFS object.
        bytes lfs_object = 5 * GIB;
        /// Bytes of all LFS objects of one project. 0 sets no limit.
        bytes lfs = 50 * GIB;
    }
}
