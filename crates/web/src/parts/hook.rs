//! Hooks of a project and of the whole server: their forms, and the events that were sent to them.

use tenon_app::hook::{DeliveryView, HookChange, NamedChange};
use tenon_domain::hook::{
    AlertStatus, BranchFilterStrategy, DeliveryState, FLAGS, Flag, Holder, Hook, HookEvents, Initial, NamedValue,
    Trigger,
};
use tenon_domain::time::Timestamp;

use crate::kit::choice::Choice;
use crate::kit::form::{Form, OriginalValues};
use crate::kit::problems::Problems;
use crate::kit::words::Moment;

pub(crate) const FORM: &str = "hook";
/// The heading if a receiver did not accept an event.
pub(crate) const NOT_ACCEPTED: &str = "Delivery failed";

/// The flags that a form offers, with their words.
pub(crate) fn offered(of: Holder) -> impl Iterator<Item = (&'static Flag, &'static str)> {
    let offered = FLAGS.iter().filter(move |flag| flag.initial(of) != Initial::Fixed);
    offered.filter_map(|flag| Some((flag, flag.words?)))
}

/// The boxes of a form, ticked if `is_ticked` is true.
fn boxes(of: Holder, is_ticked: impl Fn(&Flag) -> bool) -> Vec<EventBox> {
    offered(of).map(|(flag, words)| EventBox { name: flag.name(), words, ticked: is_ticked(flag) }).collect()
}

/// The values of the form, typed or initial.
pub(crate) struct FormValues {
    pub(crate) url: String,
    pub(crate) branches: String,
    pub(crate) strategies: Vec<Choice>,
    /// The headers and variables of the hook.
    pub(crate) headers: Vec<NamedBox>,
    pub(crate) variables: Vec<NamedBox>,
    pub(crate) template: String,
    pub(crate) verifies: bool,
    pub(crate) events: Vec<EventBox>,
    /// True if the secret is to be removed.
    pub(crate) removes_token: bool,
    /// The fields as the page had them at first ([`OriginalValues::field`]). Empty for a new hook.
    pub(crate) shown: String,
}

/// A header or variable, with the box that removes it.
pub(crate) struct NamedBox {
    pub(crate) key: String,
    pub(crate) removed: bool,
}

fn named_boxes(values: &[NamedValue], removed: &[&str]) -> Vec<NamedBox> {
    let one = |value: &NamedValue| NamedBox { removed: removed.contains(&value.key.as_str()), key: value.key.clone() };
    values.iter().map(one).collect()
}

/// The ways to read a branch filter, in words.
fn strategies(chosen: BranchFilterStrategy) -> Vec<Choice> {
    let words = |strategy| match strategy {
        BranchFilterStrategy::Wildcard => "Wildcard",
        BranchFilterStrategy::Regex => "Regular expression",
        BranchFilterStrategy::AllBranches => "All branches",
    };
    let choice = |strategy: BranchFilterStrategy| Choice {
        value: strategy.as_str().to_owned(),
        words: words(strategy).to_owned(),
        chosen: strategy == chosen,
    };
    BranchFilterStrategy::ALL.iter().copied().map(choice).collect()
}

/// An event as a box of the form.
pub(crate) struct EventBox {
    pub(crate) name: &'static str,
    pub(crate) words: &'static str,
    pub(crate) ticked: bool,
}

impl FormValues {
    pub(crate) fn new(of: Holder) -> Self {
        let initial = HookEvents::initial(of);
        Self {
            url: String::new(),
            branches: String::new(),
            strategies: strategies(BranchFilterStrategy::Wildcard),
            headers: Vec::new(),
            variables: Vec::new(),
            template: String::new(),
            verifies: true,
            events: boxes(of, |flag| initial.wants(flag.trigger)),
            removes_token: false,
            shown: String::new(),
        }
    }

    pub(crate) fn of(hook: &Hook) -> Self {
        let of = if hook.project.is_some() { Holder::Project } else { Holder::Server };
        let events = boxes(of, |flag| hook.events.wants(flag.trigger));
        let branches = hook.push_events_branch_filter.clone().unwrap_or_default();
        let template = hook.custom_webhook_template.clone().unwrap_or_default();
        let shown = OriginalValues::of([
            ("url", hook.url.as_str().into()),
            ("push_events_branch_filter", branches.as_str().into()),
            ("branch_filter_strategy", hook.branch_filter_strategy.as_str().into()),
            ("custom_webhook_template", template.as_str().into()),
            ("enable_ssl_verification", hook.enable_ssl_verification.into()),
        ]);
        let shown = events.iter().fold(shown, |shown, event| shown.with(event.name, event.ticked.into()));
        Self {
            url: hook.url.clone(),
            branches,
            strategies: strategies(hook.branch_filter_strategy),
            headers: named_boxes(&hook.custom_headers, &[]),
            variables: named_boxes(&hook.url_variables, &[]),
            template,
            verifies: hook.enable_ssl_verification,
            events,
            removes_token: false,
            shown: shown.field(),
        }
    }

    pub(crate) fn sent(form: Form<'_>, of: Holder) -> Self {
        Self {
            url: form.filled(FORM, "url").unwrap_or_default(),
            branches: form.filled(FORM, "push_events_branch_filter").unwrap_or_default(),
            strategies: strategies(sent_strategy(form).unwrap_or(BranchFilterStrategy::Wildcard)),
            headers: Vec::new(),
            variables: Vec::new(),
            template: form.text(FORM, "custom_webhook_template"),
            verifies: form.ticked(FORM, "enable_ssl_verification"),
            events: boxes(of, |flag| form.ticked(FORM, flag.name())),
            removes_token: form.ticked(FORM, "remove_token"),
            shown: OriginalValues::sent(form).field(),
        }
    }

    /// The same with the headers and variables of the hook, which the form does not repeat.
    pub(crate) fn with_names_of(self, hook: &Hook, form: Form<'_>) -> Self {
        let removed = |field| form.list(FORM, field);
        Self {
            headers: named_boxes(&hook.custom_headers, &removed("remove_headers")),
            variables: named_boxes(&hook.url_variables, &removed("remove_variables")),
            ..self
        }
    }

    /// The form as a request. An empty secret stays as it is, unless it is to be removed.
    pub(crate) fn change(&self, form: Form<'_>, of: Holder) -> HookChange {
        let named = offered(of).map(|(flag, _)| flag).filter(|flag| form.has(FORM, flag.name()));
        let token = form.text(FORM, "token");
        HookChange {
            url: form.has(FORM, "url").then(|| self.url.clone()),
            token: (self.removes_token || !token.is_empty()).then_some(token),
            custom_headers: named_change(form, "custom_headers", "remove_headers"),
            url_variables: named_change(form, "url_variables", "remove_variables"),
            custom_webhook_template: form.has(FORM, "custom_webhook_template").then(|| self.template.clone()),
            push_events_branch_filter: form.has(FORM, "push_events_branch_filter").then(|| self.branches.clone()),
            branch_filter_strategy: sent_strategy(form).filter(|_| form.has(FORM, "branch_filter_strategy")),
            enable_ssl_verification: form.has(FORM, "enable_ssl_verification").then_some(self.verifies),
            events: named.map(|flag| (flag.trigger, form.ticked(FORM, flag.name()))).collect(),
            ..HookChange::default()
        }
    }
}

fn sent_strategy(form: Form<'_>) -> Option<BranchFilterStrategy> {
    BranchFilterStrategy::parse(&form.text(FORM, "branch_filter_strategy"))
}

/// The headers or variables of a text, one in each line as `name: value`, and those whose boxes are ticked.
fn named_change(form: Form<'_>, field: &str, boxes: &str) -> NamedChange {
    let text = form.text(FORM, field);
    let pair = |line: &str| {
        let (key, value) = line.split_once(':').unwrap_or((line, ""));
        (key.trim().to_owned(), value.trim().to_owned())
    };
    let pairs: Vec<_> = text.lines().filter(|line| !line.trim().is_empty()).map(pair).collect();
    let removed = form.list(FORM, boxes).into_iter().map(str::to_owned).collect();
    NamedChange { set: Some(pairs).filter(|pairs| !pairs.is_empty()), removed }
}

pub(crate) struct Row {
    pub(crate) id: i64,
    pub(crate) url: String,
    pub(crate) events: String,
    /// The reason why it is not called, if it is not.
    pub(crate) status: Option<&'static str>,
}

/// The reason why a hook is not called, if it is not.
pub(crate) fn status_words(hook: &Hook, now: Timestamp) -> Option<&'static str> {
    match hook.health.status(now) {
        AlertStatus::Executable => None,
        AlertStatus::TemporarilyDisabled => Some("temporarily disabled"),
        AlertStatus::Disabled => Some("disabled"),
    }
}

pub(crate) struct DeliveryRow {
    pub(crate) id: i64,
    pub(crate) event: &'static str,
    pub(crate) state: &'static str,
    pub(crate) class: &'static str,
    pub(crate) attempts: i64,
    /// The result of the last attempt: the status of the answer, or the reason why there was none.
    pub(crate) answer: Option<String>,
    pub(crate) at: Moment,
    pub(crate) body: Option<String>,
}

/// The errors of a form. Its secrets have to be typed again: pages do not show them.
pub(crate) fn with_secret(form: Form<'_>, mut problems: Problems) -> Problems {
    if !form.text(FORM, "token").is_empty() {
        problems.add("token", "Enter the secret again. It was not saved.");
    }
    for (field, what) in [("custom_headers", "headers"), ("url_variables", "variables")] {
        if !form.text(FORM, field).is_empty() {
            problems.add(field, &format!("Enter the {what} again. They were not saved."));
        }
    }
    problems
}

impl DeliveryRow {
    pub(crate) fn of(view: DeliveryView) -> Self {
        let (state, class) = match view.delivery.state {
            DeliveryState::Waiting => ("waiting", "draft"),
            DeliveryState::Retrying => ("retrying", "draft"),
            DeliveryState::Delivered => ("delivered", "open"),
            DeliveryState::Parked => ("failed", "closed"),
        };
        Self {
            id: view.delivery.id.get(),
            event: view.delivery.trigger.map_or("Unknown", Trigger::header),
            state,
            class,
            attempts: view.delivery.attempts,
            answer: match (view.delivery.last.response_status, view.delivery.last.error) {
                (Some(status), _) => Some(format!("HTTP {status}")),
                (None, Some(error)) => Some(format!("no response: {error}")),
                (None, None) => None,
            },
            at: view.delivery.created_at.into(),
            body: view.body,
        }
    }
}

impl Row {
    /// A hook at this moment.
    pub(crate) fn of(hook: Hook, now: Timestamp) -> Self {
        let events = FormValues::of(&hook).events;
        let words: Vec<&str> = events.iter().filter(|event| event.ticked).map(|event| event.words).collect();
        let status = status_words(&hook, now);
        Self { id: hook.id.get(), url: hook.url, events: words.join(", "), status }
    }
}
