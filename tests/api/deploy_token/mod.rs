//! Deploy tokens of projects and groups.

use serde_json::{Value, json};
use tenon_app::Limits;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Reply, TestServer, User, both_databases};

use crate::support::*;

/// A project of a group below a group of alice's: the owner, and the ids of the project and of the upper group.
fn homes(server: &TestServer) -> (User, i64, i64) {
    let alice = server.user("alice");
    let house = group(&alice, "house", "private");
    let below = subgroup(&alice, house, "below", "private");
    let body = json!({"name": "tool", "namespace_id": below, "initialize_with_readme": true});
    let project = id(&made(&alice, "/projects", body));
    (alice, project, house)
}

fn wanted() -> Value {
    json!({"name": "CI", "scopes": ["read_repository"]})
}

/// The answer that Git gets with this user name and token.
fn fetch(server: &TestServer, token: &Value, path: &str) -> Reply {
    let text = |field: &str| token[field].as_str().unwrap_or_default().to_owned();
    let git = server.anonymous().basic(&text("username"), &text("token"));
    git.get(&format!("//{path}.git/info/refs?service=git-upload-pack"))
}

#[both_databases]
fn a_token_is_made_read_and_removed(server: &TestServer) {
    let (alice, project, group) = homes(server);
    for path in [format!("/projects/{project}/deploy_tokens"), format!("/groups/{group}/deploy_tokens")] {
        let new = made(&alice, &path, wanted());
        let mut want = json!({
            "id": new["id"], "name": "CI", "username": format!("gitlab+deploy-token-{}", new["id"]), "expires_at": null,
            "scopes": ["read_repository"], "revoked": false, "expired": false, "token": new["token"],
        });
        assert_eq!(new, want);
        assert_eq!(new["token"].as_str().map(str::len), Some(27));
        want.as_object_mut().expect("an object").remove("token");
        let one = format!("{path}/{}", id(&new));
        assert_eq!(alice.get(&one).assert_status(200).json(), want);
        assert_eq!(alice.get(&path).json(), json!([want]));
        let all = json!({
            "name": "all", "scopes": "write_registry,read_repository,read_registry,read_repository", "username": "ci-1",
            "expires_at": "2030-03-15T12:00:00Z",
        });
        let other = made(&alice, &path, all);
        let scopes = json!(["read_repository", "read_registry", "write_registry"]);
        assert_eq!((&other["username"], &other["scopes"]), (&json!("ci-1"), &scopes));
        assert_eq!(other["expires_at"], "2030-03-15T00:00:00.000Z");
        let _ = alice.delete(&one).assert_status(204);
        for reply in [alice.get(&one), alice.delete(&one)] {
            reply.assert(404, json!({"message": "404 Not found"}));
        }
    }
}

#[both_databases]
fn a_token_fetches_what_it_opens_and_nothing_else(server: &TestServer) {
    let (alice, project, group) = homes(server);
    for (name, visibility) in [("other", "private"), ("open", "public")] {
        made(&alice, "/projects", json!({"name": name, "visibility": visibility, "initialize_with_readme": true}));
    }
    let of_project = made(&alice, &format!("/projects/{project}/deploy_tokens"), wanted());
    let of_group = made(&alice, &format!("/groups/{group}/deploy_tokens"), wanted());
    for token in [&of_project, &of_group] {
        let _ = fetch(server, token, "house/below/tool").assert_status(200);
        for other in ["alice/other", "alice/open", "alice/none"] {
            let _ = fetch(server, token, other).assert_status(404);
        }
        let text = token["token"].as_str().unwrap_or_default();
        let git = server.anonymous().basic(token["username"].as_str().unwrap_or_default(), text);
        let push = git.get("//house/below/tool.git/info/refs?service=git-receive-pack");
        assert!(push.assert_status(403).text().contains("not allowed to upload"));
        let _ = git.get("//house/below/new.git/info/refs?service=git-receive-pack").assert_status(403);
        for name in ["alice", "oauth2", "gitlab+deploy-token-999"] {
            let git = server.anonymous().basic(name, text);
            let _ = git.get("//house/below/tool.git/info/refs?service=git-upload-pack").assert_status(401);
        }
        // It is no credential of the API and of files.
        for client in [server.client(text), server.anonymous().header("Authorization", &format!("Bearer {text}"))] {
            client.get(&format!("/projects/{project}")).assert(401, unauthorized());
            client.get("/user").assert(401, unauthorized());
        }
        let _ = server.anonymous().get(&format!("/projects/{project}?access_token={text}")).assert_status(401);
    }
    // One below another group of the same beginning.
    let lookalike = id(&made(&alice, "/groups", json!({"name": "house2", "path": "house2"})));
    let body = json!({"name": "tool", "namespace_id": lookalike, "initialize_with_readme": true});
    made(&alice, "/projects", body);
    let _ = fetch(server, &of_group, "house2/tool").assert_status(404);
}

#[both_databases]
fn a_token_without_the_scope_fetches_nothing(server: &TestServer) {
    let (alice, project, _) = homes(server);
    let token = made(
        &alice,
        &format!("/projects/{project}/deploy_tokens"),
        json!({"name": "n", "scopes": ["read_registry", "write_package_registry"]}),
    );
    let reply = fetch(server, &token, "house/below/tool").assert_status(403);
    assert!(reply.text().contains("not allowed to download"), "{}", reply.text());
}

#[both_databases]
fn a_token_works_to_the_end_of_its_last_day(server: &TestServer) {
    let (alice, project, _) = homes(server);
    let path = format!("/projects/{project}/deploy_tokens");
    let today = server.now().date_naive().to_string();
    let token = made(&alice, &path, json!({"name": "n", "scopes": ["read_repository"], "expires_at": today}));
    assert_eq!((&token["expires_at"], &token["expired"]), (&json!(format!("{today}T00:00:00.000Z")), &json!(false)));
    let lasting = made(&alice, &path, wanted());
    let _ = fetch(server, &token, "house/below/tool").assert_status(200);
    let active = |value: &str| ids(&alice.get(&format!("{path}?active={value}")));
    assert_eq!((active("true").len(), active("false").len()), (2, 0));
    server.advance(TimeDelta::days(1));
    let _ = fetch(server, &token, "house/below/tool").assert_status(401);
    let _ = fetch(server, &lasting, "house/below/tool").assert_status(200);
    assert_eq!(alice.get(&format!("{path}/{}", id(&token))).json()["expired"], true);
    assert_eq!((active("true"), active("false")), (vec![id(&lasting)], vec![id(&token)]));
    assert_eq!(alice.get(&path).json().as_array().map(Vec::len), Some(2));
}

#[both_databases]
fn a_token_ends_at_once_when_it_is_removed_or_its_home_is(server: &TestServer) {
    let (alice, project, group) = homes(server);
    let of_project = made(&alice, &format!("/projects/{project}/deploy_tokens"), wanted());
    let of_group = made(&alice, &format!("/groups/{group}/deploy_tokens"), wanted());
    let removed = made(&alice, &format!("/projects/{project}/deploy_tokens"), wanted());
    let path = format!("/projects/{project}/deploy_tokens/{}", id(&removed));
    let _ = alice.delete(&path).assert_status(204);
    let _ = fetch(server, &removed, "house/below/tool").assert_status(401);
    // The account that made it does not matter.
    let root = server.root();
    let _ = root.post(&format!("/users/{}/block", alice.id), json!({})).assert_status(201);
    let _ = fetch(server, &of_project, "house/below/tool").assert_status(200);
    let _ = root.post(&format!("/projects/{project}/archive"), json!({})).assert_status(200);
    let _ = fetch(server, &of_group, "house/below/tool").assert_status(200);
    let off = json!({"repository_access_level": "disabled", "merge_requests_access_level": "disabled"});
    let _ = root.post(&format!("/projects/{project}/unarchive"), json!({})).assert_status(200);
    let _ = root.put(&format!("/projects/{project}"), off).assert_status(200);
    for token in [&of_project, &of_group] {
        let _ = fetch(server, token, "house/below/tool").assert_status(403);
    }
    let _ = root.delete(&format!("/groups/{group}")).assert_status(202);
    for token in [&of_project, &of_group] {
        let _ = fetch(server, token, "house/below/tool").assert_status(404);
    }
    server.run_jobs();
    for token in [&of_project, &of_group] {
        let _ = fetch(server, token, "house/below/tool").assert_status(401);
    }
    assert_eq!(server.database().count("SELECT COUNT(*) FROM deploy_tokens"), 0);
}

#[both_databases]
fn a_project_that_moves_away_is_closed_to_the_tokens_of_its_group(server: &TestServer) {
    let (alice, project, group) = homes(server);
    let of_project = made(&alice, &format!("/projects/{project}/deploy_tokens"), wanted());
    let of_group = made(&alice, &format!("/groups/{group}/deploy_tokens"), wanted());
    let _ = alice.put(&format!("/projects/{project}/transfer"), json!({"namespace": "alice"})).assert_status(200);
    let _ = fetch(server, &of_project, "alice/tool").assert_status(200);
    let _ = fetch(server, &of_group, "alice/tool").assert_status(404);
}

#[both_databases]
fn a_group_that_forbids_http_or_an_address_forbids_it_to_tokens(server: &TestServer) {
    let (alice, project, group) = homes(server);
    let token = made(&alice, &format!("/projects/{project}/deploy_tokens"), wanted());
    let set = |body: Value| {
        let _ = alice.put(&format!("/groups/{group}"), body).assert_status(200);
    };
    set(json!({"enabled_git_access_protocol": "ssh"}));
    let _ = fetch(server, &token, "house/below/tool").assert_status(403);
    set(json!({"enabled_git_access_protocol": "all"}));
    let _ = fetch(server, &token, "house/below/tool").assert_status(200);
    let _ = server.root().put(&format!("/groups/{group}"), json!({"ip_restriction_ranges": "192.0.2.0/24"}));
    let _ = fetch(server, &token, "house/below/tool").assert_status(404);
}

#[both_databases]
fn every_rule_has_its_text(server: &TestServer) {
    let (alice, project, group) = homes(server);
    for path in [format!("/projects/{project}/deploy_tokens"), format!("/groups/{group}/deploy_tokens")] {
        let refused = |body: Value, want: Value| alice.post(&path, body).assert(400, want);
        refused(json!({}), parameter("name is missing, scopes is missing"));
        let scope = parameter("scopes does not have a valid value");
        refused(json!({"name": "n", "scopes": ["api"]}), scope.clone());
        refused(json!({"name": "n", "scopes": ["write_repository"]}), scope);
        refused(json!({"name": "n", "scopes": []}), json!({"message": "Scopes can't be blank"}));
        refused(json!({"name": " ", "scopes": ["read_registry"]}), json!({"message": "Name can't be blank"}));
        let username = "Username can contain only letters, digits, '_', '-', '+', and '.'";
        refused(json!({"name": "n", "scopes": ["read_registry"], "username": "a:b"}), json!({"message": username}));
        refused(
            json!({"name": "n", "scopes": ["read_registry"], "expires_at": "soon"}),
            parameter("expires_at is invalid"),
        );
        alice.get(&format!("{path}?active=x")).assert(400, parameter("active is invalid"));
        alice.get(&format!("{path}/999")).assert(404, json!({"message": "404 Not found"}));
        assert_eq!(alice.get(&path).json(), json!([]));
    }
}

#[both_databases]
fn maintainers_read_them_and_owners_change_those_of_groups(server: &TestServer) {
    let (alice, project, group) = homes(server);
    let bob = server.user("bob");
    member(&alice, &format!("/groups/{group}"), bob.id, 30);
    let paths = [format!("/projects/{project}/deploy_tokens"), format!("/groups/{group}/deploy_tokens")];
    let ones = paths.clone().map(|path| format!("{path}/{}", id(&made(&alice, &path, wanted()))));
    let status = |level: i64| {
        let _ = alice.put(&format!("/groups/{group}/members/{}", bob.id), json!({"access_level": level}));
        [0, 1].map(|at| {
            [bob.get(&paths[at]).status(), bob.get(&ones[at]).status(), bob.post(&paths[at], wanted()).status()]
        })
    };
    assert_eq!(status(30), [[403; 3]; 2]);
    assert_eq!(status(40), [[200, 200, 201], [200, 200, 403]]);
    bob.delete(&ones[1]).assert(403, forbidden());
    assert_eq!(status(50), [[200, 200, 201]; 2]);
    let stranger = server.user("stranger");
    stranger.get(&paths[0]).assert(404, missing("Project"));
    stranger.get(&paths[1]).assert(404, missing("Group"));
    for path in [paths[0].as_str(), "/deploy_tokens"] {
        server.anonymous().get(path).assert(401, unauthorized());
    }
    alice.get("/deploy_tokens").assert(403, forbidden());
    // The token of another project is missing here.
    let other = made(&alice, "/projects", json!({"name": "other"}));
    let foreign = ones[0].replace(&format!("/projects/{project}/"), &format!("/projects/{}/", id(&other)));
    alice.get(&foreign).assert(404, json!({"message": "404 Not found"}));
    alice.delete(&foreign).assert(404, json!({"message": "404 Not found"}));
}

#[both_databases]
fn one_that_is_newer_than_the_caller_knows_stays(server: &TestServer) {
    let (alice, project, group) = homes(server);
    let early = alice.header("If-Unmodified-Since", "Mon, 02 Mar 2026 11:00:00 GMT");
    for path in [format!("/projects/{project}/deploy_tokens"), format!("/groups/{group}/deploy_tokens")] {
        let one = format!("{path}/{}", id(&made(&alice, &path, wanted())));
        early.delete(&one).assert(412, json!({"message": "412 Precondition Failed"}));
        let _ = alice.delete(&one).assert_status(204);
    }
}

#[both_databases]
fn administrators_list_all(server: &TestServer) {
    let (alice, project, group) = homes(server);
    let one = made(&alice, &format!("/projects/{project}/deploy_tokens"), wanted());
    let other = json!({"name": "old", "scopes": ["read_repository"], "expires_at": "2020-01-01"});
    let other = made(&alice, &format!("/groups/{group}/deploy_tokens"), other);
    let root = server.root();
    assert_eq!(ids(&root.get("/deploy_tokens")), [id(&one), id(&other)]);
    assert_eq!(ids(&root.get("/deploy_tokens?active=true")), [id(&one)]);
    assert_eq!(ids(&root.get("/deploy_tokens?active=false")), [id(&other)]);
    assert_lacks(&root.get("/deploy_tokens").json()[0], &["token"]);
}

#[both_databases]
fn secrets_are_stored_as_digests_and_their_number_is_bounded(server: &TestServer) {
    let mut limits = Limits::without_rates();
    limits.contents.deploy_tokens = 1;
    let server = &TestServer::beside_with(server, limits);
    let (alice, project, group) = homes(server);
    for (path, of) in [
        (format!("/projects/{project}/deploy_tokens"), "A project"),
        (format!("/groups/{group}/deploy_tokens"), "A group"),
    ] {
        let token = made(&alice, &path, wanted());
        let secret = token["token"].as_str().unwrap_or_default();
        let found = server.database().count(&format!("SELECT COUNT(*) FROM deploy_tokens WHERE digest = '{secret}'"));
        assert_eq!(found, 0);
        alice.post(&path, wanted()).assert(400, field("base", &format!("{of} has at most 1 deploy tokens")));
    }
}
