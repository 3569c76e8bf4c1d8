//! The headers of a hook, and the variables of its address. Their values are encrypted, and never shown.

use tenon_domain::field_errors::FieldErrors;
use tenon_domain::hook::{Hook, MAX_NAMED, NamedValue, address_of, is_key, is_reserved_header, is_value};
use tenon_domain::id::HookId;
use tenon_domain::refusal::HookRefusal;
use tenon_outbound::address::is_same_receiver;

use super::{HookChange, HookSource, edit, show};
use crate::core::app::Command;
use crate::core::error::{AppError, Missing};

/// The purpose of a named value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedKind {
    /// A header that is sent with each delivery.
    Header,
    /// A part of the address.
    Variable,
}

impl NamedKind {
    const fn field(self) -> &'static str {
        match self {
            Self::Header => "custom_headers",
            Self::Variable => "url_variables",
        }
    }

    /// The names of headers are the same in upper and lower case.
    fn is_same(self, one: &str, other: &str) -> bool {
        match self {
            Self::Header => one.eq_ignore_ascii_case(other),
            Self::Variable => one == other,
        }
    }

    fn may_be_called(self, key: &str) -> bool {
        is_key(key) && (self == Self::Variable || !is_reserved_header(key))
    }

    fn of(self, hook: &Hook) -> &[NamedValue] {
        match self {
            Self::Header => &hook.custom_headers,
            Self::Variable => &hook.url_variables,
        }
    }

    fn change(self, change: NamedChange) -> HookChange {
        match self {
            Self::Header => HookChange { custom_headers: change, ..HookChange::default() },
            Self::Variable => HookChange { url_variables: change, ..HookChange::default() },
        }
    }
}

/// The change of the headers or variables of a hook in a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamedChange {
    /// Names and values to set; others stay. An empty list removes all.
    pub set: Option<Vec<(String, String)>>,
    /// Names to remove first; those that are not there are passed over.
    pub removed: Vec<String>,
}

/// Sets one header or variable of a hook.
pub fn set_value(
    command: &mut Command<'_>,
    source: &HookSource,
    id: HookId,
    (kind, key): (NamedKind, String),
    value: String,
) -> Result<(), AppError> {
    show(&mut command.query(), source, id)?;
    if !kind.may_be_called(&key) || !is_value(&value) {
        return Err(HookRefusal::IllegalValue.into());
    }
    let change = NamedChange { set: Some(vec![(key, value)]), ..NamedChange::default() };
    edit(command, source, id, &kind.change(change)).map(drop)
}

/// Removes one header or variable of a hook. A variable that the address names stays.
pub fn remove_value(
    command: &mut Command<'_>,
    source: &HookSource,
    id: HookId,
    (kind, key): (NamedKind, &str),
) -> Result<(), AppError> {
    let hook = show(&mut command.query(), source, id)?;
    if !kind.of(&hook).iter().any(|value| kind.is_same(&value.key, key)) {
        return Err(AppError::NotFound(Missing::Record));
    }
    let change = NamedChange { set: None, removed: vec![key.to_owned()] };
    edit(command, source, id, &kind.change(change)).map(drop)
}

/// The secrets of a hook after a request, and the address that is called with them.
pub(super) struct Secrets {
    headers: Vec<NamedValue>,
    variables: Vec<NamedValue>,
    pub(super) address: String,
    /// True if the request does not lead to another receiver, which would get the secrets of the first one.
    pub(super) is_same_receiver: bool,
}

impl Secrets {
    /// Those of the request, and those that the hook had, if its receiver stays the same.
    pub(super) fn after(
        command: &Command<'_>,
        before: Option<&Hook>,
        after: &Hook,
        change: &HookChange,
    ) -> Result<Self, AppError> {
        let headers = sealed(command, NamedKind::Header, change.custom_headers.set.as_deref())?;
        let variables = sealed(command, NamedKind::Variable, change.url_variables.set.as_deref())?;
        if let Some(before) = before {
            let removed = &change.url_variables.removed;
            let kept = merged(NamedKind::Variable, &before.url_variables, variables.as_deref(), removed);
            let old = address(&before.url, &opened(command, &before.url_variables));
            let new = address(&after.url, &opened(command, &kept));
            if let (Ok(old), Ok(new)) = (old, new)
                && is_same_receiver(&old, &new)
            {
                let removed = &change.custom_headers.removed;
                let headers = merged(NamedKind::Header, &before.custom_headers, headers.as_deref(), removed);
                let this = Self { headers, variables: kept, address: new, is_same_receiver: true };
                return this.checked();
            }
        }
        let (headers, variables) = (headers.unwrap_or_default(), variables.unwrap_or_default());
        let address = address(&after.url, &opened(command, &variables))?;
        Self { headers, variables, address, is_same_receiver: false }.checked()
    }

    fn checked(self) -> Result<Self, AppError> {
        let mut errors = FieldErrors::default();
        for (kind, values) in [(NamedKind::Header, &self.headers), (NamedKind::Variable, &self.variables)] {
            check_count(&mut errors, kind, values.len());
        }
        errors.into_result()?;
        Ok(self)
    }

    pub(super) fn keep_in(self, hook: &mut Hook) {
        hook.custom_headers = self.headers;
        hook.url_variables = self.variables;
    }
}

fn check_count(errors: &mut FieldErrors, kind: NamedKind, count: usize) {
    errors.require(count <= MAX_NAMED, kind.field(), &format!("has more than {MAX_NAMED} entries"));
}

/// The values of a request, checked and encrypted; `None` if it has none of this kind.
fn sealed(
    command: &Command<'_>,
    kind: NamedKind,
    values: Option<&[(String, String)]>,
) -> Result<Option<Vec<NamedValue>>, AppError> {
    let Some(values) = values else { return Ok(None) };
    let mut errors = FieldErrors::default();
    let field = kind.field();
    check_count(&mut errors, kind, values.len());
    for (at, (key, value)) in values.iter().take(MAX_NAMED).enumerate() {
        errors.require(
            is_key(key),
            field,
            "has a key that is not made of letters and digits, with single . - _ between them",
        );
        errors.require(kind.may_be_called(key) || !is_key(key), field, "has a key that is reserved for the server");
        errors.require(is_value(value), field, "has a value that is empty, too long or has control characters");
        let is_repeated = values.iter().take(at).any(|(other, _)| kind.is_same(key, other));
        errors.require(!is_repeated, field, "has a key twice");
    }
    errors.into_result()?;
    let mut sealed = Vec::with_capacity(values.len());
    for (key, value) in values {
        let value = command.app.vault().seal(command.app.entropy(), value).map_err(AppError::internal)?;
        sealed.push(NamedValue { key: key.clone(), sealed: value });
    }
    Ok(Some(sealed))
}

/// The values that a hook has after a request: those of the request, and the others. An empty list removes all.
fn merged(kind: NamedKind, before: &[NamedValue], sent: Option<&[NamedValue]>, removed: &[String]) -> Vec<NamedValue> {
    let mut all = match sent {
        Some([]) => Vec::new(),
        Some(_) | None => before.to_vec(),
    };
    all.retain(|value| !removed.iter().any(|key| kind.is_same(&value.key, key)));
    for value in sent.unwrap_or_default() {
        match all.iter_mut().find(|known| kind.is_same(&known.key, &value.key)) {
            Some(known) => *known = value.clone(),
            None => all.push(value.clone()),
        }
    }
    all
}

/// The variables with their values. One that does not open with the key of the server is left out.
fn opened(command: &Command<'_>, variables: &[NamedValue]) -> Vec<(String, String)> {
    let open = |variable: &NamedValue| Some((variable.key.clone(), command.app.vault().open(&variable.sealed).ok()?));
    variables.iter().filter_map(open).collect()
}

/// The address that is called.
fn address(template: &str, variables: &[(String, String)]) -> Result<String, AppError> {
    address_of(template, variables).map_err(|key| HookRefusal::VariableMissing(key).into())
}
