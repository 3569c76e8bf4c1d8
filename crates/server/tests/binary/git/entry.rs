//! How clients come to a repository: addresses without `.git`, and tokens whose use is noted.

use serde_json::{Value, json};

use super::{Site, backends, git};
use crate::process::Serving;

#[test]
fn an_address_without_its_ending_leads_to_the_repository() {
    for backend in backends() {
        let site = Site::start(backend);
        site.project("p", "private");
        let here = site.working_copy("here", "main");
        let short = site.mine("p").strip_suffix(".git").unwrap().to_owned();
        git(&here, &["push", "--quiet", &short, "main"]).well();
        git(site.folder.path(), &["clone", "--quiet", &short, "copy"]).well();
        assert!(site.folder.path().join("copy/README.md").exists());
        // It leads to this server, whatever the path looks like, and tells nobody what is there.
        let (anybody, base) = (site.serving.anonymous(), site.root.base().to_owned());
        let query = "?service=git-upload-pack";
        for path in ["/root/p", "/root/nothing", "//elsewhere.example/x"] {
            let reply = anybody.get(&format!("/{path}/info/refs{query}")).assert_status(301);
            assert_eq!(reply.header("location"), format!("{base}{path}.git/info/refs{query}"));
        }
        assert_eq!(anybody.get("//root/p/info/refs?service=other").status(), 404);
        assert_eq!(anybody.get("/projects/info/refs").status(), 404);
    }
}

#[test]
fn using_a_token_with_git_is_noted() {
    for backend in backends() {
        let mut site = Site::start(backend);
        site.project("p", "private");
        let (ann, _) = site.user("ann");
        site.member("p", &ann, 30);
        let id = ann.get("id").cloned().unwrap();
        let body = json!({"name": "t", "scopes": ["read_repository"]});
        let made = site.root.post(&format!("/users/{id}/personal_access_tokens"), body).assert_status(201).json();
        let token = made.get("token").and_then(Value::as_str).unwrap().to_owned();
        let list = format!("/personal_access_tokens?user_id={id}");
        let uses = |site: &Site| site.root.get(&list).assert_status(200).each("last_used_at");
        assert_eq!(uses(&site), [Value::Null]);
        git(site.folder.path(), &["ls-remote", &site.address("p", Some(&token))]).well();
        // Uses are written down now and then, and at the end.
        let data = site.data();
        let ended = std::mem::replace(&mut site.serving, Serving::start(&data, &site.url));
        ended.terminate();
        site.root = site.serving.root();
        assert!(uses(&site).iter().all(Value::is_string), "{:?}", uses(&site));
    }
}
