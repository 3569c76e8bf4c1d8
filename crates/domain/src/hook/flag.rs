//! The flags of hooks. Parameters, JSON, pages and new hooks are made from the one table [`FLAGS`] (docs/adding-a-flag.md).

use std::collections::HashMap;

use super::Trigger;

/// Whose events a hook receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// Those of a project.
    Project,
    /// Those of the whole server.
    Server,
}

/// A flag in a new hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Initial {
    /// It is on.
    On,
    /// It is off.
    Off,
    /// It is off, and was never set.
    Unset,
    /// Requests cannot set it for such hooks.
    Fixed,
}

/// A flag: whether a hook receives one kind of events.
#[derive(Debug)]
pub struct Flag {
    /// The events.
    pub trigger: Trigger,
    /// Its name in the API and in the database, and other names that requests may use.
    pub names: &'static [&'static str],
    /// The events in the description of the API.
    pub meaning: &'static str,
    /// The events on pages; `None` if no page offers them.
    pub words: Option<&'static str>,
    of_project: Initial,
    of_server: Initial,
}

impl Flag {
    /// Its name in the API and in the database.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.names.first().copied().unwrap_or_default()
    }

    /// The flag in a new hook.
    #[must_use]
    pub const fn initial(&self, of: Holder) -> Initial {
        match of {
            Holder::Project => self.of_project,
            Holder::Server => self.of_server,
        }
    }

    /// The flag of this name, such as `push_events`.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        FLAGS.iter().find(|flag| flag.name() == name)
    }

    /// The flag of these events; `None` for those that all hooks of the server receive.
    #[must_use]
    pub fn of(trigger: Trigger) -> Option<&'static Self> {
        FLAGS.iter().find(|flag| flag.trigger == trigger)
    }

    const fn new(trigger: Trigger, names: &'static [&'static str], meaning: &'static str) -> Self {
        let (of_project, of_server) = (Initial::Off, Initial::Fixed);
        Self { trigger, names, meaning, words: None, of_project, of_server }
    }

    const fn words(self, words: &'static str) -> Self {
        Self { words: Some(words), ..self }
    }

    const fn of_project(self, of_project: Initial) -> Self {
        Self { of_project, ..self }
    }

    const fn of_server(self, of_server: Initial) -> Self {
        Self { of_server, ..self }
    }
}

/// All flags, in the order in which they are shown.
pub const FLAGS: &[Flag] = &[
    Flag::new(Trigger::Push, &["push_events"], "Pushes to branches")
        .words("Pushes to branches")
        .of_project(Initial::On)
        .of_server(Initial::Off),
    Flag::new(Trigger::TagPush, &["tag_push_events"], "Pushes of tags").words("Pushes of tags").of_server(Initial::Off),
    Flag::new(Trigger::Issue, &["issues_events"], "Public issues").words("Issues"),
    Flag::new(Trigger::ConfidentialIssue, &["confidential_issues_events"], "Confidential issues")
        .words("Confidential issues"),
    Flag::new(Trigger::MergeRequest, &["merge_requests_events"], "Merge requests")
        .words("Merge requests")
        .of_server(Initial::Off),
    Flag::new(Trigger::Note, &["note_events"], "Comments").words("Comments"),
    Flag::new(Trigger::ConfidentialNote, &["confidential_note_events"], "Comments on confidential issues")
        .words("Comments on confidential issues")
        .of_project(Initial::Unset),
    Flag::new(Trigger::Job, &["job_events"], "Jobs").words("Jobs"),
    Flag::new(Trigger::Pipeline, &["pipeline_events"], "Pipelines").words("Pipelines"),
    Flag::new(Trigger::WikiPage, &["wiki_page_events", "wiki_events"], "Wiki pages"),
    Flag::new(Trigger::Emoji, &["emoji_events"], "Reactions with an emoji, but those to confidential issues")
        .words("Reactions"),
    Flag::new(Trigger::Milestone, &["milestone_events"], "Milestones of the project").words("Milestones"),
    Flag::new(Trigger::Release, &["releases_events"], "Releases").words("Releases"),
    Flag::new(Trigger::FeatureFlag, &["feature_flag_events"], "Feature flags that are switched on or off")
        .words("Feature flags"),
    Flag::new(Trigger::Deployment, &["deployment_events"], "Deployments").words("Deployments"),
    Flag::new(
        Trigger::ResourceAccessToken,
        &["resource_access_token_events"],
        "Access tokens of the project, of which there are none yet",
    ),
    Flag::new(Trigger::RepositoryUpdate, &["repository_update_events"], "What each push did to all refs")
        .words("Repository updates, one for each push")
        .of_project(Initial::Fixed)
        .of_server(Initial::On),
];

/// The flags that a request names.
pub type FlagChanges = Vec<(Trigger, bool)>;

/// Which events a hook receives. An event that was never set is off.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookEvents(HashMap<Trigger, bool>);

impl HookEvents {
    /// The events of a new hook.
    #[must_use]
    pub fn initial(of: Holder) -> Self {
        let mut events = Self::default();
        for flag in FLAGS {
            match flag.initial(of) {
                Initial::On => events.set(flag.trigger, true),
                Initial::Off | Initial::Fixed => events.set(flag.trigger, false),
                Initial::Unset => {}
            }
        }
        events
    }

    /// The value of a flag; `None` if it was never set.
    #[must_use]
    pub fn get(&self, trigger: Trigger) -> Option<bool> {
        self.0.get(&trigger).copied()
    }

    /// True if these events are received.
    #[must_use]
    pub fn wants(&self, trigger: Trigger) -> bool {
        self.get(trigger) == Some(true)
    }

    /// Sets a flag.
    pub fn set(&mut self, trigger: Trigger, on: bool) {
        self.0.insert(trigger, on);
    }

    /// Sets the flags that a request names.
    pub fn apply(&mut self, changes: &[(Trigger, bool)]) {
        self.0.extend(changes.iter().copied());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_events_but_those_of_the_system_have_a_flag() {
        for trigger in Trigger::ALL {
            assert_eq!(Flag::of(*trigger).is_none(), *trigger == Trigger::System, "{trigger:?}");
        }
        for flag in FLAGS {
            assert_eq!(Flag::named(flag.name()).map(|found| found.trigger), Some(flag.trigger));
        }
    }

    #[test]
    fn new_hooks_receive_pushes_or_what_they_did() {
        let wanted = |of| {
            let events = HookEvents::initial(of);
            Trigger::ALL.iter().filter(|trigger| events.wants(**trigger)).copied().collect::<Vec<_>>()
        };
        assert_eq!(wanted(Holder::Project), [Trigger::Push]);
        assert_eq!(wanted(Holder::Server), [Trigger::RepositoryUpdate]);
        assert_eq!(HookEvents::initial(Holder::Project).get(Trigger::ConfidentialNote), None);
    }
}
