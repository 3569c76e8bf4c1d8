//! Access tokens of projects and groups, and the bots that they belong to.

use std::thread;

use serde_json::{Value, json};
use tenon_app::Limits;
use tenon_testkit::{Client, TestServer, User, both_databases};

use crate::support::*;

const FIELDS: [&str; 13] = [
    "id",
    "name",
    "description",
    "revoked",
    "created_at",
    "scopes",
    "user_id",
    "last_used_at",
    "active",
    "expires_at",
    "access_level",
    "resource_type",
    "resource_id",
];

/// A private project with a file in a group of alice's: the owner, and the ids of the project and of the group.
pub(super) fn homes(server: &TestServer) -> (User, i64, i64) {
    let alice = server.user("alice");
    let house = group(&alice, "house", "private");
    let body = json!({"name": "tool", "namespace_id": house, "initialize_with_readme": true});
    let project = id(&made(&alice, "/projects", body));
    (alice, project, house)
}

pub(super) fn both(project: i64, group: i64) -> [String; 2] {
    [format!("/projects/{project}/access_tokens"), format!("/groups/{group}/access_tokens")]
}

/// A request for a token of this level with these scopes.
pub(super) fn wanted(level: i64, scopes: &[&str]) -> Value {
    json!({"name": "CI", "scopes": scopes, "access_level": level, "expires_at": "2027-01-31"})
}

/// The client that uses a token.
pub(super) fn with(server: &TestServer, token: &Value) -> Client {
    server.client(token["token"].as_str().unwrap_or_else(|| panic!("no secret: {token}")))
}

#[both_databases]
fn a_token_is_made_shown_once_and_revoked(server: &TestServer) {
    let (alice, project, group) = homes(server);
    for (path, kind, home) in [
        (format!("/projects/{project}/access_tokens"), "project", project),
        (format!("/groups/{group}/access_tokens"), "group", group),
    ] {
        let mut body = wanted(30, &["read_repository", "api"]);
        body["description"] = json!("why");
        let new = made(&alice, &path, body);
        assert_has(&new, &FIELDS);
        let bot = new["user_id"].as_i64().unwrap_or_default();
        let mut want = json!({
            "id": new["id"], "name": "CI", "description": "why", "revoked": false, "created_at": new["created_at"],
            "scopes": ["api", "read_repository"], "user_id": bot, "last_used_at": null, "active": true,
            "expires_at": "2027-01-31", "access_level": 30, "resource_type": kind, "resource_id": home,
        });
        let one = format!("{path}/{}", id(&new));
        assert_eq!(alice.get(&one).assert_status(200).json(), want);
        assert_eq!(alice.get(&path).json(), json!([want]));
        let user = alice.get(&format!("/users/{bot}")).assert_status(200).json();
        assert_eq!((&user["bot"], &user["name"], &user["state"]), (&json!(true), &json!("CI"), &json!("active")));
        let username = user["username"].as_str().unwrap_or_default().to_owned();
        assert!(username.starts_with(&format!("{kind}_{home}_bot_")), "{username}");
        let own = with(server, &new).get("/user").assert_status(200).json();
        assert_eq!(
            (&own["id"], &own["external"], &own["can_create_group"]),
            (&json!(bot), &json!(true), &json!(false))
        );
        let members = server.root().get(&format!("/{kind}s/{home}/members/{bot}")).assert_status(200).json();
        assert_eq!((&members["access_level"], &members["created_by"]["id"]), (&json!(30), &json!(alice.id)));
        server.flush_usage();
        want["last_used_at"] = alice.get(&one).json()["last_used_at"].clone();
        assert!(want["last_used_at"].is_string());
        let _ = alice.delete(&one).assert_status(204);
        with(server, &new).get("/user").assert(401, unauthorized());
        for reply in [alice.get(&one), alice.delete(&one)] {
            reply.assert(404, json!({"message": "404 Not found"}));
        }
        assert_eq!(alice.get(&path).json(), json!([]));
        let _ = alice.get(&format!("/users/{bot}")).assert_status(404);
        let _ = alice.get(&format!("/{kind}s/{home}/members/{bot}")).assert_status(404);
        server.run_jobs();
        assert_eq!(server.root().get(&format!("/users?username={username}")).json(), json!([]));
    }
}

#[both_databases]
fn the_fields_of_a_new_token_are_checked(server: &TestServer) {
    let (alice, project, group) = homes(server);
    for path in both(project, group) {
        alice.post(&path, json!({})).assert(400, parameter("name is missing, scopes is missing"));
        alice.post(&path, wanted(30, &["all"])).assert(400, parameter("scopes does not have a valid value"));
        for scope in ["sudo", "admin_mode", "read_user", "openid", "profile", "email"] {
            alice.post(&path, wanted(30, &[scope])).assert(400, field("scopes", "can only contain available scopes"));
        }
        alice.post(&path, json!({"name": "n", "scopes": []})).assert(400, field("scopes", "can't be blank"));
        alice.post(&path, wanted(15, &["api"])).assert(400, field("access_level", "is not included in the list"));
        for day in ["2026-03-02", "2020-01-01"] {
            let body = json!({"name": "n", "scopes": ["api"], "expires_at": day});
            alice.post(&path, body).assert(400, field("expires_at", "must be in the future"));
        }
        let long = json!({"name": "n".repeat(256), "scopes": ["api"]});
        let _ = alice.post(&path, long).assert_status(400);
        let _ = alice.post(&path, json!({"name": "", "scopes": ["api"]})).assert_status(400);
        let default = made(&alice, &path, json!({"name": "n", "scopes": ["api"]}));
        assert_eq!((&default["access_level"], &default["expires_at"]), (&json!(40), &Value::Null));
    }
    let highest = |path: &str| alice.post(path, wanted(50, &["api"]));
    let [of_project, of_group] = both(project, group);
    highest(&of_project).assert(400, field("access_level", "is not included in the list"));
    let _ = highest(&of_group).assert_status(201);
    server.set("max_personal_access_token_lifetime", &json!(30));
    let body = json!({"name": "n", "scopes": ["api"]});
    alice.post(&of_project, body).assert(400, field("expires_at", "can't be blank"));
    alice.post(&of_project, wanted(30, &["api"])).assert(400, field("expires_at", "must be 2026-04-01 or earlier"));
}

#[both_databases]
fn filters_and_orders_of_the_list(server: &TestServer) {
    let (alice, project, group) = homes(server);
    let other = project_in(&alice, group, "other", "private");
    for path in both(project, group) {
        made(&alice, &format!("/projects/{other}/access_tokens"), wanted(30, &["api"]));
        let new = |name: &str, day: &str| {
            let body = json!({"name": name, "scopes": ["api"], "expires_at": day});
            id(&made(&alice, &path, body))
        };
        let (late, soon) = (new("Late", "2028-01-01"), new("soon", "2026-03-10"));
        let replaced = new("replaced", "2027-06-01");
        let fresh = alice.post(&format!("{path}/{replaced}/rotate"), json!({"expires_at": "2027-07-01"}));
        let fresh = id(&fresh.assert_status(200).json());
        let found = |query: &str| ids(&alice.get(&format!("{path}?{query}")).assert_status(200));
        for (query, want) in [
            ("", vec![late, soon, replaced, fresh]),
            ("state=active", vec![late, soon, fresh]),
            ("state=inactive", vec![replaced]),
            ("revoked=true", vec![replaced]),
            ("revoked=false", vec![late, soon, fresh]),
            ("search=LATE", vec![late]),
            ("search=none", vec![]),
            ("expires_after=2027-06-15", vec![late, fresh]),
            ("expires_before=2026-04-01", vec![soon]),
            ("created_after=2030-01-01", vec![]),
            ("created_before=2030-01-01", vec![late, soon, replaced, fresh]),
            ("last_used_after=2000-01-01", vec![]),
            ("last_used_before=2030-01-01", vec![]),
            ("sort=expires_desc&state=active", vec![late, fresh, soon]),
            ("sort=name_asc&revoked=false", vec![late, fresh, soon]),
            ("sort=created_desc", vec![fresh, replaced, soon, late]),
            ("per_page=1&page=2", vec![soon]),
        ] {
            let (mut got, mut want) = (found(query), want);
            if query.starts_with("sort=name") {
                // The databases sort the cases of letters differently.
                got.sort_unstable();
                want.sort_unstable();
            }
            assert_eq!(got, want, "{query}");
        }
        let _ = alice.get(&format!("{path}?state=x")).assert_status(400);
    }
}

#[both_databases]
fn rotation_replaces_a_token_and_keeps_its_bot(server: &TestServer) {
    let (alice, project, group) = homes(server);
    for path in both(project, group) {
        let old = made(&alice, &path, wanted(30, &["api"]));
        let new = alice.post(&format!("{path}/{}/rotate", id(&old)), json!({})).assert_status(200).json();
        assert_has(&new, &FIELDS);
        assert_eq!((&new["user_id"], &new["expires_at"]), (&old["user_id"], &json!("2026-03-09")), "in a week");
        assert_eq!((&new["access_level"], &new["scopes"]), (&json!(30), &json!(["api"])));
        let _ = with(server, &old).get("/user").assert_status(401);
        let _ = with(server, &new).get("/user").assert_status(200);
        // The old one is gone without the bot.
        let _ = alice.delete(&format!("{path}/{}", id(&old))).assert_status(204);
        let _ = with(server, &new).get("/user").assert_status(200);
        // Who rotates a replaced token may have stolen it: all that came out of it ends.
        let again = alice.post(&format!("{path}/{}/rotate", id(&old)), json!({}));
        again.assert(401, unauthorized());
        let _ = with(server, &new).get("/user").assert_status(401);
        assert_eq!(alice.get(&format!("{path}?state=active")).json(), json!([]));
        // One of another place, and one that is not there.
        let elsewhere =
            if path.contains("projects") { format!("/groups/{group}") } else { format!("/projects/{project}") };
        for one in [format!("{elsewhere}/access_tokens/{}", id(&old)), format!("{path}/999999")] {
            for reply in [alice.get(&one), alice.delete(&one), alice.post(&format!("{one}/rotate"), json!({}))] {
                reply.assert(404, json!({"message": "404 Not found"}));
            }
        }
    }
}

#[both_databases]
fn a_token_reads_rotates_and_revokes_itself(server: &TestServer) {
    let (alice, project, group) = homes(server);
    let [of_project, of_group] = both(project, group);
    let other = project_in(&alice, group, "other", "private");
    let small = made(&alice, &of_project, wanted(10, &["self_rotate"]));
    let bot = with(server, &small);
    let _ = bot.get("/personal_access_tokens/self").assert_status(200);
    let _ = bot.get(&of_project).assert_status(403);
    let _ = bot.post(&format!("/projects/{other}/access_tokens/self/rotate"), json!({})).assert_status(404);
    let _ = bot.post(&format!("{of_group}/self/rotate"), json!({})).assert_status(404);
    let new = bot.post(&format!("{of_project}/self/rotate"), json!({"expires_at": "2026-05-01"}));
    let new = new.assert_status(200).json();
    assert_eq!((&new["expires_at"], &new["access_level"]), (&json!("2026-05-01"), &json!(10)));
    let _ = bot.get("/personal_access_tokens/self").assert_status(401);
    // Over the other address as well.
    let new = with(server, &new).post("/personal_access_tokens/self/rotate", json!({})).assert_status(200).json();
    let reader = made(&alice, &of_project, wanted(10, &["read_api"]));
    let refused = with(server, &reader).post(&format!("{of_project}/self/rotate"), json!({}));
    assert_eq!(refused.assert_status(403).json()["error"], "insufficient_scope");
    let own = format!("{of_project}/{}", id(&reader));
    assert_eq!(with(server, &reader).get(&own).assert_status(200).json()["id"], reader["id"]);
    let _ = with(server, &reader).get(&format!("{of_project}/{}", id(&new))).assert_status(403);
    // One of a user is none of the project.
    alice.post(&format!("{of_project}/self/rotate"), json!({})).assert(404, json!({"message": "404 Not found"}));
    let _ = server.anonymous().post(&format!("{of_project}/self/rotate"), json!({})).assert_status(401);
    let full = made(&alice, &of_project, wanted(10, &["api"]));
    let _ = with(server, &full).delete(&format!("{of_project}/{}", id(&full))).assert_status(204);
    let _ = alice.get(&format!("/users/{}", full["user_id"])).assert_status(404);
}

#[both_databases]
fn who_manages_the_tokens(server: &TestServer) {
    let cast = Cast::of(server, "private");
    let path = format!("/projects/{}/access_tokens", cast.project);
    for (caller, want) in
        [(&cast.guest, 403), (&cast.reporter, 403), (&cast.developer, 403), (&cast.maintainer, 201), (&cast.owner, 201)]
    {
        assert_eq!(caller.post(&path, wanted(40, &["api"])).status(), want);
        assert_eq!(caller.get(&path).status(), if want == 201 { 200 } else { want });
    }
    let anonymous = server.anonymous();
    for (stranger, want) in [(&*cast.stranger, 404), (&anonymous, 401)] {
        for reply in [stranger.get(&path), stranger.post(&path, wanted(10, &["api"]))] {
            let _ = reply.assert_status(want);
        }
    }
}

#[both_databases]
fn a_group_at_the_top_can_forbid_tokens(server: &TestServer) {
    let (alice, project, group) = homes(server);
    let below = subgroup(&alice, group, "below", "private");
    let inner = project_in(&alice, below, "inner", "private");
    let old = made(&alice, &both(project, group)[0], wanted(30, &["api"]));
    let setting = |on: bool| json!({"resource_access_token_creation_allowed": on});
    let _ = alice.put(&format!("/groups/{group}"), setting(false)).assert_status(200);
    for path in both(project, group).into_iter().chain(both(inner, below)) {
        alice.post(&path, wanted(30, &["api"])).assert(403, forbidden());
        let _ = alice.get(&path).assert_status(200);
    }
    let _ = with(server, &old).get("/user").assert_status(200);
    let _ = alice.put(&format!("/groups/{group}"), setting(true)).assert_status(200);
    made(&alice, &both(inner, below)[0], wanted(30, &["api"]));
}

#[both_databases]
fn a_token_is_the_password_of_git(server: &TestServer) {
    let (alice, project, group) = homes(server);
    let path = &both(project, group)[0];
    let git = |token: &Value, service: &str| {
        let secret = token["token"].as_str().unwrap_or_default();
        let git = server.anonymous().basic("any-name", secret);
        git.get(&format!("//house/tool.git/info/refs?service=git-{service}")).status()
    };
    let reader = made(&alice, path, wanted(20, &["read_repository"]));
    assert_eq!((git(&reader, "upload-pack"), git(&reader, "receive-pack")), (200, 403));
    let writer = made(&alice, path, wanted(30, &["write_repository"]));
    assert_eq!((git(&writer, "upload-pack"), git(&writer, "receive-pack")), (200, 200));
    let guest = made(&alice, path, wanted(10, &["write_repository"]));
    assert_eq!(git(&guest, "receive-pack"), 403);
    // The setting about tokens of people is none about these.
    server.set("disable_personal_access_tokens", &json!(true));
    assert_eq!(git(&writer, "receive-pack"), 200);
    let _ = server.root().delete(&format!("{path}/{}", id(&writer))).assert_status(204);
    assert_eq!(git(&writer, "upload-pack"), 401);
}

#[both_databases]
fn the_number_of_tokens_is_bounded(server: &TestServer) {
    let mut limits = Limits::without_rates();
    limits.contents.access_tokens = 2;
    limits.accounts.tokens = 2;
    let server = &TestServer::beside_with(server, limits);
    let (alice, project, group) = homes(server);
    for path in both(project, group) {
        let mut token = made(&alice, &path, wanted(30, &["api"]));
        let second = made(&alice, &path, wanted(30, &["api"]));
        let refused = alice.post(&path, wanted(30, &["api"])).assert_status(400).text();
        assert!(refused.contains("at most 2 access tokens"), "{refused}");
        let _ = alice.delete(&format!("{path}/{}", id(&second))).assert_status(204);
        made(&alice, &path, wanted(30, &["api"]));
        for _ in 0..3 {
            token = alice.post(&format!("{path}/{}/rotate", id(&token)), json!({})).assert_status(200).json();
        }
        let refused = alice.post(&format!("{path}/{}/rotate", id(&token)), json!({})).assert_status(400).text();
        assert!(refused.contains("at most 4 access tokens"), "{refused}");
    }
}

#[both_databases]
fn of_two_rotations_at_once_one_is_done(server: &TestServer) {
    let (alice, project, group) = homes(server);
    let path = &both(project, group)[0];
    let old = made(&alice, path, wanted(30, &["api"]));
    let one = format!("{path}/{}/rotate", id(&old));
    let mut statuses: Vec<u16> = thread::scope(|scope| {
        let calls: Vec<_> = (0..4).map(|_| scope.spawn(|| alice.post(&one, json!({})).status())).collect();
        calls.into_iter().map(|call| call.join().expect("an answer")).collect()
    });
    statuses.sort_unstable();
    // The second one takes back all that came of the token, and its bot goes.
    assert_eq!(statuses, [200, 401, 404, 404]);
}
