//! The page of a user.

use askama::Template;
use tenon_app::project::{self, ListProjects};
use tenon_app::{contribution, user};
use tenon_domain::id::UserId;

use super::calendar::Calendar;
use super::frame::{Tab, UserFrame, reference, website};
use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::pagination::{self, Pagination};
use crate::kit::words::Moment;
use crate::parts::activity::{Happening, in_projects, newest, with_paths};
use crate::parts::project_list::ProjectRow;

/// Contributions on the page.
const NEWEST: i64 = 10;

#[derive(Template)]
#[template(path = "user/show.html")]
struct ShowPage {
    frame: Frame,
    top: UserFrame,
    /// The canonical address of this page.
    canonical: String,
    api_path: String,
    /// The status of the user: the name of an emoji, and a text.
    status: Option<(String, String)>,
    bio: String,
    /// Other facts of the profile: the name of the fact, and the text.
    facts: Vec<(&'static str, String)>,
    website: Option<String>,
    public_email: String,
    /// The time at which the account was made.
    since: Option<Moment>,
    /// The number of contributions on each day of a year. None if a private profile hides it.
    calendar: Option<Calendar>,
    happenings: Vec<Happening>,
    projects: Vec<ProjectRow>,
    pages: Pagination,
}

/// The page of the user of this id.
pub(crate) async fn show(context: RequestContext, id: UserId) -> Result<Answer, PageError> {
    let page = pagination::asked(context.parameters());
    let begins_on = context.app().known_settings().week_begins_on;
    let read = context.read(move |query| {
        let found = user::show(query, id, false)?;
        let of = reference(&found);
        let status = user::status(query, &of)?;
        let activity = contribution::of_user(query, &of, &newest(NEWEST))?;
        let activity = with_paths(query, activity)?;
        let today = query.now.date_naive();
        let days = contribution::days_of_user(query, &of, Calendar::first(today, begins_on))?;
        let calendar = found.shows_creation.then(|| Calendar::new(today, begins_on, &days));
        let request = ListProjects { page, simple: true, ..ListProjects::default() };
        Ok((project::of_user(query, &of, request)?, found, status, activity, calendar))
    });
    let (frame, (projects, found, status, (activity, paths), calendar)) = read.await?;
    let (profile, details) = (&found.user.profile, &found.details);
    let facts = [
        ("Pronouns", details.pronouns.clone().unwrap_or_default()),
        ("Job title", details.job_title.clone()),
        ("Company", profile.organization.clone().unwrap_or_default()),
        ("Location", profile.location.clone().unwrap_or_default()),
        ("LinkedIn", profile.professional_network.clone()),
        ("X", profile.microblog.clone()),
        ("Skype", profile.messenger.clone()),
    ];
    let top = UserFrame::new(&frame, &found, Tab::Overview);
    Answer::cacheable(&ShowPage {
        canonical: top.href.clone(),
        api_path: format!("{}/api/v4/users/{}", frame.root, found.user.id),
        status: status.map(|status| (status.emoji, status.message)),
        bio: profile.bio.clone().unwrap_or_default(),
        facts: facts.into_iter().filter(|(_, text)| !text.is_empty()).collect(),
        website: website(&profile.website_url),
        public_email: profile.public_email.clone(),
        since: found.shows_creation.then(|| found.user.created_at.into()),
        calendar,
        happenings: in_projects(&frame, &paths, activity.items),
        pages: Pagination::of(&projects),
        projects: projects.items.into_iter().map(|view| ProjectRow::new(&frame.root, view.brief)).collect(),
        top,
        frame,
    })
}
