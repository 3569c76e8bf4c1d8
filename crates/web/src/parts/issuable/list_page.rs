//! The page with the list of issues, or of merge requests, of a project.

use askama::Template;

use super::bulk::BulkForm;
use super::list::{FilterForm, Row, StateTab};
use crate::context::frame::Frame;
use crate::context::project_frame::ProjectFrame;
use crate::kit::pagination::Pagination;
use crate::parts::pushed::JustPushed;

#[derive(Template)]
#[template(path = "issuable/list.html")]
pub(crate) struct ListPage {
    pub(crate) frame: Frame,
    pub(crate) project: ProjectFrame,
    pub(crate) title: &'static str,
    /// The name of one entry.
    pub(crate) noun: &'static str,
    pub(crate) tabs: Vec<StateTab>,
    pub(crate) form: FilterForm,
    pub(crate) rows: Vec<Row>,
    pub(crate) pages: Pagination,
    pub(crate) pushed: Vec<JustPushed>,
    /// The address at which a new one is made, if the caller may.
    pub(crate) new: Option<String>,
    /// The form that changes several entries, if the caller may.
    pub(crate) bulk: Option<BulkForm>,
}
