//! Feature flags of projects, with their strategies.

#![expect(clippy::ref_option_ref, reason = "what the derive makes of optional columns")]

mod user_list;

use std::collections::HashMap;

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::feature_flag::{FeatureFlag, Scope, Strategy, StrategyKind};
use tenon_domain::id::{FeatureFlagId, FlagScopeId, FlagStrategyId, ProjectId, UserListId};
use tenon_domain::page::{Page, PageRequest};

use crate::db::connection::Backend;
use crate::db::expressions::in_ids;
use crate::db::paging::page;
use crate::db::row::{naive, parsed, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::{feature_flag_scopes, feature_flag_strategies, feature_flags};

pub use user_list::{
    count_user_lists, delete_user_list, find_user_list, insert_user_list, is_user_list_used, update_user_list,
    user_list_of_id, user_lists, user_lists_by_ids,
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = feature_flags)]
struct FlagRow {
    id: i64,
    project_id: i64,
    name: String,
    description: Option<String>,
    active: bool,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = feature_flag_strategies)]
struct StrategyRow {
    id: i64,
    feature_flag_id: i64,
    name: String,
    parameters: String,
    user_list_id: Option<i64>,
}

#[derive(Insertable, AsChangeset)]
#[diesel(table_name = feature_flags, treat_none_as_null = true)]
struct FlagColumns<'a> {
    project_id: i64,
    name: &'a str,
    description: Option<&'a str>,
    active: bool,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
}

impl<'a> From<&'a FeatureFlag> for FlagColumns<'a> {
    fn from(flag: &'a FeatureFlag) -> Self {
        Self {
            project_id: flag.project.get(),
            name: &flag.name,
            description: flag.description.as_deref(),
            active: flag.active,
            created_at: naive(flag.created_at),
            updated_at: naive(flag.updated_at),
        }
    }
}

#[derive(Insertable, AsChangeset)]
#[diesel(table_name = feature_flag_strategies, treat_none_as_null = true)]
struct StrategyColumns<'a> {
    feature_flag_id: i64,
    name: &'a str,
    parameters: String,
    user_list_id: Option<i64>,
}

impl<'a> StrategyColumns<'a> {
    fn new(flag: FeatureFlagId, strategy: &'a Strategy) -> Self {
        let members = strategy.parameters.iter().map(|(name, value)| (name.clone(), value.as_str().into()));
        Self {
            feature_flag_id: flag.get(),
            name: strategy.kind.as_str(),
            parameters: serde_json::Value::Object(members.collect()).to_string(),
            user_list_id: strategy.user_list.map(UserListId::get),
        }
    }
}

type Query = feature_flags::BoxedQuery<'static, Backend>;

fn of(project: ProjectId, active: Option<bool>) -> Query {
    let query = feature_flags::table.filter(feature_flags::project_id.eq(project.get())).into_boxed::<Backend>();
    match active {
        None => query,
        Some(active) => query.filter(feature_flags::active.eq(active)),
    }
}

fn load(tx: &mut ReadTx<'_>, query: Query) -> StoreResult<Vec<FeatureFlag>> {
    let rows: Vec<FlagRow> = query.select(FlagRow::as_select()).load(tx.conn)?;
    let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
    let mut strategies = strategies(tx, &ids)?;
    Ok(rows
        .into_iter()
        .map(|row| FeatureFlag {
            id: FeatureFlagId::new(row.id),
            project: ProjectId::new(row.project_id),
            name: row.name,
            description: row.description,
            active: row.active,
            strategies: strategies.remove(&row.id).unwrap_or_default(),
            created_at: utc(row.created_at),
            updated_at: utc(row.updated_at),
        })
        .collect())
}

/// The strategies of these flags with their scopes, by flag, the oldest first.
fn strategies(tx: &mut ReadTx<'_>, flags: &[i64]) -> StoreResult<HashMap<i64, Vec<Strategy>>> {
    let mut found: HashMap<i64, Vec<Strategy>> = HashMap::new();
    if flags.is_empty() {
        return Ok(found);
    }
    let rows: Vec<StrategyRow> = feature_flag_strategies::table
        .filter(in_ids(feature_flag_strategies::feature_flag_id, flags, std::convert::identity))
        .order(feature_flag_strategies::id)
        .select(StrategyRow::as_select())
        .load(tx.conn)?;
    let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
    let mut scopes: HashMap<i64, Vec<Scope>> = HashMap::new();
    let of_strategies: Vec<(i64, i64, String)> = feature_flag_scopes::table
        .filter(in_ids(feature_flag_scopes::strategy_id, &ids, std::convert::identity))
        .order(feature_flag_scopes::id)
        .select((feature_flag_scopes::strategy_id, feature_flag_scopes::id, feature_flag_scopes::environment_scope))
        .load(tx.conn)?;
    for (strategy, id, environment) in of_strategies {
        scopes.entry(strategy).or_default().push(Scope { id: FlagScopeId::new(id), environment });
    }
    for row in rows {
        let table = "feature_flag_strategies";
        let parameters = parsed(table, "parameters", row.id, &row.parameters, |text| serde_json::from_str(text).ok())?;
        found.entry(row.feature_flag_id).or_default().push(Strategy {
            id: FlagStrategyId::new(row.id),
            kind: parsed(table, "name", row.id, &row.name, StrategyKind::parse)?,
            parameters,
            user_list: row.user_list_id.map(UserListId::new),
            scopes: scopes.remove(&row.id).unwrap_or_default(),
        });
    }
    Ok(found)
}

/// One page of the flags of a project, by name: all, those that are on, or those that are off.
pub fn list(
    tx: &mut ReadTx<'_>,
    project: ProjectId,
    active: Option<bool>,
    request: PageRequest,
) -> StoreResult<Page<FeatureFlag>> {
    let total = count(tx, project, active)?;
    page(request, total, |limit, offset| {
        load(tx, of(project, active).order((feature_flags::name, feature_flags::id)).limit(limit).offset(offset))
    })
}

/// How many flags a project has: all, those that are on, or those that are off.
pub fn count(tx: &mut ReadTx<'_>, project: ProjectId, active: Option<bool>) -> StoreResult<i64> {
    Ok(of(project, active).count().get_result(tx.conn)?)
}

/// The flag of that name.
pub fn find(tx: &mut ReadTx<'_>, project: ProjectId, name: &str) -> StoreResult<Option<FeatureFlag>> {
    Ok(load(tx, of(project, None).filter(feature_flags::name.eq(name.to_owned())))?.pop())
}

/// The newest flag of a project.
pub fn newest(tx: &mut ReadTx<'_>, project: ProjectId) -> StoreResult<Option<FeatureFlag>> {
    Ok(load(tx, of(project, None).order(feature_flags::id.desc()).limit(1))?.pop())
}

/// Stores a new flag with its strategies and yields its id; the ids in `flag` are ignored. Fails with
/// [`crate::UniqueKey::FeatureFlagName`].
pub fn insert(tx: &mut WriteTx<'_>, flag: &FeatureFlag) -> StoreResult<FeatureFlagId> {
    let id: i64 = diesel::insert_into(feature_flags::table)
        .values(FlagColumns::from(flag))
        .returning(feature_flags::id)
        .get_result(tx.conn)?;
    let id = FeatureFlagId::new(id);
    for strategy in &flag.strategies {
        insert_strategy(tx, id, strategy)?;
    }
    Ok(id)
}

fn insert_strategy(tx: &mut WriteTx<'_>, flag: FeatureFlagId, strategy: &Strategy) -> StoreResult<()> {
    let id: i64 = diesel::insert_into(feature_flag_strategies::table)
        .values(StrategyColumns::new(flag, strategy))
        .returning(feature_flag_strategies::id)
        .get_result(tx.conn)?;
    for scope in &strategy.scopes {
        insert_scope(tx, id, scope)?;
    }
    Ok(())
}

fn insert_scope(tx: &mut WriteTx<'_>, strategy: i64, scope: &Scope) -> StoreResult<()> {
    diesel::insert_into(feature_flag_scopes::table)
        .values((
            feature_flag_scopes::strategy_id.eq(strategy),
            feature_flag_scopes::environment_scope.eq(&scope.environment),
        ))
        .execute(tx.conn)?;
    Ok(())
}

/// Stores a flag as it now is, which was `before`: strategies and scopes without an id are new, and those that are missing
/// are removed. Fails with [`crate::UniqueKey::FeatureFlagName`].
pub fn update(tx: &mut WriteTx<'_>, before: &FeatureFlag, flag: &FeatureFlag) -> StoreResult<()> {
    diesel::update(feature_flags::table.find(flag.id.get())).set(FlagColumns::from(flag)).execute(tx.conn)?;
    for gone in before.strategies.iter().filter(|old| flag.strategies.iter().all(|now| now.id != old.id)) {
        diesel::delete(feature_flag_strategies::table.find(gone.id.get())).execute(tx.conn)?;
    }
    for strategy in &flag.strategies {
        match before.strategies.iter().find(|old| old.id == strategy.id) {
            None => insert_strategy(tx, flag.id, strategy)?,
            Some(old) => update_strategy(tx, flag.id, old, strategy)?,
        }
    }
    Ok(())
}

fn update_strategy(
    tx: &mut WriteTx<'_>,
    flag: FeatureFlagId,
    before: &Strategy,
    strategy: &Strategy,
) -> StoreResult<()> {
    if strategy == before {
        return Ok(());
    }
    let id = strategy.id.get();
    diesel::update(feature_flag_strategies::table.find(id))
        .set(StrategyColumns::new(flag, strategy))
        .execute(tx.conn)?;
    for gone in before.scopes.iter().filter(|old| strategy.scopes.iter().all(|now| now.id != old.id)) {
        diesel::delete(feature_flag_scopes::table.find(gone.id.get())).execute(tx.conn)?;
    }
    for scope in &strategy.scopes {
        match before.scopes.iter().find(|old| old.id == scope.id) {
            None => insert_scope(tx, id, scope)?,
            Some(old) if old == scope => {}
            Some(_) => {
                diesel::update(feature_flag_scopes::table.find(scope.id.get()))
                    .set(feature_flag_scopes::environment_scope.eq(&scope.environment))
                    .execute(tx.conn)?;
            }
        }
    }
    Ok(())
}

/// Removes a flag with its strategies.
pub fn delete(tx: &mut WriteTx<'_>, id: FeatureFlagId) -> StoreResult<()> {
    diesel::delete(feature_flags::table.find(id.get())).execute(tx.conn)?;
    Ok(())
}
