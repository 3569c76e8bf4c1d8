//! The messages of the client after a push, and projects that have moved.

use serde_json::json;
use tenon_testkit::soon;

use super::{Site, backends, commit, git};

#[test]
fn a_push_to_another_branch_is_offered_a_merge_request() {
    for backend in backends() {
        let site = Site::start(backend);
        site.project("p", "private");
        let here = site.working_copy("here", "main");
        let url = site.mine("p");
        let first = git(&here, &["push", &url, "main"]).well();
        assert!(!first.contains("merge request"), "{first}");
        let said = git(&here, &["push", &url, "main:fix/a+b"]).well();
        assert!(said.contains("remote: To create a merge request for fix/a+b, visit:"), "{said}");
        let page = "/root/p/-/merge_requests/new?merge_request%5Bsource_branch%5D=fix%2Fa%2Bb";
        assert!(said.contains(&format!("remote:   {}{page}", site.root.base())), "{said}");
        let deleted = git(&here, &["push", &url, ":fix/a+b"]).well();
        assert!(!deleted.contains("merge request"), "{deleted}");
        let off = json!({"printing_merge_request_link_enabled": false});
        site.root.put("/projects/root%2Fp", off).assert_status(200).json();
        let silent = git(&here, &["push", &url, "main:topic"]).well();
        assert!(!silent.contains("merge request"), "{silent}");
    }
}

#[test]
fn a_push_to_a_branch_with_an_open_merge_request_is_shown_it() {
    for backend in backends() {
        let site = Site::start(backend);
        site.project("p", "private");
        let here = site.working_copy("here", "main");
        let url = site.mine("p");
        git(&here, &["push", "--quiet", &url, "main"]).well();
        commit(&here, "topic", b"x", "topic");
        git(&here, &["push", "--quiet", &url, "main:topic", "main:other"]).well();
        let body = json!({"source_branch": "topic", "target_branch": "main", "title": "t"});
        site.root.post("/projects/root%2Fp/merge_requests", body).assert_status(201).json();
        commit(&here, "more", b"x", "more");
        let said = git(&here, &["push", &url, "main:topic", "main:other"]).well();
        assert!(said.contains("remote: View merge request for topic:"), "{said}");
        assert!(said.contains(&format!("remote:   {}/root/p/-/merge_requests/1", site.root.base())), "{said}");
        assert!(!said.contains("To create a merge request for topic"), "{said}");
        assert!(said.contains("remote: To create a merge request for other, visit:"), "{said}");
        let closed = json!({"state_event": "close"});
        site.root.put("/projects/root%2Fp/merge_requests/1", closed).assert_status(200).json();
        commit(&here, "again", b"x", "again");
        let said = git(&here, &["push", &url, "main:topic"]).well();
        assert!(said.contains("remote: To create a merge request for topic, visit:"), "{said}");
    }
}

#[test]
fn a_message_to_all_users_is_shown_to_who_pushes() {
    for backend in backends() {
        let site = Site::start(backend);
        site.project("p", "private");
        let here = site.working_copy("here", "main");
        let url = site.mine("p");
        let silent = git(&here, &["push", &url, "main"]).well();
        assert!(!silent.contains("===="), "{silent}");
        for (text, path) in [("Update\n**tonight**", ""), ("For another project", "*/other")] {
            let body = json!({"message": text, "target_path": path});
            site.root.post("/broadcast_messages", body).assert_status(201).json();
        }
        let said = git(&here, &["push", &url, "main:topic"]).well();
        let centred = format!("remote: {}Update **tonight**", " ".repeat(27));
        assert!(said.contains(&centred), "{said}");
        assert!(said.contains(&format!("remote: {}", "=".repeat(72))) && !said.contains("another"), "{said}");
    }
}

#[test]
fn a_merge_request_in_a_project_that_the_pusher_cannot_see_is_not_named() {
    for backend in backends() {
        let site = Site::start(backend);
        site.root
            .post("/projects", json!({"path": "p", "visibility": "private", "initialize_with_readme": true}))
            .assert_status(201)
            .json();
        let (ann, token) = site.user("ann");
        let (bob, other) = site.user("bob");
        site.member("p", &ann, 30);
        let fork = site.root.post("/projects/root%2Fp/fork?sudo=ann", json!({})).assert_status(201).json();
        let fork = format!("/projects/{}", fork["id"]);
        let is_ready = || site.root.get(&fork).json()["import_status"] == "finished";
        soon("the fork is made soon", is_ready);
        let member = json!({"user_id": bob["id"], "access_level": 30});
        site.root.post(&format!("{fork}/members"), member).assert_status(201).json();
        let url = |token: &str| site.address("p", Some(token)).replace("/root/p.git", "/ann/p.git");
        git(site.folder.path(), &["clone", "--quiet", &url(&token), "here"]).well();
        let here = site.folder.path().join("here");
        commit(&here, "topic", b"x", "topic");
        git(&here, &["push", "--quiet", &url(&token), "main:topic"]).well();
        let target = site.root.get("/projects/root%2Fp").json()["id"].clone();
        let body =
            json!({"source_branch": "topic", "target_branch": "main", "title": "t", "target_project_id": target});
        site.root.post(&format!("{fork}/merge_requests?sudo=ann"), body).assert_status(201).json();
        for (token, text) in
            [(&token, "View merge request for topic:"), (&other, "To create a merge request for topic")]
        {
            commit(&here, text, b"x", "more");
            let said = git(&here, &["push", &url(token), "main:topic"]).well();
            assert!(said.contains(text), "{said}");
        }
    }
}

#[test]
fn a_project_that_has_moved_is_served_under_its_old_name_until_a_user_takes_it() {
    for backend in backends() {
        let site = Site::start(backend);
        site.project("before", "private");
        let here = site.working_copy("here", "main");
        git(&here, &["push", "--quiet", &site.mine("before"), "main"]).well();
        site.root.put("/projects/root%2Fbefore", json!({"path": "after", "name": "after"})).assert_status(200).json();
        commit(&here, "second", b"x", "second");
        let said = git(&here, &["push", &site.mine("before"), "main"]).well();
        assert!(said.contains("remote: Project 'root/before' was moved to 'root/after'."), "{said}");
        assert!(said.contains(&format!("git remote set-url origin {}/root/after.git", site.root.base())), "{said}");
        let tip = git(&here, &["rev-parse", "HEAD"]).well();
        for name in ["before", "after"] {
            let refs = git(&here, &["ls-remote", &site.mine(name), "refs/heads/main"]).well();
            assert!(refs.starts_with(tip.trim()), "{name}: {refs}");
        }
        // It stays as hidden as it is under its new name.
        git(&here, &["ls-remote", &site.address("before", None)]).refused("could not read Username");
        let (_, token) = site.user("stranger");
        git(&here, &["ls-remote", &site.address("before", Some(&token))]).refused("could not be found");
        let silent = git(&here, &["push", &site.mine("after"), "main:other"]).well();
        assert!(!silent.contains("was moved"), "{silent}");
        site.project("before", "private");
        assert_eq!(git(&here, &["ls-remote", &site.mine("before")]).well(), "");
    }
}

#[test]
fn projects_of_a_group_that_was_renamed_are_served_under_its_old_name() {
    for backend in backends() {
        let site = Site::start(backend);
        let group = site.root.post("/groups", json!({"name": "team", "path": "team"})).assert_status(201).json();
        let id = group.get("id").cloned().unwrap();
        let body = json!({"path": "p", "namespace_id": id, "initialize_with_readme": true});
        site.root.post("/projects", body).assert_status(201).json();
        site.root.put(&format!("/groups/{id}"), json!({"path": "crew"})).assert_status(200).json();
        for path in ["team", "crew"] {
            let url = site.mine("p").replace("/root/p.git", &format!("/{path}/p.git"));
            let refs = git(site.folder.path(), &["ls-remote", &url]).well();
            assert!(refs.contains("refs/heads/main"), "{path}: {refs}");
        }
    }
}
