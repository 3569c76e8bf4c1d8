//! Custom attributes of users, groups and projects.

use tenon_app::custom_attribute::{self, AttributeHolder};
use tenon_app::identity::Guard;
use tenon_app::{ContainerReference, Reference};
use tenon_domain::id::UserId;
use tenon_domain::token::ScopeRule;
use tenon_edge::error::ApiError;

use crate::dto::custom_attribute::CustomAttributeDto;
use crate::endpoint::{Call, Caller, Json, NoContent, Routes};
use crate::params::params;

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Custom attributes").scope(ScopeRule::ReadUser);
    family(api, ["/users/{id:int}/custom_attributes", "/users/{id:int}/custom_attributes/{key}"], |caller| {
        Ok(AttributeHolder::User(UserId::new(caller.path_i64("id")?)))
    });
    api.scope(ScopeRule::Api);
    family(api, ["/groups/{id}/custom_attributes", "/groups/{id}/custom_attributes/{key}"], |caller| {
        Ok(AttributeHolder::Container(ContainerReference::Group(Reference::parse(caller.path("id")))))
    });
    family(api, ["/projects/{id}/custom_attributes", "/projects/{id}/custom_attributes/{key}"], |caller| {
        Ok(AttributeHolder::Container(ContainerReference::Project(Reference::parse(caller.path("id")))))
    });
}

/// The subject of a request, from its path.
type Subject = fn(&Caller) -> Result<AttributeHolder, ApiError>;

/// The routes of one type of subject. Reads have no guard, because an anonymous read is 403 and not 401.
fn family(api: &mut Routes, [all, one]: [&'static str; 2], of: Subject) {
    api.get(all, Guard::Anyone, move |call| list(call, of), "All custom attributes; administrators only.")
        .get(one, Guard::Anyone, move |call| show(call, of), "One custom attribute; administrators only.")
        .put(one, Guard::SignedIn, move |call| set(call, of), "Sets a custom attribute; administrators only.")
        .delete(one, Guard::SignedIn, move |call| delete(call, of), "Removes a custom attribute; administrators only.");
}

params! {
    /// A value.
    pub(crate) struct SetParams {
        /// The value.
        value: String,
    }
}

async fn list(call: Call<()>, of: Subject) -> Result<Json<Vec<CustomAttributeDto>>, ApiError> {
    let of = of(&call)?;
    let found = call.read(move |query| custom_attribute::list(query, &of)).await?;
    Ok(Json(found.into_iter().map(Into::into).collect()))
}

async fn show(call: Call<()>, of: Subject) -> Result<Json<CustomAttributeDto>, ApiError> {
    let (of, key) = (of(&call)?, call.path("key").to_owned());
    let found = call.read(move |query| custom_attribute::show(query, &of, &key)).await?;
    Ok(Json(found.into()))
}

async fn set(Call { caller, params }: Call<SetParams>, of: Subject) -> Result<Json<CustomAttributeDto>, ApiError> {
    let (of, key) = (of(&caller)?, caller.path("key").to_owned());
    let stored = caller.write(move |command| custom_attribute::set(command, &of, &key, &params.value)).await?;
    Ok(Json(stored.into()))
}

async fn delete(call: Call<()>, of: Subject) -> Result<NoContent, ApiError> {
    let (of, key) = (of(&call)?, call.path("key").to_owned());
    call.write(move |command| custom_attribute::delete(command, &of, &key)).await?;
    Ok(NoContent)
}
