//! The activities that a push of several branches and tags leaves behind.

use serde_json::{Value, json};
use tenon_testkit::soon;

use super::{Site, backends, commit, git};

#[test]
fn branches_and_tags_of_a_push_share_an_activity_if_there_are_many() {
    for backend in backends() {
        let site = Site::start(backend);
        site.project("p", "private");
        let here = site.working_copy("here", "main");
        let url = site.mine("p");
        git(&here, &["push", "--quiet", &url, "main"]).well();
        let issue = site.root.post("/projects/root%2Fp/issues", json!({"title": "t"})).assert_status(201).json();
        commit(&here, "more", b"x", &format!("See #{}", issue["iid"]));
        let pushed = || -> Vec<Value> {
            let events =
                site.root.get("/projects/root%2Fp/events?action=pushed&per_page=100").assert_status(200).json();
            events.as_array().expect("a list").clone()
        };
        let before = pushed().len();
        let refs = ["main:a", "main:b", "main:c", "main:d", "main:refs/tags/v1"];
        git(&here, &[&["push", "--quiet", &url], &refs[..]].concat()).well();
        let events = pushed();
        let new = &events[..events.len() - before];
        let data = |event: &Value| event["push_data"].clone();
        let several: Vec<Value> = new.iter().map(data).filter(|data| data["ref"].is_null()).collect();
        let want = json!({
            "commit_count": 0, "action": "created", "ref_type": "branch", "commit_from": null, "commit_to": null,
            "ref": null, "commit_title": null, "ref_count": 4,
        });
        assert_eq!(several, [want]);
        let alone: Vec<Value> = new.iter().map(data).filter(|data| !data["ref"].is_null()).collect();
        let names: Vec<_> = alone.iter().map(|data| (data["ref"].clone(), data["ref_count"].clone())).collect();
        assert_eq!(names, [(json!("v1"), Value::Null)]);
        // The messages of all branches are read.
        soon("the commit names the issue", || {
            let notes = site.root.get("/projects/root%2Fp/issues/1/notes").json();
            notes.as_array().is_some_and(|notes| notes.iter().any(|note| note["system"] == true))
        });
        let _ = site.root.put("/application/settings", json!({"push_event_activities_limit": 4})).assert_status(200);
        git(&here, &["push", "--quiet", &url, ":a", ":b", ":c", ":d"]).well();
        let removed = pushed().iter().filter(|event| event["action_name"] == "deleted").count();
        assert_eq!(removed, 4);
    }
}
