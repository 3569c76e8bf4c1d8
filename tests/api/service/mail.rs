//! Mail that services send.

use serde_json::{Value, json};
use tenon_app::Limits;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Backend, Mail, TestServer, User, both_databases};

use crate::support::*;

fn scene(server: &TestServer, more: &Value) -> (User, String) {
    let alice = server.user("alice");
    let path = format!("/projects/{}", project(&alice, "Tool", "public"));
    set(&alice, &path, more);
    (alice, path)
}

fn set(alice: &User, path: &str, more: &Value) {
    let mut body = json!({"recipients": "list@example.com\nboss@example.com list@example.com"});
    for (name, value) in more.as_object().into_iter().flatten() {
        body[name] = value.clone();
    }
    let _ = alice.put(&format!("{path}/services/emails-on-push"), body).assert_status(200);
}

fn commit(alice: &User, path: &str, branch: &str, messages: &[&str]) {
    for message in messages {
        let action =
            json!({"action": "create", "file_path": format!("{message}.txt"), "content": format!("{message}\n")});
        let asked = json!({"branch": branch, "commit_message": message, "actions": [action]});
        let _ = alice.post(&format!("{path}/repository/commits"), asked).assert_status(201);
    }
}

/// The mails that both recipients got since the last call; both got the same.
#[track_caller]
fn mails(server: &TestServer) -> Vec<Mail> {
    server.run_jobs();
    let (list, boss) = (server.mails("list@example.com"), server.mails("boss@example.com"));
    let subjects = |mails: &[Mail]| mails.iter().map(|mail| mail.subject().to_owned()).collect::<Vec<_>>();
    assert_eq!(subjects(&list), subjects(&boss));
    list
}

#[track_caller]
fn only_mail(server: &TestServer) -> Mail {
    let mut mails = mails(server);
    assert_eq!(mails.len(), 1, "{mails:#?}");
    mails.remove(0)
}

/// The statements that keep deliveries from being recorded, and that end this.
fn unrecorded(backend: Backend) -> (&'static str, &'static str) {
    match backend {
        Backend::Sqlite => (
            "CREATE TRIGGER unrecorded BEFORE UPDATE ON hook_deliveries BEGIN SELECT RAISE(ABORT, 'unrecorded'); END",
            "DROP TRIGGER unrecorded",
        ),
        Backend::Postgres => (
            "ALTER TABLE hook_deliveries ADD CONSTRAINT unrecorded CHECK (attempts = 0)",
            "ALTER TABLE hook_deliveries DROP CONSTRAINT unrecorded",
        ),
    }
}

#[both_databases(mail)]
fn each_recipient_gets_one_mail_about_a_push(server: &TestServer) {
    let (alice, path) = scene(server, &json!({}));
    commit(&alice, &path, "master", &["First"]);
    let mail = only_mail(server);
    assert_eq!(mail.subject(), "[Git][alice/tool] Pushed new branch master");
    assert!(mail.text.contains("alice (@alice) pushed new branch master at "), "{}", mail.text);
    commit(&alice, &path, "master", &["Second"]);
    let mail = only_mail(server);
    assert_eq!(mail.subject(), "[Git][alice/tool][master] Second");
    assert_eq!(mail.header("From"), "alice <tenon@example.org>");
    assert_eq!((mail.header("Auto-Submitted"), mail.header("X-GitLab-Project-Path")), ("auto-generated", "alice/tool"));
    for part in ["/compare/", "Commits:\n", "by alice at ", "=== Second.txt (new)\n", "+Second\n"] {
        assert!(mail.text.contains(part), "{part:?}: {}", mail.text);
    }
    set(&alice, &path, &json!({"disable_diffs": true}));
    commit(&alice, &path, "master", &["Third"]);
    let mail = only_mail(server);
    assert!(mail.text.contains("Third") && !mail.text.contains("==="), "{}", mail.text);
    let _ = alice.delete(&format!("{path}/services/emails-on-push")).assert_status(204);
    commit(&alice, &path, "master", &["Fourth"]);
    assert!(mails(server).is_empty());
}

#[both_databases(mail)]
fn a_recipient_who_cannot_be_sent_mail_holds_up_no_other(server: &TestServer) {
    let (alice, path) = scene(server, &json!({}));
    commit(&alice, &path, "master", &["First"]);
    let id = only_mail(server).header("Message-ID").trim_matches(['<', '>']).to_owned();
    let (name, host) = id.split_once('@').expect("an id");
    let (service, event) = name.rsplit_once('_').expect("an event");
    let mut event: i64 = event.parse().expect("a number");
    let all = ["list@example.com", "boss@example.com"];
    for (failing, other) in [(all[0], all[1]), (all[1], all[0])] {
        event += 1;
        // A folder in the place of the file.
        let place = server.data().join("mails").join(format!("{service}_{event}@{host}.{failing}.eml.part"));
        std::fs::create_dir(&place).expect("a folder");
        commit(&alice, &path, "master", &[failing]);
        server.run_jobs();
        assert_eq!((server.mails(failing).len(), server.mails(other).len()), (0, 1), "{failing}");
        std::fs::remove_dir(&place).expect("a folder");
        server.advance(TimeDelta::minutes(6));
        server.run_jobs();
        assert_eq!((server.mails(failing).len(), server.mails(other).len()), (1, 0), "{failing}");
    }
}

#[both_databases(mail)]
fn settings_that_change_after_the_count_only_remove_recipients(server: &TestServer) {
    let (alice, path) = scene(server, &json!({}));
    commit(&alice, &path, "master", &["First"]);
    let id = only_mail(server).header("Message-ID").trim_matches(['<', '>']).to_owned();
    let (name, host) = id.split_once('@').expect("an id");
    let (service, event) = name.rsplit_once('_').expect("an event");
    let event = event.parse::<i64>().expect("a number") + 1;
    // Folders in the places of the files: the mails wait.
    let places = ["list@example.com", "boss@example.com"]
        .map(|to| server.data().join("mails").join(format!("{service}_{event}@{host}.{to}.eml.part")));
    for place in &places {
        std::fs::create_dir(place).expect("a folder");
    }
    commit(&alice, &path, "master", &["Second"]);
    assert!(mails(server).is_empty());
    set(&alice, &path, &json!({"recipients": "boss@example.com third@example.com fourth@example.com"}));
    for place in &places {
        std::fs::remove_dir(place).expect("a folder");
    }
    server.advance(TimeDelta::hours(1));
    server.run_jobs();
    let got = ["list", "boss", "third", "fourth"].map(|name| server.mails(&format!("{name}@example.com")).len());
    assert_eq!(got, [0, 1, 0, 0]);
}

#[both_databases(mail)]
fn a_mail_is_asked_for_where_its_delivery_is_recorded_and_nowhere_else(server: &TestServer) {
    let (alice, path) = scene(server, &json!({}));
    let (refuse, allow) = unrecorded(server.backend());
    server.database().execute(refuse);
    commit(&alice, &path, "master", &["First"]);
    assert!(mails(server).is_empty());
    server.database().execute(allow);
    server.advance(TimeDelta::hours(1));
    let _ = only_mail(server);
}

#[both_databases(mail)]
fn what_no_user_answers_for_counts_for_the_service_only(server: &TestServer) {
    let (alice, path) = scene(server, &json!({}));
    let (refuse, allow) = unrecorded(server.backend());
    server.database().execute(refuse);
    commit(&alice, &path, "master", &["First"]);
    assert!(mails(server).is_empty());
    // The same as after the deletion of the pusher's account.
    server.database().execute("UPDATE hook_events SET actor_id = NULL");
    server.database().execute(allow);
    server.advance(TimeDelta::hours(1));
    let _ = only_mail(server);
    let counted = |of: &str| server.database().count(&format!("SELECT COUNT(*) FROM mail_counts WHERE {of}"));
    assert_eq!((counted("user_id = 0 AND sent = 2"), counted("user_id <> 0")), (1, 0));
}

#[both_databases(mail)]
fn the_name_of_a_branch_is_encoded_in_its_address(server: &TestServer) {
    let (alice, path) = scene(server, &json!({}));
    commit(&alice, &path, "a#b", &["First"]);
    let mail = only_mail(server);
    assert!(mail.text.contains("/commits/a%23b\n"), "{}", mail.text);
}

#[both_databases(mail)]
fn the_subject_says_what_became_of_the_ref(server: &TestServer) {
    let (alice, path) = scene(server, &json!({}));
    commit(&alice, &path, "master", &["First"]);
    let _ = only_mail(server);
    let branches = format!("{path}/repository/branches");
    let _ = alice.post(&branches, json!({"branch": "side", "ref": "master"})).assert_status(201);
    assert_eq!(only_mail(server).subject(), "[Git][alice/tool] Pushed new branch side");
    let _ = alice.delete(&format!("{branches}/side")).assert_status(204);
    assert_eq!(only_mail(server).subject(), "[Git][alice/tool] Deleted branch side");
    let _ =
        alice.post(&format!("{path}/repository/tags"), json!({"tag_name": "v1", "ref": "master"})).assert_status(201);
    assert_eq!(only_mail(server).subject(), "[Git][alice/tool] Pushed new tag v1");
    set(&alice, &path, &json!({"tag_push_events": false, "branches_to_be_notified": "default"}));
    let _ = alice.delete(&format!("{path}/repository/tags/v1")).assert_status(204);
    let _ = alice.post(&branches, json!({"branch": "other", "ref": "master"})).assert_status(201);
    assert!(mails(server).is_empty());
}

#[both_databases(mail)]
fn pipelines_that_have_ended_are_written_about(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/projects/{}", project(&alice, "Tool", "public"));
    commit(&alice, &path, "master", &["First"]);
    let settings = |broken: bool| json!({"recipients": "list@example.com,boss@example.com", "notify_only_broken_pipelines": broken});
    let set =
        |broken: bool| alice.put(&format!("{path}/services/pipelines-email"), settings(broken)).assert_status(200);
    let _ = set(true);
    let post = |state: &str| {
        let status = json!({"state": state, "name": "build", "ref": "master"});
        let _ = alice.post(&format!("{path}/statuses/master"), status).assert_status(201);
    };
    post("running");
    assert!(mails(server).is_empty());
    post("failed");
    let mail = only_mail(server);
    assert!(mail.subject().starts_with("Tool | Failed pipeline for master | "), "{}", mail.subject());
    assert!(mail.text.contains("    First\n") && mail.text.contains("    build (external)"), "{}", mail.text);
    post("running");
    post("success");
    assert!(mails(server).is_empty());
    let _ = set(false);
    post("running");
    post("success");
    assert!(only_mail(server).subject().starts_with("Tool | Successful pipeline for master | "));
}

#[both_databases(mail)]
fn the_sender_is_the_committer_only_in_the_servers_own_domain(server: &TestServer) {
    let (alice, path) = scene(server, &json!({"send_from_committer_email": true}));
    commit(&alice, &path, "master", &["First"]);
    assert_eq!(only_mail(server).header("From"), "alice <tenon@example.org>", "the server is at 127.0.0.1");
    let _ = alice;
}

#[test]
fn a_mail_that_would_be_too_large_is_cut() {
    let mut limits = Limits::without_rates();
    limits.mail.message = 64 << 10;
    let server = &TestServer::start_with_mail_and(Backend::Sqlite, limits);
    let (alice, path) = scene(server, &json!({}));
    commit(&alice, &path, "master", &["First"]);
    let _ = only_mail(server);
    let action = json!({"action": "create", "file_path": "long.txt", "content": "\u{fc}\u{fc}\u{fc}\n".repeat(4000)});
    let asked = json!({"branch": "master", "commit_message": "Second", "actions": [action]});
    let _ = alice.post(&format!("{path}/repository/commits"), asked).assert_status(201);
    let text = only_mail(server).text;
    assert!(
        text.contains("Second") && text.contains("The rest of this message is available online.\n\n-- \n"),
        "{}",
        text.len()
    );
}

fn a_service_sends_only_so_many_mails_within_a_day(backend: Backend) {
    let mut limits = Limits::without_rates();
    limits.services.mails = 5;
    let server = &TestServer::start_with_mail_and(backend, limits);
    let (alice, path) = scene(server, &json!({}));
    commit(&alice, &path, "master", &["First", "Second", "Third"]);
    assert_eq!(mails(server).len(), 2, "to two recipients each");
    // The number of mails stays when a service is removed and set again.
    let _ = alice.delete(&format!("{path}/services/emails-on-push")).assert_status(204);
    set(&alice, &path, &json!({}));
    commit(&alice, &path, "master", &["Fourth"]);
    assert!(mails(server).is_empty());
    server.advance(TimeDelta::days(2));
    commit(&alice, &path, "master", &["Fifth"]);
    assert_eq!(mails(server).len(), 1);
}

#[test]
fn a_service_sends_only_so_many_mails_within_a_day_sqlite() {
    a_service_sends_only_so_many_mails_within_a_day(Backend::Sqlite);
}

#[test]
fn a_service_sends_only_so_many_mails_within_a_day_postgres() {
    if Backend::Postgres.is_available() {
        a_service_sends_only_so_many_mails_within_a_day(Backend::Postgres);
    }
}
