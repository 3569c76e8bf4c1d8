//! Jobs, hooks of the server, messages, mail and applications on pages of administrators, and the search for a setting.

use serde_json::json;
use tenon_domain::server_task::{BackupPlan, BackupSchedule, TaskEnd, TaskOutcome};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Receiver, TestServer, both_databases};

use crate::admin::root;
use crate::browser::{followed, safe};
use crate::project::MARKER;

#[both_databases]
fn jobs_that_were_given_up_are_tried_again_or_deleted(server: &TestServer) {
    let browser = root(server);
    assert!(safe(&browser, "/admin/jobs").contains("No failed jobs"));
    for (kind, key) in [("delete_project", "a"), ("delete_group", "b"), ("purge_grants", "c")] {
        server.database().execute(&format!(
            "INSERT INTO jobs (kind, queue, payload, dedup_key, run_at, ready, failures, dead, last_error, created_at) \
             VALUES ('{kind}', 'short', '{{\"kind\":\"{kind}\"}}', '{key}', '2026-03-01 00:00:00', FALSE, 12, TRUE, \
             'it {MARKER} broke', '2026-03-01 00:00:00')"
        ));
    }
    let count = |condition: &str| server.database().count(&format!("SELECT COUNT(*) FROM jobs WHERE {condition}"));
    let ids: Vec<i64> = ["a", "b", "c"]
        .iter()
        .map(|key| server.database().count(&format!("SELECT id FROM jobs WHERE dedup_key = '{key}'")))
        .collect();
    let page = safe(&browser, "/admin/jobs");
    assert!(
        page.contains("Failed jobs (3)") && page.contains("delete project") && page.contains("12 failures"),
        "{page}"
    );
    assert!(safe(&browser, "/admin").contains("3 failed"));
    let page = browser.get("/admin/jobs").assert_status(200);
    let deleted = page.submit(&browser, &format!("/admin/jobs/{}", ids[0]), &[]);
    assert!(followed(&browser, &deleted).contains("Job deleted."));
    assert_eq!(count("dedup_key = 'a'"), 0);
    let retried = page.submit(&browser, &format!("/admin/jobs/{}/retry", ids[1]), &[]);
    assert!(followed(&browser, &retried).contains("Job queued again."));
    assert_eq!(count("dedup_key = 'b' AND NOT dead AND ready AND failures = 0 AND last_error IS NULL"), 1);
    // The button is pressed twice, or by two: the second finds nothing.
    let _ = page.submit(&browser, &format!("/admin/jobs/{}/retry", ids[1]), &[]).assert_status(404);
    let _ = page.submit(&browser, &format!("/admin/jobs/{}", ids[0]), &[]).assert_status(404);
    // The same work waits already.
    server.database().execute(
        "INSERT INTO jobs (kind, queue, payload, dedup_key, run_at, ready, created_at) \
         VALUES ('purge_grants', 'short', '{\"kind\":\"purge_grants\"}', 'c', '2026-03-01 00:00:00', TRUE, '2026-03-01 00:00:00')",
    );
    let retried = page.submit(&browser, &format!("/admin/jobs/{}/retry", ids[2]), &[]);
    assert!(followed(&browser, &retried).contains("Job queued again."));
    assert_eq!((count("dedup_key = 'c'"), count("dedup_key = 'c' AND NOT dead")), (1, 1));
}

#[both_databases]
fn hooks_of_the_server_are_managed(server: &TestServer) {
    server.set("allow_local_requests_from_hooks_and_services", &json!(true));
    let browser = root(server);
    let receiver = Receiver::start();
    let list = browser.get("/admin/hooks").assert_status(200);
    assert!(list.html.contains("No system hooks") && !list.html.contains("hook[issues_events]"), "{}", list.html);
    let wrong = list.send_with(&browser, "/admin/hooks", &[("hook[url]", "no address"), ("hook[token]", "a secret")]);
    let wrong = wrong.assert_status(422);
    assert!(wrong.html.contains("Enter the secret again") && !wrong.html.contains("a secret"), "{}", wrong.html);
    let url = receiver.url("/in");
    let made = wrong.send_with(&browser, "/admin/hooks", &[("hook[url]", &url), ("hook[push_events]", "1")]);
    assert_eq!(made.location(), "/admin/hooks");
    let hook = server.root().get("/hooks").json()[0].clone();
    assert_eq!((&hook["push_events"], &hook["repository_update_events"]), (&json!(true), &json!(true)));
    let page = format!("/admin/hooks/{}/edit", hook["id"]);
    assert!(safe(&browser, "/admin/hooks").contains("Pushes to branches, Repository updates"));
    let edit = browser.get(&page).assert_status(200);
    let tested = edit.submit(&browser, &format!("/admin/hooks/{}/test", hook["id"]), &[]);
    assert_eq!(tested.location(), page);
    let one = format!("/admin/hooks/{}", hook["id"]);
    let saved = edit.send_with(&browser, &one, &[("hook[push_events]", "")]);
    assert_eq!(saved.location(), "/admin/hooks");
    assert_eq!(server.root().get("/hooks").json()[0]["push_events"], false);
    let _ = server.root().post("/groups", json!({"name": "crew", "path": "crew"})).assert_status(201);
    server.run_jobs();
    let page = safe(&browser, &page);
    assert!(page.contains("Recent deliveries (2)") && page.contains("Redeliver"), "{page}");
    let deleted = browser.get(&format!("/admin/hooks/{}/edit", hook["id"]));
    let deleted = deleted.submit(&browser, &one, &[]);
    assert_eq!(deleted.location(), "/admin/hooks");
    let _ = browser.get(&format!("/admin/hooks/{}/edit", hook["id"])).assert_status(404);
}

#[both_databases]
fn backups_and_the_doctor_are_asked_for(server: &TestServer) {
    let browser = root(server);
    let page = browser.get("/admin/backups").assert_status(200);
    assert!(page.html.contains("Backups are not configured.") && page.html.contains("Nothing yet"), "{}", page.html);
    let token = page.token();
    let ask = |kind: &str| browser.post("/admin/backups", &[("authenticity_token", &token), ("kind", kind)]);
    assert!(ask("backup").assert_status(422).html.contains("is not configured"));
    let _ = ask("rest").assert_status(404);
    let started = page.submit(&browser, "/admin/backups", &[]);
    assert!(followed(&browser, &started).contains("waiting…"));
    let task = server.app().start_server_task().unwrap().unwrap();
    assert!(safe(&browser, "/admin/backups").contains("running…"));
    let findings = vec![format!("repositories: {MARKER} is damaged")];
    let end = TaskEnd::new(server.now(), TaskOutcome::Findings, "Findings: 1, of 5 checks.", findings, None);
    server.app().finish_server_task(&task, &end).unwrap();
    let page = safe(&browser, "/admin/backups");
    assert!(page.contains("Findings: 1, of 5 checks.") && page.contains("Run the doctor"), "{page}");
    assert!(safe(&browser, "/admin").contains("Not configured"));

    let schedule = BackupSchedule { every: TimeDelta::hours(6), verify_every: None };
    let planned = TestServer::beside_with_backups(server, BackupPlan { folder: "/backups".into(), schedule });
    let browser = root(&planned);
    assert!(safe(&browser, "/admin").contains("Overdue; none yet"));
    let page = safe(&browser, "/admin/backups");
    assert!(page.contains("each 6 hours, in <code>/backups</code>") && page.contains("is too old"), "{page}");
    let task = planned.app().start_server_task().unwrap().unwrap();
    let end = TaskEnd::new(planned.now(), TaskOutcome::Done, "Backup x: 5 rows.", Vec::new(), Some(5 << 20));
    planned.app().finish_server_task(&task, &end).unwrap();
    let page = safe(&browser, "/admin/backups");
    assert!(page.contains("Backup x: 5 rows.") && page.contains("5 MiB") && !page.contains("is too old"), "{page}");
    assert!(safe(&browser, "/admin").contains("On; last "));
}

#[both_databases]
fn messages_are_previewed_made_changed_and_deleted(server: &TestServer) {
    let browser = root(server);
    let list = browser.get("/admin/broadcast_messages").assert_status(200);
    assert!(list.html.contains("No broadcast messages"));
    let at = "/admin/broadcast_messages";
    let typed = [("broadcast_message[message]", "Update **tonight**"), ("broadcast_message[color]", "#abc")];
    let preview = list.send_with(&browser, at, &[typed[0], typed[1], ("preview", "1")]).assert_status(200);
    assert!(preview.html.contains("Update <strong>tonight</strong>") && preview.html.contains("value=\"#abc\""));
    assert!(browser.get(at).html.contains("No broadcast messages"), "nothing is stored");
    let refused = preview.send_with(&browser, at, &[("broadcast_message[color]", "red"), ("preview", "1")]);
    assert!(refused.assert_status(422).html.contains("Color must be a valid color code"));
    let refused = preview.send_with(&browser, at, &[("broadcast_message[ends_at]", "tomorrow")]).assert_status(422);
    assert!(refused.html.contains("End must be a date and time such as") && refused.html.contains("tomorrow"));
    assert_eq!(preview.send_with(&browser, at, &[]).location(), at);
    let made = server.root().get("/broadcast_messages").json()[0].clone();
    assert_eq!((&made["message"], &made["color"]), (&json!("Update **tonight**"), &json!("#abc")));
    let one = format!("{at}/{}", made["id"]);
    let page = safe(&browser, at);
    assert!(page.contains("Update **tonight**") && page.contains("active"), "{page}");
    let edit = browser.get(&format!("{one}/edit")).assert_status(200);
    let saved = edit.send_with(&browser, &one, &[("broadcast_message[ends_at]", "2020-01-01T00:00")]);
    assert_eq!(saved.location(), at);
    let after = server.root().get(&format!("/broadcast_messages/{}", made["id"])).json();
    assert_eq!((&after["starts_at"], &after["active"]), (&made["starts_at"], &json!(false)));
    let empty = edit.send_with(&browser, &one, &[("broadcast_message[message]", "")]).assert_status(422);
    assert!(empty.html.contains("Message can&#39;t be blank"), "{}", empty.html);
    let deleted = browser.get(at).submit(&browser, &one, &[]);
    assert!(followed(&browser, &deleted).contains("Broadcast message deleted."));
    let _ = browser.get(&format!("{one}/edit")).assert_status(404);
}

#[both_databases(mail)]
fn a_test_mail_goes_to_the_administrator(server: &TestServer) {
    let browser = root(server);
    let page = browser.get("/admin").assert_status(200);
    let address = server.root().get("/user").json()["email"].as_str().unwrap_or_default().to_owned();
    let sent = page.submit(&browser, "/admin/test_email", &[]);
    assert!(followed(&browser, &sent).contains("Test email sent."));
    let mails = server.mails(&address);
    assert!(mails.iter().any(|mail| mail.subject() == "Test email"), "{mails:?}");
}

#[both_databases]
fn a_server_without_mail_says_so(server: &TestServer) {
    let browser = root(server);
    let page = browser.get("/admin").assert_status(200);
    assert!(page.html.contains("Not configured") && !page.html.contains("/admin/test_email"), "{}", page.html);
    let sent = browser.post("/admin/test_email", &[("authenticity_token", &page.token())]).assert_status(422);
    assert!(sent.html.contains("The email was not sent") && sent.html.contains("no mail is sent"), "{}", sent.html);
}

#[both_databases]
fn a_setting_is_found_by_words(server: &TestServer) {
    let browser = root(server);
    let page = safe(&browser, "/admin/application_settings?search=anyone%20CREATE");
    assert!(page.contains("1 setting found") && page.contains("#signup_enabled"), "{page}");
    let page = safe(&browser, "/admin/application_settings?search=%3Cb%3Enothing");
    assert!(page.contains("0 settings found"), "{page}");
}

#[both_databases]
fn applications_of_the_server_are_managed(server: &TestServer) {
    server.set("user_oauth_applications", &json!(false));
    let ada = crate::member(server, "ada");
    let browser = root(server);
    let at = "/admin/applications";
    assert!(safe(&browser, at).contains("No applications"));
    let form = browser.get("/admin/applications/new").assert_status(200);
    let typed = [
        ("doorkeeper_application[name]", "Board"),
        ("doorkeeper_application[redirect_uri]", "https://board.example/in"),
        ("doorkeeper_application[scopes][]", "read_user"),
    ];
    let refused = form.submit(&browser, at, &typed[..2]).assert_status(422);
    assert!(refused.html.contains("Scopes can&#39;t be blank"), "{}", refused.html);
    let made = form.submit(&browser, at, &typed).assert_status(201);
    assert!(made.html.contains("It will not be shown again"), "{}", made.html);
    let id = server.root().get("/applications").json()[0]["id"].clone();
    let list = safe(&browser, at);
    assert!(list.contains("Board") && list.contains(&format!("{at}/{id}\"")), "{list}");
    let one = format!("{at}/{id}");
    let edit = browser.get(&format!("{one}/edit")).assert_status(200);
    let changed = edit.send_with(&browser, &one, &[("doorkeeper_application[name]", "Whiteboard")]);
    assert_eq!(changed.location(), one);
    let page = browser.get(&one).assert_status(200);
    assert!(page.html.contains("Whiteboard"));
    let renewed = page.submit(&browser, &format!("{one}/renew"), &[]).assert_status(200);
    assert!(renewed.html.contains("It will not be shown again"));
    // The list has those of users, too.
    server.set("user_oauth_applications", &json!(true));
    let own = crate::browser::Browser::signed_in(server, "ada", crate::PASSWORD);
    let form = own.get("/oauth/applications/new").assert_status(200);
    let _ = form.submit(&own, "/oauth/applications", &typed).assert_status(201);
    assert!(safe(&browser, at).contains(&format!("Registered by <a href=\"/admin/users/{}\"", ada.id)));
    assert!(!safe(&own, "/oauth/applications").contains("Registered by"));
    let deleted = browser.get(&one).submit(&browser, &one, &[]);
    assert_eq!(deleted.location(), at);
    let _ = browser.get(&one).assert_status(404);
}
