//! What is asked of the server, and what it must ask of the database for that.

use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::Result;
use tenon_app::{Clock, SystemClock};
use tenon_domain::access::Viewer;
use tenon_domain::id::{NamespaceId, ProjectId, UserId};
use tenon_domain::page::PageRequest;
use tenon_domain::project::Project;
use tenon_domain::search::Search;
use tenon_domain::time::Date;
use tenon_storage::group::{GroupFilter, GroupOrder, GroupSet};
use tenon_storage::namespace::PathHolder;
use tenon_storage::project::{NewProject, ProjectFilter, ProjectOrder, ProjectSet};
use tenon_storage::user::{UserFilter, UserOrder};
use tenon_storage::{Database, ReadTx, StoreResult, group, member, namespace, project, token, user};

use crate::load::{Message, count};
use crate::seed::Landmarks;

/// The token of the administrator.
pub const ROOT_TOKEN: &str = "measurements-of-the-administrator";
/// The token of [`Landmarks::member`].
pub const MEMBER_TOKEN: &str = "measurements-of-somebody-with-memberships";

/// A word that one project in 34 has in its name.
const SEARCHED: &str = "gateway";

/// One row of the table.
pub struct Endpoint {
    /// What it is called there.
    pub name: &'static str,
    /// What is sent.
    pub message: Rc<Message>,
    /// The functions of the storage layer that are the floor, in words.
    pub queries: &'static str,
    /// The same functions.
    floor: Floor,
}

enum Floor {
    Reads(Box<Reads>),
    CreatesProjects,
}

type Reads = dyn Fn(&mut ReadTx<'_>, &Facts) -> StoreResult<()>;

/// What the queries are about.
struct Facts {
    landmarks: Landmarks,
    member: Viewer,
    today: Date,
    page: PageRequest,
}

/// All of them, in the order in which they are measured: what writes comes last.
#[must_use]
pub fn all(at: &Landmarks) -> Vec<Endpoint> {
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
                parent: None,
                below: None,
                top_level: false,
                search: None,
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
        Endpoint {
            name: "POST /projects",
            message: Rc::new(|number| {
                let body = format!(r#"{{"name":"Made while measuring {number}"}}"#);
                Rc::from(request("POST", "/projects", MEMBER_TOKEN, &body))
            }),
            queries: "project::insert in a transaction of its own",
            floor: Floor::CreatesProjects,
        },
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

fn read(name: &'static str, path: &str, token: &str, queries: &'static str, floor: Box<Reads>) -> Endpoint {
    let message: Rc<[u8]> = Rc::from(request("GET", path, token, ""));
    Endpoint { name, message: Rc::new(move |_| Rc::clone(&message)), queries, floor: Floor::Reads(floor) }
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

/// How often in a second the endpoint's queries run, one after the other on one connection.
pub fn bare(database: &Database, landmarks: &Landmarks, endpoint: &Endpoint, time: Duration) -> Result<f64> {
    let facts = Facts {
        member: Viewer::User { id: landmarks.member, admin: false, external: false },
        landmarks: landmarks.clone(),
        today: SystemClock.now().date_naive(),
        page: PageRequest::default(),
    };
    match &endpoint.floor {
        Floor::Reads(floor) => per_second(time, |_| database.read(|tx| floor(tx, &facts)).map_err(Into::into)),
        Floor::CreatesProjects => {
            let (project, home) = pattern(database, &facts.landmarks)?;
            per_second(time, |number| create(database, &project, home, number))
        }
    }
}

fn per_second(time: Duration, mut work: impl FnMut(usize) -> Result<()>) -> Result<f64> {
    for number in 0..10 {
        work(number)?;
    }
    let started = Instant::now();
    let mut number = 10;
    while started.elapsed() < time {
        work(number)?;
        number += 1;
    }
    Ok(count(number - 10) / started.elapsed().as_secs_f64())
}

fn pattern(database: &Database, landmarks: &Landmarks) -> Result<(Project, NamespaceId)> {
    let found = database.read(|tx| project::find(tx, landmarks.project))?;
    let project = found.ok_or_else(|| anyhow::anyhow!("the project is gone"))?;
    Ok((project, landmarks.group))
}

fn create(database: &Database, project: &Project, home: NamespaceId, number: usize) -> Result<()> {
    database.write(|tx| {
        let home = namespace::find(tx, home)?.ok_or_else(|| anyhow::anyhow!("the group is gone"))?;
        let project = Project { name: format!("Bare {number}"), path: format!("bare-{number}"), ..project.clone() };
        let new = NewProject { project: &project, namespace: &home, tags: &[], sealed_runners_token: "sealed" };
        project::insert(tx, &new)?;
        Ok(())
    })
}
