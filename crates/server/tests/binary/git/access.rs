//! Who may fetch and push.

use serde_json::json;
use tenon_testkit::soon;

use super::{Site, backends, commit, git};
use crate::process::TOKEN;

#[test]
fn wrong_credentials_are_never_taken_for_none() {
    for backend in backends() {
        let site = Site::start(backend);
        site.project("open", "public");
        let here = site.working_copy("here", "main");
        git(&here, &["push", "--quiet", &site.mine("open"), "main"]).well();
        git(&here, &["ls-remote", &site.address("open", None)]).well();
        // The client shows credentials only if it is asked for them. Here they are shown unasked.
        let wrong = site.serving.anonymous().header("Authorization", "Basic c29tZWJvZHk6d3Jvbmc=");
        let reply = wrong.get("//root/open.git/info/refs?service=git-upload-pack");
        assert_eq!((reply.status(), &*reply.header("www-authenticate")), (401, "Basic realm=\"Tenon\""));
        git(&here, &["push", &site.address("open", None), "main:x"]).refused("could not read Username");
    }
}

#[test]
fn missing_and_private_look_the_same() {
    for backend in backends() {
        let site = Site::start(backend);
        site.project("closed", "private");
        let (_, stranger) = site.user("stranger");
        let at = site.folder.path();
        for token in [None, Some(stranger.as_str())] {
            let answers = ["closed", "missing"].map(|name| {
                let outcome = git(at, &["ls-remote", &site.address(name, token)]);
                assert!(!outcome.success);
                outcome.text.replace("closed", "NAME").replace("missing", "NAME")
            });
            assert_eq!(answers[0], answers[1]);
        }
        git(at, &["ls-remote", &site.address("closed", Some(&stranger))])
            .refused("The project you were looking for could not be found.");
    }
}

#[test]
fn a_token_is_good_for_what_its_scopes_say() {
    for backend in backends() {
        let site = Site::start(backend);
        site.project("p", "private");
        let here = site.working_copy("here", "main");
        git(&here, &["push", "--quiet", &site.mine("p"), "main"]).well();
        let token = |scopes: &[&str]| {
            let body = json!({"name": "t", "scopes": scopes});
            let made = site.root.post("/users/1/personal_access_tokens", body).assert_status(201).json();
            made["token"].as_str().unwrap().to_owned()
        };
        let reads = token(&["read_repository"]);
        git(&here, &["ls-remote", &site.address("p", Some(&reads))]).well();
        git(&here, &["push", &site.address("p", Some(&reads)), "main:x"])
            .refused("You are not allowed to upload code.");
        let writes = token(&["write_repository"]);
        git(&here, &["push", "--quiet", &site.address("p", Some(&writes)), "main:x"]).well();
        let neither = token(&["read_user"]);
        git(&here, &["ls-remote", &site.address("p", Some(&neither))]).refused("You are not allowed to download code.");
    }
}

#[test]
fn a_password_opens_the_own_projects() {
    for backend in backends() {
        let site = Site::start(backend);
        site.user("ada");
        let host = site.root.base().strip_prefix("http://").unwrap().to_owned();
        let path = "/projects?sudo=ada";
        site.root.post(path, json!({"path": "own"})).assert_status(201).json();
        let url = |password: &str| format!("http://ada:{password}@{host}/ada/own.git");
        let at = site.folder.path();
        git(at, &["ls-remote", &url("a%20long%20enough%20password")]).well();
        git(at, &["ls-remote", &url("another%20password")]).refused("Authentication failed");
    }
}

#[test]
fn who_may_merge_a_fork_s_branch_may_push_to_it() {
    for backend in backends() {
        let site = Site::start(backend);
        site.project("p", "public");
        let here = site.working_copy("here", "main");
        git(&here, &["push", "--quiet", &site.mine("p"), "main"]).well();
        let ((_, ada), (helper, token)) = (site.user("ada"), site.user("helper"));
        site.member("p", &helper, 40);
        let fork = site.root.post("/projects/root%2Fp/fork?sudo=ada", json!({})).assert_status(201).json();
        let is_ready = || site.root.get(&format!("/projects/{}", fork["id"])).json()["import_status"] == "finished";
        soon("the fork is made soon", is_ready);
        let address = |token: &str| site.address("p", Some(token)).replace("/root/p.git", "/ada/p.git");
        git(&here, &["push", "--quiet", &address(&ada), "main:topic", "main:other"]).well();
        let push = |branch: &str| git(&here, &["push", "--force", &address(&token), &format!("HEAD:{branch}")]);
        commit(&here, "more", b"more", "more");
        push("topic").refused("You are not allowed to push code to this project.");
        git(&here, &["push", "--quiet", &address(&ada), "main:topic"]).well();
        let offer = json!({
            "source_branch": "topic", "target_branch": "main", "title": "t", "target_project_id": 1, "allow_collaboration": true,
        });
        site.root.post(&format!("/projects/{}/merge_requests?sudo=ada", fork["id"]), offer).assert_status(201).json();
        commit(&here, "and more", b"more", "and more");
        push("topic").well();
        for branch in ["other", "new"] {
            push(branch).refused("You are not allowed to push code to this project.");
        }
        git(&here, &["push", &address(&token), ":topic"]).refused("You are not allowed to push code to this project.");
    }
}

#[test]
fn roles_decide_who_fetches_and_pushes() {
    for backend in backends() {
        let site = Site::start(backend);
        site.project("p", "private");
        let here = site.working_copy("here", "main");
        git(&here, &["push", "--quiet", &site.mine("p"), "main"]).well();
        for (name, level, fetches, pushes) in
            [("guest", 10, false, false), ("reporter", 20, true, false), ("developer", 30, true, true)]
        {
            let (user, token) = site.user(name);
            site.member("p", &user, level);
            let url = site.address("p", Some(&token));
            let fetched = git(&here, &["ls-remote", &url]);
            assert_eq!(fetched.success, fetches, "{name}: {}", fetched.text);
            let pushed = git(&here, &["push", "--quiet", &url, &format!("main:{name}")]);
            assert_eq!(pushed.success, pushes, "{name}: {}", pushed.text);
            if fetches && !pushes {
                pushed.refused("You are not allowed to push code to this project.");
            }
        }
    }
}

#[test]
fn archived_projects_are_read_and_blocked_accounts_shut_out() {
    for backend in backends() {
        let site = Site::start(backend);
        site.project("p", "private");
        let here = site.working_copy("here", "main");
        git(&here, &["push", "--quiet", &site.mine("p"), "main"]).well();
        let (user, token) = site.user("ada");
        site.member("p", &user, 30);
        site.root.post("/projects/root%2Fp/archive", json!({})).assert_status(200).json();
        git(&here, &["ls-remote", &site.address("p", Some(&token))]).well();
        git(&here, &["push", &site.address("p", Some(&token)), "main:x"]).refused("not allowed to push");
        git(&here, &["push", &site.address("p", Some(TOKEN)), "main:x"]).refused("not allowed to push");
        site.root.post(&format!("/users/{}/block", user["id"]), json!({})).assert_status(201).json();
        git(&here, &["ls-remote", &site.address("p", Some(&token))]).refused("Your account has been blocked.");
        let (banned, token) = site.user("grace");
        site.root.post(&format!("/users/{}/ban", banned["id"]), json!({})).assert_status(201).json();
        git(&here, &["ls-remote", &site.address("p", Some(&token))]).refused("Your account has been banned.");
        let (unused, token) = site.user("alan");
        site.root.post(&format!("/users/{}/deactivate", unused["id"]), json!({})).assert_status(201).json();
        git(&here, &["ls-remote", &site.address("p", Some(&token))])
            .refused("Your account has been deactivated by your administrator. Please log back in from a web browser");
    }
}

#[test]
fn what_is_no_repository_is_not_found() {
    for backend in backends() {
        let site = Site::start(backend);
        site.project("p", "public");
        let client = site.serving.anonymous();
        for path in ["//root/p.git/HEAD", "//root/p.git/objects/info/packs", "//root/..%2f..%2fetc.git/info/refs"] {
            assert_eq!(client.get(path).status(), 404, "{path}");
        }
        assert_eq!(client.get("//root/p.git/info/refs?service=git-evil").status(), 403);
    }
}
