//! Variables of projects, of groups and of the whole server, which jobs get.

use std::collections::HashMap;

use tenon_auth::Secret;
use tenon_domain::container::Container;
use tenon_domain::event::EventKind;
use tenon_domain::field_errors::{FieldErrors, TAKEN};
use tenon_domain::group::GroupAction;
use tenon_domain::id::{NamespaceId, VariableId};
use tenon_domain::namespace::Namespace;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::patch::Patch;
use tenon_domain::project::ProjectAction;
use tenon_domain::refusal::VariableRefusal;
use tenon_domain::time::Timestamp;
use tenon_domain::variable::{ALL_ENVIRONMENTS, Variable, VariableKind};
use tenon_storage::variable::{self, StoredVariable};
use tenon_storage::{StoreError, UniqueKey, namespace};

use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Missing};
use crate::policy::container::{AuthorizedContainer, ContainerReference};
use crate::policy::precondition::check_unmodified;
use crate::policy::quota::{check_number, container_word};
use crate::policy::reference::Reference;

/// The most variables of groups that the page of a project names.
const INHERITED: i64 = 100;

/// Whose variables a request is about.
#[derive(Debug, Clone)]
pub enum VariableOwner {
    /// Those of a project or group: maintainers manage them.
    Container(ContainerReference),
    /// Those of the whole server: administrators manage them.
    Server,
}

impl VariableOwner {
    /// The project or group, for callers who may manage its variables; `None` for the whole server.
    fn find(&self, query: &mut Query<'_>) -> Result<Option<Container>, AppError> {
        match self {
            Self::Container(of) => {
                let (in_project, in_group) = (ProjectAction::ManageVariables, GroupAction::ManageVariables);
                Ok(Some(AuthorizedContainer::find(query, of, in_project, in_group)?.container()))
            }
            Self::Server if query.is_admin() => Ok(None),
            Self::Server => Err(AppError::Forbidden),
        }
    }

    /// The answer if there is no such variable.
    const fn missing(&self) -> AppError {
        AppError::NotFound(match self {
            Self::Container(ContainerReference::Project(_)) => Missing::Variable,
            Self::Container(ContainerReference::Group(_)) => Missing::GroupVariable,
            Self::Server => Missing::InstanceVariable,
        })
    }
}

/// A variable as a request names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VariableReference {
    /// By its id.
    Id(VariableId),
    /// By its name, and by its scope if there are several of that name.
    Key {
        /// The name.
        key: String,
        /// The scope.
        scope: Option<String>,
    },
}

/// A variable as answers show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableView {
    /// The variable.
    pub variable: Variable,
    /// Its value. `None` if it is hidden, or if the server's key does not open it.
    pub value: Option<Secret>,
}

/// A variable of a group above a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InheritedVariable {
    /// The variable.
    pub variable: Variable,
    /// The group.
    pub group: Namespace,
}

/// The fields of a variable in a request; `None` leaves a field as it is.
#[derive(Debug, Clone, Default)]
pub struct VariableChange {
    /// Its value. Stored encrypted.
    pub value: Option<Secret>,
    /// How jobs get it.
    pub kind: Option<VariableKind>,
    /// True if only jobs of protected branches and tags get it.
    pub protected: Option<bool>,
    /// True if logs of jobs do not show its value.
    pub masked: Option<bool>,
    /// True if names of other variables in its value stay as they are.
    pub raw: Option<bool>,
    /// The environments whose jobs get it.
    pub environment_scope: Option<String>,
    /// Its description; an empty one is none.
    pub description: Patch<String>,
}

impl VariableChange {
    fn apply(&self, variable: &mut Variable) {
        variable.kind = self.kind.unwrap_or(variable.kind);
        variable.protected = self.protected.unwrap_or(variable.protected);
        variable.masked = self.masked.unwrap_or(variable.masked);
        variable.raw = self.raw.unwrap_or(variable.raw);
        if let Some(scope) = &self.environment_scope {
            scope.trim().clone_into(&mut variable.environment_scope);
        }
        let description = self.description.clone().apply(variable.description.take());
        variable.description = description.filter(|text| !text.is_empty());
        // Those of the server have no such fields, and a form that was made up cannot give them any.
        if variable.container.is_none() {
            variable.hidden = false;
            ALL_ENVIRONMENTS.clone_into(&mut variable.environment_scope);
        }
    }
}

/// A request for a new variable.
#[derive(Debug, Clone)]
pub struct CreateVariable {
    /// Its name.
    pub key: String,
    /// True if no answer has its value, and no log of a job. This cannot be taken back.
    pub masked_and_hidden: bool,
    /// Its other fields. Those that are absent have their usual values.
    pub fields: VariableChange,
}

/// Checks that the caller may look after these variables at all: asked before anything else of a request is.
pub fn permit(query: &mut Query<'_>, owner: &VariableOwner) -> Result<(), AppError> {
    owner.find(query).map(drop)
}

/// The variables of a project or group, or of the whole server, by id. Those of groups above are not among them.
pub fn list(query: &mut Query<'_>, owner: &VariableOwner, page: PageRequest) -> Result<Page<VariableView>, AppError> {
    let container = owner.find(query)?;
    let found = variable::list(&mut query.tx, container, page)?;
    Ok(found.map(|stored| view(query, stored)))
}

/// As [`list`], without reading the values.
pub fn list_without_values(
    query: &mut Query<'_>,
    owner: &VariableOwner,
    page: PageRequest,
) -> Result<Page<Variable>, AppError> {
    let container = owner.find(query)?;
    Ok(variable::list_without_values(&mut query.tx, container, page)?)
}

/// The first 100 variables that a project has of the groups above it, by name, without values.
pub fn inherited(query: &mut Query<'_>, project: &Reference) -> Result<Vec<InheritedVariable>, AppError> {
    let project = query.project(project, ProjectAction::ManageVariables)?.project.id;
    let found = variable::inherited(&mut query.tx, project, INHERITED)?;
    let group_of = |variable: &Variable| variable.container.and_then(Container::group);
    let groups: Vec<NamespaceId> = found.iter().filter_map(group_of).collect();
    let groups: HashMap<NamespaceId, Namespace> = namespace::by_ids(&mut query.tx, &groups)?;
    let with_group = |variable: Variable| {
        let group = groups.get(&group_of(&variable)?)?.clone();
        Some(InheritedVariable { variable, group })
    };
    Ok(found.into_iter().filter_map(with_group).collect())
}

/// One variable. Fails with [`VariableRefusal::Ambiguous`] if several of the name have different scopes.
pub fn show(
    query: &mut Query<'_>,
    owner: &VariableOwner,
    reference: &VariableReference,
) -> Result<VariableView, AppError> {
    let stored = find(query, owner, reference)?;
    Ok(view(query, stored))
}

/// Makes a variable.
pub fn create(
    command: &mut Command<'_>,
    owner: &VariableOwner,
    request: CreateVariable,
) -> Result<VariableView, AppError> {
    let container = owner.find(&mut command.query())?;
    let mut variable = Variable {
        id: VariableId::new(0),
        container,
        key: request.key.trim().to_owned(),
        kind: VariableKind::EnvVar,
        protected: false,
        masked: false,
        hidden: request.masked_and_hidden,
        raw: false,
        environment_scope: ALL_ENVIRONMENTS.to_owned(),
        description: None,
        created_at: command.now,
        updated_at: command.now,
    };
    request.fields.apply(&mut variable);
    variable.masked |= variable.hidden;
    let value = request.fields.value.unwrap_or_else(|| Secret::given(""));
    check(&variable, value.expose())?;
    let of = container.map_or("The server", container_word);
    let count = variable::count(&mut command.tx, container)?;
    check_number(count, command.app.limits().contents.variables, of, "variables")?;
    let mut stored = StoredVariable { sealed_value: seal(command, &value)?, variable };
    stored.variable.id = variable::insert(&mut command.tx, &stored).map_err(|error| taken(error, &stored.variable))?;
    record(command, EventKind::VariableCreated, &stored.variable)?;
    Ok(view(&command.query(), stored))
}

/// Changes a variable. The value of a hidden one can be replaced; that it is hidden cannot be changed.
pub fn edit(
    command: &mut Command<'_>,
    owner: &VariableOwner,
    reference: &VariableReference,
    change: VariableChange,
) -> Result<VariableView, AppError> {
    let before = find(&mut command.query(), owner, reference)?;
    let mut after = before.clone();
    change.apply(&mut after.variable);
    if change.value.is_none() && after == before {
        return Ok(view(&command.query(), before));
    }
    // One that the server's key does not open counts as empty, so that a masked one has to be replaced.
    let value = match change.value {
        Some(value) => {
            after.sealed_value = seal(command, &value)?;
            value
        }
        None => open(&command.query(), &before).unwrap_or_else(|| Secret::given("")),
    };
    check(&after.variable, value.expose())?;
    after.variable.updated_at = command.now;
    variable::update(&mut command.tx, &after).map_err(|error| taken(error, &after.variable))?;
    record(command, EventKind::VariableUpdated, &after.variable)?;
    Ok(view(&command.query(), after))
}

/// Removes a variable. `unmodified_since` counts for those of groups only.
pub fn delete(
    command: &mut Command<'_>,
    owner: &VariableOwner,
    reference: &VariableReference,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let gone = find(&mut command.query(), owner, reference)?.variable;
    if gone.container.and_then(Container::group).is_some() {
        check_unmodified(gone.updated_at, unmodified_since)?;
    }
    variable::delete(&mut command.tx, gone.id)?;
    record(command, EventKind::VariableDeleted, &gone)
}

fn find(
    query: &mut Query<'_>,
    owner: &VariableOwner,
    reference: &VariableReference,
) -> Result<StoredVariable, AppError> {
    let container = owner.find(query)?;
    let found = match reference {
        VariableReference::Id(id) => variable::find(&mut query.tx, container, *id)?,
        VariableReference::Key { key, scope } => {
            let mut found = variable::named(&mut query.tx, container, key, scope.as_deref())?;
            if found.len() > 1 {
                return Err(VariableRefusal::Ambiguous.into());
            }
            found.pop()
        }
    };
    found.ok_or(owner.missing())
}

fn check(variable: &Variable, value: &str) -> Result<(), AppError> {
    let mut errors = FieldErrors::default();
    variable.check(&mut errors, value);
    Ok(errors.into_result()?)
}

fn seal(command: &Command<'_>, value: &Secret) -> Result<String, AppError> {
    command.app.vault().seal(command.app.entropy(), value.expose()).map_err(AppError::internal)
}

fn open(query: &Query<'_>, stored: &StoredVariable) -> Option<Secret> {
    query.app.vault().open(&stored.sealed_value).ok().map(Secret::given)
}

fn view(query: &Query<'_>, stored: StoredVariable) -> VariableView {
    let value = if stored.variable.hidden { None } else { open(query, &stored) };
    VariableView { value, variable: stored.variable }
}

fn taken(error: StoreError, variable: &Variable) -> AppError {
    match error {
        StoreError::Unique(UniqueKey::VariableKey) => AppError::invalid("key", format!("({}) {TAKEN}", variable.key)),
        other => other.into(),
    }
}

fn record(command: &mut Command<'_>, kind: EventKind, variable: &Variable) -> Result<(), AppError> {
    let event = command.event(kind).detail(variable.id.to_string());
    let event = match variable.container {
        Some(container) => event.container(container),
        None => event,
    };
    command.append(&event)
}
