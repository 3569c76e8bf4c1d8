//! Projects that follow a repository of another server.

use serde_json::{Value, json};
use tenon_app::CrashPoint;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Client, TestServer, User, both_databases};

use crate::merge_request::{branch, repository, tip, work, write};
use crate::support::*;

/// A public project of alice's with a commit, and a mirror of it that belongs to bob.
struct Pair {
    alice: User,
    bob: User,
    source: i64,
    copy: i64,
}

impl Pair {
    fn new(server: &TestServer) -> Self {
        Self::with(server, &json!({}))
    }

    /// The mirror has these fields as well. It is up to date.
    fn with(server: &TestServer, more: &Value) -> Self {
        server.set("allow_local_requests_from_hooks_and_services", &json!(true));
        let [alice, bob] = server.users(["alice", "bob"]);
        let source = repository(&alice, "source", "public");
        let mut body = json!({"name": "copy", "visibility": "public", "import_url": url(server), "mirror": true});
        for (name, value) in more.as_object().expect("fields") {
            body[name] = value.clone();
        }
        let copy = id(&made(&bob, "/projects", body));
        let pair = Self { alice, bob, source, copy };
        server.run_jobs();
        update(server);
        assert_eq!(pair.state()["update_status"], "finished", "{}", pair.state());
        pair
    }

    fn path(&self) -> String {
        format!("/projects/{}", self.copy)
    }

    fn state(&self) -> Value {
        self.bob.get(&format!("{}/mirror/pull", self.path())).assert_status(200).json()
    }

    fn tips(&self, branch: &str) -> (Option<String>, Option<String>) {
        (tip(&self.alice, self.source, branch), tip(&self.bob, self.copy, branch))
    }

    fn is_same(&self, branch: &str) -> bool {
        let (there, here) = self.tips(branch);
        there == here
    }
}

fn url(server: &TestServer) -> String {
    format!("{}/alice/source.git", server.base())
}

/// Lets the time until the next update pass.
fn update(server: &TestServer) {
    server.advance(TimeDelta::minutes(30));
    server.run_jobs();
}

fn options(client: &Client, path: &str) -> Value {
    let read = client.get(path).assert_status(200).json();
    let names = [
        "mirror",
        "mirror_user_id",
        "mirror_trigger_builds",
        "only_mirror_protected_branches",
        "mirror_overwrites_diverged_branches",
        "mirror_branch_regex",
    ];
    names.iter().map(|name| read[name].clone()).collect()
}

#[both_databases]
fn a_mirror_follows_branches_and_tags(server: &TestServer) {
    let pair = Pair::new(server);
    let path = pair.path();
    assert_eq!(options(&pair.bob, &path), json!([true, pair.bob.id, false, false, false, null]));
    assert!(pair.is_same("main"));
    // A fast-forward, a new branch and a new tag, in one update.
    write(&pair.alice, pair.source, "main", "one.txt", "1");
    work(&pair.alice, pair.source, "next");
    made(
        &pair.alice,
        &format!("/projects/{}/repository/tags", pair.source),
        json!({"tag_name": "v1", "ref": "main", "message": "One"}),
    );
    assert!(!pair.is_same("main"));
    update(server);
    assert!(pair.is_same("main") && pair.is_same("next"), "{}", pair.state());
    let tag = |client: &Client, project: i64| {
        client.get(&format!("/projects/{project}/repository/tags/v1")).assert_status(200).json()["target"].clone()
    };
    assert_eq!(tag(&pair.bob, pair.copy), tag(&pair.alice, pair.source));
    let file = pair.bob.get(&format!("{path}/repository/files/one.txt/raw?ref=main"));
    assert_eq!(file.assert_status(200).text(), "1");
    // Events of pushes follow the update, in the name of the user.
    let events = pair.bob.get(&format!("{path}/events?action=pushed")).assert_status(200).json();
    assert_eq!((&events[0]["author_username"], events[0]["push_data"]["ref"].is_null()), (&json!("bob"), false));
    let state = pair.state();
    assert_eq!(
        (&state["id"], &state["url"], &state["last_error"]),
        (&json!(pair.copy), &json!(url(server)), &json!(null))
    );
    for at in ["last_update_at", "last_successful_update_at", "last_update_started_at"] {
        assert!(state[at].is_string(), "{at}");
    }
    // A branch that is deleted there stays here.
    let _ = pair.alice.delete(&format!("/projects/{}/repository/branches/next", pair.source)).assert_status(204);
    update(server);
    let (there, here) = pair.tips("next");
    assert!(there.is_none() && here.is_some());
    // No update, no change; one is made at once if it is asked for.
    write(&pair.alice, pair.source, "main", "two.txt", "2");
    server.run_jobs();
    assert!(!pair.is_same("main"));
    let asked = pair.bob.post(&format!("{path}/mirror/pull"), json!({})).assert_status(200).json();
    assert_eq!(asked["update_status"], "scheduled");
    server.run_jobs();
    assert!(pair.is_same("main"));
}

#[both_databases]
fn a_merge_request_of_a_mirror_follows_its_branch(server: &TestServer) {
    let pair = Pair::new(server);
    work(&pair.alice, pair.source, "next");
    update(server);
    let body = json!({"source_branch": "next", "target_branch": "main", "title": "Next"});
    let offered = made(&pair.bob, &format!("{}/merge_requests", pair.path()), body);
    let head = write(&pair.alice, pair.source, "next", "more.txt", "more");
    update(server);
    let read = pair.bob.get(&format!("{}/merge_requests/{}", pair.path(), offered["iid"])).json();
    assert_eq!(read["sha"], json!(head));
}

#[both_databases]
fn branches_that_have_diverged_are_left_or_overwritten(server: &TestServer) {
    let pair = Pair::new(server);
    write(&pair.bob, pair.copy, "main", "mine.txt", "mine");
    write(&pair.alice, pair.source, "main", "theirs.txt", "theirs");
    work(&pair.alice, pair.source, "next");
    update(server);
    assert!(!pair.is_same("main") && pair.is_same("next"));
    let state = pair.state();
    assert_eq!(state["update_status"], "finished");
    assert_eq!(state["last_error"], "Left as they are, because they have diverged: main.");
    changed(&pair.bob, &pair.path(), json!({"mirror_overwrites_diverged_branches": true}));
    update(server);
    assert!(pair.is_same("main"));
    assert_eq!(pair.state()["last_error"], Value::Null);
}

#[both_databases]
fn a_mirror_takes_the_branches_that_it_is_told_to(server: &TestServer) {
    let pair = Pair::with(server, &json!({"only_mirror_protected_branches": true}));
    for name in ["stable", "other", "release"] {
        branch(&pair.alice, pair.source, name, "main");
    }
    made(&pair.bob, &format!("{}/protected_branches", pair.path()), json!({"name": "stable"}));
    update(server);
    let has = || ["stable", "other", "release"].map(|name| tip(&pair.bob, pair.copy, name).is_some());
    // Protected branches do not refuse it.
    assert_eq!(has(), [true, false, false]);
    let regex = json!({"only_mirror_protected_branches": false, "mirror_branch_regex": "^rel"});
    changed(&pair.bob, &pair.path(), regex);
    update(server);
    assert_eq!(has(), [true, false, true]);
    changed(&pair.bob, &pair.path(), json!({"mirror_branch_regex": ""}));
    update(server);
    assert_eq!(has(), [true, true, true]);
}

#[both_databases]
fn a_mirror_keeps_the_credentials_of_its_address(server: &TestServer) {
    server.set("allow_local_requests_from_hooks_and_services", &json!(true));
    let [alice, bob] = server.users(["alice", "bob"]);
    let source = repository(&alice, "source", "private");
    let secret = server.token(alice.id, &["read_repository"]);
    let sealed = url(server).replace("http://", &format!("http://alice:{secret}@"));
    let body = json!({"name": "copy", "import_url": sealed, "mirror": true});
    let made = bob.post("/projects", body).assert_status(201);
    assert!(!made.text().contains(&secret));
    let path = format!("/projects/{}", made.json()["id"]);
    server.run_jobs();
    write(&alice, source, "main", "one.txt", "1");
    // A client sends back the address that it has read.
    changed(&bob, &path, json!({"import_url": url(server), "mirror": true, "description": "d"}));
    update(server);
    let state = bob.get(&format!("{path}/mirror/pull"));
    assert_eq!(state.json()["update_status"], "finished", "{}", state.text());
    assert!(!state.text().contains(&secret) && !bob.get(&path).text().contains(&secret));
    assert_eq!(tip(&alice, source, "main"), tip(&bob, id(&made.json()), "main"));
}

#[both_databases]
fn a_project_that_is_there_becomes_a_mirror_and_ends_to_be_one(server: &TestServer) {
    server.set("allow_local_requests_from_hooks_and_services", &json!(true));
    let [alice, bob] = server.users(["alice", "bob"]);
    let source = repository(&alice, "source", "public");
    let imported = id(&made(&bob, "/projects", json!({"name": "copy", "import_url": url(server)})));
    server.run_jobs();
    let path = format!("/projects/{imported}");
    assert_eq!(options(&bob, &path)[0], false);
    for call in [bob.get(&format!("{path}/mirror/pull")), bob.post(&format!("{path}/mirror/pull"), json!({}))] {
        call.assert(400, json!({"message": "The project is not mirrored"}));
    }
    // The address of the import is known.
    let after = changed(&bob, &path, json!({"mirror": true, "mirror_trigger_builds": true}));
    assert_eq!((&after["mirror"], &after["mirror_user_id"]), (&json!(true), &json!(bob.id)));
    write(&alice, source, "main", "one.txt", "1");
    server.run_jobs();
    assert_eq!(tip(&alice, source, "main"), tip(&bob, imported, "main"));
    changed(&bob, &path, json!({"mirror": false}));
    assert_eq!(options(&bob, &path), json!([false, bob.id, true, false, false, null]));
    write(&alice, source, "main", "two.txt", "2");
    update(server);
    assert_ne!(tip(&alice, source, "main"), tip(&bob, imported, "main"));
    // A project with commits of its own follows another repository as well.
    let own = repository(&bob, "own", "private");
    let body = json!({"mirror": true, "import_url": url(server), "mirror_overwrites_diverged_branches": true});
    assert_eq!(changed(&bob, &format!("/projects/{own}"), body)["import_status"], "none");
    server.run_jobs();
    assert_eq!(tip(&alice, source, "main"), tip(&bob, own, "main"));
}

#[both_databases]
fn wrong_mirrors_are_refused(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let (path, url) = (cast.path(), "https://git.example.org/a.git");
    let refused = |body: Value, name: &str| {
        let reply = cast.maintainer.put(&path, body.clone()).assert_status(400).json();
        assert!(reply["message"][name].is_array(), "{body}: {reply}");
    };
    refused(json!({"mirror": true}), "import_url");
    refused(json!({"mirror": true, "import_url": "http://127.0.0.1/a.git"}), "import_url");
    let regex = |text: &str| json!({"mirror": true, "import_url": url, "mirror_branch_regex": text});
    refused(regex("("), "mirror_branch_regex");
    refused(regex("x{1000}{1000}"), "mirror_branch_regex");
    refused(regex(&"x".repeat(256)), "mirror_branch_regex");
    let both = json!({"mirror_branch_regex": "a", "only_mirror_protected_branches": true});
    refused(both, "mirror_branch_regex");
    refused(json!({"mirror": true, "import_url": url, "mirror_user_id": cast.owner.id}), "mirror_user_id");
    assert_eq!(options(&cast.maintainer, &path), json!([false, null, false, false, false, null]));
    // Only maintainers set one up, and only they see it.
    for (role, client) in cast.everybody() {
        let may = matches!(role, "maintainer" | "owner" | "admin");
        let reply = client.put(&path, json!({"mirror": true, "import_url": url}));
        assert_eq!(reply.status() == 200, may, "{role}: {}", reply.text());
        let read = client.get(&format!("{path}/mirror/pull"));
        assert_eq!(read.status(), if may { 200 } else { 403 }, "{role}");
        assert_eq!(
            client.post(&format!("{path}/mirror/pull"), json!({})).status(),
            if may { 200 } else { 403 },
            "{role}"
        );
        assert_eq!(client.get(&path).json()["mirror"].is_boolean(), may, "{role}");
    }
    // An administrator names another maintainer, but no one else.
    for (user, status) in [(cast.maintainer.id, 200), (cast.developer.id, 400), (999_999, 400)] {
        let body = json!({"mirror_user_id": user});
        assert_eq!(cast.admin.put(&path, body).status(), status, "{user}");
    }
    assert_eq!(options(&cast.owner, &path)[1], json!(cast.maintainer.id));
    // Who changes the address is who it counts for.
    changed(&cast.owner, &path, json!({"import_url": "https://git.example.org/b.git"}));
    assert_eq!(options(&cast.owner, &path)[1], json!(cast.owner.id));
}

#[both_databases]
fn only_administrators_set_mirrors_up_if_the_settings_say_so(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/projects/{}", project(&alice, "tool", "private"));
    server.set("mirror_available", &json!(false));
    let body = || json!({"mirror": true, "import_url": "https://git.example.org/a.git"});
    alice.put(&path, body()).assert(403, forbidden());
    let mut new = body();
    new["name"] = json!("new");
    alice.post("/projects", new).assert(403, forbidden());
    assert_eq!(changed(&server.root(), &path, body())["mirror"], true);
    // One that is there can be ended.
    assert_eq!(changed(&alice, &path, json!({"mirror": false}))["mirror"], false);
}

#[both_databases]
fn a_mirror_that_fails_is_tried_less_often_and_stops(server: &TestServer) {
    let pair = Pair::new(server);
    server.set("allow_local_requests_from_hooks_and_services", &json!(false));
    update(server);
    let state = pair.state();
    assert_eq!(state["update_status"], "failed");
    assert_eq!(state["last_error"], "The address cannot be reached, or is not permitted.");
    for _ in 1..14 {
        server.advance(TimeDelta::hours(11));
        server.run_jobs();
    }
    assert!(pair.state()["last_error"].as_str().expect("a text").contains("failure 14 in a row"));
    server.advance(TimeDelta::hours(11));
    server.set("allow_local_requests_from_hooks_and_services", &json!(true));
    write(&pair.alice, pair.source, "main", "one.txt", "1");
    server.run_jobs();
    assert!(!pair.is_same("main"));
    let _ = pair.bob.post(&format!("{}/mirror/pull", pair.path()), json!({})).assert_status(200);
    server.run_jobs();
    assert!(pair.is_same("main"));
    assert_eq!(pair.state()["last_error"], Value::Null);
}

#[both_databases]
fn no_mirror_moves_in_the_name_of_one_who_may_not(server: &TestServer) {
    let pair = Pair::new(server);
    write(&pair.alice, pair.source, "main", "one.txt", "1");
    let block = |word: &str| server.root().post(&format!("/users/{}/{word}", pair.bob.id), json!({}));
    let _ = block("block").assert_status(201);
    update(server);
    let read = server.root().get(&format!("{}/mirror/pull", pair.path())).json();
    assert_eq!(read["update_status"], "failed");
    assert!(read["last_error"].as_str().expect("a text").starts_with("The user of the mirror is blocked or gone"));
    let _ = block("unblock").assert_status(201);
    // An archived project takes no update, and that is no failure.
    let _ = pair.bob.post(&format!("{}/archive", pair.path()), json!({})).assert_status(200);
    assert_eq!(pair.bob.post(&format!("{}/mirror/pull", pair.path()), json!({})).status(), 403);
    update(server);
    assert!(!pair.is_same("main"));
    let _ = pair.bob.post(&format!("{}/unarchive", pair.path()), json!({})).assert_status(200);
    update(server);
    assert!(pair.is_same("main"));
}

#[both_databases]
fn an_update_that_is_cut_off_is_completed(server: &TestServer) {
    let pair = Pair::new(server);
    write(&pair.alice, pair.source, "main", "one.txt", "1");
    server.end_next_at(CrashPoint::Moved);
    update(server);
    // The branch has moved in the repository, and the database does not know yet.
    assert_eq!(pair.state()["update_status"], "started");
    server.advance(TimeDelta::minutes(1));
    server.run_jobs();
    assert_eq!(pair.state()["update_status"], "finished");
    assert!(pair.is_same("main"));
    let events = pair.bob.get(&format!("{}/events?action=pushed", pair.path())).assert_status(200).json();
    assert_eq!((events.as_array().map(Vec::len), &events[0]["author_username"]), (Some(1), &json!("bob")));
    // A runner that ends during an update: another one makes it when the lease has ended.
    write(&pair.alice, pair.source, "main", "two.txt", "2");
    server.run_jobs();
    server.advance(TimeDelta::minutes(30));
    assert!(server.abandon_job(TimeDelta::minutes(5)));
    server.run_jobs();
    assert!(!pair.is_same("main"));
    server.advance(TimeDelta::minutes(6));
    server.run_jobs();
    assert!(pair.is_same("main"));
}
