//! The objects that the walk makes and changes.

use serde_json::{Value as Json, json};

/// How the objects of a call are made and read.
pub(super) struct Place {
    /// The path at which they are made; `None` of the settings of the server, which are always there.
    pub(super) post: Option<&'static str>,
    /// The path at which one is read and changed.
    pub(super) one: &'static str,
    /// The field that is the last part of that path.
    pub(super) key: &'static str,
    /// The query with which the newest object is in the list.
    pub(super) newest: &'static str,
    /// The fields that a new object needs. The number is another one each time.
    pub(super) needed: fn(u32) -> Json,
}

impl Place {
    /// The calls whose answers show an object, as `GET /projects/{id}`.
    pub(super) fn reads(&self) -> Vec<String> {
        let of_user = (self.one == "/users/{id}").then_some("/user/preferences");
        [Some(self.one), self.post, of_user].into_iter().flatten().map(|path| format!("GET {path}")).collect()
    }
}

const PLACES: &[Place] = &[
    Place { post: None, one: "/application/settings", key: "", newest: "", needed: |_| json!({}) },
    Place {
        post: Some("/projects"),
        one: "/projects/{id}",
        key: "id",
        newest: "?order_by=id&per_page=1",
        needed: |number| json!({"name": format!("p{number}")}),
    },
    Place {
        post: Some("/groups"),
        one: "/groups/{id}",
        key: "id",
        newest: "?order_by=id&sort=desc&per_page=1",
        needed: |number| json!({"name": format!("g{number}"), "path": format!("g{number}")}),
    },
    Place {
        post: Some("/users"),
        one: "/users/{id}",
        key: "id",
        newest: "?order_by=id&per_page=1",
        needed: |number| {
            json!({
                "username": format!("u{number}"), "name": format!("U {number}"), "email": format!("u{number}@example.org"),
                "password": "a long password", "skip_confirmation": true,
            })
        },
    },
    Place {
        post: Some("/projects/{id}/hooks"),
        one: "/projects/{id}/hooks/{hook_id}",
        key: "id",
        newest: "?per_page=100",
        needed: |number| json!({"url": format!("http://example.org/{number}")}),
    },
    Place {
        post: Some("/projects/{id}/issues"),
        one: "/projects/{id}/issues/{issue_iid}",
        key: "iid",
        newest: "?per_page=100",
        needed: |number| json!({"title": format!("I {number}")}),
    },
    Place {
        post: Some("/projects/{id}/labels"),
        one: "/projects/{id}/labels/{label_id}",
        key: "id",
        newest: "?per_page=100",
        needed: |number| json!({"name": format!("l{number}"), "color": "#FF0000"}),
    },
    Place {
        post: Some("/projects/{id}/protected_branches"),
        one: "/projects/{id}/protected_branches/{name}",
        key: "name",
        newest: "?per_page=100",
        needed: |number| json!({"name": format!("b{number}")}),
    },
];

/// The place at which objects are made or changed with this path, if the walk makes any.
pub(super) fn of(path: &str) -> Option<&'static Place> {
    PLACES.iter().find(|place| place.post == Some(path) || place.one == path)
}
