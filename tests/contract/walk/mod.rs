//! A walk through the table of fields: a client sends each field, by form and by JSON, and reads it in every answer that has it.

mod lines;
mod places;
mod values;

use std::cell::Cell;

use serde_json::{Map, Value as Json, json};
use tenon_testkit::{Client, Reply, TestServer, both_databases};

use self::lines::{Sent, sent};
use self::places::Place;

/// The resources of each walk, as the table names them.
const SERVER: &[&str] = &["application settings"];
const PROJECTS: &[&str] = &["projects"];
const GROUPS: &[&str] = &["groups"];
const USERS: &[&str] = &["users"];
const PARTS: &[&str] = &["hooks", "issues", "issues/{issue_iid}", "labels", "protected_branches"];
const WALKS: [&[&str]; 5] = [SERVER, PROJECTS, GROUPS, USERS, PARTS];

/// The form of the body of a request.
#[derive(Debug, Clone, Copy)]
enum Body {
    Json,
    Form,
}

/// A walk through the fields of one resource, as an administrator.
struct Walk {
    client: Client,
    /// The project in which issues, hooks and the like are.
    home: i64,
    made: Cell<u32>,
}

/// An object, with what its place has to know to read it.
struct Object<'a> {
    walk: &'a Walk,
    place: &'static Place,
    path: String,
    id: Json,
}

impl Walk {
    fn of(server: &TestServer) -> Self {
        let client = server.root();
        let home = client.post("/projects", json!({"name": "home"})).assert_status(201).json();
        Self { home: home["id"].as_i64().expect("an id"), client, made: Cell::new(0) }
    }

    fn send(&self, body: Body, method: &str, path: &str, fields: &Json) -> Reply {
        match body {
            Body::Json => self.client.send(method, path, Some("application/json"), fields.to_string().into_bytes()),
            Body::Form => self.client.form_of(method, path, fields),
        }
    }

    /// A path below the project of the walk.
    fn at_home(&self, path: &str) -> String {
        path.replacen("{id}", &self.home.to_string(), 1)
    }

    /// Makes an object with these fields besides those that it needs, and yields the answer as well.
    fn make(&self, place: &'static Place, body: Body, fields: Map<String, Json>) -> (Object<'_>, Json) {
        let Some(post) = place.post else {
            let path = place.one.to_owned();
            return (Object { walk: self, place, path, id: Json::Null }, Json::Null);
        };
        self.made.set(self.made.get() + 1);
        let mut whole = (place.needed)(self.made.get());
        whole.as_object_mut().expect("an object").extend(fields);
        let path = self.at_home(post);
        let made = self.send(body, "POST", &path, &whole);
        assert_eq!(made.status(), 201, "{path}: {whole}: {}", made.text());
        let made = made.json();
        let key = made[place.key].as_str().map_or_else(|| made[place.key].to_string(), str::to_owned);
        (Object { walk: self, place, path: format!("{path}/{key}"), id: made["id"].clone() }, made)
    }
}

impl Object<'_> {
    /// All answers that show the object, with the calls that they answer.
    fn read(&self) -> Vec<(String, Json)> {
        let client = &self.walk.client;
        self.place
            .reads()
            .into_iter()
            .map(|call| {
                let path = call.trim_start_matches("GET ");
                let answer = if path == self.place.one {
                    client.get(&self.path).assert_status(200).json()
                } else if Some(path) == self.place.post {
                    let listed = client.get(&format!("{}{}", self.walk.at_home(path), self.place.newest));
                    let listed = listed.assert_status(200).json();
                    let mut listed = listed.as_array().into_iter().flatten();
                    listed.find(|one| one["id"] == self.id).expect("the object is in the list").clone()
                } else {
                    client.header("Sudo", &self.id.to_string()).get(path).assert_status(200).json()
                };
                (call, answer)
            })
            .collect()
    }

    /// Notes the answers that have the field with another value. An answer that the line does not name may leave it out.
    fn compare(&self, sent: &Sent, how: &str, answer: (String, Json), want: &Json, wrong: &mut Vec<String>) {
        let field = sent.field;
        let want = if sent.values.is_answered { want } else { &Json::Null };
        let mut is_read = !sent.values.is_answered;
        for (call, shown) in [answer].into_iter().chain(self.read()) {
            let is_left_out = shown.get(field).is_none() && !sent.read_at.contains(&call);
            is_read |= !is_left_out;
            if !is_left_out && shown[field] != *want {
                wrong.push(format!("{how} {field} {want}: {call} has {}", shown[field]));
            }
        }
        if !is_read {
            wrong.push(format!("{how} {field} {want}: no answer has it"));
        }
    }
}

/// Sends a field with one request, and yields the answers that differ.
fn walk_request(
    walk: &Walk,
    sent: &Sent,
    (method, path, place): (&str, &str, &'static Place),
    body: Body,
) -> Vec<String> {
    let named = format!("{method} {path}");
    let how = format!("{named} {body:?}");
    let mut wrong = Vec::new();
    if method == "POST" {
        for (fields, want) in [
            (sent.values.changing(sent.field), &sent.values.other),
            (sent.values.resetting(sent.field), &sent.values.preset),
            (Map::new(), &sent.values.preset),
        ] {
            let (object, answer) = walk.make(place, body, fields);
            object.compare(sent, &how, (named.clone(), answer), want, &mut wrong);
        }
        return wrong;
    }
    let (object, _) = walk.make(place, Body::Json, Map::new());
    for (fields, want) in [
        (sent.values.changing(sent.field), &sent.values.other),
        (sent.values.resetting(sent.field), &sent.values.preset),
    ] {
        let whole = Json::Object(fields);
        let changed = walk.send(body, method, &object.path, &whole);
        if changed.status() != 200 {
            wrong.push(format!("{how} {whole}: {} {}", changed.status(), changed.text()));
            continue;
        }
        object.compare(sent, &how, (named.clone(), changed.json()), want, &mut wrong);
    }
    wrong
}

/// Walks through the lines of these resources.
fn walk(server: &TestServer, resources: &[&str]) {
    let walk = Walk::of(server);
    let mut wrong = Vec::new();
    for sent in resources.iter().flat_map(|resource| sent(resource)) {
        for request in &sent.requests {
            for body in [Body::Json, Body::Form] {
                wrong.extend(walk_request(&walk, &sent, *request, body));
            }
        }
    }
    assert!(walk.made.get() > 0 || resources == SERVER, "nothing was made");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[both_databases]
fn settings_of_the_server_are_read_as_they_were_sent(server: &TestServer) {
    walk(server, SERVER);
}

#[both_databases]
fn fields_of_projects_are_read_as_they_were_sent(server: &TestServer) {
    walk(server, PROJECTS);
}

#[both_databases]
fn fields_of_groups_are_read_as_they_were_sent(server: &TestServer) {
    walk(server, GROUPS);
}

#[both_databases]
fn fields_of_users_are_read_as_they_were_sent(server: &TestServer) {
    walk(server, USERS);
}

#[both_databases]
fn fields_of_parts_of_projects_are_read_as_they_were_sent(server: &TestServer) {
    walk(server, PARTS);
}
