//! Feature flags and their lists of users as JSON.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::Serialize;
use tenon_app::feature_flag::FlagView;
use tenon_domain::feature_flag::{Scope, UserList};
use utoipa::ToSchema;

/// A feature flag.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FeatureFlagDto {
    name: String,
    description: Option<String>,
    /// False if it is off for everybody.
    active: bool,
    /// Always `new_version_flag`.
    version: &'static str,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    updated_at: DateTime<Utc>,
    /// Always empty: strategies have scopes.
    scopes: Vec<FlagScopeDto>,
    /// The rules for whom it is on, the oldest first.
    strategies: Vec<StrategyDto>,
}

/// A rule for whom a feature flag is on.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StrategyDto {
    id: i64,
    /// `default`, `gradualRolloutUserId`, `userWithId`, `gitlabUserList` or `flexibleRollout`.
    name: &'static str,
    parameters: BTreeMap<String, String>,
    /// The environments in which it holds.
    scopes: Vec<FlagScopeDto>,
    user_list: Option<UserListRefDto>,
}

/// The environments in which a strategy holds.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FlagScopeDto {
    id: i64,
    /// A name, in which `*` stands for any text.
    environment_scope: String,
}

impl From<Scope> for FlagScopeDto {
    fn from(scope: Scope) -> Self {
        Self { id: scope.id.get(), environment_scope: scope.environment }
    }
}

/// A list of users, as a strategy names it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct UserListRefDto {
    id: i64,
    iid: i64,
    name: String,
    /// The users, separated by commas.
    user_xids: String,
}

impl From<UserList> for UserListRefDto {
    fn from(list: UserList) -> Self {
        Self { id: list.id.get(), iid: list.iid.get(), name: list.name, user_xids: list.users }
    }
}

impl From<FlagView> for FeatureFlagDto {
    fn from(view: FlagView) -> Self {
        let FlagView { flag, lists } = view;
        let strategies = flag.strategies.into_iter().map(|strategy| StrategyDto {
            id: strategy.id.get(),
            name: strategy.kind.as_str(),
            parameters: strategy.parameters,
            scopes: strategy.scopes.into_iter().map(Into::into).collect(),
            user_list: strategy.user_list.and_then(|id| lists.get(&id).cloned()).map(Into::into),
        });
        Self {
            name: flag.name,
            description: flag.description,
            active: flag.active,
            version: "new_version_flag",
            created_at: flag.created_at,
            updated_at: flag.updated_at,
            scopes: Vec::new(),
            strategies: strategies.collect(),
        }
    }
}

/// A list of users for strategies.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct UserListDto {
    #[serde(flatten)]
    list: UserListRefDto,
    project_id: i64,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    updated_at: DateTime<Utc>,
}

impl From<UserList> for UserListDto {
    fn from(list: UserList) -> Self {
        let (project_id, created_at, updated_at) = (list.project.get(), list.created_at, list.updated_at);
        Self { list: list.into(), project_id, created_at, updated_at }
    }
}
