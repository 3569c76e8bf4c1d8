//! Pushes and writes over the API at once.

use std::path::Path;
use std::thread;

use serde_json::json;

use super::{Site, backends, commit, git};

/// Pushes as people do: a user who is refused merges the earlier pushes, and pushes again.
fn push_until_taken(copy: &Path, url: &str) -> bool {
    (0..20).any(|_| {
        let taken = git(copy, &["push", "--quiet", url, "main"]).success;
        if !taken {
            git(copy, &["pull", "--quiet", "--rebase", url, "main"]).well();
        }
        taken
    })
}

#[test]
fn what_was_acknowledged_is_there_when_pushes_and_the_api_write_at_once() {
    for backend in backends() {
        let site = Site::start(backend);
        site.project("p", "private");
        let here = site.working_copy("here", "main");
        let url = site.mine("p");
        git(&here, &["push", "--quiet", &url, "main"]).well();
        let copies = ["one", "two"].map(|name| {
            git(site.folder.path(), &["clone", "--quiet", &url, name]).well();
            site.folder.path().join(name)
        });
        for round in 0..5 {
            let write = || {
                let file = format!("/projects/root%2Fp/repository/files/api{round}");
                let body = json!({"branch": "main", "commit_message": format!("api {round}"), "content": "x"});
                site.root.post(&file, body).status()
            };
            let push = |copy: &Path| {
                let name = copy.file_name().and_then(std::ffi::OsStr::to_str).unwrap();
                commit(copy, &format!("{name}{round}"), b"x", &format!("{name} {round}"));
                push_until_taken(copy, &url)
            };
            let (status, taken) = thread::scope(|scope| {
                let pushes = copies.each_ref().map(|copy| scope.spawn(|| push(copy)));
                let status = scope.spawn(write).join().unwrap();
                (status, pushes.map(|push| push.join().unwrap()))
            });
            assert_eq!((status, taken), (201, [true, true]), "{backend:?}");
            git(&here, &["pull", "--quiet", "--ff-only", &url, "main"]).well();
            for name in ["api", "one", "two"] {
                assert!(here.join(format!("{name}{round}")).exists(), "{backend:?}: {name}{round} is lost");
            }
        }
        // Nothing is there twice, and the API knows it all.
        let log = git(&here, &["log", "--format=%H %s"]).well();
        let list = site.root.get("/projects/root%2Fp/repository/commits?per_page=100").assert_status(200);
        let known = list
            .each("id")
            .iter()
            .zip(list.each("title"))
            .map(|(id, title)| format!("{id} {title}\n"))
            .collect::<String>();
        assert_eq!((known.replace('"', ""), list.each("id").len()), (log, 16), "{backend:?}");
        git(&here, &["fsck", "--full"]).well();
    }
}
