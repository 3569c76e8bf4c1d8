//! The orders of lists of issues.

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
