//! Pages whose addresses begin with `/groups/` and the path of a group.

use std::sync::Arc;

use actix_web::http::{Method, StatusCode};
use futures_util::FutureExt as _;
use tenon_app::identity::Guard;
use tenon_app::{Place, group, place};

use crate::context::group::{GroupContext, GroupPath};
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::segment::{decode, decoded};
use crate::pages::group::show;
use crate::table::group::GroupTable;
use crate::table::site::{SiteAction, SiteTable};

/// The page of the group of this path, as it was sent. Another spelling of the path is redirected to it.
async fn overview(context: RequestContext, path: &str) -> Result<Answer, PageError> {
    let raw: Vec<String> = path.split('/').map(str::to_owned).collect();
    let segments = decoded(&raw).ok_or(PageError::NotFound)?;
    let place = context.ask(move |query| place::find(query, &segments)).await?;
    match place {
        Place::Group { full_path, .. } if path != full_path => {
            let there = context.with_query(&format!("/groups/{full_path}"));
            Ok(Answer::to(&there).status(StatusCode::MOVED_PERMANENTLY))
        }
        Place::Group { id, .. } => show::show(context, id).await,
        Place::User { .. } | Place::Project { .. } => Err(PageError::NotFound),
    }
}

/// Adds the paths of groups to the table of the site. Pages behind `/-/` are in the table of groups.
pub(crate) fn routes(table: &mut SiteTable, groups: &Arc<GroupTable>) {
    let guards = [
        (Method::GET, Guard::Anyone),
        (Method::POST, Guard::SignedIn),
        (Method::PUT, Guard::SignedIn),
        (Method::DELETE, Guard::SignedIn),
    ];
    for (method, guard) in guards {
        let groups = groups.clone();
        let run = Box::new(move |context| dispatch(groups.clone(), context).boxed_local());
        table.add(method, "/groups/{*path}", SiteAction { guard, run });
    }
}

/// Pages behind `/-/`, which older addresses have without it.
const BELOW: [&str; 10] = [
    "issues",
    "merge_requests",
    "labels",
    "milestones",
    "group_members",
    "edit",
    "activity",
    "projects",
    "shared",
    "archived",
];

/// The page of a group that an address names.
async fn dispatch(groups: Arc<GroupTable>, context: RequestContext) -> Result<Answer, PageError> {
    let sent = context.segment("path").trim_end_matches('/').to_owned();
    let raw: Vec<&str> = sent.split('/').collect();
    let dash = raw.iter().position(|segment| *segment == "-").unwrap_or(raw.len());
    let (group, rest) = raw.split_at_checked(dash).ok_or(PageError::NotFound)?;
    let decoded: Option<Vec<String>> = group.iter().map(|segment| decode(segment)).collect();
    let path = GroupPath(decoded.ok_or(PageError::NotFound)?);
    let rest = rest.get(1..).unwrap_or_default();
    let reads = matches!(*context.method(), Method::GET | Method::HEAD);
    if reads
        && !rest.is_empty()
        && let Some(there) = stored_spelling(&context, &path).await?
    {
        let there = context.with_query(&format!("/groups/{there}/-/{}", rest.join("/")));
        return Ok(Answer::to(&there).status(StatusCode::MOVED_PERMANENTLY));
    }
    if reads && rest.is_empty() && dash == raw.len() {
        return match overview(context.clone(), &sent).await {
            Err(PageError::NotFound) => without_dash(&context, &path).await,
            answer => answer,
        };
    }
    let (page, named) = groups.find(&format!("/{}", rest.join("/"))).ok_or(PageError::NotFound)?;
    let context = GroupContext::new(context, path, named)?;
    if let Some(handler) = page.action(context.request.method()) {
        return handler(context).await;
    }
    // A hidden group has no methods.
    let GroupContext { request, path, .. } = context;
    request.ask(move |query| path.find(query)).await?;
    Err(PageError::Method(page.methods()))
}

/// The path of a group as it is stored, if an address spells it otherwise.
async fn stored_spelling(context: &RequestContext, path: &GroupPath) -> Result<Option<String>, PageError> {
    let asked = path.clone();
    match context.ask(move |query| place::find(query, &asked.0)).await {
        Ok(Place::Group { full_path, .. }) => Ok(Some(full_path).filter(|stored| *stored != path.0.join("/"))),
        Ok(Place::User { .. } | Place::Project { .. }) | Err(PageError::NotFound) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Leads from an older address to the one behind `/-/`, if it is that of a group.
async fn without_dash(context: &RequestContext, path: &GroupPath) -> Result<Answer, PageError> {
    let Some((page, group)) = path.0.split_last() else { return Err(PageError::NotFound) };
    if !BELOW.contains(&page.as_str()) || group.is_empty() {
        return Err(PageError::NotFound);
    }
    let group = GroupPath(group.to_vec());
    let page = page.clone();
    let found = context.ask(move |query| {
        let reference = group.find(query)?;
        Ok(group::page(query, &reference)?.group.namespace.full_path)
    });
    Ok(Answer::to(&context.with_query(&format!("/groups/{}/-/{page}", found.await?))))
}
