//! Code that the tests of all resources share.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};
use tenon_app::identity::Identity;
use tenon_app::member::{self, AddMembers, NewMembers};
use tenon_app::project::{self, CreateProject, ProjectSettings};
use tenon_app::{ContainerReference, Reference};
use tenon_domain::access::AccessLevel;
use tenon_domain::id::UserId;
use tenon_domain::visibility::Visibility;
use tenon_testkit::{Client, Reply, TestServer, User};

/// A PNG of one pixel.
pub(crate) const PIXEL: &[u8] = &[
    0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, b'I', b'H', b'D', b'R', 0, 0, 0, 1, 0, 0, 0, 1, 8, 2,
    0, 0, 0, 0x90, 0x77, 0x53, 0xde, 0, 0, 0, 12, b'I', b'D', b'A', b'T', 0x08, 0xd7, 0x63, 0xf8, 0xcf, 0xc0, 0, 0, 3,
    1, 1, 0, 0x18, 0xdd, 0x8d, 0xb0, 0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xae, 0x42, 0x60, 0x82,
];

/// The fields of every user, wherever one is named.
pub(crate) const BASIC_USER: [&str; 6] = ["id", "name", "username", "state", "avatar_url", "web_url"];

/// The id in an answer.
#[track_caller]
pub(crate) fn id(value: &Value) -> i64 {
    value["id"].as_i64().unwrap_or_else(|| panic!("no id: {value}"))
}

/// Posts and expects something new.
#[track_caller]
pub(crate) fn made(client: &Client, path: &str, body: Value) -> Value {
    client.post(path, body).assert_status(201).json()
}

/// A project of the client's with this name and visibility.
#[track_caller]
pub(crate) fn project(client: &Client, name: &str, visibility: &str) -> i64 {
    id(&made(client, "/projects", json!({"name": name, "visibility": visibility})))
}

/// A project in a group.
#[track_caller]
pub(crate) fn project_in(client: &Client, group: i64, name: &str, visibility: &str) -> i64 {
    id(&made(client, "/projects", json!({"name": name, "visibility": visibility, "namespace_id": group})))
}

/// A top-level group of the client's, with this path as its name.
#[track_caller]
pub(crate) fn group(client: &Client, path: &str, visibility: &str) -> i64 {
    id(&made(client, "/groups", json!({"name": path, "path": path, "visibility": visibility})))
}

/// A group below another.
#[track_caller]
pub(crate) fn subgroup(client: &Client, parent: i64, path: &str, visibility: &str) -> i64 {
    let body = json!({"name": path, "path": path, "visibility": visibility, "parent_id": parent});
    id(&made(client, "/groups", body))
}

/// Makes a user a member of `source`, such as `/groups/7`.
#[track_caller]
pub(crate) fn member(client: &Client, source: &str, user: i64, level: i64) {
    made(client, &format!("{source}/members"), json!({"user_id": user, "access_level": level}));
}

/// Fails the test if an object lacks a field, and says which.
#[track_caller]
pub(crate) fn assert_has(object: &Value, fields: &[&str]) {
    let missing: Vec<_> = fields.iter().filter(|field| object.get(**field).is_none()).collect();
    assert!(missing.is_empty(), "without {missing:?}: {object:#}");
}

/// Fails the test if an object has a field.
#[track_caller]
pub(crate) fn assert_lacks(object: &Value, fields: &[&str]) {
    let there: Vec<_> = fields.iter().filter(|field| object.get(**field).is_some()).collect();
    assert!(there.is_empty(), "with {there:?}: {object:#}");
}

/// The names of an object's fields.
pub(crate) fn keys(object: &Value) -> BTreeSet<String> {
    object.as_object().unwrap_or_else(|| panic!("no object: {object}")).keys().cloned().collect()
}

/// The body of a 404 of this resource.
pub(crate) fn missing(resource: &str) -> Value {
    json!({"message": format!("404 {resource} Not Found")})
}

/// The body of a parameter problem.
pub(crate) fn parameter(text: &str) -> Value {
    json!({"message": text, "error": text})
}

/// The body of one invalid field.
pub(crate) fn field(name: &str, text: &str) -> Value {
    json!({"message": {name: [text]}})
}

/// The plain refusal.
pub(crate) fn forbidden() -> Value {
    json!({"message": "403 Forbidden"})
}

/// The body of a 401.
pub(crate) fn unauthorized() -> Value {
    json!({"message": "401 Unauthorized"})
}

/// The body of a deletion that is under way.
pub(crate) fn accepted() -> Value {
    json!({"message": "202 Accepted"})
}

/// All names in a list.
#[track_caller]
pub(crate) fn names(reply: &Reply) -> Vec<String> {
    texts(reply, "name")
}

/// One text field of every object in a list.
#[track_caller]
pub(crate) fn texts(reply: &Reply, field: &str) -> Vec<String> {
    reply
        .each(field)
        .iter()
        .map(|value| value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned())
        .collect()
}

/// One number of every object in a list.
#[track_caller]
pub(crate) fn ids(reply: &Reply) -> Vec<i64> {
    reply.each("id").iter().map(|value| value.as_i64().unwrap_or_else(|| panic!("no id: {value}"))).collect()
}

/// Sends bytes as they are and yields the whole answer; the request should end the connection.
pub(crate) fn raw(server: &TestServer, request: &[u8]) -> String {
    let address = server.base().strip_prefix("http://").expect("an address");
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.write_all(request).expect("a request sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    String::from_utf8_lossy(&answer).into_owned()
}

/// A raw GET with these header lines, each ended by `\r\n`.
pub(crate) fn raw_get(server: &TestServer, path: &str, headers: &[u8]) -> String {
    let mut request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n").into_bytes();
    request.extend(headers);
    request.extend(b"\r\n");
    raw(server, &request)
}

/// Puts and expects a change; yields the object after it.
#[track_caller]
pub(crate) fn changed(client: &Client, path: &str, body: Value) -> Value {
    client.put(path, body).assert_status(200).json()
}

/// Opens an issue and yields its path, such as `/projects/7/issues/1`.
#[track_caller]
pub(crate) fn issue(client: &Client, project: i64, body: Value) -> String {
    let issue = made(client, &format!("/projects/{project}/issues"), body);
    format!("/projects/{project}/issues/{}", issue["iid"])
}

/// Opens an issue with nothing but a title.
#[track_caller]
pub(crate) fn titled(client: &Client, project: i64, title: &str) -> String {
    issue(client, project, json!({"title": title}))
}

/// Makes a red label of `source`, such as `/groups/7`, and yields its id.
#[track_caller]
pub(crate) fn label(client: &Client, source: &str, name: &str) -> i64 {
    id(&made(client, &format!("{source}/labels"), json!({"name": name, "color": "#FF0000"})))
}

/// Makes a milestone of `source` and yields its id.
#[track_caller]
pub(crate) fn milestone(client: &Client, source: &str, title: &str) -> i64 {
    id(&made(client, &format!("{source}/milestones"), json!({"title": title})))
}

/// Comments, and yields the id of the note.
#[track_caller]
pub(crate) fn comment(client: &Client, issue: &str, body: &str) -> i64 {
    id(&made(client, &format!("{issue}/notes"), json!({"body": body})))
}

/// The server's own notes of an issue, oldest first.
#[track_caller]
pub(crate) fn system_notes(client: &Client, issue: &str) -> Vec<String> {
    let notes = client.get(&format!("{issue}/notes?sort=asc&per_page=100")).assert_status(200).json();
    let notes = notes.as_array().expect("a list");
    let of_the_server = notes.iter().filter(|note| note["system"] == true);
    of_the_server.map(|note| note["body"].as_str().expect("a text").to_owned()).collect()
}

/// The numbers and the total of a list of issues.
#[track_caller]
pub(crate) fn iids(client: &Client, path: &str) -> Vec<i64> {
    let reply = client.get(path).assert_status(200);
    let iids: Vec<i64> = reply.each("iid").iter().map(|iid| iid.as_i64().expect("a number")).collect();
    assert_eq!(reply.header("x-total"), iids.len().to_string(), "{path}: the total differs from the list");
    iids
}

/// The titles of a list.
#[track_caller]
pub(crate) fn titles(client: &Client, path: &str) -> Vec<String> {
    texts(&client.get(path).assert_status(200), "title")
}

/// The body of a 404 of something that belongs to something else.
pub(crate) fn not_found() -> Value {
    json!({"message": "404 Not found"})
}

/// A user of every role in one project, and one of none.
pub(crate) struct Cast {
    pub(crate) project: i64,
    pub(crate) stranger: User,
    pub(crate) guest: User,
    pub(crate) reporter: User,
    pub(crate) developer: User,
    pub(crate) maintainer: User,
    pub(crate) owner: User,
    pub(crate) admin: Client,
}

impl Cast {
    /// A personal project of the owner's, with its members. Two transactions make it.
    pub(crate) fn of(server: &TestServer, visibility: &str) -> Self {
        let names = ["owner", "stranger", "guest", "reporter", "developer", "maintainer"];
        let [owner, stranger, guest, reporter, developer, maintainer] = server.users(names);
        let members = [&guest, &reporter, &developer, &maintainer];
        let settings = ProjectSettings { visibility: Visibility::parse(visibility), ..ProjectSettings::default() };
        let request = CreateProject { name: Some("tool".to_owned()), settings, ..CreateProject::default() };
        let made = server.app().write_now(&Identity::user(UserId::new(owner.id)), |command| {
            let project = project::create(command, request)?.brief.project.id.get();
            let of = ContainerReference::Project(Reference::Id(project));
            for (user, level) in members.into_iter().zip(AccessLevel::ALL) {
                let users = NewMembers::Users(vec![UserId::new(user.id)]);
                member::add(command, &of, AddMembers { users, level: Some(level), expires_at: None })?;
            }
            Ok(project)
        });
        let project = made.expect("a project with members");
        Self { project, stranger, guest, reporter, developer, maintainer, owner, admin: server.root() }
    }

    /// Such as `/projects/7`.
    pub(crate) fn path(&self) -> String {
        format!("/projects/{}", self.project)
    }

    /// Everybody with an account, from the least to the most powerful, with the name of the role.
    pub(crate) fn everybody(&self) -> [(&'static str, &Client); 7] {
        [
            ("stranger", &self.stranger),
            ("guest", &self.guest),
            ("reporter", &self.reporter),
            ("developer", &self.developer),
            ("maintainer", &self.maintainer),
            ("owner", &self.owner),
            ("admin", &self.admin),
        ]
    }

    /// The status that each of them gets, in the same order.
    pub(crate) fn statuses(&self, ask: impl Fn(&Client) -> Reply) -> Vec<u16> {
        self.everybody().iter().map(|(_, client)| ask(client).status()).collect()
    }
}
