//! The columns of the flags of hooks.

use diesel::dsl::exists;
use diesel::prelude::*;
use tenon_domain::hook::{HookEvents, Trigger};

use crate::db::connection::Backend;
use crate::schema::{hook_options, hooks};

/// Declares the columns of flags in one table, each with its events.
macro_rules! flag_columns {
    ($name:ident of $table:ident: $($column:ident => $trigger:ident,)*) => {
        #[derive(Queryable, Selectable, Insertable, AsChangeset)]
        #[diesel(table_name = $table)]
        pub(super) struct $name { $( $column: bool, )* }

        impl From<&HookEvents> for $name {
            fn from(events: &HookEvents) -> Self {
                Self { $( $column: events.wants(Trigger::$trigger), )* }
            }
        }

        impl $name {
            pub(super) fn add_to(&self, events: &mut HookEvents) {
                $( events.set(Trigger::$trigger, self.$column); )*
            }
        }
    };
}

// The flag of confidential comments is not among them: it may be null.
flag_columns! {
    FlagColumns of hooks:
    push_events => Push,
    issues_events => Issue,
    confidential_issues_events => ConfidentialIssue,
    merge_requests_events => MergeRequest,
    tag_push_events => TagPush,
    note_events => Note,
    job_events => Job,
    pipeline_events => Pipeline,
    wiki_page_events => WikiPage,
    repository_update_events => RepositoryUpdate,
}

flag_columns! {
    LaterFlagColumns of hook_options:
    emoji_events => Emoji,
    milestone_events => Milestone,
    releases_events => Release,
    feature_flag_events => FeatureFlag,
    deployment_events => Deployment,
    resource_access_token_events => ResourceAccessToken,
}

/// Those of `hooks` whose flag is on; all, for events without a flag.
pub(super) fn flagged(
    hooks: hooks::BoxedQuery<'static, Backend>,
    trigger: Trigger,
) -> hooks::BoxedQuery<'static, Backend> {
    macro_rules! later {
        ($column:ident) => {
            hooks.filter(exists(
                hook_options::table.filter(hook_options::hook_id.eq(hooks::id)).filter(hook_options::$column),
            ))
        };
    }
    match trigger {
        Trigger::Push => hooks.filter(hooks::push_events),
        Trigger::TagPush => hooks.filter(hooks::tag_push_events),
        Trigger::Issue => hooks.filter(hooks::issues_events),
        Trigger::ConfidentialIssue => hooks.filter(hooks::confidential_issues_events),
        Trigger::MergeRequest => hooks.filter(hooks::merge_requests_events),
        Trigger::Note => hooks.filter(hooks::note_events),
        Trigger::ConfidentialNote => hooks.filter(hooks::confidential_note_events.eq(Some(true))),
        Trigger::Job => hooks.filter(hooks::job_events),
        Trigger::Pipeline => hooks.filter(hooks::pipeline_events),
        Trigger::WikiPage => hooks.filter(hooks::wiki_page_events),
        Trigger::Emoji => later!(emoji_events),
        Trigger::Milestone => later!(milestone_events),
        Trigger::Release => later!(releases_events),
        Trigger::FeatureFlag => later!(feature_flag_events),
        Trigger::Deployment => later!(deployment_events),
        Trigger::ResourceAccessToken => later!(resource_access_token_events),
        Trigger::RepositoryUpdate => hooks.filter(hooks::repository_update_events),
        Trigger::System => hooks,
    }
}
