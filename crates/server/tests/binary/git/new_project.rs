//! Pushes to projects that do not exist (reference: repository-git-webhooks, section 2.6).

use std::process::Stdio;

use serde_json::{Value, json};

use super::{Site, backends, command, git};

/// The address of a repository at any path, for somebody with this token.
fn address(site: &Site, path: &str, token: &str) -> String {
    site.address("p", Some(token)).replace("/root/p.git", &format!("/{path}.git"))
}

/// The status of a project, and whether it is private.
fn project(site: &Site, path: &str) -> (u16, Value) {
    let reply = site.root.get(&format!("/projects/{}", path.replace('/', "%2F")));
    (reply.status(), reply.json().get("visibility").cloned().unwrap_or_default())
}

#[test]
fn a_push_makes_the_project() {
    for backend in backends() {
        let site = Site::start(backend);
        let here = site.working_copy("here", "main");
        let (_, token) = site.user("ann");
        let url = address(&site, "ann/fresh", &token);
        git(&here, &["ls-remote", &url]).refused("The project you were looking for could not be found.");
        assert_eq!(project(&site, "ann/fresh").0, 404);
        let said = git(&here, &["push", &url, "main"]).well();
        let base = site.root.base();
        for line in [
            "The private project ann/fresh was successfully created.".to_owned(),
            format!("git remote add origin {base}/ann/fresh.git"),
            format!("{base}/ann/fresh"),
        ] {
            assert!(said.contains(&line), "{line}: {said}");
        }
        assert_eq!(project(&site, "ann/fresh"), (200, json!("private")));
        let refs = git(&here, &["ls-remote", &url, "refs/heads/main"]).well();
        assert!(refs.contains("refs/heads/main"), "{refs}");
        let again = git(&here, &["push", &url, "main:other"]).well();
        assert!(!again.contains("successfully created"), "{again}");
    }
}

#[test]
fn a_project_is_made_only_where_the_pusher_may_make_one() {
    for backend in backends() {
        let site = Site::start(backend);
        let here = site.working_copy("here", "main");
        site.project("closed", "private");
        let (ann, token) = site.user("ann");
        let group = site.root.post("/groups", json!({"name": "team", "path": "team"})).assert_status(201).json();
        let push = |path: &str, token: &str| git(&here, &["push", &address(&site, path, token), "main"]);
        let missing = "The project you were looking for could not be found.";
        // What is hidden looks like what may not be made.
        for path in ["root/fresh", "root/closed", "team/fresh", "nobody/fresh", "fresh", "ann", "ann/fresh.wiki"] {
            push(path, &token).refused(missing);
        }
        let member = json!({"user_id": ann["id"], "access_level": 40});
        site.root.post(&format!("/groups/{}/members", group["id"]), member).assert_status(201).json();
        push("team/fresh", &token).well();
        assert_eq!(project(&site, "team/fresh"), (200, json!("private")));
        for path in ["ann/-x", "ann/a%20b"] {
            push(path, &token).refused("Path can contain only letters");
        }
        push("ann/create", &token).refused("Could not create project: Path create is a reserved name");
        let limit = json!({"projects_limit": 0});
        site.root.put(&format!("/users/{}", ann["id"]), limit).assert_status(200).json();
        push("ann/more", &token).refused("Could not create project: Personal project creation is not allowed.");
        let body = json!({"name": "r", "scopes": ["read_repository"]});
        let reads = site.root.post("/users/1/personal_access_tokens", body).assert_status(201).json();
        push("root/fresh", reads["token"].as_str().unwrap()).refused("You are not allowed to upload code.");
        assert_eq!(project(&site, "root/fresh").0, 404);
    }
}

#[test]
fn two_pushes_at_once_make_one_project() {
    for backend in backends() {
        let site = Site::start(backend);
        let here = site.working_copy("here", "main");
        let (_, token) = site.user("ann");
        let url = address(&site, "ann/fresh", &token);
        let pushes = ["main:one", "main:two", "main:three"]
            .map(|refs| command(&here, &["push", "--quiet", &url, refs]).stderr(Stdio::null()).spawn().unwrap());
        for mut push in pushes {
            assert!(push.wait().unwrap().success());
        }
        let names = site.root.get("/projects?search=fresh").assert_status(200).each("path");
        assert_eq!(names, ["fresh"]);
        let refs = git(&here, &["ls-remote", &url, "refs/heads/*"]).well();
        assert_eq!(refs.lines().count(), 3, "{refs}");
    }
}
