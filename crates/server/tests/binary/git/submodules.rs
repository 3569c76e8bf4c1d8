//! Submodules: their pushes, and their form in the API.

use serde_json::json;

use super::{Site, backends, commit, git};

const OLD: &str = "1111111111111111111111111111111111111111";
const NEW: &str = "2222222222222222222222222222222222222222";

#[test]
fn a_submodule_is_moved_to_another_commit() {
    for backend in backends() {
        let site = Site::start(backend);
        site.project("p", "private");
        let here = site.working_copy("here", "main");
        // A folder that is missing would be taken for removed.
        std::fs::create_dir_all(here.join("libs/one")).unwrap();
        git(&here, &["update-index", "--add", "--cacheinfo", &format!("160000,{OLD},libs/one")]).well();
        commit(
            &here,
            ".gitmodules",
            b"[submodule \"one\"]\n\tpath = libs/one\n\turl = https://example.com/one.git\n",
            "link",
        );
        git(&here, &["push", "--quiet", &site.mine("p"), "main"]).well();
        let path = "/projects/root%2Fp/repository/submodules/libs%2Fone";
        let body = json!({"branch": "main", "commit_sha": NEW});
        let made = site.root.put(path, body.clone()).assert_status(200).json();
        assert_eq!(made["title"], format!("Update submodule libs/one with oid {NEW}"));
        assert_eq!(made["parent_ids"].as_array().map(Vec::len), Some(1));
        git(&here, &["fetch", "--quiet", &site.mine("p"), "main"]).well();
        let entry = git(&here, &["ls-tree", "FETCH_HEAD", "libs/one"]).well();
        assert!(entry.starts_with(&format!("160000 commit {NEW}")), "{entry}");
        let text = format!("The submodule libs/one is already at {NEW}");
        site.root.put(path, body).assert(400, json!({"message": text}));
        let body = json!({"branch": "main", "commit_sha": OLD, "commit_message": "Back"});
        assert_eq!(site.root.put(path, body).assert_status(200).json()["message"], "Back");
        // A folder with submodules in it is none.
        let body = json!({"branch": "main", "commit_sha": OLD});
        let folder = site.root.put("/projects/root%2Fp/repository/submodules/libs", body);
        folder.assert(400, json!({"message": "Invalid submodule path"}));
    }
}
