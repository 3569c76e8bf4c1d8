//! The pages of administrators.

use serde_json::json;
use tenon_domain::settings::AREAS;
use tenon_testkit::{TestServer, both_databases};

use crate::browser::{Browser, followed, pattern};
use crate::project::{MARKER, project};
use crate::{PASSWORD, member};

const PAGES: [&str; 18] = [
    "/admin",
    "/admin/users",
    "/admin/users/new",
    "/admin/users/1",
    "/admin/users/1/edit",
    "/admin/users/1/projects",
    "/admin/users/1/keys",
    "/admin/users/1/impersonation_tokens",
    "/admin/application_settings",
    "/admin/projects",
    "/admin/groups",
    "/admin/backups",
    "/admin/jobs",
    "/admin/applications",
    "/admin/applications/new",
    "/admin/hooks",
    "/admin/broadcast_messages",
    "/admin/variables",
];

pub(crate) fn root(server: &TestServer) -> Browser {
    Browser::signed_in(server, "root", "root password")
}

#[both_databases]
fn only_administrators_have_the_pages(server: &TestServer) {
    let _ = member(server, "ada");
    let ada = Browser::signed_in(server, "ada", PASSWORD);
    let token = ada.get("/").token();
    for page in PAGES {
        assert!(Browser::of(server).get(page).location().starts_with("/users/sign_in?return_to="), "{page}");
        let _ = ada.get(page).assert_status(403);
        let shown = root(server).get(page).assert_status(200).html;
        assert!(shown.contains("<a href=\"/admin\""), "{page}: {shown}");
    }
    for (path, method) in [
        ("/admin/users", "post"),
        ("/admin/users/1", "put"),
        ("/admin/users/1", "delete"),
        ("/admin/users/1/block", "put"),
        ("/admin/users/1/impersonation_tokens", "post"),
        ("/admin/users/1/impersonation_tokens/1/revoke", "put"),
        ("/admin/application_settings", "put"),
        ("/admin/test_email", "post"),
        ("/admin/backups", "post"),
        ("/admin/jobs/1", "delete"),
        ("/admin/jobs/1/retry", "put"),
        ("/admin/hooks", "post"),
        ("/admin/hooks/1/test", "post"),
        ("/admin/variables", "post"),
        ("/admin/variables/1", "put"),
        ("/admin/variables/1", "delete"),
        ("/admin/broadcast_messages", "post"),
        ("/admin/broadcast_messages/1", "delete"),
    ] {
        let answer = ada.post(
            path,
            &[("_method", method), ("authenticity_token", &token), ("application_setting[signup_enabled]", "0")],
        );
        let _ = answer.assert_status(403);
    }
    assert!(!ada.get("/").html.contains("/admin"));
    assert_eq!(server.root().get("/application/settings").json()["signup_enabled"], true);
}

#[both_databases]
fn accounts_are_managed(server: &TestServer) {
    let ada = member(server, "ada");
    let browser = root(server);
    let page = browser.get("/admin/users?search=ada").assert_status(200);
    assert!(page.html.contains("@ada") && page.html.contains("1 total"), "{}", page.html);
    let address = format!("/admin/users/{}", ada.id);
    let state = || server.root().get(&format!("/users/{}", ada.id)).json()["state"].clone();
    for (event, want) in [("block", "blocked"), ("unblock", "active"), ("ban", "banned"), ("unban", "active")] {
        let done = browser.get("/admin/users").submit(&browser, &format!("{address}/{event}"), &[]);
        assert!(followed(&browser, &done).contains("Account updated."), "{event}");
        assert_eq!(state(), want, "{event}");
    }
    let token = browser.get("/admin/users").token();
    let put = |path: &str| browser.post(path, &[("_method", "put"), ("authenticity_token", &token)]);
    let _ = put(&format!("{address}/none")).assert_status(404);
    let _ = put("/admin/users/999999/block").assert_status(404);
    assert!(put("/admin/users/1/block").reply.status() >= 400, "not oneself");
    assert!(put(&format!("{address}/approve")).reply.status() >= 400, "it does not wait");
    for odd in [
        "?filter=blocked",
        "?filter=pending",
        "?filter=external",
        "?filter=none",
        "?page=99999999999999999999",
        "?search=%22%3E%3Cb%3Ex%3C%2Fb%3E",
    ] {
        assert!(!browser.get(&format!("/admin/users{odd}")).assert_status(200).html.contains("<b>x"), "{odd}");
    }
    let form = browser.get("/admin/users/new").assert_status(200);
    let wrong = form
        .submit(
            &browser,
            "/admin/users",
            &[("user[name]", MARKER), ("user[username]", "new user"), ("user[email]", "none"), ("user[password]", "x")],
        )
        .assert_status(422);
    assert!(wrong.html.contains("problem-username") && wrong.html.contains("&#34;&#62;&#60;img"), "{}", wrong.html);
    let made = form.submit(
        &browser,
        "/admin/users",
        &[
            ("user[name]", "New"),
            ("user[username]", "new"),
            ("user[email]", "new@x.example"),
            ("user[password]", "first password"),
        ],
    );
    assert!(followed(&browser, &made).contains("@new"));
    let edit = browser.get(&format!("{address}/edit")).assert_status(200);
    let saved = edit.submit(
        &browser,
        &address,
        &[
            ("user[name]", "Ada L."),
            ("user[username]", "ada"),
            ("user[email]", "ada@x.example"),
            ("user[password]", "another password"),
            ("user[projects_limit]", "7"),
        ],
    );
    assert!(followed(&browser, &saved).contains("Ada L."));
    assert_eq!(Browser::of(server).sign_in("ada", PASSWORD).reply.status(), 422, "the password was reset");
    let wrong =
        edit.submit(&browser, &address, &[("user[name]", ""), ("user[projects_limit]", "x")]).assert_status(422);
    assert!(wrong.html.contains("problem-projects_limit"), "{}", wrong.html);
    let deleted = browser.get("/admin/users").submit(&browser, &address, &[]);
    let _ = followed(&browser, &deleted);
    let _ = server.root().get(&format!("/users/{}", ada.id)).assert_status(404);
}

#[both_databases]
fn an_account_has_pages_of_its_own(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = project(&ada, "secret", "private");
    let key = json!({"title": MARKER, "key": tenon_testkit::keys::ED25519});
    let _ = ada.post("/user/keys", key).assert_status(201);
    let browser = root(server);
    let address = format!("/admin/users/{}", ada.id);
    let page = browser.get(&address).assert_status(200);
    assert!(
        page.html.contains("<th scope=\"row\">Status</th><td>Active</td>") && page.html.contains("Last sign-in"),
        "{}",
        page.html
    );
    // An action on the page leads back to it.
    for (event, want) in [("block", "Blocked"), ("unblock", "Active")] {
        let done = browser.get(&address).submit(&browser, &format!("{address}/{event}"), &[]);
        assert_eq!(done.location(), address, "{event}");
        assert!(followed(&browser, &done).contains(&format!("<td>{want}</td>")), "{event}");
    }
    let _ = browser.get(&address).submit(&browser, &format!("{address}/block"), &[]);
    let _ = ada.get("/user").assert_status(403);
    let _ = browser.get(&address).submit(&browser, &format!("{address}/unblock"), &[]);
    assert!(!page.html.contains("two_factor\""), "there is none that could be turned off");
    assert!(browser.get(&format!("{address}/projects")).assert_status(200).html.contains("/ada/secret\""));
    let keys = browser.get(&format!("{address}/keys")).assert_status(200).html;
    assert!(
        keys.contains("SSH keys (1)") && keys.contains("&#34;&#62;&#60;img") && keys.contains("ssh-ed25519"),
        "{keys}"
    );
    // A token acts as the user, and is shown once.
    let beyond = browser.get(&format!("{address}/keys?page=9")).assert_status(200).html;
    assert!(beyond.contains("The last page is 1."), "{beyond}");
    let tokens = format!("{address}/impersonation_tokens");
    let form = browser.get(&tokens).assert_status(200);
    let fields = |name: &'static str, day: &'static str, scope: &'static str| {
        [
            ("personal_access_token[name]", name),
            ("personal_access_token[expires_at]", day),
            ("personal_access_token[scopes][]", scope),
        ]
    };
    for (day, scope, want) in [("soon", "api", "problem-expires_at"), ("", "nonsense", "problem-scopes")] {
        let wrong = form.submit(&browser, &tokens, &fields("robot", day, scope)).assert_status(422);
        assert!(wrong.html.contains(want) && wrong.html.contains("value=\"robot\""), "{want}: {}", wrong.html);
    }
    // The scopes of personal tokens are offered, but that of administrators is not.
    assert!(form.html.contains("value=\"write_repository\"") && !form.html.contains("value=\"sudo\""), "{}", form.html);
    let made = form.submit(&browser, &tokens, &fields("robot", "2099-01-31", "api")).assert_status(201);
    let secret = crate::browser::first(&made.html, "aria-label=\"New token\" value=\"([^\"]+)\"");
    assert_eq!(server.client(&secret).get("/user").assert_status(200).json()["username"], "ada");
    let list = browser.get(&tokens).assert_status(200);
    assert!(list.html.contains("Active tokens (1)") && !list.html.contains(&secret), "{}", list.html);
    let revoke = crate::browser::first(&list.html, "action=\"([^\"]+/revoke)\"");
    let done = list.submit(&browser, &revoke, &[]);
    assert!(followed(&browser, &done).contains("Token revoked."));
    let _ = server.client(&secret).get("/user").assert_status(401);
    for missing in ["999999", "x", "0"] {
        for below in ["", "/edit", "/projects", "/keys", "/impersonation_tokens"] {
            let _ = browser.get(&format!("/admin/users/{missing}{below}")).assert_status(404);
        }
    }
}

#[both_databases]
fn settings_are_changed_area_by_area(server: &TestServer) {
    let browser = root(server);
    let front = browser.get("/admin/application_settings").assert_status(200);
    let areas: Vec<String> =
        pattern(r#"href="\?area=([0-9]+)""#).captures_iter(&front.html).map(|found| found[1].to_owned()).collect();
    assert!(areas.len() > 3, "{areas:?}");
    // An area of which the page shows nothing, and one that does not exist, are those of the first page.
    let without = (0..1_000_usize).map(|number| number.to_string()).find(|number| !areas.contains(number)).unwrap();
    for other in [without.as_str(), "999"] {
        let page = browser.get(&format!("/admin/application_settings?area={other}")).assert_status(200);
        assert!(page.html.contains("application_setting["), "{other}: {}", page.html);
    }
    for area in &areas {
        let page = browser.get(&format!("/admin/application_settings?area={area}")).assert_status(200);
        assert!(page.html.contains("application_setting["), "{area}");
        // A form that is sent as it stands changes nothing.
        let before = server.root().get("/application/settings").json();
        let token = page.token();
        let fields = [("_method", "put"), ("authenticity_token", token.as_str()), ("area", area.as_str())];
        assert_eq!(browser.post("/admin/application_settings", &fields).reply.status(), 303, "{area}");
        assert_eq!(server.root().get("/application/settings").json()["signup_enabled"], before["signup_enabled"]);
    }
    let page = browser.get("/admin/application_settings").assert_status(200);
    assert!(page.html.contains("name=\"application_setting[signup_enabled]\" value=\"1\" checked"), "{}", page.html);
    let token = page.token();
    let put = |fields: &[(&str, &str)]| {
        let all: Vec<(&str, &str)> = [("_method", "put"), ("authenticity_token", token.as_str())]
            .into_iter()
            .chain(fields.iter().copied())
            .collect();
        browser.post("/admin/application_settings", &all)
    };
    let saved = put(&[
        ("area", "0"),
        ("application_setting[signup_enabled]", "0"),
        ("application_setting[domain_whitelist]", "a.example\nb.example"),
    ]);
    assert!(followed(&browser, &saved).contains("Settings saved."));
    let api = server.root().get("/application/settings").json();
    assert_eq!((&api["signup_enabled"], &api["domain_whitelist"]), (&json!(false), &json!(["a.example", "b.example"])));
    let at = AREAS
        .iter()
        .position(|area| area.settings.iter().any(|setting| setting.name == "max_attachment_size"))
        .unwrap()
        .to_string();
    let wrong = put(&[("area", &at), ("application_setting[max_attachment_size]", "many")]).assert_status(422);
    assert!(wrong.html.contains("problem-max_attachment_size"), "{}", wrong.html);
    let wrong = put(&[
        ("area", &at),
        ("application_setting[max_attachment_size]", "-4"),
        ("application_setting[default_branch_name]", MARKER),
    ])
    .assert_status(422);
    assert!(
        wrong.html.contains("problem-max_attachment_size") && wrong.html.contains("&#34;&#62;&#60;img"),
        "{}",
        wrong.html
    );
}

#[both_databases]
fn an_account_that_waits_is_rejected_by_two_buttons(server: &TestServer) {
    server.set("require_admin_approval_after_user_signup", &json!(true));
    let stranger = Browser::of(server);
    let fields = [
        ("user[name]", "Grace"),
        ("user[username]", "grace"),
        ("user[email]", "grace@example.org"),
        ("user[password]", PASSWORD),
    ];
    let _ = stranger.get("/users/sign_up").submit(&stranger, "/users", &fields).assert_status(302);
    let browser = root(server);
    let list = browser.get("/admin/users?filter=pending").assert_status(200);
    assert!(list.html.contains("@grace") && list.html.contains(">Reject and delete user</button>"), "{}", list.html);
    let id = server.root().get("/users?username=grace").json()[0]["id"].as_i64().unwrap();
    let address = format!("/admin/users/{id}");
    let done = list.submit(&browser, &format!("{address}/reject"), &[]);
    assert!(!followed(&browser, &done).contains("@grace"));
    server.run_jobs();
    let _ = browser.get(&address).assert_status(404);
    assert!(stranger.sign_in("grace", PASSWORD).assert_status(422).html.contains("Invalid username or password."));
    // Only who waits can be rejected.
    let ada = member(server, "ada");
    let refused = list.submit(&browser, &format!("{address}/reject"), &[]);
    assert!(refused.reply.status() >= 400, "{}", refused.html);
    let token = list.token();
    let refused =
        browser.post(&format!("/admin/users/{}/reject", ada.id), &[("_method", "put"), ("authenticity_token", &token)]);
    assert!(refused.reply.status() >= 400, "{}", refused.html);
    let _ = ada.get("/user").assert_status(200);
}

#[both_databases]
fn all_projects_and_groups_are_listed(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = project(&ada, "secret", "private");
    let _ = ada.post("/groups", json!({"name": "Crew", "path": "crew", "visibility": "private"})).assert_status(201);
    let browser = root(server);
    assert!(browser.get("/admin/projects").html.contains("/ada/secret\""));
    assert!(browser.get("/admin/groups").html.contains("/groups/crew\""));
    let counts = browser.get("/admin").html;
    assert!(counts.contains("<a href=\"/admin/projects\">Projects</a><span class=\"end\">1</span>"), "{counts}");
}
