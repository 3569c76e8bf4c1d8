//! The pages of a user: who it is, what they have done, and their projects.

mod activity;
mod calendar;
mod groups;
mod keys;
mod projects;
mod show;

use serde_json::{Map, Value};
use tenon_app::contribution;
use tenon_app::error::AppError;
use tenon_app::identity::Guard;
use tenon_app::user::{self, UserView};
use tenon_app::{Query, Reference};
use tenon_domain::id::UserId;

use self::calendar::Calendar;
use crate::address::decode;
use crate::answer::Answer;
use crate::error::PageError;
use crate::frame::Frame;
use crate::issuable::parts::picture;
use crate::project::frame::is_of_web;
use crate::site::Routes;
use crate::visit::Visit;

pub(crate) use self::activity::feed;
pub(crate) use self::keys::{gpg_keys, ssh_keys};
pub(crate) use self::show::show;

pub(crate) fn routes(routes: &mut Routes) {
    routes.get("/users/{username}", Guard::Anyone, by_name);
    routes.get("/users/{username}/activity", Guard::Anyone, activity::list);
    routes.get("/users/{username}/calendar.json", Guard::Anyone, days);
    routes.get("/users/{username}/projects", Guard::Anyone, projects::own);
    routes.get("/users/{username}/contributed", Guard::Anyone, projects::contributed);
    routes.get("/users/{username}/starred", Guard::Anyone, projects::starred);
    routes.get("/users/{username}/groups", Guard::Anyone, groups::list);
    routes.get("/u/{username}", Guard::Anyone, by_name);
}

/// Leads from an older address to the page of a user whom the caller may see.
async fn by_name(visit: Visit) -> Result<Answer, PageError> {
    let name = named(&visit)?;
    let found = visit.ask(move |query| find(query, &name)).await?;
    Ok(Answer::to(&visit.own(&format!("/{}", found.user.username))))
}

/// How much a user has done on each day of a year on which there was anything, for programs.
async fn days(visit: Visit) -> Result<Answer, PageError> {
    let name = named(&visit)?;
    let read = visit.ask(move |query| {
        let found = find(query, &name)?;
        contribution::days_of_user(query, &reference(&found), Calendar::first(query.now.date_naive()))
    });
    let days: Map<String, Value> =
        read.await?.into_iter().map(|(day, count)| (day.to_string(), count.into())).collect();
    Ok(Answer::json(&Value::Object(days)))
}

/// The name of a user in an address.
fn named(visit: &Visit) -> Result<String, PageError> {
    decode(visit.segment("username")).ok_or(PageError::NotFound)
}

/// The user of this name. 404 where there is none that the caller may see.
fn find(query: &mut Query<'_>, name: &str) -> Result<UserView, AppError> {
    let id = user::account_id(query, name).unwrap_or(UserId::new(0));
    user::show(query, id, false)
}

/// As use cases name a user.
fn reference(view: &UserView) -> Reference {
    Reference::Id(view.user.id.get())
}

/// The top of each page of a user.
struct UserTop {
    name: String,
    username: String,
    href: String,
    /// Where the other pages begin.
    pages: String,
    picture: String,
    /// Whether a private profile hides from the caller what the user does.
    is_hidden: bool,
    is_own: bool,
    tab: Tab,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tab {
    Overview,
    Activity,
    Projects,
    Contributed,
    Starred,
    Groups,
}

impl UserTop {
    fn new(frame: &Frame, view: &UserView, tab: Tab) -> Self {
        let user = &view.user;
        Self {
            name: user.name.clone(),
            username: user.username.clone(),
            href: format!("{}/{}", frame.root, user.username),
            pages: format!("{}/users/{}", frame.root, user.username),
            picture: picture(&frame.root, user.id.get(), view.basic.avatar_url.as_deref()),
            is_hidden: !view.shows_creation,
            is_own: view.for_self,
            tab,
        }
    }

    fn is_at(&self, tab: &str) -> bool {
        let here = match self.tab {
            Tab::Overview => "overview",
            Tab::Activity => "activity",
            Tab::Projects => "projects",
            Tab::Contributed => "contributed",
            Tab::Starred => "starred",
            Tab::Groups => "groups",
        };
        here == tab
    }
}

/// The address of a page elsewhere that a user has named; none where it could be anything else.
fn website(address: &str) -> Option<String> {
    Some(address.to_owned()).filter(|address| is_of_web(address))
}
