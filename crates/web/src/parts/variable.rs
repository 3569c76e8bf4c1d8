//! Parts that the variables of projects, of groups and of the server have in common: the list and the form.

use tenon_app::Secret;
use tenon_app::variable::{CreateVariable, VariableChange, VariableView};
use tenon_domain::page::Page;
use tenon_domain::patch::Patch;
use tenon_domain::variable::{ALL_ENVIRONMENTS, Variable, VariableKind};

use crate::kit::choice::Choice;
use crate::kit::form::{Form, OriginalValues};
use crate::kit::pagination::Pagination;

const FORM: &str = "variable";
const VISIBLE: &str = "visible";
const MASKED: &str = "masked";
const HIDDEN: &str = "hidden";

/// The kind of owner: variables of the server have no scope, and are not hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holder {
    Container,
    Server,
}

/// A variable of a list, without its value.
pub(crate) struct Row {
    pub(crate) id: i64,
    pub(crate) key: String,
    /// Its properties that differ from the usual ones, in words.
    pub(crate) badges: Vec<&'static str>,
    /// The environments whose jobs get it. Empty for all.
    pub(crate) scope: String,
    pub(crate) description: String,
}

impl Row {
    pub(crate) fn of(variable: Variable) -> Self {
        let visibility = if variable.hidden { Some("Hidden") } else { variable.masked.then_some("Masked") };
        let others = [
            (variable.kind == VariableKind::File).then_some("File"),
            variable.protected.then_some("Protected"),
            visibility,
            variable.raw.then_some("Raw"),
        ];
        let scope = variable.environment_scope;
        Self {
            id: variable.id.get(),
            key: variable.key,
            badges: others.into_iter().flatten().collect(),
            scope: if scope == ALL_ENVIRONMENTS { String::new() } else { scope },
            description: variable.description.unwrap_or_default(),
        }
    }
}

/// A list of variables, ready for its page.
pub(crate) struct Listed {
    /// The address to which the form of a new variable is sent.
    pub(crate) href: String,
    pub(crate) rows: Vec<Row>,
    pub(crate) pages: Pagination,
}

impl Listed {
    pub(crate) fn new(href: String, found: Page<Variable>) -> Self {
        let pages = Pagination::of(&found).at(&href);
        Self { rows: found.items.into_iter().map(Row::of).collect(), pages, href }
    }
}

/// The values of the form of a variable.
pub(crate) struct FormValues {
    /// The variable that is changed. None for a new one.
    pub(crate) id: Option<i64>,
    pub(crate) key: String,
    pub(crate) value: String,
    pub(crate) is_file: bool,
    pub(crate) protected: bool,
    visibility: String,
    /// True if the stored variable is hidden, which stays so.
    pub(crate) is_hidden: bool,
    pub(crate) raw: bool,
    pub(crate) scope: String,
    pub(crate) description: String,
    /// True if there is a field for the scope.
    pub(crate) has_scope: bool,
    /// The fields as the page had them at first ([`OriginalValues::field`]). Empty for a new variable.
    pub(crate) shown: String,
}

impl FormValues {
    /// The form of a new variable, which is protected if the settings want that.
    pub(crate) fn new(holder: Holder, protected: bool) -> Self {
        Self {
            id: None,
            key: String::new(),
            value: String::new(),
            is_file: false,
            protected,
            visibility: VISIBLE.to_owned(),
            is_hidden: false,
            raw: false,
            scope: ALL_ENVIRONMENTS.to_owned(),
            description: String::new(),
            has_scope: holder == Holder::Container,
            shown: String::new(),
        }
    }

    pub(crate) fn of(view: &VariableView) -> Self {
        let variable = &view.variable;
        let value = view.value.as_ref().map(|value| value.expose().to_owned()).unwrap_or_default();
        let visibility = if variable.masked { MASKED } else { VISIBLE };
        let description = variable.description.clone().unwrap_or_default();
        let shown = OriginalValues::of([
            ("variable_type", variable.kind.as_str().into()),
            ("protected", variable.protected.into()),
            ("visibility", visibility.into()),
            ("raw", variable.raw.into()),
            ("environment_scope", variable.environment_scope.as_str().into()),
            ("description", description.as_str().into()),
        ]);
        let shown = shown.with_secret("value", &value);
        Self {
            id: Some(variable.id.get()),
            key: variable.key.clone(),
            value,
            is_file: variable.kind == VariableKind::File,
            protected: variable.protected,
            visibility: visibility.to_owned(),
            is_hidden: variable.hidden,
            raw: variable.raw,
            scope: variable.environment_scope.clone(),
            description,
            has_scope: variable.container.is_some(),
            shown: shown.field(),
        }
    }

    /// A form that was sent, with what cannot be changed from `self`.
    pub(crate) fn sent(self, form: Form<'_>) -> Self {
        Self {
            key: if self.id.is_some() { self.key } else { form.text(FORM, "key") },
            value: form.text(FORM, "value"),
            is_file: form.text(FORM, "variable_type") == VariableKind::File.as_str(),
            protected: form.ticked(FORM, "protected"),
            visibility: form.text(FORM, "visibility"),
            raw: form.ticked(FORM, "raw"),
            scope: form.text(FORM, "environment_scope"),
            description: form.text(FORM, "description"),
            shown: OriginalValues::sent(form).field(),
            ..self
        }
    }

    /// The choices of who sees the value.
    pub(crate) fn visibilities(&self) -> Vec<Choice> {
        let all =
            [(VISIBLE, "Visible"), (MASKED, "Masked in job logs"), (HIDDEN, "Masked in job logs, never shown again")];
        // A stored value cannot be hidden any more: someone may have read it.
        let known = all.into_iter().take(if self.has_scope && self.id.is_none() { 3 } else { 2 });
        known.map(|(value, words)| Choice::new(value, words, value == self.visibility)).collect()
    }
}

/// The variable that a form asks for.
pub(crate) fn created(form: Form<'_>) -> CreateVariable {
    CreateVariable {
        key: form.text(FORM, "key"),
        masked_and_hidden: form.text(FORM, "visibility") == HIDDEN,
        fields: changed(form),
    }
}

/// The fields that a form has.
pub(crate) fn changed(form: Form<'_>) -> VariableChange {
    let text = |field: &str| form.has(FORM, field).then(|| form.text(FORM, field));
    let ticked = |field: &str| form.has(FORM, field).then(|| form.ticked(FORM, field));
    VariableChange {
        value: text("value").map(Secret::given),
        kind: text("variable_type").and_then(|kind| VariableKind::parse(&kind)),
        protected: ticked("protected"),
        masked: text("visibility").map(|visibility| visibility != VISIBLE),
        raw: ticked("raw"),
        environment_scope: text("environment_scope"),
        description: text("description").map_or(Patch::Absent, Patch::Set),
    }
}
