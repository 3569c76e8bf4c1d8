//! The requests to the server, and the queries that it needs for them.

mod bare;
mod issues;
mod merge_requests;

use std::rc::Rc;

use anyhow::{Context, Result};
use tenon_domain::access::Viewer;
use tenon_domain::id::{ProjectId, UserId};
use tenon_domain::project::Project;
use tenon_domain::search::Search;
use tenon_storage::group::{GroupFilter, GroupOrder, GroupSet};
use tenon_storage::namespace::PathHolder;
use tenon_storage::project::{NewProject, ProjectFilter, ProjectOrder, ProjectSet};
use tenon_storage::user::{UserFilter, UserOrder};
use tenon_storage::{ReadTx, StoreResult, WriteTx, group, member, namespace, project, token, user};

use self::bare::{Facts, Floor};
use crate::load::Message;
use crate::seed::Landmarks;

pub use bare::bare;

/// The token of the administrator.
pub const ROOT_TOKEN: &str = "measurements-of-the-administrator";
/// The token of [`Landmarks::member`].
pub const MEMBER_TOKEN: &str = "measurements-of-a-user-with-memberships";

/// A word that one project in 34 has in its name.
const SEARCHED: &str = "gateway";

/// One row of the table.
pub struct Endpoint {
    /// Its name in the table.
    pub name: &'static str,
    /// The request.
    pub message: Rc<Message>,
    /// The functions of the storage layer that are the floor, in words.
    pub queries: &'static str,
    /// The same functions.
    floor: Floor,
}

/// All of them, in the order in which they are measured: those that write come last.
#[must_use]
pub fn all(at: &Landmarks) -> Vec<Endpoint> {
    let mut all = of_people_and_projects(at);
    all.extend(issues::reads(at));
    all.extend(merge_requests::reads(at));
    all.push(write(
        "POST /projects",
        |number| request("POST", "/projects", MEMBER_TOKEN, &format!(r#"{{"name":"Made while measuring {number}"}}"#)),
        "project::insert in a transaction of its own",
        creates_projects,
    ));
    all.extend(issues::writes(at));
    all
}

fn of_people_and_projects(at: &Landmarks) -> Vec<Endpoint> {
    let (member, project, group) = (at.member, at.project, at.group);
    let by_path = |path: &str| path.replace('/', "%2F");
    vec![
        get("GET /version", "/version", "token::by_digest", |tx, _| {
            token::by_digest(tx, &tenon_auth::digest(MEMBER_TOKEN)).map(drop)
        }),
        get("GET /user", "/user", "token::by_digest", |tx, _| {
            token::by_digest(tx, &tenon_auth::digest(MEMBER_TOKEN)).map(drop)
        }),
        get("GET /users", "/users", "user::list", |tx, facts| {
            let filter = UserFilter { external: Some(false), ..UserFilter::default() };
            user::list(tx, &filter, UserOrder::Id, true, facts.page).map(drop)
        }),
        get("GET /users/:id", &format!("/users/{member}"), "user::find", |tx, facts| {
            user::find(tx, facts.landmarks.member).map(drop)
        }),
        get("GET /projects", "/projects", "project::list", |tx, facts| {
            projects(tx, &ProjectFilter::new(facts.member, facts.today, ProjectSet::All), facts)
        }),
        as_root("GET /projects, administrator", "/projects", "project::list", |tx, facts| {
            let root = Viewer::User { id: UserId::new(1), admin: true, external: false };
            projects(tx, &ProjectFilter::new(root, facts.today, ProjectSet::All), facts)
        }),
        get("GET /projects?membership=true", "/projects?membership=true", "project::list", |tx, facts| {
            let filter = ProjectFilter {
                membership: Some(tenon_storage::access::Membership {
                    user: facts.landmarks.member,
                    at_least: tenon_domain::access::AccessLevel::Guest,
                    today: facts.today,
                }),
                ..ProjectFilter::new(facts.member, facts.today, ProjectSet::All)
            };
            projects(tx, &filter, facts)
        }),
        get("GET /projects?search=", &format!("/projects?search={SEARCHED}"), "project::list", |tx, facts| {
            let filter = ProjectFilter {
                search: Search::parse(SEARCHED),
                ..ProjectFilter::new(facts.member, facts.today, ProjectSet::All)
            };
            projects(tx, &filter, facts)
        }),
        get("GET /projects/:id", &format!("/projects/{project}"), "project::find_placed", |tx, facts| {
            project_by_id(tx, facts.landmarks.project)
        }),
        get(
            "GET /projects/:id by path",
            &format!("/projects/{}", by_path(&at.project_path)),
            "namespace::holder, project::find_placed",
            |tx, facts| match namespace::holder(tx, &facts.landmarks.project_path)? {
                Some(PathHolder::Project(id)) => project_by_id(tx, id),
                Some(PathHolder::Namespace(_)) | None => Ok(()),
            },
        ),
        get("GET /groups", "/groups", "group::list", |tx, facts| {
            let filter = GroupFilter {
                set: GroupSet::Related(facts.landmarks.member),
                today: facts.today,
                member: None,
                parent: None,
                below: None,
                top_level: false,
                search: None,
                visibility: None,
                skip: Vec::new(),
                custom_attributes: std::collections::BTreeMap::new(),
            };
            group::list(tx, &filter, GroupOrder::Name, false, facts.page).map(drop)
        }),
        get(
            "GET /groups/:id?with_projects=false",
            &format!("/groups/{group}?with_projects=false"),
            "group::find",
            |tx, facts| group::find(tx, facts.landmarks.group).map(drop),
        ),
        get("GET /groups/:id/projects", &format!("/groups/{group}/projects"), "project::list", |tx, facts| {
            let set = ProjectSet::Group(facts.landmarks.group);
            let filter = ProjectFilter { archived: Some(false), ..ProjectFilter::new(facts.member, facts.today, set) };
            projects(tx, &filter, facts)
        }),
        get(
            "GET /projects/:id/members/all",
            &format!("/projects/{project}/members/all"),
            "member::effective",
            |tx, facts| {
                let Landmarks { project, group, .. } = facts.landmarks;
                member::effective(tx, group, Some(project), facts.today).map(drop)
            },
        ),
    ]
}

fn get(
    name: &'static str,
    path: &str,
    queries: &'static str,
    floor: impl Fn(&mut ReadTx<'_>, &Facts) -> StoreResult<()> + 'static,
) -> Endpoint {
    read(name, path, MEMBER_TOKEN, queries, Box::new(floor))
}

fn as_root(
    name: &'static str,
    path: &str,
    queries: &'static str,
    floor: impl Fn(&mut ReadTx<'_>, &Facts) -> StoreResult<()> + 'static,
) -> Endpoint {
    read(name, path, ROOT_TOKEN, queries, Box::new(floor))
}

fn read(name: &'static str, path: &str, token: &str, queries: &'static str, floor: Box<bare::Reads>) -> Endpoint {
    let message: Rc<[u8]> = Rc::from(request("GET", path, token, ""));
    Endpoint { name, message: Rc::new(move |_| Rc::clone(&message)), queries, floor: Floor::Reads(floor) }
}

/// `message` gets a number that no other request has; `floor` looks up what its writes need and yields one of them.
fn write(
    name: &'static str,
    message: impl Fn(u64) -> Vec<u8> + 'static,
    queries: &'static str,
    floor: impl Fn(&mut ReadTx<'_>, &Facts) -> Result<Box<bare::Write>> + 'static,
) -> Endpoint {
    let message = Rc::new(move |number| Rc::from(message(number)));
    Endpoint { name, message, queries, floor: Floor::Writes(Box::new(floor)) }
}

fn request(method: &str, path: &str, token: &str, body: &str) -> Vec<u8> {
    let about_body = if body.is_empty() {
        String::new()
    } else {
        format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len())
    };
    let head =
        format!("{method} /api/v4{path} HTTP/1.1\r\nHost: localhost\r\nPRIVATE-TOKEN: {token}\r\n{about_body}\r\n");
    format!("{head}{body}").into_bytes()
}

fn projects(tx: &mut ReadTx<'_>, filter: &ProjectFilter, facts: &Facts) -> StoreResult<()> {
    project::list(tx, filter, ProjectOrder::CreatedAt, true, facts.page).map(drop)
}

fn project_by_id(tx: &mut ReadTx<'_>, id: ProjectId) -> StoreResult<()> {
    project::find_placed(tx, id).map(drop)
}

fn creates_projects(tx: &mut ReadTx<'_>, facts: &Facts) -> Result<Box<bare::Write>> {
    let pattern = project::find(tx, facts.landmarks.project)?.context("the project is gone")?;
    let home = facts.landmarks.group;
    Ok(Box::new(move |tx: &mut WriteTx<'_>, number: i64| {
        let home = namespace::find(tx, home)?.context("the group is gone")?;
        let project = Project { name: format!("Bare {number}"), path: format!("bare-{number}"), ..pattern.clone() };
        let new = NewProject { project: &project, namespace: &home, tags: &[], sealed_runners_token: "sealed" };
        project::insert(tx, &new)?;
        Ok(())
    }))
}
