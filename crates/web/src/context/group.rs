//! Parts that the pages of a group have in common: its path, its name and its tabs.

use tenon_app::error::{AppError, Missing};
use tenon_app::group::{self, GroupPage};
use tenon_app::{Place, Query, Reference, place};

use super::frame::Frame;
use super::project_frame::with_addresses;
use super::request::RequestContext;
use super::watch::{PATH, Watch};
use crate::kit::address::in_path;
use crate::kit::error::PageError;
use crate::kit::{segment, words};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tab {
    Overview,
    Activity,
    Issues,
    MergeRequests,
    Labels,
    Milestones,
    Members,
    Settings,
}

/// The top of each page of a group.
pub(crate) struct GroupFrame {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) href: String,
    /// The groups that contain it: their names and addresses, from the top.
    pub(crate) parents: Vec<(String, String)>,
    pub(crate) visibility: &'static str,
    pub(crate) visibility_icon: &'static str,
    pub(crate) may_administer: bool,
    pub(crate) has_variables: bool,
    pub(crate) has_deploy_tokens: bool,
    /// The menu of notifications.
    pub(crate) watch: Option<Watch>,
    /// The address of the same object in the API.
    pub(crate) api_path: String,
    tab: Tab,
}

impl GroupFrame {
    pub(crate) fn new(root: &str, page: &GroupPage, tab: Tab) -> Self {
        let namespace = &page.group.namespace;
        let names = namespace.full_name.rsplit_once(" / ").map(|(parent, _)| parent);
        let paths = namespace.full_path.rsplit_once('/').map(|(parent, _)| parent);
        let parents = names.zip(paths);
        Self {
            id: namespace.id.get(),
            name: namespace.name.clone(),
            href: format!("{root}/groups/{}", namespace.full_path),
            parents: parents
                .map(|(name, path)| with_addresses(&format!("{root}/groups"), name, path))
                .unwrap_or_default(),
            visibility: words::visibility(page.group.visibility()),
            visibility_icon: words::visibility_icon(page.group.visibility()),
            may_administer: page.may.administer,
            has_variables: page.may.manage_variables,
            has_deploy_tokens: page.may.read_deploy_tokens,
            watch: Watch::new(format!("{root}/groups/{}/-{PATH}", namespace.full_path), page.notification),
            api_path: format!("{root}/api/v4/groups/{}", namespace.id),
            tab,
        }
    }

    pub(crate) fn is_at(&self, tab: &str) -> bool {
        let here = match self.tab {
            Tab::Overview => "overview",
            Tab::Activity => "activity",
            Tab::Issues => "issues",
            Tab::MergeRequests => "merge_requests",
            Tab::Labels => "labels",
            Tab::Milestones => "milestones",
            Tab::Members => "members",
            Tab::Settings => "settings",
        };
        here == tab
    }
}

/// The path of a group, decoded segment by segment.
#[derive(Debug, Clone)]
pub(crate) struct GroupPath(pub(crate) Vec<String>);

impl GroupPath {
    /// The address of a page behind the group.
    pub(crate) fn address(&self, below: &str) -> String {
        format!("/groups/{}{below}", in_path(&self.0.join("/")))
    }

    /// The group of this path. 404 if there is none that the caller may see.
    pub(crate) fn find(&self, query: &mut Query<'_>) -> Result<Reference, AppError> {
        match place::find(query, &self.0)? {
            Place::Group { id, .. } => Ok(Reference::Id(id.get())),
            Place::User { .. } | Place::Project { .. } => Err(AppError::NotFound(Missing::Plain)),
        }
    }
}

/// The context of the handlers of the pages of a group: the request, the path of the group, and the segments of the
/// pattern. A handler finds the group together with the data of its page, or in the transaction that changes it.
pub(crate) struct GroupContext {
    pub(crate) request: RequestContext,
    pub(crate) path: GroupPath,
    /// The segments that the pattern names in the path behind `/-/`, as they were sent.
    named: Vec<(String, String)>,
}

impl GroupContext {
    /// The context of a page. 404 if a segment that its pattern calls `id` or `iid` is no number.
    pub(crate) fn new(
        request: RequestContext,
        path: GroupPath,
        named: Vec<(String, String)>,
    ) -> Result<Self, PageError> {
        let context = Self { request, path, named };
        for (name, _) in context.named.iter().filter(|(name, _)| matches!(name.as_str(), "id" | "iid")) {
            context.number(name)?;
        }
        Ok(context)
    }

    /// A segment as a number, written in the one way that numbers have. 404 if it is no such number.
    pub(crate) fn number(&self, name: &str) -> Result<i64, PageError> {
        let found = self.named.iter().find(|(known, _)| known == name);
        found.and_then(|(_, text)| segment::number(text)).ok_or(PageError::NotFound)
    }

    /// Reads the group and the data of one of its pages, on one snapshot.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Query<'_>, &Reference) -> Result<T, AppError> + Send + 'static,
    ) -> Result<(Frame, GroupPage, T), PageError> {
        let path = self.path.clone();
        let read = self.request.read(move |query| {
            let reference = path.find(query)?;
            Ok((group::page(query, &reference)?, work(query, &reference)?))
        });
        let (frame, (page, found)) = read.await?;
        Ok((frame, page, found))
    }
}
