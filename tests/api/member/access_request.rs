//! Requests for access to projects and groups.

use serde_json::{Value, json};
use tenon_domain::limits::Limits;
use tenon_testkit::{Backend, Client, TestServer, User, both_databases};

use crate::support::{
    BASIC_USER, Cast, assert_has, field, forbidden, group, id, member, missing, project_in, unauthorized,
};

/// The path of a user's request.
fn one(source: &str, user: &User) -> String {
    format!("{source}/access_requests/{}", user.id)
}

/// The ids of those who wait.
#[track_caller]
fn waiting(client: &Client, source: &str) -> Vec<i64> {
    let list = client.get(&format!("{source}/access_requests")).assert_status(200).json();
    list.as_array().into_iter().flatten().map(id).collect()
}

/// The project of the cast, and a group with two of its members, which take requests.
fn sources(cast: &Cast, visibility: &str) -> [String; 2] {
    let crew = format!("/groups/{}", group(&cast.owner, "crew", visibility));
    member(&cast.owner, &crew, cast.guest.id, 10);
    member(&cast.owner, &crew, cast.reporter.id, 20);
    let sources = [format!("/projects/{}", cast.project), crew];
    for source in &sources {
        let _ = cast.owner.put(source, json!({"request_access_enabled": true})).assert_status(200);
    }
    sources
}

#[both_databases(mail)]
fn who_asks_is_approved_or_denied(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let [eve, ben] = server.users(["zoe", "ben"]);
    for (source, place) in sources(&cast, "public").iter().zip(["project", "group"]) {
        let all = format!("{source}/access_requests");
        let made = eve.post(&all, json!({})).assert_status(201).json();
        assert_has(&made, &BASIC_USER);
        assert!(id(&made) == eve.id && made["requested_at"].is_string(), "{made}");
        eve.post(&all, json!({})).assert(400, field("user_id", "already exists in source"));
        let _ = ben.post(&all, json!({})).assert_status(201);
        assert_eq!(waiting(&cast.owner, source), [eve.id, ben.id]);
        let second = cast.owner.get(&format!("{all}?per_page=1&page=2"));
        assert_eq!((id(&second.json()[0]), second.header("x-total")), (ben.id, "2".to_owned()));
        server.run_jobs();
        let mails = server.mails("owner@example.org");
        assert_eq!(mails.len(), 2, "{mails:?}");
        assert!(mails[0].subject().starts_with(&format!("Request for access to the {place} ")), "{mails:?}");
        assert!(mails[0].text.contains("(@zoe) requests access") && mails[0].text.contains("_members"), "{mails:?}");
        // No request gives a right.
        let members = cast.owner.get(&format!("{source}/members?query=zoe")).assert_status(200).json();
        assert_eq!(members, json!([]));
        let approved = cast.owner.put(&format!("{}/approve", one(source, &eve)), json!({})).assert_status(201).json();
        assert_eq!((id(&approved), &approved["access_level"]), (eve.id, &json!(30)));
        assert_eq!(waiting(&cast.owner, source), [ben.id]);
        let _ = cast.owner.put(&format!("{}/approve", one(source, &eve)), json!({})).assert_status(404);
        eve.post(&all, json!({})).assert(403, forbidden());
        let _ = cast.owner.delete(&one(source, &ben)).assert_status(204);
        cast.owner.delete(&one(source, &ben)).assert(404, json!({"message": "404 Not found"}));
        server.run_jobs();
        let granted = server.mails("zoe@example.org");
        assert!(granted.iter().any(|mail| mail.subject().starts_with("Access to the ")), "{granted:?}");
        let denied = server.mails("ben@example.org");
        assert!(denied[0].subject().ends_with(" was denied") && denied.len() == 1, "{denied:?}");
        let _ = server.mails("owner@example.org");
    }
}

#[both_databases(mail)]
fn who_has_asked_withdraws_in_silence(server: &TestServer) {
    let cast = Cast::of(server, "internal");
    let eve = server.user("eve");
    for source in sources(&cast, "internal") {
        let _ = eve.post(&format!("{source}/access_requests"), json!({})).assert_status(201);
        let _ = eve.post(&format!("{source}/access_requests"), json!({})).assert_status(400);
        let old = "Mon, 01 Jan 2024 00:00:00 GMT";
        let _ = eve.header("If-Unmodified-Since", old).delete(&one(&source, &eve)).assert_status(412);
        let _ = eve.delete(&one(&source, &eve)).assert_status(204);
        server.run_jobs();
        assert_eq!(server.mails("eve@example.org").len(), 0);
        assert_eq!(waiting(&cast.owner, &source), Vec::<i64>::new());
        // The mail about it has nothing to say any more.
        assert_eq!(server.mails("owner@example.org").len(), 0);
    }
}

#[both_databases]
fn only_strangers_ask_and_only_who_manages_members_answers(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let (root, eve) = (server.root(), server.user("eve"));
    for source in sources(&cast, "public") {
        let all = format!("{source}/access_requests");
        server.anonymous().post(&all, json!({})).assert(401, unauthorized());
        for has_access in [&*cast.guest, &*cast.owner, &root] {
            has_access.post(&all, json!({})).assert(403, forbidden());
        }
        let none = json!({"message": "404 Not found"});
        let approve = |who: &Client| who.put(&format!("{}/approve", one(&source, &eve)), json!({"access_level": 20}));
        // No caller learns who waits: without a request the answer is the same for all.
        approve(&cast.guest).assert(404, none.clone());
        cast.guest.delete(&one(&source, &eve)).assert(404, none);
        let _ = eve.post(&all, json!({})).assert_status(201);
        for other in [&*cast.guest, &*eve, &*cast.reporter] {
            other.get(&all).assert(403, forbidden());
            approve(other).assert(403, forbidden());
        }
        cast.guest.delete(&one(&source, &eve)).assert(403, forbidden());
        let wrong =
            |level: Value| cast.owner.put(&format!("{}/approve", one(&source, &eve)), json!({"access_level": level}));
        wrong(json!(15)).assert(400, field("access_level", "is not included in the list"));
        let _ = wrong(json!("x")).assert_status(400);
        if source.starts_with("/projects") {
            wrong(json!(50)).assert(400, field("access_level", "is not included in the list"));
        }
        // A member who is added otherwise asks no more.
        member(&cast.owner, &source, eve.id, 10);
        assert_eq!(waiting(&cast.owner, &source), Vec::<i64>::new());
    }
}

#[both_databases]
fn hidden_closed_and_archived_places_take_no_requests(server: &TestServer) {
    let owner = server.user("owner");
    let (eve, far) = (server.user("eve"), server.user("far"));
    let _ = server.root().put(&format!("/users/{}", far.id), json!({"external": true})).assert_status(200);
    let ask = |who: &Client, source: &str| who.post(&format!("{source}/access_requests"), json!({}));
    let crew = group(&owner, "crew", "private");
    let hidden = project_in(&owner, crew, "hidden", "private");
    for source in [format!("/groups/{crew}"), format!("/projects/{hidden}")] {
        let _ = owner.put(&source, json!({"request_access_enabled": true})).assert_status(200);
    }
    ask(&eve, &format!("/groups/{crew}")).assert(404, missing("Group"));
    ask(&eve, &format!("/projects/{hidden}")).assert(404, missing("Project"));
    // A member of a project below sees the private group, and may still not ask for more.
    member(&owner, &format!("/projects/{hidden}"), eve.id, 10);
    ask(&eve, &format!("/groups/{crew}")).assert(403, forbidden());
    let open = group(&owner, "open", "internal");
    let _ = owner.put(&format!("/groups/{open}"), json!({"request_access_enabled": true})).assert_status(200);
    let tool = format!("/projects/{}", project_in(&owner, open, "tool", "internal"));
    ask(&eve, &tool).assert(403, forbidden());
    let _ = owner.put(&tool, json!({"request_access_enabled": true})).assert_status(200);
    ask(&far, &tool).assert(404, missing("Project"));
    let _ = ask(&eve, &tool).assert_status(201);
    let _ = owner.post(&format!("{tool}/archive"), json!({})).assert_status(200);
    ask(&server.user("late"), &tool).assert(403, forbidden());
    let _ = owner.put(&format!("/groups/{open}"), json!({"request_access_enabled": false})).assert_status(200);
    ask(&eve, &format!("/groups/{open}")).assert(403, forbidden());
    // A group that admits no new members of projects gets no requests for them.
    let locked = json!({"request_access_enabled": true, "membership_lock": true});
    let _ = owner.put(&format!("/groups/{open}"), locked).assert_status(200);
    let other = format!("/projects/{}", project_in(&owner, open, "other", "internal"));
    let _ = owner.put(&other, json!({"request_access_enabled": true})).assert_status(200);
    assert!((400..500).contains(&ask(&eve, &other).status()));
}

#[test]
fn a_project_has_so_many_requests() {
    let mut limits = Limits::default();
    limits.contents.access_requests = 2;
    let server = TestServer::start_with(Backend::Sqlite, limits);
    let cast = Cast::of(&server, "public");
    let [tool, _] = sources(&cast, "public");
    for name in ["a", "b"] {
        let _ = server.user(name).post(&format!("{tool}/access_requests"), json!({})).assert_status(201);
    }
    let _ = server.user("c").post(&format!("{tool}/access_requests"), json!({})).assert_status(400);
}
