//! Bots: the accounts of access tokens of projects and groups.

use serde_json::json;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{TestServer, both_databases};

use super::access::{both, homes, wanted, with};
use crate::support::*;

#[both_databases]
fn a_bot_works_at_home_and_nowhere_else(server: &TestServer) {
    let (alice, project, group) = homes(server);
    let other = project_in(&alice, group, "other", "private");
    let internal = id(&made(&alice, "/projects", json!({"name": "inside", "visibility": "internal"})));
    let bot = with(server, &made(&alice, &both(project, group)[0], wanted(40, &["api"])));
    made(&bot, &format!("/projects/{project}/issues"), json!({"title": "by a program"}));
    for hidden in [format!("/projects/{other}"), format!("/projects/{internal}")] {
        let _ = bot.get(&hidden).assert_status(404);
    }
    // Of a group: its projects as well.
    let of_group = with(server, &made(&alice, &both(project, group)[1], wanted(50, &["api"])));
    made(&of_group, &format!("/projects/{other}/issues"), json!({"title": "by a program"}));
    // Neither makes what would outlive its token.
    let tokens = both(project, group);
    for client in [&bot, &of_group] {
        let key = json!({"title": "t", "key": tenon_testkit::keys::ECDSA_256});
        let _ = client.post("/user/keys", key).assert_status(403);
        let _ = client.post("/user/emails", json!({"email": "bot@example.org"})).assert_status(403);
        let limited = json!({"name": "n", "scopes": ["self_rotate"]});
        let _ = client.post("/user/personal_access_tokens", limited).assert_status(403);
        let top = json!({"name": "top", "path": "top"});
        let _ = client.post("/groups", top).assert_status(403);
        assert_ne!(client.post("/projects", json!({"name": "mine"})).status(), 201);
    }
    let _ = bot.post(&tokens[0], wanted(10, &["api"])).assert_status(403);
    let _ = of_group.post(&tokens[1], wanted(10, &["api"])).assert_status(403);
    let below = json!({"name": "below", "path": "below", "parent_id": group});
    let _ = of_group.post("/groups", below).assert_status(403);
    // It reads the others, and changes none.
    let one = id(&made(&alice, &tokens[1], wanted(10, &["api"])));
    let _ = of_group.get(&format!("{}/{one}", tokens[1])).assert_status(200);
    for reply in [
        of_group.delete(&format!("{}/{one}", tokens[1])),
        of_group.post(&format!("{}/{one}/rotate", tokens[1]), json!({})),
    ] {
        let _ = reply.assert_status(403);
    }
    // It is a member of nothing else.
    let me = bot.get("/user").json()["id"].clone();
    let added = alice.post(&format!("/projects/{other}/members"), json!({"user_id": me, "access_level": 30}));
    let _ = added.assert_status(404);
    // Administrators make no tokens for it, and no administrator of it.
    let root = server.root();
    for kind in ["personal_access_tokens", "impersonation_tokens"] {
        let body = json!({"name": "n", "scopes": ["api"]});
        let _ = root.post(&format!("/users/{me}/{kind}"), body).assert_status(403);
    }
    for body in [json!({"admin": true}), json!({"password": "correct horse battery"})] {
        let _ = root.put(&format!("/users/{me}"), body).assert_status(403);
    }
    let _ = root.post(&format!("/users/{me}/block"), json!({})).assert_status(201);
    let _ = bot.get("/user").assert_status(403);
}

#[both_databases]
fn a_bot_is_no_person(server: &TestServer) {
    let (alice, project, group) = homes(server);
    let before = server.root().get("/application/statistics").json();
    let bot = made(&alice, &both(project, group)[1], wanted(50, &["api"]));
    let name = alice.get(&format!("/users/{}", bot["user_id"])).json()["username"].clone();
    let is_in = |query: &str| {
        texts(&server.root().get(&format!("/users?{query}")), "username")
            .contains(&name.as_str().unwrap_or_default().to_owned())
    };
    for (query, want) in [
        ("", true),
        ("exclude_humans=true", true),
        ("exclude_internal=true", true),
        ("humans=true", false),
        ("without_project_bots=true", false),
    ] {
        assert_eq!(is_in(query), want, "{query}");
    }
    let after = server.root().get("/application/statistics").json();
    assert_eq!((&before["users"], &before["active_users"]), (&after["users"], &after["active_users"]));
    // A group has to have an owner who is a person.
    let _ = alice.delete(&format!("/groups/{group}/members/{}", alice.id)).assert_status(403);
    let _ = server.root().delete(&format!("/users/{}", alice.id)).assert_status(409);
    let terms = json!({"enforce_terms": true, "terms": "Be kind."});
    let _ = server.root().put("/application/settings", terms).assert_status(200);
    let _ = alice.get("/user").assert_status(403);
    let _ = with(server, &bot).get("/user").assert_status(200);
}

#[both_databases]
fn a_token_goes_with_its_home_and_not_with_its_maker(server: &TestServer) {
    let (alice, project, group) = homes(server);
    let carol = server.user("carol");
    member(&alice, &format!("/groups/{group}"), carol.id, 50);
    let [of_project, of_group] = both(project, group);
    let (one, two) = (made(&carol, &of_project, wanted(30, &["api"])), made(&carol, &of_group, wanted(30, &["api"])));
    let _ = server.root().delete(&format!("/users/{}", carol.id)).assert_status(204);
    server.run_jobs();
    let (of_project, of_group) = (with(server, &one), with(server, &two));
    for bot in [&of_project, &of_group] {
        let _ = bot.get(&format!("/projects/{project}")).assert_status(200);
    }
    // To another group: the bot of the project goes with it.
    let castle = id(&made(&alice, "/groups", json!({"name": "castle", "path": "castle"})));
    let moved = alice.put(&format!("/projects/{project}/transfer"), json!({"namespace": castle}));
    let _ = moved.assert_status(200);
    let _ = of_project.get(&format!("/projects/{project}")).assert_status(200);
    let _ = of_group.get(&format!("/projects/{project}")).assert_status(404);
    // An archived project is read only, and its tokens can be revoked.
    let _ = alice.post(&format!("/projects/{project}/archive"), json!({})).assert_status(200);
    let issue = json!({"title": "late"});
    let _ = of_project.post(&format!("/projects/{project}/issues"), issue).assert_status(403);
    let _ = of_project.get(&format!("/projects/{project}")).assert_status(200);
    let users = || {
        let all = server.root().get("/users?per_page=100").assert_status(200);
        texts(&all, "username").into_iter().filter(|name| name.contains("_bot_")).count()
    };
    assert_eq!(users(), 2);
    let _ = alice.delete(&format!("/projects/{project}")).assert_status(202);
    server.run_jobs();
    assert_eq!(users(), 1);
    let _ = of_project.get("/user").assert_status(401);
    let _ = alice.delete(&format!("/groups/{group}")).assert_status(202);
    server.run_jobs();
    assert_eq!(users(), 0);
    let _ = of_group.get("/user").assert_status(401);
}

#[both_databases]
fn a_dead_token_is_kept_for_a_while(server: &TestServer) {
    let (alice, project, group) = homes(server);
    let path = &both(project, group)[0];
    let body = json!({"name": "n", "scopes": ["api"], "expires_at": "2026-03-12"});
    let token = made(&alice, path, body);
    let bot = format!("/users/{}", token["user_id"]);
    server.advance(TimeDelta::days(10));
    let _ = with(server, &token).get("/user").assert_status(401);
    let clean = || {
        server.enqueue("clean_up_accounts", &json!({"kind": "clean_up_accounts"}));
        server.run_jobs();
    };
    clean();
    assert_eq!(ids(&alice.get(&format!("{path}?state=inactive"))), [id(&token)]);
    let _ = alice.get(&bot).assert_status(200);
    server.advance(TimeDelta::days(29));
    clean();
    let _ = alice.get(&bot).assert_status(200);
    server.advance(TimeDelta::days(2));
    clean();
    assert_eq!(alice.get(path).json(), json!([]));
    let _ = alice.get(&bot).assert_status(404);
    // One that works stays, and so does what was made in its place.
    let old = made(&alice, path, json!({"name": "n", "scopes": ["api"]}));
    let new = alice.post(&format!("{path}/{}/rotate", id(&old)), json!({"expires_at": "2028-01-01"}));
    let new = new.assert_status(200).json();
    server.set("inactive_resource_access_tokens_delete_after_days", &json!(1));
    server.advance(TimeDelta::days(2));
    clean();
    assert_eq!(ids(&alice.get(path)), [id(&new)]);
    let _ = with(server, &new).get("/user").assert_status(200);
}

#[both_databases(mail)]
fn a_bot_gets_no_mail(server: &TestServer) {
    let (alice, project, group) = homes(server);
    let token = made(&alice, &both(project, group)[0], wanted(40, &["api"]));
    let username = alice.get(&format!("/users/{}", token["user_id"])).json()["username"].clone();
    let username = username.as_str().unwrap_or_default().to_owned();
    let issue = json!({"title": "t", "description": format!("@{username}"), "assignee_ids": [token["user_id"]]});
    made(&alice, &format!("/projects/{project}/issues"), issue);
    server.run_jobs();
    assert_eq!(server.mails(&format!("{username}@localhost.invalid")).len(), 0);
}

#[both_databases]
fn a_bot_takes_nothing_home_and_goes_with_its_membership(server: &TestServer) {
    let (alice, project, group) = homes(server);
    let other = project_in(&alice, group, "other", "private");
    let tokens = both(project, group);
    let of_group = with(server, &made(&alice, &tokens[1], wanted(50, &["api"])));
    let name = of_group.get("/user").json()["username"].clone();
    // Its own projects would be deleted with it.
    let _ = of_group.put(&format!("/projects/{other}/transfer"), json!({"namespace": name})).assert_status(400);
    let token = made(&alice, &tokens[0], wanted(30, &["api"]));
    let bot = with(server, &token);
    let past = json!({"expires_at": "2020-01-01"});
    let _ = bot.post(&format!("{}/{}/rotate", tokens[0], token["id"]), past).assert_status(400);
    let member = format!("/projects/{project}/members/{}", token["user_id"]);
    let ends = json!({"access_level": 30, "expires_at": "2099-01-01"});
    let _ = alice.put(&member, ends).assert_status(400);
    let _ = alice.delete(&member).assert_status(204);
    let _ = bot.get("/user").assert_status(401);
    assert_eq!(alice.get(&tokens[0]).json(), json!([]));
    // It withdraws its only token: nothing is left of it either.
    let last = made(&alice, &tokens[0], wanted(30, &["api"]));
    let _ = with(server, &last).delete("/personal_access_tokens/self").assert_status(204);
    assert_eq!(alice.get(&tokens[0]).json(), json!([]));
    let _ = alice.get(&format!("/projects/{project}/members/{}", last["user_id"])).assert_status(404);
}
