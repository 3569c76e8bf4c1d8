//! Forms that did not come from a page of this server.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use crate::browser::Browser;
use crate::{PASSWORD, member};

/// A method, a path, and fields.
type Form = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// Every form that changes something, with fields that would be right.
const FORMS: [Form; 68] = [
    ("POST", "/users/sign_in", &[("user[login]", "ada"), ("user[password]", PASSWORD)]),
    ("POST", "/users/sign_out", &[]),
    ("POST", "/users/auth/corp", &[]),
    ("POST", "/users/passkey", &[("credential", "{}")]),
    ("POST", "/users/passkey/challenge", &[]),
    ("POST", "/invites/decline", &[("invite_token", "x")]),
    ("POST", "/users", &[("user[name]", "x"), ("user[username]", "x"), ("user[email]", "x@example.org")]),
    ("POST", "/users/password", &[("user[email]", "ada@example.org")]),
    (
        "POST",
        "/users/password/edit",
        &[("user[reset_password_token]", "x"), ("user[password]", PASSWORD), ("user[password_confirmation]", PASSWORD)],
    ),
    ("POST", "/-/users/terms/accept", &[]),
    ("POST", "/admin/test_email", &[]),
    ("POST", "/admin/backups", &[("kind", "doctor")]),
    ("DELETE", "/admin/jobs/1", &[]),
    ("PUT", "/admin/jobs/1/retry", &[]),
    ("POST", "/admin/hooks", &[("hook[url]", "https://hooks.example.com/")]),
    ("POST", "/admin/hooks/1/test", &[]),
    ("POST", "/admin/broadcast_messages", &[("broadcast_message[message]", "x")]),
    ("POST", "/admin/variables", &[("variable[key]", "K"), ("variable[value]", "v")]),
    ("POST", "/groups/crew/-/settings/badges", &[("badge[link_url]", "https://x.example/")]),
    ("POST", "/groups/crew/-/boards", &[("board[name]", "x")]),
    ("POST", "/groups/crew/-/boards/1/move", &[("move[issue]", "1"), ("move[from]", "open"), ("move[to]", "closed")]),
    ("POST", "/groups/crew/-/settings/access_tokens", &[("access_token[name]", "x")]),
    ("POST", "/groups/crew/-/settings/deploy_tokens", &[("deploy_token[name]", "x")]),
    ("POST", "/groups/crew/-/variables", &[("variable[key]", "K"), ("variable[value]", "v")]),
    ("POST", "/admin/applications", &[("doorkeeper_application[name]", "x")]),
    ("DELETE", "/admin/applications/1", &[]),
    ("POST", "/invites/accept", &[("invite_token", "x")]),
    ("POST", "/groups/crew/-/group_members/request_access", &[]),
    ("DELETE", "/groups/crew/-/group_members/request_access", &[]),
    ("PUT", "/groups/crew/-/group_members/requests/1", &[("access_level", "50")]),
    ("DELETE", "/groups/crew/-/group_members/requests/1", &[]),
    ("PUT", "/groups/crew/-/group_members/invitations", &[("email", "a@example.org")]),
    ("DELETE", "/groups/crew/-/group_members/invitations", &[("email", "a@example.org")]),
    ("PUT", "/profile/password", &[("user[current_password]", PASSWORD), ("user[password]", "another horse")]),
    ("POST", "/profile/two_factor_auth", &[("pin_code", "000000")]),
    ("DELETE", "/profile/two_factor_auth", &[("user[password]", PASSWORD)]),
    ("POST", "/profile/two_factor_auth/codes", &[("user[password]", PASSWORD)]),
    ("PUT", "/profile/personal_access_tokens/1/revoke", &[]),
    ("DELETE", "/profile/keys/1", &[]),
    ("DELETE", "/profile/gpg_keys/1", &[]),
    ("DELETE", "/profile/active_sessions/1", &[]),
    (
        "POST",
        "/profile/personal_access_tokens",
        &[("personal_access_token[name]", "x"), ("personal_access_token[scopes][]", "api")],
    ),
    ("POST", "/profile/keys", &[("key[key]", "ssh-ed25519 AAAA x")]),
    ("POST", "/profile/gpg_keys", &[("gpg_key[key]", "x")]),
    ("POST", "/profile/emails", &[("email[email]", "x@example.org")]),
    ("POST", "/profile/emails/1", &[("_method", "delete")]),
    ("PUT", "/profile/notifications", &[("notification[level]", "disabled")]),
    ("DELETE", "/profile/active_sessions", &[]),
    ("POST", "/oauth/authorize", &[("client_id", "x")]),
    ("DELETE", "/oauth/authorized_applications/1", &[]),
    ("POST", "/oauth/device", &[("user_code", "BBBB-BBBB")]),
    ("POST", "/oauth/device/decision", &[("user_code", "BBBB-BBBB")]),
    ("DELETE", "/oauth/device/decision", &[("user_code", "BBBB-BBBB")]),
    ("POST", "/profile/two_factor_auth/secret", &[]),
    ("POST", "/profile/two_factor_auth/skip", &[]),
    ("POST", "/profile/identities", &[("provider", "corp"), ("user[password]", PASSWORD)]),
    ("DELETE", "/profile/identities", &[("provider", "corp"), ("user[password]", PASSWORD)]),
    ("POST", "/profile/two_factor_auth/passkeys", &[("passkey_name", "x"), ("credential", "{}")]),
    ("POST", "/profile/two_factor_auth/passkeys/challenge", &[("passkey_name", "x"), ("user[password]", PASSWORD)]),
    ("PUT", "/profile/two_factor_auth/passkeys/1", &[("passkey_name", "x")]),
    ("DELETE", "/profile/two_factor_auth/passkeys/1", &[("user[password]", PASSWORD)]),
    ("POST", "/snippets", &[("snippet[title]", "x"), ("snippet[names][]", "a"), ("snippet[contents][]", "x")]),
    ("PUT", "/snippets/1", &[("snippet[title]", "x")]),
    ("DELETE", "/snippets/1", &[]),
    ("POST", "/oauth/applications", &[("doorkeeper_application[name]", "x")]),
    ("PUT", "/oauth/applications/1", &[("doorkeeper_application[name]", "x")]),
    ("PUT", "/oauth/applications/1/renew", &[]),
    ("DELETE", "/oauth/applications/1", &[]),
];

/// The objects that can be changed below a project.
const BELOW: [(&str, &str); 111] = [
    ("", "wikis"),
    ("put", "wikis/home"),
    ("delete", "wikis/home"),
    ("", "snippets"),
    ("put", "snippets/1"),
    ("delete", "snippets/1"),
    ("", "snippets/1/notes"),
    ("delete", "snippets/1/notes/1"),
    ("", "create/main"),
    ("", "create/main?upload=1"),
    ("put", "edit/main/a.txt"),
    ("delete", "blob/main/a.txt"),
    ("", "merge_requests/1/conflicts"),
    ("", "commit/main/revert"),
    ("", "commit/main/cherry_pick"),
    ("", "merge_requests/1/source_branch"),
    ("delete", "merge_requests/1/source_branch"),
    ("", "merge_requests/1/suggestions/1/apply"),
    ("", "merge_requests/1/suggestions/apply"),
    ("", "issues"),
    ("put", "issues/1"),
    ("", "issues/1/notes"),
    ("put", "issues/1/notes/1"),
    ("delete", "issues/1/notes/1"),
    ("", "issues/1/move"),
    ("", "issues/1/facts/labels"),
    ("", "issues/1/tasks"),
    ("", "issues/1/notes/1/tasks"),
    ("", "merge_requests/1/facts/reviewer_ids"),
    ("", "merge_requests/1/tasks"),
    ("", "notification_setting"),
    ("", "issues/bulk_update"),
    ("", "merge_requests/bulk_update"),
    ("", "issues/1/toggle_subscription"),
    ("", "issues/1/toggle_award_emoji"),
    ("", "issues/1/notes/1/toggle_award_emoji"),
    ("", "merge_requests/1/viewed"),
    ("", "merge_requests/1/seen"),
    ("", "project_members/request_access"),
    ("delete", "project_members/request_access"),
    ("put", "project_members/requests/1"),
    ("delete", "project_members/requests/1"),
    ("put", "project_members/invitations"),
    ("delete", "project_members/invitations"),
    ("", "settings/approval_rules"),
    ("put", "settings/approval_rules/1"),
    ("delete", "settings/approval_rules/1"),
    ("", "boards"),
    ("put", "boards/1"),
    ("delete", "boards/1"),
    ("", "boards/1/lists"),
    ("put", "boards/1/lists/1"),
    ("delete", "boards/1/lists/1"),
    ("", "boards/1/move"),
    ("", "settings/badges"),
    ("put", "settings/badges/1"),
    ("delete", "settings/badges/1"),
    ("", "environments"),
    ("put", "environments/1"),
    ("delete", "environments/1"),
    ("", "environments/1/stop"),
    ("", "feature_flags"),
    ("put", "feature_flags/a/edit"),
    ("delete", "feature_flags/a/edit"),
    ("", "feature_flags/a/toggle"),
    ("", "feature_flags/a/strategies"),
    ("delete", "feature_flags/a/strategies/1"),
    ("", "feature_flags_user_lists"),
    ("put", "feature_flags_user_lists/1"),
    ("delete", "feature_flags_user_lists/1"),
    ("", "settings/access_tokens"),
    ("", "settings/access_tokens/1/rotate"),
    ("delete", "settings/access_tokens/1"),
    ("", "settings/deploy_tokens"),
    ("delete", "settings/deploy_tokens/1"),
    ("", "variables"),
    ("put", "variables/1"),
    ("delete", "variables/1"),
    ("", "labels"),
    ("put", "labels/1"),
    ("delete", "labels/1"),
    ("", "labels/1/toggle_subscription"),
    ("", "labels/1/promote"),
    ("", "milestones/1/promote"),
    ("", "group_links"),
    ("delete", "group_links/1"),
    ("delete", "remove_fork"),
    ("", "notes"),
    ("put", "notes/1"),
    ("delete", "notes/1"),
    ("", "notes/1/resolve"),
    ("delete", "notes/1/resolve"),
    ("", "milestones"),
    ("put", "milestones/1"),
    ("delete", "milestones/1"),
    ("", "merge_requests"),
    ("put", "merge_requests/1"),
    ("", "merge_requests/1/merge"),
    ("", "merge_requests/1/rebase"),
    ("", "merge_requests/1/approve"),
    ("", "merge_requests/1/request_changes"),
    ("", "merge_requests/1/unapprove"),
    ("", "approvals"),
    ("", "merge_requests/1/drafts"),
    ("", "merge_requests/1/drafts/publish"),
    ("put", "merge_requests/1/drafts/1"),
    ("delete", "merge_requests/1/drafts/1"),
    ("", "merge_requests/1/cancel_merge_when_pipeline_succeeds"),
    ("", "merge_requests/1/remove_wip"),
    ("", "merge_requests/1/notes"),
    ("delete", "merge_requests/1/discussions/0123456789012345678901234567890123456789/resolve"),
];

#[both_databases]
fn a_form_without_the_token_of_its_session_changes_nothing(server: &TestServer) {
    let _ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let stranger = Browser::of(server).get("/users/sign_in").token();
    let other = Browser::signed_in(server, "ada", PASSWORD).get("/").token();
    for (method, path, fields) in FORMS {
        for token in [None, Some(""), Some("wrong"), Some(stranger.as_str()), Some(other.as_str())] {
            let mut fields = fields.to_vec();
            fields.extend(token.map(|token| ("authenticity_token", token)));
            let page = browser.send(method, path, &fields, &[]);
            assert_eq!(page.reply.status(), 422, "{method} {path} {token:?}: {}", page.html);
        }
    }
    let _ = browser.get("/").assert_status(200);
}

#[both_databases]
fn a_form_from_another_site_changes_nothing_even_with_the_token(server: &TestServer) {
    let _ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let token = browser.get("/").token();
    let foreign: [&[(&str, &str)]; 4] = [
        &[("Sec-Fetch-Site", "cross-site")],
        &[("Sec-Fetch-Site", "same-site")],
        &[("Origin", "https://evil.example")],
        &[("Origin", "null")],
    ];
    for (method, path, fields) in FORMS {
        for headers in foreign {
            let mut fields = fields.to_vec();
            fields.push(("authenticity_token", &token));
            let page = browser.send(method, path, &fields, headers);
            assert_eq!(page.reply.status(), 422, "{method} {path} {headers:?}: {}", page.html);
        }
    }
    let _ = browser.get("/").assert_status(200);
}

#[both_databases]
fn a_form_below_a_project_needs_its_token_whether_or_not_there_is_one(server: &TestServer) {
    let ada = member(server, "ada");
    for (name, visibility) in [("open", "public"), ("own", "private")] {
        let id = crate::project::project(&ada, name, visibility);
        let _ = ada.post(&format!("/projects/{id}/issues"), json!({"title": "Kept"})).assert_status(201);
    }
    let (browser, stranger) = (Browser::signed_in(server, "ada", PASSWORD), Browser::of(server));
    let token = stranger.get("/users/sign_in").token();
    let missing = stranger.get("/no/page").assert_status(404).html;
    for (method, below) in BELOW {
        let fields = [("_method", method), ("issue[title]", "Forged"), ("note[note]", "Forged"), ("name", "tada")];
        for project in ["open", "own", "none"] {
            let path = format!("/ada/{project}/{below}");
            for forged in ["", "wrong", token.as_str()] {
                let mut fields = fields.to_vec();
                fields.push(("authenticity_token", forged));
                let _ = browser.post(&path, &fields).assert_status(422);
                let _ = browser.post(&format!("/ada/{project}/-/{below}"), &fields).assert_status(422);
            }
            let mut fields = fields.to_vec();
            fields.push(("authenticity_token", &token));
            let answer = stranger.post(&path, &fields);
            let status = answer.reply.status();
            if project == "open" {
                assert!(matches!(status, 401 | 403 | 404), "{method} {path}: {status}");
            } else {
                assert_eq!((status, answer.html == missing), (404, true), "{method} {path}");
            }
        }
    }
    let issues = ada.get("/projects/ada%2Fopen/issues").json();
    assert_eq!((issues.as_array().unwrap().len(), issues[0]["title"].as_str()), (1, Some("Kept")));
}

#[both_databases]
fn a_text_that_holds_nul_is_refused(server: &TestServer) {
    let _ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let token = browser.get("/").token();
    for (path, name) in
        [("/profile/personal_access_tokens", "personal_access_token[name]"), ("/profile/keys", "key[title]")]
    {
        let fields = [("authenticity_token", token.as_str()), (name, "a\0b")];
        let _ = browser.post(path, &fields).assert_status(400);
    }
}

#[both_databases]
fn signing_in_needs_a_page_first(server: &TestServer) {
    let _ada = member(server, "ada");
    let browser = Browser::of(server);
    let _ = browser.post("/users/sign_in", FORMS[0].2).assert_status(422);
    assert_eq!(browser.cookie("_service_session"), "");
}

#[both_databases]
fn reading_signs_no_one_out(server: &TestServer) {
    let _ada = member(server, "ada");
    let browser = Browser::signed_in(server, "ada", PASSWORD);
    let page = browser.get("/users/sign_out").assert_status(200);
    let _ = browser.get("/").assert_status(200);
    assert_eq!(page.submit(&browser, "/users/sign_out", &[]).location(), "/users/sign_in");
}

#[both_databases]
fn pages_are_for_the_user_who_has_signed_in(server: &TestServer) {
    let _ada = member(server, "ada");
    let browser = Browser::of(server);
    for path in [
        "/profile",
        "/profile/preferences",
        "/profile/personal_access_tokens",
        "/profile/keys",
        "/profile/gpg_keys",
        "/profile/emails",
        "/profile/active_sessions",
        "/oauth/authorized_applications",
        "/oauth/authorize?client_id=x",
        "/oauth/applications",
        "/oauth/applications/new",
        "/oauth/applications/1",
        "/oauth/applications/1/edit",
    ] {
        assert!(browser.get(path).location().starts_with("/users/sign_in?return_to=%2F"), "{path}");
    }
    let token = browser.get("/users/sign_in").token();
    for (method, path, fields) in FORMS.into_iter().skip(9) {
        let mut fields = fields.to_vec();
        fields.push(("authenticity_token", &token));
        let _ = browser.send(method, path, &fields, &[]).assert_status(401);
    }
}
