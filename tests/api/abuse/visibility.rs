//! An object that a caller may not see is missing for the caller.

use serde_json::json;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Client, Multipart, TestServer, both_databases};

use crate::support::*;

/// Everything that a stranger could ask a project for.
const READS: [&str; 5] = ["", "/users", "/forks", "/members", "/hooks"];

/// The private project `owner/safe` and its owner.
fn private_project(server: &TestServer) -> (tenon_testkit::User, i64) {
    let owner = server.user("owner");
    let project = project(&owner, "safe", "private");
    (owner, project)
}

/// The names of an answer's headers, in order.
fn header_names(client: &Client, path: &str) -> Vec<String> {
    let reply = client.get(path).assert_status(404);
    reply.headers().keys().map(ToString::to_string).collect()
}

/// A token as Git sends it.
fn basic(token: &str) -> String {
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let text = format!("x:{token}");
    let encoded = text.as_bytes().chunks(3).flat_map(|chunk| {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        let digit = move |at: usize| digits[usize::try_from(bits >> (18 - 6 * at) & 63).expect("six bits")];
        let length = chunk.len();
        (0..4).map(move |at| if at <= length { char::from(digit(at)) } else { '=' })
    });
    format!("Basic {}", encoded.collect::<String>())
}

/// Requests with as many questions take as long.
#[both_databases]
fn git_asks_as_much_of_a_missing_project_as_of_a_hidden_one(server: &TestServer) {
    let (owner, _) = private_project(server);
    let team = group(&owner, "team", "private");
    project_in(&owner, team, "safe", "private");
    let stranger = server.user("stranger");
    let signed_in = Client::new(server.base(), None).header("authorization", &basic(&stranger.token));
    for (client, status) in [(&signed_in, 404), (&server.anonymous(), 401)] {
        for service in ["git-upload-pack", "git-receive-pack"] {
            let asked = |path: &str| {
                let ask = || client.get(&format!("//{path}.git/info/refs?service={service}")).assert_status(status);
                let first = ask().text();
                assert_eq!(ask().text(), first);
                server.count_statements(|| drop(ask()))
            };
            assert_eq!(asked("owner/none"), asked("owner/safe"), "{service} {status}");
            let hidden = asked("team/safe");
            assert_eq!((asked("team/none"), asked("none/none")), (hidden, hidden), "{service} {status}");
        }
    }
}

#[both_databases]
fn a_private_project_answers_like_one_that_is_not_there(server: &TestServer) {
    let (owner, project) = private_project(server);
    let renamed = json!({"path": "vault"});
    for round in 0..2 {
        for caller in [server.anonymous(), server.user(&format!("stranger{round}")).clone()] {
            for path in [
                format!("/projects/{project}"),
                "/projects/owner%2Fsafe".to_owned(),
                "/projects/OWNER%2FSAFE".to_owned(),
                "/projects/owner%2Fvault".to_owned(),
                "/projects/999999".to_owned(),
            ] {
                caller.get(&path).assert(404, missing("Project"));
            }
            assert_eq!(
                header_names(&caller, &format!("/projects/{project}")),
                header_names(&caller, "/projects/999999")
            );
        }
        let _ = owner.put(&format!("/projects/{project}"), renamed.clone()).assert_status(200);
    }
    let _ = owner.get("/projects/owner%2Fvault").assert_status(200);
    let _ = owner.get("/projects/owner%2Fsafe").assert_status(301);
}

#[both_databases]
fn an_internal_project_is_for_people_of_the_house(server: &TestServer) {
    let owner = server.user("owner");
    let project = project(&owner, "house", "internal");
    let path = format!("/projects/{project}");
    let external = server.user_with("guest", &json!({"external": true}));
    let _ = server.user("colleague").get(&path).assert_status(200);
    server.anonymous().get(&path).assert(404, missing("Project"));
    external.get(&path).assert(404, missing("Project"));
    member(&owner, &path, external.id, 10);
    let _ = external.get(&path).assert_status(200);
}

/// For groups.
#[both_databases]
fn an_internal_group_is_for_people_of_the_house(server: &TestServer) {
    let owner = server.user("owner");
    let group = group(&owner, "house", "internal");
    let path = format!("/groups/{group}");
    let external = server.user_with("guest", &json!({"external": true}));
    let _ = server.user("colleague").get(&path).assert_status(200);
    server.anonymous().get(&path).assert(404, missing("Group"));
    external.get(&path).assert(404, missing("Group"));
}

#[both_databases]
fn nothing_in_a_private_project_answers_a_stranger(server: &TestServer) {
    let (owner, project) = private_project(server);
    let stranger = server.user("stranger");
    for part in READS {
        stranger.get(&format!("/projects/{project}{part}")).assert(404, missing("Project"));
    }
    for part in ["star", "unstar", "archive", "unarchive"] {
        stranger.post(&format!("/projects/{project}/{part}"), json!({})).assert(404, missing("Project"));
    }
    let file = Multipart::default().file("file", "a.txt", b"text");
    let upload = format!("/projects/{project}/uploads");
    stranger.multipart("POST", &upload, &file).assert(404, missing("Project"));
    let share = json!({"group_id": 1, "group_access": 10});
    stranger.post(&format!("/projects/{project}/share"), share).assert(404, missing("Project"));
    stranger.put(&format!("/projects/{project}"), json!({"description": "x"})).assert(404, missing("Project"));
    stranger.delete(&format!("/projects/{project}")).assert(404, missing("Project"));
    let _ = owner.get(&format!("/projects/{project}")).assert_status(200);
}

#[both_databases]
fn a_membership_that_ends_ends_at_the_next_request(server: &TestServer) {
    let (owner, project) = private_project(server);
    let colleague = server.user("colleague");
    let path = format!("/projects/{project}");
    member(&owner, &path, colleague.id, 40);
    let _ = colleague.get(&format!("{path}/hooks")).assert_status(200);
    let membership = format!("{path}/members/{}", colleague.id);
    let _ = owner.put(&membership, json!({"access_level": 10})).assert_status(200);
    colleague.get(&format!("{path}/hooks")).assert(403, forbidden());
    let _ = colleague.get(&path).assert_status(200);
    let _ = owner.delete(&membership).assert_status(204);
    colleague.get(&path).assert(404, missing("Project"));
}

/// Through a group and its descendants.
#[both_databases]
fn a_group_membership_that_ends_closes_everything_below(server: &TestServer) {
    let owner = server.user("owner");
    let top = group(&owner, "top", "private");
    let below = subgroup(&owner, top, "below", "private");
    let project = project_in(&owner, below, "tool", "private");
    let colleague = server.user("colleague");
    member(&owner, &format!("/groups/{top}"), colleague.id, 30);
    for path in [format!("/groups/{below}"), format!("/projects/{project}")] {
        let _ = colleague.get(&path).assert_status(200);
    }
    let _ = owner.delete(&format!("/groups/{top}/members/{}", colleague.id)).assert_status(204);
    colleague.get(&format!("/groups/{below}")).assert(404, missing("Group"));
    colleague.get(&format!("/projects/{project}")).assert(404, missing("Project"));
}

/// No job runs.
#[both_databases]
fn a_share_ends_on_its_day_by_itself(server: &TestServer) {
    let (owner, project) = private_project(server);
    let friend = server.user("friend");
    let friends = group(&friend, "friends", "public");
    let share = json!({"group_id": friends, "group_access": 20, "expires_at": "2026-03-04"});
    made(&owner, &format!("/projects/{project}/share"), share);
    let path = format!("/projects/{project}");
    let _ = friend.get(&path).assert_status(200);
    server.advance(TimeDelta::hours(35));
    let _ = friend.get(&path).assert_status(200);
    server.advance(TimeDelta::hours(1));
    friend.get(&path).assert(404, missing("Project"));
}

/// For memberships.
#[both_databases]
fn a_membership_ends_on_its_day_by_itself(server: &TestServer) {
    let (owner, project) = private_project(server);
    let friend = server.user("friend");
    let path = format!("/projects/{project}");
    let body = json!({"user_id": friend.id, "access_level": 20, "expires_at": "2026-03-03"});
    made(&owner, &format!("{path}/members"), body);
    let _ = friend.get(&path).assert_status(200);
    server.advance(TimeDelta::hours(12));
    friend.get(&path).assert(404, missing("Project"));
}

/// For a day that is past already.
#[both_databases]
fn a_share_until_yesterday_gives_nothing(server: &TestServer) {
    let (owner, project) = private_project(server);
    let friend = server.user("friend");
    let friends = group(&friend, "friends", "public");
    let share = json!({"group_id": friends, "group_access": 20, "expires_at": "2026-03-01"});
    made(&owner, &format!("/projects/{project}/share"), share);
    friend.get(&format!("/projects/{project}")).assert(404, missing("Project"));
}

/// No job runs before the questions.
#[both_databases]
fn a_group_that_is_being_deleted_hides_all_that_is_in_it(server: &TestServer) {
    let owner = server.user("owner");
    let top = group(&owner, "top", "public");
    let below = subgroup(&owner, top, "below", "public");
    let project = project_in(&owner, below, "tool", "public");
    owner.delete(&format!("/groups/{top}")).assert(202, accepted());
    for caller in [server.anonymous(), owner.clone(), server.root()] {
        caller.get(&format!("/projects/{project}")).assert(404, missing("Project"));
        caller.get("/projects/top%2Fbelow%2Ftool").assert(404, missing("Project"));
        caller.get(&format!("/groups/{below}")).assert(404, missing("Group"));
        assert_eq!(ids(&caller.get("/projects")), [0_i64; 0]);
    }
    server.run_jobs();
    server.root().get(&format!("/projects/{project}")).assert(404, missing("Project"));
    let again = group(&owner, "top", "public");
    assert_ne!(again, top);
}

/// For one project.
#[both_databases]
fn a_project_that_is_being_deleted_is_gone_at_once(server: &TestServer) {
    let owner = server.user("owner");
    let project = project(&owner, "tool", "public");
    let path = format!("/projects/{project}");
    owner.delete(&path).assert(202, accepted());
    owner.delete(&path).assert(404, missing("Project"));
    owner.get(&path).assert(404, missing("Project"));
    server.root().get("/projects/owner%2Ftool").assert(404, missing("Project"));
    assert_eq!(server.root().get("/projects").header("x-total"), "0");
}
