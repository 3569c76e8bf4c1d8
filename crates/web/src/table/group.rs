//! The table of the pages of groups, behind `/-/` at the address of a group.

use std::future::Future;

use actix_web::http::Method;

use super::page_table::{Handler, PageTable, handler};
use crate::context::group::GroupContext;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;

/// The pages of groups. Segments that a pattern calls `id` or `iid` are numbers ([`GroupContext::number`]).
pub(crate) type GroupTable = PageTable<Handler<GroupContext>>;

impl GroupTable {
    pub(crate) fn get<F: Future<Output = Result<Answer, PageError>> + 'static>(
        &mut self,
        pattern: &'static str,
        show: fn(GroupContext) -> F,
    ) {
        self.add(Method::GET, pattern, handler(show));
    }

    pub(crate) fn post<F: Future<Output = Result<Answer, PageError>> + 'static>(
        &mut self,
        pattern: &'static str,
        act: fn(GroupContext) -> F,
    ) {
        self.add(Method::POST, pattern, handler(act));
    }

    pub(crate) fn put<F: Future<Output = Result<Answer, PageError>> + 'static>(
        &mut self,
        pattern: &'static str,
        act: fn(GroupContext) -> F,
    ) {
        self.add(Method::PUT, pattern, handler(act));
    }

    pub(crate) fn delete<F: Future<Output = Result<Answer, PageError>> + 'static>(
        &mut self,
        pattern: &'static str,
        act: fn(GroupContext) -> F,
    ) {
        self.add(Method::DELETE, pattern, handler(act));
    }
}
