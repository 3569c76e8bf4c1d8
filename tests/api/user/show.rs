//! One user, in the view that the caller may have.

use serde_json::{Value, json};
use tenon_testkit::{Client, Multipart, TestServer, both_databases};

use crate::support::*;

const SINGLE: [&str; 9] = [
    "created_at",
    "bio",
    "location",
    "public_email",
    "messenger",
    "professional_network",
    "microblog",
    "website_url",
    "organization",
];
const OWN: [&str; 14] = [
    "last_sign_in_at",
    "confirmed_at",
    "last_activity_on",
    "email",
    "theme_id",
    "color_scheme_id",
    "projects_limit",
    "current_sign_in_at",
    "identities",
    "can_create_group",
    "can_create_project",
    "two_factor_enabled",
    "external",
    "private_profile",
];

#[both_databases]
fn each_caller_has_a_view(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/users/{}", alice.id);
    for caller in [server.anonymous(), alice.clone()] {
        let shown = caller.get(&path).assert_status(200).json();
        assert_has(&shown, &BASIC_USER);
        assert_has(&shown, &SINGLE);
        assert_lacks(&shown, &OWN);
    }
    let own = alice.get("/user").assert_status(200).json();
    assert_has(&own, &BASIC_USER);
    assert_has(&own, &SINGLE);
    assert_has(&own, &OWN);
    assert_lacks(&own, &["is_admin"]);
    for path in [path.as_str(), "/user"] {
        let shown = server.root().get(path).assert_status(200).json();
        assert_has(&shown, &OWN);
        assert_has(&shown, &["is_admin"]);
    }
}

#[both_databases]
fn a_fresh_user_has_the_documented_defaults(server: &TestServer) {
    let alice = server.user("alice");
    let shown = server.root().get(&format!("/users/{}", alice.id)).json();
    for (name, want) in [
        ("state", json!("active")),
        ("bio", Value::Null),
        ("location", Value::Null),
        ("organization", Value::Null),
        ("public_email", json!("")),
        ("messenger", json!("")),
        ("professional_network", json!("")),
        ("microblog", json!("")),
        ("website_url", json!("")),
        ("theme_id", json!(1)),
        ("color_scheme_id", json!(1)),
        ("projects_limit", json!(100_000)),
        ("can_create_group", json!(true)),
        ("can_create_project", json!(true)),
        ("external", json!(false)),
        ("identities", json!([])),
        ("last_sign_in_at", Value::Null),
        ("current_sign_in_at", Value::Null),
        ("last_activity_on", Value::Null),
        ("private_profile", json!(false)),
        ("two_factor_enabled", json!(false)),
        ("is_admin", json!(false)),
        ("web_url", json!(format!("{}/alice", server.base()))),
        ("username", json!("alice")),
        ("email", json!("alice@example.org")),
    ] {
        assert_eq!(shown[name], want, "{name}");
    }
    let created = shown["created_at"].as_str().expect("a moment");
    assert!(created.len() == 24 && created.ends_with('Z') && created.as_bytes()[19] == b'.', "{created}");
    assert!(shown["confirmed_at"].is_string());
}

#[both_databases]
fn who_is_not_there_is_not_found(server: &TestServer) {
    for caller in [server.anonymous(), server.root()] {
        caller.get("/users/999999").assert(404, missing("User"));
        caller.get("/users/1ASDF").assert(404, json!({"error": "404 Not Found"}));
        caller.get("/users/99999999999999999999").assert(404, json!({"error": "404 Not Found"}));
    }
    server.root().put("/users/ASDF", json!({})).assert(404, json!({"error": "404 Not Found"}));
    server.anonymous().get("/user").assert(401, unauthorized());
}

#[both_databases]
fn only_administrators_see_custom_attributes(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/users/{}", alice.id);
    let _ =
        server.root().put(&format!("{path}/custom_attributes/colour"), json!({"value": "green"})).assert_status(200);
    let with = format!("{path}?with_custom_attributes=true");
    assert_eq!(server.root().get(&with).json()["custom_attributes"], json!([{"key": "colour", "value": "green"}]));
    assert_lacks(&server.root().get(&path).json(), &["custom_attributes"]);
    assert_lacks(&alice.get(&with).json(), &["custom_attributes"]);
    assert_eq!(
        server.root().get("/users?with_custom_attributes=True").json()[0]["custom_attributes"],
        json!([{"key": "colour", "value": "green"}])
    );
}

#[both_databases]
fn a_picture_is_set_served_and_taken_away(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/users/{}", alice.id);
    let form = Multipart::default().text("bio", "hello").file("avatar", "me.png", PIXEL);
    let set = server.root().multipart("PUT", &path, &form).assert_status(200).json();
    assert_eq!(
        (&set["bio"], &set["avatar_url"]),
        (&json!("hello"), &json!(format!("{}/uploads/-/system/user/avatar/{}/me.png", server.base(), alice.id)))
    );
    let file =
        server.anonymous().get(&format!("//uploads/-/system/user/avatar/{}/me.png", alice.id)).assert_status(200);
    assert_eq!((file.bytes(), file.header("content-type").as_str()), (PIXEL, "image/png"));
    assert_eq!(file.header("x-content-type-options"), "nosniff");
    let gone =
        server.root().multipart("PUT", &path, &Multipart::default().text("avatar", "")).assert_status(200).json();
    assert!(!gone["avatar_url"].to_string().contains("me.png"), "{gone}");
    let _ = server.anonymous().get(&format!("//uploads/-/system/user/avatar/{}/me.png", alice.id)).assert_status(404);
    server.run_jobs();
}

#[both_databases]
fn users_change_their_own_picture(server: &TestServer) {
    let alice = server.user("alice");
    let set = alice.multipart("PUT", "/user/avatar", &Multipart::default().file("avatar", "me.png", PIXEL));
    let address = format!("/uploads/-/system/user/avatar/{}/me.png", alice.id);
    set.assert(200, json!({"avatar_url": format!("{}{address}", server.base())}));
    let _ = server.anonymous().get(&format!("/{address}")).assert_status(200);
    alice.put("/user/avatar", json!({})).assert(400, parameter("avatar is missing"));
    // A picture may be larger than an ordinary body: a fault of this one is reported by the rule for pictures.
    let large = vec![0; 1_500_000];
    let refused = alice.multipart("PUT", "/user/avatar", &Multipart::default().file("avatar", "me.png", &large));
    assert_eq!(refused.status(), 400, "{}", refused.text());
    let _ = alice
        .multipart("PUT", "/user/avatar", &Multipart::default().file("avatar", "x.png", b"no picture"))
        .assert_status(400);
    let _ = server.anonymous().put("/user/avatar", json!({"avatar": ""})).assert_status(401);
    let gone =
        alice.multipart("PUT", "/user/avatar", &Multipart::default().text("avatar", "")).assert_status(200).json();
    assert!(!gone["avatar_url"].to_string().contains("me.png"), "{gone}");
    let _ = server.anonymous().get(&format!("/{address}")).assert_status(404);
}

#[both_databases]
fn an_administrator_forgets_what_a_user_is_called_elsewhere(server: &TestServer) {
    let alice = server.user_with("alice", &json!({"provider": "ldap", "extern_uid": "a"}));
    let path = format!("/users/{}/identities", alice.id);
    alice.delete(&format!("{path}/ldap")).assert(403, forbidden());
    server.anonymous().delete(&format!("{path}/ldap")).assert(401, unauthorized());
    let root = server.root();
    root.delete("/users/999999/identities/ldap").assert(404, missing("User"));
    root.delete(&format!("{path}/other")).assert(404, missing("Identity"));
    let _ = root.delete(&format!("{path}/ldap")).assert_status(204);
    root.delete(&format!("{path}/ldap")).assert(404, missing("Identity"));
    assert_eq!(alice.get("/user").json()["identities"], json!([]));
}

#[both_databases]
fn a_user_without_a_picture_gets_one_that_reveals_nothing_of_the_address(server: &TestServer) {
    let alice = server.user("alice");
    let url = alice.get("/user").json()["avatar_url"].clone();
    assert_eq!(url, format!("{}/uploads/-/system/user/identicon/{}.svg", server.base(), alice.id));
    let path = format!("//uploads/-/system/user/identicon/{}.svg", alice.id);
    let picture = server.anonymous().get(&path).assert_status(200);
    assert!(picture.text().starts_with("<svg "), "{}", picture.text());
    assert_eq!(picture.header("content-type"), "image/svg+xml");
    assert_eq!(picture.header("content-security-policy"), "sandbox; default-src 'none'");
    assert_eq!(picture.header("x-content-type-options"), "nosniff");
    assert!(picture.header("cache-control").starts_with("public, max-age="));
    // The answer does not reveal whether there is such an account.
    let _ = server.anonymous().get("//uploads/-/system/user/identicon/999999.svg").assert_status(200);
}

#[both_databases]
fn only_an_administrator_can_have_pictures_fetched_from_the_avatar_service(server: &TestServer) {
    let alice = server.user("alice");
    server.set("avatarservice_enabled", &json!(true));
    let url = alice.get("/user").json()["avatar_url"].to_string();
    assert!(url.contains("gravatar.com/avatar/"), "{url}");
    let of_email = server.anonymous().get("/avatar?email=no-one@example.org&size=32").json()["avatar_url"].to_string();
    assert!(of_email.contains("?s=32&"), "{of_email}");
}

#[both_databases]
fn an_address_that_its_user_does_not_show_has_the_picture_of_one_that_no_one_has(server: &TestServer) {
    let alice = server.user("alice");
    let asked = |email: &str| server.anonymous().get(&format!("/avatar?email={email}")).assert_status(200).text();
    assert_eq!(asked("alice@example.org"), asked("no-one@example.org"));
    let shown = server.root().put(&format!("/users/{}", alice.id), json!({"public_email": "alice@example.org"}));
    let shown = shown.assert_status(200).json();
    assert!(asked("alice@example.org").contains(shown["avatar_url"].as_str().expect("an address")));
}

#[both_databases]
fn the_picture_of_an_address_is_public(server: &TestServer) {
    server.user("alice");
    let reply = server.anonymous().get("/avatar?email=alice@example.org&size=32").assert_status(200);
    assert_eq!(keys(&reply.json()), ["avatar_url".to_owned()].into());
    server.anonymous().get("/avatar").assert(400, parameter("email is missing"));
    let _ = server.anonymous().get("/avatar?email=no-one@example.org").assert_status(200);
}

#[both_databases]
fn users_ask_if_a_name_is_that_of_a_user(server: &TestServer) {
    let (alice, root) = (server.user("alice"), server.root());
    group(&alice, "team", "public");
    let _ = server.user("4711");
    let waiting = server.user("waiting");
    server
        .database()
        .execute(&format!("UPDATE users SET state = 'blocked_pending_approval' WHERE id = {}", waiting.id));
    let exists = |client: &Client, name: &str| client.get(&format!("/users/{name}/exists")).assert_status(200).json();
    let id_of_alice = alice.id.to_string();
    for (name, want) in [
        ("alice", true),
        ("ALICE", true),
        ("4711", true),
        ("team", false),
        ("absent", false),
        ("waiting", false),
        ("a%2Fb", false),
        (id_of_alice.as_str(), false),
    ] {
        assert_eq!(exists(&alice, name), json!({"exists": want}), "{name}");
    }
    assert_eq!(exists(&root, "waiting"), json!({"exists": true}));
    let _ = alice.head("/users/alice/exists").assert_status(200);
    server.anonymous().get("/users/alice/exists").assert(401, unauthorized());
    server.anonymous().get("/users/absent/exists").assert(401, unauthorized());
}
