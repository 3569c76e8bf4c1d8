//! The orders of lists of issues, and the filters that newer clients send.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use super::filters::Scene;
use crate::support::*;

#[both_databases]
fn by_every_order(server: &TestServer) {
    let scene = Scene::of(server);
    let project = format!("/projects/{}", scene.project);
    let path = |iid: i64| format!("{project}/issues/{iid}");
    let later = made(&scene.alice, &format!("{project}/milestones"), json!({"title": "v2", "due_date": "2026-05-01"}));
    let sooner = made(&scene.alice, &format!("{project}/milestones"), json!({"title": "v3", "due_date": "2026-04-01"}));
    changed(&scene.alice, &path(1), json!({"due_date": "2026-03-09", "weight": 5, "title": "beta"}));
    changed(
        &scene.alice,
        &path(2),
        json!({"due_date": "2026-03-02", "weight": 8, "milestone_id": id(&later), "title": "Alpha"}),
    );
    changed(&scene.alice, &path(3), json!({"milestone_id": id(&sooner), "title": "Delta"}));
    changed(&scene.alice, &path(4), json!({"title": "charlie"}));
    changed(&scene.alice, &format!("{project}/labels"), json!({"name": "ui", "priority": 1}));
    changed(&scene.alice, &format!("{project}/labels"), json!({"name": "bug", "priority": 2}));
    made(&scene.alice, &format!("{}/award_emoji", path(3)), json!({"name": "thumbsup"}));
    made(&scene.alice, &format!("{}/award_emoji", path(2)), json!({"name": "thumbsup"}));
    made(&scene.bob, &format!("{}/award_emoji", path(2)), json!({"name": "thumbsup"}));
    for (order, rising, falling) in [
        ("id", [1, 2, 3, 4], [4, 3, 2, 1]),
        ("title", [2, 1, 4, 3], [3, 4, 1, 2]),
        ("due_date", [2, 1, 3, 4], [1, 2, 4, 3]),
        ("weight", [1, 2, 3, 4], [2, 1, 4, 3]),
        ("milestone_due", [3, 2, 1, 4], [2, 3, 4, 1]),
        ("popularity", [1, 4, 3, 2], [2, 3, 4, 1]),
        ("label_priority", [4, 2, 1, 3], [1, 4, 2, 3]),
        ("priority", [3, 2, 4, 1], [2, 3, 1, 4]),
        ("relative_position", [4, 3, 2, 1], [4, 3, 2, 1]),
    ] {
        for list in &scene.lists {
            for (sort, want) in [("asc", rising), ("desc", falling)] {
                let path = format!("{list}order_by={order}&sort={sort}");
                assert_eq!(iids(&scene.alice, &path), want, "{path}");
                let second = scene.alice.get(&format!("{path}&per_page=2&page=2")).assert_status(200);
                assert_eq!(second.each("iid"), want[2..], "{path}");
            }
        }
    }
}

#[both_databases]
fn by_day_type_weight_and_place_of_the_words(server: &TestServer) {
    let scene = Scene::of(server);
    // The tests begin on Monday, 2 March 2026.
    let path = |iid: i64| format!("/projects/{}/issues/{iid}", scene.project);
    changed(&scene.alice, &path(1), json!({"due_date": "2026-03-02", "weight": 3, "issue_type": "incident"}));
    changed(&scene.alice, &path(2), json!({"due_date": "2026-02-20", "weight": 0}));
    changed(&scene.alice, &path(3), json!({"due_date": "2026-04-30", "issue_type": "task"}));
    for (query, want) in [
        ("due_date=0", vec![4]),
        ("due_date=any", vec![1, 2, 3]),
        ("due_date=today", vec![1]),
        ("due_date=tomorrow", vec![]),
        ("due_date=overdue", vec![2]),
        ("due_date=week", vec![1]),
        ("due_date=month", vec![1]),
        ("due_date=next_month_and_previous_two_weeks", vec![1, 2, 3]),
        ("due_date=", vec![1, 2, 3, 4]),
        ("issue_type=incident", vec![1]),
        ("issue_type=issue", vec![2, 4]),
        ("issue_type=test_case", vec![]),
        ("weight=3", vec![1]),
        ("weight=0", vec![2]),
        ("weight=None", vec![3, 4]),
        ("weight=any", vec![1, 2]),
        ("search=bug", vec![1, 2]),
        ("search=bug&in=title", vec![1]),
        ("search=bug&in=description", vec![2]),
        ("search=bug&in=title,description", vec![1, 2]),
        ("in=title", vec![1, 2, 3, 4]),
    ] {
        scene.assert(query, &want);
    }
    for (query, text) in [
        ("due_date=soon", "due_date does not have a valid value"),
        ("issue_type=epic", "issue_type does not have a valid value"),
        ("weight=heavy", "weight is invalid"),
        ("in=labels", "in does not have a valid value"),
        ("order_by=size", "order_by does not have a valid value"),
    ] {
        scene.alice.get(&format!("{}{query}", scene.lists[0])).assert(400, parameter(text));
    }
    let counts = scene.alice.get(&format!("/projects/{}/issues_statistics?weight=any", scene.project)).json();
    assert_eq!(counts["statistics"]["counts"], json!({"all": 2, "closed": 0, "opened": 2}));
}
