//! The number of mails that one user causes.

use serde_json::json;
use tenon_app::Limits;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Backend, TestServer};

use super::mails;
use crate::support::*;

#[test]
fn a_user_causes_only_so_many_mails_to_others_within_a_day() {
    for backend in [Backend::Sqlite, Backend::Postgres].into_iter().filter(|backend| backend.is_available()) {
        let mut limits = Limits::without_rates();
        limits.mail.per_user = 3;
        let server = &TestServer::start_with_mail_and(backend, limits);
        let [alice, dave] = ["alice", "dave"].map(|name| server.user(name));
        for name in ["bob", "carol"] {
            server.user(name);
        }
        let issues = format!("/projects/{}/issues", project(&alice, "Tool", "public"));
        let call = |by: &tenon_testkit::User| {
            made(by, &issues, json!({"title": "It breaks", "description": "@bob @carol"}));
            mails(server, "bob").len() + mails(server, "carol").len()
        };
        assert_eq!([call(&alice), call(&alice), call(&alice)], [2, 1, 0]);
        // Others have budgets of their own. Alice, who owns the project, is not called.
        assert_eq!(call(&dave), 2);
        server.advance(TimeDelta::hours(26));
        assert_eq!(call(&alice), 2, "the next day");
    }
}

#[test]
fn a_member_who_is_added_again_and_again_gets_only_so_many_mails() {
    for backend in [Backend::Sqlite, Backend::Postgres].into_iter().filter(|backend| backend.is_available()) {
        let mut limits = Limits::without_rates();
        limits.mail.per_user = 2;
        let server = &TestServer::start_with_mail_and(backend, limits);
        let (alice, bob) = (server.user("alice"), server.user("bob"));
        let members = format!("/projects/{}/members", project(&alice, "Tool", "private"));
        let got: usize = (0..4)
            .map(|_| {
                made(&alice, &members, json!({"user_id": bob.id, "access_level": 10}));
                let got = mails(server, "bob").len();
                let _ = alice.delete(&format!("{members}/{}", bob.id)).assert_status(204);
                got
            })
            .sum();
        assert_eq!(got, 2);
    }
}

#[test]
fn who_has_set_a_pipeline_going_gets_only_so_many_mails_about_what_another_user_makes_of_it() {
    for backend in [Backend::Sqlite, Backend::Postgres].into_iter().filter(|backend| backend.is_available()) {
        let mut limits = Limits::without_rates();
        limits.mail.per_user = 2;
        let server = &TestServer::start_with_mail_and(backend, limits);
        let (bob, mallory) = (server.user("bob"), server.user("mallory"));
        let path = format!("/projects/{}", project(&bob, "Tool", "public"));
        let action = json!({"action": "create", "file_path": "a.txt", "content": "a"});
        let asked = json!({"branch": "master", "commit_message": "First", "actions": [action]});
        let _ = bob.post(&format!("{path}/repository/commits"), asked).assert_status(201);
        member(&bob, &path, mallory.id, 40);
        let end = |by: &tenon_testkit::User| {
            for state in ["running", "failed"] {
                let status = json!({"state": state, "name": "build", "ref": "master"});
                let _ = by.post(&format!("{path}/statuses/master"), status).assert_status(201);
            }
            mails(server, "bob").iter().filter(|mail| mail.subject().contains("has failed")).count()
        };
        assert_eq!(end(&bob), 1);
        let by_mallory: usize = (0..4).map(|_| end(&mallory)).sum();
        assert_eq!(by_mallory, 2);
        let by_bob: usize = (0..3).map(|_| end(&bob)).sum();
        assert_eq!(by_bob, 3, "what users do themselves is not counted");
    }
}
