//! Variables of projects, of groups and of the whole server.

use std::fmt::Debug;

use tenon_app::identity::Guard;
use tenon_app::variable::{self, CreateVariable, VariableChange, VariableOwner, VariableReference};
use tenon_app::{ContainerReference, Reference, Secret};
use tenon_domain::patch::Patch;
use tenon_domain::variable::VariableKind;
use tenon_edge::error::ApiError;

use crate::dto::variable::VariableDto;
use crate::endpoint::{Call, Caller, Created, Json, NoContent, Paged, Routes};
use crate::params::{Deferred, FromParams, Hash, Paging, StrictHash, params};

/// The project or group of the variables, or the whole server.
type Subject = fn(&Caller) -> VariableOwner;

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Variables");
    let of_project: Subject =
        |caller| VariableOwner::Container(ContainerReference::Project(Reference::parse(caller.path("id"))));
    let of_group: Subject =
        |caller| VariableOwner::Container(ContainerReference::Group(Reference::parse(caller.path("id"))));
    let of_server: Subject = |_caller| VariableOwner::Server;
    table::<CreateParams, EditParams>(
        api,
        ["/projects/{id}/variables", "/projects/{id}/variables/{key}"],
        Guard::SignedIn,
        of_project,
    );
    table::<CreateParams, EditParams>(
        api,
        ["/groups/{id}/variables", "/groups/{id}/variables/{key}"],
        Guard::SignedIn,
        of_group,
    );
    table::<CreateServerParams, EditServerParams>(
        api,
        ["/admin/ci/variables", "/admin/ci/variables/{key}"],
        Guard::Administrator,
        of_server,
    );
}

fn table<New: FromParams + Into<CreateVariable> + Send, Edit: FromParams + Into<Wanted> + Send>(
    api: &mut Routes,
    [all, one]: [&'static str; 2],
    guard: Guard,
    of: Subject,
) {
    api.get(all, guard, move |call| list(call, of), "The variables there, without those of groups above.")
        .post(all, guard, move |call| create::<New>(call, of), "Makes a variable.")
        .get(one, guard, move |call| show(call, of), "A variable, by its name.")
        .put(one, guard, move |call| edit::<Edit>(call, of), "Changes a variable.")
        .delete(one, guard, move |call| delete(call, of), "Removes a variable.");
}

params! {
    /// A scope that tells variables of one name apart.
    pub(crate) struct ScopeParams {
        /// The scope of the variable.
        environment_scope: Option<String>,
    }
}

params! {
    /// Which of several variables of one name is meant.
    pub(crate) struct FilterParams {
        /// The scope of the variable. Required if there are several of the name.
        filter: Hash<ScopeParams>,
    }
}

params! {
    /// Which of several variables of one name is changed or removed. A misspelled member would mean another one.
    pub(crate) struct StrictFilterParams {
        /// The scope of the variable. Required if there are several of the name.
        filter: StrictHash<ScopeParams>,
    }
}

params! {
    /// The fields that variables of projects, of groups and of the server have.
    pub(crate) struct FieldParams {
        /// `env_var` by default. Jobs get a `file` as the path of a file with the value.
        variable_type: Option<VariableKind>,
        /// True if only jobs of protected branches and tags get it; false by default.
        protected: Option<bool>,
        /// True if logs of jobs do not show the value: then it has at least 8 characters and no blanks. False by default.
        masked: Option<bool>,
        /// True if `$NAME` in the value is not replaced; false by default.
        raw: Option<bool>,
        /// The description.
        description: Patch<String>,
    }
}

params! {
    /// A new variable of a project or group.
    pub(crate) struct CreateParams {
        /// The name: letters, digits and `_`.
        key: String,
        /// The value: at most 10,000 characters, or 50,000 of a file.
        value: String,
        fields: FieldParams,
        /// The environments whose jobs get it: a name, in which `*` stands for any text; `*` by default.
        environment_scope: Option<String>,
        /// True if no answer ever has the value, and it is masked. This cannot be taken back.
        masked_and_hidden: Option<bool>,
    }
}

params! {
    /// A new variable of the whole server.
    pub(crate) struct CreateServerParams {
        /// The name: letters, digits and `_`.
        key: String,
        /// The value: at most 10,000 characters, or 50,000 of a file.
        value: String,
        fields: FieldParams,
    }
}

params! {
    /// Changes of a variable of a project or group.
    pub(crate) struct EditParams {
        /// The value.
        value: Option<String>,
        fields: FieldParams,
        /// The environments whose jobs get it.
        environment_scope: Option<String>,
        chosen: StrictFilterParams,
    }
}

params! {
    /// Changes of a variable of the whole server.
    pub(crate) struct EditServerParams {
        /// The value.
        value: Option<String>,
        fields: FieldParams,
    }
}

/// A change, and the scope of the variable that is meant.
struct Wanted {
    scope: Option<String>,
    change: VariableChange,
}

impl FieldParams {
    fn with(self, value: Option<String>, environment_scope: Option<String>) -> VariableChange {
        VariableChange {
            value: value.map(Secret::given),
            kind: self.variable_type,
            protected: self.protected,
            masked: self.masked,
            raw: self.raw,
            environment_scope,
            description: self.description,
        }
    }
}

impl From<CreateParams> for CreateVariable {
    fn from(params: CreateParams) -> Self {
        Self {
            key: params.key,
            masked_and_hidden: params.masked_and_hidden.unwrap_or(false),
            fields: params.fields.with(Some(params.value), params.environment_scope),
        }
    }
}

impl From<CreateServerParams> for CreateVariable {
    fn from(params: CreateServerParams) -> Self {
        Self { key: params.key, masked_and_hidden: false, fields: params.fields.with(Some(params.value), None) }
    }
}

impl From<EditParams> for Wanted {
    fn from(params: EditParams) -> Self {
        Self {
            scope: scope(params.chosen.filter.0),
            change: params.fields.with(params.value, params.environment_scope),
        }
    }
}

impl From<EditServerParams> for Wanted {
    fn from(params: EditServerParams) -> Self {
        Self { scope: None, change: params.fields.with(params.value, None) }
    }
}

fn scope(filter: Option<ScopeParams>) -> Option<String> {
    filter.and_then(|filter| filter.environment_scope)
}

fn named(caller: &Caller, scope: Option<String>) -> VariableReference {
    VariableReference::Key { key: caller.path("key").to_owned(), scope }
}

async fn list(Call { caller, params }: Call<Paging>, of: Subject) -> Result<Paged<VariableDto>, ApiError> {
    let owner = of(&caller);
    let page = caller.read(move |query| variable::list(query, &owner, params.into())).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn show(
    Call { caller, params }: Call<Deferred<FilterParams>>,
    of: Subject,
) -> Result<Json<VariableDto>, ApiError> {
    let owner = of(&caller);
    let reference = named(&caller, scope(readable(&caller, &owner, params).await?.filter.0));
    let found = caller.read(move |query| variable::show(query, &owner, &reference)).await?;
    Ok(Json(found.into()))
}

async fn create<P: FromParams + Into<CreateVariable> + Send>(
    Call { caller, params }: Call<Deferred<P>>,
    of: Subject,
) -> Result<Created<VariableDto>, ApiError> {
    let owner = of(&caller);
    let request = readable(&caller, &owner, params).await?.into();
    let made = caller.write(move |command| variable::create(command, &owner, request)).await?;
    Ok(Created(made.into()))
}

async fn edit<P: FromParams + Into<Wanted> + Send>(
    Call { caller, params }: Call<Deferred<P>>,
    of: Subject,
) -> Result<Json<VariableDto>, ApiError> {
    let owner = of(&caller);
    let Wanted { scope, change } = readable(&caller, &owner, params).await?.into();
    let reference = named(&caller, scope);
    let stored = caller.write(move |command| variable::edit(command, &owner, &reference, change)).await?;
    Ok(Json(stored.into()))
}

async fn delete(
    Call { caller, params }: Call<Deferred<StrictFilterParams>>,
    of: Subject,
) -> Result<NoContent, ApiError> {
    let owner = of(&caller);
    let reference = named(&caller, scope(readable(&caller, &owner, params).await?.filter.0));
    let since = caller.head().unmodified_since;
    caller.write(move |command| variable::delete(command, &owner, &reference, since)).await?;
    Ok(NoContent)
}

/// The parameters. Their problems are shown only to callers who may manage the variables: all others get that refusal
/// first.
async fn readable<P: FromParams + Debug>(
    caller: &Caller,
    owner: &VariableOwner,
    params: Deferred<P>,
) -> Result<P, ApiError> {
    match params.0 {
        Ok(params) => Ok(params),
        Err(problem) => {
            let owner = owner.clone();
            caller.read(move |query| variable::permit(query, &owner)).await?;
            Err(problem)
        }
    }
}
