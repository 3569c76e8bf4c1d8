//! The feeds of a project: its events, and its issues.

use tenon_app::contribution::{self, ContributionView};
use tenon_app::error::AppError;
use tenon_app::issuable::IssuableView;
use tenon_app::{PageRequest, Query, issue};
use tenon_domain::issuable::IssuableKind;
use tenon_domain::page::Page;

use crate::context::project::{ProjectContext, ProjectRequest};
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::parts::activity;
use crate::parts::feed::{ACTIVITY, ENTRIES, Entry, feed, happened, moment, plain};
use crate::parts::issuable::filter::Filters;
use crate::table::project::ProjectTable;

pub(crate) fn routes(table: &mut ProjectTable) {
    // The address of the project with `.atom` behind it is the address of this feed.
    table.page(ACTIVITY, read_activity, project_activity);
    table.page("/issues.atom", read_issues, issues);
}

fn read_activity(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<Page<ContributionView>, AppError> {
    contribution::of_project(query, &asked.project, &activity::newest(ENTRIES))
}

async fn project_activity(context: ProjectContext, found: Page<ContributionView>) -> Result<Answer, PageError> {
    let home = context.page.view.brief.web_url.clone();
    let entries = found.items.into_iter().map(|view| happened(&home, view)).collect();
    feed(&context, "Activity", ".atom", "", entries)
}

fn read_issues(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<Page<IssuableView>, AppError> {
    let filters = Filters::parse(&asked.query, IssuableKind::Issue);
    let request = filters.request(PageRequest::new(None, Some(ENTRIES)));
    issue::of_project(query, &asked.project, &request)
}

async fn issues(context: ProjectContext, found: Page<IssuableView>) -> Result<Answer, PageError> {
    if !context.page.may.read_issues {
        return Err(PageError::NotFound);
    }
    let entry = |view: IssuableView| Entry {
        id: format!("/issues/{}", view.issuable.iid),
        title: plain(&view.issuable.title),
        href: view.web_url,
        updated: moment(view.issuable.updated_at),
        author: plain(view.author.as_ref().map_or("", |user| &user.name)),
        text: plain(view.issuable.description.as_deref().unwrap_or_default()),
    };
    let entries = found.items.into_iter().map(entry).collect();
    feed(&context, "Issues", "/issues.atom", "/issues", entries)
}
