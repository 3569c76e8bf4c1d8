//! Releases of tags that are pushed.

use serde_json::json;

use super::{Site, backends, commit, git};

#[test]
fn a_release_stays_where_a_push_removes_its_tag() {
    for backend in backends() {
        let site = Site::start(backend);
        site.project("p", "public");
        let here = site.working_copy("here", "main");
        git(&here, &["tag", "v1"]).well();
        git(&here, &["push", "--quiet", &site.mine("p"), "main", "v1"]).well();
        let releases = "/projects/root%2Fp/releases";
        let body = json!({"tag_name": "v1", "description": "Notes"});
        let made = site.root.post(releases, body).assert_status(201).json();
        assert!(made["commit"]["id"].is_string(), "{made}");
        git(&here, &["push", "--quiet", &site.mine("p"), ":v1"]).well();
        let listed = site.root.get(releases).assert_status(200).json();
        assert_eq!(listed[0]["description"], "Notes");
        assert!(listed[0].get("commit").is_none() && listed[0].get("commit_path").is_none(), "{listed}");
        site.root
            .post(releases, json!({"tag_name": "v1", "ref": "main"}))
            .assert(409, json!({"message": "Release already exists"}));
        // It can be changed, and the tag put elsewhere.
        let changed = site.root.put(&format!("{releases}/v1"), json!({"name": "One"})).assert_status(200).json();
        assert_eq!(changed["name"], "One");
        commit(&here, "more", b"more", "more");
        git(&here, &["tag", "--force", "v1"]).well();
        git(&here, &["push", "--quiet", &site.mine("p"), "main", "v1"]).well();
        let again = site.root.get(&format!("{releases}/v1")).assert_status(200).json();
        assert_eq!((&again["description"], &again["commit"]["title"]), (&json!("Notes"), &json!("more")));
        // A tag over the API brings notes of its own.
        git(&here, &["push", "--quiet", &site.mine("p"), ":v1"]).well();
        let body = json!({"tag_name": "v1", "ref": "main", "release_description": "Other"});
        let tag = site.root.post("/projects/root%2Fp/repository/tags", body).assert_status(201).json();
        assert_eq!(tag["release"]["description"], "Other");
        // A release that has lost its tag can be removed.
        git(&here, &["push", "--quiet", &site.mine("p"), ":v1"]).well();
        let gone = site.root.delete(&format!("{releases}/v1")).assert_status(200).json();
        assert_eq!(gone["name"], "One");
        site.root.delete(&format!("{releases}/v1")).assert(404, json!({"message": "Tag does not exist"}));
    }
}
