//! Members of groups and projects: the same routes and rules for both.

mod access_request;
mod add;
mod change;
mod invite;
mod list;

use tenon_app::identity::Guard;
use tenon_app::{ContainerReference, Reference};

use crate::endpoint::{Caller, Routes};
use crate::params::params;

/// The subject of a request, from its path.
type Subject = fn(&Caller) -> ContainerReference;

params! {
    /// A member.
    pub(crate) struct MemberParams {
        /// The user.
        user_id: i64,
    }
}

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Members");
    let of_group: Subject = |caller| ContainerReference::Group(Reference::parse(caller.path("id")));
    let of_project: Subject = |caller| ContainerReference::Project(Reference::parse(caller.path("id")));
    reading(
        api,
        [
            "/groups/{id}/members",
            "/groups/{id}/members/all",
            "/groups/{id}/members/{user_id}",
            "/groups/{id}/members/all/{user_id}",
        ],
        of_group,
    );
    writing(api, ["/groups/{id}/members", "/groups/{id}/members/{user_id}"], of_group);
    inviting(api, ["/groups/{id}/invitations", "/groups/{id}/invitations/{email}"], of_group);
    requesting(
        api,
        [
            "/groups/{id}/access_requests",
            "/groups/{id}/access_requests/{user_id}",
            "/groups/{id}/access_requests/{user_id}/approve",
        ],
        of_group,
    );
    reading(
        api,
        [
            "/projects/{id}/members",
            "/projects/{id}/members/all",
            "/projects/{id}/members/{user_id}",
            "/projects/{id}/members/all/{user_id}",
        ],
        of_project,
    );
    writing(api, ["/projects/{id}/members", "/projects/{id}/members/{user_id}"], of_project);
    inviting(api, ["/projects/{id}/invitations", "/projects/{id}/invitations/{email}"], of_project);
    requesting(
        api,
        [
            "/projects/{id}/access_requests",
            "/projects/{id}/access_requests/{user_id}",
            "/projects/{id}/access_requests/{user_id}/approve",
        ],
        of_project,
    );
}

fn reading(api: &mut Routes, [direct, all, one, one_of_all]: [&'static str; 4], of: Subject) {
    api.get(direct, Guard::SignedIn, move |call| list::direct(call, of), "The direct members.")
        .get(all, Guard::SignedIn, move |call| list::all(call, of), "All members, inherited ones among them.")
        .get(one, Guard::SignedIn, move |call| list::one(call, of), "One direct member.")
        .get(one_of_all, Guard::SignedIn, move |call| list::one_of_all(call, of), "One member, direct or inherited.");
}

fn writing(api: &mut Routes, [members, one]: [&'static str; 2], of: Subject) {
    api.post(members, Guard::SignedIn, move |call| add::add(call, of), "Adds one member or several.")
        .put(one, Guard::SignedIn, move |call| change::edit(call, of), "Changes level and end of a membership.")
        .delete(one, Guard::SignedIn, move |call| change::remove(call, of), "Ends a membership.");
}

fn inviting(api: &mut Routes, [invitations, one]: [&'static str; 2], of: Subject) {
    api.get(invitations, Guard::SignedIn, move |call| invite::list(call, of), "The open invitations by mail.")
        .post(invitations, Guard::SignedIn, move |call| invite::invite(call, of), "Invites addresses, or adds users.")
        .put(one, Guard::SignedIn, move |call| invite::edit(call, of), "Changes level and end of an invitation.")
        .delete(one, Guard::SignedIn, move |call| invite::remove(call, of), "Takes an invitation back.");
}

fn requesting(api: &mut Routes, [requests, one, approval]: [&'static str; 3], of: Subject) {
    api.get(requests, Guard::SignedIn, move |call| access_request::list(call, of), "The requests for access.")
        .post(
            requests,
            Guard::SignedIn,
            move |call| access_request::request(call, of),
            "Requests access for the caller.",
        )
        .put(approval, Guard::SignedIn, move |call| access_request::approve(call, of), "Approves a request for access.")
        .delete(
            one,
            Guard::SignedIn,
            move |call| access_request::deny(call, of),
            "Denies or withdraws a request for access.",
        );
}
