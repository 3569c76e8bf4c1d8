//! Searching for the members of groups and projects.

use serde_json::json;
use tenon_testkit::{Client, TestServer, both_databases};

use crate::support::*;

/// The user names that a search finds, and the total.
#[track_caller]
fn found(client: &Client, place: &str, text: &str) -> (Vec<String>, String) {
    let reply = client.get(&format!("{place}/search?scope=users&search={text}")).assert_status(200);
    (texts(&reply, "username"), reply.header("x-total"))
}

#[both_databases]
fn members_are_found_directly_and_through_groups(server: &TestServer) {
    let [owner, above, below, direct, guest, gone, _outside] = server.users([
        "person-owner",
        "person-above",
        "person-below",
        "person-direct",
        "person-guest",
        "person-gone",
        "person-outside",
    ]);
    let top = group(&owner, "top", "private");
    let sub = subgroup(&owner, top, "sub", "private");
    let tool = project_in(&owner, sub, "tool", "private");
    let invited = group(&owner, "invited", "private");
    member(&owner, &format!("/groups/{top}"), above.id, 10);
    member(&owner, &format!("/groups/{sub}"), below.id, 30);
    member(&owner, &format!("/projects/{tool}"), direct.id, 30);
    member(&owner, &format!("/groups/{top}"), gone.id, 30);
    member(&owner, &format!("/groups/{invited}"), guest.id, 30);
    made(&owner, &format!("/projects/{tool}/share"), json!({"group_id": invited, "group_access": 30}));
    let _ = server.root().post(&format!("/users/{}/block", gone.id), json!({})).assert_status(201);
    let (top, sub, tool) = (format!("/groups/{top}"), format!("/groups/{sub}"), format!("/projects/{tool}"));
    let (of_top, of_sub) = (["owner", "above"], ["owner", "above", "below"]);
    let of_tool = ["owner", "above", "below", "direct", "guest"];
    let all = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| format!("person-{name}")).collect();
        let total = names.len().to_string();
        (names, total)
    };
    for (place, want) in [
        (&top, &of_top[..]),
        (&sub, &of_sub),
        (&tool, &of_tool),
        (&format!("{sub}/-"), &of_sub),
        (&format!("{tool}/-"), &of_tool),
    ] {
        assert_eq!(found(&owner, place, "person"), all(want), "{place}");
    }
    // Those who do not see the invited group do not see its members.
    assert_eq!(found(&above, &tool, "person"), all(&of_tool[..4]));
    for (text, want) in [("DIRECT", &["direct"][..]), ("outside", &[]), ("%25%25%25", &[])] {
        assert_eq!(found(&owner, &tool, text), all(want), "{text}");
    }
    let second = owner.get(&format!("{tool}/search?scope=users&search=person&per_page=2&page=2")).assert_status(200);
    assert_eq!(texts(&second, "username"), ["person-below", "person-direct"]);
    assert_eq!(["x-total", "x-total-pages", "x-next-page"].map(|name| second.header(name)), ["5", "3", "3"]);
    let stranger = server.user("stranger");
    for place in [&top, &sub] {
        stranger.get(&format!("{place}/search?scope=users&search=person")).assert(404, missing("Group"));
    }
    stranger.get(&format!("{tool}/search?scope=users&search=person")).assert(404, missing("Project"));
    server.anonymous().get(&format!("{tool}/search?scope=users&search=person")).assert(401, unauthorized());
    owner.get(&format!("{tool}/search?scope=users")).assert(400, parameter("search is missing"));
}

#[both_databases]
fn a_member_is_found_by_name_and_public_address(server: &TestServer) {
    let owner = server.user("owner");
    let open = project(&owner, "open", "public");
    let zoe = server.user_with("zoe", &json!({"name": "Zoe Quimby"}));
    changed(&server.root(), &format!("/users/{}", zoe.id), json!({"public_email": "zoe@example.org"}));
    member(&owner, &format!("/projects/{open}"), zoe.id, 10);
    let (place, reader) = (format!("/projects/{open}"), server.user("reader"));
    for (text, want) in
        [("quimby", &["zoe"][..]), ("zoe%20quim", &["zoe"]), ("zoe@example.org", &["zoe"]), ("owner@example.org", &[])]
    {
        assert_eq!(found(&reader, &place, text).0, want, "{text}");
    }
}
