//! A field has one value for one caller at one moment, in every answer that has it: alone, in a list, within other
//! objects, and in deliveries of hooks.
//!
//! The walk reads every list that the API has, and each of its items alone, as several callers. Routes that are added
//! later are part of it.

mod walk;
mod world;

use serde_json::{Value, json};
use tenon_testkit::{TestServer, both_databases};

use self::walk::Walk;
use self::world::World;
use crate::merge_request::{some, start_with};
use crate::support::*;

/// Walks as each caller, and fails with all that differs.
fn walk_all(server: &TestServer, world: &World) {
    let mut differing = Vec::new();
    for (name, client) in world.callers(server) {
        let mut walk = Walk::new(&client);
        walk.all();
        assert!(walk.compared > 100, "{name} has compared {} fields only", walk.compared);
        differing.extend(walk.differing.into_iter().map(|one| format!("{name}: {one}")));
    }
    assert!(differing.is_empty(), "{} fields differ:\n{}", differing.len(), differing.join("\n"));
}

#[both_databases]
fn a_field_has_one_value_wherever_it_is_shown(server: &TestServer) {
    let world = World::new(server);
    walk_all(server, &world);
    world.demand_everything(server);
    walk_all(server, &world);
}

/// Other programs ask for this before they merge.
#[both_databases]
fn discussions_block_only_where_that_is_demanded(server: &TestServer) {
    let world = World::new(server);
    let lists = [format!("{}/merge_requests", world.project), "/merge_requests?scope=all".to_owned()];
    let fields = ["blocking_discussions_resolved", "detailed_merge_status"];
    let all = || -> Vec<Value> {
        let single = world.alice.get(&world.request).assert_status(200).json();
        let mut found = vec![some(&single, &fields)];
        for list in &lists {
            let items = world.alice.get(list).assert_status(200).json();
            let item = items.as_array().and_then(|all| all.iter().find(|item| item["id"] == single["id"]).cloned());
            found.push(some(&item.expect("the merge request"), &fields));
        }
        found
    };
    let talk = start_with(&world.alice, &world.request, "Why?");
    assert_eq!(all(), vec![json!([true, "mergeable"]); 3]);
    changed(&world.alice, &world.project, json!({"only_allow_merge_if_all_discussions_are_resolved": true}));
    assert_eq!(all(), vec![json!([false, "discussions_not_resolved"]); 3]);
    for talk in [talk, world.talk.clone()] {
        let _ = world.alice.put(&talk, json!({"resolved": true})).assert_status(200);
    }
    assert_eq!(all(), vec![json!([true, "mergeable"]); 3]);
    // Pipelines, and a target that has gone on.
    changed(&world.alice, &world.project, json!({"only_allow_merge_if_pipeline_succeeds": true}));
    let head = world.alice.get(&world.request).json()["sha"].clone();
    let status = json!({"state": "failed", "ref": "topic", "name": "build"});
    made(&world.alice, &format!("{}/statuses/{}", world.project, head.as_str().unwrap_or_default()), status);
    assert_eq!(all(), vec![json!([true, "ci_must_pass"]); 3]);
    changed(
        &world.alice,
        &world.project,
        json!({"only_allow_merge_if_pipeline_succeeds": false, "merge_method": "ff"}),
    );
    crate::merge_request::write(&world.alice, world.project_id, "main", "late.txt", "l");
    server.run_jobs();
    let _ = world.alice.get(&world.request);
    assert_eq!(all(), vec![json!([true, "need_rebase"]); 3]);
}

#[both_databases]
fn hooks_say_what_answers_say(server: &TestServer) {
    let world = World::new(server);
    world.compare_hooks(server);
}
