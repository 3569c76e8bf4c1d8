//! The kinds of services.

use super::ServiceEvent::{
    Commit, ConfidentialIssue, ConfidentialNote, Issue, MergeRequest, Note, Pipeline, Push, TagPush, WikiPage,
};
use super::{Definition, Field, FieldKind, ServiceEvent};

const fn field(name: &'static str, kind: FieldKind) -> Field {
    Field { name, kind, required: false, listed: true }
}

const fn line(name: &'static str) -> Field {
    field(name, FieldKind::Line)
}

const fn text(name: &'static str) -> Field {
    field(name, FieldKind::Text)
}

const fn url(name: &'static str) -> Field {
    field(name, FieldKind::Url)
}

const fn flag(name: &'static str) -> Field {
    field(name, FieldKind::Flag(None))
}

/// A flag that holds for a service that does not say.
const fn default_yes(name: &'static str) -> Field {
    field(name, FieldKind::Flag(Some(true)))
}

impl Field {
    const fn required(self) -> Self {
        Self { required: true, ..self }
    }

    const fn unlisted(self) -> Self {
        Self { listed: false, ..self }
    }
}

const TOKEN: Field = line("token").required();
const WEBHOOK: Field = field("webhook", FieldKind::Webhook).required();
const VERIFIES: Field = flag("enable_ssl_verification");
const ONLY_BROKEN: Field = default_yes("notify_only_broken_pipelines");
const ONLY_DEFAULT: Field = default_yes("notify_only_default_branch");
/// The field that newer releases have instead of [`ONLY_DEFAULT`].
const BRANCHES: Field = line("branches_to_be_notified");

const NEVER: &[ServiceEvent] = &[];
const PUSH: &[ServiceEvent] = &[Push];
const CODE: &[ServiceEvent] = &[Push, MergeRequest, TagPush];
const CHAT: &[ServiceEvent] =
    &[Push, Issue, ConfidentialIssue, MergeRequest, Note, ConfidentialNote, TagPush, Pipeline, WikiPage];
const CHAT_WITHOUT_WIKI: &[ServiceEvent] =
    &[Push, Issue, ConfidentialIssue, MergeRequest, Note, ConfidentialNote, TagPush, Pipeline];

const CHANNELS: &[Field] = &[
    WEBHOOK,
    line("username"),
    line("channel").unlisted(),
    ONLY_BROKEN,
    ONLY_DEFAULT,
    BRANCHES,
    line("push_channel"),
    line("issue_channel"),
    line("confidential_issue_channel"),
    line("merge_request_channel"),
    line("note_channel"),
    line("confidential_note_channel"),
    line("tag_push_channel"),
    line("pipeline_channel"),
    line("wiki_page_channel"),
];
const WEBHOOK_ONLY: &[Field] = &[WEBHOOK, ONLY_BROKEN, ONLY_DEFAULT, BRANCHES];
const TRACKER: &[Field] = &[
    url("new_issue_url").required(),
    url("issues_url").required(),
    url("project_url").required(),
    text("description"),
    line("title"),
];
const TRACKER_BY_NAME: &[Field] = &[
    url("new_issue_url").required(),
    url("issues_url").required(),
    url("project_url").required(),
    text("description"),
    line("title").unlisted(),
];

const fn service(
    slug: &'static str,
    title: &'static str,
    fields: &'static [Field],
    events: &'static [ServiceEvent],
) -> Definition {
    Definition { slug, title, fields, events }
}

/// All kinds, by their names.
pub static DEFINITIONS: &[Definition] = &[
    service("asana", "Asana", &[line("api_key").required(), line("restrict_to_branch")], PUSH),
    service("assembla", "Assembla", &[TOKEN, line("subdomain")], PUSH),
    service(
        "bamboo",
        "Atlassian Bamboo CI",
        &[
            url("bamboo_url").required(),
            line("build_key").required(),
            line("username").required(),
            line("password").required(),
        ],
        PUSH,
    ),
    service("bugzilla", "Bugzilla", TRACKER_BY_NAME, PUSH),
    service("buildkite", "Buildkite", &[TOKEN, url("project_url").required(), VERIFIES], PUSH),
    service("campfire", "Campfire", &[TOKEN, line("subdomain"), line("room")], PUSH),
    service("custom-issue-tracker", "Custom Issue Tracker", TRACKER, PUSH),
    service(
        "datadog",
        "Datadog",
        &[
            line("api_key").required(),
            url("api_url"),
            line("datadog_site"),
            line("datadog_service"),
            line("datadog_env"),
            text("datadog_tags"),
            flag("archive_trace_events"),
        ],
        &[Pipeline, ServiceEvent::Job],
    ),
    service("discord", "Discord Notifications", WEBHOOK_ONLY, CHAT),
    service("drone-ci", "Drone CI", &[TOKEN, url("drone_url").required(), VERIFIES], CODE),
    service(
        "emails-on-push",
        "Emails on push",
        &[
            field("recipients", FieldKind::Mailboxes).required(),
            flag("disable_diffs"),
            flag("send_from_committer_email"),
            BRANCHES,
        ],
        &[Push, TagPush],
    ),
    service("external-wiki", "External Wiki", &[url("external_wiki_url").required()], NEVER),
    service("flowdock", "Flowdock", &[TOKEN], PUSH),
    service("github", "GitHub", &[TOKEN, url("repository_url").required(), flag("static_context")], &[Pipeline]),
    service("hangouts-chat", "Hangouts Chat", WEBHOOK_ONLY, CHAT),
    service(
        "harbor",
        "Harbor",
        &[
            url("url").required(),
            line("project_name").required(),
            line("username").required(),
            line("password").required(),
        ],
        NEVER,
    ),
    service(
        "hipchat",
        "HipChat",
        &[TOKEN, line("room"), line("color"), flag("notify"), line("api_version"), url("server"), ONLY_BROKEN],
        CHAT_WITHOUT_WIKI,
    ),
    service(
        "irker",
        "Irker (IRC gateway)",
        &[
            field("recipients", FieldKind::IrcTargets).required(),
            line("default_irc_uri"),
            field("server_host", FieldKind::Host),
            field("server_port", FieldKind::Port),
            flag("colorize_messages"),
        ],
        PUSH,
    ),
    service(
        "jenkins",
        "Jenkins",
        &[url("jenkins_url").required(), line("project_name").required(), line("username"), line("password"), VERIFIES],
        CODE,
    ),
    service(
        "jira",
        "JIRA",
        &[
            url("url").required(),
            line("username").required(),
            line("password").required(),
            url("api_url"),
            line("jira_issue_transition_id"),
        ],
        &[Commit, MergeRequest],
    ),
    service(
        "kubernetes",
        "Kubernetes",
        &[line("namespace").required(), url("api_url").required(), TOKEN, text("ca_pem")],
        NEVER,
    ),
    service(
        "matrix",
        "Matrix notifications",
        &[url("hostname"), TOKEN, line("room").required(), ONLY_BROKEN, BRANCHES],
        CHAT,
    ),
    service("mattermost", "Mattermost notifications", CHANNELS, CHAT),
    service("mattermost-slash-commands", "Mattermost slash commands", &[TOKEN], NEVER),
    service("microsoft-teams", "Microsoft Teams Notification", WEBHOOK_ONLY, CHAT),
    service("packagist", "Packagist", &[line("username").required(), TOKEN, url("server")], CODE),
    service(
        "pipelines-email",
        "Pipelines emails",
        &[field("recipients", FieldKind::Mailboxes).required(), ONLY_BROKEN, BRANCHES],
        &[Pipeline],
    ),
    service("pivotaltracker", "PivotalTracker", &[TOKEN, line("restrict_to_branch")], PUSH),
    service("prometheus", "Prometheus", &[default_yes("manual_configuration"), url("api_url").required()], NEVER),
    service(
        "pushover",
        "Pushover",
        &[
            line("api_key").required(),
            line("user_key").required(),
            line("priority").required(),
            line("device").required(),
            line("sound").required(),
        ],
        PUSH,
    ),
    service(
        "redmine",
        "Redmine",
        &[
            url("new_issue_url").required(),
            url("project_url").required(),
            url("issues_url").required(),
            text("description"),
        ],
        PUSH,
    ),
    service("slack", "Slack notifications", CHANNELS, CHAT),
    service("slack-slash-commands", "Slack slash commands", &[TOKEN], NEVER),
    service(
        "teamcity",
        "JetBrains TeamCity CI",
        &[
            url("teamcity_url").required(),
            line("build_type").required(),
            line("username").required(),
            line("password").required(),
        ],
        PUSH,
    ),
    service(
        "telegram",
        "Telegram",
        &[url("hostname"), TOKEN, line("room").required(), line("thread"), ONLY_BROKEN, BRANCHES],
        CHAT,
    ),
    service("unify-circuit", "Unify Circuit", WEBHOOK_ONLY, CHAT),
    service("webex-teams", "Webex Teams", WEBHOOK_ONLY, CHAT),
    service(
        "youtrack",
        "YouTrack",
        &[url("issues_url").required(), url("project_url").required(), text("description")],
        PUSH,
    ),
];
