//! `tenon admin doctor --fix`.

use tenon_testkit::soon;

use super::{Site, backends, git};
use crate::process::{run, text};

#[test]
fn the_doctor_repairs_only_when_asked_to() {
    for backend in backends() {
        let site = Site::start(backend);
        let project = site.project("p", "private");
        let here = site.working_copy("here", "main");
        git(&here, &["push", "--quiet", &site.mine("p"), "main"]).well();
        let id = project.get("id").and_then(serde_json::Value::as_i64).unwrap();
        let Site { serving, folder, url, .. } = &site;
        let data = folder.path().join("data");
        let head = data.join(format!("repositories/{:03}/{id}.git/HEAD", id % 1000));
        let doctor = |more: &[&str]| {
            let first = ["--data-dir", data.to_str().unwrap(), "--database-url", url, "admin", "doctor"];
            run(&[&first, more].concat())
        };
        // The server processes a push, HEAD too, in the background.
        let counted = || site.root.get("/projects/root%2Fp?statistics=true").json()["statistics"]["commit_count"] == 1;
        soon("the push is processed soon", counted);
        let healthy = doctor(&[]);
        assert_eq!(healthy.status.code(), Some(0), "{}", text(&healthy));
        assert!(text(&healthy).contains("sound projects: 1"), "{}", text(&healthy));
        let linked = doctor(&["--connectivity-only"]);
        assert_eq!(linked.status.code(), Some(0), "{}", text(&linked));
        let said = text(&linked);
        assert!(said.contains("were not checked") && !said.contains("sound"), "{said}");
        assert!(serving.anonymous().get("/projects").status() == 200);
        std::fs::write(&head, "ref: refs/heads/elsewhere\n").unwrap();
        let report = doctor(&[]);
        assert_eq!(report.status.code(), Some(1));
        assert!(text(&report).contains("!!  repositories"), "{}", text(&report));
        let repaired = doctor(&["--fix"]);
        assert_eq!(repaired.status.code(), Some(0));
        assert!(text(&repaired).contains("root/p"), "{}", text(&repaired));
        assert_eq!(std::fs::read_to_string(&head).unwrap().trim(), "ref: refs/heads/main");
        assert_eq!(doctor(&[]).status.code(), Some(0));
    }
}
