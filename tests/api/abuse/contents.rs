//! The most of each kind of content that projects, groups and issues may have.

use serde_json::{Value, json};
use tenon_app::Limits;
use tenon_testkit::{Backend, Client, Multipart, Reply, TestServer};

use crate::merge_request::write;
use crate::support::*;

/// Runs a test on both databases, with 2 for this limit.
fn with_two(limit: &str, run: impl Fn(&TestServer)) {
    let mut limits = Limits::without_rates();
    limits.set(limit, 2).expect("a limit");
    for backend in [Backend::Sqlite, Backend::Postgres] {
        if backend.is_available() {
            run(&TestServer::start_with(backend, limits.clone()));
        }
    }
}

/// Two succeed, a third is refused by this text, and succeeds when one is gone.
#[track_caller]
fn two_fit(text: &str, add: impl Fn(usize) -> Reply, remove: impl Fn(&Value)) {
    let first = add(0).assert_status(201).json();
    let _ = add(1).assert_status(201);
    add(2).assert(400, field("base", text));
    remove(&first);
    let _ = add(2).assert_status(201);
}

/// The body that makes something with this name.
fn named(field: &str, number: usize) -> Value {
    json!({field: format!("n{number}")})
}

fn remove_named(client: &Client, list: &str, field: &str) -> impl Fn(&Value) {
    move |made| {
        let name = made[field].as_str().map_or_else(|| made[field].to_string(), str::to_owned);
        let _ = client.delete(&format!("{list}/{name}")).assert_status(204);
    }
}

#[test]
fn protected_branches_and_tags_have_a_number_each() {
    with_two("contents.protected_refs", |server| {
        let alice = server.user("alice");
        let path = format!("/projects/{}", project(&alice, "tool", "private"));
        for (list, text) in [("protected_branches", "branches"), ("protected_tags", "tags")] {
            let list = format!("{path}/{list}");
            let text = format!("A project has at most 2 protected {text}");
            two_fit(&text, |number| alice.post(&list, named("name", number)), remove_named(&alice, &list, "name"));
        }
        // By the endpoint of branches, too; a rule that is there can still be changed.
        server.set("default_branch_protection", &json!(0));
        write(&alice, id(&alice.get(&path).json()), "main", "a", "b");
        let branches = format!("{path}/repository/branches");
        let text = "A project has at most 2 protected branches";
        let on = json!({"developers_can_push": true});
        alice.put(&format!("{branches}/main/protect"), json!({})).assert(400, field("base", text));
        let _ = alice.delete(&format!("{path}/protected_branches/n1")).assert_status(204);
        for body in [json!({}), on] {
            let _ = alice.put(&format!("{branches}/main/protect"), body).assert_status(200);
        }
    });
}

#[test]
fn labels_and_milestones_of_projects_and_groups_have_a_number() {
    for (limit, kind, field_name) in
        [("contents.labels", "labels", "name"), ("contents.milestones", "milestones", "title")]
    {
        with_two(limit, |server| {
            let alice = server.user("alice");
            let (tool, team) = (project(&alice, "tool", "private"), group(&alice, "team", "private"));
            for (of, word) in [(format!("/projects/{tool}"), "project"), (format!("/groups/{team}"), "group")] {
                let list = format!("{of}/{kind}");
                let body = |number| {
                    let mut body = named(field_name, number);
                    body["color"] = json!("#fff");
                    body
                };
                let text = format!("A {word} has at most 2 {kind}");
                two_fit(&text, |number| alice.post(&list, body(number)), remove_named(&alice, &list, "id"));
            }
            if kind == "labels" {
                // Labels that an issue names and that are not there yet count as well, all or none.
                let issues = format!("/projects/{tool}/issues");
                let text = "A project has at most 2 labels";
                alice.post(&issues, json!({"title": "t", "labels": "n1,x"})).assert(400, field("base", text));
                let _ = alice.post(&issues, json!({"title": "t", "labels": "n1,n2"})).assert_status(201);
            }
        });
    }
}

#[test]
fn members_and_shares_have_a_number() {
    with_two("contents.members", |server| {
        let alice = server.user("alice");
        let people: Vec<i64> = (0..3).map(|number| server.user(&format!("p{number}")).id).collect();
        let team = group(&alice, "team", "private");
        // The owner of a group is one of its members.
        member(&alice, &format!("/groups/{team}"), people[0], 30);
        let third = json!({"user_id": people[1], "access_level": 30});
        let text = "A group has at most 2 direct members";
        alice.post(&format!("/groups/{team}/members"), third).assert(400, field("base", text));
        let list = format!("/projects/{}/members", project_in(&alice, team, "tool", "private"));
        let add = |number: usize| alice.post(&list, json!({"user_id": people[number], "access_level": 30}));
        two_fit("A project has at most 2 direct members", add, remove_named(&alice, &list, "id"));
    });
    with_two("contents.shares", |server| {
        let alice = server.user("alice");
        let groups: Vec<i64> = (0..3).map(|number| group(&alice, &format!("g{number}"), "private")).collect();
        let (tool, team) = (project(&alice, "tool", "private"), group(&alice, "team", "private"));
        for (of, word) in [(format!("/projects/{tool}"), "project"), (format!("/groups/{team}"), "group")] {
            let share = |number: usize| {
                alice.post(&format!("{of}/share"), json!({"group_id": groups[number], "group_access": 30}))
            };
            let gone = |_: &Value| drop(alice.delete(&format!("{of}/share/{}", groups[0])).assert_status(204));
            two_fit(&format!("A {word} has at most 2 shares with groups"), share, gone);
        }
    });
}

#[test]
fn groups_of_one_user_have_a_number() {
    with_two("contents.groups_per_user", |server| {
        let (alice, bob) = (server.user("alice"), server.user("bob"));
        let parent = group(&alice, "team", "private");
        let below = |number: usize| {
            let name = format!("n{number}");
            alice.post("/groups", json!({"name": name, "path": name, "parent_id": parent}))
        };
        let made = below(0).assert_status(201).json();
        let text = "A user has at most 2 groups that the user has made and owns";
        below(1).assert(400, field("base", text));
        alice.post("/groups", json!({"name": "top", "path": "top"})).assert(400, field("base", text));
        // One that another has made counts for the other.
        member(&alice, &format!("/groups/{parent}"), bob.id, 50);
        let _ = group(&bob, "one", "private");
        let _ = group(&bob, "two", "private");
        bob.post("/groups", json!({"name": "three", "path": "three"})).assert(400, field("base", text));
        let _ = alice.delete(&format!("/groups/{}", id(&made))).assert_status(202);
        let _ = below(1).assert_status(201);
        for name in ["a", "b", "c"] {
            let _ = group(&server.root(), name, "private");
        }
    });
}

#[test]
fn comments_have_a_number() {
    with_two("contents.notes", |server| {
        let alice = server.user("alice");
        let tool = project(&alice, "tool", "private");
        let issues = format!("/projects/{tool}/issues");
        let issue = made(&alice, &issues, named("title", 0))["iid"].clone();
        let list = format!("{issues}/{issue}/notes");
        let talks = format!("{issues}/{issue}/discussions");
        let text = "An issue has at most 2 comments";
        two_fit(text, |number| alice.post(&list, named("body", number)), remove_named(&alice, &list, "id"));
        // A command is none, and a reply is one.
        let _ = alice.post(&list, json!({"body": "/title Other"})).assert_status(202);
        alice.post(&talks, json!({"body": "b"})).assert(400, field("base", text));
        let notes = alice.get(&list).json();
        let said = notes.as_array().expect("a list").iter().find(|note| note["system"] == false).expect("a comment");
        let gone = said["id"].clone();
        let _ = alice.delete(&format!("{list}/{gone}")).assert_status(204);
        let talk = alice.post(&talks, json!({"body": "b"})).assert_status(201).json();
        let reply = format!("{talks}/{}/notes", talk["id"].as_str().expect("an id"));
        alice.post(&reply, json!({"body": "b"})).assert(400, field("base", text));
    });
}

#[test]
fn links_and_reactions_have_a_number() {
    with_two("contents.issue_links", |server| {
        let alice = server.user("alice");
        let tool = project(&alice, "tool", "private");
        let issues: Vec<i64> = (0..4)
            .map(|number| {
                let made = made(&alice, &format!("/projects/{tool}/issues"), named("title", number));
                made["iid"].as_i64().expect("a number")
            })
            .collect();
        let list = |of: usize| format!("/projects/{tool}/issues/{}/links", issues[of]);
        let to = |number: usize| json!({"target_project_id": tool, "target_issue_iid": issues[number]});
        for other in [1, 2] {
            let _ = alice.post(&list(0), to(other)).assert_status(201);
        }
        let text = "An issue has at most 2 links to others";
        alice.post(&list(0), to(3)).assert(400, field("base", text));
        alice.post(&list(3), to(0)).assert(400, field("base", text));
        let _ = alice.post(&list(1), to(2)).assert_status(201);
    });
    with_two("contents.reactions", |server| {
        let alice = server.user("alice");
        let tool = project(&alice, "tool", "public");
        let list = format!("/projects/{tool}/issues/{}/award_emoji", {
            made(&alice, &format!("/projects/{tool}/issues"), json!({"title": "t"}))["iid"].clone()
        });
        let names = ["heart", "tada", "eyes"];
        let give = |number: usize| alice.post(&list, json!({"name": names[number]}));
        two_fit("A user has at most 2 reactions to one thing", give, remove_named(&alice, &list, "id"));
        let _ = server.user("bob").post(&list, json!({"name": "heart"})).assert_status(201);
    });
}

#[test]
fn uploads_have_a_number() {
    let upload = |client: &Client, project: i64| {
        let form = Multipart::default().file("file", "a.bin", b"x");
        client.multipart("POST", &format!("/projects/{project}/uploads"), &form)
    };
    with_two("contents.uploads", |server| {
        let alice = server.user("alice");
        let tool = project(&alice, "tool", "public");
        for _ in 0..2 {
            let _ = upload(&alice, tool).assert_status(201);
        }
        let text = "413 Request Entity Too Large - The uploads of this project may be 2 files (contents.uploads)";
        upload(&alice, tool).assert(413, json!({"message": text}));
    });
    with_two("contents.uploads_of_outsider", |server| {
        let (alice, bob) = (server.user("alice"), server.user("bob"));
        let tool = project(&alice, "tool", "public");
        for _ in 0..2 {
            let _ = upload(&bob, tool).assert_status(201);
        }
        let _ = upload(&bob, tool).assert_status(413);
        for _ in 0..3 {
            let _ = upload(&alice, tool).assert_status(201);
        }
    });
}
