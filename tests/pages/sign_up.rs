//! Making an account, and the steps that users have to do before all else.

use serde_json::json;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{TestServer, both_databases};

use crate::browser::Browser;
use crate::{GIVEN, PASSWORD, expired, member};

fn fields(username: &'static str, email: &'static str) -> [(&'static str, &'static str); 4] {
    [("user[name]", "Grace <b>"), ("user[username]", username), ("user[email]", email), ("user[password]", PASSWORD)]
}

#[both_databases]
fn a_stranger_signs_up_and_is_in(server: &TestServer) {
    let browser = Browser::of(server);
    let page = browser.get("/users/sign_up").assert_status(200);
    assert_eq!(page.submit(&browser, "/users", &fields("grace", "grace@example.org")).location(), "/");
    let home = browser.get("/").assert_status(200);
    assert!(home.html.contains("Account created.") && home.html.contains("@grace"), "{}", home.html);
    let again = Browser::of(server);
    let page = again.get("/users/sign_up");
    let taken = page.submit(&again, "/users", &fields("grace", "other@example.org"));
    assert!(matches!(taken.reply.status(), 409 | 422), "{}", taken.html);
    let page = again.get("/users/sign_up");
    let bad = page.submit(&again, "/users", &fields("-", "no address")).assert_status(422);
    assert!(bad.html.contains("could not be saved") && !bad.html.contains("Grace <b>"), "{}", bad.html);
}

#[both_databases]
fn who_signs_up_waits_for_approval_where_the_setting_says_so(server: &TestServer) {
    server.set("require_admin_approval_after_user_signup", &json!(true));
    let browser = Browser::of(server);
    let page = browser.get("/users/sign_up").assert_status(200);
    assert_eq!(page.submit(&browser, "/users", &fields("grace", "grace@example.org")).location(), "/users/sign_in");
    let said = browser.get("/users/sign_in").assert_status(200);
    assert!(said.html.contains("You can sign in once an administrator approves it."), "{}", said.html);
    let refused = browser.sign_in("grace", PASSWORD).assert_status(422);
    assert!(refused.html.contains("is pending approval"), "{}", refused.html);
    // The right password is no wrong one, however often it is tried.
    for _ in 0..12 {
        assert!(browser.sign_in("grace", PASSWORD).assert_status(422).html.contains("is pending approval"));
    }
    let wrong = Browser::of(server).sign_in("grace", "wrong horse").assert_status(422);
    assert!(!wrong.html.contains("is pending approval"), "said to who knows the password only");
    let grace = server.root().get("/users?username=grace").json()[0]["id"].clone();
    server.anonymous().get("/users?username=grace").assert(200, json!([]));
    let _ = server.root().post(&format!("/users/{grace}/approve"), json!({})).assert_status(201);
    assert_eq!(browser.sign_in("grace", PASSWORD).location(), "/");
}

#[both_databases]
fn the_settings_rule_addresses_and_passwords_of_who_signs_up(server: &TestServer) {
    server.set("email_restrictions", &json!("@(spam|junk)\\."));
    server.set("email_restrictions_enabled", &json!(true));
    server.set("minimum_password_length", &json!(9));
    server.set("password_symbol_required", &json!(true));
    let browser = Browser::of(server);
    let page = browser.get("/users/sign_up").assert_status(200);
    assert!(page.html.contains("(at least 9 characters, with a symbol)") && page.html.contains("minlength=\"9\""));
    let refused = page.submit(&browser, "/users", &fields("grace", "grace@SPAM.test")).assert_status(422);
    assert!(refused.html.contains("is not allowed for sign-up"), "{}", refused.html);
    assert!(refused.html.contains("must contain at least one symbol"), "{}", refused.html);
    server.set("password_symbol_required", &json!(false));
    let page = browser.get("/users/sign_up").assert_status(200);
    assert_eq!(page.submit(&browser, "/users", &fields("grace", "grace@example.org")).location(), "/");
}

#[both_databases]
fn who_has_signed_up_reads_the_text_of_the_settings_once(server: &TestServer) {
    server.set("after_sign_up_text", &json!("Welcome to **us** <script>alert(1)</script>"));
    let browser = Browser::of(server);
    let page = browser.get("/users/sign_up").assert_status(200);
    assert!(!page.html.contains("Welcome to"), "{}", page.html);
    assert_eq!(page.submit(&browser, "/users", &fields("grace", "grace@example.org")).location(), "/");
    let home = browser.get("/").assert_status(200);
    assert!(
        home.html.contains("Welcome to <strong>us</strong>")
            && home.html.contains("class=\"markdown\"")
            && !home.html.contains("<script>alert"),
        "{}",
        home.html
    );
    assert!(!browser.get("/").html.contains("Welcome to"));
}

#[both_databases]
fn who_has_no_ssh_key_is_asked_for_one_where_the_setting_says_so(server: &TestServer) {
    let ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let asks = || browser.get("/").assert_status(200).html.contains("add an SSH key");
    assert!(asks());
    server.set("user_show_add_ssh_key_message", &json!(false));
    assert!(!asks());
    server.set("user_show_add_ssh_key_message", &json!(true));
    let _ = ada.post("/user/keys", json!({"title": "t", "key": tenon_testkit::keys::ED25519})).assert_status(201);
    assert!(!asks());
}

#[both_databases]
fn attempts_count_for_the_address_and_not_for_the_user_in_the_browser(server: &TestServer) {
    let browser = Browser::of(server);
    let mut answers = Vec::new();
    for number in 0..11 {
        let (name, email) = (format!("user{number}"), format!("user{number}@example.org"));
        // Signed in by the account before, which is no budget of its own.
        let page = if number == 0 { browser.get("/users/sign_up") } else { browser.get("/") };
        let token = page.token();
        let fields = [
            ("authenticity_token", token.as_str()),
            ("user[name]", "x"),
            ("user[username]", &name),
            ("user[email]", &email),
            ("user[password]", PASSWORD),
        ];
        answers.push(browser.post("/users", &fields).reply.status());
    }
    assert_eq!(answers, [vec![302; 10], vec![429]].concat());
}

#[both_databases]
fn where_users_may_not_sign_up_there_is_no_page_for_it(server: &TestServer) {
    let _ = server.root().put("/application/settings", json!({"signup_enabled": false})).assert_status(200);
    let browser = Browser::of(server);
    let _ = browser.get("/users/sign_up").assert_status(404);
    let sign_in = browser.get("/users/sign_in");
    assert!(!sign_in.html.contains("/users/sign_up"), "{}", sign_in.html);
    let mut sent = fields("grace", "grace@example.org").to_vec();
    let token = sign_in.token();
    sent.push(("authenticity_token", &token));
    let _ = browser.post("/users", &sent).assert_status(403);
}

#[both_databases]
fn a_password_that_an_administrator_gives_with_the_account_is_kept(server: &TestServer) {
    let _ada = server.user_with("ada", &json!({"password": GIVEN}));
    let browser = Browser::of(server);
    assert_eq!(browser.sign_in("ada", GIVEN).location(), "/");
    let _ = browser.get("/").assert_status(200);
    let _ = browser.get("/api/v4/user").assert_status(200);
}

#[both_databases]
fn a_password_that_someone_else_has_set_is_changed_first(server: &TestServer) {
    let _ada = expired(server, "ada");
    let browser = Browser::of(server);
    assert_eq!(browser.sign_in("ada", GIVEN).location(), "/");
    assert_eq!(browser.get("/").location(), "/profile/password/new");
    for path in
        ["/profile/keys", "/profile/personal_access_tokens", "/oauth/applications", "/oauth/authorized_applications"]
    {
        assert!(browser.get(path).location().starts_with("/profile/password/new?return_to=%2F"), "{path}");
    }
    let page = browser.get("/profile/password/new").assert_status(200);
    for (current, new, again, problem) in [
        ("wrong horse", PASSWORD, PASSWORD, "Current password is invalid"),
        (GIVEN, PASSWORD, "another horse", "Password confirmation doesn&#39;t match Password"),
        (GIVEN, GIVEN, GIVEN, "Password must differ from the current one"),
        (GIVEN, "short", "short", "Password is too short"),
    ] {
        let fields =
            [("user[current_password]", current), ("user[password]", new), ("user[password_confirmation]", again)];
        let refused = page.submit(&browser, "/profile/password", &fields).assert_status(422);
        assert!(refused.html.contains(problem), "{problem}: {}", refused.html);
    }
    let token = page.token();
    let key = [("authenticity_token", token.as_str()), ("key[key]", tenon_testkit::keys::ED25519)];
    assert_eq!(browser.post("/profile/keys", &key).location(), "/profile/password/new", "nor does a form pass");
    let _ = browser.get("/api/v4/user").assert_status(403);
    let write = browser.send("POST", "/api/v4/projects", &[("name", "tool")], &[("X-CSRF-Token", &token)]);
    let _ = write.assert_status(403);
}

#[both_databases]
fn a_new_password_ends_all_other_sessions(server: &TestServer) {
    let _ada = member(server, "ada");
    let (here, there) = (Browser::signed_in(server, "ada", PASSWORD), Browser::signed_in(server, "ada", PASSWORD));
    let fields =
        [("user[current_password]", PASSWORD), ("user[password]", GIVEN), ("user[password_confirmation]", GIVEN)];
    let changed = here.get("/profile/password/edit").submit(&here, "/profile/password", &fields);
    assert_eq!(changed.location(), "/");
    assert!(here.get("/").assert_status(200).html.contains("Password changed."));
    assert_eq!(there.get("/").location(), "/users/sign_in");
    let _ = Browser::of(server).sign_in("ada", PASSWORD).assert_status(422);
}

#[both_databases]
fn terms_are_accepted_first(server: &TestServer) {
    let ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let _ = browser.get("/-/users/terms").assert_status(404);
    let terms = json!({"enforce_terms": true, "terms": "Be **kind**."});
    let _ = server.root().put("/application/settings", terms).assert_status(200);
    let _ = ada.get("/user").assert_status(403);
    assert_eq!(browser.get("/").location(), "/-/users/terms");
    let page = browser.get("/-/users/terms").assert_status(200);
    assert!(page.html.contains("<strong>kind</strong>"), "{}", page.html);
    assert_eq!(page.submit(&browser, "/-/users/terms/accept", &[]).location(), "/");
    let _ = browser.get("/").assert_status(200);
    let _ = ada.get("/user").assert_status(200);
    let stranger = Browser::of(server).get("/-/users/terms").assert_status(200);
    assert!(!stranger.html.contains("/terms/accept"), "{}", stranger.html);
}

#[both_databases]
fn a_second_factor_is_demanded_once_its_time_is_over(server: &TestServer) {
    let _ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let asked = json!({"require_two_factor_authentication": true, "two_factor_grace_period": 24});
    let _ = server.root().put("/application/settings", asked).assert_status(200);
    assert_eq!(browser.get("/").location(), "/profile/two_factor_auth");
    server.advance(TimeDelta::hours(25));
    let page = browser.get("/profile/two_factor_auth").assert_status(200);
    assert!(page.html.contains("You must enable two-factor authentication soon."), "{}", page.html);
    assert_eq!(server.database().count("SELECT count(*) FROM two_factor_graces"), 0, "reading writes nothing");
    assert_eq!(page.submit(&browser, "/profile/two_factor_auth/skip", &[]).location(), "/");
    let page = browser.get("/profile/two_factor_auth").assert_status(200);
    assert!(page.html.contains("You must enable two-factor authentication before <time"), "{}", page.html);
    let _ = browser.get("/").assert_status(200);
    server.advance(TimeDelta::hours(25));
    assert_eq!(browser.get("/profile/keys").location(), "/profile/two_factor_auth?return_to=%2Fprofile%2Fkeys");
    let page = browser.get("/profile/two_factor_auth").assert_status(200);
    assert!(page.html.contains("You must enable two-factor authentication to continue"), "{}", page.html);
}
