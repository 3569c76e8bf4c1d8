//! For every served route a request that is right in form and refers to objects that are there. So nothing but the
//! caller's rights decides.

use serde_json::{Value, json};
use tenon_testkit::{Client, Multipart, Reply, keys};

use crate::fixture::{Fixture, Place};

/// One request to one route. A route can have several, distinguished by `what`.
pub(crate) struct Case {
    pub(crate) method: String,
    /// As the table of routes has it.
    pub(crate) path: String,
    pub(crate) what: &'static str,
    body: fn(&Fixture, &Place) -> Value,
}

impl Case {
    /// Sends it.
    pub(crate) fn send(&self, client: &Client, fixture: &Fixture, place: &Place) -> Reply {
        let path = match self.what {
            "confidential" => fill(&self.path.replace("{issue_iid}", "2"), fixture, place),
            _ => fill(&crate::code::special(&self.method, &self.path, place), fixture, place),
        };
        let path = path + crate::code::query(&self.method, &self.path);
        let is_rendering = self.path.ends_with("/badges/render");
        let rendered = if is_rendering { "?link_url=https://x.example/&image_url=https://x.example/" } else { "" };
        let path = path + rendered;
        match (self.method.as_str(), self.path.as_str()) {
            ("POST", "/projects/{id}/uploads" | "/projects/{id}/wikis/attachments") => {
                client.multipart("POST", &path, &Multipart::default().file("file", "a.txt", b"text"))
            }
            ("PUT", "/user/avatar") => client.multipart("PUT", &path, &Multipart::default().text("avatar", "")),
            ("GET", "/events/stream") => client.get(&format!("{path}?seconds=0")),
            ("GET", "/avatar") => client.get(&format!("{path}?email=owner@example.org")),
            ("GET", "/keys") => {
                client.get(&format!("{path}?fingerprint=SHA256:xYiFBUUb6WWn57kprrEMNuZr9Hxe%2B2qBlitvWsy6cOk"))
            }
            ("GET", "/users") if self.what == "by name" => client.get(&format!("{path}?username=owner")),
            ("DELETE", "/projects/{id}/labels") => client.send("DELETE", &format!("{path}?name=bug"), None, Vec::new()),
            ("DELETE", "/groups/{id}/labels") => client.send("DELETE", &format!("{path}?name=team"), None, Vec::new()),
            ("POST" | "PUT" | "PATCH", _) => {
                let body = (self.body)(fixture, place).to_string().into_bytes();
                client.send(&self.method, &path, Some("application/json"), body)
            }
            _ => client.send(&self.method, &path, None, Vec::new()),
        }
    }

    /// True if it only reads.
    pub(crate) fn reads(&self) -> bool {
        self.method == "GET"
    }
}

/// All requests, in the order of the table of routes.
pub(crate) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for route in tenon_http::listing().expect("routes") {
        for (what, body) in variants(&route.method, &route.path) {
            cases.push(Case { method: route.method.clone(), path: route.path.clone(), what, body });
        }
    }
    cases
}

pub(crate) type Body = fn(&Fixture, &Place) -> Value;

/// True if such a POST is complete without parameters.
fn takes_nothing(path: &str) -> bool {
    let last = path.rsplit('/').next().unwrap_or_default();
    matches!(last, "star" | "unstar" | "archive" | "unarchive" | "pull" | "resend" | "{trigger}")
}

/// True if the path is one of members, invitations or requests for access.
fn is_membership(path: &str) -> bool {
    ["/members", "/invitations", "/access_requests"].iter().any(|part| path.contains(part))
}

/// The requests about members, invitations and requests for access.
fn membership(method: &str, path: &str) -> Vec<(&'static str, Body)> {
    let one = |body: Body| vec![("", body)];
    match (method, path) {
        ("POST", "/groups/{id}/members" | "/projects/{id}/members") => vec![
            ("", |fixture, _| json!({"user_id": fixture.bystander, "access_level": 10})),
            ("as maintainer", |fixture, _| json!({"user_id": fixture.bystander, "access_level": 40})),
        ],
        ("POST", "/groups/{id}/invitations" | "/projects/{id}/invitations") => {
            one(|_, _| json!({"email": "new@example.org", "access_level": 10}))
        }
        (
            "PUT",
            "/groups/{id}/invitations/{email}"
            | "/projects/{id}/invitations/{email}"
            | "/groups/{id}/members/{user_id}"
            | "/projects/{id}/members/{user_id}",
        ) => one(|_, _| json!({"access_level": 20})),
        (_, path) if path.contains("/access_requests") => one(|_, _| json!({})),
        _ => panic!("{method} {path}: write down in requests.rs what to send there"),
    }
}

/// True if the path is one of badges, boards, deploy tokens, access tokens of projects and groups, variables, wikis or snippets.
fn is_belonging(path: &str) -> bool {
    ["/badges", "/boards", "/deploy_tokens", "/access_tokens", "/variables", "/wikis", "/snippets"]
        .iter()
        .any(|name| path.contains(name))
}

/// The requests about badges, boards, deploy tokens, access tokens of projects and groups, variables, wikis and snippets.
fn belongings(method: &str, path: &str) -> Vec<(&'static str, Body)> {
    let one = |body: Body| vec![("", body)];
    match (method, path) {
        ("POST", path) if path.ends_with("/badges") => {
            one(|_, _| json!({"link_url": "https://x.example/", "image_url": "https://x.example/"}))
        }
        ("PUT", path) if path.ends_with("/badges/{badge_id}") => one(|_, _| json!({"name": "new"})),
        ("POST", path) if path.ends_with("/boards") => one(|_, _| json!({"name": "n"})),
        ("PUT", path) if path.ends_with("/boards/{board_id}") => one(|_, _| json!({"name": "new"})),
        ("POST", path) if path.ends_with("/lists") => one(|_, place| json!({"label_id": place.tracker.group_label})),
        ("PUT", path) if path.ends_with("/lists/{list_id}") => one(|_, _| json!({"position": 1})),
        ("POST", path) if path.ends_with("/deploy_tokens") => {
            one(|_, _| json!({"name": "n", "scopes": ["read_repository"]}))
        }
        ("POST", path) if path.ends_with("/access_tokens") => {
            one(|_, _| json!({"name": "n", "scopes": ["read_api"], "access_level": 10}))
        }
        ("POST", path) if path.ends_with("/rotate") => one(|_, _| json!({})),
        ("POST", path) if path.ends_with("/variables") => one(|_, _| json!({"key": "NEW", "value": "v"})),
        ("PUT", path) if path.ends_with("/variables/{key}") => one(|_, _| json!({"value": "new"})),
        ("POST", path) if path.ends_with("/wikis") => one(|_, _| json!({"title": "new", "content": "c"})),
        ("PUT", path) if path.ends_with("/wikis/{slug}") => one(|_, _| json!({"content": "new"})),
        ("POST", path) if path.ends_with("/wikis/attachments") => one(|_, _| Value::Null),
        ("POST", path) if path.contains("/snippets/") && path.ends_with("/award_emoji") => {
            one(|_, _| json!({"name": "heart"}))
        }
        ("POST" | "PUT", path) if path.contains("/snippets/{snippet_id}/") => one(|_, _| json!({"body": "b"})),
        ("POST", path) if path.ends_with("/snippets") => {
            one(|_, _| json!({"title": "t", "file_name": "a", "content": "c", "visibility": "private"}))
        }
        ("PUT", path) if path.ends_with("/snippets/{snippet_id}") => one(|_, _| json!({"title": "new"})),
        _ => panic!("{method} {path}: write down in requests.rs what to send there"),
    }
}

fn variants(method: &str, path: &str) -> Vec<(&'static str, Body)> {
    let one = |body: Body| vec![("", body)];
    match (method, path) {
        ("GET", "/users") => vec![("", |_, _| Value::Null), ("by name", |_, _| Value::Null)],
        (_, path) if crate::merging::is_one(path) => crate::merging::variants(method, path),
        (_, path) if path.contains("/issues") || path.contains("/labels") || path.contains("/milestones") => {
            crate::tracker::variants(method, path)
        }
        (_, path) if crate::code::is_one(path) => crate::code::variants(method, path),
        ("GET" | "DELETE", _) | ("POST", "/projects/{id}/uploads") => one(|_, _| Value::Null),
        ("POST", "/markdown") => vec![
            ("", |_, _| json!({"text": "a"})),
            ("in the project", |_, place| json!({"text": "a", "project": place.project.to_string()})),
        ],
        ("POST", "/todos/mark_as_done" | "/todos/{id}/mark_as_done") => one(|_, _| json!({})),
        ("POST", "/users") => one(
            |_, _| json!({"email": "new@example.org", "username": "new", "name": "New", "password": "correct horse"}),
        ),
        ("PUT", "/application/settings") => one(|_, _| json!({"max_pages_size": 50})),
        ("PUT", "/users/{id}") => one(|_, _| json!({"name": "Renamed"})),
        (
            "POST" | "PATCH",
            "/users/{id}/block"
            | "/users/{id}/unblock"
            | "/users/{id}/deactivate"
            | "/users/{id}/activate"
            | "/users/{id}/ban"
            | "/users/{id}/unban"
            | "/users/{id}/approve"
            | "/users/{id}/reject"
            | "/users/{id}/disable_two_factor",
        ) => one(|_, _| json!({})),
        ("POST", "/users/{id}/follow" | "/users/{id}/unfollow") => one(|_, _| json!({})),
        ("PUT", "/user/preferences") => one(|_, _| json!({"view_diffs_file_by_file": true})),
        ("POST", "/user/keys" | "/users/{id_or_username}/keys") => {
            one(|_, _| json!({"title": "t", "key": keys::RSA_2048}))
        }
        ("POST", "/projects/{id}/deploy_keys") => one(|_, _| json!({"title": "t", "key": keys::RSA_2048})),
        ("POST", "/projects/{id}/deploy_keys/{key_id}/enable") => one(|_, _| json!({})),
        ("PUT", "/projects/{id}/deploy_keys/{key_id}") => one(|_, _| json!({"title": "new"})),
        ("POST", "/user/gpg_keys" | "/users/{id}/gpg_keys") => one(|_, _| json!({"key": keys::BOB})),
        ("POST", "/user/gpg_keys/{key_id}/revoke" | "/users/{id}/gpg_keys/{key_id}/revoke") => one(|_, _| json!({})),
        ("POST", "/user/emails" | "/users/{id}/emails") => one(|_, _| json!({"email": "third@example.org"})),
        ("PUT" | "PATCH", "/user/status") => one(|_, _| json!({"message": "away"})),
        ("POST", "/users/{user_id}/impersonation_tokens" | "/users/{user_id}/personal_access_tokens") => {
            one(|_, _| json!({"name": "n", "scopes": ["api"]}))
        }
        ("PUT", "/user/avatar") => one(|_, _| json!({"avatar": ""})),
        ("POST", "/user/personal_access_tokens") => one(|_, _| json!({"name": "n", "scopes": ["k8s_proxy"]})),
        ("POST", "/personal_access_tokens/{id}/rotate" | "/personal_access_tokens/self/rotate") => {
            one(|_, _| json!({}))
        }
        ("POST", "/applications") => {
            one(|_, _| json!({"name": "n", "redirect_uri": "https://app.example/", "scopes": "api"}))
        }
        ("POST", "/hooks" | "/hooks/{hook_id}") | ("PUT", "/hooks/{hook_id}") => {
            one(|_, _| json!({"url": "http://127.0.0.1:1/other"}))
        }
        ("POST" | "PUT", path) if is_belonging(path) => belongings(method, path),
        ("POST" | "PUT", path) if crate::deploying::is_one(path) => crate::deploying::variants(method, path),
        ("POST" | "PUT", "/broadcast_messages" | "/broadcast_messages/{id}") => one(|_, _| json!({"message": "Later"})),
        ("PUT", path) if path.ends_with("/notification_settings") => one(|_, _| json!({"level": "watch"})),
        ("POST", "/applications/{id}/renew-secret") => one(|_, _| json!({})),
        ("POST", "/projects") => vec![
            ("", |_, _| json!({"name": "fresh"})),
            ("into the group", |_, place| json!({"name": "fresh", "namespace_id": place.group})),
        ],
        ("POST", "/projects/user/{user_id}") => one(|_, _| json!({"name": "fresh"})),
        ("PUT", "/projects/{id}") => vec![
            ("", |_, _| json!({"description": "d"})),
            ("name", |_, _| json!({"name": "renamed"})),
            ("visibility", |_, _| json!({"visibility": "private"})),
        ],
        ("POST", path) if takes_nothing(path) => one(|_, _| json!({})),
        ("PUT", "/projects/{id}/transfer") => one(|fixture, _| json!({"namespace": fixture.landing})),
        ("POST", "/projects/{id}/share" | "/groups/{id}/share") => {
            one(|fixture, _| json!({"group_id": fixture.others, "group_access": 10}))
        }
        ("POST", "/groups") => vec![
            ("", |_, _| json!({"name": "fresh", "path": "fresh"})),
            ("below the group", |_, place| json!({"name": "fresh", "path": "fresh", "parent_id": place.group})),
        ],
        ("PUT", "/groups/{id}") => {
            vec![("", |_, _| json!({"description": "d"})), ("path", |_, _| json!({"path": "renamed"}))]
        }
        ("POST", "/groups/{id}/projects/{project_id}") => one(|_, _| json!({})),
        ("POST", "/groups/{id}/transfer") => one(|fixture, _| json!({"group_id": fixture.landing})),
        (_, path) if is_membership(path) => membership(method, path),
        ("POST" | "PUT", "/projects/{id}/hooks" | "/projects/{id}/hooks/{hook_id}") => {
            one(|_, _| json!({"url": "https://hooks.example.com/other"}))
        }
        ("PUT", path) if path.ends_with("/custom_headers/{key}") || path.ends_with("/url_variables/{key}") => {
            one(|_, _| json!({"value": "secret"}))
        }
        ("PUT", "/projects/{id}/services/{slug}" | "/projects/{id}/integrations/{slug}") => {
            one(|_, _| json!({"external_wiki_url": "https://wiki.example.com/"}))
        }
        ("PUT", path) if path.ends_with("/custom_attributes/{key}") => one(|_, _| json!({"value": "blue"})),
        _ => panic!("{method} {path}: write down in requests.rs what to send there"),
    }
}

/// The path with the fixture's ids in it.
pub(crate) fn fill(path: &str, fixture: &Fixture, place: &Place) -> String {
    let segments: Vec<&str> = path.split('/').collect();
    let filled = segments.iter().enumerate().map(|(at, segment)| {
        if !segment.starts_with('{') {
            return segment.replace("{format}", "zip");
        }
        if crate::merging::is_one(path)
            && let Some(text) = crate::merging::segment(path, segments[at - 1], place)
        {
            return text;
        }
        if path.ends_with("/assets/links/{link_id}") && *segment == "{link_id}" {
            return place.code.release_link.to_string();
        }
        if let Some(text) = crate::code::segment(segments[at - 1], &place.code) {
            return text;
        }
        let id = match (segments[at - 1], segments.get(1).copied().unwrap_or_default()) {
            ("projects", "groups") | ("groups" | "namespaces", _) if *segment == "{project_id}" => fixture.loose,
            ("projects", _) => place.project,
            ("groups" | "namespaces", _) => place.group,
            ("users" | "user" | "access_requests", _) => fixture.bystander,
            ("hooks", "hooks") => fixture.system_hook,
            ("hooks", _) => place.hook,
            // The first list of its project. Missing objects, and events that cannot be tested: no hook is called.
            ("feature_flags_user_lists" | "events", _) => 1,
            ("test", _) => return "job_events".to_owned(),
            ("custom_headers" | "url_variables" | "feature_flags", _) => return "known".to_owned(),
            ("members" | "all", _) => fixture.member,
            ("invitations", _) => return "none@example.org".to_owned(),
            ("share", _) => fixture.friends,
            ("fork", _) => fixture.loose,
            ("personal_access_tokens", _) => fixture.token,
            ("impersonation_tokens", _) => fixture.impersonation,
            ("deploy_keys", _) => place.deploy_key,
            ("keys", _) => fixture.ssh_key,
            ("gpg_keys", _) => fixture.gpg_key,
            ("emails", _) => fixture.email,
            ("identities", _) => return "ldap".to_owned(),
            ("applications", _) => fixture.application,
            ("services" | "integrations", _) => return "external-wiki".to_owned(),
            ("boards", "projects") => place.boards[0],
            ("boards", _) => place.boards[1],
            ("lists", "projects") => place.lists[0],
            ("lists", _) => place.lists[1],
            ("badges", "projects") => place.badges[0],
            ("badges", _) => place.badges[1],
            ("deploy_tokens", "projects") => place.deploy_tokens[0],
            ("deploy_tokens", _) => place.deploy_tokens[1],
            ("access_tokens", "projects") => place.access_tokens[0],
            ("access_tokens", _) => place.access_tokens[1],
            ("environments", _) => place.environment,
            ("deployments", _) => place.deployment,
            ("variables", _) => return "KNOWN".to_owned(),
            ("snippets", _) => place.snippet.id,
            ("discussions", _) if path.contains("/snippets/") => return place.snippet.discussion.clone(),
            ("notes", _) if path.contains("/snippets/") => place.snippet.note,
            ("award_emoji", _) if path.contains("/snippets/") => {
                place.snippet.awards[usize::from(path.contains("/notes/"))]
            }
            ("{version}", _) => return "README.md".to_owned(),
            ("wikis", _) => return "home".to_owned(),
            ("broadcast_messages", _) => fixture.broadcast_message,
            ("custom_attributes", _) => return "colour".to_owned(),
            ("templates", _) => return "dockerfiles".to_owned(),
            ("licenses", _) => return "mit".to_owned(),
            ("{type}" | "dockerfiles" | "gitignores", _) => return "Node".to_owned(),
            ("gitlab_ci_ymls", _) => return "Nodejs".to_owned(),
            (before, home) => match crate::tracker::segment(path, before, home, &place.tracker) {
                Some(segment) => return segment,
                None => panic!("{path}: write down in requests.rs what comes after {before}"),
            },
        };
        id.to_string()
    });
    filled.collect::<Vec<_>>().join("/")
}
