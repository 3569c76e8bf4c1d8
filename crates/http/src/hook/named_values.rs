//! Single headers and variables of hooks.

use tenon_app::hook::{self, HookSource, NamedKind};
use tenon_app::identity::Guard;
use tenon_edge::error::ApiError;

use super::{hook_id, source};
use crate::endpoint::{Call, Caller, NoContent, Routes};
use crate::params::params;

pub(super) fn routes(api: &mut Routes) {
    use NamedKind::{Header, Variable};
    let (guard, of_project) = (Guard::SignedIn, |call: &Caller| source(call));
    api.tag("Project hooks")
        .put(
            "/projects/{id}/hooks/{hook_id:int}/custom_headers/{key}",
            guard,
            move |call| set(call, of_project, Header),
            "Sets a header that a hook of a project sends along.",
        )
        .delete(
            "/projects/{id}/hooks/{hook_id:int}/custom_headers/{key}",
            guard,
            move |call| remove(call, of_project, Header),
            "Removes a header that a hook of a project sends along.",
        )
        .put(
            "/projects/{id}/hooks/{hook_id:int}/url_variables/{key}",
            guard,
            move |call| set(call, of_project, Variable),
            "Sets a variable of the URL of a hook of a project.",
        )
        .delete(
            "/projects/{id}/hooks/{hook_id:int}/url_variables/{key}",
            guard,
            move |call| remove(call, of_project, Variable),
            "Removes a variable of a hook of a project that its URL does not name.",
        );
    let (guard, of_server) = (Guard::Administrator, |_: &Caller| HookSource::Server);
    api.tag("System hooks")
        .put(
            "/hooks/{hook_id:int}/custom_headers/{key}",
            guard,
            move |call| set(call, of_server, Header),
            "Sets a header that a hook of the whole server sends along; administrators only.",
        )
        .delete(
            "/hooks/{hook_id:int}/custom_headers/{key}",
            guard,
            move |call| remove(call, of_server, Header),
            "Removes a header that a hook of the whole server sends along; administrators only.",
        )
        .put(
            "/hooks/{hook_id:int}/url_variables/{key}",
            guard,
            move |call| set(call, of_server, Variable),
            "Sets a variable of the URL of a hook of the whole server; administrators only.",
        )
        .delete(
            "/hooks/{hook_id:int}/url_variables/{key}",
            guard,
            move |call| remove(call, of_server, Variable),
            "Removes a variable of a hook of the whole server that its URL does not name; administrators only.",
        );
}

params! {
    /// The value of a header or variable.
    pub(crate) struct ValueParams {
        /// The value, which is never shown.
        value: String,
    }
}

async fn set(
    Call { caller, params }: Call<ValueParams>,
    source: fn(&Caller) -> HookSource,
    kind: NamedKind,
) -> Result<NoContent, ApiError> {
    let (source, id, key) = (source(&caller), hook_id(&caller)?, caller.path("key").to_owned());
    caller.write(move |command| hook::set_value(command, &source, id, (kind, key.clone()), params.value.clone())).await?;
    Ok(NoContent)
}

async fn remove(call: Call<()>, source: fn(&Caller) -> HookSource, kind: NamedKind) -> Result<NoContent, ApiError> {
    let (source, id, key) = (source(&call), hook_id(&call)?, call.path("key").to_owned());
    call.write(move |command| hook::remove_value(command, &source, id, (kind, &key))).await?;
    Ok(NoContent)
}
