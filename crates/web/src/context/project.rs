//! What the handlers of the pages of a project are given: the request, the project, and what the path names.

use tenon_app::error::{AppError, Missing};
use tenon_app::group::{self, GroupRights};
use tenon_app::project::ProjectPage;
use tenon_app::repository::{Address, Code, RefKind};
use tenon_app::{Reference, markdown};
use tenon_domain::id::Iid;
use tenon_domain::namespace::NamespaceKind;

use super::frame::Frame;
use super::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::error::{PageError, permitted};
use crate::kit::parameters::Parameters;
use crate::kit::segment;

/// What the handlers of the pages of a project are given.
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

    /// The project, as use cases name it.
    pub(crate) fn project(&self) -> Reference {
        self.asked.project.clone()
    }

    /// To a page of the project, after something was changed.
    pub(crate) fn done(&self, below: &str) -> Answer {
        Answer::done(&self.address(below))
    }

    /// The group of the project, where it lies in one and the caller may do this there.
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

    /// A text of the project as others will see it: HTML that is safe.
    pub(crate) async fn rendered(&self, text: String) -> Result<String, PageError> {
        let (app, identity) = (self.request.app(), self.request.identity());
        Ok(markdown::render_sent(app, identity, text, true, Some(self.project())).await?)
    }

    /// The code of the project; 403 where the caller may not read it.
    pub(crate) fn code(&self) -> Result<&Code, PageError> {
        let forbidden = PageError::Status(actix_web::http::StatusCode::FORBIDDEN, None);
        self.page.code.as_ref().ok_or(forbidden)
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

/// What a pattern names in a path: each part with its segments, decoded; those of `file` to their kept form
/// ([`tenon_domain::file_path`]).
pub(crate) type Named = Vec<(String, Vec<String>)>;

/// What a request asks of a project.
#[derive(Clone)]
pub(crate) struct ProjectRequest {
    /// The project, as use cases name it.
    pub(crate) project: Reference,
    /// The pattern of the page, below its project.
    pub(crate) pattern: &'static str,
    /// What the pattern names in the path, decoded segment by segment.
    pub(crate) named: Named,
    /// The parameters in the address.
    pub(crate) query: Parameters,
}

impl ProjectRequest {
    /// The segments that the pattern calls so.
    pub(crate) fn below(&self, name: &str) -> &[String] {
        let found = self.named.iter().find(|(known, _)| known == name);
        found.map_or(&[], |(_, segments)| segments.as_slice())
    }

    /// The one segment that the pattern calls so.
    pub(crate) fn segment(&self, name: &str) -> &str {
        self.below(name).first().map_or("", String::as_str)
    }

    /// A segment that is the number of an issue, merge request or milestone. 404 where it is none.
    pub(crate) fn iid(&self) -> Result<Iid, AppError> {
        self.number("iid").map(Iid::new)
    }

    /// A segment as a number, written in the one way that numbers have. 404 where it is none.
    pub(crate) fn number(&self, name: &str) -> Result<i64, AppError> {
        segment::number(self.segment(name)).ok_or(AppError::NotFound(Missing::Plain))
    }
}
