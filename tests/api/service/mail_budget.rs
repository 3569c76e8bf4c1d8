//! How many mails services send, and addresses that want none.

use serde_json::{Value, json};
use tenon_app::{Limits, notification, webhook};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Backend, Client, TestServer, both_databases};

use crate::support::*;

/// A project of the client's whose pushes are written about to these addresses; its path.
fn mailing(owner: &Client, name: &str, recipients: &str) -> String {
    let path = format!("/projects/{}", project(owner, name, "public"));
    set(owner, &path, recipients);
    path
}

fn set(owner: &Client, path: &str, recipients: &str) {
    let _ = owner.put(&format!("{path}/services/emails-on-push"), json!({"recipients": recipients})).assert_status(200);
}

fn push(by: &Client, path: &str, file: &str) {
    let action = json!({"action": "create", "file_path": file, "content": "x"});
    let asked = json!({"branch": "master", "commit_message": file, "actions": [action]});
    let _ = by.post(&format!("{path}/repository/commits"), asked).assert_status(201);
}

/// Mails to this address since the last look.
fn mails(server: &TestServer, address: &str) -> usize {
    server.run_jobs();
    server.mails(address).len()
}

const UNSENT: &str =
    "SELECT COUNT(*) FROM hook_deliveries WHERE state = 'delivered' AND error LIKE 'no mail was sent: %'";

fn on_each(limits: impl Fn(&mut Limits), test: impl Fn(&TestServer)) {
    for backend in [Backend::Sqlite, Backend::Postgres].into_iter().filter(|backend| backend.is_available()) {
        let mut all = Limits::without_rates();
        limits(&mut all);
        test(&TestServer::start_with_mail_and(backend, all));
    }
}

#[test]
fn a_user_causes_only_so_many_mails_within_a_day_and_others_do_not_feel_it() {
    on_each(
        |limits| limits.services.mails_per_user = 5,
        |server| {
            let (mallory, bob) = (server.user("mallory"), server.user("bob"));
            let paths = ["one", "two", "three"].map(|name| mailing(&mallory, name, "a@example.com b@example.com"));
            for path in &paths {
                push(&mallory, path, "first");
            }
            assert_eq!((mails(server, "a@example.com"), mails(server, "b@example.com")), (2, 2), "of three projects");
            assert_eq!(server.database().count(UNSENT), 1);
            let dropped = webhook::dropped_mails(server.app(), 10).expect("a list");
            assert_eq!(
                dropped.iter().map(|one| (one.slug.as_str(), one.dropped)).collect::<Vec<_>>(),
                [("emails-on-push", 2)]
            );
            // One mail more has room.
            set(&mallory, &paths[2], "a@example.com");
            push(&mallory, &paths[2], "second");
            push(&mallory, &paths[2], "third");
            assert_eq!(mails(server, "a@example.com"), 1);
            // Projects that are removed and made again change nothing.
            let _ = mallory.delete(&paths[0]).assert_status(202);
            server.run_jobs();
            let again = mailing(&mallory, "four", "a@example.com");
            push(&mallory, &again, "first");
            assert_eq!(mails(server, "a@example.com"), 0);
            // Others have budgets of their own, also in the same project.
            let member = json!({"user_id": bob.id, "access_level": 40});
            let _ = mallory.post(&format!("{again}/members"), member).assert_status(201);
            push(&bob, &again, "second");
            let own = mailing(&bob, "tool", "a@example.com");
            push(&bob, &own, "first");
            assert_eq!(mails(server, "a@example.com"), 2);
            server.advance(TimeDelta::hours(26));
            push(&mallory, &again, "third");
            assert_eq!(mails(server, "a@example.com"), 1, "the next day");
        },
    );
}

#[test]
fn a_service_sends_only_so_many_mails_whatever_was_delivered_without_any() {
    on_each(
        |limits| limits.services.mails = 3,
        |server| {
            let alice = server.user("alice");
            let path = format!("/projects/{}", project(&alice, "Tool", "public"));
            push(&alice, &path, "first");
            let body = json!({"recipients": "a@example.com"});
            let _ = alice.put(&format!("{path}/services/pipelines-email"), body).assert_status(200);
            let post = |state: &str| {
                let status = json!({"state": state, "name": "build", "ref": "master"});
                let _ = alice.post(&format!("{path}/statuses/master"), status).assert_status(201);
            };
            // That a pipeline runs is delivered to the service, which writes about none.
            for _ in 0..4 {
                post("running");
                post("failed");
            }
            assert_eq!(mails(server, "a@example.com"), 3);
            assert_eq!(server.database().count(UNSENT), 1);
        },
    );
}

#[test]
fn who_changes_a_pipeline_spends_the_own_budget_not_that_of_who_has_set_it_going() {
    on_each(
        |limits| limits.services.mails_per_user = 2,
        |server| {
            let [alice, bob, mallory] = ["alice", "bob", "mallory"].map(|name| server.user(name));
            let path = format!("/projects/{}", project(&alice, "Tool", "public"));
            push(&alice, &path, "first");
            for user in [&bob, &mallory] {
                member(&alice, &path, user.id, 40);
            }
            let body = json!({"recipients": "a@example.com"});
            let _ = alice.put(&format!("{path}/services/pipelines-email"), body).assert_status(200);
            let post = |by: &Client, state: &str| {
                let status = json!({"state": state, "name": "build", "ref": "master"});
                let _ = by.post(&format!("{path}/statuses/master"), status).assert_status(201);
            };
            post(&bob, "running");
            post(&mallory, "failed");
            assert_eq!(mails(server, "a@example.com"), 1);
            // Jobs name the user who has caused the mail, before the project and the jobs.
            let naming = |user: &tenon_testkit::User| {
                let of = r#"SELECT COUNT(*) FROM hook_events WHERE body LIKE '{"object_kind":"pipeline",%"#;
                server.database().count(&format!(r#"{of}"user":{{"id":{},%"project":{{%'"#, user.id))
            };
            assert_eq!((naming(&bob), naming(&mallory)), (2, 0));
            for _ in 0..3 {
                post(&mallory, "running");
                post(&mallory, "failed");
            }
            assert_eq!(mails(server, "a@example.com"), 1);
            push(&bob, &mailing(&bob, "own", "a@example.com b@example.com"), "first");
            assert_eq!((mails(server, "a@example.com"), mails(server, "b@example.com")), (1, 1), "Bob has caused none");
        },
    );
}

#[test]
fn what_was_counted_is_forgotten_when_it_is_not_asked_for() {
    on_each(
        |_limits| {},
        |server| {
            let alice = server.user("alice");
            push(&alice, &mailing(&alice, "Tool", "a@example.com"), "first");
            assert_eq!(mails(server, "a@example.com"), 1);
            assert_eq!(server.database().count("SELECT COUNT(*) FROM mail_counts WHERE sent = 1 AND dropped = 0"), 1);
            server.advance(TimeDelta::days(3));
            server.enqueue("purge_hook_events", &json!({"kind": "purge_hook_events"}));
            server.run_jobs();
            assert_eq!(server.database().count("SELECT COUNT(*) FROM mail_counts"), 0);
        },
    );
}

/// The path of the link that ends mail, as a client of the server names it.
fn link(mail: &tenon_testkit::Mail, base: &str) -> String {
    assert_eq!(mail.header("List-Unsubscribe-Post"), "List-Unsubscribe=One-Click");
    let link = mail.header("List-Unsubscribe").trim_matches(['<', '>']).to_owned();
    assert!(mail.text.contains(&link), "{}", mail.text);
    format!("/{}", link.strip_prefix(base).expect("a link to this server"))
}

fn one_click(client: &Client, link: &str) -> u16 {
    let body = b"List-Unsubscribe=One-Click".to_vec();
    client.send("POST", link, Some("application/x-www-form-urlencoded"), body).status()
}

#[both_databases(mail)]
fn one_click_ends_the_mail_of_a_service_to_one_address(server: &TestServer) {
    let alice = server.user("alice");
    let path = mailing(&alice, "Tool", "List@example.com boss@example.com");
    push(&alice, &path, "first");
    server.run_jobs();
    let mail = server.mails("List@example.com").remove(0);
    let link = link(&mail, server.base());
    assert_eq!(server.mails("boss@example.com").len(), 1);
    // Programs open links: reading ends nothing.
    let _ = server.anonymous().get(&link).assert_status(200);
    push(&alice, &path, "second");
    assert_eq!(mails(server, "List@example.com"), 1);
    assert_eq!([one_click(&server.anonymous(), &link), one_click(&server.anonymous(), &link)], [200, 200]);
    // Neither another spelling nor a service that is set anew brings it back.
    for recipients in ["List@example.com boss@example.com", "list@EXAMPLE.com boss@example.com"] {
        let _ = alice.delete(&format!("{path}/services/emails-on-push")).assert_status(204);
        set(&alice, &path, recipients);
        push(&alice, &path, recipients);
        assert_eq!(mails(server, "List@example.com") + mails(server, "list@EXAMPLE.com"), 0);
    }
    assert_eq!(server.mails("boss@example.com").len(), 3);
    // If all have unsubscribed, nothing is counted.
    let counted = || server.database().count("SELECT CAST(SUM(sent) AS BIGINT) FROM mail_counts");
    let before = counted();
    set(&alice, &path, "list@example.com");
    push(&alice, &path, "third");
    assert_eq!((mails(server, "list@example.com"), counted()), (0, before));
    // An administrator sees that, by the address, and takes it back.
    let look = |address| notification::suppressions(server.app(), address, 10).expect("a list");
    assert_eq!(look("LIST@example.com").iter().map(|one| one.slug.as_str()).collect::<Vec<_>>(), ["emails-on-push"]);
    assert_eq!(look("boss@example.com"), []);
    assert_eq!(notification::remove_suppressions(server.app(), "list@example.com").expect("done"), 1);
    push(&alice, &path, "fourth");
    assert_eq!((mails(server, "list@example.com"), look("list@example.com")), (1, vec![]));
    // Another project is another sender.
    push(&alice, &mailing(&alice, "Other", "list@example.com"), "first");
    assert_eq!(mails(server, "list@example.com"), 1);
    // The link stays harmless if its project is gone.
    let _ = alice.delete(&path).assert_status(202);
    server.run_jobs();
    assert_eq!(one_click(&server.anonymous(), &link), 200);
    let stored: Value = alice.get("/projects?owned=true").json();
    assert_eq!(stored.as_array().map(Vec::len), Some(1));
}
