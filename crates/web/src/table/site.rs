//! The table of the pages of the site: those that are not below a project or a group.

use std::future::Future;

use actix_web::http::Method;
use tenon_app::identity::Guard;

use super::page_table::{Handler, PageTable, handler};
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;

/// The action for a method of a page of the site.
pub(crate) struct SiteAction {
    /// The callers that may ask for it. Other callers are sent to sign in, or refused, before the handler runs.
    pub(crate) guard: Guard,
    pub(crate) run: Handler<RequestContext>,
}

/// The pages of the site.
pub(crate) type SiteTable = PageTable<SiteAction>;

impl SiteTable {
    pub(crate) fn get<F: Future<Output = Result<Answer, PageError>> + 'static>(
        &mut self,
        pattern: &'static str,
        guard: Guard,
        show: fn(RequestContext) -> F,
    ) {
        self.add(Method::GET, pattern, SiteAction { guard, run: handler(show) });
    }

    pub(crate) fn post<F: Future<Output = Result<Answer, PageError>> + 'static>(
        &mut self,
        pattern: &'static str,
        guard: Guard,
        act: fn(RequestContext) -> F,
    ) {
        self.add(Method::POST, pattern, SiteAction { guard, run: handler(act) });
    }

    pub(crate) fn put<F: Future<Output = Result<Answer, PageError>> + 'static>(
        &mut self,
        pattern: &'static str,
        guard: Guard,
        act: fn(RequestContext) -> F,
    ) {
        self.add(Method::PUT, pattern, SiteAction { guard, run: handler(act) });
    }

    pub(crate) fn delete<F: Future<Output = Result<Answer, PageError>> + 'static>(
        &mut self,
        pattern: &'static str,
        guard: Guard,
        act: fn(RequestContext) -> F,
    ) {
        self.add(Method::DELETE, pattern, SiteAction { guard, run: handler(act) });
    }
}
