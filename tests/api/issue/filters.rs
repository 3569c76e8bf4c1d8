//! The filters of lists of issues.

use serde_json::json;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Client, TestServer, User, both_databases};

use crate::support::*;

/// A group with one project, whose issues differ.
pub(super) struct Scene {
    pub(super) alice: User,
    pub(super) bob: User,
    pub(super) lists: [String; 3],
    pub(super) project: i64,
}

impl Scene {
    /// 1: alice's, `bug`, v1; 2: bob's, `bug` and `ui`, for alice; 3: alice's, closed, for bob; 4: alice's, `ui`,
    /// confidential.
    pub(super) fn of(server: &TestServer) -> Self {
        let (alice, bob) = (server.user("alice"), server.user("bob"));
        let team = group(&alice, "team", "public");
        member(&alice, &format!("/groups/{team}"), bob.id, 20);
        let project = project_in(&alice, team, "tool", "public");
        let goal = milestone(&alice, &format!("/projects/{project}"), "v1");
        let open = |client: &Client, body| issue(client, project, body);
        open(&alice, json!({"title": "First bug", "labels": "bug", "milestone_id": goal}));
        open(
            &bob,
            json!({"title": "Second thing", "description": "about a bug", "labels": "bug,ui", "assignee_ids": [alice.id]}),
        );
        let third = open(&alice, json!({"title": "Third", "assignee_ids": [bob.id]}));
        open(&alice, json!({"title": "Fourth", "labels": "ui", "confidential": true}));
        changed(&alice, &third, json!({"state_event": "close"}));
        let lists = [
            format!("/projects/{project}/issues?"),
            format!("/groups/{team}/issues?"),
            "/issues?scope=all&".to_owned(),
        ];
        Self { alice, bob, lists, project }
    }

    #[track_caller]
    pub(super) fn assert(&self, query: &str, want: &[i64]) {
        for list in &self.lists {
            assert_eq!(iids(&self.alice, &format!("{list}sort=asc&{query}")), want, "{list} {query}");
        }
    }
}

#[both_databases]
fn by_state(server: &TestServer) {
    let scene = Scene::of(server);
    for (query, want) in [
        ("state=opened", vec![1, 2, 4]),
        ("state=closed", vec![3]),
        ("state=all", vec![1, 2, 3, 4]),
        ("state=", vec![1, 2, 3, 4]),
    ] {
        scene.assert(query, &want);
    }
    let odd = scene.alice.get(&format!("{}state=merged", scene.lists[0]));
    odd.assert(400, parameter("state does not have a valid value"));
}

#[both_databases]
fn by_labels(server: &TestServer) {
    let scene = Scene::of(server);
    for (query, want) in [
        ("labels=bug", vec![1, 2]),
        ("labels=bug,ui", vec![2]),
        ("labels=bug,%20ui%20", vec![2]),
        ("labels[]=bug&labels[]=ui", vec![2]),
        ("labels=Bug", vec![]),
        ("labels=bug,unknown", vec![]),
        ("labels=No+Label", vec![3]),
        ("labels=bug,No+Label", vec![3]),
        ("labels=None", vec![3]),
        ("labels=none", vec![3]),
        ("labels=Any", vec![1, 2, 4]),
        ("labels=any", vec![1, 2, 4]),
        ("labels=", vec![1, 2, 3, 4]),
        ("labels=b%25", vec![]),
        ("labels=b_g", vec![]),
    ] {
        scene.assert(query, &want);
    }
}

#[both_databases]
fn by_label_of_the_group_above(server: &TestServer) {
    let scene = Scene::of(server);
    label(&scene.alice, "/groups/team", "shared");
    let path = format!("/projects/{}/issues/3", scene.project);
    changed(&scene.alice, &path, json!({"add_labels": "shared"}));
    scene.assert("labels=shared", &[3]);
}

#[both_databases]
fn by_milestone(server: &TestServer) {
    let scene = Scene::of(server);
    for (query, want) in [
        ("milestone=v1", vec![1]),
        ("milestone=V1", vec![]),
        ("milestone=unknown", vec![]),
        ("milestone=No+Milestone", vec![2, 3, 4]),
        ("milestone=None", vec![2, 3, 4]),
        ("milestone=Any+Milestone", vec![1]),
        ("milestone=any", vec![1]),
        ("milestone=", vec![1, 2, 3, 4]),
    ] {
        scene.assert(query, &want);
    }
    let shared = milestone(&scene.alice, "/groups/team", "summer");
    changed(&scene.alice, &format!("/projects/{}/issues/2", scene.project), json!({"milestone_id": shared}));
    scene.assert("milestone=summer", &[2]);
}

#[both_databases]
fn by_milestones_that_are_near_and_begun(server: &TestServer) {
    let scene = Scene::of(server);
    let at = format!("/projects/{}/milestones", scene.project);
    let goals = [
        json!({"title": "past", "start_date": "2026-01-01", "due_date": "2026-02-01"}),
        json!({"title": "next", "start_date": "2026-03-01", "due_date": "2026-03-20"}),
        json!({"title": "later", "start_date": "2026-04-01", "due_date": "2026-05-20"}),
    ]
    .map(|body| id(&made(&scene.alice, &at, body)));
    for (iid, goal) in goals.iter().enumerate() {
        let path = format!("/projects/{}/issues/{}", scene.project, iid + 1);
        changed(&scene.alice, &path, json!({"milestone_id": goal}));
    }
    scene.assert("milestone=%23upcoming", &[2]);
    changed(&scene.alice, &format!("{at}/{}", goals[1]), json!({"state_event": "close"}));
    scene.assert("milestone=%23upcoming", &[3]);
    // Active ones with a first day that has come: of these, the closed one and those without a first day are none.
    scene.assert("milestone=%23started", &[1]);
    let endless = milestone(&scene.alice, "/groups/team", "of the group");
    let fourth = format!("/projects/{}/issues/4", scene.project);
    changed(&scene.alice, &fourth, json!({"milestone_id": endless}));
    scene.assert("milestone=%23started", &[1]);
    changed(
        &scene.alice,
        &format!("/groups/team/milestones/{endless}"),
        json!({"start_date": "2026-02-20", "due_date": "2026-06-01"}),
    );
    scene.assert("milestone=%23started", &[1, 4]);
    // Project and group have a next one each; those of other projects do not count here.
    scene.assert("milestone=%23upcoming", &[3, 4]);
    let other = project(&scene.alice, "other", "private");
    let near = json!({"title": "near", "start_date": "2026-01-01", "due_date": "2026-03-05"});
    let near = id(&made(&scene.alice, &format!("/projects/{other}/milestones"), near));
    let elsewhere = issue(&scene.alice, other, json!({"title": "t", "milestone_id": near}));
    for query in ["milestone=%23started", "milestone=%23upcoming", "milestone=near"] {
        assert_eq!(iids(&scene.alice, &format!("/projects/{other}/issues?{query}")), [1], "{query}");
    }
    let _ = scene.alice.delete(&elsewhere).assert_status(204);
    scene.assert("milestone=%23started", &[1, 4]);
    scene.assert("milestone=%23upcoming", &[3, 4]);
    scene.assert("milestone=near", &[]);
}

#[both_databases]
fn by_author(server: &TestServer) {
    let scene = Scene::of(server);
    scene.assert(&format!("author_id={}", scene.bob.id), &[2]);
    scene.assert("author_username=bob", &[2]);
    scene.assert("author_id=999999", &[]);
    scene.assert("author_username=no-one", &[]);
    scene.assert("author_id=", &[1, 2, 3, 4]);
    scene.alice.get(&format!("{}author_id=x", scene.lists[0])).assert(400, parameter("author_id is invalid"));
    // The issues that are assigned to the caller, by author.
    let list = format!("/issues?scope=assigned_to_me&author_id={}", scene.bob.id);
    assert_eq!(iids(&scene.alice, &list), [2]);
    assert_eq!(iids(&scene.bob, &list), [0; 0]);
}

#[both_databases]
fn by_assignee(server: &TestServer) {
    let scene = Scene::of(server);
    for (query, want) in [
        (format!("assignee_id={}", scene.alice.id), vec![2]),
        (format!("assignee_id={}", scene.bob.id), vec![3]),
        ("assignee_id=0".to_owned(), vec![1, 4]),
        ("assignee_id=None".to_owned(), vec![1, 4]),
        ("assignee_id=none".to_owned(), vec![1, 4]),
        ("assignee_id=Any".to_owned(), vec![2, 3]),
        ("assignee_id=999999".to_owned(), vec![]),
        ("assignee_username=bob".to_owned(), vec![3]),
        ("assignee_username[]=bob&assignee_username[]=alice".to_owned(), vec![]),
        ("assignee_id=".to_owned(), vec![1, 2, 3, 4]),
    ] {
        scene.assert(&query, &want);
    }
    scene.alice.get(&format!("{}assignee_id=x", scene.lists[0])).assert(400, parameter("assignee_id is invalid"));
}

#[both_databases]
fn by_reaction_of_the_caller(server: &TestServer) {
    let scene = Scene::of(server);
    let react = |client: &Client, iid: i64, name: &str| {
        made(client, &format!("/projects/{}/issues/{iid}/award_emoji", scene.project), json!({"name": name}));
    };
    react(&scene.alice, 1, "heart");
    react(&scene.alice, 2, "tada");
    react(&scene.bob, 3, "heart");
    scene.assert("my_reaction_emoji=heart", &[1]);
    scene.assert("my_reaction_emoji=tada", &[2]);
    scene.assert("my_reaction_emoji=rocket", &[]);
    assert_eq!(iids(&scene.bob, &format!("{}my_reaction_emoji=heart", scene.lists[0])), [3]);
    // A reaction to a note is none to the issue.
    let path = format!("/projects/{}/issues/4", scene.project);
    let note = comment(&scene.alice, &path, "n");
    made(&scene.alice, &format!("{path}/notes/{note}/award_emoji"), json!({"name": "rocket"}));
    scene.assert("my_reaction_emoji=rocket", &[]);
    for (query, want) in
        [("None", vec![3, 4]), ("none", vec![3, 4]), ("Any", vec![1, 2]), ("any", vec![1, 2]), ("", vec![1, 2, 3, 4])]
    {
        scene.assert(&format!("my_reaction_emoji={query}"), &want);
    }
}

#[both_databases]
fn by_numbers(server: &TestServer) {
    let scene = Scene::of(server);
    for (query, want) in [
        ("iids[]=1&iids[]=3", vec![1, 3]),
        ("iids=2", vec![2]),
        ("iids=1,4", vec![1, 4]),
        ("iids[]=99", vec![]),
        ("iids[]=4&iids[]=99", vec![4]),
    ] {
        scene.assert(query, &want);
    }
    scene.alice.get(&format!("{}iids[]=x", scene.lists[0])).assert(400, parameter("iids is invalid"));
    let many: Vec<String> = (0..700).map(|iid| iid.to_string()).collect();
    scene.assert(&format!("iids={}", many.join(",")), &[1, 2, 3, 4]);
}

#[both_databases]
fn by_secrecy(server: &TestServer) {
    let scene = Scene::of(server);
    scene.assert("confidential=true", &[4]);
    scene.assert("confidential=false", &[1, 2, 3]);
    scene.assert("confidential=", &[1, 2, 3, 4]);
    scene.alice.get(&format!("{}confidential=x", scene.lists[0])).assert(400, parameter("confidential is invalid"));
}

#[both_databases]
fn by_text(server: &TestServer) {
    let scene = Scene::of(server);
    for (query, want) in [
        ("search=bug", vec![1, 2]),
        ("search=FIRST", vec![1]),
        ("search=first+bug", vec![1]),
        ("search=bug+++first", vec![1]),
        ("search=second+bug", vec![]),
        ("search=%22first+bug%22", vec![1]),
        ("search=%22bug+first%22", vec![]),
        ("search=ir", vec![]),
        ("search=Third", vec![3]),
        ("search=about+a+bug", vec![2]),
        ("search=", vec![1, 2, 3, 4]),
        ("search=%25%25%25", vec![]),
        ("search=___", vec![]),
        ("search=b_g", vec![]),
        ("search='%20OR%201=1--", vec![]),
    ] {
        scene.assert(query, &want);
    }
    issue(&scene.alice, scene.project, json!({"title": "UI", "description": "100% of a_b"}));
    scene.assert("search=ui", &[5]);
    scene.assert("search=100%25", &[5]);
    scene.assert("search=a_b", &[5]);
}

#[both_databases]
fn by_text_of_other_alphabets(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    issue(&alice, tool, json!({"title": "Größe ändern", "description": "ДАННЫЕ"}));
    for query in ["GR%C3%96%C3%9FE", "%C3%A4ndern", "%D0%B4%D0%B0%D0%BD%D0%BD%D1%8B%D0%B5"] {
        assert_eq!(iids(&alice, &format!("/projects/{tool}/issues?search={query}")), [1], "{query}");
    }
    changed(&alice, &format!("/projects/{tool}/issues/1"), json!({"title": "Übergang"}));
    assert_eq!(iids(&alice, &format!("/projects/{tool}/issues?search=%C3%BCberGANG")), [1]);
    assert_eq!(iids(&alice, &format!("/projects/{tool}/issues?search=%C3%A4ndern")), [0; 0]);
}

#[both_databases]
fn by_dates_which_are_inclusive(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    for day in ["2026-01-01", "2026-01-02", "2026-01-03"] {
        issue(&alice, tool, json!({"title": "t", "created_at": format!("{day}T10:00:00Z")}));
    }
    let list = format!("/projects/{tool}/issues?sort=asc");
    for kind in ["created", "updated"] {
        for (query, want) in [
            ("after=2026-01-02T10:00:00Z", vec![2, 3]),
            ("after=2026-01-02T10:00:01Z", vec![3]),
            ("before=2026-01-02T10:00:00Z", vec![1, 2]),
            ("before=2026-01-02T09:59:59Z", vec![1]),
            ("after=2026-01-02", vec![2, 3]),
            ("before=2026-01-02", vec![1]),
            ("after=2026-01-02T12:00:00%2B02:00", vec![2, 3]),
            ("after=", vec![1, 2, 3]),
        ] {
            assert_eq!(iids(&alice, &format!("{list}&{kind}_{query}")), want, "{kind}_{query}");
        }
        let both = format!("{list}&{kind}_after=2026-01-02&{kind}_before=2026-01-03");
        assert_eq!(iids(&alice, &both), [2]);
        for odd in ["after=x", "before=2026-02-30", "after=2026-01-02T12:00:00+02:00x"] {
            let name = odd.split('=').next().unwrap_or_default();
            alice.get(&format!("{list}&{kind}_{odd}")).assert(400, parameter(&format!("{kind}_{name} is invalid")));
        }
    }
}

#[both_databases]
fn bounds_include_the_moment_that_answers_show(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "public");
    // The stored time is finer than the milliseconds of an answer.
    server.advance(TimeDelta::microseconds(48_135_467));
    let made = made(&alice, &format!("/projects/{tool}/issues"), json!({"title": "t"}));
    for name in ["created", "updated"] {
        let at = made[format!("{name}_at")].as_str().expect("a time").to_owned();
        for bound in ["after", "before"] {
            let path = format!("/projects/{tool}/issues?{name}_{bound}={at}");
            assert_eq!(ids(&alice.get(&path)), [id(&made)], "{path}");
        }
    }
    let before = alice.get(&format!("/projects/{tool}/issues?created_before=2026-03-02T12:00:00Z"));
    assert_eq!(ids(&before), [0; 0]);
}

#[both_databases]
fn by_several_things_at_once(server: &TestServer) {
    let scene = Scene::of(server);
    for (query, want) in [
        ("state=opened&labels=bug&search=first".to_owned(), vec![1]),
        (format!("labels=ui&author_id={}", scene.alice.id), vec![4]),
        (format!("labels=bug&assignee_id={}&milestone=None", scene.alice.id), vec![2]),
        ("confidential=false&labels=Any&state=opened".to_owned(), vec![1, 2]),
        ("iids[]=1&iids[]=2&milestone=v1".to_owned(), vec![1]),
        ("search=bug&assignee_id=0".to_owned(), vec![1]),
        ("state=closed&labels=bug".to_owned(), vec![]),
        ("created_after=2020-01-01&updated_before=2099-01-01&labels=None".to_owned(), vec![3]),
    ] {
        scene.assert(&query, &want);
    }
}

#[both_databases]
fn by_what_they_are_not(server: &TestServer) {
    let scene = Scene::of(server);
    made(&scene.alice, &format!("/projects/{}/issues/1/award_emoji", scene.project), json!({"name": "heart"}));
    for (query, want) in [
        ("not[labels]=bug".to_owned(), vec![3, 4]),
        ("not[labels]=bug,ui".to_owned(), vec![3]),
        ("not[labels]=bug&not[labels]=ui".to_owned(), vec![3]),
        ("not[labels][]=unknown".to_owned(), vec![1, 2, 3, 4]),
        ("not[labels]=None".to_owned(), vec![1, 2, 4]),
        ("not[labels]=Any".to_owned(), vec![3]),
        ("not[milestone]=v1".to_owned(), vec![2, 3, 4]),
        ("not[milestone]=unknown".to_owned(), vec![1, 2, 3, 4]),
        ("not[milestone]=None".to_owned(), vec![1]),
        ("not[milestone]=%23started".to_owned(), vec![1, 2, 3, 4]),
        (format!("not[author_id]={}", scene.bob.id), vec![1, 3, 4]),
        ("not[author_username]=alice".to_owned(), vec![2]),
        ("not[author_username]=no-one".to_owned(), vec![1, 2, 3, 4]),
        (format!("not[assignee_id]={}", scene.alice.id), vec![1, 3, 4]),
        ("not[assignee_id]=None".to_owned(), vec![2, 3]),
        ("not[assignee_id]=Any".to_owned(), vec![1, 4]),
        ("not[assignee_username][]=alice&not[assignee_username][]=bob".to_owned(), vec![1, 4]),
        (format!("not[assignee_username]=alice&not[assignee_id]={}", scene.bob.id), vec![1, 4]),
        ("not[iids][]=1&not[iids][]=4".to_owned(), vec![2, 3]),
        ("not[my_reaction_emoji]=heart".to_owned(), vec![2, 3, 4]),
        ("not[my_reaction_emoji]=Any".to_owned(), vec![2, 3, 4]),
        ("not[my_reaction_emoji]=None".to_owned(), vec![1]),
        ("not[search]=bug".to_owned(), vec![3, 4]),
        ("not[search]=".to_owned(), vec![1, 2, 3, 4]),
        ("labels=ui&not[labels]=bug".to_owned(), vec![4]),
        ("search=bug&not[iids]=2&state=opened".to_owned(), vec![1]),
    ] {
        scene.assert(&query, &want);
    }
}

/// A condition that is passed over would widen the list.
#[both_databases]
fn what_cannot_be_left_out_is_refused(server: &TestServer) {
    let scene = Scene::of(server);
    for (query, text) in [
        ("not[label]=bug", "not[label] is not supported"),
        ("not[state]=closed", "not[state] is not supported"),
        ("not[labels]=bug&not[weight]=3", "not[weight] is not supported"),
        ("not[reviewer_id]=1", "not[reviewer_id] is not supported"),
        ("not[author_id]=x", "not[author_id] is invalid"),
        ("not=bug", "not is invalid"),
    ] {
        for list in &scene.lists {
            let statistics = list.replace("issues?", "issues_statistics?");
            for path in [list, &statistics] {
                scene.alice.get(&format!("{path}{query}")).assert(400, parameter(text));
            }
        }
    }
    let many: Vec<String> = (0..51).map(|number| format!("l{number}")).collect();
    let reply = scene.alice.get(&format!("{}not[labels]={}", scene.lists[0], many.join(",")));
    reply.assert(400, field("not[labels]", "are too many (maximum is 50)"));
}
