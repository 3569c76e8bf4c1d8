//! The filters of lists of merge requests.

use serde_json::json;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{TestServer, User, both_databases};

use super::{branch, merge, offer, repository, simple, work};
use crate::support::*;

/// A group with one project, whose merge requests differ.
struct Scene {
    alice: User,
    bob: User,
    lists: [String; 3],
    path: String,
}

impl Scene {
    /// A minute after each other. 1: alice's, `bug`, v1; 2: bob's draft, `bug` and `ui`, for alice, to be reviewed by
    /// bob; 3: alice's, into `next`, closed, for bob; 4: alice's, `ui`, merged.
    fn of(server: &TestServer) -> Self {
        let (alice, bob) = (server.user("alice"), server.user("bob"));
        let team = group(&alice, "team", "public");
        member(&alice, &format!("/groups/{team}"), bob.id, 30);
        let body =
            json!({"name": "tool", "visibility": "public", "namespace_id": team, "initialize_with_readme": true});
        let project = id(&made(&alice, "/projects", body));
        let path = format!("/projects/{project}");
        let goal = milestone(&alice, &path, "v1");
        branch(&alice, project, "next", "main");
        for name in ["one", "two", "three", "four"] {
            work(&alice, project, name);
        }
        let open = |client: &User, from: &str, into: &str, more| {
            server.advance(TimeDelta::minutes(1));
            offer(client, project, from, into, &more)
        };
        open(&alice, "one", "main", json!({"title": "First bug", "labels": "bug", "milestone_id": goal}));
        let second = json!({
            "title": "Draft: Second", "description": "about a bug", "labels": "bug,ui", "assignee_id": alice.id, "reviewer_ids": [bob.id],
        });
        open(&bob, "two", "main", second);
        let third = open(&alice, "three", "next", json!({"title": "Third", "assignee_id": bob.id}));
        let fourth = open(&alice, "four", "main", json!({"title": "Fourth", "labels": "ui"}));
        server.advance(TimeDelta::minutes(1));
        changed(&alice, &third, json!({"state_event": "close"}));
        server.advance(TimeDelta::minutes(1));
        merge(&alice, &fourth, json!({}));
        let lists = [
            format!("{path}/merge_requests?"),
            format!("/groups/{team}/merge_requests?"),
            "/merge_requests?scope=all&".to_owned(),
        ];
        Self { alice, bob, lists, path }
    }

    #[track_caller]
    fn assert(&self, query: &str, want: &[i64]) {
        for list in &self.lists {
            assert_eq!(iids(&self.alice, &format!("{list}sort=asc&{query}")), want, "{list} {query}");
        }
    }
}

#[both_databases]
fn by_what_it_is(server: &TestServer) {
    let scene = Scene::of(server);
    for (query, want) in [
        ("state=opened", vec![1, 2]),
        ("state=closed", vec![3]),
        ("state=merged", vec![4]),
        ("state=locked", vec![]),
        ("state=all", vec![1, 2, 3, 4]),
        ("", vec![1, 2, 3, 4]),
        ("state=", vec![1, 2, 3, 4]),
        ("labels=bug", vec![1, 2]),
        ("labels=bug,ui", vec![2]),
        ("labels[]=bug&labels[]=ui", vec![2]),
        ("labels=No+Label", vec![3]),
        ("labels=Any", vec![1, 2, 4]),
        ("labels=Bug", vec![]),
        ("milestone=v1", vec![1]),
        ("milestone=V1", vec![]),
        ("milestone=No+Milestone", vec![2, 3, 4]),
        ("milestone=Any", vec![1]),
        ("source_branch=two", vec![2]),
        ("source_branch=tw", vec![]),
        ("target_branch=next", vec![3]),
        ("target_branch=main", vec![1, 2, 4]),
        ("source_branch=four&target_branch=main", vec![4]),
        ("source_branch=four&target_branch=next", vec![]),
        ("wip=yes", vec![2]),
        ("wip=no", vec![1, 3, 4]),
        ("draft=true", vec![2]),
        ("draft=false", vec![1, 3, 4]),
        ("search=bug", vec![1, 2]),
        ("search=BUG", vec![1, 2]),
        ("search=b%25", vec![]),
        ("search=Four", vec![4]),
        ("labels=bug&wip=no&state=opened", vec![1]),
    ] {
        scene.assert(query, &want);
    }
    for (query, text) in [
        ("state=reopened", "state does not have a valid value"),
        ("wip=maybe", "wip does not have a valid value"),
        ("view=full", "view does not have a valid value"),
        ("scope=mine", "scope does not have a valid value"),
        ("order_by=title2", "order_by does not have a valid value"),
        ("sort=up", "sort does not have a valid value"),
        ("author_id=x", "author_id is invalid"),
        ("created_after=soon", "created_after is invalid"),
    ] {
        for list in &scene.lists {
            scene.alice.get(&format!("{list}{query}")).assert(400, parameter(text));
        }
    }
}

#[both_databases]
fn by_people(server: &TestServer) {
    let scene = Scene::of(server);
    let (alice, bob) = (scene.alice.id, scene.bob.id);
    for (query, want) in [
        (format!("author_id={alice}"), vec![1, 3, 4]),
        (format!("author_id={bob}"), vec![2]),
        ("author_id=999999".to_owned(), vec![]),
        ("author_username=bob".to_owned(), vec![2]),
        (format!("assignee_id={alice}"), vec![2]),
        (format!("assignee_id={bob}"), vec![3]),
        ("assignee_id=0".to_owned(), vec![1, 4]),
        ("assignee_id=None".to_owned(), vec![1, 4]),
        ("assignee_id=Any".to_owned(), vec![2, 3]),
        (format!("reviewer_id={bob}"), vec![2]),
        ("reviewer_username=bob".to_owned(), vec![2]),
        ("reviewer_username=alice".to_owned(), vec![]),
        (format!("author_id={alice}&assignee_id={bob}"), vec![3]),
    ] {
        scene.assert(&query, &want);
    }
    for list in &scene.lists[..2] {
        for (scope, want) in [
            ("created_by_me", vec![1, 3, 4]),
            ("assigned_to_me", vec![2]),
            ("all", vec![1, 2, 3, 4]),
            ("created-by-me", vec![1, 3, 4]),
        ] {
            assert_eq!(iids(&scene.alice, &format!("{list}sort=asc&scope={scope}")), want, "{list} {scope}");
        }
    }
    assert_eq!(iids(&scene.alice, "/merge_requests?sort=asc"), [1, 3, 4]);
    assert_eq!(iids(&scene.bob, "/merge_requests?scope=assigned_to_me"), [3]);
    assert_eq!(iids(&scene.bob, "/merge_requests"), [2]);
}

#[both_databases]
fn by_reactions(server: &TestServer) {
    let scene = Scene::of(server);
    made(&scene.alice, &format!("{}/merge_requests/2/award_emoji", scene.path), json!({"name": "rocket"}));
    made(&scene.alice, &format!("{}/merge_requests/4/award_emoji", scene.path), json!({"name": "thumbsup"}));
    made(&scene.bob, &format!("{}/merge_requests/1/award_emoji", scene.path), json!({"name": "rocket"}));
    scene.assert("my_reaction_emoji=rocket", &[2]);
    scene.assert("my_reaction_emoji=Any", &[2, 4]);
    scene.assert("my_reaction_emoji=None", &[1, 3]);
    let list = scene.alice.get(&format!("{}sort=asc", scene.lists[0]));
    assert_eq!(list.each("upvotes"), [0, 0, 0, 1]);
}

#[both_databases]
fn by_dates_and_in_their_order(server: &TestServer) {
    let scene = Scene::of(server);
    let list = scene.alice.get(&format!("{}sort=asc", scene.lists[0])).json();
    let at = |index: usize, field: &str| list[index][field].as_str().expect("a moment").to_owned();
    for (query, want) in [
        (format!("created_after={}", at(1, "created_at")), vec![2, 3, 4]),
        (format!("created_before={}", at(1, "created_at")), vec![1, 2]),
        (format!("created_after={0}&created_before={0}", at(2, "created_at")), vec![3]),
        (format!("updated_after={}", at(2, "updated_at")), vec![3, 4]),
        (format!("updated_before={}", at(1, "updated_at")), vec![1, 2]),
    ] {
        scene.assert(&query, &want);
    }
    for list in &scene.lists {
        for (query, want) in [
            ("order_by=created_at", [4, 3, 2, 1]),
            ("order_by=updated_at&sort=asc", [1, 2, 3, 4]),
            ("order_by=updated_at", [4, 3, 2, 1]),
            ("", [4, 3, 2, 1]),
        ] {
            assert_eq!(iids(&scene.alice, &format!("{list}{query}")), want, "{list}{query}");
        }
    }
    comment(&scene.bob, &format!("{}/merge_requests/1", scene.path), "hello");
    assert_eq!(iids(&scene.alice, &format!("{}order_by=updated_at", scene.lists[0])), [1, 4, 3, 2]);
}

#[both_databases]
fn numbers_count_in_a_project_only(server: &TestServer) {
    let scene = Scene::of(server);
    let asked = "sort=asc&iids[]=1&iids[]=3&iids[]=99";
    let found: Vec<Vec<i64>> = scene.lists.iter().map(|list| iids(&scene.alice, &format!("{list}{asked}"))).collect();
    assert_eq!(found, [vec![1, 3], vec![1, 2, 3, 4], vec![1, 2, 3, 4]]);
    assert_eq!(iids(&scene.alice, &format!("{}sort=asc&iids=2,4", scene.lists[0])), [2, 4]);
}

#[both_databases]
fn the_simple_view_shows_little(server: &TestServer) {
    let scene = Scene::of(server);
    for list in &scene.lists {
        let found = scene.alice.get(&format!("{list}view=simple&sort=asc")).assert_status(200);
        assert_eq!(found.header("x-total"), "4");
        let want = ["id", "iid", "project_id", "title", "description", "state", "created_at", "updated_at", "web_url"];
        assert_eq!(keys(&found.json()[1]), want.map(ToOwned::to_owned).into(), "{list}");
        assert_eq!(found.json()[1]["description"], "about a bug");
    }
    let full = scene.alice.get(&scene.lists[0]).json();
    assert_lacks(&full[0], &["subscribed", "changes_count", "pipeline", "diff_refs", "user"]);
    assert_has(&full[0], &["sha", "source_branch", "merge_status", "time_stats", "labels", "references", "squash"]);
    let detailed =
        scene.alice.get(&format!("{}with_labels_details=true&labels=ui&state=merged", scene.lists[0])).json();
    assert_eq!(detailed[0]["labels"][0]["name"], "ui");
}

#[both_databases]
fn pages_know_the_total(server: &TestServer) {
    let scene = Scene::of(server);
    for list in &scene.lists {
        let page = scene.alice.get(&format!("{list}sort=asc&per_page=3&page=2")).assert_status(200);
        assert_eq!(page.each("iid"), [4], "{list}");
        let headers = ["x-total", "x-total-pages", "x-prev-page", "x-next-page"].map(|name| page.header(name));
        assert_eq!(headers, ["4", "2", "1", ""], "{list}");
    }
}

#[both_databases]
fn more_of_them_cost_no_more_statements(server: &TestServer) {
    let alice = server.user("alice");
    let project = repository(&alice, "tool", "public");
    let list = format!("/projects/{project}/merge_requests");
    let count = || {
        let _ = alice.get(&list);
        server.count_statements(|| drop(alice.get(&list).assert_status(200)))
    };
    simple(&alice, project, "a");
    let one = count();
    for name in ["b", "c", "d", "e"] {
        simple(&alice, project, name);
    }
    assert_eq!(count(), one);
}

#[both_databases]
fn by_what_they_are_not(server: &TestServer) {
    let scene = Scene::of(server);
    for (query, want) in [
        ("not[labels]=bug".to_owned(), vec![3, 4]),
        ("not[milestone]=v1".to_owned(), vec![2, 3, 4]),
        ("not[author_username]=bob".to_owned(), vec![1, 3, 4]),
        (format!("not[assignee_id]={}", scene.bob.id), vec![1, 2, 4]),
        ("not[source_branch]=two".to_owned(), vec![1, 3, 4]),
        ("not[target_branch]=main".to_owned(), vec![3]),
        (format!("not[reviewer_id]={}", scene.bob.id), vec![1, 3, 4]),
        ("not[reviewer_username]=bob&not[iids][]=1".to_owned(), vec![3, 4]),
        ("not[search]=bug".to_owned(), vec![3, 4]),
        ("state=opened&not[labels]=ui".to_owned(), vec![1]),
    ] {
        scene.assert(&query, &want);
    }
    for list in &scene.lists {
        scene.alice.get(&format!("{list}not[draft]=true")).assert(400, parameter("not[draft] is not supported"));
    }
}

#[both_databases]
fn by_approvals_and_the_place_of_the_words(server: &TestServer) {
    let scene = Scene::of(server);
    let (alice, bob) = (&scene.alice, &scene.bob);
    let root = server.root();
    let admin = id(&root.get("/user").json());
    for (client, iid) in [(&**bob, 1), (&root, 1), (&root, 2)] {
        made(client, &format!("{}/merge_requests/{iid}/approve", scene.path), json!({}));
    }
    let rule = json!({"name": "Readers", "approvals_required": 1, "user_ids": [bob.id]});
    for (query, want) in [
        (format!("approved_by_ids[]={}", bob.id), vec![1]),
        (format!("approved_by_ids[]={admin}"), vec![1, 2]),
        (format!("approved_by_ids[]={}&approved_by_ids[]={admin}", bob.id), vec![1]),
        ("approved_by_ids=None".to_owned(), vec![3, 4]),
        ("approved_by_ids=Any".to_owned(), vec![1, 2]),
        ("approved_by_ids[]=999999".to_owned(), vec![]),
        ("approver_ids=None".to_owned(), vec![1, 2, 3, 4]),
        ("approver_ids=Any".to_owned(), vec![]),
        ("search=bug&in=title".to_owned(), vec![1]),
        ("search=bug&in=description".to_owned(), vec![2]),
        (
            "with_merge_status_recheck=true&environment=x&deployed_after=2026-01-01T00:00:00Z&\
             deployed_before=2026-01-02T00:00:00Z"
                .to_owned(),
            vec![1, 2, 3, 4],
        ),
    ] {
        scene.assert(&query, &want);
    }
    made(alice, &format!("{}/approval_rules", scene.path), rule);
    scene.assert(&format!("approver_ids[]={}", bob.id), &[1, 2, 3, 4]);
    scene.assert(&format!("approver_ids[]={}", alice.id), &[]);
    scene.assert("approver_ids=Any", &[1, 2, 3, 4]);
    let many: String = (0..51).map(|id| format!("&approved_by_ids[]={id}")).collect();
    alice
        .get(&format!("{}{many}", scene.lists[0]))
        .assert(400, field("approved_by_ids", "are too many (maximum is 50)"));
    alice.get(&format!("{}approved_by_ids=bob", scene.lists[0])).assert(400, parameter("approved_by_ids is invalid"));
}

#[both_databases]
fn by_title_and_the_day_of_the_merge(server: &TestServer) {
    let scene = Scene::of(server);
    for list in &scene.lists {
        for (query, want) in [
            ("order_by=merged_at&sort=asc", [4, 1, 2, 3]),
            ("order_by=merged_at&sort=desc", [4, 3, 2, 1]),
            // `Draft: Second`, `First bug`, `Fourth`, `Third`.
            ("order_by=title&sort=asc", [2, 1, 4, 3]),
            ("order_by=title&sort=desc", [3, 4, 1, 2]),
            ("order_by=id&sort=asc", [1, 2, 3, 4]),
        ] {
            assert_eq!(iids(&scene.alice, &format!("{list}{query}")), want, "{list}{query}");
        }
    }
    let _ = scene.alice.get(&format!("{}order_by=weight", scene.lists[0])).assert_status(400);
}
