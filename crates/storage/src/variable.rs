//! Variables of projects, of groups and of the whole server.

#![expect(clippy::ref_option_ref, reason = "what the derive makes of optional columns")]

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::container::Container;
use tenon_domain::id::{ProjectId, VariableId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::variable::{Variable, VariableKind};

use crate::db::connection::Backend;
use crate::db::expressions::in_subquery;
use crate::db::hierarchy::ancestors_of_project;
use crate::db::paging::page;
use crate::db::row::{naive, parsed, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::{StoreError, StoreResult};
use crate::rows::container::{columns, container};
use crate::schema::variables;

/// A variable with its value, encrypted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredVariable {
    /// The variable.
    pub variable: Variable,
    /// Its value, encrypted.
    pub sealed_value: String,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = variables)]
struct VariableRow {
    id: i64,
    project_id: Option<i64>,
    namespace_id: Option<i64>,
    key: String,
    kind: String,
    protected: bool,
    masked: bool,
    hidden: bool,
    raw: bool,
    environment_scope: String,
    description: Option<String>,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
}

impl TryFrom<VariableRow> for Variable {
    type Error = StoreError;

    fn try_from(row: VariableRow) -> StoreResult<Self> {
        let container = match (row.project_id, row.namespace_id) {
            (None, None) => None,
            (project, group) => Some(container("variables", row.id, project, group)?),
        };
        Ok(Self {
            id: VariableId::new(row.id),
            container,
            key: row.key,
            kind: parsed("variables", "kind", row.id, &row.kind, VariableKind::parse)?,
            protected: row.protected,
            masked: row.masked,
            hidden: row.hidden,
            raw: row.raw,
            environment_scope: row.environment_scope,
            description: row.description,
            created_at: utc(row.created_at),
            updated_at: utc(row.updated_at),
        })
    }
}

#[derive(Insertable, AsChangeset)]
#[diesel(table_name = variables, treat_none_as_null = true)]
struct VariableColumns<'a> {
    project_id: Option<i64>,
    namespace_id: Option<i64>,
    key: &'a str,
    sealed_value: &'a str,
    kind: &'static str,
    protected: bool,
    masked: bool,
    hidden: bool,
    raw: bool,
    environment_scope: &'a str,
    description: Option<&'a str>,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
}

impl<'a> From<&'a StoredVariable> for VariableColumns<'a> {
    fn from(stored: &'a StoredVariable) -> Self {
        let variable = &stored.variable;
        let (project_id, namespace_id) = variable.container.map(columns).unwrap_or_default();
        Self {
            project_id,
            namespace_id,
            key: &variable.key,
            sealed_value: &stored.sealed_value,
            kind: variable.kind.as_str(),
            protected: variable.protected,
            masked: variable.masked,
            hidden: variable.hidden,
            raw: variable.raw,
            environment_scope: &variable.environment_scope,
            description: variable.description.as_deref(),
            created_at: naive(variable.created_at),
            updated_at: naive(variable.updated_at),
        }
    }
}

/// The variables of a project or group, or, if that is `None`, of the whole server.
fn of(container: Option<Container>) -> variables::BoxedQuery<'static, Backend> {
    let all = variables::table.into_boxed::<Backend>();
    match container {
        Some(Container::Project(id)) => all.filter(variables::project_id.eq(id.get())),
        Some(Container::Group(id)) => all.filter(variables::namespace_id.eq(id.get())),
        None => all.filter(variables::project_id.is_null().and(variables::namespace_id.is_null())),
    }
}

fn load(tx: &mut ReadTx<'_>, query: variables::BoxedQuery<'_, Backend>) -> StoreResult<Vec<StoredVariable>> {
    let rows: Vec<(VariableRow, String)> =
        query.select((VariableRow::as_select(), variables::sealed_value)).load(tx.conn)?;
    let stored =
        |(row, sealed_value): (VariableRow, String)| Ok(StoredVariable { variable: row.try_into()?, sealed_value });
    rows.into_iter().map(stored).collect()
}

/// As [`load`], without the values: those of a page can be many megabytes.
fn load_without_values(tx: &mut ReadTx<'_>, query: variables::BoxedQuery<'_, Backend>) -> StoreResult<Vec<Variable>> {
    let rows: Vec<VariableRow> = query.select(VariableRow::as_select()).load(tx.conn)?;
    rows.into_iter().map(TryInto::try_into).collect()
}

/// How many variables a project or group, or the whole server, has of its own.
pub fn count(tx: &mut ReadTx<'_>, container: Option<Container>) -> StoreResult<i64> {
    Ok(of(container).count().get_result(tx.conn)?)
}

/// One page of the variables of a project or group, or of the whole server, by id.
pub fn list(
    tx: &mut ReadTx<'_>,
    container: Option<Container>,
    request: PageRequest,
) -> StoreResult<Page<StoredVariable>> {
    let total = count(tx, container)?;
    page(request, total, |limit, offset| load(tx, of(container).order(variables::id).limit(limit).offset(offset)))
}

/// As [`list`], without the values.
pub fn list_without_values(
    tx: &mut ReadTx<'_>,
    container: Option<Container>,
    request: PageRequest,
) -> StoreResult<Page<Variable>> {
    let total = count(tx, container)?;
    page(request, total, |limit, offset| {
        load_without_values(tx, of(container).order(variables::id).limit(limit).offset(offset))
    })
}

/// The first variables of the groups above a project, by key and id.
pub fn inherited(tx: &mut ReadTx<'_>, project: ProjectId, limit: i64) -> StoreResult<Vec<Variable>> {
    let above = in_subquery(variables::namespace_id, ancestors_of_project(project.get()));
    let query = variables::table.filter(above).order((variables::key, variables::id)).limit(limit);
    load_without_values(tx, query.into_boxed())
}

/// The variable of that id, if it belongs to the project or group, or to the whole server.
pub fn find(tx: &mut ReadTx<'_>, container: Option<Container>, id: VariableId) -> StoreResult<Option<StoredVariable>> {
    Ok(load(tx, of(container).filter(variables::id.eq(id.get())))?.pop())
}

/// The first two variables of that name, by id: in one scope if it is given, else in any.
pub fn named(
    tx: &mut ReadTx<'_>,
    container: Option<Container>,
    key: &str,
    scope: Option<&str>,
) -> StoreResult<Vec<StoredVariable>> {
    let mut query = of(container).filter(variables::key.eq(key.to_owned()));
    if let Some(scope) = scope {
        query = query.filter(variables::environment_scope.eq(scope.to_owned()));
    }
    load(tx, query.order(variables::id).limit(2))
}

/// Stores a new variable and yields its id; the id in `stored` is ignored. Fails with [`crate::UniqueKey::VariableKey`].
pub fn insert(tx: &mut WriteTx<'_>, stored: &StoredVariable) -> StoreResult<VariableId> {
    let id = diesel::insert_into(variables::table)
        .values(VariableColumns::from(stored))
        .returning(variables::id)
        .get_result(tx.conn)?;
    Ok(VariableId::new(id))
}

/// Stores a variable as it now is. Fails with [`crate::UniqueKey::VariableKey`].
pub fn update(tx: &mut WriteTx<'_>, stored: &StoredVariable) -> StoreResult<()> {
    diesel::update(variables::table.find(stored.variable.id.get()))
        .set(VariableColumns::from(stored))
        .execute(tx.conn)?;
    Ok(())
}

/// Removes a variable.
pub fn delete(tx: &mut WriteTx<'_>, id: VariableId) -> StoreResult<()> {
    diesel::delete(variables::table.find(id.get())).execute(tx.conn)?;
    Ok(())
}
