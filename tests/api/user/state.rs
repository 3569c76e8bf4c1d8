//! Deactivating and banning users, and their remaining rights.

use serde_json::{Value, json};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Reply, TestServer, User, both_databases};

use crate::support::*;

/// An administrator asks for a change of a user's state.
fn ask(server: &TestServer, user: &User, what: &str) -> Reply {
    server.root().post(&format!("/users/{}/{what}", user.id), json!({}))
}

fn state(server: &TestServer, user: &User) -> String {
    server.root().get(&format!("/users/{}", user.id)).json()["state"].as_str().expect("a text").to_owned()
}

fn says(text: &str) -> Value {
    json!({"message": text})
}

/// A new user in this state.
fn user_who_is(server: &TestServer, state: &str) -> User {
    let user = server.user(state);
    match state {
        "blocked" => ask(server, &user, "block").assert(201, json!(true)),
        "deactivated" => ask(server, &user, "deactivate").assert(201, json!(true)),
        "banned" => ask(server, &user, "ban").assert(201, json!(true)),
        _ => {}
    }
    user
}

#[both_databases]
fn who_signs_up_can_wait_for_approval(server: &TestServer) {
    let root = server.root();
    let path = |user: &User, what: &str| format!("/users/{}/{what}", user.id);
    let alice = server.user("alice");
    let no_request = says("User does not have a pending request");
    for state in ["active", "blocked", "deactivated", "banned"] {
        let user = user_who_is(server, state);
        let not_pending = says("The user you are trying to approve is not pending approval");
        root.post(&path(&user, "approve"), json!({})).assert(409, not_pending);
        root.post(&path(&user, "reject"), json!({})).assert(409, no_request.clone());
        assert_eq!(self::state(server, &user), state);
    }
    let waiting = || {
        let user = server.user("waiting");
        server.database().execute("UPDATE users SET state = 'blocked_pending_approval' WHERE username = 'waiting'");
        user
    };
    let user = waiting();
    assert_eq!(state(server, &user), "blocked_pending_approval");
    let shut = "403 Forbidden - Your account is pending approval from your administrator and hence blocked.";
    user.get("/user").assert(403, says(shut));
    for what in ["approve", "reject"] {
        alice.post(&path(&user, what), json!({})).assert(403, forbidden());
        server.anonymous().post(&path(&user, what), json!({})).assert(401, unauthorized());
        root.post(&format!("/users/999999/{what}"), json!({})).assert(404, missing("User"));
    }
    ask(server, &user, "unblock").assert(201, json!(false));
    let _ = ask(server, &user, "activate").assert_status(403);
    // Else unblocking would approve.
    let rejected = says("403 Forbidden - A user who waits for approval cannot be blocked. Reject the user instead");
    ask(server, &user, "block").assert(403, rejected);
    assert_eq!(state(server, &user), "blocked_pending_approval");
    // Only administrators know of the account.
    for client in [&*alice, &server.anonymous()] {
        client.get("/users?username=waiting").assert(200, json!([]));
        client.get(&format!("/users/{}", user.id)).assert(404, missing("User"));
    }
    alice.get("/users?search=waiting").assert(200, json!([]));
    alice.get("/users/waiting/projects").assert(404, missing("User"));
    let tool = format!("/projects/{}/members", project(&alice, "Tool", "public"));
    for named in [json!({"user_id": user.id}), json!({"username": "waiting"})] {
        let mut body = named;
        body["access_level"] = json!(30);
        alice.post(&tool, body).assert(404, missing("User"));
    }
    let issues = tool.replace("members", "issues");
    let issue = json!({"title": "x", "assignee_ids": [user.id]});
    assert_eq!(alice.post(&issues, issue).assert_status(201).json()["assignees"], json!([]));
    // Nor does calling it show it.
    let called = alice.post(&issues, json!({"title": "y", "description": "@waiting"})).assert_status(201).json();
    let called = format!("{issues}/{}", called["iid"]);
    assert_eq!(ids(&alice.get(&format!("{called}/participants")).assert_status(200)), [alice.id]);
    assert_eq!(server.database().count(&format!("SELECT COUNT(*) FROM todos WHERE user_id = {}", user.id)), 0);
    let html = |client: &tenon_testkit::Client| {
        let asked = json!({"text": "@waiting", "gfm": true, "project": "alice/tool"});
        client.post("/markdown", asked).assert_status(201).json()["html"].as_str().expect("a text").to_owned()
    };
    assert!(!html(&alice).contains("href"), "{}", html(&alice));
    assert!(html(&root).contains("href"), "{}", html(&root));
    // A mention in a text of an administrator counts; others are not shown it.
    let _ = root.post(&format!("{called}/notes"), json!({"body": "@waiting"})).assert_status(201);
    let shown = ids(&alice.get(&format!("{called}/participants")).assert_status(200));
    assert!(!shown.contains(&user.id), "{shown:?}");
    assert_eq!(ids(&root.get("/users?username=waiting").assert_status(200)), [user.id]);
    assert_eq!(ids(&root.get("/users?state=blocked_pending_approval").assert_status(200)), [user.id]);
    assert!(!ids(&alice.get("/users?state=blocked_pending_approval").assert_status(200)).contains(&user.id));
    root.post(&path(&user, "approve"), json!({})).assert(201, says("Success"));
    assert_eq!(state(server, &user), "active");
    let _ = user.get("/user").assert_status(200);
    root.post(&path(&user, "reject"), json!({})).assert(409, no_request);
    server.database().execute("UPDATE users SET state = 'blocked_pending_approval' WHERE username = 'waiting'");
    root.post(&path(&user, "reject"), json!({})).assert(200, says("Success"));
    root.get(&format!("/users/{}", user.id)).assert(404, missing("User"));
    server.run_jobs();
    assert_ne!(waiting().id, user.id, "the name is free");
}

#[both_databases]
fn each_state_answers_each_change_in_its_own_way(server: &TestServer) {
    let kept = [
        says("403 Forbidden - Deactivated users cannot be unblocked by the API"),
        says("Error occurred. A blocked user must be unblocked to be activated"),
        says("Error occurred. A blocked user cannot be deactivated"),
        says("State cannot transition via \"ban\""),
        says("State cannot transition via \"unban\""),
    ];
    let [unblock, activate, deactivate, ban, unban] = kept;
    let (yes, no, nothing) = (json!(true), json!(false), Value::Null);
    for (from, what, status, body, to) in [
        ("active", "block", 201, &yes, "blocked"),
        ("active", "unblock", 201, &no, "active"),
        ("active", "deactivate", 201, &yes, "deactivated"),
        ("active", "activate", 201, &yes, "active"),
        ("active", "ban", 201, &yes, "banned"),
        ("active", "unban", 403, &unban, "active"),
        ("blocked", "block", 201, &nothing, "blocked"),
        ("blocked", "unblock", 201, &yes, "active"),
        ("blocked", "deactivate", 403, &deactivate, "blocked"),
        ("blocked", "activate", 403, &activate, "blocked"),
        ("blocked", "ban", 403, &ban, "blocked"),
        ("blocked", "unban", 403, &unban, "blocked"),
        ("deactivated", "block", 201, &yes, "blocked"),
        ("deactivated", "unblock", 403, &unblock, "deactivated"),
        ("deactivated", "deactivate", 201, &nothing, "deactivated"),
        ("deactivated", "activate", 201, &yes, "active"),
        ("deactivated", "ban", 403, &ban, "deactivated"),
        ("deactivated", "unban", 403, &unban, "deactivated"),
        ("banned", "block", 201, &nothing, "banned"),
        ("banned", "unblock", 201, &no, "banned"),
        ("banned", "deactivate", 403, &deactivate, "banned"),
        ("banned", "activate", 403, &activate, "banned"),
        ("banned", "ban", 403, &ban, "banned"),
        ("banned", "unban", 201, &yes, "active"),
    ] {
        let user = user_who_is(server, from);
        ask(server, &user, what).assert(status, body.clone());
        assert_eq!(state(server, &user), to, "{what} of {from}");
        let _ = server.root().delete(&format!("/users/{}", user.id)).assert_status(204);
        server.run_jobs();
    }
}

#[both_databases]
fn only_administrators_change_states(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    for what in ["deactivate", "activate", "ban", "unban"] {
        let path = format!("/users/{}/{what}", bob.id);
        alice.post(&path, json!({})).assert(403, forbidden());
        bob.post(&path, json!({})).assert(403, forbidden());
        server.anonymous().post(&path, json!({})).assert(401, unauthorized());
        server.root().post(&format!("/users/999999/{what}"), json!({})).assert(404, missing("User"));
        server.root().post(&format!("/users/ASDF/{what}"), json!({})).assert(404, json!({"error": "404 Not Found"}));
    }
    assert_eq!(state(server, &bob), "active");
}

#[both_databases]
fn administrators_do_not_lock_themselves_out(server: &TestServer) {
    for (what, done) in [("deactivate", "deactivated"), ("ban", "banned")] {
        let text = format!("403 Forbidden - The API initiating user cannot be {done} by the API");
        server.root().post(&format!("/users/1/{what}"), json!({})).assert(403, says(&text));
    }
    let other = server.user_with("other", &json!({"admin": true}));
    ask(server, &other, "deactivate").assert(201, json!(true));
    // An administrator who may do nothing is not the last one.
    let _ = server.root().put(&format!("/users/{}", other.id), json!({"admin": false})).assert_status(200);
    ask(server, &other, "block").assert(201, json!(true));
}

#[both_databases]
fn who_was_active_lately_is_not_deactivated(server: &TestServer) {
    let alice = server.user("alice");
    let today = server.now().date_naive();
    server.database().execute(&format!("UPDATE users SET last_activity_on = '{today}' WHERE id = {}", alice.id));
    let refusal = "The user you are trying to deactivate has been active in the past 90 days and cannot be deactivated";
    ask(server, &alice, "deactivate").assert(403, says(refusal));
    server.advance(TimeDelta::days(89));
    ask(server, &alice, "deactivate").assert(403, says(refusal));
    server.advance(TimeDelta::days(1));
    ask(server, &alice, "deactivate").assert(201, json!(true));
}

#[both_databases]
fn internal_users_keep_their_state(server: &TestServer) {
    let alice = server.user("alice");
    let team = group(&alice, "team", "public");
    member(&alice, &format!("/groups/{team}"), 1, 50);
    let kept = project_in(&alice, team, "kept", "public");
    let _ = alice.post(&format!("/projects/{kept}/issues"), json!({"title": "kept"})).assert_status(201);
    let _ = server.root().delete(&format!("/users/{}", alice.id)).assert_status(204);
    server.run_jobs();
    let ghost = ids(&server.root().get("/users?username=ghost").assert_status(200))[0];
    let ask = |what: &str| server.root().post(&format!("/users/{ghost}/{what}"), json!({}));
    ask("deactivate").assert(403, says("Internal users cannot be deactivated"));
    ask("ban").assert(403, says("403 Forbidden - An internal user cannot be banned"));
    ask("block").assert(403, says("403 Forbidden - An internal user cannot be blocked"));
    ask("activate").assert(201, json!(true));
}

#[both_databases]
fn lists_know_who_is_active_and_who_is_blocked(server: &TestServer) {
    for state in ["active", "blocked", "deactivated", "banned"] {
        user_who_is(server, state);
    }
    let found = |query: &str| texts(&server.root().get(&format!("/users?{query}")).assert_status(200), "username");
    assert_eq!(found("active=true"), ["active", "root"]);
    assert_eq!(found("blocked=true"), ["blocked"]);
    assert_eq!(found(""), ["banned", "deactivated", "blocked", "active", "root"]);
}

#[both_databases]
fn the_tokens_of_who_is_deactivated_or_banned_open_nothing(server: &TestServer) {
    let (deactivated, banned) = (user_who_is(server, "deactivated"), user_who_is(server, "banned"));
    let text = format!(
        "403 Forbidden - Your account has been deactivated by your administrator. Please log back in from a web browser \
         to reactivate your account at {}",
        server.base()
    );
    for (user, text) in [(&deactivated, text.as_str()), (&banned, "403 Forbidden - Your account has been banned.")] {
        for path in ["/user", "/projects", "/version", "/users/1"] {
            user.get(path).assert(403, says(text));
        }
        user.post("/projects", json!({"name": "x"})).assert(403, says(text));
        server.root().get(&format!("/user?sudo={}", user.username)).assert(403, says(text));
        let path = format!("/users/{}/impersonation_tokens", user.id);
        let made = server.root().post(&path, json!({"name": "x", "scopes": ["api"]})).assert_status(201).json();
        server.client(made["token"].as_str().expect("a text")).get("/user").assert(403, says(text));
    }
    ask(server, &deactivated, "activate").assert(201, json!(true));
    ask(server, &banned, "unban").assert(201, json!(true));
    let _ = (deactivated.get("/user").assert_status(200), banned.get("/user").assert_status(200));
}

#[both_databases]
fn every_change_is_an_event_and_no_change_is_none(server: &TestServer) {
    let alice = server.user("alice");
    let events = || {
        let kinds = "'user_deactivated', 'user_activated', 'user_banned', 'user_unbanned'";
        server.database().count(&format!("SELECT COUNT(*) FROM events WHERE kind IN ({kinds})"))
    };
    for (what, want) in
        [("activate", 0), ("deactivate", 1), ("deactivate", 1), ("activate", 2), ("ban", 3), ("unban", 4)]
    {
        let _ = ask(server, &alice, what).assert_status(201);
        assert_eq!(events(), want, "{what}");
    }
}
