//! The pages of a user: the profile, the contributions, and the projects.

pub(crate) mod activity;
mod calendar;
mod frame;
mod groups;
pub(crate) mod keys;
mod projects;
pub(crate) mod show;
mod snippets;

use serde_json::{Map, Value};
use tenon_app::contribution;
use tenon_app::identity::Guard;

use self::calendar::Calendar;
use self::frame::{find, named, reference};
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::table::site::SiteTable;

pub(crate) fn routes(table: &mut SiteTable) {
    table.get("/users/{username}", Guard::Anyone, by_name);
    table.get("/users/{username}/activity", Guard::Anyone, activity::list);
    table.get("/users/{username}/calendar.json", Guard::Anyone, days);
    table.get("/users/{username}/projects", Guard::Anyone, projects::own);
    table.get("/users/{username}/contributed", Guard::Anyone, projects::contributed);
    table.get("/users/{username}/starred", Guard::Anyone, projects::starred);
    table.get("/users/{username}/snippets", Guard::Anyone, snippets::list);
    table.get("/users/{username}/groups", Guard::Anyone, groups::list);
    table.get("/u/{username}", Guard::Anyone, by_name);
}

/// Leads from an older address to the page of a user whom the caller may see.
async fn by_name(context: RequestContext) -> Result<Answer, PageError> {
    let name = named(&context)?;
    let found = context.ask(move |query| find(query, &name)).await?;
    Ok(Answer::to(&context.own(&format!("/{}", found.user.username))))
}

/// The number of contributions of a user on each day of a year, for programs. Days without any are left out.
async fn days(context: RequestContext) -> Result<Answer, PageError> {
    let name = named(&context)?;
    let begins_on = context.app().known_settings().week_begins_on;
    let read = context.ask(move |query| {
        let found = find(query, &name)?;
        contribution::days_of_user(query, &reference(&found), Calendar::first(query.now.date_naive(), begins_on))
    });
    let days: Map<String, Value> =
        read.await?.into_iter().map(|(day, count)| (day.to_string(), count.into())).collect();
    Ok(Answer::json(&Value::Object(days)))
}
