//! Protected branches.

use tenon_app::Reference;
use tenon_app::identity::Guard;
use tenon_app::repository::{self, AccessChange, EditProtection, EntryChange, NewProtection};
use tenon_domain::id::{AccessEntryId, DeployKeyId};
use tenon_domain::repository::ProtectionKind;
use tenon_edge::error::ApiError;

use super::project;
use crate::dto::repository::ProtectedBranchDto;
use crate::endpoint::{Call, Created, Json, NoContent, Paged, Routes};
use crate::params::{Each, FieldDoc, Filled, Paging, Param, Reader, params};

const KIND: ProtectionKind = ProtectionKind::Branch;

pub(super) fn routes(api: &mut Routes) {
    api.tag("Protected branches")
        .get("/projects/{id}/protected_branches", Guard::SignedIn, list, "The protected branches.")
        .post("/projects/{id}/protected_branches", Guard::SignedIn, create, "Protects branches.")
        .get("/projects/{id}/protected_branches/{name}", Guard::SignedIn, show, "The rule with this exact name.")
        .patch("/projects/{id}/protected_branches/{name}", Guard::SignedIn, edit, "Changes a rule.")
        .delete("/projects/{id}/protected_branches/{name}", Guard::SignedIn, delete, "Removes a rule.");
}

params! {
    /// The page.
    pub(super) struct ListParams {
        paging: Paging,
    }
}

params! {
    /// A new rule.
    pub(crate) struct CreateParams {
        /// The name, with `*` for any text.
        name: Filled,
        /// The level from which pushing is allowed: 0 for no one, 30, or 40 (the default).
        push_access_level: Option<i64>,
        /// The level from which merging is allowed: 0 for no one, 30, or 40 (the default).
        merge_access_level: Option<i64>,
        /// The level of the maintainers who may change and remove the rule: 30 or 40 (the default).
        unprotect_access_level: Option<i64>,
        permits: PermitParams,
    }
}

params! {
    /// Changes to a rule. A level takes the place of the levels that the rule has.
    pub(crate) struct EditParams {
        /// The level from which pushing is allowed: 0 for no one, 30, or 40.
        push_access_level: Option<i64>,
        /// The level from which merging is allowed: 0 for no one, 30, or 40.
        merge_access_level: Option<i64>,
        /// The level of the maintainers who may change and remove the rule: 30 or 40.
        unprotect_access_level: Option<i64>,
        permits: PermitParams,
    }
}

params! {
    /// The entries of a rule besides levels, and its switch.
    pub(crate) struct PermitParams {
        /// Who may push, in addition to `push_access_level`. If it names someone, that level has no default.
        allowed_to_push: Option<Each<EntryParams>>,
        /// Who may merge, in addition to `merge_access_level`. If it names someone, that level has no default.
        allowed_to_merge: Option<Each<EntryParams>>,
        /// Which maintainers may change and remove the rule, in addition to `unprotect_access_level`. If it names someone,
        /// that level has no default.
        allowed_to_unprotect: Option<Each<EntryParams>>,
        /// True if those who may push may also force a push; false by default.
        allow_force_push: Option<bool>,
        /// True if a merge needs an approval by a code owner of each changed path that has one.
        code_owner_approval_required: Option<bool>,
    }
}

params! {
    /// One of those who may do something: exactly one of a user, a group, a deploy key (pushes only) and a level.
    pub(crate) struct EntryParams {
        /// The id of an entry that is changed or removed.
        id: Option<i64>,
        /// The id of a member of the project.
        user_id: Option<i64>,
        /// The id of a group above the project, or with which it is shared.
        group_id: Option<i64>,
        /// The id of a deploy key that may write to the project.
        deploy_key_id: Option<i64>,
        /// A level: 0 for no one, 30, or 40.
        access_level: Option<i64>,
        /// True if the entry is removed.
        destroy: Destroy,
    }
}

/// True if an entry is removed. Its name on the wire, `_destroy`, cannot be that of a field that is used.
#[derive(Debug, Clone)]
pub(crate) struct Destroy(bool);

const DESTROY: &str = "_destroy";

impl Param for Destroy {
    fn read(reader: &mut Reader<'_>, _: &[&'static str]) -> Option<Self> {
        Option::<bool>::read(reader, &[DESTROY]).map(|given| Self(given.unwrap_or(false)))
    }

    fn describe(_: &'static str, doc: &[&str], fields: &mut Vec<FieldDoc>) {
        Option::<bool>::describe(DESTROY, doc, fields);
    }
}

impl From<EntryParams> for EntryChange {
    fn from(params: EntryParams) -> Self {
        Self {
            id: params.id.map(AccessEntryId::new),
            destroy: params.destroy.0,
            user: params.user_id.map(Reference::Id),
            group: params.group_id.map(Reference::Id),
            deploy_key: params.deploy_key_id.map(DeployKeyId::new),
            level: params.access_level,
        }
    }
}

/// Who may do one thing, by a level and a list.
pub(super) fn access(level: Option<i64>, list: Option<Each<EntryParams>>) -> AccessChange {
    let entries = list.map_or_else(Vec::new, |list| list.0.into_iter().map(Into::into).collect());
    AccessChange { level, entries, is_all: false }
}

fn permits([push, merge, unprotect]: [Option<i64>; 3], params: PermitParams) -> EditProtection {
    EditProtection {
        allow_force_push: params.allow_force_push,
        needs_code_owners: params.code_owner_approval_required,
        push: access(push, params.allowed_to_push),
        merge: access(merge, params.allowed_to_merge),
        unprotect: access(unprotect, params.allowed_to_unprotect),
    }
}

async fn list(Call { caller, params }: Call<ListParams>) -> Result<Paged<ProtectedBranchDto>, ApiError> {
    let (project, page) = (project(&caller), params.paging.into());
    let page = caller.read(move |query| repository::list_protections(query, &project, KIND, page)).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn show(call: Call<()>) -> Result<Json<ProtectedBranchDto>, ApiError> {
    let (project, name) = (project(&call), call.path("name").to_owned());
    let rule = call.read(move |query| repository::protection(query, &project, KIND, &name)).await?;
    Ok(Json(rule.into()))
}

async fn create(Call { caller, params }: Call<CreateParams>) -> Result<Created<ProtectedBranchDto>, ApiError> {
    let project = project(&caller);
    let levels = [params.push_access_level, params.merge_access_level, params.unprotect_access_level];
    let request = NewProtection { name: params.name.0, permits: permits(levels, params.permits) };
    let rule = caller.write(move |command| repository::protect(command, &project, KIND, &request)).await?;
    Ok(Created(rule.into()))
}

async fn edit(Call { caller, params }: Call<EditParams>) -> Result<Json<ProtectedBranchDto>, ApiError> {
    let (project, name) = (project(&caller), caller.path("name").to_owned());
    let since = caller.head().unmodified_since;
    let levels = [params.push_access_level, params.merge_access_level, params.unprotect_access_level];
    let request = permits(levels, params.permits);
    let edited =
        caller.write(move |command| repository::edit_protection(command, &project, (KIND, &name), &request, since));
    Ok(Json(edited.await?.into()))
}

async fn delete(call: Call<()>) -> Result<NoContent, ApiError> {
    let (project, name) = (project(&call), call.path("name").to_owned());
    let since = call.head().unmodified_since;
    call.write(move |command| repository::unprotect(command, &project, KIND, &name, since)).await?;
    Ok(NoContent)
}
