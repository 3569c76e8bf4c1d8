//! Pushes to projects that do not exist.

use std::process::Stdio;

use serde_json::{Value, json};

use super::{Site, backends, command, git};

/// The address of a repository at any path, for the holder of a token.
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
        // A hidden project looks like one that may not be made.
        for path in ["root/fresh", "root/closed", "team/fresh", "no-one/fresh", "fresh", "ann", "ann/fresh.wiki"] {
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

#[test]
fn a_repository_without_a_default_branch_that_has_tags_is_not_empty() {
    for backend in backends() {
        let site = Site::start(backend);
        site.project("p", "private");
        let here = site.working_copy("here", "main");
        git(&here, &["tag", "v1"]).well();
        git(&here, &["push", "--quiet", &site.mine("p"), "v1"]).well();
        let branches = "/projects/root%2Fp/repository/branches";
        let refused = json!({"message": "Invalid reference name"});
        for from in ["main", "HEAD", "v2"] {
            site.root.post(branches, json!({"branch": "x", "ref": from})).assert(400, refused.clone());
        }
        assert_eq!(site.root.get(branches).json(), json!([]));
        // The branch starts at the commit of the tag.
        let topic = site.root.post(branches, json!({"branch": "topic", "ref": "v1"})).assert_status(201).json();
        let tip = git(&here, &["rev-parse", "v1"]).well();
        assert_eq!(topic["commit"]["id"], tip.trim());
        assert_eq!(topic["default"], true, "the first branch becomes the default one");
        site.root.post(branches, json!({"branch": "x", "ref": "main"})).assert(400, refused.clone());
    }
}

#[test]
fn a_repository_whose_branches_are_not_known_yet_is_not_empty() {
    for backend in backends() {
        let site = Site::start(backend);
        site.project("p", "private");
        let here = site.working_copy("here", "main");
        // As a crash leaves it before the database knows the refs.
        let bare = soon_repository(&site);
        git(&here, &["push", "--quiet", bare.to_str().unwrap(), "main:other"]).well();
        let branches = "/projects/root%2Fp/repository/branches";
        let refused = json!({"message": "Invalid reference name"});
        site.root.post(branches, json!({"branch": "x", "ref": "main"})).assert(400, refused);
        let topic = site.root.post(branches, json!({"branch": "topic", "ref": "other"})).assert_status(201).json();
        assert_eq!(topic["commit"]["id"], git(&here, &["rev-parse", "main"]).well().trim());
    }
}

/// The repository of `root/p`, made by asking it for something that is refused.
fn soon_repository(site: &Site) -> std::path::PathBuf {
    let branches = "/projects/root%2Fp/repository/branches";
    let _ = site.root.post(branches, json!({"branch": "a b", "ref": "main"})).assert_status(400);
    git(site.folder.path(), &["ls-remote", &site.mine("p")]).well();
    let mut folders = vec![site.data()];
    loop {
        let folder = folders.pop().expect("a repository");
        if folder.extension().is_some_and(|extension| extension == "git") && folder.join("HEAD").exists() {
            return folder;
        }
        let entries = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        folders.extend(entries.filter(|path| path.is_dir()));
    }
}
