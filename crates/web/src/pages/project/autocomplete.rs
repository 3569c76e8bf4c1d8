//! Completions for a text, as lists in JSON. The script requests them while the user types, and other programs can use
//! them.

use serde_json::{Value, json};
use tenon_app::award_emoji::emoji_named;
use tenon_app::error::{AppError, Missing};
use tenon_app::issuable::{self, IssuableReference, ListIssuables, NotIssuables, StateFilter};
use tenon_app::label::{self, ListLabels};
use tenon_app::member::{self, ListMembers};
use tenon_app::milestone::{self, ListMilestones};
use tenon_app::user::UserRef;
use tenon_app::{ContainerReference, PageRequest, Query, issue, merge_request};
use tenon_domain::id::Iid;
use tenon_domain::issuable::IssuableKind;
use tenon_domain::label::Label;

use crate::context::project::{ProjectContext, ProjectRequest};
use crate::kit::address;
use crate::kit::answer::Answer;
use crate::kit::error::{PageError, permitted};
use crate::pages::help::quick_action;
use crate::parts::links::picture;

/// The most entries of a list. `search` narrows it to entries with that text in name, title or description, or to the
/// issue or merge request of that number. Quick actions are always complete.
const MOST: usize = 100;
/// The same, as the number of rows of a page.
const FIRST: i64 = 100;

/// The entries of a list.
pub(super) enum Offered {
    People(Vec<UserRef>),
    Others(Value),
}

/// Reads the list of a kind. 404 for another kind.
///
/// For people and labels, `type` and `type_id` name the issue or merge request that the text is about. 404 if there is
/// none that the caller may see.
pub(super) fn read(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<Offered, AppError> {
    let target = target(asked)?;
    let (of, page) = (ContainerReference::Project(asked.project.clone()), PageRequest::new(None, Some(FIRST)));
    let search = asked.query.words("search");
    let others = match asked.segment("what") {
        "members" => return people(query, &of, target.as_ref(), search).map(Offered::People),
        "issues" => {
            let list = |request: ListIssuables| {
                let found = permitted(issue::of_project(query, &asked.project, &request))?;
                Ok(found.map(|found| found.items).unwrap_or_default())
            };
            let entry = |view: &issuable::IssuableView| titled(view.issuable.iid, &view.issuable.title);
            by_number_or_words(search, page, list)?.iter().map(entry).collect()
        }
        "merge_requests" => {
            let list = |request: ListIssuables| {
                let found = permitted(merge_request::of_project(query, &asked.project, &request))?;
                Ok(found.map(|found| found.items).unwrap_or_default())
            };
            let entry = |view: &merge_request::MergeRequestView| titled(view.of.issuable.iid, &view.of.issuable.title);
            by_number_or_words(search, page, list)?.iter().map(entry).collect()
        }
        "labels" => labels(query, &of, target.as_ref(), search)?,
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
        "emojis" => {
            let found = emoji_named(&search.unwrap_or_default(), MOST);
            found.into_iter().map(|(name, emoji)| json!({"name": name, "emoji": emoji})).collect()
        }
        _ => return Err(AppError::NotFound(Missing::Plain)),
    };
    Ok(Offered::Others(others))
}

/// The participants of the subject of the text, and then the members.
fn people(
    query: &mut Query<'_>,
    of: &ContainerReference,
    target: Option<&IssuableReference>,
    search: Option<String>,
) -> Result<Vec<UserRef>, AppError> {
    let page = PageRequest::new(None, Some(FIRST));
    let partners = match target {
        Some(target) => issuable::participants(query, target, page)?.items,
        None => Vec::new(),
    };
    let words = search.as_deref().map(str::to_lowercase);
    let is_named = |user: &UserRef| {
        let fits = |text: &str| words.as_ref().is_none_or(|words| text.to_lowercase().contains(words));
        fits(&user.username) || fits(&user.name)
    };
    let request = ListMembers { query: search.clone(), page, ..ListMembers::default() };
    let members = permitted(member::effective(query, of, &request))?.into_iter().flat_map(|found| found.items);
    let mut people: Vec<UserRef> = Vec::new();
    for user in partners.into_iter().filter(is_named).chain(members.map(|member| member.user)) {
        if !people.iter().any(|known| known.id == user.id) {
            people.push(user);
        }
    }
    people.truncate(MOST);
    Ok(people)
}

/// The open ones, newest first. If the search is a number, the one with that number comes first, open or not.
fn by_number_or_words<T>(
    search: Option<String>,
    page: PageRequest,
    mut list: impl FnMut(ListIssuables) -> Result<Vec<T>, AppError>,
) -> Result<Vec<T>, AppError> {
    let number = search.as_deref().and_then(|text| text.trim_start_matches(['#', '!']).parse::<i64>().ok());
    let mut found = match number {
        Some(iid) => list(ListIssuables { iids: Some(vec![iid]), ..ListIssuables::everything(page) })?,
        None => Vec::new(),
    };
    let not = NotIssuables { iids: number.into_iter().collect(), ..NotIssuables::default() };
    let open = ListIssuables {
        state: Some(StateFilter::Opened),
        descending: true,
        search,
        not,
        ..ListIssuables::everything(page)
    };
    found.extend(list(open)?);
    found.truncate(MOST);
    Ok(found)
}

/// The labels by name. Each says if the subject of the text has it.
fn labels(
    query: &mut Query<'_>,
    of: &ContainerReference,
    target: Option<&IssuableReference>,
    search: Option<String>,
) -> Result<Value, AppError> {
    let target = target.map(|of| issuable::page(query, of)).transpose()?;
    let carried = target.and_then(|page| page.view.label_details).unwrap_or_default();
    let found: Vec<Label> = match search {
        None => permitted(label::first(query, of, FIRST))?.unwrap_or_default(),
        search => {
            let page = PageRequest::new(None, Some(FIRST));
            let found = permitted(label::list(
                query,
                of,
                &ListLabels { search, archived: Some(false), page, ..ListLabels::default() },
            ))?;
            found.into_iter().flat_map(|found| found.items).map(|view| view.label).collect()
        }
    };
    let entry = |label: Label| {
        let is_set = carried.iter().any(|known| known.name == label.name);
        json!({"title": label.name, "color": label.color, "set": is_set})
    };
    Ok(found.into_iter().map(entry).collect())
}

fn titled(iid: Iid, title: &str) -> Value {
    json!({"iid": iid.get(), "title": title})
}

/// The issue or merge request that the text is about. None for a new one.
fn target(asked: &ProjectRequest) -> Result<Option<IssuableReference>, AppError> {
    let Some(id) = asked.query.text("type_id") else { return Ok(None) };
    let kind = match asked.query.text("type") {
        Some("Issue" | "issue") => IssuableKind::Issue,
        Some("MergeRequest" | "merge_request") => IssuableKind::MergeRequest,
        Some(_) | None => return Err(AppError::NotFound(Missing::Plain)),
    };
    let iid = id.parse().map_err(|_no_number| AppError::NotFound(Missing::Plain))?;
    Ok(Some(IssuableReference { kind, project: asked.project.clone(), iid: Iid::new(iid) }))
}

pub(super) async fn show(context: ProjectContext, offered: Offered) -> Result<Answer, PageError> {
    let top = address::root(context.request.app().base_url());
    let person = |user: &UserRef| {
        let picture = picture(&top, user.id.get(), &user.name, user.avatar_url.as_deref());
        json!({"type": "User", "username": user.username, "name": user.name, "avatar_url": picture})
    };
    Ok(Answer::json(&match offered {
        Offered::People(people) => people.iter().map(person).collect(),
        Offered::Others(list) => list,
    }))
}
