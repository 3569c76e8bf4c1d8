//! The table of all routes.

use std::sync::{Arc, LazyLock};

use crate::endpoint::routes::RouteError;
use crate::endpoint::{RouteTable, Routes};
use crate::{
    award_emoji, badge, board, broadcast_message, contribution, custom_attribute, deploy_key, deploy_token, deployment,
    email, environment, feature_flag, gpg_key, group, hook, issuable, issue, label, markdown, member, merge_request,
    milestone, namespace, note, notification_setting, oauth, pipeline, project, release, repository, search, service,
    settings, snippet, ssh_key, system, template, todo, token, two_factor, upload, user, variable, wiki,
};

/// Every route of the API. The table is made once: it is the same for every application in a process. Fails if two
/// routes conflict.
pub(crate) fn all_routes() -> Result<Arc<RouteTable>, RouteError> {
    static TABLE: LazyLock<Result<Arc<RouteTable>, RouteError>> = LazyLock::new(|| table().map(Arc::new));
    TABLE.clone()
}

fn table() -> Result<RouteTable, RouteError> {
    let mut api = Routes::new();
    system::routes(&mut api);
    settings::routes(&mut api);
    broadcast_message::routes(&mut api);
    user::routes(&mut api);
    two_factor::routes(&mut api);
    token::routes(&mut api);
    ssh_key::routes(&mut api);
    deploy_key::routes(&mut api);
    deploy_token::routes(&mut api);
    gpg_key::routes(&mut api);
    email::routes(&mut api);
    oauth::routes(&mut api);
    namespace::routes(&mut api);
    group::routes(&mut api);
    project::routes(&mut api);
    member::routes(&mut api);
    hook::routes(&mut api);
    service::routes(&mut api);
    upload::routes(&mut api);
    repository::routes(&mut api);
    release::routes(&mut api);
    search::routes(&mut api);
    custom_attribute::routes(&mut api);
    issue::routes(&mut api);
    issuable::routes(&mut api);
    merge_request::routes(&mut api);
    label::routes(&mut api);
    milestone::routes(&mut api);
    note::routes(&mut api);
    notification_setting::routes(&mut api);
    award_emoji::routes(&mut api);
    template::routes(&mut api);
    todo::routes(&mut api);
    contribution::routes(&mut api);
    markdown::routes(&mut api);
    pipeline::routes(&mut api);
    variable::routes(&mut api);
    badge::routes(&mut api);
    board::routes(&mut api);
    environment::routes(&mut api);
    deployment::routes(&mut api);
    feature_flag::routes(&mut api);
    wiki::routes(&mut api);
    snippet::routes(&mut api);
    api.finish()
}
