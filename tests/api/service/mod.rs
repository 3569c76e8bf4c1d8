//! Services of projects, under both of their names.

mod chat;
mod external_wiki;
mod mail;
mod mail_budget;
mod tracker;

use serde_json::{Value, json};
use tenon_testkit::{TestServer, User, both_databases};

use crate::support::*;

const FLAGS: [&str; 11] = [
    "commit_events",
    "push_events",
    "issues_events",
    "confidential_issues_events",
    "merge_requests_events",
    "tag_push_events",
    "note_events",
    "confidential_note_events",
    "pipeline_events",
    "wiki_page_events",
    "job_events",
];

const SLACK: &str = "https://hooks.example.com/services/T1/B1/x";

fn scene(server: &TestServer) -> (User, String) {
    let alice = server.user("alice");
    let project = format!("/projects/{}", project(&alice, "tool", "public"));
    (alice, project)
}

fn saved(client: &User, path: &str, body: Value) -> Value {
    client.put(path, body).assert_status(200).json()
}

#[both_databases]
fn a_service_that_was_never_set_wants_everything_and_is_not_in_use(server: &TestServer) {
    let (alice, project) = scene(server);
    let service = alice.get(&format!("{project}/services/slack")).assert_status(200).json();
    for field in ["id", "created_at", "updated_at"] {
        assert_eq!(service[field], Value::Null, "{field}");
    }
    for flag in FLAGS {
        assert_eq!(service[flag], json!(true), "{flag}");
    }
    assert_eq!(
        (&service["active"], &service["properties"], &service["slug"], &service["title"]),
        (&json!(false), &json!({}), &json!("slack"), &json!("Slack notifications"))
    );
    alice.get(&format!("{project}/integrations/slack")).assert(404, missing("Integration"));
    alice.delete(&format!("{project}/integrations/slack")).assert(404, missing("Integration"));
    let _ = alice.delete(&format!("{project}/services/slack")).assert_status(204);
    alice.get(&format!("{project}/services")).assert(200, json!([]));
}

#[both_databases]
fn what_is_set_is_in_use_under_both_names(server: &TestServer) {
    let (alice, project) = scene(server);
    let service = saved(
        &alice,
        &format!("{project}/services/slack"),
        json!({
            "webhook": SLACK, "username": "tenon", "channel": "#all", "push_channel": "#push", "push_events": false,
            "active": false, "no_such_setting": "x",
        }),
    );
    assert_eq!(
        (&service["active"], &service["push_events"], &service["job_events"]),
        (&json!(true), &json!(false), &json!(true))
    );
    let properties = &service["properties"];
    assert_eq!(
        (&properties["webhook"], &properties["username"], &properties["push_channel"]),
        (&json!(SLACK), &json!("tenon"), &json!("#push"))
    );
    assert_eq!(
        (
            &properties["notify_only_broken_pipelines"],
            &properties["notify_only_default_branch"],
            &properties["note_channel"]
        ),
        (&json!(true), &json!(true), &Value::Null)
    );
    assert_lacks(properties, &["channel", "no_such_setting"]);
    for path in [format!("{project}/services/slack"), format!("{project}/integrations/slack")] {
        assert_eq!(alice.get(&path).assert_status(200).json(), service, "{path}");
    }
    let kept = saved(
        &alice,
        &format!("{project}/integrations/slack"),
        json!({"webhook": SLACK, "username": "", "push_channel": null}),
    );
    assert_eq!(
        (&kept["properties"]["username"], &kept["properties"]["push_channel"], &kept["push_events"]),
        (&Value::Null, &Value::Null, &json!(false)),
        "empty and null clear; what is not named stays"
    );
    assert_eq!((&kept["id"], &kept["created_at"]), (&service["id"], &service["created_at"]));
}

#[both_databases]
fn the_list_has_what_is_in_use_without_settings(server: &TestServer) {
    let (alice, project) = scene(server);
    for (slug, body) in [
        (
            "redmine",
            json!({"new_issue_url": "https://r.example.com/new", "project_url": "https://r.example.com/", "issues_url": "https://r.example.com/:id"}),
        ),
        ("external-wiki", json!({"external_wiki_url": "https://wiki.example.com/"})),
        ("flowdock", json!({"token": "t"})),
    ] {
        saved(&alice, &format!("{project}/services/{slug}"), body);
    }
    let _ = alice.delete(&format!("{project}/services/flowdock")).assert_status(204);
    for name in ["services", "integrations"] {
        let list = alice.get(&format!("{project}/{name}?per_page=1")).assert_status(200);
        assert_eq!(list.each("slug"), [json!("redmine"), json!("external-wiki")]);
        assert_lacks(&list.json()[0], &["properties"]);
        assert_eq!(list.header("x-total"), "");
    }
}

#[both_databases]
fn secrets_are_never_returned_nor_stored_readably(server: &TestServer) {
    let (alice, project) = scene(server);
    let secret = "s3cr3t-word";
    for (slug, body) in [
        (
            "bamboo",
            json!({"bamboo_url": "https://b.example.com/", "build_key": secret, "username": "u", "password": secret}),
        ),
        ("pushover", json!({"api_key": secret, "user_key": secret, "priority": "0", "device": "d", "sound": "s"})),
        ("drone-ci", json!({"token": secret, "drone_url": "https://d.example.com/"})),
        ("slack", json!({"webhook": format!("https://hooks.example.com/{secret}")})),
        ("slack-slash-commands", json!({"token": secret})),
    ] {
        let path = format!("{project}/services/{slug}");
        let put = alice.put(&path, body).assert_status(200).text();
        let shown = alice.get(&path).assert_status(200).text();
        for text in [put, shown, alice.get(&format!("{project}/services")).text()] {
            assert!(slug == "slack" || !text.contains(secret), "{slug}: {text}");
        }
    }
    let plain = format!(
        "SELECT COUNT(*) FROM services WHERE properties LIKE '%{secret}%' OR sealed_properties LIKE '%{secret}%'"
    );
    assert_eq!(server.database().count(&plain), 0);
    assert_eq!(server.database().count("SELECT COUNT(*) FROM services WHERE sealed_properties IS NOT NULL"), 5);
}

#[both_databases]
fn a_service_out_of_use_is_remembered_without_settings(server: &TestServer) {
    let (alice, project) = scene(server);
    let path = format!("{project}/services/drone-ci");
    let service =
        saved(&alice, &path, json!({"token": "t", "drone_url": "https://d.example.com/", "push_events": false}));
    alice
        .header("If-Unmodified-Since", "Mon, 02 Mar 2026 11:00:00 GMT")
        .delete(&path)
        .assert(412, json!({"message": "412 Precondition Failed"}));
    let _ = alice.delete(&path).assert_status(204);
    let gone = alice.get(&format!("{project}/integrations/drone-ci")).assert_status(200).json();
    assert_eq!((&gone["id"], &gone["active"], &gone["push_events"]), (&service["id"], &json!(false), &json!(false)));
    assert_eq!(gone["properties"], json!({"drone_url": null, "enable_ssl_verification": null}));
    assert_eq!(server.database().count("SELECT COUNT(*) FROM services WHERE sealed_properties IS NOT NULL"), 0);
    alice.get(&format!("{project}/services")).assert(200, json!([]));
    let again = saved(&alice, &path, json!({"token": "t", "drone_url": "https://d.example.com/"}));
    assert_eq!((&again["id"], &again["active"]), (&service["id"], &json!(true)));
}

#[both_databases]
fn what_a_kind_requires_has_to_be_there_each_time(server: &TestServer) {
    let (alice, project) = scene(server);
    let put = |slug: &str, body: Value| alice.put(&format!("{project}/services/{slug}"), body);
    put("slack", json!({})).assert(400, parameter("webhook is missing"));
    put("bamboo", json!({"bamboo_url": "https://b.example.com/"}))
        .assert(400, parameter("build_key is missing, username is missing, password is missing"));
    put("slack", json!({"webhook": ""})).assert(400, field("webhook", "can't be blank"));
    put("slack", json!({"webhook": null})).assert(400, field("webhook", "can't be blank"));
    put("slack", json!({"webhook": SLACK, "push_events": "maybe"})).assert(400, parameter("push_events is invalid"));
    put("slack", json!({"webhook": SLACK, "notify_only_default_branch": "maybe"}))
        .assert(400, parameter("notify_only_default_branch is invalid"));
    put("irker", json!({"recipients": "irc://irc.example.com/#a", "server_port": "x"}))
        .assert(400, parameter("server_port is invalid"));
    put("irker", json!({"recipients": "irc://irc.example.com/#a", "server_port": 70000}))
        .assert(400, field("server_port", "is invalid"));
    put("irker", json!({"recipients": "#a #b"})).assert(400, field("recipients", "are all invalid"));
    put("emails-on-push", json!({"recipients": "someone"})).assert(400, field("recipients", "is invalid"));
    put("pipelines-email", json!({"recipients": vec!["a@example.com"; 101].join(",")}))
        .assert(400, field("recipients", "are too many (maximum is 100)"));
    put("flowdock", json!({"token": "a\r\nX-Evil: 1"})).assert(400, field("token", "is invalid"));
    put("flowdock", json!({"token": "a".repeat(2049)})).assert(400, field("token", "is too long"));
    assert_eq!(server.database().count("SELECT COUNT(*) FROM services"), 0);
    let typed = saved(
        &alice,
        &format!("{project}/services/irker"),
        json!({"recipients": "irc://irc.example.com/#a", "server_port": "6659", "colorize_messages": "1"}),
    );
    assert_eq!(
        (&typed["properties"]["server_port"], &typed["properties"]["colorize_messages"]),
        (&json!(6659), &json!(true))
    );
}

#[both_databases]
fn a_kind_that_does_not_exist_is_refused(server: &TestServer) {
    let (alice, project) = scene(server);
    let bob = server.user("bob");
    for (name, text) in
        [("services", "service_slug does not have a valid value"), ("integrations", "slug does not have a valid value")]
    {
        let path = format!("{project}/{name}/no-such");
        alice.get(&path).assert(400, parameter(text));
        alice.delete(&path).assert(400, parameter(text));
        bob.get(&path).assert(403, forbidden());
        let put = alice.put(&path, json!({})).assert_status(405);
        assert_eq!(put.header("allow"), "OPTIONS, GET, HEAD, DELETE");
        server.anonymous().get(&path).assert(401, unauthorized());
    }
    bob.put(&format!("{project}/services/slack"), json!({})).assert(403, forbidden());
    assert_eq!(
        saved(&alice, &format!("{project}/integrations/google-chat"), json!({"webhook": SLACK}))["slug"],
        "hangouts-chat"
    );
}

#[both_databases]
fn addresses_of_services_are_public_ones(server: &TestServer) {
    let (alice, project) = scene(server);
    let path = format!("{project}/services/slack");
    for url in [
        "http://127.0.0.1/",
        "http://[::1]/",
        "http://0.0.0.0/",
        "http://10.0.0.1/",
        "http://172.16.0.1/",
        "http://192.168.0.1/",
        "http://169.254.169.254/latest",
        "http://[fc00::1]/",
        "http://[fe80::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://100.64.0.1/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://localhost./",
        "gopher://example.com/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "https://user:pass@example.com/",
        "https://example.com/\r\nX: 1",
        "example.com",
    ] {
        alice
            .put(&path, json!({"webhook": url}))
            .assert(400, field("webhook", "must be a valid URL of a public address"));
    }
    let wiki = format!("{project}/services/external-wiki");
    alice
        .put(&wiki, json!({"external_wiki_url": "javascript:alert(1)"}))
        .assert(400, field("external_wiki_url", "must be a valid URL of a public address"));
    server.set("allow_local_requests_from_hooks_and_services", &json!(true));
    saved(&alice, &path, json!({"webhook": "http://127.0.0.1:9000/"}));
    alice
        .put(&path, json!({"webhook": "file:///etc/passwd"}))
        .assert(400, field("webhook", "must be a valid URL of a public address"));
}

#[both_databases]
fn a_secret_does_not_follow_a_service_to_another_address(server: &TestServer) {
    let (alice, project) = scene(server);
    let path = format!("{project}/services/jenkins");
    let body = |url: &str| json!({"jenkins_url": url, "project_name": "p"});
    let mut first = body("https://a.example.com/");
    first["password"] = json!("p");
    saved(&alice, &path, first);
    let sealed = || server.database().count("SELECT COUNT(*) FROM services WHERE sealed_properties IS NOT NULL");
    saved(&alice, &path, body("https://a.example.com/"));
    assert_eq!(sealed(), 1, "the address is the same");
    saved(&alice, &path, body("https://b.example.com/"));
    assert_eq!(sealed(), 0);
}

#[both_databases]
fn maintainers_look_after_the_services_of_archived_projects_too(server: &TestServer) {
    let alice = server.user("alice");
    let (dora, mia) = (server.user("dora"), server.user("mia"));
    let project = format!("/projects/{}", project(&alice, "tool", "private"));
    let (services, flowdock) = (format!("{project}/services"), format!("{project}/services/flowdock"));
    dora.get(&services).assert(404, missing("Project"));
    member(&alice, &project, dora.id, 30);
    member(&alice, &project, mia.id, 40);
    dora.get(&services).assert(403, forbidden());
    dora.put(&flowdock, json!({"token": "t"})).assert(403, forbidden());
    let _ = alice.post(&format!("{project}/archive"), json!({})).assert_status(200);
    saved(&mia, &flowdock, json!({"token": "t"}));
    let _ = mia.delete(&flowdock).assert_status(204);
}

#[both_databases]
fn a_service_whose_secrets_cannot_be_decrypted_is_shown_and_can_be_set_again(server: &TestServer) {
    let (alice, project) = scene(server);
    let path = format!("{project}/services/slack");
    saved(&alice, &path, json!({"webhook": SLACK, "username": "tenon"}));
    server.database().execute("UPDATE services SET sealed_properties = 'of another key'");
    let _ = alice.get(&format!("{project}/services")).assert_status(200);
    let shown = alice.get(&path).assert_status(200).json();
    assert_eq!((&shown["properties"]["webhook"], &shown["properties"]["username"]), (&Value::Null, &json!("tenon")));
    assert_eq!(saved(&alice, &path, json!({"webhook": SLACK}))["properties"]["webhook"], SLACK);
}

#[both_databases]
fn a_tracker_may_have_a_title_of_its_own(server: &TestServer) {
    let (alice, project) = scene(server);
    let urls = json!({"new_issue_url": "https://t.example.com/new", "project_url": "https://t.example.com/", "issues_url": "https://t.example.com/:id", "title": "Tracker", "description": "Ours"});
    let custom = saved(&alice, &format!("{project}/services/custom-issue-tracker"), urls.clone());
    assert_eq!((&custom["title"], &custom["properties"]["title"]), (&json!("Tracker"), &json!("Tracker")));
    let bugzilla = saved(&alice, &format!("{project}/services/bugzilla"), urls);
    assert_eq!((&bugzilla["title"], &bugzilla["properties"]["description"]), (&json!("Bugzilla"), &json!("Ours")));
    assert_lacks(&bugzilla["properties"], &["title"]);
}
