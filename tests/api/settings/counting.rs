//! Throttles and addresses that the settings count.

use serde_json::{Value, json};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Backend, Client, Reply, TestServer, both_databases};

use crate::support::*;

const PATH: &str = "/application/settings";
const REFS: &str = "//alice/tool.git/info/refs?service=git-upload-pack";
const HEADERS: [&str; 4] = ["ratelimit-name", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"];

fn set(client: &Client, body: Value) {
    let _ = client.put(PATH, body).assert_status(200);
}

/// A throttle of so many requests in so many seconds.
fn throttle(name: &str, requests: u32, seconds: u32) -> Value {
    json!({
        format!("throttle_{name}_enabled"): true,
        format!("throttle_{name}_requests_per_period"): requests,
        format!("throttle_{name}_period_in_seconds"): seconds,
    })
}

fn statuses(client: &Client, path: &str, number: usize) -> Vec<u16> {
    (0..number).map(|_| client.get(path).status()).collect()
}

fn is_refusal(reply: &Reply, name: &str) {
    assert_eq!((reply.status(), reply.text().as_str()), (429, "Retry later\n"));
    assert_eq!(reply.header("content-type"), "text/plain");
    assert_eq!((reply.header("ratelimit-name").as_str(), reply.header("ratelimit-remaining").as_str()), (name, "0"));
}

#[both_databases]
fn requests_without_an_account_are_throttled_by_address(server: &TestServer) {
    let (alice, stranger) = (server.user("alice"), server.anonymous());
    project(&alice, "tool", "public");
    assert_eq!(statuses(&stranger, "/projects", 5), [200; 5]);
    assert_eq!(stranger.get("/projects").header("ratelimit-limit"), "", "off");
    set(&server.root(), throttle("unauthenticated", 4, 40));
    let first = stranger.get("/projects").assert_status(200);
    let reset = (server.now().timestamp() + 10).to_string();
    assert_eq!(HEADERS.map(|name| first.header(name)), ["throttle_unauthenticated", "6", "3", &reset]);
    // The API, files and Git have one count, and so have tokens that prove nothing.
    let _ = stranger.get("//alice/tool/uploads/x/y").assert_status(404);
    let _ = server.client("proves-nothing").get("/projects").assert_status(401);
    let _ = stranger.get(REFS).assert_status(200);
    for (client, path) in [(&stranger, "/projects"), (&stranger, REFS), (&server.client("proves-nothing"), "/user")] {
        is_refusal(&client.get(path), "throttle_unauthenticated");
    }
    let refused = stranger.get("/nothing");
    assert_eq!(refused.header("retry-after"), "10");
    // Users of the same address go on, also with a token that was not used before.
    assert_eq!(statuses(&alice, "/projects", 9), [200; 9]);
    let unused = server.token(alice.id, &["api"]);
    let _ = server.client(&unused).get("/projects").assert_status(200);
    let _ = server.anonymous().basic("x", &server.token(alice.id, &["api"])).get(REFS).assert_status(200);
    let _ = stranger.get("//-/liveness").assert_status(200);
    server.advance(TimeDelta::seconds(10));
    assert_eq!(statuses(&stranger, "/projects", 2), [200, 429]);
    set(&server.root(), json!({"throttle_unauthenticated_enabled": false}));
    assert_eq!(statuses(&stranger, "/projects", 9), [200; 9]);
}

#[both_databases]
fn what_a_stranger_says_about_the_own_address_does_not_count(server: &TestServer) {
    set(&server.root(), throttle("unauthenticated", 4, 40));
    let claims = |number: usize| {
        let address = format!("203.0.113.{number}");
        let client = from(&server.anonymous(), &address).header("X-Real-IP", &address);
        client.header("Forwarded", &format!("for={address}")).get("/projects").status()
    };
    assert_eq!((0..6).map(claims).collect::<Vec<_>>(), [200, 200, 200, 200, 429, 429]);
}

#[both_databases]
fn requests_of_users_are_throttled_by_user(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    project(&alice, "tool", "public");
    set(&server.root(), throttle("authenticated_api", 5, 10));
    assert_eq!(statuses(&alice, "/user", 6), [200, 200, 200, 200, 200, 429]);
    let other_token = server.client(&server.token(alice.id, &["api"]));
    is_refusal(&other_token.get("/user"), "throttle_authenticated_api");
    assert_eq!(statuses(&bob, "/user", 4), [200; 4]);
    assert_eq!(statuses(&server.anonymous(), "/projects", 9), [200; 9]);
    let git = server.anonymous().basic("alice", &alice.token);
    assert_eq!(statuses(&git, REFS, 9), [200; 9], "Git is not the API");
    server.advance(TimeDelta::seconds(20));
    set(&server.root(), throttle("authenticated_web", 2, 10));
    assert_eq!(statuses(&git, REFS, 3), [200, 200, 429]);
    is_refusal(&alice.get("//alice/tool/uploads/x/y"), "throttle_authenticated_web");
    let _ = alice.get("/user").assert_status(200);
}

#[both_databases]
fn groups_with_their_projects_are_throttled_by_themselves(server: &TestServer) {
    let (alice, stranger) = (server.user("alice"), server.anonymous());
    let of_group = format!("/groups/{}", group(&alice, "tools", "public"));
    let without = format!("{of_group}?with_projects=false");
    set(&server.root(), throttle("unauthenticated_deprecated_api", 2, 100));
    assert_eq!(statuses(&stranger, &of_group, 3), [200, 200, 429]);
    is_refusal(&stranger.get(&of_group), "throttle_unauthenticated_deprecated_api");
    assert_eq!(statuses(&stranger, &without, 4), [200; 4]);
    assert_eq!(statuses(&alice, &of_group, 4), [200; 4]);
    set(&server.root(), throttle("authenticated_deprecated_api", 1, 100));
    assert_eq!(statuses(&alice, &of_group, 2), [200, 429]);
    is_refusal(&alice.get(&of_group), "throttle_authenticated_deprecated_api");
    assert_eq!(statuses(&alice, &without, 4), [200; 4]);
    let _ = changed(&alice, &of_group, json!({"description": "d"}));
}

#[both_databases]
fn single_kinds_of_requests_have_budgets_of_their_own(server: &TestServer) {
    let (root, alice, bob) = (server.root(), server.user("alice"), server.user("bob"));
    let tool = project(&alice, "tool", "public");
    set(
        &root,
        json!({
            "notes_create_limit": 2, "issues_create_limit": 3, "search_rate_limit": 1,
            "search_rate_limit_unauthenticated": 2, "users_get_by_id_limit": 4, "user_email_lookup_limit": 1,
            "projects_api_rate_limit_unauthenticated": 3, "rate_limiting_response_text": "Slow down.",
        }),
    );
    let issues = format!("/projects/{tool}/issues");
    let create = |client: &Client| client.post(&issues, json!({"title": "t"})).status();
    assert_eq!([(); 4].map(|()| create(&alice)), [201, 201, 201, 429]);
    assert_eq!(create(&bob), 201);
    let notes = format!("{issues}/1/notes");
    assert_eq!([(); 3].map(|()| alice.post(&notes, json!({"body": "b"})).status()), [201, 201, 429]);
    let stranger = server.anonymous();
    assert_eq!(statuses(&alice, "/search?scope=projects&search=tool", 2), [200, 429]);
    assert_eq!(statuses(&alice, &format!("/users/{}", bob.id), 5), [200, 200, 200, 200, 429]);
    assert_eq!(statuses(&alice, "/users?search=bob%40example.org", 2), [200, 429]);
    assert_eq!(statuses(&alice, "/users?search=bob", 3), [200; 3]);
    assert_eq!(statuses(&stranger, "/projects", 4), [200, 200, 200, 429]);
    assert_eq!(statuses(&alice, "/projects", 9), [200; 9]);
    let refused = alice.post(&issues, json!({"title": "t"})).assert_status(429);
    assert_eq!(
        (refused.text().as_str(), refused.header("ratelimit-name").as_str()),
        ("Slow down.\n", "issues_create_limit")
    );
    server.advance(TimeDelta::minutes(1));
    assert_eq!(create(&alice), 201);
}

#[both_databases]
fn users_of_the_list_look_users_up_without_a_limit(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let limits = json!({"users_get_by_id_limit": 1, "users_get_by_id_limit_allowlist_raw": "nobody\r\n ALICE \n"});
    set(&server.root(), limits);
    let path = format!("/users/{}", bob.id);
    assert_eq!(statuses(&alice, &path, 4), [200; 4]);
    assert_eq!(statuses(&bob, &path, 2), [200, 429]);
    set(&server.root(), json!({"users_get_by_id_limit_allowlist_raw": "bob"}));
    assert_eq!(statuses(&bob, &path, 2), [200; 2]);
    assert_eq!(statuses(&alice, &path, 2), [200, 429]);
}

#[both_databases]
fn the_strictest_budget_wins(server: &TestServer) {
    let (root, stranger) = (server.root(), server.anonymous());
    set(&root, throttle("unauthenticated", 50, 1_000));
    set(&root, throttle("unauthenticated_api", 2, 1_000));
    assert_eq!(statuses(&stranger, "/projects", 3), [200, 200, 429]);
    is_refusal(&stranger.get("/projects"), "throttle_unauthenticated_api");
    set(&root, throttle("protected_paths", 1, 1_000));
    let sign_in =
        || stranger.form("POST", "//users/sign_in", "user[login]=x&user[password]=y").header("ratelimit-name");
    let _ = sign_in();
    assert_eq!(sign_in(), "throttle_protected_paths");
}

#[both_databases]
fn a_change_of_another_setting_does_not_begin_the_count_anew(server: &TestServer) {
    let (root, alice) = (server.root(), server.user("alice"));
    set(&root, throttle("authenticated_api", 5, 1_000));
    assert_eq!(statuses(&alice, "/user", 6), [200, 200, 200, 200, 200, 429]);
    set(&root, json!({"max_pages_size": 7}));
    assert_eq!(statuses(&alice, "/user", 1), [429]);
    set(&root, json!({"throttle_authenticated_api_requests_per_period": 100}));
    assert_eq!(statuses(&alice, "/user", 1), [200]);
}

#[both_databases]
fn throttles_need_numbers_that_can_be_counted(server: &TestServer) {
    for name in ["unauthenticated", "authenticated_api", "authenticated_web"] {
        for (what, number) in
            [("requests_per_period", 0), ("period_in_seconds", 0), ("requests_per_period", 1_000_000_001)]
        {
            let field = format!("throttle_{name}_{what}");
            let reply = server.root().put(PATH, json!({ field.as_str(): number })).assert_status(400);
            assert!(reply.text().contains(&field), "{}", reply.text());
        }
    }
}

fn behind_proxy(run: impl Fn(&TestServer)) {
    for backend in [Backend::Sqlite, Backend::Postgres].into_iter().filter(|backend| backend.is_available()) {
        run(&TestServer::start_behind_proxy(backend));
    }
}

fn from(client: &Client, address: &str) -> Client {
    client.header("X-Forwarded-For", address)
}

#[test]
fn a_user_calls_from_so_many_addresses() {
    behind_proxy(|server| {
        let alice = server.user("alice");
        project(&alice, "tool", "private");
        let limit = json!({"unique_ips_limit_enabled": true, "unique_ips_limit_per_user": 2, "unique_ips_limit_time_window": 60});
        set(&server.root(), limit);
        let ask = |address: &str| from(&alice, address).get("/user").status();
        assert_eq!([ask("192.0.2.1"), ask("192.0.2.2"), ask("192.0.2.1")], [200, 200, 200]);
        from(&alice, "192.0.2.3").get("/user").assert(403, forbidden());
        // Another token of the same user, and Git with a token or a password, count as well.
        let other = server.client(&server.token(alice.id, &["api"]));
        let _ = from(&other, "192.0.2.3").get("/user").assert_status(403);
        for secret in [alice.token.as_str(), "correct horse"] {
            let git = server.anonymous().basic("alice", secret);
            let _ = from(&git, "192.0.2.3").get(REFS).assert_status(403);
            let _ = from(&git, "192.0.2.2").get(REFS).assert_status(200);
        }
        // So does a password that is exchanged for a token.
        let grant = |address: &str| {
            let form = "grant_type=password&username=alice&password=correct+horse";
            from(&server.anonymous(), address).form("POST", "//oauth/token", form).status()
        };
        assert_eq!([grant("192.0.2.3"), grant("192.0.2.2")], [403, 200]);
        // Other users, and callers without an account, are not counted with her.
        let _ = from(&server.user("bob"), "192.0.2.3").get("/user").assert_status(200);
        let _ = from(&server.anonymous(), "192.0.2.3").get("/projects").assert_status(200);
        server.advance(TimeDelta::seconds(61));
        assert_eq!([ask("192.0.2.3"), ask("192.0.2.4"), ask("192.0.2.1")], [200, 200, 403]);
        set(&server.root(), json!({"unique_ips_limit_enabled": false}));
        assert_eq!(ask("192.0.2.1"), 200);
    });
}

#[test]
fn throttles_go_by_the_address_that_the_proxy_names() {
    behind_proxy(|server| {
        set(&server.root(), throttle("unauthenticated", 2, 100));
        let ask = |address: &str| statuses(&from(&server.anonymous(), address), "/projects", 3);
        assert_eq!((ask("192.0.2.1"), ask("192.0.2.2")), (vec![200, 200, 429], vec![200, 200, 429]));
        assert_eq!((ask("2001:db8::1"), ask("2001:db8::2")), (vec![200, 200, 429], vec![429; 3]));
    });
}
