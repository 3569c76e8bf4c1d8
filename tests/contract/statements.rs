//! What a list costs does not depend on how long its page is.

use serde_json::{Value, json};
use tenon_testkit::{Backend, Client, Multipart, TestServer};

/// How many rows every list is given, and how long the long page is.
const ROWS: usize = 12;

/// Every paged list, with the ids of [`Rows`] in it.
const LISTS: [&str; 17] = [
    "/users",
    "/user/activities",
    "/users/{user}/impersonation_tokens",
    "/personal_access_tokens",
    "/namespaces",
    "/groups",
    "/groups/{group}/subgroups",
    "/groups/{group}/descendant_groups",
    "/groups/{group}/projects",
    "/groups/{group}/members",
    "/groups/{group}/members/all",
    "/projects",
    "/users/{user}/projects",
    "/projects/{project}/users",
    "/projects/{project}/members",
    "/projects/{project}/members/all",
    "/projects/{project}/hooks",
];

/// Lists that cannot be filled through the API yet: a fork needs the repositories.
const NOT_FILLED: [&str; 1] = ["/projects/{project}/forks"];

struct Rows {
    user: i64,
    group: i64,
    project: i64,
}

fn made(client: &Client, path: &str, body: Value) -> i64 {
    client.post(path, body).assert_status(201).json()["id"].as_i64().unwrap_or_default()
}

impl Rows {
    /// Makes [`ROWS`] of everything, each with what a list has to load besides: tags, avatars, attributes, shares.
    fn make(server: &TestServer) -> Self {
        let root = server.root();
        let user = server.user("keeper").id;
        let group = made(&root, "/groups", json!({"name": "house", "path": "house"}));
        let project = made(&root, "/projects", json!({"name": "main", "namespace_id": group}));
        for number in 0..ROWS {
            let name = format!("x{number}");
            let person = server.user(&name).id;
            let below = made(&root, "/groups", json!({"name": name, "path": name, "parent_id": group}));
            let friend = made(&root, "/groups", json!({"name": name, "path": format!("friend{number}")}));
            let tool = made(
                &root,
                "/projects",
                json!({"name": format!("tool{number}"), "namespace_id": group, "tag_list": ["a", "b"]}),
            );
            made(&root, &format!("/projects/user/{user}"), json!({"name": name, "tag_list": [name]}));
            made(&root, &format!("/projects/{tool}/share"), json!({"group_id": friend, "group_access": 10}));
            for source in [format!("/groups/{group}"), format!("/projects/{project}")] {
                made(&root, &format!("{source}/members"), json!({"user_id": person, "access_level": 20}));
            }
            for holder in [format!("/users/{person}"), format!("/groups/{below}"), format!("/projects/{tool}")] {
                let attribute = root.put(&format!("{holder}/custom_attributes/colour"), json!({"value": name}));
                let _ = attribute.assert_status(200);
            }
            made(&root, &format!("/projects/{project}/hooks"), json!({"url": "https://hooks.example.com/"}));
            let picture = Multipart::default().file("avatar", "a.png", crate::statements::PIXEL);
            let _ = root.multipart("PUT", &format!("/users/{person}"), &picture).assert_status(200);
            made(&root, &format!("/users/{user}/impersonation_tokens"), json!({"name": name, "scopes": ["api"]}));
        }
        server.database().execute("UPDATE users SET last_activity_on = '2026-03-01'");
        Self { user, group, project }
    }

    fn fill(&self, path: &str) -> String {
        path.replace("{user}", &self.user.to_string())
            .replace("{group}", &self.group.to_string())
            .replace("{project}", &self.project.to_string())
    }
}

/// A PNG of one pixel.
pub(crate) const PIXEL: &[u8] = &[
    0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, b'I', b'H', b'D', b'R', 0, 0, 0, 1, 0, 0, 0, 1, 8, 2,
    0, 0, 0, 0x90, 0x77, 0x53, 0xde, 0, 0, 0, 12, b'I', b'D', b'A', b'T', 0x08, 0xd7, 0x63, 0xf8, 0xcf, 0xc0, 0, 0, 3,
    1, 1, 0, 0x18, 0xdd, 0x8d, 0xb0, 0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xae, 0x42, 0x60, 0x82,
];

#[test]
fn a_longer_page_needs_no_more_statements() {
    let server = TestServer::start(Backend::Sqlite);
    let rows = Rows::make(&server);
    let mut grown = String::new();
    for caller in [server.root(), server.client(&server.token(rows.user, &["api"]))] {
        for list in LISTS {
            let path = rows.fill(list);
            let ask = |per_page: usize| {
                let query = "with_custom_attributes=true&statistics=true&all_available=true";
                let mut length = 0;
                let count = server.count_statements(|| {
                    let reply = caller.get(&format!("{path}?per_page={per_page}&{query}"));
                    length = reply.json().as_array().map_or(0, Vec::len);
                });
                (length, count)
            };
            // What is remembered after a first time must not look like a difference.
            ask(2);
            let ((short, few), (long, many)) = (ask(2), ask(ROWS));
            if short < long && many > few {
                grown += &format!("{list}: {few} statements for {short} rows, {many} for {long}\n");
            }
        }
    }
    assert_eq!(grown, "");
}

#[test]
fn every_list_is_measured_on_a_full_page() {
    let server = TestServer::start(Backend::Sqlite);
    let rows = Rows::make(&server);
    for list in LISTS {
        let reply = server.root().get(&format!("{}?per_page={ROWS}", rows.fill(list))).assert_status(200);
        assert_eq!(reply.json().as_array().map(Vec::len), Some(ROWS), "{list}");
    }
    let document = server.anonymous().get("/openapi.json").json();
    let paths = document["paths"].as_object().expect("paths");
    let paged = paths.iter().filter(|(_, methods)| {
        methods["get"]["responses"]["200"]["headers"].as_object().is_some_and(|headers| headers.contains_key("x-total"))
    });
    let mut paged: Vec<String> = paged.map(|(path, _)| crate::routes::normalised(path)).collect();
    let mut known: Vec<String> = LISTS.iter().chain(&NOT_FILLED).map(|path| crate::routes::normalised(path)).collect();
    paged.sort();
    known.sort();
    assert_eq!(known, paged);
}
