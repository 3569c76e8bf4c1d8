//! Keys of projects.

use std::path::PathBuf;

use serde_json::{Value, json};
use tenon_testkit::{Backend, soon};

use super::{Key, SshSite, outcome};
use crate::git::{backends, commit, git};

/// Gives a project of the administrator's a deploy key.
fn enable(site: &SshSite, project: &str, key: &Key, can_push: bool) -> Value {
    let body = json!({"title": "ci", "key": key.public, "can_push": can_push});
    site.site.root.post(&format!("/projects/root%2F{project}/deploy_keys"), body).assert_status(201).json()
}

#[test]
fn a_deploy_key_opens_its_projects_for_what_they_allow() {
    for backend in backends() {
        let site = SshSite::start(backend);
        let here = site.site.working_copy("here", "main");
        let url = site.url("p");
        site.git(&here, &["push", "--quiet", &url, "main"]).well();
        site.site.project("other", "public");
        let key = Key::make(site.folder(), "ci", "ed25519");
        site.git_with(&key, &here, &["ls-remote", &url]).refused("Permission denied (publickey)");
        let made = enable(&site, "p", &key, false);
        site.git_with(&key, site.folder(), &["clone", "--quiet", &url, "clone"]).well();
        site.git_with(&key, &here, &["ls-remote", &site.url("other")])
            .refused("Tenon: The project you were looking for could not be found.");
        site.git_with(&key, &here, &["push", &url, "main:x"])
            .refused("Tenon: This deploy key does not have write access to this project.");
        site.git_with(&key, &here, &["push", &url.replace("/p.git", "/made.git"), "main"])
            .refused("Tenon: The project you were looking for could not be found.");
        let (host, _) = site.address();
        let said = outcome(site.ssh_with(&key, &["-T", &format!("git@{host}")])).well();
        assert_eq!(said, "Welcome to Tenon! You are using a deploy key.\n");

        // With the right to push, the rules of branches do not count, and the push is its owner's.
        let path = format!("/projects/root%2Fp/deploy_keys/{}", made["id"]);
        let _ = site.site.root.put(&path, json!({"can_push": true})).assert_status(200);
        commit(&here, "x", b"x", "more");
        git(&here, &["commit", "--quiet", "--amend", "--message", "other"]).well();
        site.git_with(&key, &here, &["push", "--quiet", &url, "main", "main:x"]).well();
        site.git_with(&key, &here, &["push", &url, ":main"])
            .refused("The default branch of a project cannot be deleted.");
        let events = site.site.root.get("/projects/root%2Fp/events?action=pushed").assert_status(200).json();
        assert_eq!((events.as_array().unwrap().len(), &events[0]["author_username"]), (3, &json!("root")));
        let _ = site.site.root.put(&path, json!({"can_push": false})).assert_status(200);
        site.git_with(&key, &here, &["push", &url, "main:y"])
            .refused("Tenon: This deploy key does not have write access to this project.");
        let _ = site.site.root.put(&path, json!({"can_push": true})).assert_status(200);
        // Without code, the key opens nothing.
        let level = |level: &str| {
            let body = json!({"repository_access_level": level});
            let _ = site.site.root.put("/projects/root%2Fp", body).assert_status(200);
        };
        level("disabled");
        site.git_with(&key, &here, &["ls-remote", &url]).refused("Tenon: ");
        site.git_with(&key, &here, &["push", &url, "main:y"]).refused("Tenon: ");
        level("private");
        site.git_with(&key, &here, &["ls-remote", &url]).well();
        level("enabled");
        let _ = site.site.root.post("/projects/root%2Fp/archive", json!({})).assert_status(200);
        site.git_with(&key, &here, &["ls-remote", &url]).well();
        site.git_with(&key, &here, &["push", &url, "main:y"])
            .refused("Tenon: You are not allowed to push code to this project.");
        let _ = site.site.root.delete(&path).assert_status(204);
        site.git_with(&key, &here, &["ls-remote", &url]).refused("Permission denied (publickey)");
    }
}

const RULES: &str = "/projects/root%2Fp/protected_branches";

/// A project with a branch, and two deploy keys that may push.
struct TwoKeys {
    site: SshSite,
    here: PathBuf,
    url: String,
    /// The key that rules name, and its id.
    named: Key,
    id: Value,
    other: Key,
}

impl TwoKeys {
    fn new(backend: Backend) -> Self {
        let site = SshSite::start(backend);
        let here = site.site.working_copy("here", "main");
        let url = site.url("p");
        site.git(&here, &["push", "--quiet", &url, "main"]).well();
        let (named, other) = (Key::make(site.folder(), "ci", "ed25519"), Key::make(site.folder(), "other", "ed25519"));
        let id = enable(&site, "p", &named, true).get("id").unwrap().clone();
        let _ = enable(&site, "p", &other, true);
        Self { site, here, url, named, id, other }
    }
}

/// A rule of levels does not concern deploy keys. If a rule names who may push, it has to name the key.
#[test]
fn a_deploy_key_obeys_protections_that_name_who_may_push() {
    for backend in backends() {
        let TwoKeys { site, here, url, named, id, other } = TwoKeys::new(backend);
        let body = json!({"name": "deploy", "push_access_level": 0, "allowed_to_push": [{"deploy_key_id": id}]});
        let _ = site.site.root.post(RULES, body).assert_status(201);
        site.git_with(&other, &here, &["push", &url, "main:deploy"])
            .refused("You are not allowed to push code to protected branches on this project.");
        site.git_with(&other, &here, &["push", "--quiet", &url, "main:free"]).well();
        site.git_with(&named, &here, &["push", "--quiet", &url, "main:deploy"]).well();
        commit(&here, "x", b"x", "more");
        git(&here, &["commit", "--quiet", "--amend", "--message", "other"]).well();
        site.git_with(&named, &here, &["push", "--quiet", &url, "main:deploy"]).well();
        git(&here, &["commit", "--quiet", "--amend", "--message", "third"]).well();
        site.git_with(&named, &here, &["push", "--force", &url, "main:deploy"])
            .refused("You are not allowed to force push code to a protected branch on this project.");
        site.git_with(&named, &here, &["push", &url, ":deploy"])
            .refused("You can only delete protected branches using the web interface.");
        let body = json!({"name": "v*", "create_access_level": 0, "allowed_to_create": [{"deploy_key_id": id}]});
        let _ = site.site.root.post("/projects/root%2Fp/protected_tags", body).assert_status(201);
        site.git_with(&other, &here, &["push", &url, "main:refs/tags/v1"])
            .refused("You are not allowed to create this tag as it is protected.");
        site.git_with(&named, &here, &["push", "--quiet", &url, "main:refs/tags/v1"]).well();
    }
}

/// A rule that named a key or a user does not open to other keys when that one is deleted.
#[test]
fn a_protection_stays_closed_when_those_whom_it_names_are_deleted() {
    for backend in backends() {
        let TwoKeys { site, here, url, id: key, other, .. } = TwoKeys::new(backend);
        let (ada, _) = site.user("ada", Some(40));
        let protect = |name: &str, level: i64, who: Value| {
            let body = json!({"name": name, "push_access_level": level, "allowed_to_push": [who]});
            let _ = site.site.root.post(RULES, body).assert_status(201);
        };
        let body = json!({"name": "of-key", "allowed_to_push": [{"deploy_key_id": key}]});
        let _ = site.site.root.post(RULES, body).assert_status(201);
        protect("of-key-or-level", 40, json!({"deploy_key_id": key}));
        protect("of-user", 0, json!({"user_id": ada["id"]}));
        let _ = site.site.root.delete(&format!("/projects/root%2Fp/deploy_keys/{key}")).assert_status(204);
        let _ = site.site.root.delete(&format!("/users/{}?hard_delete=true", ada["id"])).assert_status(204);
        let is_gone = || site.site.root.get(&format!("/users/{}", ada["id"])).status() == 404;
        soon("the user is deleted", is_gone);
        for name in ["of-key", "of-key-or-level", "of-user"] {
            let path = format!("{RULES}/{name}");
            let entries = site.site.root.get(&path).assert_status(200).json()["push_access_levels"].clone();
            let left = entries.as_array().unwrap().iter().map(|entry| entry["access_level"].clone());
            assert!(left.into_iter().all(|level| !level.is_null()), "{name}: {entries}");
            site.git_with(&other, &here, &["push", &url, &format!("main:{name}")])
                .refused("You are not allowed to push code to protected branches on this project.");
            // A change of the levels does not open it either.
            let body = json!({"push_access_level": 30}).to_string().into_bytes();
            let _ = site.site.root.send("PATCH", &path, Some("application/json"), body).assert_status(200);
            site.git_with(&other, &here, &["push", &url, &format!("main:{name}")])
                .refused("You are not allowed to push code to protected branches on this project.");
        }
    }
}

#[test]
fn a_deploy_key_opens_no_project_for_which_its_owner_alone_has_rights_and_outlasts_a_block() {
    for backend in backends() {
        let site = SshSite::start(backend);
        let here = site.site.working_copy("here", "main");
        let url = site.url("p");
        site.git(&here, &["push", "--quiet", &url, "main"]).well();
        let (ada, _) = site.user("ada", Some(40));
        let as_ada = site.site.root.header("Sudo", "ada");
        let key = Key::make(site.folder(), "ci", "ed25519");
        let body = json!({"title": "ci", "key": key.public, "can_push": true});
        let _ = as_ada.post("/projects/root%2Fp/deploy_keys", body).assert_status(201);
        let own = as_ada.post("/projects", json!({"name": "own"})).assert_status(201).json();
        let own = own["ssh_url_to_repo"].as_str().unwrap();
        let not_found = "Tenon: The project you were looking for could not be found.";
        site.git_with(&key, &here, &["ls-remote", own]).refused(not_found);
        site.git_with(&key, &here, &["push", own, "main"]).refused(not_found);

        // The key is the project's: a push is no contribution of an account that is blocked.
        let _ = site.site.root.post(&format!("/users/{}/block", ada["id"]), json!({})).assert_status(201);
        commit(&here, "x", b"x", "more");
        site.git_with(&key, &here, &["push", "--quiet", &url, "main"]).well();
        let events = site.site.root.get("/projects/root%2Fp/events?action=pushed").assert_status(200).json();
        assert!(events.as_array().unwrap().iter().all(|event| event["author_username"] == "root"), "{events}");
    }
}

#[test]
fn what_a_deploy_key_pushes_closes_no_issue() {
    for backend in backends() {
        let site = SshSite::start(backend);
        let here = site.site.working_copy("here", "main");
        let url = site.url("p");
        site.git(&here, &["push", "--quiet", &url, "main"]).well();
        for title in ["of the key", "of the user"] {
            let _ = site.site.root.post("/projects/root%2Fp/issues", json!({"title": title})).assert_status(201);
        }
        let key = Key::make(site.folder(), "ci", "ed25519");
        enable(&site, "p", &key, true);
        commit(&here, "x", b"x", "Closes #1");
        site.git_with(&key, &here, &["push", "--quiet", &url, "main"]).well();
        commit(&here, "y", b"y", "Closes #2");
        site.git(&here, &["push", "--quiet", &url, "main"]).well();
        let state = |iid: i64| {
            let issue = site.site.root.get(&format!("/projects/root%2Fp/issues/{iid}")).assert_status(200).json();
            issue["state"].as_str().unwrap().to_owned()
        };
        soon("the user's push is read", || state(2) == "closed");
        assert_eq!(state(1), "opened");
    }
}

#[test]
fn what_a_deploy_key_merges_is_merged_in_the_name_of_its_owner_and_closes_no_issue() {
    for backend in backends() {
        let site = SshSite::start(backend);
        let here = site.site.working_copy("here", "main");
        let url = site.url("p");
        site.git(&here, &["push", "--quiet", &url, "main"]).well();
        let (ada, _) = site.user("ada", Some(40));
        let key = Key::make(site.folder(), "ci", "ed25519");
        let body = json!({"title": "ci", "key": key.public, "can_push": true});
        let as_ada = site.site.root.header("Sudo", "ada");
        let _ = as_ada.post("/projects/root%2Fp/deploy_keys", body).assert_status(201);
        let root = &site.site.root;
        let _ = root.post("/projects/root%2Fp/issues", json!({"title": "wish"})).assert_status(201);
        git(&here, &["checkout", "--quiet", "-b", "topic"]).well();
        commit(&here, "x", b"x", "more");
        site.git(&here, &["push", "--quiet", &url, "topic"]).well();
        let body = json!({
            "title": "topic", "description": "Closes #1", "source_branch": "topic", "target_branch": "main",
        });
        let _ = root.post("/projects/root%2Fp/merge_requests", body).assert_status(201);
        let request = || root.get("/projects/root%2Fp/merge_requests/1").assert_status(200).json();
        soon("its head is known", || request()["sha"].is_string());
        // A push with the key ends nothing on the list of its owner, who has not seen it.
        let listed = || as_ada.get("/todos").assert_status(200).json().as_array().map(Vec::len);
        let _ = as_ada.post("/projects/root%2Fp/merge_requests/1/todo", json!({})).assert_status(200);
        site.git_with(&key, &here, &["push", "--quiet", &url, "topic:main"]).well();
        soon("the push has merged it", || request()["state"] == "merged");
        assert_eq!((request()["merged_by"]["id"].clone(), listed()), (ada["id"].clone(), Some(1)));
        let issue = root.get("/projects/root%2Fp/issues/1").assert_status(200).json();
        assert_eq!(issue["state"], "opened");
        // A user who may no longer push is not named.
        let _ = root.delete(&format!("/projects/root%2Fp/members/{}", ada["id"])).assert_status(204);
        git(&here, &["checkout", "--quiet", "-b", "later"]).well();
        commit(&here, "y", b"y", "later");
        site.git(&here, &["push", "--quiet", &url, "later"]).well();
        let body = json!({"title": "later", "source_branch": "later", "target_branch": "main"});
        let _ = root.post("/projects/root%2Fp/merge_requests", body).assert_status(201);
        let _ = root.post("/projects/root%2Fp/merge_requests/2/todo", json!({})).assert_status(200);
        let second = || root.get("/projects/root%2Fp/merge_requests/2").assert_status(200).json();
        soon("its head is known", || second()["sha"].is_string());
        site.git_with(&key, &here, &["push", "--quiet", &url, "later:main"]).well();
        soon("the push has merged it", || second()["state"] == "merged");
        assert_eq!(second()["merged_by"], json!(null));
        let todos = root.get("/todos").assert_status(200).json();
        assert_eq!(todos.as_array().map(Vec::len), Some(1), "the author has not done it either: {todos}");
    }
}
