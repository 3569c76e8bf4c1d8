//! Feature flags of projects, and lists of users for their strategies.

use std::collections::BTreeMap;

use tenon_app::Reference;
use tenon_app::feature_flag::{self, FlagChange, ScopeChange, StrategyChange, UserListChange};
use tenon_app::identity::Guard;
use tenon_domain::feature_flag::StrategyKind;
use tenon_domain::id::{FlagScopeId, FlagStrategyId, Iid, UserListId};
use tenon_domain::patch::Patch;
use tenon_edge::error::ApiError;

use crate::dto::feature_flag::{FeatureFlagDto, UserListDto};
use crate::endpoint::{Call, Caller, Created, Json, NoContent, Paged, Routes};
use crate::params::{Each, Paging, choice, params};

pub(crate) fn routes(api: &mut Routes) {
    const FLAGS: &str = "/projects/{id}/feature_flags";
    const FLAG: &str = "/projects/{id}/feature_flags/{feature_flag_name}";
    const LISTS: &str = "/projects/{id}/feature_flags_user_lists";
    const LIST: &str = "/projects/{id}/feature_flags_user_lists/{iid:int}";
    api.tag("Feature flags")
        .get(FLAGS, Guard::SignedIn, list, "The feature flags of a project, by name.")
        .post(FLAGS, Guard::SignedIn, create, "Makes a feature flag.")
        .get(FLAG, Guard::SignedIn, show, "A feature flag.")
        .put(FLAG, Guard::SignedIn, edit, "Changes a feature flag.")
        .delete(FLAG, Guard::SignedIn, delete, "Removes a feature flag with its strategies.")
        .get(LISTS, Guard::SignedIn, user_lists, "The lists of users of a project, the oldest first.")
        .post(LISTS, Guard::SignedIn, create_user_list, "Makes a list of users.")
        .get(LIST, Guard::SignedIn, show_user_list, "A list of users.")
        .put(LIST, Guard::SignedIn, edit_user_list, "Changes a list of users.")
        .delete(LIST, Guard::SignedIn, delete_user_list, "Removes a list of users that no strategy names.");
}

choice! {
    /// The state of flags.
    pub(crate) enum ActiveParam {
        /// On.
        Enabled = "enabled",
        /// Off.
        Disabled = "disabled",
    }
}

params! {
    /// The filter of feature flags.
    pub(crate) struct ListParams {
        /// Those that are on, or those that are off.
        scope: Option<ActiveParam>,
        paging: Paging,
    }
}

choice! {
    /// The version of a feature flag.
    pub(crate) enum VersionParam {
        /// With strategies.
        New = "new_version_flag",
    }
}

choice! {
    /// A rule for whom a flag is on.
    pub(crate) enum StrategyParam {
        /// For everybody.
        Default = "default",
        /// For some percent of the users, by their names.
        GradualRolloutUserId = "gradualRolloutUserId",
        /// For the users who are named.
        UserWithId = "userWithId",
        /// For those of a list.
        UserList = "gitlabUserList",
        /// For some percent of the users, by what a program chooses.
        FlexibleRollout = "flexibleRollout",
    }
}

params! {
    /// The environments in which a strategy holds.
    pub(crate) struct ScopeParams {
        /// The scope; a new one if absent.
        id: Option<i64>,
        /// A name, in which `*` stands for any text.
        environment_scope: Option<String>,
        /// True if it is removed; also `_destroy`.
        destroy | _destroy: Option<bool>,
    }
}

params! {
    /// A new strategy, or a change of one.
    pub(crate) struct StrategyParams {
        /// The strategy; a new one if absent.
        id: Option<i64>,
        /// Its kind.
        name: Option<StrategyParam>,
        /// Its parameters, as its kind demands.
        parameters: BTreeMap<String, String>,
        /// The id of a list of users.
        user_list_id: Option<i64>,
        /// Its scopes. Those that are not named stay.
        scopes: Option<Each<ScopeParams>>,
        /// True if it is removed; also `_destroy`.
        destroy | _destroy: Option<bool>,
    }
}

params! {
    /// The fields of a feature flag besides its name.
    pub(crate) struct FieldParams {
        /// A text about it.
        description: Patch<String>,
        /// False if it is off for everybody; true by default.
        active: Option<bool>,
        /// Its strategies. Those that are not named stay.
        strategies: Option<Each<StrategyParams>>,
    }
}

params! {
    /// A new feature flag.
    pub(crate) struct CreateParams {
        /// Its name.
        name: String,
        /// Always `new_version_flag`.
        #[expect(dead_code, reason = "there is one version")]
        version: Option<VersionParam>,
        fields: FieldParams,
    }
}

params! {
    /// Changes of a feature flag.
    pub(crate) struct EditParams {
        /// Its name.
        name: Option<String>,
        fields: FieldParams,
    }
}

params! {
    /// The filter of lists of users.
    pub(crate) struct ListsParams {
        /// Those whose name contains this, whatever the case.
        search: Option<String>,
        paging: Paging,
    }
}

params! {
    /// A new list of users.
    pub(crate) struct CreateListParams {
        /// Its name.
        name: String,
        /// The users, separated by commas.
        user_xids: String,
    }
}

params! {
    /// Changes of a list of users.
    pub(crate) struct EditListParams {
        /// Its name.
        name: Option<String>,
        /// The users, separated by commas.
        user_xids: Option<String>,
    }
}

impl FieldParams {
    fn into_change(self, name: Option<String>) -> FlagChange {
        let strategies = self.strategies.map_or_else(Vec::new, |strategies| strategies.0);
        FlagChange {
            name,
            description: self.description,
            active: self.active,
            strategies: strategies.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<StrategyParams> for StrategyChange {
    fn from(params: StrategyParams) -> Self {
        let scopes = params.scopes.map_or_else(Vec::new, |scopes| scopes.0);
        Self {
            id: params.id.map(FlagStrategyId::new),
            is_removed: params.destroy == Some(true),
            kind: params.name.map(|name| match name {
                StrategyParam::Default => StrategyKind::Default,
                StrategyParam::GradualRolloutUserId => StrategyKind::GradualRolloutUserId,
                StrategyParam::UserWithId => StrategyKind::UserWithId,
                StrategyParam::UserList => StrategyKind::UserList,
                StrategyParam::FlexibleRollout => StrategyKind::FlexibleRollout,
            }),
            parameters: params.parameters,
            user_list: params.user_list_id.map(UserListId::new),
            scopes: scopes.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<ScopeParams> for ScopeChange {
    fn from(params: ScopeParams) -> Self {
        Self {
            id: params.id.map(FlagScopeId::new),
            is_removed: params.destroy == Some(true),
            environment: params.environment_scope,
        }
    }
}

fn project(caller: &Caller) -> Reference {
    Reference::parse(caller.path("id"))
}

fn name(caller: &Caller) -> String {
    caller.path("feature_flag_name").to_owned()
}

fn iid(caller: &Caller) -> Result<Iid, ApiError> {
    caller.path_i64("iid").map(Iid::new)
}

async fn list(Call { caller, params }: Call<ListParams>) -> Result<Paged<FeatureFlagDto>, ApiError> {
    let project = project(&caller);
    let active = params.scope.map(|scope| scope == ActiveParam::Enabled);
    let page = caller.read(move |query| feature_flag::list(query, &project, active, params.paging.into())).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn show(call: Call<()>) -> Result<Json<FeatureFlagDto>, ApiError> {
    let (project, name) = (project(&call), name(&call));
    Ok(Json(call.read(move |query| feature_flag::show(query, &project, &name)).await?.into()))
}

async fn create(Call { caller, params }: Call<CreateParams>) -> Result<Created<FeatureFlagDto>, ApiError> {
    let (project, change) = (project(&caller), params.fields.into_change(Some(params.name)));
    Ok(Created(caller.write(move |command| feature_flag::create(command, &project, change)).await?.into()))
}

async fn edit(Call { caller, params }: Call<EditParams>) -> Result<Json<FeatureFlagDto>, ApiError> {
    let (project, name, change) = (project(&caller), name(&caller), params.fields.into_change(params.name));
    Ok(Json(caller.write(move |command| feature_flag::edit(command, &project, &name, change)).await?.into()))
}

async fn delete(call: Call<()>) -> Result<NoContent, ApiError> {
    let (project, name, since) = (project(&call), name(&call), call.head().unmodified_since);
    call.write(move |command| feature_flag::delete(command, &project, &name, since)).await?;
    Ok(NoContent)
}

async fn user_lists(Call { caller, params }: Call<ListsParams>) -> Result<Paged<UserListDto>, ApiError> {
    let (project, search) = (project(&caller), params.search.filter(|search| !search.is_empty()));
    let read = move |query: &mut tenon_app::Query<'_>| {
        feature_flag::user_lists(query, &project, search.as_deref(), params.paging.into())
    };
    Ok(Paged(caller.read(read).await?.map(Into::into)))
}

async fn show_user_list(call: Call<()>) -> Result<Json<UserListDto>, ApiError> {
    let (project, iid) = (project(&call), iid(&call)?);
    Ok(Json(call.read(move |query| feature_flag::show_user_list(query, &project, iid)).await?.into()))
}

async fn create_user_list(Call { caller, params }: Call<CreateListParams>) -> Result<Created<UserListDto>, ApiError> {
    let project = project(&caller);
    let change = UserListChange { name: Some(params.name), users: Some(params.user_xids) };
    let made = caller.write(move |command| feature_flag::create_user_list(command, &project, change)).await?;
    Ok(Created(made.into()))
}

async fn edit_user_list(Call { caller, params }: Call<EditListParams>) -> Result<Json<UserListDto>, ApiError> {
    let (project, iid) = (project(&caller), iid(&caller)?);
    let change = UserListChange { name: params.name, users: params.user_xids };
    let changed = caller.write(move |command| feature_flag::edit_user_list(command, &project, iid, change)).await?;
    Ok(Json(changed.into()))
}

async fn delete_user_list(call: Call<()>) -> Result<NoContent, ApiError> {
    let (project, iid, since) = (project(&call), iid(&call)?, call.head().unmodified_since);
    call.write(move |command| feature_flag::delete_user_list(command, &project, iid, since)).await?;
    Ok(NoContent)
}
