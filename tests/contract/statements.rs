//! The cost of a list does not depend on the length of its page.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tenon_testkit::{Backend, Client, Multipart, TestServer};

use crate::lists::LISTS;

/// How many rows every list is given, and how long the long page is.
pub(crate) const ROWS: usize = 12;

struct Rows {
    user: i64,
    group: i64,
    project: i64,
    milestone: i64,
    group_milestone: i64,
    board: i64,
    group_board: i64,
    system_hook: i64,
    note: i64,
    merge_note: i64,
}

/// Reactions that differ.
pub(crate) const EMOJI: [&str; ROWS] =
    ["thumbsup", "thumbsdown", "heart", "tada", "rocket", "eyes", "smile", "cry", "fire", "star", "sunny", "dog"];

pub(crate) fn made(client: &Client, path: &str, body: Value) -> i64 {
    client.post(path, body).assert_status(201).json()["id"].as_i64().unwrap_or_default()
}

impl Rows {
    /// Makes [`ROWS`] of everything, each with the objects that a list has to load besides: tags, avatars, attributes,
    /// shares.
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
                made(&root, &format!("{source}/members"), json!({"user_id": person, "access_level": 30}));
            }
            for holder in [format!("/users/{person}"), format!("/groups/{below}"), format!("/projects/{tool}")] {
                let attribute = root.put(&format!("{holder}/custom_attributes/colour"), json!({"value": name}));
                let _ = attribute.assert_status(200);
            }
            made(&root, &format!("/groups/{friend}/members"), json!({"user_id": user, "access_level": 10}));
            let hook = json!({"url": "https://hooks.example.com/", "push_events": false});
            made(&root, &format!("/projects/{project}/hooks"), hook);
            made(&root.header("Sudo", &name), &format!("/users/{user}/follow"), json!({}));
            made(&root.header("Sudo", "keeper"), &format!("/users/{person}/follow"), json!({}));
            let picture = Multipart::default().file("avatar", "a.png", crate::fixture::PIXEL);
            let _ = root.multipart("PUT", &format!("/users/{person}"), &picture).assert_status(200);
            made(&root, &format!("/users/{user}/impersonation_tokens"), json!({"name": name, "scopes": ["api"]}));
            let application = json!({"name": name, "redirect_uri": "https://app.example/", "scopes": "api"});
            made(&root, "/applications", application);
            made(&root, "/broadcast_messages", json!({"message": name}));
            for (home, name) in
                [(format!("/groups/{group}"), "of_group"), (format!("/projects/{project}"), "of_project")]
            {
                let address = "https://x.example/%{commit_sha}";
                let badge = json!({"name": name, "link_url": address, "image_url": address});
                made(&root, &format!("{home}/badges"), badge);
            }
            for home in [format!("/groups/{group}"), format!("/projects/{project}")] {
                made(&root, &format!("{home}/deploy_tokens"), json!({"name": name, "scopes": ["read_repository"]}));
                made(&root, &format!("{home}/access_tokens"), json!({"name": name, "scopes": ["api"]}));
            }
            for owner in ["/admin/ci".to_owned(), format!("/groups/{group}"), format!("/projects/{project}")] {
                made(&root, &format!("{owner}/variables"), json!({"key": name, "value": "v"}));
            }
        }
        crate::snippet::fill(server, &root, user, project);
        Self::add_keys(server, user, project);
        Self::invite(server, group, project);
        for number in 1..=ROWS {
            Self::deliver(server, 1, &project.to_string(), number);
        }
        server.database().execute("UPDATE users SET last_activity_on = '2026-03-01'");
        let keeper = server.client(&server.token(user, &["api"]));
        made(&root, &format!("/projects/{project}/members"), json!({"user_id": user, "access_level": 20}));
        let milestone = made(&root, &format!("/projects/{project}/milestones"), json!({"title": "first"}));
        let group_milestone = made(&root, &format!("/groups/{group}/milestones"), json!({"title": "all"}));
        crate::code::fill(&root, &format!("/projects/{project}"), ROWS);
        Self::fork_and_build(&root, &format!("/projects/{project}"));
        let note = Self::talk(server, &keeper, project, [milestone, group_milestone]);
        let merge_note = crate::merging::fill(server, &keeper, project, [milestone, group_milestone]);
        for number in 0..ROWS {
            let title = format!("later{number}");
            made(&root, &format!("/projects/{project}/milestones"), json!({"title": title}));
            made(&root, &format!("/groups/{group}/milestones"), json!({"title": format!("g{number}")}));
            made(&root, &format!("/groups/{group}/labels"), json!({"name": format!("g{number}"), "color": "red"}));
        }
        crate::deploying::fill(server, &format!("/projects/{project}"), milestone);
        let [board, group_board] = [format!("/projects/{project}"), format!("/groups/{group}")]
            .map(|home| crate::tracker::add_boards(&root, &home, group));
        let system_hook = Self::add_system_hooks(server);
        Self { user, group, project, milestone, group_milestone, board, group_board, system_hook, note, merge_note }
    }

    /// Makes hooks of the whole server, of which the first was sent events. Yields the first.
    fn add_system_hooks(server: &TestServer) -> i64 {
        let hook = json!({"url": "http://127.0.0.1:1/", "repository_update_events": false});
        let hooks: Vec<i64> = (0..ROWS).map(|_| made(&server.root(), "/hooks", hook.clone())).collect();
        for number in 1..=ROWS {
            Self::deliver(server, hooks[0], "NULL", 1000 + number);
        }
        hooks[0]
    }

    fn deliver(server: &TestServer, hook: i64, project: &str, event: usize) {
        let at = "2026-03-01 00:00:00";
        server.database().execute(&format!(
            "INSERT INTO hook_events (id, project_id, hook_trigger, uuid, captured, body, created_at) \
             VALUES ({event}, {project}, 'push_hooks', 'e', '', '{{}}', '{at}'); \
             INSERT INTO hook_deliveries (hook_id, event_id, uuid, state, created_at) \
             VALUES ({hook}, {event}, 'd', 'delivered', '{at}')"
        ));
    }

    /// Invites addresses to a group and a project, each by another user, who also asks for access.
    fn invite(server: &TestServer, group: i64, project: i64) {
        let at = "2026-03-01 00:00:00";
        for number in 0..ROWS {
            let inviter = format!("(SELECT id FROM users WHERE username = 'x{number}')");
            for (column, place) in [("namespace_id", group), ("project_id", project)] {
                server.database().execute(&format!(
                    "INSERT INTO invitations ({column}, email, access_level, inviter_id, created_at, updated_at, ends_at) \
                     VALUES ({place}, 'i{number}@example.org', 10, {inviter}, '{at}', '{at}', '2126-03-01 00:00:00'); \
                     INSERT INTO access_requests ({column}, user_id, requested_at) VALUES ({place}, {inviter}, '{at}')"
                ));
            }
        }
    }

    /// Gives keys and addresses to the administrator and to a user, and deploy keys to a project.
    fn add_keys(server: &TestServer, user: i64, project: i64) {
        let (root, at) = (server.root(), "2026-03-01 00:00:00");
        for number in 1..=ROWS {
            server.database().execute(&format!(
                "INSERT INTO deploy_keys (user_id, title, key_text, md5, sha256, created_at) \
                 VALUES (1, 't', 'k', '{number}', '{number}', '{at}')"
            ));
        }
        server.database().execute(&format!(
            "INSERT INTO deploy_keys_projects (project_id, deploy_key_id, can_push) SELECT {project}, id, FALSE FROM deploy_keys"
        ));
        for (owner, emails) in [(1, "/user/emails".to_owned()), (user, format!("/users/{user}/emails"))] {
            for number in 0..ROWS {
                let name = format!("{owner}-{number}");
                made(&root, &emails, json!({"email": format!("{name}@work.example")}));
                server.database().execute(&format!(
                    "INSERT INTO ssh_keys (user_id, title, key_text, md5, sha256, usage_type, created_at) \
                     VALUES ({owner}, 't', 'k', '{name}', '{name}', 'auth', '{at}')"
                ));
                server.database().execute(&format!(
                    "INSERT INTO gpg_keys (user_id, key_text, fingerprint, keyid, can_sign, revoked, created_at) \
                     VALUES ({owner}, 'k', '{name}', '{name}', TRUE, FALSE, '{at}')"
                ));
            }
        }
    }

    /// Forks a project into everybody's group, and has everybody build a branch.
    fn fork_and_build(root: &Client, project: &str) {
        for number in 0..ROWS {
            let fork = made(root, &format!("{project}/fork"), json!({"namespace": format!("friend{number}")}));
            let tags = json!({"tag_list": ["a", format!("t{number}")]});
            let _ = root.put(&format!("/projects/{fork}"), tags).assert_status(200);
            let builder = root.header("Sudo", &format!("x{number}"));
            let running = json!({"state": "running", "ref": format!("b{number}")});
            made(&builder, &format!("{project}/statuses/main"), running);
            made(&builder, &format!("{project}/repository/commits/main/comments"), json!({"note": "well done"}));
        }
    }

    /// Fills the first issue of a project with everything, and makes more issues beside it. Yields a note of the first.
    fn talk(server: &TestServer, keeper: &Client, project: i64, milestones: [i64; 2]) -> i64 {
        let root = server.root();
        let issues = format!("/projects/{project}/issues");
        made(&root, &issues, json!({"title": "first"}));
        let first = format!("{issues}/1");
        let note = made(keeper, &format!("{first}/notes"), json!({"body": "note"}));
        for (number, emoji) in EMOJI.iter().enumerate() {
            let speaker = server.user(&format!("s{number}"));
            let member = json!({"user_id": speaker.id, "access_level": 20});
            made(&root, &format!("/projects/{project}/members"), member);
            made(&speaker, &format!("{first}/notes"), json!({"body": "and I"}));
            made(keeper, &format!("{first}/notes"), json!({"body": "and again"}));
            for milestone in milestones {
                let body = json!({
                    "title": format!("issue {number}"), "labels": [format!("l{number}"), "all"],
                    "milestone_id": milestone, "assignee_ids": [1, speaker.id], "description": "- [ ] x",
                });
                made(&root, &issues, body);
            }
            let link = json!({"target_project_id": project, "target_issue_iid": 2 + number});
            let _ = root.post(&format!("{first}/links"), link).assert_status(201);
            for awards in [format!("{first}/award_emoji"), format!("{first}/notes/{note}/award_emoji")] {
                made(&root, &awards, json!({"name": emoji}));
            }
            let state_event = if number % 2 == 0 { "close" } else { "reopen" };
            let milestone = milestones[number % 2];
            let change = json!({
                "state_event": state_event, "milestone_id": milestone, "add_labels": format!("l{number}"),
            });
            let _ = root.put(&first, change).assert_status(200);
        }
        note
    }

    fn fill(&self, path: &str) -> String {
        path.replace("{user}", &self.user.to_string())
            .replace("{group}", &self.group.to_string())
            .replace("{project}", &self.project.to_string())
            .replace("{milestone}", &self.milestone.to_string())
            .replace("{group_milestone}", &self.group_milestone.to_string())
            .replace("{board}", &self.board.to_string())
            .replace("{group_board}", &self.group_board.to_string())
            .replace("{note}", &self.note.to_string())
            .replace("{merge_note}", &self.merge_note.to_string())
            .replace("{deployment}", "1")
            .replace("{snippet}", "3")
            .replace("{snippet_note}", "1")
            .replace("{issue}", "1")
            .replace("{merge}", "1")
            .replace("{hook}", "1")
            .replace("{system_hook}", &self.system_hook.to_string())
            .replace("{sha}", "main")
            .replace("{type}", "dockerfiles")
            .replace("{tag}", "t0")
            .replace("{feature}", "feature")
    }
}

/// The character between a path and one more parameter.
fn and(path: &str) -> char {
    if path.contains('?') { '&' } else { '?' }
}

#[test]
fn a_longer_page_needs_no_more_statements() {
    let server = TestServer::start(Backend::Sqlite);
    let rows = Rows::make(&server);
    let mut grown = String::new();
    for caller in [server.root(), server.client(&server.token(rows.user, &["api"]))] {
        for list in LISTS {
            let path = rows.fill(list);
            let ask = |per_page: usize| {
                let query = "with_custom_attributes=true&statistics=true&all_available=true&with_labels_details=true\
                             &include_html_description=true";
                let mut length = 0;
                let count = server.count_statements(|| {
                    let reply = caller.get(&format!("{path}{}per_page={per_page}&{query}", and(&path)));
                    length = reply.json().as_array().map_or(0, Vec::len);
                });
                (length, count)
            };
            // Values that are remembered after a first time must not look like a difference.
            ask(2);
            let ((short, few), (long, many)) = (ask(2), ask(ROWS));
            if short < long && many > few {
                grown += &format!("{list}: {few} statements for {short} rows, {many} for {long}\n");
            }
        }
    }
    assert_eq!(grown, "", "load what rows need for the whole page; a new row of Rows needs all that the others have");
}

#[test]
fn every_list_is_measured_on_a_full_page() {
    let server = TestServer::start(Backend::Sqlite);
    let rows = Rows::make(&server);
    for list in LISTS {
        let path = rows.fill(list);
        let reply = server.root().get(&format!("{path}{}per_page={ROWS}", and(&path))).assert_status(200);
        assert_eq!(reply.json().as_array().map(Vec::len), Some(ROWS), "{list}: Rows has to make as many");
    }
    let document = server.anonymous().get("/openapi.json").json();
    let paths = document["paths"].as_object().expect("paths");
    let paged = paths.iter().filter(|(_, methods)| {
        methods["get"]["responses"]["200"]["headers"].as_object().is_some_and(|headers| headers.contains_key("x-total"))
    });
    let paged: BTreeSet<String> = paged.map(|(path, _)| crate::routes::normalised(path)).collect();
    // One route searches for several things.
    let routes = LISTS.iter().map(|path| path.split('?').next().unwrap_or_default());
    let known: BTreeSet<String> = routes.map(crate::routes::normalised).collect();
    let (missing, gone): (Vec<_>, Vec<_>) = (paged.difference(&known).collect(), known.difference(&paged).collect());
    assert!(missing.is_empty(), "lists with pages that LISTS has not: {missing:?}");
    assert!(gone.is_empty(), "in LISTS, and no list with pages: {gone:?}");
}
