//! One's own applications.

use serde_json::json;
use tenon_app::Limits;
use tenon_app::identity::Identity;
use tenon_app::oauth::{self, ApplicationFields};
use tenon_domain::id::UserId;
use tenon_domain::oauth::ClientKind;
use tenon_testkit::{Backend, TestServer, User, both_databases};

use crate::browser::{Browser, Page, first};
use crate::{PASSWORD, member};

const PAGE: &str = "/oauth/applications";
const NAME: &str = "doorkeeper_application[name]";
const ADDRESSES: &str = "doorkeeper_application[redirect_uri]";
const CONFIDENTIAL: &str = "doorkeeper_application[confidential]";
const SCOPES: &str = "doorkeeper_application[scopes][]";
const CALLBACK: &str = "https://app.example/callback";
/// A name that would run as a script if it was not escaped.
const HOSTILE: &str = "<script>alert('x')</script>";

fn register(browser: &Browser, name: &str) -> Page {
    let form = browser.get("/oauth/applications/new").assert_status(200);
    let fields = [(NAME, name), (ADDRESSES, CALLBACK), (CONFIDENTIAL, "1"), (SCOPES, "read_user")];
    form.submit(browser, PAGE, &fields)
}

fn secret(page: &Page) -> String {
    first(&page.html, r#"id="application-secret"[^>]* value="([0-9a-f]{64})""#)
}

fn uid(page: &Page) -> String {
    first(&page.html, r#"id="application-id">([0-9a-f]{64})<"#)
}

fn path(page: &Page) -> String {
    first(&page.html, r#"href="(/oauth/applications/[0-9]+)/edit""#)
}

/// The status with which the application gets a token for itself.
fn proves(server: &TestServer, uid: &str, secret: &str) -> u16 {
    let form = format!("grant_type=client_credentials&client_id={uid}&client_secret={secret}");
    server.anonymous().form("POST", "//oauth/token", &form).status()
}

/// Applications of a user, without a browser.
fn fill(server: &TestServer, user: &User, count: usize) {
    for number in 0..count {
        let fields = ApplicationFields {
            name: format!("App {number}"),
            redirect_uri: CALLBACK.to_owned(),
            scopes: "api".to_owned(),
            kind: ClientKind::Confidential,
        };
        let owner = Identity::user(UserId::new(user.id));
        server.app().write_now(&owner, |command| oauth::create_own(command, fields)).expect("an application");
    }
}

fn set(server: &TestServer, open: bool) {
    let _ = server.root().put("/application/settings", json!({"user_oauth_applications": open})).assert_status(200);
}

#[both_databases]
fn an_application_is_registered_changed_and_removed(server: &TestServer) {
    let _ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    assert!(browser.get("/profile/keys").html.contains(r#"href="/oauth/applications""#), "the navigation leads there");
    let made = register(&browser, HOSTILE).assert_status(201);
    assert!(!made.html.contains(HOSTILE), "{}", made.html);
    let (page, uid, old) = (path(&made), uid(&made), secret(&made));
    assert_eq!(proves(server, &uid, &old), 200);
    let shown = browser.get(&page).assert_status(200);
    assert!(!shown.html.contains(&old) && shown.html.contains(CALLBACK) && shown.html.contains("Read your profile"));

    let renewed = shown.submit(&browser, &format!("{page}/renew"), &[]).assert_status(200);
    let new = secret(&renewed);
    assert_eq!((proves(server, &uid, &old), proves(server, &uid, &new)), (401, 200));

    let form = browser.get(&format!("{page}/edit")).assert_status(200);
    assert!(
        form.html.contains(r#"value="read_user" checked"#) && form.html.contains(r#"value="1" checked"#),
        "{}",
        form.html
    );
    let two = format!("{CALLBACK}\r\nhttp://localhost:7171/cb");
    let fields = [(NAME, "Second"), (ADDRESSES, &two), (SCOPES, "api"), (SCOPES, "openid")];
    assert_eq!(form.submit(&browser, &page, &fields).location(), page);
    let changed = browser.get(&page).assert_status(200);
    for text in ["Application saved.", "Second", CALLBACK, "http://localhost:7171/cb", "Authenticate you", "PKCE"] {
        assert!(changed.html.contains(text), "{text}: {}", changed.html);
    }
    let listed = server.root().get("/applications").json();
    assert_eq!((&listed[0]["scopes"], &listed[0]["confidential"]), (&json!(["api", "openid"]), &json!(false)));

    assert_eq!(changed.submit(&browser, &page, &[]).location(), PAGE);
    assert!(browser.get(PAGE).assert_status(200).html.contains("Application deleted."));
    let _ = browser.get(&page).assert_status(404);
    assert_eq!(proves(server, &uid, &new), 401);
}

#[both_databases]
fn the_form_says_which_addresses_are_accepted_and_why(server: &TestServer) {
    let _ada = member(server, "ada");
    let form =
        |server: &TestServer, page: &str| Browser::signed_in(server, "ada", PASSWORD).get(page).assert_status(200).html;
    let crosses = "the code that signs a user in crosses the network unencrypted";
    let page = form(server, "/oauth/applications/new");
    assert!(page.contains(crosses) && page.contains(r#"aria-describedby="application_addresses""#), "{page}");
    let page = form(&TestServer::beside_encrypted(server), "/oauth/applications/new");
    assert!(page.contains("An administrator can register other <code>http://</code> URLs"), "{page}");
    assert!(!page.contains(crosses), "{page}");
}

#[both_databases]
fn wrong_fields_come_back_with_what_is_wrong(server: &TestServer) {
    let _ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let form = browser.get("/oauth/applications/new").assert_status(200);
    let token = form.token();
    for (name, address, scope, field, problem) in [
        ("", CALLBACK, "api", "name", "Name can&#39;t be blank"),
        ("App", "", "api", "redirect_uri", "Redirect uri can&#39;t be blank"),
        ("App", "javascript:alert(1)", "api", "redirect_uri", "Redirect uri is forbidden by the server."),
        ("App", "/callback", "api", "redirect_uri", "Redirect uri must be an absolute URI."),
        ("App", CALLBACK, "", "scopes", "Scopes can&#39;t be blank"),
        ("App", CALLBACK, "everything", "scopes", "Scopes doesn&#39;t match"),
    ] {
        let fields = [("authenticity_token", token.as_str()), (NAME, name), (ADDRESSES, address), (SCOPES, scope)];
        let refused = browser.post(PAGE, &fields).assert_status(422);
        assert!(refused.html.contains(problem), "{problem}: {}", refused.html);
        assert!(refused.html.contains(&format!(r#"aria-describedby="problem-{field}""#)), "{}", refused.html);
        assert!(refused.html.contains(&format!(r#"id="problem-{field}""#)), "{}", refused.html);
        assert!(refused.html.contains(&format!(r#"value="{name}""#)), "what was typed is kept");
    }
    assert_eq!(server.database().count("SELECT count(*) FROM oauth_applications"), 0);
    let made = register(&browser, "App").assert_status(201);
    let form = browser.get(&format!("{}/edit", path(&made)));
    let refused = form.submit(&browser, &path(&made), &[(NAME, ""), (ADDRESSES, CALLBACK), (SCOPES, "api")]);
    assert!(refused.assert_status(422).html.contains("Name can&#39;t be blank"));
}

#[both_databases]
fn an_application_is_seen_and_changed_by_its_owner_and_by_administrators(server: &TestServer) {
    let (_ada, _bob) = (member(server, "ada"), member(server, "bob"));
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let made = register(&browser, "App of Ada").assert_status(201);
    let (page, of_ada) = (path(&made), secret(&made));
    let body = json!({"name": "Server", "redirect_uri": CALLBACK, "scopes": "api"});
    let of_server = server.root().post("/applications", body).assert_status(201).json()["id"].to_string();
    let fields = [(NAME, "Mine"), (ADDRESSES, "https://evil.example/"), (SCOPES, "api")];

    let bob = Browser::signed_in(server, "bob", PASSWORD);
    assert!(!bob.get(PAGE).assert_status(200).html.contains("App of Ada"));
    let token = bob.get("/").token();
    let missing = bob.get("/oauth/applications/999").assert_status(404);
    for page in [page.as_str(), &format!("{PAGE}/{of_server}")] {
        for path in [page.to_owned(), format!("{page}/edit")] {
            assert_eq!(bob.get(&path).assert_status(404).html, missing.html, "{path}");
        }
        for (method, path) in [("PUT", page.to_owned()), ("PUT", format!("{page}/renew")), ("DELETE", page.to_owned())]
        {
            let mut fields = fields.to_vec();
            fields.push(("authenticity_token", &token));
            let _ = bob.send(method, &path, &fields, &[]).assert_status(404);
        }
    }
    assert_eq!(proves(server, &uid(&browser.get(&page)), &of_ada), 200, "nothing has changed");

    let root = Browser::signed_in(server, "root", "root password");
    assert!(!root.get(PAGE).assert_status(200).html.contains("App of Ada"), "the list has one's own");
    let form = root.get(&format!("{page}/edit")).assert_status(200);
    assert_eq!(
        form.submit(&root, &page, &[(NAME, "Renamed"), (ADDRESSES, CALLBACK), (SCOPES, "api")]).location(),
        page
    );
    assert!(browser.get(PAGE).html.contains("Renamed"));
    assert_eq!(root.get(&page).submit(&root, &page, &[]).location(), PAGE);
    let _ = browser.get(&page).assert_status(404);
}

#[both_databases]
fn where_users_may_have_none_there_is_no_page_and_no_link(server: &TestServer) {
    let _ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = path(&register(&browser, "App").assert_status(201));
    set(server, false);
    let profile = browser.get("/profile/keys").assert_status(200);
    assert!(!profile.html.contains(r#"href="/oauth/applications""#), "{}", profile.html);
    for path in [PAGE, "/oauth/applications/new", &page, &format!("{page}/edit")] {
        let _ = browser.get(path).assert_status(404);
    }
    let token = profile.token();
    let fields = [("authenticity_token", token.as_str()), (NAME, "x"), (ADDRESSES, CALLBACK), (SCOPES, "api")];
    for (method, path) in [("POST", PAGE), ("PUT", &page), ("DELETE", &page), ("PUT", &format!("{page}/renew"))] {
        let _ = browser.send(method, path, &fields, &[]).assert_status(404);
    }
    assert_eq!(server.database().count("SELECT count(*) FROM oauth_applications WHERE name = 'App'"), 1);
    let root = Browser::signed_in(server, "root", "root password");
    let _ = register(&root, "Of an administrator").assert_status(201);
    assert!(root.get("/profile/keys").html.contains(r#"href="/oauth/applications""#));
    set(server, true);
    let _ = browser.get(&page).assert_status(200);
}

#[both_databases]
fn the_list_has_pages(server: &TestServer) {
    let ada = member(server, "ada");
    fill(server, &ada, 51);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let first = browser.get(PAGE).assert_status(200);
    assert!(
        first.html.contains("Page 1 of 2")
            && first.html.contains("Applications (51)")
            && !first.html.contains("App 50<")
    );
    let second = browser.get(&format!("{PAGE}?page=2")).assert_status(200);
    assert!(second.html.contains("App 50<") && !second.html.contains("App 49<"), "{}", second.html);
}

#[both_databases]
fn an_application_goes_with_its_owner(server: &TestServer) {
    let ada = member(server, "ada");
    fill(server, &ada, 1);
    let _ = server.root().delete(&format!("/users/{}?hard_delete=true", ada.id)).assert_status(204);
    server.run_jobs();
    assert_eq!(server.database().count("SELECT count(*) FROM oauth_applications"), 0);
}

#[both_databases]
fn an_application_of_a_user_asks_for_consent(server: &TestServer) {
    let (_ada, _bob) = (member(server, "ada"), member(server, "bob"));
    let made = register(&Browser::signed_in(server, "ada", PASSWORD), "App of Ada").assert_status(201);
    let bob = Browser::signed_in(server, "bob", PASSWORD);
    let asked = format!(
        "/oauth/authorize?client_id={}&redirect_uri=https%3A%2F%2Fapp.example%2Fcallback&response_type=code&scope=read_user",
        uid(&made)
    );
    let consent = bob.get(&asked).assert_status(200);
    assert!(consent.html.contains("App of Ada"), "{}", consent.html);
    assert!(consent.submit(&bob, "/oauth/authorize", &[]).location().starts_with(CALLBACK));
}

#[test]
fn a_user_may_have_so_many_applications_whatever_others_have() {
    let mut limits = Limits::without_rates();
    limits.oauth.applications_per_user = 2;
    limits.oauth.applications = 1;
    let server = TestServer::start_with(Backend::Sqlite, limits);
    let (ada, bob) = (member(&server, "ada"), member(&server, "bob"));
    fill(&server, &ada, 2);
    let refused = register(&Browser::signed_in(&server, "ada", PASSWORD), "Third").assert_status(422);
    assert!(refused.html.contains("There may be no more than 2 applications."), "{}", refused.html);
    fill(&server, &bob, 2);
    let body = json!({"name": "Server", "redirect_uri": CALLBACK, "scopes": "api"});
    let _ = server.root().post("/applications", body).assert_status(201);
}
