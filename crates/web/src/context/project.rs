//! The context of the handlers of the pages of a project: the request, the project, and the segments of the path.

use tenon_app::error::{AppError, Missing};
use tenon_app::group::{self, GroupRights};
use tenon_app::project::ProjectPage;
use tenon_app::repository::{Address, Code, RefKind};
use tenon_app::{Reference, markdown, token};
use tenon_domain::id::Iid;
use tenon_domain::namespace::NamespaceKind;
use tenon_domain::visibility::Visibility;

use super::frame::Frame;
use super::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::error::{PageError, permitted};
use crate::kit::parameters::Parameters;
use crate::kit::segment;

/// The context of the handlers of the pages of a project.
pub(crate) struct ProjectContext {
    pub(crate) request: RequestContext,
    pub(crate) frame: Frame,
    pub(crate) page: ProjectPage,
    pub(crate) asked: ProjectRequest,
}

impl ProjectContext {
    /// The address of a page of the project.
    pub(crate) fn address(&self, below: &str) -> String {
        self.request.own(&format!("/{}{below}", self.page.view.brief.full_path))
    }

    pub(crate) fn new(request: RequestContext, frame: Frame, page: ProjectPage, asked: ProjectRequest) -> Self {
        Self { request, frame, page, asked }
    }

    /// The query with which the links of a page to feeds let feed readers in, for a project that not everyone may read.
    /// Empty if the caller has no token of feeds.
    pub(crate) async fn feed_query(&self) -> Result<String, PageError> {
        let is_public = self.page.view.brief.project.visibility == Visibility::Public;
        if is_public || self.frame.user.is_none() {
            return Ok(String::new());
        }
        let token = self.request.ask(token::feed_token).await?;
        Ok(token.map(|token| format!("?feed_token={}", token.expose())).unwrap_or_default())
    }

    /// The project as an argument of use cases.
    pub(crate) fn project(&self) -> Reference {
        self.asked.project.clone()
    }

    /// Leads to a page of the project, after a change.
    pub(crate) fn done(&self, below: &str) -> Answer {
        Answer::done(&self.address(below))
    }

    /// The group of the project, if it lies in one and the caller may do this in the group.
    pub(crate) async fn group_where(&self, may: fn(&GroupRights) -> bool) -> Result<Option<Reference>, PageError> {
        let home = &self.page.view.brief.namespace.namespace;
        if home.kind != NamespaceKind::Group || self.frame.user.is_none() {
            return Ok(None);
        }
        let group = Reference::Id(home.id.get());
        let asked = group.clone();
        let page = self.request.ask(move |query| permitted(group::page(query, &asked))).await?;
        Ok(page.filter(|page| may(&page.may)).map(|_| group))
    }

    /// A text of the project as others will see it: safe HTML.
    pub(crate) async fn rendered(&self, text: String) -> Result<String, PageError> {
        let (app, identity) = (self.request.app(), self.request.identity());
        Ok(markdown::render_sent(app, identity, text, markdown::Form::Page, Some(self.project())).await?)
    }

    /// The code of the project. 403 if the caller may not read it.
    pub(crate) fn code(&self) -> Result<&Code, PageError> {
        let forbidden = PageError::Status(actix_web::http::StatusCode::FORBIDDEN, None);
        self.page.code.as_ref().ok_or(forbidden)
    }

    /// True if the caller may change files at a place of this kind: files are changed on branches.
    pub(crate) fn may_edit(&self, kind: Option<RefKind>) -> bool {
        kind == Some(RefKind::Branch) && self.frame.user.is_some() && (self.page.may_push || self.may_propose())
    }

    /// True if the caller may not push, but may propose changes in a fork of the project.
    pub(crate) fn may_propose(&self) -> bool {
        let project = &self.page.view.brief.project;
        let takes_proposals = self.page.may.read_merge_requests && self.page.may.fork;
        let has_code = self.page.code.is_some() && project.default_branch.is_some();
        self.frame.user.is_some() && !self.page.may_push && !project.archived && takes_proposals && has_code
    }

    /// A branch, tag or commit with a path, as the request names them.
    pub(crate) fn at(&self) -> Address {
        let only = match self.request.query("ref_type") {
            Some("heads") => Some(RefKind::Branch),
            Some("tags") => Some(RefKind::Tag),
            _ => None,
        };
        Address { segments: self.asked.below("file").to_vec(), only }
    }
}

/// The parts that a pattern names in a path, each with its segments, decoded. Segments of `file` are decoded to their
/// kept form ([`tenon_domain::file_path`]).
pub(crate) type Named = Vec<(String, Vec<String>)>;

/// A request for a page of a project, before the project is found.
#[derive(Clone)]
pub(crate) struct ProjectRequest {
    /// The project as an argument of use cases.
    pub(crate) project: Reference,
    /// The pattern of the page, below its project.
    pub(crate) pattern: &'static str,
    /// The segments that the pattern names in the path, decoded one by one.
    pub(crate) named: Named,
    /// The parameters in the address.
    pub(crate) query: Parameters,
}

impl ProjectRequest {
    /// The segments to which the pattern gives this name.
    pub(crate) fn below(&self, name: &str) -> &[String] {
        let found = self.named.iter().find(|(known, _)| known == name);
        found.map_or(&[], |(_, segments)| segments.as_slice())
    }

    /// The one segment to which the pattern gives this name.
    pub(crate) fn segment(&self, name: &str) -> &str {
        self.below(name).first().map_or("", String::as_str)
    }

    /// A segment that is the number of an issue, merge request or milestone. 404 if it is no number.
    pub(crate) fn iid(&self) -> Result<Iid, AppError> {
        self.number("iid").map(Iid::new)
    }

    /// A segment as a number, written in the one way that numbers have. 404 if it is none.
    pub(crate) fn number(&self, name: &str) -> Result<i64, AppError> {
        segment::number(self.segment(name)).ok_or(AppError::NotFound(Missing::Plain))
    }
}
