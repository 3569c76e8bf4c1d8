//! What a text can name, for the script that completes it as one types, and for programs: lists in JSON.

use serde_json::{Value, json};
use tenon_app::error::{AppError, Missing};
use tenon_app::issuable::{self, IssuableReference, ListIssuables, StateFilter};
use tenon_app::label::{self, ListLabels};
use tenon_app::member::{self, ListMembers};
use tenon_app::milestone::{self, ListMilestones};
use tenon_app::user::UserRef;
use tenon_app::{ContainerReference, PageRequest, Query, issue, merge_request};
use tenon_domain::id::Iid;
use tenon_domain::issuable::IssuableKind;

use super::{Asked, Room};
use crate::answer::Answer;
use crate::error::PageError;
use crate::help::quick_action;
use crate::issuable::list::permitted;
use crate::issuable::parts::picture;
use crate::place;

/// Entries of a list. `search` narrows it to names or titles with that text.
const FIRST: i64 = 100;

/// What is offered.
pub(super) enum Offered {
    People(Vec<UserRef>),
    Others(Value),
}

/// Reads the list of a kind. 404 for another kind, and where the issue or merge request that the text is about
/// (`type` and `type_id`) is none that the caller may see.
pub(super) fn read(query: &mut Query<'_>, asked: &Asked) -> Result<Offered, AppError> {
    let target = target(asked)?.map(|of| issuable::page(query, &of)).transpose()?;
    let view = target.as_ref().map(|page| &page.view);
    let (of, page) = (ContainerReference::Project(asked.project.clone()), PageRequest::new(None, Some(FIRST)));
    let search = asked.query.words("search");
    let others = match asked.segment("what") {
        "members" => {
            let request = ListMembers { query: search, page, ..ListMembers::default() };
            let members = permitted(member::effective(query, &of, &request))?;
            let members = members.into_iter().flat_map(|found| found.items).map(|member| member.user);
            // Those who take part come first.
            let mut people: Vec<UserRef> = Vec::new();
            let partners = view.into_iter().flat_map(|view| view.author.iter().chain(&view.assignees)).cloned();
            for user in partners.filter(|_| request.query.is_none()).chain(members) {
                if !people.iter().any(|known| known.id == user.id) {
                    people.push(user);
                }
            }
            return Ok(Offered::People(people));
        }
        "issues" => {
            let request = ListIssuables { search, ..open(page) };
            let found = permitted(issue::of_project(query, &asked.project, &request))?;
            let entry = |view: issuable::IssuableView| titled(view.issuable.iid, &view.issuable.title);
            found.into_iter().flat_map(|found| found.items).map(entry).collect()
        }
        "merge_requests" => {
            let request = ListIssuables { search, ..open(page) };
            let found = permitted(merge_request::of_project(query, &asked.project, &request))?;
            let entry = |view: merge_request::MergeRequestView| titled(view.of.issuable.iid, &view.of.issuable.title);
            found.into_iter().flat_map(|found| found.items).map(entry).collect()
        }
        "labels" => {
            let carried = view.map(|view| view.label_details.clone().unwrap_or_default()).unwrap_or_default();
            let found = permitted(label::list(query, &of, &ListLabels { search, page, ..ListLabels::default() }))?;
            let entry = |view: label::LabelView| {
                let is_set = carried.iter().any(|label| label.name == view.label.name);
                json!({"title": view.label.name, "color": view.label.color, "set": is_set})
            };
            found.into_iter().flat_map(|found| found.items).map(entry).collect()
        }
        "milestones" => {
            let request = ListMilestones {
                active: Some(true),
                include_ancestors: true,
                search,
                page,
                ..ListMilestones::default()
            };
            let found = permitted(milestone::list(query, &of, request))?;
            let entry = |view: milestone::MilestoneView| titled(view.milestone.iid, &view.milestone.title);
            found.into_iter().flat_map(|found| found.items).map(entry).collect()
        }
        "commands" => quick_action::list(),
        _ => return Err(AppError::NotFound(Missing::Plain)),
    };
    Ok(Offered::Others(others))
}

fn open(page: PageRequest) -> ListIssuables {
    ListIssuables { state: Some(StateFilter::Opened), descending: true, ..ListIssuables::everything(page) }
}

fn titled(iid: Iid, title: &str) -> Value {
    json!({"iid": iid.get(), "title": title})
}

/// The issue or merge request that the text is about, which a new one is not yet.
fn target(asked: &Asked) -> Result<Option<IssuableReference>, AppError> {
    let Some(id) = asked.query.text("type_id") else { return Ok(None) };
    let kind = match asked.query.text("type") {
        Some("Issue" | "issue") => IssuableKind::Issue,
        Some("MergeRequest" | "merge_request") => IssuableKind::MergeRequest,
        Some(_) | None => return Err(AppError::NotFound(Missing::Plain)),
    };
    let iid = id.parse().map_err(|_no_number| AppError::NotFound(Missing::Plain))?;
    Ok(Some(IssuableReference { kind, project: asked.project.clone(), iid: Iid::new(iid) }))
}

pub(super) async fn show(room: Room, offered: Offered) -> Result<Answer, PageError> {
    let top = place::root(room.visit.app().base_url());
    let person = |user: &UserRef| {
        let picture = picture(&top, user.id.get(), user.avatar_url.as_deref());
        json!({"type": "User", "username": user.username, "name": user.name, "avatar_url": picture})
    };
    Ok(Answer::json(&match offered {
        Offered::People(people) => people.iter().map(person).collect(),
        Offered::Others(list) => list,
    }))
}
