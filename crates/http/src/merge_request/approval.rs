//! Approvals of merge requests, and the rules of projects about them.

use tenon_app::Reference;
use tenon_app::identity::Guard;
use tenon_app::merge_request::{self, EditApprovalRule, NewApprovalRule};
use tenon_domain::id::ApprovalRuleId;
use tenon_domain::merge_request::RuleKind;
use tenon_domain::page::Page;
use tenon_edge::error::ApiError;

use crate::dto::approval::{ApprovalRuleDto, ApprovalSettingsDto, ApprovalStateDto, ApprovalsDto};
use crate::endpoint::{Call, Caller, Created, Json, NoContent, Paged, Routes};
use crate::issuable::reference;
use crate::params::{Filled, Paging, params};

const RULES: &str = "/projects/{id}/approval_rules";
const RULE: &str = "/projects/{id}/approval_rules/{rule_id:int}";
const SETTINGS: &str = "/projects/{id}/approvals";

pub(super) fn routes(api: &mut Routes) {
    api.tag("Approvals")
        .get(one!("/approvals"), Guard::SignedIn, approvals, "Its approvals.")
        .get(one!("/approval_state"), Guard::SignedIn, state, "The rules about approvals, and their state.")
        .get(one!("/approval_rules"), Guard::SignedIn, rules_of_one, "The rules about approvals: those of its project.")
        .post(one!("/approve"), Guard::SignedIn, approve, "Approves it.")
        .post(one!("/request_changes"), Guard::SignedIn, request_changes, "Asks for changes.")
        .post(one!("/unapprove"), Guard::SignedIn, withdraw, "Withdraws the caller's approval or request for changes.")
        .get(SETTINGS, Guard::SignedIn, settings, "The settings of a project about approvals.")
        .post(SETTINGS, Guard::SignedIn, set_settings, "Changes the settings of a project about approvals.")
        .get(RULES, Guard::SignedIn, rules, "The rules of a project about approvals.")
        .post(RULES, Guard::SignedIn, create_rule, "Creates a rule about approvals.")
        .get(RULE, Guard::SignedIn, show_rule, "A rule about approvals.")
        .put(RULE, Guard::SignedIn, edit_rule, "Changes a rule about approvals.")
        .delete(RULE, Guard::SignedIn, delete_rule, "Deletes a rule about approvals.");
}

params! {
    /// A verdict.
    pub(crate) struct VerdictParams {
        /// The commit that the caller has seen. The request is refused if the head is another one.
        sha: Option<String>,
    }
}

params! {
    /// A new rule.
    pub(crate) struct CreateRuleParams {
        /// The name, unique in the project.
        name: Filled,
        /// How many approvals are required, 0 to 100.
        approvals_required: i64,
        /// `regular` (the default) or `any_approver`.
        rule_type: Option<RuleKind>,
        /// The ids of the users whose approvals count.
        user_ids: Option<Vec<i64>>,
        /// The user names of users whose approvals count.
        usernames: Option<Vec<String>>,
        /// The ids of the groups whose direct members' approvals count.
        group_ids: Option<Vec<i64>>,
    }
}

params! {
    /// Changes to a rule.
    pub(crate) struct EditRuleParams {
        /// The name, unique in the project.
        name: Option<String>,
        /// How many approvals are required, 0 to 100.
        approvals_required: Option<i64>,
        /// The ids of the users whose approvals count.
        user_ids: Option<Vec<i64>>,
        /// The user names of users whose approvals count.
        usernames: Option<Vec<String>>,
        /// The ids of the groups whose direct members' approvals count.
        group_ids: Option<Vec<i64>>,
    }
}

params! {
    /// Changes to the settings.
    pub(crate) struct SettingsParams {
        /// How many approvals the rule of type `any_approver` requires, 0 to 100.
        approvals_before_merge: Option<i64>,
        /// True if a push with other changes takes the approvals away.
        reset_approvals_on_push: Option<bool>,
        /// True if the approval of the author counts.
        merge_requests_author_approval: Option<bool>,
    }
}

async fn approvals(caller: Call<()>) -> Result<Json<ApprovalsDto>, ApiError> {
    let of = reference(&caller)?;
    Ok(Json(caller.read(move |query| merge_request::approvals(query, &of)).await?.into()))
}

async fn state(caller: Call<()>) -> Result<Json<ApprovalStateDto>, ApiError> {
    let of = reference(&caller)?;
    let (_, view) = caller.read(move |query| merge_request::approvals(query, &of)).await?;
    Ok(Json(view.into()))
}

async fn approve(Call { caller, params }: Call<VerdictParams>) -> Result<Created<ApprovalsDto>, ApiError> {
    let of = reference(&caller)?;
    let view = caller.write(move |command| merge_request::approve(command, &of, params.sha.as_deref())).await?;
    Ok(Created(view.into()))
}

async fn request_changes(Call { caller, params }: Call<VerdictParams>) -> Result<Created<ApprovalsDto>, ApiError> {
    let of = reference(&caller)?;
    let view = caller.write(move |command| merge_request::request_changes(command, &of, params.sha.as_deref())).await?;
    Ok(Created(view.into()))
}

async fn withdraw(caller: Call<()>) -> Result<Created<ApprovalsDto>, ApiError> {
    let of = reference(&caller)?;
    Ok(Created(caller.write(move |command| merge_request::withdraw(command, &of)).await?.into()))
}

fn project(caller: &Caller) -> Reference {
    Reference::parse(caller.path("id"))
}

fn rule_of(caller: &Caller) -> Result<ApprovalRuleId, ApiError> {
    Ok(ApprovalRuleId::new(caller.path_i64("rule_id")?))
}

/// The users of these ids and names; nothing if neither is given.
fn people(ids: Option<Vec<i64>>, names: Option<Vec<String>>) -> Option<Vec<Reference>> {
    if ids.is_none() && names.is_none() {
        return None;
    }
    let ids = ids.unwrap_or_default().into_iter().map(Reference::Id);
    Some(ids.chain(names.unwrap_or_default().into_iter().map(Reference::Path)).collect())
}

fn groups(ids: Option<Vec<i64>>) -> Option<Vec<Reference>> {
    ids.map(|ids| ids.into_iter().map(Reference::Id).collect())
}

async fn rules(Call { caller, params }: Call<Paging>) -> Result<Paged<ApprovalRuleDto>, ApiError> {
    let (project, page) = (project(&caller), params.into());
    let page = caller.read(move |query| merge_request::approval_rules(query, &project, page)).await?;
    Ok(Paged(page.map(Into::into)))
}

async fn rules_of_one(Call { caller, params }: Call<Paging>) -> Result<Paged<ApprovalRuleDto>, ApiError> {
    let of = reference(&caller)?;
    let (_, view) = caller.read(move |query| merge_request::approvals(query, &of)).await?;
    Ok(Paged(Page::cut(view.rules, params.into()).map(|state| state.rule.into())))
}

async fn show_rule(caller: Call<()>) -> Result<Json<ApprovalRuleDto>, ApiError> {
    let (project, rule) = (project(&caller), rule_of(&caller)?);
    Ok(Json(caller.read(move |query| merge_request::approval_rule(query, &project, rule)).await?.into()))
}

async fn create_rule(Call { caller, params }: Call<CreateRuleParams>) -> Result<Created<ApprovalRuleDto>, ApiError> {
    let project = project(&caller);
    let request = NewApprovalRule {
        name: params.name.0,
        kind: params.rule_type.unwrap_or(RuleKind::Regular),
        required: params.approvals_required,
        users: people(params.user_ids, params.usernames).unwrap_or_default(),
        groups: groups(params.group_ids).unwrap_or_default(),
    };
    let view = caller.write(move |command| merge_request::create_rule(command, &project, request)).await?;
    Ok(Created(view.into()))
}

async fn edit_rule(Call { caller, params }: Call<EditRuleParams>) -> Result<Json<ApprovalRuleDto>, ApiError> {
    let (project, rule) = (project(&caller), rule_of(&caller)?);
    let request = EditApprovalRule {
        name: params.name,
        required: params.approvals_required,
        users: people(params.user_ids, params.usernames),
        groups: groups(params.group_ids),
    };
    Ok(Json(caller.write(move |command| merge_request::edit_rule(command, &project, rule, request)).await?.into()))
}

async fn delete_rule(caller: Call<()>) -> Result<NoContent, ApiError> {
    let (project, rule) = (project(&caller), rule_of(&caller)?);
    caller.write(move |command| merge_request::delete_rule(command, &project, rule)).await?;
    Ok(NoContent)
}

async fn settings(caller: Call<()>) -> Result<Json<ApprovalSettingsDto>, ApiError> {
    let project = project(&caller);
    Ok(Json(caller.read(move |query| merge_request::approval_settings(query, &project)).await?.into()))
}

async fn set_settings(Call { caller, params }: Call<SettingsParams>) -> Result<Created<ApprovalSettingsDto>, ApiError> {
    let project = project(&caller);
    let switches = (params.reset_approvals_on_push, params.merge_requests_author_approval);
    let required = params.approvals_before_merge;
    let set = caller.write(move |command| merge_request::set_approval_settings(command, &project, switches, required));
    Ok(Created(set.await?.into()))
}
