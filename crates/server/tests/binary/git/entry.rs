//! How clients come to a repository: addresses without `.git`, and the record of the clients that come.

use serde_json::{Value, json};

use super::{Site, backends, git};

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
        // It leads to this server, whatever the path looks like, and does not reveal what is there.
        let (anonymous, base) = (site.serving.anonymous(), site.root.base().to_owned());
        let query = "?service=git-upload-pack";
        for path in ["/root/p", "/root/nothing", "//elsewhere.example/x"] {
            let reply = anonymous.get(&format!("/{path}/info/refs{query}")).assert_status(301);
            assert_eq!(reply.header("location"), format!("{base}{path}.git/info/refs{query}"));
        }
        assert_eq!(anonymous.get("//root/p/info/refs?service=other").status(), 404);
        assert_eq!(anonymous.get("/projects/info/refs").status(), 404);
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
        site.serving.restart(&data, &site.url);
        site.root = site.serving.root();
        assert!(uses(&site).iter().all(Value::is_string), "{:?}", uses(&site));
    }
}

#[test]
fn who_fetches_or_pushes_is_active() {
    for backend in backends() {
        let mut site = Site::start(backend);
        site.project("p", "private");
        let here = site.working_copy("here", "main");
        let (member, reader) = site.user("reader");
        let (writer, _) = site.user("writer");
        let (idle, refused) = (site.user("idle"), site.user("refused"));
        site.member("p", &member, 20);
        site.member("p", &writer, 40);
        let base = site.address("p", None);
        let with_password = base.replace("http://", "http://writer:a%20long%20enough%20password@");
        git(&here, &["push", "--quiet", &with_password, "main"]).well();
        git(&here, &["ls-remote", &site.address("p", Some(&reader))]).well();
        git(&here, &["push", &site.address("p", Some(&refused.1)), "main:x"]).refused("could not be found");
        assert!(idle.0["last_activity_on"].is_null());
        // It is written down now and then, and at the end.
        let data = site.data();
        site.serving.restart(&data, &site.url);
        site.root = site.serving.root();
        let mut active = site.root.get("/user/activities").assert_status(200).each("username");
        active.sort_by_key(Value::to_string);
        assert_eq!(active, ["reader", "writer"]);
    }
}
