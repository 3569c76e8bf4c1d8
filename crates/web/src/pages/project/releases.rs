//! Releases: notes about tags, with links to their files.

use askama::Template;
use tenon_app::release::{self, ListReleases, ReleaseOrder, ReleaseView};
use tenon_domain::page::Page;

use crate::context::frame::Frame;
use crate::context::project::ProjectContext;
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::address::{in_path, is_of_web};
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::pagination::{Pagination, chosen};
use crate::kit::words::Moment;
use crate::parts::commit_line::CommitLine;
use crate::parts::links::{MilestoneLink, PersonLink, without_host};

/// A release, as pages show it.
pub(super) struct ReleaseCard {
    pub(super) name: String,
    pub(super) tag_name: String,
    /// The page of its tag. None if the tag is gone.
    pub(super) tag: Option<String>,
    pub(super) at: Moment,
    pub(super) is_upcoming: bool,
    /// True for the newest release of the project, if it is not in the future.
    pub(super) is_latest: bool,
    /// The changes since the release before it in a list.
    pub(super) compare: Option<String>,
    pub(super) author: Option<PersonLink>,
    /// Safe HTML, made by the renderer of Markdown. None if the page has too much of it.
    pub(super) html: Option<String>,
    pub(super) last: Option<CommitLine>,
    pub(super) milestones: Vec<MilestoneLink>,
    /// Names and addresses of the files of the release.
    pub(super) links: Vec<(String, String)>,
    /// The same for archives.
    pub(super) sources: Vec<(String, String)>,
}

impl ReleaseCard {
    pub(super) fn new(context: &ProjectContext, view: ReleaseView) -> Self {
        let (frame, base_url) = (&context.frame, context.request.app().base_url());
        let own = |address: &str| without_host(&frame.root, base_url, address);
        let newest = context.page.latest_release.as_ref().map(|(tag, _)| tag);
        let is_newest = newest == Some(&view.release.tag_name);
        let link = |link: release::LinkView| (link.link.name, own(&link.direct_asset_url));
        Self {
            name: view.release.name.clone().unwrap_or_else(|| view.release.tag_name.clone()),
            tag: view.commit.is_some().then(|| {
                format!("{}/{}/tags/{}", frame.root, context.page.view.brief.full_path, in_path(&view.release.tag_name))
            }),
            tag_name: view.release.tag_name,
            at: view.release.released_at.into(),
            is_latest: !view.is_upcoming && is_newest,
            compare: None,
            is_upcoming: view.is_upcoming,
            author: view.author.as_ref().map(|user| PersonLink::new(frame, user)),
            html: view.description_html,
            last: view.commit.map(Into::into),
            milestones: view.milestones.iter().map(|one| MilestoneLink::new(frame, base_url, one)).collect(),
            links: view
                .links
                .into_iter()
                .map(link)
                .filter(|(_, address)| address.starts_with('/') || is_of_web(address))
                .collect(),
            sources: view.sources.into_iter().map(|source| (source.format.to_owned(), own(&source.url))).collect(),
        }
    }
}

#[derive(Template)]
#[template(path = "project/releases.html")]
struct ReleasesPage {
    frame: Frame,
    project: ProjectFrame,
    releases: Vec<ReleaseCard>,
    pages: Pagination,
    may_push: bool,
}

pub(super) async fn list(context: ProjectContext) -> Result<Answer, PageError> {
    context.code()?;
    let request = ListReleases {
        order: ReleaseOrder::ReleasedAt,
        ascending: false,
        with_html: true,
        page: chosen(context.request.parameters()),
    };
    let found = release::list(context.request.app(), context.request.identity(), context.project(), request).await?;
    shown(context, found)
}

/// One release, by its tag.
pub(super) async fn show(context: ProjectContext) -> Result<Answer, PageError> {
    context.code()?;
    let tag = context.asked.below("path").join("/");
    let found = release::show(context.request.app(), context.request.identity(), context.project(), tag, true).await?;
    shown(context, Page { items: vec![found], total: 1, request: tenon_app::PageRequest::default() })
}

fn shown(context: ProjectContext, found: Page<ReleaseView>) -> Result<Answer, PageError> {
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Releases).with_api_path("/releases");
    let pages = Pagination::of(&found);
    let mut releases: Vec<ReleaseCard> = found.items.into_iter().map(|view| ReleaseCard::new(&context, view)).collect();
    compare_each(&mut releases, &project.href);
    let may_push = context.page.may_push && context.frame.user.is_some();
    Answer::cacheable(&ReleasesPage { frame: context.frame, project, releases, pages, may_push })
}

/// Links each release to its changes since the next one of the list, which is older. Both need their tags.
fn compare_each(releases: &mut [ReleaseCard], project: &str) {
    let tags: Vec<Option<String>> =
        releases.iter().map(|card| card.tag.as_ref().map(|_| in_path(&card.tag_name))).collect();
    for (card, pair) in releases.iter_mut().zip(tags.windows(2)) {
        if let [Some(to), Some(from)] = pair {
            card.compare = Some(format!("{project}/compare/{from}...{to}"));
        }
    }
}
