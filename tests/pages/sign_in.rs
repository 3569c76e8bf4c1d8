//! Signing in and out.

use serde_json::json;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{TestServer, both_databases};

use crate::browser::Browser;
use crate::{GIVEN, PASSWORD, member};

const SESSION: &str = "_service_session";

#[both_databases]
fn a_user_signs_in_and_out(server: &TestServer) {
    let ada = member(server, "ada");
    let browser = Browser::of(server);
    assert_eq!(browser.get("/").location(), "/users/sign_in");
    assert_eq!(browser.sign_in(" Ada ", PASSWORD).location(), "/");
    let home = browser.get("/").assert_status(200);
    assert!(home.html.contains("@ada"), "{}", home.html);
    assert!(!browser.cookie(SESSION).is_empty());
    let shown = ada.get("/user").json();
    assert!(shown["current_sign_in_at"].is_string() && shown["last_sign_in_at"].is_string(), "{shown}");

    let out = home.submit(&browser, "/users/sign_out", &[]);
    assert_eq!(out.location(), "/users/sign_in");
    assert_eq!(browser.cookie(SESSION), "");
    let again = browser.get("/users/sign_in").assert_status(200);
    assert!(again.html.contains("You have been signed out."), "{}", again.html);
    assert!(!browser.get("/users/sign_in").html.contains("You have been signed out."), "said once");
}

#[both_databases]
fn an_ended_session_proves_nothing(server: &TestServer) {
    let _ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let cookie = browser.cookie(SESSION);
    browser.get("/").submit(&browser, "/users/sign_out", &[]);
    browser.set_cookie(SESSION, &cookie);
    assert_eq!(browser.get("/").location(), "/users/sign_in");
    assert!(browser.get("/profile/keys").location().starts_with("/users/sign_in?return_to="));
}

#[both_databases]
fn wrong_passwords_and_unknown_names_look_the_same(server: &TestServer) {
    let _ada = member(server, "ada");
    let browser = Browser::of(server);
    for (login, password) in [("ada", "wrong horse"), ("grace", PASSWORD), ("", "")] {
        let page = browser.sign_in(login, password).assert_status(422);
        assert!(page.html.contains("Invalid username or password."), "{}", page.html);
        assert!(browser.cookie(SESSION).is_empty());
        assert!(!page.html.contains(PASSWORD), "a password is never sent back");
    }
}

#[both_databases]
fn fields_that_are_lists_sign_no_one_in(server: &TestServer) {
    let _ada = member(server, "ada");
    let browser = Browser::of(server);
    let token = browser.get("/users/sign_in").token();
    for (login, password) in
        [("user[login][]", "user[password]"), ("user[login]", "user[password][]"), ("user[]", "user[]")]
    {
        let fields = [("authenticity_token", token.as_str()), (login, "ada"), (password, PASSWORD)];
        let page = browser.post("/users/sign_in", &fields);
        assert!((400..500).contains(&page.reply.status()), "{login} {password}: {}", page.html);
        assert_eq!(browser.get("/").location(), "/users/sign_in");
    }
}

#[both_databases]
fn a_session_has_a_new_cookie_each_time(server: &TestServer) {
    let _ada = member(server, "ada");
    let browser = Browser::of(server);
    browser.set_cookie(SESSION, "chosen-by-an-attacker");
    assert_eq!(browser.sign_in("ada", PASSWORD).location(), "/");
    let first = browser.cookie(SESSION);
    assert_ne!(first, "chosen-by-an-attacker");
    let other = Browser::signed_in(server, "ada", PASSWORD);
    assert_ne!(first, other.cookie(SESSION));
}

#[both_databases]
fn signing_in_leads_back_but_never_to_another_server(server: &TestServer) {
    let _ada = member(server, "ada");
    let browser = Browser::of(server);
    assert_eq!(browser.get("/profile/keys?page=2").location(), "/users/sign_in?return_to=%2Fprofile%2Fkeys%3Fpage%3D2");
    for (return_to, want) in [
        ("%2Fprofile%2Fkeys%3Fpage%3D2", "/profile/keys?page=2"),
        ("%2F%2Fevil.example", "/"),
        ("https%3A%2F%2Fevil.example", "/"),
        ("%2F%5Cevil.example", "/"),
    ] {
        let browser = Browser::of(server);
        let page = browser.get(&format!("/users/sign_in?return_to={return_to}")).assert_status(200);
        let fields = [("user[login]", "ada"), ("user[password]", PASSWORD)];
        assert_eq!(page.submit(&browser, "/users/sign_in", &fields).location(), want, "{return_to}");
        assert_eq!(browser.get("/users/sign_in?return_to=//evil.example").location(), "/", "signed in already");
    }
}

#[both_databases]
fn blocked_users_do_not_get_in_and_their_sessions_end(server: &TestServer) {
    let ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let _ = server.root().post(&format!("/users/{}/block", ada.id), json!({})).assert_status(201);
    assert_eq!(browser.get("/").location(), "/users/sign_in");
    let page = Browser::of(server).sign_in("ada", PASSWORD).assert_status(422);
    assert!(page.html.contains("Your account has been blocked."), "{}", page.html);
    let page = Browser::of(server).sign_in("ada", "wrong horse").assert_status(422);
    assert!(page.html.contains("Invalid username or password."), "said to who knows the password only");
}

#[both_databases]
fn banned_users_do_not_get_in_and_their_sessions_end(server: &TestServer) {
    let ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let _ = server.root().post(&format!("/users/{}/ban", ada.id), json!({})).assert_status(201);
    assert_eq!(browser.get("/").location(), "/users/sign_in");
    let page = Browser::of(server).sign_in("ada", PASSWORD).assert_status(422);
    assert!(page.html.contains("Your account has been banned."), "{}", page.html);
    let page = Browser::of(server).sign_in("ada", "wrong horse").assert_status(422);
    assert!(page.html.contains("Invalid username or password."), "said to who knows the password only");
}

#[both_databases]
fn who_has_signed_in_lately_is_not_deactivated_and_sessions_end_with_that(server: &TestServer) {
    let ada = member(server, "ada");
    server.set("session_expire_delay", &json!(200_000));
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let deactivate = || server.root().post(&format!("/users/{}/deactivate", ada.id), json!({}));
    let _ = deactivate().assert_status(403);
    server.advance(TimeDelta::days(90));
    let _ = browser.get("/").assert_status(200);
    deactivate().assert(201, json!(true));
    assert_eq!(browser.get("/").location(), "/users/sign_in");
}

#[both_databases]
fn signing_in_makes_a_deactivated_account_active(server: &TestServer) {
    let ada = member(server, "ada");
    server.advance(TimeDelta::days(90));
    server.root().post(&format!("/users/{}/deactivate", ada.id), json!({})).assert(201, json!(true));
    let state = || server.root().get(&format!("/users/{}", ada.id)).json()["state"].as_str().unwrap().to_owned();
    let _ = Browser::of(server).sign_in("ada", "wrong horse").assert_status(422);
    assert_eq!((state().as_str(), ada.get("/user").status()), ("deactivated", 403));
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let _ = browser.get("/").assert_status(200);
    assert_eq!((state().as_str(), ada.get("/user").status()), ("active", 200));
    let activated = "SELECT COUNT(*) FROM events WHERE kind = 'user_activated'";
    assert_eq!(server.database().count(activated), 1);
}

#[both_databases]
fn passwords_are_throttled(server: &TestServer) {
    let _ada = member(server, "ada");
    let browser = Browser::of(server);
    let page = browser.get("/users/sign_in");
    let attempt =
        |password| page.submit(&browser, "/users/sign_in", &[("user[login]", "ada"), ("user[password]", password)]);
    for _ in 0..10 {
        let _ = attempt("wrong horse").assert_status(422);
    }
    let refused = attempt(PASSWORD).assert_status(429);
    assert!(!refused.reply.header("retry-after").is_empty());
    server.advance(TimeDelta::minutes(1));
    assert_eq!(attempt(PASSWORD).location(), "/");
}

#[both_databases]
fn a_name_that_waits_says_nothing_of_the_address_of_its_account(server: &TestServer) {
    let ada = member(server, "ada");
    let email = ada.get("/user").json()["email"].as_str().unwrap().to_owned();
    let browser = Browser::of(server);
    let page = browser.get("/users/sign_in");
    let attempt = |login: &str| {
        page.submit(&browser, "/users/sign_in", &[("user[login]", login), ("user[password]", "wrong")]).reply.status()
    };
    let answers: Vec<u16> = (0..11).map(|_| attempt("ADA")).collect();
    assert_eq!(answers, [vec![422; 10], vec![429]].concat());
    assert_eq!((attempt(&email), attempt("grace@example.org")), (422, 422));
}

#[both_databases]
fn strangers_do_not_keep_a_user_who_is_in_from_giving_the_password(server: &TestServer) {
    let _ada = member(server, "ada");
    let here = Browser::signed_in(server, "ada", PASSWORD);
    let stranger = Browser::of(server);
    let page = stranger.get("/users/sign_in");
    for _ in 0..30 {
        let _ = page.submit(&stranger, "/users/sign_in", &[("user[login]", "ada"), ("user[password]", "wrong")]);
    }
    let form = here.get("/profile/password/edit");
    let change = |current: &str| {
        let fields =
            [("user[current_password]", current), ("user[password]", GIVEN), ("user[password_confirmation]", GIVEN)];
        form.submit(&here, "/profile/password", &fields).reply.status()
    };
    let wrong: Vec<u16> = (0..11).map(|_| change("wrong horse")).collect();
    assert_eq!(wrong, [vec![422; 10], vec![429]].concat(), "attempts of one's own are counted");
    server.advance(TimeDelta::minutes(1));
    assert_eq!(change(PASSWORD), 302);
}

#[both_databases]
fn settings_of_an_administrator_are_obeyed(server: &TestServer) {
    let _ada = member(server, "ada");
    let set = |settings| {
        let _ = server.root().put("/application/settings", settings).assert_status(200);
    };
    set(
        json!({"sign_in_text": "Ask **Grace** for an account. <script>x</script>", "after_sign_out_path": "https://www.example.org/bye"}),
    );
    let page = Browser::of(server).get("/users/sign_in").assert_status(200);
    assert!(page.html.contains("<strong>Grace</strong>") && !page.html.contains("<script>x"), "{}", page.html);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let out = browser.get("/").submit(&browser, "/users/sign_out", &[]);
    assert_eq!(out.location(), "https://www.example.org/bye");
    set(json!({"password_authentication_enabled_for_web": false}));
    let page = Browser::of(server).get("/users/sign_in").assert_status(200);
    assert!(!page.html.contains("user_password"), "{}", page.html);
}

#[both_databases]
fn a_session_ends_when_it_is_not_used_and_goes_on_while_it_is(server: &TestServer) {
    let _ada = member(server, "ada");
    let _ = server.root().put("/application/settings", json!({"session_expire_delay": 60})).assert_status(200);
    let used = Browser::signed_in(server, "ada", PASSWORD);
    let unused = Browser::signed_in(server, "ada", PASSWORD);
    for _ in 0..3 {
        server.advance(TimeDelta::minutes(40));
        let _ = used.get("/").assert_status(200);
        server.flush_usage();
    }
    assert_eq!(unused.get("/").location(), "/users/sign_in");
    server.advance(TimeDelta::minutes(61));
    assert_eq!(used.get("/").location(), "/users/sign_in");
}

#[both_databases]
fn a_change_of_the_delay_acts_on_sessions_that_exist(server: &TestServer) {
    let _ada = member(server, "ada");
    let (used, unused) = (Browser::signed_in(server, "ada", PASSWORD), Browser::signed_in(server, "ada", PASSWORD));
    server.advance(TimeDelta::days(6));
    // Noted with the longer time, and not written yet.
    let _ = used.get("/").assert_status(200);
    server.set("session_expire_delay", &json!(60));
    server.flush_usage();
    for _ in 0..2 {
        server.advance(TimeDelta::minutes(59));
        let _ = used.get("/").assert_status(200);
        server.flush_usage();
    }
    assert_eq!(unused.get("/").location(), "/users/sign_in");
    server.set("session_expire_delay", &json!(600));
    server.advance(TimeDelta::minutes(30));
    let _ = used.get("/").assert_status(200);
    server.flush_usage();
    server.advance(TimeDelta::minutes(599));
    let _ = used.get("/").assert_status(200);
    server.flush_usage();
    server.advance(TimeDelta::minutes(601));
    assert_eq!(used.get("/").location(), "/users/sign_in");
}

#[both_databases]
fn a_remembered_session_stays_for_two_weeks_whatever_the_delay_becomes(server: &TestServer) {
    let _ada = member(server, "ada");
    let browser = Browser::of(server);
    let fields = [("user[login]", "ada"), ("user[password]", PASSWORD), ("user[remember_me]", "1")];
    let _ = browser.get("/users/sign_in").submit(&browser, "/users/sign_in", &fields).location();
    server.set("session_expire_delay", &json!(60));
    server.advance(TimeDelta::days(13));
    let _ = browser.get("/").assert_status(200);
    server.flush_usage();
    server.advance(TimeDelta::days(15));
    assert_eq!(browser.get("/").location(), "/users/sign_in");
}

#[both_databases]
fn a_remembered_session_outlives_the_browser(server: &TestServer) {
    let _ada = member(server, "ada");
    let browser = Browser::of(server);
    let page = browser.get("/users/sign_in");
    let fields = [("user[login]", "ada"), ("user[password]", PASSWORD), ("user[remember_me]", "1")];
    let answer = page.submit(&browser, "/users/sign_in", &fields);
    let cookies: Vec<&str> =
        answer.reply.headers().get_all("set-cookie").iter().map(|line| line.to_str().unwrap()).collect();
    assert!(cookies.iter().any(|line| line.starts_with(SESSION) && line.contains("Max-Age=1209600")), "{cookies:?}");
    assert!(!cookies.iter().any(|line| line.contains("Secure")), "the server has no TLS in front");
}

#[both_databases]
fn the_cookie_reads_the_api_and_writes_only_with_the_token_of_a_page(server: &TestServer) {
    let _ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = browser.get("/");
    assert_eq!(browser.get("/api/v4/user").assert_status(200).reply.json()["username"], "ada");
    let make = |headers: &[(&str, &str)]| {
        browser.send("POST", "/api/v4/projects", &[("name", "tool")], headers).reply.status()
    };
    assert_eq!(make(&[]), 401);
    assert_eq!(make(&[("X-CSRF-Token", "wrong")]), 401);
    assert_eq!(make(&[("X-CSRF-Token", &page.token()), ("Origin", "https://evil.example")]), 401);
    assert_eq!(make(&[("X-CSRF-Token", &page.token())]), 201);
}

/// The user has signed in from another address only.
fn move_away(server: &TestServer) {
    server.database().execute("UPDATE sessions SET address = '203.0.113.7'");
    server
        .database()
        .execute("UPDATE user_details SET current_sign_in_ip = '203.0.113.8', last_sign_in_ip = '203.0.113.9'");
}

#[both_databases(mail)]
fn a_sign_in_from_another_address_is_written_about(server: &TestServer) {
    let _ada = member(server, "ada");
    let mails = || {
        let _ = server.run_jobs();
        server.mails("ada@example.org")
    };
    let sign_in = || drop(Browser::signed_in(server, "ada", PASSWORD));
    let _ = mails();
    sign_in();
    sign_in();
    assert!(mails().is_empty(), "the first sign-in, and one from the same address");
    move_away(server);
    sign_in();
    let [mail] = &mails()[..] else { panic!("one mail") };
    assert!(mail.subject().starts_with("Sign-in to "), "{}", mail.subject());
    for part in ["@ada", "127.0.0.1", "/profile/password/edit", "/profile/active_sessions"] {
        assert!(mail.text.contains(part), "{part}: {}", mail.text);
    }
    sign_in();
    assert!(mails().is_empty(), "the address is known by now");
    move_away(server);
    let _ = server.root().put("/application/settings", json!({"notify_on_unknown_sign_in": false})).assert_status(200);
    sign_in();
    assert!(mails().is_empty());
}
