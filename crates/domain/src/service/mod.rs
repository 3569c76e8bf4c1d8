//! Services (the newer name is integrations): other programs that a project is connected to. All kinds are rows of one
//! table ([`DEFINITIONS`]). Some of them are sent events, some change the targets of links, and the others only keep
//! their settings.

mod recipients;
mod table;

use std::collections::{BTreeMap, HashSet};

use crate::hook::Flag;
use crate::id::{ProjectId, ServiceId};
use crate::time::Timestamp;
use crate::words::words;

pub use recipients::{irc_targets, mailboxes};
pub use table::DEFINITIONS;

/// A kind of services.
#[derive(Debug, PartialEq, Eq)]
pub struct Definition {
    /// Its name in paths.
    pub slug: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// The fields that can be set.
    pub fields: &'static [Field],
    /// The events for which it is called, if its flags say so too.
    pub events: &'static [ServiceEvent],
}

/// One setting of a kind of services.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Which values it takes.
    pub kind: FieldKind,
    /// True if each change has to bring it.
    pub required: bool,
    /// True if it is shown, unless it is a secret.
    pub listed: bool,
}

/// Which values a setting takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// A text of one line.
    Line,
    /// A text.
    Text,
    /// A URL.
    Url,
    /// A URL that is a secret itself: to know it is enough to send there.
    Webhook,
    /// Yes or no, and what it is for a service that does not say.
    Flag(Option<bool>),
    /// The name or address of a machine.
    Host,
    /// A port.
    Port,
    /// Addresses of mail.
    Mailboxes,
    /// Channels and people on IRC.
    IrcTargets,
}

words! {
    /// The events for which a service may be called, by the names of the flags.
    pub enum ServiceEvent {
        /// Pushes to branches.
        Push = "push_events",
        /// Pushes of tags.
        TagPush = "tag_push_events",
        /// Issues that everyone may read.
        Issue = "issues_events",
        /// Confidential issues.
        ConfidentialIssue = "confidential_issues_events",
        /// Merge requests.
        MergeRequest = "merge_requests_events",
        /// Comments.
        Note = "note_events",
        /// Comments on confidential issues.
        ConfidentialNote = "confidential_note_events",
        /// Pipelines.
        Pipeline = "pipeline_events",
        /// Wiki pages.
        WikiPage = "wiki_page_events",
        /// Jobs.
        Job = "job_events",
        /// Commits whose messages name something of the service.
        Commit = "commit_events",
    }
}

impl ServiceEvent {
    /// The flag of hooks with the same events; `None` for what hooks do not receive.
    #[must_use]
    pub fn flag(self) -> Option<&'static Flag> {
        Flag::named(self.as_str())
    }
}

/// The value of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Property {
    /// A text.
    Text(String),
    /// Yes or no.
    Flag(bool),
    /// A number.
    Number(i64),
}

/// The settings of a service by their names; what is not set is absent.
pub type Properties = BTreeMap<String, Property>;

/// Which happenings a service wants. Without a word about it, all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceEvents(HashSet<ServiceEvent>);

impl Default for ServiceEvents {
    fn default() -> Self {
        Self(ServiceEvent::ALL.iter().copied().collect())
    }
}

impl ServiceEvents {
    /// True if `event` is wanted.
    #[must_use]
    pub fn wants(&self, event: ServiceEvent) -> bool {
        self.0.contains(&event)
    }

    /// Sets a flag.
    pub fn set(&mut self, event: ServiceEvent, on: bool) {
        if on {
            self.0.insert(event);
        } else {
            self.0.remove(&event);
        }
    }
}

/// A service of a project. Its settings are stored apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Service {
    /// Unique over the whole server.
    pub id: ServiceId,
    /// Whose it is.
    pub project: ProjectId,
    /// Its kind.
    pub definition: &'static Definition,
    /// True if it is in use.
    pub active: bool,
    /// The events that it wants.
    pub events: ServiceEvents,
    /// When it was first set.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl Service {
    /// True if the service is to be called for `event`: it is in use, its kind can, and its flag says so.
    #[must_use]
    pub fn is_called_for(&self, event: ServiceEvent) -> bool {
        self.active && self.definition.events.contains(&event) && self.events.wants(event)
    }
}

impl Definition {
    /// The kind with this name. Newer releases call one of them by another name.
    #[must_use]
    pub fn find(slug: &str) -> Option<&'static Self> {
        let slug = if slug == "google-chat" { "hangouts-chat" } else { slug };
        DEFINITIONS.iter().find(|definition| definition.slug == slug)
    }

    /// True if this server sends events to services of this kind.
    #[must_use]
    pub fn is_sent_events(&self) -> bool {
        let chats = ["slack", "mattermost", "microsoft-teams", "hangouts-chat"];
        let mails = ["emails-on-push", "pipelines-email"];
        chats.contains(&self.slug) || mails.contains(&self.slug) || self.slug == "irker"
    }

    /// The setting of this name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

impl Field {
    /// True if the value is a secret: it is never shown.
    #[must_use]
    pub fn is_secret(&self) -> bool {
        ["password", "token", "key"].iter().any(|word| self.name.contains(word))
    }

    /// True if answers have it.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        self.listed && !self.is_secret()
    }

    /// True if it is encrypted in the database.
    #[must_use]
    pub fn is_sealed(&self) -> bool {
        self.is_secret() || self.kind == FieldKind::Webhook
    }

    /// True if it has the address of the service.
    #[must_use]
    pub fn is_address(&self) -> bool {
        matches!(self.kind, FieldKind::Url | FieldKind::Webhook)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_found_by_its_name() {
        for definition in DEFINITIONS {
            assert_eq!(Definition::find(definition.slug), Some(definition));
            assert_eq!(DEFINITIONS.iter().filter(|other| other.slug == definition.slug).count(), 1);
            for field in definition.fields {
                assert_eq!(definition.field(field.name), Some(field), "{} twice", field.name);
            }
        }
        assert_eq!(Definition::find("google-chat").map(|found| found.slug), Some("hangouts-chat"));
        assert_eq!(Definition::find("mock-ci"), None);
        assert_eq!(Definition::find("Slack"), None);
    }

    #[test]
    fn passwords_tokens_and_keys_are_never_shown_and_always_sealed() {
        let fields = DEFINITIONS.iter().flat_map(|definition| definition.fields);
        let secrets: Vec<&str> = fields.clone().filter(|field| field.is_secret()).map(|field| field.name).collect();
        for name in ["password", "token", "api_key", "user_key", "build_key"] {
            assert!(secrets.contains(&name), "{name}");
        }
        for field in fields {
            assert!(!(field.is_secret() && field.is_shown()), "{}", field.name);
            assert!(!field.is_secret() || field.is_sealed(), "{}", field.name);
            assert!(field.kind != FieldKind::Webhook || field.is_sealed(), "{}", field.name);
        }
    }

    #[test]
    fn a_service_is_called_for_what_its_kind_can_and_its_flags_want() {
        let definition = Definition::find("emails-on-push").unwrap();
        let at = "2026-03-02T12:00:00Z".parse().unwrap();
        let mut service = Service {
            id: ServiceId::new(1),
            project: ProjectId::new(1),
            definition,
            active: true,
            events: ServiceEvents::default(),
            created_at: at,
            updated_at: at,
        };
        assert!(service.is_called_for(ServiceEvent::Push) && service.is_called_for(ServiceEvent::TagPush));
        assert!(!service.is_called_for(ServiceEvent::Issue), "its kind cannot");
        service.events.set(ServiceEvent::Push, false);
        assert!(!service.is_called_for(ServiceEvent::Push));
        service.active = false;
        assert!(!service.is_called_for(ServiceEvent::TagPush));
    }
}
