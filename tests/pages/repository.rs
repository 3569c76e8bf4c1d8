//! The settings of repositories, and hooks.

use serde_json::json;
use tenon_testkit::{TestServer, User, both_databases};

use crate::browser::{Browser, first, followed};
use crate::project::{MARKER, commit, project};
use crate::{PASSWORD, member};

/// A public project of `ada`'s, with `dev` as a developer.
fn world(server: &TestServer) -> (User, i64) {
    let ada = member(server, "ada");
    let id = project(&ada, "tool", "public");
    let _ = commit(&ada, "ada/tool", "main", "First", &[("a.txt", b"a\n")]);
    let _ = ada
        .post(&format!("/projects/{id}/repository/branches"), json!({"branch": "next", "ref": "main"}))
        .assert_status(201);
    let dev = member(server, "dev");
    let _ =
        ada.post(&format!("/projects/{id}/members"), json!({"user_id": dev.id, "access_level": 30})).assert_status(201);
    (ada, id)
}

#[both_databases]
fn the_repository_has_settings(server: &TestServer) {
    let (ada, id) = world(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let address = "/ada/tool/settings/repository";
    let page = browser.get(address).assert_status(200);
    let saved = page.submit(&browser, address, &[("project[default_branch]", "next")]);
    assert!(followed(&browser, &saved).contains("Settings saved."));
    assert_eq!(ada.get(&format!("/projects/{id}")).json()["default_branch"], "next");
    let page = browser.get(address);
    let made = page.submit(
        &browser,
        "/ada/tool/protected_branches",
        &[
            ("protected_branch[name]", "release/*"),
            ("protected_branch[push_access_level]", "0"),
            ("protected_branch[merge_access_level]", "30"),
        ],
    );
    assert!(followed(&browser, &made).contains("push: No one, merge: Developers and Maintainers"));
    let again = page
        .submit(&browser, "/ada/tool/protected_branches", &[("protected_branch[name]", "release/*")])
        .assert_status(422);
    assert!(again.html.contains("already exists") && again.html.contains("value=\"release/*\""), "{}", again.html);
    let _ = page
        .submit(
            &browser,
            "/ada/tool/protected_branches",
            &[("protected_branch[name]", ""), ("protected_branch[push_access_level]", "40")],
        )
        .assert_status(422);
    let odd = page.submit(
        &browser,
        "/ada/tool/protected_branches",
        &[("protected_branch[name]", "x"), ("protected_branch[push_access_level]", "7")],
    );
    assert!(matches!(odd.reply.status(), 400 | 422), "{}", odd.reply.status());
    let page = browser.get(address);
    assert!(page.html.contains("<summary class=\"button\" aria-label=\"Unprotect release/*\">"), "{}", page.html);
    let token = page.token();
    let ended = browser.post(
        "/ada/tool/protected_branches",
        &[("_method", "delete"), ("authenticity_token", &token), ("name", "release/*")],
    );
    assert!(!followed(&browser, &ended).contains("release/*"));
    let _ = browser
        .post(
            "/ada/tool/protected_branches",
            &[("_method", "delete"), ("authenticity_token", &token), ("name", "none")],
        )
        .assert_status(404);
    let made = page.submit(
        &browser,
        "/ada/tool/protected_tags",
        &[("protected_tag[name]", "v*"), ("protected_tag[create_access_level]", "40")],
    );
    assert!(followed(&browser, &made).contains("create: Maintainers"));
    let wrong = page
        .submit(&browser, "/ada/tool/deploy_keys", &[("deploy_key[title]", MARKER), ("deploy_key[key]", "no key")])
        .assert_status(422);
    assert!(wrong.html.contains("problem-key") && wrong.html.contains("&#34;&#62;&#60;img"), "{}", wrong.html);
    let made = page.submit(
        &browser,
        "/ada/tool/deploy_keys",
        &[
            ("deploy_key[title]", "CI"),
            ("deploy_key[key]", tenon_testkit::keys::ED25519),
            ("deploy_key[can_push]", "1"),
        ],
    );
    assert!(followed(&browser, &made).contains("Write access"));
    let page = browser.get(address);
    let key = first(&page.html, "action=\"(/ada/tool/deploy_keys/[0-9]+)\"");
    assert!(followed(&browser, &page.submit(&browser, &key, &[])).contains("Deploy keys (0)"));
}

#[both_databases]
fn settings_of_the_repository_are_for_maintainers(server: &TestServer) {
    let (ada, id) = world(server);
    let dev = Browser::signed_in(server, "dev", PASSWORD);
    let hook = ada
        .post(&format!("/projects/{id}/hooks"), json!({"url": "https://hooks.example/secret"}))
        .assert_status(201)
        .json()["id"]
        .clone();
    let edit = format!("/ada/tool/hooks/{hook}/edit");
    for path in ["/ada/tool/settings/repository", "/ada/tool/hooks", &edit] {
        let _ = dev.get(path).assert_status(403);
        assert!(Browser::of(server).get(path).location().starts_with("/users/sign_in"), "{path}");
    }
    let token = dev.get("/").token();
    for (path, method) in [
        ("/ada/tool/settings/repository", "put"),
        ("/ada/tool/protected_branches", "post"),
        ("/ada/tool/protected_tags", "post"),
        ("/ada/tool/deploy_keys", "post"),
        ("/ada/tool/hooks", "post"),
        (&format!("/ada/tool/hooks/{hook}"), "delete"),
    ] {
        let answer = dev.post(
            path,
            &[
                ("_method", method),
                ("authenticity_token", &token),
                ("protected_branch[name]", "x"),
                ("protected_tag[name]", "x"),
                ("deploy_key[title]", "x"),
                ("deploy_key[key]", tenon_testkit::keys::ED25519),
                ("hook[url]", "https://x.example"),
                ("project[default_branch]", "next"),
            ],
        );
        let _ = answer.assert_status(403);
    }
    let _ = ada.put(&format!("/projects/{id}"), json!({"visibility": "private"})).assert_status(200);
    let _ = member(server, "eve");
    let eve = Browser::signed_in(server, "eve", PASSWORD);
    let missing = eve.get("/no/page").html;
    for path in ["/ada/tool/settings/repository", "/ada/tool/hooks", &edit] {
        assert_eq!(eve.get(path).assert_status(404).html, missing, "{path}");
    }
}

#[both_databases]
fn hooks_are_managed(server: &TestServer) {
    let (ada, id) = world(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = browser.get("/ada/tool/hooks").assert_status(200);
    let wrong = page
        .submit(&browser, "/ada/tool/hooks", &[("hook[url]", "javascript:alert(1)"), ("hook[push_events]", "1")])
        .assert_status(422);
    assert!(wrong.html.contains("could not be saved") && !wrong.html.contains("href=\"javascript"), "{}", wrong.html);
    let made = page.submit(
        &browser,
        "/ada/tool/hooks",
        &[
            ("hook[url]", "https://hooks.example/x"),
            ("hook[token]", "a secret"),
            ("hook[issues_events]", "1"),
            ("hook[enable_ssl_verification]", "1"),
        ],
    );
    let list = followed(&browser, &made);
    assert!(list.contains("https://hooks.example/x") && !list.contains("a secret"), "{list}");
    let edit = first(&list, "href=\"(/ada/tool/hooks/[0-9]+/edit)\"");
    let hook = ada.get(&format!("/projects/{id}/hooks")).json()[0].clone();
    assert_eq!((&hook["issues_events"], &hook["push_events"]), (&json!(true), &json!(false)));
    let page = browser.get(&edit).assert_status(200);
    assert!(page.html.contains("No deliveries yet") && !page.html.contains("a secret"), "{}", page.html);
    let address = edit.trim_end_matches("/edit").to_owned();
    let token = page.token();
    let put = browser.post(
        &address,
        &[
            ("_method", "put"),
            ("authenticity_token", &token),
            ("hook[url]", "https://hooks.example/y"),
            ("hook[push_events]", "1"),
            ("hook[push_events_branch_filter]", "main"),
        ],
    );
    assert!(followed(&browser, &put).contains("https://hooks.example/y"));
    let wrong = browser
        .post(&address, &[("_method", "put"), ("authenticity_token", &token), ("hook[url]", "")])
        .assert_status(422);
    assert!(wrong.html.contains("could not be saved"), "{}", wrong.html);
    let _ = browser
        .post(&format!("{address}/test"), &[("authenticity_token", &token), ("trigger", "none")])
        .assert_status(404);
    let _ =
        browser.post(&format!("{address}/hook_logs/999/retry"), &[("authenticity_token", &token)]).assert_status(404);
    let _ = browser.get("/ada/tool/hooks/999999/edit").assert_status(404);
    assert_eq!(browser.get("/ada/tool/settings/integrations").location(), "/ada/tool/hooks");
    let gone = browser.post(&address, &[("_method", "delete"), ("authenticity_token", &token)]);
    assert!(followed(&browser, &gone).contains("0 total"));
}

/// Users, groups and deploy keys are named on a page of their own, which keeps what was typed.
#[both_databases]
fn who_may_do_what_with_protected_refs_is_edited_by_forms(server: &TestServer) {
    let (ada, id) = world(server);
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let team = ada.post("/groups", json!({"name": "Team", "path": "team"})).assert_status(201).json()["id"].clone();
    let body = json!({"group_id": team, "group_access": 30});
    let _ = ada.post(&format!("/projects/{id}/share"), body).assert_status(201);
    let body = json!({"title": "Deployer", "key": tenon_testkit::keys::ED25519, "can_push": true});
    let key = ada.post(&format!("/projects/{id}/deploy_keys"), body).assert_status(201).json()["id"].to_string();
    let rules = format!("/projects/{id}/protected_branches");
    let _ = ada.post(&rules, json!({"name": "release/*"})).assert_status(201);
    let list = browser.get("/ada/tool/settings/repository").assert_status(200);
    let address = first(&list.html, "href=\"(/ada/tool/settings/protected_branch[?]name=release[^\"]*)\"");
    let page = browser.get(&address).assert_status(200);
    assert!(page.html.contains("<code>release/*</code>") && page.html.contains("Deployer"), "{}", page.html);
    let fields = [
        ("rule[push_level]", "0"),
        ("rule[push_users]", "@dev"),
        ("rule[push_groups]", "team"),
        ("rule[push_keys][]", key.as_str()),
        ("rule[merge_level]", "30"),
        ("rule[unprotect_level]", ""),
        ("rule[unprotect_users]", "ada"),
        ("rule[allow_force_push]", "1"),
    ];
    let target = "/ada/tool/settings/protected_branch";
    let saved = page.send_with(&browser, target, &fields);
    let after = followed(&browser, &saved);
    let words = "push: No one, dev, Team, Deployer, merge: Developers and Maintainers, force push allowed";
    assert!(after.contains("Settings saved.") && after.contains(words), "{after}");
    let rule = ada.get(&format!("{rules}/release%2F*")).assert_status(200).json();
    let count = |field: &str| rule[field].as_array().unwrap().len();
    assert_eq!((count("push_access_levels"), count("unprotect_access_levels")), (4, 1));
    assert_eq!(
        (&rule["unprotect_access_levels"][0]["user_id"], &rule["allow_force_push"]),
        (&json!(ada.id), &json!(true))
    );
    // Without a change nothing changes; a name that is no member's is refused, and stays in its field.
    let page = browser.get(&address).assert_status(200);
    let _ = page.send_with(&browser, target, &[]).location();
    assert_eq!(ada.get(&format!("{rules}/release%2F*")).json(), rule);
    let refused = page.send_with(&browser, target, &[("rule[merge_users]", "stranger")]).assert_status(422);
    assert!(refused.html.contains("problem-allowed_to_merge") && refused.html.contains("value=\"stranger\""));
    assert_eq!(ada.get(&format!("{rules}/release%2F*")).json(), rule);
    // Another maintainer sees the rule, and is offered neither form.
    let eve = member(server, "eve");
    let body = json!({"user_id": eve.id, "access_level": 40});
    let _ = ada.post(&format!("/projects/{id}/members"), body).assert_status(201);
    let other = Browser::signed_in(server, "eve", PASSWORD);
    let list = other.get("/ada/tool/settings/repository").assert_status(200);
    assert!(list.html.contains(words) && !list.html.contains("Unprotect release/*"), "{}", list.html);
    let page = other.get(&address).assert_status(200);
    let _ = page.send_with(&other, target, &[("rule[push_level]", "40")]).assert_status(403);
    // Tags.
    let tags = format!("/projects/{id}/protected_tags");
    let _ = ada.post(&tags, json!({"name": "v*"})).assert_status(201);
    let page = browser.get("/ada/tool/settings/protected_tag?name=v%2A").assert_status(200);
    let saved = page.send_with(
        &browser,
        "/ada/tool/settings/protected_tag",
        &[("rule[create_level]", ""), ("rule[create_users]", "dev"), ("rule[create_keys][]", key.as_str())],
    );
    assert!(followed(&browser, &saved).contains("create: dev, Deployer"));
    let _ = browser.get("/ada/tool/settings/protected_tag?name=none").assert_status(404);
    let dev = Browser::signed_in(server, "dev", PASSWORD);
    let _ = dev.get(&address).assert_status(403);
}
