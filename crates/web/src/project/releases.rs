//! Releases: what is said about tags, with links to what was made of them.

use askama::Template;
use tenon_app::release::{self, ListReleases, ReleaseOrder, ReleaseView};
use tenon_domain::page::Page;

use super::Room;
use super::frame::{ProjectFrame, Tab, is_of_web};
use super::tree::CommitLine;
use crate::answer::Answer;
use crate::error::PageError;
use crate::frame::Frame;
use crate::issuable::parts::{MilestoneLink, PersonLink, own_path};
use crate::pagination::{Pagination, chosen};
use crate::words::Moment;

/// A release, as pages show it.
pub(super) struct ReleaseCard {
    pub(super) name: String,
    pub(super) tag_name: String,
    /// The page of its tag; none where the tag is gone.
    pub(super) tag: Option<String>,
    pub(super) at: Moment,
    pub(super) is_upcoming: bool,
    pub(super) author: Option<PersonLink>,
    /// HTML that is safe: made by the renderer of Markdown. None where the page has too much of it.
    pub(super) html: Option<String>,
    pub(super) last: Option<CommitLine>,
    pub(super) milestones: Vec<MilestoneLink>,
    /// Names and addresses of what was made of it.
    pub(super) links: Vec<(String, String)>,
    /// The same for archives.
    pub(super) sources: Vec<(String, String)>,
}

impl ReleaseCard {
    pub(super) fn new(room: &Room, view: ReleaseView) -> Self {
        let (frame, base_url) = (&room.frame, room.visit.app().base_url());
        let own = |address: &str| own_path(&frame.root, base_url, address);
        let link = |link: release::LinkView| (link.link.name, own(&link.direct_asset_url));
        Self {
            name: view.release.name.clone().unwrap_or_else(|| view.release.tag_name.clone()),
            tag: view.commit.is_some().then(|| {
                format!(
                    "{}/{}/tags/{}",
                    frame.root,
                    room.page.view.brief.full_path,
                    crate::place::in_path(&view.release.tag_name)
                )
            }),
            tag_name: view.release.tag_name,
            at: view.release.released_at.into(),
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

pub(super) async fn list(room: Room) -> Result<Answer, PageError> {
    room.code()?;
    let request = ListReleases {
        order: ReleaseOrder::ReleasedAt,
        ascending: false,
        with_html: true,
        page: chosen(room.visit.parameters()),
    };
    let found = release::list(room.visit.app(), room.visit.identity(), room.project(), request).await?;
    shown(room, found)
}

/// One release, by its tag.
pub(super) async fn show(room: Room) -> Result<Answer, PageError> {
    room.code()?;
    let tag = room.asked.below("path").join("/");
    let found = release::show(room.visit.app(), room.visit.identity(), room.project(), tag, true).await?;
    shown(room, Page { items: vec![found], total: 1, request: tenon_app::PageRequest::default() })
}

fn shown(room: Room, found: Page<ReleaseView>) -> Result<Answer, PageError> {
    let project = ProjectFrame::new(&room.frame.root, &room.page, Tab::Tags).with_twin("/releases");
    let pages = Pagination::of(&found);
    let releases = found.items.into_iter().map(|view| ReleaseCard::new(&room, view)).collect();
    let may_push = room.page.may_push && room.frame.user.is_some();
    Answer::cacheable(&ReleasesPage { frame: room.frame, project, releases, pages, may_push })
}
