//! What is behind `/-/` at the address of a group: the pages, and what forms change.

use std::future::Future;

use actix_web::http::Method;
use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;
use tenon_domain::issuable::IssuableKind;

use super::projects::Which;
use super::{Path, activity, form, issuables, labels, members, milestones, number, projects};
use crate::answer::Answer;
use crate::error::PageError;
use crate::visit::Visit;

/// What answers a method.
pub(super) type Action = Box<dyn FnOnce(Visit, Path) -> LocalBoxFuture<'static, Result<Answer, PageError>>>;

/// The methods at a path behind `/-/`, and what answers each; none where there is no page.
pub(super) fn at(rest: &[&str]) -> Result<Vec<(Method, Action)>, PageError> {
    Ok(match rest {
        ["issues"] => vec![get(|visit, path| issuables::show(visit, path, IssuableKind::Issue))],
        ["merge_requests"] => vec![get(|visit, path| issuables::show(visit, path, IssuableKind::MergeRequest))],
        ["activity"] => vec![get(activity::show)],
        ["projects"] => vec![get(|visit, path| projects::show(visit, path, Which::Own))],
        ["shared"] => vec![get(|visit, path| projects::show(visit, path, Which::Shared))],
        ["archived"] => vec![get(|visit, path| projects::show(visit, path, Which::Archived))],
        ["edit"] => vec![get(form::edit), put(form::update), delete(form::delete)],
        ["labels", below @ ..] => of_labels(below)?,
        ["milestones", below @ ..] => of_milestones(below)?,
        ["group_members"] => vec![get(members::show), post(members::add)],
        ["group_members", "leave"] => vec![delete(members::leave)],
        ["group_members", id] => {
            let id = number(id)?;
            vec![
                put(move |visit, path| members::change(visit, path, id)),
                delete(move |visit, path| members::remove(visit, path, id)),
            ]
        }
        _ => Vec::new(),
    })
}

fn of_labels(below: &[&str]) -> Result<Vec<(Method, Action)>, PageError> {
    Ok(match below {
        [] => vec![get(labels::list), post(labels::create)],
        ["new"] => vec![get(labels::new)],
        [id] => {
            let id = number(id)?;
            vec![
                put(move |visit, path| labels::update(visit, path, id)),
                delete(move |visit, path| labels::delete(visit, path, id)),
            ]
        }
        [id, "edit"] => {
            let id = number(id)?;
            vec![get(move |visit, path| labels::edit(visit, path, id))]
        }
        [id, "toggle_subscription"] => {
            let id = number(id)?;
            vec![post(move |visit, path| labels::toggle_subscription(visit, path, id))]
        }
        _ => Vec::new(),
    })
}

fn of_milestones(below: &[&str]) -> Result<Vec<(Method, Action)>, PageError> {
    Ok(match below {
        [] => vec![get(milestones::list), post(milestones::create)],
        ["new"] => vec![get(milestones::new)],
        [iid] => {
            let iid = number(iid)?;
            vec![
                get(move |visit, path| milestones::show(visit, path, iid)),
                put(move |visit, path| milestones::update(visit, path, iid)),
                delete(move |visit, path| milestones::delete(visit, path, iid)),
            ]
        }
        [iid, "edit"] => {
            let iid = number(iid)?;
            vec![get(move |visit, path| milestones::edit(visit, path, iid))]
        }
        _ => Vec::new(),
    })
}

fn act<F: Future<Output = Result<Answer, PageError>> + 'static>(
    method: Method,
    run: impl FnOnce(Visit, Path) -> F + 'static,
) -> (Method, Action) {
    (method, Box::new(|visit, path| run(visit, path).boxed_local()))
}

fn get<F: Future<Output = Result<Answer, PageError>> + 'static>(
    run: impl FnOnce(Visit, Path) -> F + 'static,
) -> (Method, Action) {
    act(Method::GET, run)
}

fn post<F: Future<Output = Result<Answer, PageError>> + 'static>(
    run: impl FnOnce(Visit, Path) -> F + 'static,
) -> (Method, Action) {
    act(Method::POST, run)
}

fn put<F: Future<Output = Result<Answer, PageError>> + 'static>(
    run: impl FnOnce(Visit, Path) -> F + 'static,
) -> (Method, Action) {
    act(Method::PUT, run)
}

fn delete<F: Future<Output = Result<Answer, PageError>> + 'static>(
    run: impl FnOnce(Visit, Path) -> F + 'static,
) -> (Method, Action) {
    act(Method::DELETE, run)
}
