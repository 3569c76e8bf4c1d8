//! Users make accounts by themselves: what the page for it will call.

use serde_json::{Value, json};
use tenon_app::error::AppError;
use tenon_app::user::SignUp;
use tenon_app::{Client, Network, Secret};
use tenon_domain::time::TimeDelta;
use tenon_domain::user::User;
use tenon_testkit::{TestServer, both_databases};

use crate::wait;

fn request(username: &str) -> SignUp {
    let email = format!("{username}@example.org");
    SignUp {
        username: username.to_owned(),
        name: "Ada Lovelace".to_owned(),
        email_confirmation: Some(email.clone()),
        email,
        password: Secret::given("correct horse"),
        invitation: None,
    }
}

fn from(server: &TestServer, address: &str, request: SignUp) -> Result<User, AppError> {
    let client = Client::Network(Network::of(Some(address.parse().expect("an address"))));
    wait(server.app().used_by(client).sign_up(request))
}

fn sign_up(server: &TestServer, request: SignUp) -> Result<User, AppError> {
    from(server, "192.0.2.1", request)
}

/// The fields that are wrong.
fn wrong(server: &TestServer, request: SignUp) -> Vec<String> {
    match sign_up(server, request) {
        Err(AppError::Invalid(fields)) => {
            fields.iter().map(|(field, messages)| format!("{field} {}", messages.join(", "))).collect()
        }
        other => panic!("{other:?}"),
    }
}

fn taken(server: &TestServer, request: SignUp) -> String {
    match sign_up(server, request) {
        Err(AppError::Refused(refusal)) => refusal.to_string(),
        other => panic!("{other:?}"),
    }
}

#[both_databases]
fn an_account_can_be_used_at_once(server: &TestServer) {
    let made = sign_up(server, request("ada")).expect("an account");
    let shown = server.root().get(&format!("/users/{}", made.id)).assert_status(200).json();
    assert_eq!(
        (&shown["username"], &shown["email"], &shown["is_admin"]),
        (&json!("ada"), &json!("ada@example.org"), &json!(false))
    );
    assert!(!shown["confirmed_at"].is_null());
    let form = "grant_type=password&username=ada&password=correct+horse";
    assert_eq!(server.anonymous().form("POST", "//oauth/token", form).status(), 200);
    let _ = server.root().get("/namespaces/ada").assert_status(200);
}

#[both_databases]
fn the_settings_say_what_a_new_user_may_do(server: &TestServer) {
    let shown = |name: &str| {
        let made = sign_up(server, request(name)).expect("an account");
        server.root().get(&format!("/users/{}", made.id)).assert_status(200).json()
    };
    server.set("default_projects_limit", &json!(3));
    let limited = shown("ada");
    assert_eq!((&limited["projects_limit"], &limited["external"]), (&json!(3), &json!(false)));
    server.set("user_default_external", &json!(true));
    let external = shown("bob");
    assert_eq!(
        (&external["projects_limit"], &external["external"], &external["can_create_group"]),
        (&json!(0), &json!(true), &json!(false))
    );
}

#[both_databases]
fn the_settings_say_whether_users_may_sign_up(server: &TestServer) {
    for setting in ["signup_enabled", "password_authentication_enabled_for_web"] {
        server.set(setting, &json!(false));
        assert!(matches!(sign_up(server, request("ada")), Err(AppError::Refused(_))), "{setting}");
        server.set(setting, &json!(true));
    }
    let _ = sign_up(server, request("ada")).expect("an account");
}

#[both_databases]
fn fields_have_the_rules_of_all_accounts(server: &TestServer) {
    let bad = SignUp {
        name: " ".to_owned(),
        email_confirmation: Some("other@example.org".to_owned()),
        password: Secret::given("short"),
        ..request("-ada")
    };
    let fields: Vec<String> =
        wrong(server, bad).iter().map(|text| text.split(' ').next().unwrap_or_default().to_owned()).collect();
    assert_eq!(fields, ["username", "name", "password", "email_confirmation"]);
    assert_eq!(
        wrong(server, SignUp { email: "x".to_owned(), email_confirmation: None, ..request("ada") }),
        ["email is invalid"]
    );
    assert_eq!(wrong(server, SignUp { name: "a\0b".to_owned(), ..request("ada") }), ["name is invalid"]);
    assert_eq!(wrong(server, request("admin")), ["username admin is a reserved name"]);
    let _ = sign_up(server, SignUp { email_confirmation: Some(" ADA@example.org".to_owned()), ..request("ada") })
        .expect("an account");
}

#[both_databases]
fn names_and_addresses_of_others_are_taken(server: &TestServer) {
    let alice = server.user("alice");
    let _ = alice.post("/user/emails", json!({"email": "second@example.org"})).assert_status(201);
    let _ = alice.post("/groups", json!({"name": "team", "path": "team"})).assert_status(201);
    assert_eq!(
        taken(server, SignUp { email: "Alice@example.org".to_owned(), email_confirmation: None, ..request("ada") }),
        "Email has already been taken"
    );
    assert_eq!(
        taken(server, SignUp { email: "second@example.org".to_owned(), email_confirmation: None, ..request("ada") }),
        "Email has already been taken"
    );
    assert_eq!(
        taken(server, SignUp { username: "ALICE".to_owned(), ..request("ada") }),
        "Username has already been taken"
    );
    assert_eq!(
        wrong(server, SignUp { username: "team".to_owned(), ..request("ada") }),
        ["username has already been taken"]
    );
}

#[both_databases]
fn addresses_come_from_domains_that_are_admitted(server: &TestServer) {
    let at = |name: &str, domain: &str| {
        let email = format!("{name}@{domain}");
        SignUp { email_confirmation: Some(email.clone()), email, ..request(name) }
    };
    let _ = server
        .root()
        .put("/application/settings", json!({"domain_blacklist_enabled": true, "domain_blacklist": ["*.evil.test"]}))
        .assert_status(200);
    assert_eq!(wrong(server, at("ada", "mail.evil.test")), ["email is not from an allowed domain."]);
    let _ = sign_up(server, at("ada", "good.test")).expect("an account");
    server.set("domain_whitelist", &json!(["only.test"]));
    assert_eq!(wrong(server, at("bob", "good.test")), ["email domain is not authorized for sign-up"]);
    let _ = sign_up(server, at("bob", "only.test")).expect("an account");
    let body = json!({"username": "carl", "name": "c", "email": "carl@mail.evil.test", "password": "correct horse"});
    let _ = server.root().post("/users", body).assert_status(201);
}

#[both_databases]
fn an_address_makes_a_few_accounts_an_hour(server: &TestServer) {
    let attempts = |address: &str, prefix: &str| {
        (0..20)
            .take_while(|number| {
                !matches!(from(server, address, request(&format!("{prefix}{number}"))), Err(AppError::Throttled { .. }))
            })
            .count()
    };
    assert_eq!(wrong(server, request("-")).len(), 1, "what is wrong in form is not counted");
    assert_eq!(taken(server, request("root")), "Username has already been taken");
    assert_eq!(attempts("192.0.2.1", "a"), 9, "one attempt was for a taken name");
    assert_eq!(attempts("192.0.2.2", "b"), 10);
    server.advance(tenon_domain::time::TimeDelta::minutes(6));
    assert_eq!(attempts("192.0.2.1", "c"), 1);
    let total = server.root().get("/users?per_page=1").assert_status(200).header("x-total");
    assert_eq!(total, (1 + 9 + 10 + 1).to_string());
}

#[both_databases]
fn a_new_account_is_an_event(server: &TestServer) {
    let made = sign_up(server, request("ada")).expect("an account");
    let count = server
        .database()
        .count(&format!("SELECT count(*) FROM events WHERE kind = 'user_created' AND user_id = {}", made.id));
    assert_eq!(Value::from(count), 1);
}

#[both_databases(mail)]
fn administrators_hear_of_accounts_that_wait_for_them(server: &TestServer) {
    let (ada, bob) = (server.user("ada"), server.user("bob"));
    let _ = server.root().put(&format!("/users/{}", ada.id), json!({"admin": true})).assert_status(200);
    let mails = |user: &tenon_testkit::User| {
        server.run_jobs();
        let address =
            server.root().get(&format!("/users/{}", user.id)).json()["email"].as_str().expect("one").to_owned();
        server.mails(&address)
    };
    // Without the setting there is nothing to approve.
    sign_up(server, request("early")).expect("an account");
    server.advance(TimeDelta::minutes(6));
    assert!(mails(&ada).is_empty());
    server.set("require_admin_approval_after_user_signup", &json!(true));
    let grace = sign_up(server, request("grace")).expect("an account");
    assert!(mails(&ada).is_empty(), "others may follow");
    sign_up(server, request("mary")).expect("an account");
    server.advance(TimeDelta::minutes(6));
    let sent = mails(&ada);
    assert_eq!(sent.len(), 1, "{sent:#?}");
    assert!(sent[0].subject().starts_with("Accounts are waiting for approval on "), "{}", sent[0].subject());
    assert!(
        sent[0].text.contains(&format!("@grace (id {})", grace.id)) && sent[0].text.contains("@mary"),
        "{}",
        sent[0].text
    );
    assert!(!sent[0].text.contains("@early") && !sent[0].text.contains("grace@example.org"), "{}", sent[0].text);
    assert!(mails(&bob).is_empty());
    // If another one was quicker, there is nothing to say.
    let late = sign_up(server, request("late")).expect("an account");
    let _ = server.root().post(&format!("/users/{}/approve", late.id), json!({})).assert_status(201);
    server.advance(TimeDelta::minutes(6));
    assert!(mails(&ada).is_empty());
    let approved = server.mails("late@example.org");
    assert_eq!(approved.len(), 1, "{approved:#?}");
    assert!(approved[0].subject().ends_with(" was approved") && approved[0].text.contains("/users/sign_in"));
    assert!(server.mails("grace@example.org").is_empty());
}
