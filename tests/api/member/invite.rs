//! Invitations by mail.

use serde_json::json;
use tenon_domain::limits::Limits;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Backend, TestServer, both_databases};

use crate::support::{Cast, group, id, project_in};

const TAKEN: &str = "Invite email has already been taken";

/// The token of the only mail to this address.
#[track_caller]
fn token(server: &TestServer, address: &str) -> String {
    server.run_jobs();
    let mut mails = server.mails(address);
    mails.retain(|mail| mail.text.contains("invite_token"));
    assert_eq!(mails.len(), 1, "{mails:?}");
    mails[0].after("/invites?invite_token=").to_owned()
}

#[both_databases(mail)]
fn addresses_are_invited_listed_changed_and_removed(server: &TestServer) {
    let root = server.root();
    let crew = group(&root, "crew", "private");
    let tool = project_in(&root, crew, "tool", "private");
    for source in [format!("/groups/{crew}"), format!("/projects/{tool}")] {
        let invitations = format!("{source}/invitations");
        let two = json!({"email": "A@example.org, b@example.org", "access_level": 30, "expires_at": "2030-01-31"});
        root.post(&invitations, two).assert(201, json!({"status": "success"}));
        let list = root.get(&invitations).assert_status(200).json();
        let first = &list[0];
        assert_eq!(list.as_array().map(Vec::len), Some(2));
        assert_eq!((&first["invite_email"], &first["access_level"]), (&json!("a@example.org"), &json!(30)));
        assert_eq!((&first["expires_at"], &first["created_by_name"]), (&json!("2030-01-31"), &json!("Administrator")));
        assert!(first["id"].is_i64() && first["created_at"].is_string() && first.get("invite_token").is_none());
        assert_eq!(root.get(&format!("{invitations}?query=B%40")).json()[0]["invite_email"], "b@example.org");
        assert_eq!(root.get(&format!("{invitations}?per_page=1&page=2")).json()[0]["invite_email"], "b@example.org");
        let one = format!("{invitations}/A%40example.org");
        let changed = root.put(&one, json!({"access_level": 20, "expires_at": null})).assert_status(200).json();
        assert_eq!((&changed["access_level"], &changed["expires_at"]), (&json!(20), &json!(null)));
        let _ = root.put(&one, json!({"access_level": 15})).assert_status(400);
        let _ = root.put(&one, json!({"expires_at": "2020-01-01"})).assert_status(400);
        let _ = root.delete(&one).assert_status(204);
        let _ = root.delete(&one).assert_status(404);
        let _ = root.put(&one, json!({"access_level": 20})).assert_status(404);
        let _ = root.delete(&format!("{invitations}/a%00b")).assert_status(404);
        let _ = server.mails("a@example.org");
    }
}

#[both_databases(mail)]
fn each_of_several_is_invited_or_refused_by_itself(server: &TestServer) {
    let cast = Cast::of(server, "private");
    let root = server.root();
    let denied = json!({"domain_denylist_enabled": true, "domain_denylist": ["evil.example"]});
    let _ = root.put("/application/settings", denied).assert_status(200);
    let invitations = format!("/projects/{}/invitations", cast.project);
    let _ = root.post(&invitations, json!({"email": "a@example.org", "access_level": 30})).assert_status(201);
    let other = server.user("other");
    let addresses = "a@example.org,no address,x@evil.example,new@example.org";
    let users = json!([other.id, cast.guest.id, 4711]);
    let reply = root.post(&invitations, json!({"email": addresses, "user_id": users, "access_level": 30}));
    reply.assert(
        201,
        json!({"status": "error", "message": {
            "4711": "User not found",
            "a@example.org": TAKEN,
            "guest": "User already exists in source",
            "no address": "Invite email is invalid",
            "x@evil.example": "Invite email is not from an allowed domain.",
        }}),
    );
    let names: Vec<_> = root.get(&invitations).json().as_array().cloned().unwrap_or_default();
    assert_eq!(names.len(), 2);
    let _ = root.get(&format!("/projects/{}/members/{}", cast.project, other.id)).assert_status(200);
    let level = |level: i64| root.post(&invitations, json!({"email": "l@example.org", "access_level": level}));
    for wrong in [15, 50] {
        let text = "Access level is not included in the list";
        level(wrong).assert(201, json!({"status": "error", "message": {"l@example.org": text}}));
    }
    let past = json!({"email": "l@example.org", "access_level": 10, "expires_at": "2020-01-01"});
    let text = "Expires at cannot be a date in the past";
    root.post(&invitations, past).assert(201, json!({"status": "error", "message": {"l@example.org": text}}));
    let none = "400 Bad request - Must provide either email or user_id as a parameter";
    root.post(&invitations, json!({"access_level": 30})).assert(400, json!({"message": none}));
    let many: Vec<String> = (0..101).map(|number| format!("m{number}@example.org")).collect();
    let _ = root.post(&invitations, json!({"email": many, "access_level": 30})).assert_status(400);
}

#[both_databases(mail)]
fn who_is_refused_keeps_an_expired_membership(server: &TestServer) {
    let (root, bob) = (server.root(), server.user("bob"));
    let crew = group(&root, "crew", "private");
    let tool = project_in(&root, crew, "tool", "private");
    let of_project = json!({"user_id": bob.id, "access_level": 30, "expires_at": "2026-03-10"});
    let _ = root.post(&format!("/projects/{tool}/members"), of_project).assert_status(201);
    server.advance(TimeDelta::days(30));
    let of_group = json!({"user_id": bob.id, "access_level": 30});
    let _ = root.post(&format!("/groups/{crew}/members"), of_group).assert_status(201);
    let rows =
        || server.database().count("SELECT count(*) FROM members WHERE project_id IS NOT NULL AND access_level = 30");
    let invite = |level| {
        let body = json!({"user_id": bob.id, "access_level": level});
        root.post(&format!("/projects/{tool}/invitations"), body).assert_status(201).json()["status"].clone()
    };
    assert_eq!((rows(), invite(20), rows()), (1, json!("error"), 1), "less than bob inherits");
    assert_eq!((invite(40), rows()), (json!("success"), 0));
}

#[both_databases(mail)]
fn only_who_manages_the_members_invites(server: &TestServer) {
    let cast = Cast::of(server, "private");
    let invitations = format!("/projects/{}/invitations", cast.project);
    let body = || json!({"email": "a@example.org", "access_level": 10});
    for (client, status) in [(&cast.stranger, 404), (&cast.guest, 403), (&cast.developer, 403), (&cast.maintainer, 201)]
    {
        let _ = client.post(&invitations, body()).assert_status(status);
        let _ = client.get(&invitations).assert_status(if status == 201 { 200 } else { status });
    }
    let _ = server.anonymous().get(&invitations).assert_status(401);
}

#[both_databases(mail)]
fn no_answer_tells_whether_an_account_has_an_address(server: &TestServer) {
    let cast = Cast::of(server, "private");
    let _known = server.user("known");
    let invitations = format!("/projects/{}/invitations", cast.project);
    let answers = ["known@example.org", "unknown@example.org", "guest@example.org"].map(|address| {
        let reply = cast.maintainer.post(&invitations, json!({"email": address, "access_level": 30}));
        let row = reply.assert_status(201).json();
        let _ = token(server, address);
        row
    });
    assert_eq!(answers, [json!({"status": "success"}), json!({"status": "success"}), json!({"status": "success"})]);
    let list = cast.maintainer.get(&invitations).json();
    for row in list.as_array().expect("a list") {
        assert_eq!(row.as_object().map(serde_json::Map::len), list[0].as_object().map(serde_json::Map::len));
    }
}

#[both_databases]
fn a_server_without_mail_invites_no_address(server: &TestServer) {
    let root = server.root();
    let crew = group(&root, "crew", "private");
    let reply =
        root.post(&format!("/groups/{crew}/invitations"), json!({"email": "a@example.org", "access_level": 30}));
    let text = "Invite email cannot be used, because this server sends no mail";
    reply.assert(201, json!({"status": "error", "message": {"a@example.org": text}}));
}

#[test]
fn invitations_are_bounded() {
    for backend in [Backend::Sqlite, Backend::Postgres].into_iter().filter(|backend| backend.is_available()) {
        let mut limits = Limits::default();
        limits.contents.invitations = 2;
        limits.rates.invitations_per_user = 4;
        limits.rates.invitations_per_address = 1;
        bounded(&TestServer::start_with_mail_and(backend, limits));
    }
}

fn bounded(server: &TestServer) {
    let root = server.root();
    let invite = |place: &str, address: &str| {
        let reply = root.post(&format!("{place}/invitations"), json!({"email": address, "access_level": 10}));
        reply.assert_status(201).json()["message"][address].as_str().unwrap_or_default().to_owned()
    };
    let [one, two] = ["one", "two"].map(|name| format!("/groups/{}", group(&root, name, "private")));
    assert_eq!(invite(&one, "a@example.org"), "");
    let later = "Too many invitations were sent. Try again later";
    assert_eq!(invite(&two, "a@example.org"), later, "by address");
    assert_eq!(invite(&one, "b@example.org"), "");
    assert_eq!(invite(&one, "c@example.org"), "A group has at most 2 open invitations");
    assert_eq!(invite(&two, "d@example.org"), "");
    assert_eq!(invite(&two, "e@example.org"), later, "by user");
    server.advance(TimeDelta::seconds(72));
    assert_eq!(invite(&two, "e@example.org"), "");
}

#[both_databases(mail)]
fn invitations_end_with_their_time_and_with_who_sent_them(server: &TestServer) {
    let cast = Cast::of(server, "private");
    let root = server.root();
    let invitations = format!("/projects/{}/invitations", cast.project);
    let invite = |address: &str| {
        let _ = cast.maintainer.post(&invitations, json!({"email": address, "access_level": 30})).assert_status(201);
    };
    invite("a@example.org");
    server.advance(TimeDelta::days(14));
    root.get(&invitations).assert(200, json!([]));
    let _ = root.delete(&format!("{invitations}/a%40example.org")).assert_status(404);
    // The place of one that has ended is free.
    invite("a@example.org");
    server.advance(TimeDelta::days(14));
    server.enqueue("purge_expired_access", &json!({"kind": "purge_expired_access"}));
    server.run_jobs();
    assert_eq!(server.database().count("SELECT COUNT(*) FROM invitations"), 0);
    invite("b@example.org");
    let _ = root.delete(&format!("/users/{}", cast.maintainer.id)).assert_status(204);
    server.run_jobs();
    assert_eq!(server.database().count("SELECT COUNT(*) FROM invitations"), 0);
    let _ = root.post(&invitations, json!({"email": "c@example.org", "access_level": 30})).assert_status(201);
    let _ = root.delete(&format!("/projects/{}", cast.project)).assert_status(202);
    server.run_jobs();
    assert_eq!(server.database().count("SELECT COUNT(*) FROM invitations"), 0);
}

#[both_databases(mail)]
fn the_token_is_stored_as_a_digest_only(server: &TestServer) {
    let root = server.root();
    let crew = id(&root.get(&format!("/groups/{}", group(&root, "crew", "private"))).json());
    let _ = root.post(&format!("/groups/{crew}/invitations"), json!({"email": "a@example.org", "access_level": 30}));
    let token = token(server, "a@example.org");
    assert!(token.len() >= 20, "{token}");
    let stored =
        |condition: &str| server.database().count(&format!("SELECT COUNT(*) FROM invitations WHERE {condition}"));
    assert_eq!((stored("LENGTH(digest) = 64"), stored(&format!("digest = '{token}'"))), (1, 0));
}
