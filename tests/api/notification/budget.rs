//! How many mails one user causes.

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
