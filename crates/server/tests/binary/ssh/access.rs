//! The rights of each key.

use serde_json::json;
use tenon_testkit::Backend;

use super::{Key, SshSite, outcome};
use crate::git::{backends, git};
use crate::process::{Serving, database};

#[test]
fn a_key_greets_its_owner_and_an_unknown_one_is_refused() {
    for backend in backends() {
        let site = SshSite::start(backend);
        let (host, _) = site.address();
        let mut ssh = site.ssh(&["-T", &format!("git@{host}")]);
        let output = ssh.output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "Welcome to Tenon, @root!\n");
        assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
        let unknown = Key::make(site.folder(), "unknown", "ed25519");
        outcome(site.ssh_with(&unknown, &["-T", &format!("git@{host}")])).refused("Permission denied (publickey)");
        outcome(site.ssh(&["-T", &format!("root@{host}")])).refused("Permission denied (publickey)");
        let rsa = Key::make(site.folder(), "rsa", "rsa");
        site.site.root.post("/user/keys", json!({"title": "t", "key": rsa.public})).assert_status(201).json();
        outcome(site.ssh_with(&rsa, &["-T", &format!("git@{host}")])).well();
        let ecdsa = Key::make(site.folder(), "ecdsa", "ecdsa");
        site.site.root.post("/user/keys", json!({"title": "t", "key": ecdsa.public})).assert_status(201).json();
        outcome(site.ssh_with(&ecdsa, &["-T", &format!("git@{host}")])).well();
    }
}

#[test]
fn pages_offer_no_address_over_ssh_if_it_is_off() {
    let folder = tempfile::tempdir().unwrap();
    let (_database, url) = database(Backend::Sqlite, folder.path());
    for want in [false, true] {
        let start = if want { Serving::start } else { Serving::start_without_ssh };
        let serving = start(folder.path(), &url);
        let project = json!({"name": format!("p-{want}"), "visibility": "public"});
        let project = serving.root().post("/projects", project).assert_status(201).json();
        // The API has the address in any case: clients expect the field.
        assert!(project["ssh_url_to_repo"].as_str().is_some_and(|address| address.contains("git@")), "{project}");
        let page = serving.anonymous().get(&format!("//root/p-{want}")).assert_status(200).text();
        assert!(page.contains("Clone over HTTP"), "{page}");
        assert_eq!(page.contains("Clone over SSH") || page.contains("git@"), want, "{page}");
        assert!(serving.terminate().success());
    }
}

#[test]
fn the_host_key_stays() {
    for backend in backends() {
        let mut site = SshSite::start(backend);
        let key = |site: &SshSite| {
            let greeting = site.site.serving.greeting();
            greeting.split_once("host key ").unwrap().1.split_whitespace().next().unwrap().to_owned()
        };
        let before = key(&site);
        let data = site.site.data();
        site.site.serving.restart(&data, &site.site.url);
        assert_eq!(key(&site), before);
    }
}

#[test]
fn a_key_says_when_it_was_last_used() {
    for backend in backends() {
        let site = SshSite::start(backend);
        site.git(site.folder(), &["ls-remote", &site.url("p")]).well();
        tenon_testkit::soon("the use is written", || {
            let keys = site.site.root.get("/user/keys").assert_status(200).json();
            keys[0]["last_used_at"].is_string()
        });
    }
}

#[test]
fn missing_and_hidden_look_the_same() {
    for backend in backends() {
        let site = SshSite::start(backend);
        let (_, stranger) = site.user("stranger", None);
        let url = site.url("p");
        let answers = ["p", "missing"].map(|name| {
            let outcome = site.git_with(
                &stranger,
                site.folder(),
                &["ls-remote", &url.replace("/p.git", &format!("/{name}.git"))],
            );
            assert!(!outcome.success);
            outcome.text.replace("missing", "p")
        });
        assert_eq!(answers[0], answers[1]);
        assert!(answers[0].contains("Tenon: The project you were looking for could not be found."), "{}", answers[0]);
    }
}

#[test]
fn levels_decide_as_over_http() {
    for backend in backends() {
        let site = SshSite::start(backend);
        let url = site.url("p");
        let here = site.site.working_copy("here", "main");
        site.git(&here, &["push", "--quiet", &url, "main"]).well();
        let (_, guest) = site.user("guest", Some(10));
        site.git_with(&guest, &here, &["ls-remote", &url])
            .refused("Tenon: You are not allowed to download code from this project.");
        let (_, reporter) = site.user("reporter", Some(20));
        site.git_with(&reporter, &here, &["ls-remote", &url]).well();
        let refusal = "Tenon: You are not allowed to push code to this project.";
        site.git_with(&reporter, &here, &["push", &url, "main:x"]).refused(refusal);
        site.site.root.post("/projects/root%2Fp/archive", json!({})).assert_status(200).json();
        site.git(&here, &["push", &url, "main:x"]).refused(refusal);
        site.git(&here, &["ls-remote", &url]).well();
    }
}

#[test]
fn what_is_decided_about_a_key_or_an_account_acts_at_once() {
    for backend in backends() {
        let site = SshSite::start(backend);
        let (user, key) = site.user("ada", Some(30));
        let (url, at) = (site.url("p"), site.folder());
        let root = &site.site.root;
        site.git_with(&key, at, &["ls-remote", &url]).well();
        let _ = root.post(&format!("/users/{}/block", user["id"]), json!({})).assert_status(201);
        site.git_with(&key, at, &["ls-remote", &url]).refused("Tenon: Your account has been blocked.");
        let _ = root.post(&format!("/users/{}/unblock", user["id"]), json!({})).assert_status(201);
        site.git_with(&key, at, &["ls-remote", &url]).well();
        let _ = root.post(&format!("/users/{}/ban", user["id"]), json!({})).assert_status(201);
        site.git_with(&key, at, &["ls-remote", &url]).refused("Tenon: Your account has been banned.");
        let _ = root.post(&format!("/users/{}/unban", user["id"]), json!({})).assert_status(201);
        site.git_with(&key, at, &["ls-remote", &url]).well();
        let (unused, unused_key) = site.user("alan", Some(30));
        let _ = root.post(&format!("/users/{}/deactivate", unused["id"]), json!({})).assert_status(201);
        site.git_with(&unused_key, at, &["ls-remote", &url]).refused(
            "Tenon: Your account has been deactivated by your administrator. Please log back in from a web browser",
        );

        let _ = root.put("/application/settings", json!({"ed25519_key_restriction": -1})).assert_status(200);
        site.git_with(&key, at, &["ls-remote", &url])
            .refused("Tenon: Your SSH key type is forbidden. Must be RSA, DSA, or ECDSA.");
        let _ = root.put("/application/settings", json!({"ed25519_key_restriction": 0})).assert_status(200);

        let _ = root.put("/application/settings", json!({"enabled_git_access_protocol": "http"})).assert_status(200);
        site.git_with(&key, at, &["ls-remote", &url]).refused("Tenon: Git access over SSH is not allowed");
        let _ = root.put("/application/settings", json!({"enabled_git_access_protocol": "ssh"})).assert_status(200);
        site.git_with(&key, at, &["ls-remote", &url]).well();
        git(at, &["ls-remote", &site.site.mine("p")]).refused("403");
        let _ = root.put("/application/settings", json!({"enabled_git_access_protocol": null})).assert_status(200);

        let keys = root.get(&format!("/users/{}/keys", user["id"])).assert_status(200).json();
        let _ = root.delete(&format!("/users/{}/keys/{}", user["id"], keys[0]["id"])).assert_status(204);
        site.git_with(&key, at, &["ls-remote", &url]).refused("Permission denied (publickey)");
        // One for signatures only opens nothing.
        let body = json!({"title": "t", "key": key.public, "usage_type": "signing"});
        let _ = root.post(&format!("/users/{}/keys", user["id"]), body).assert_status(201);
        site.git_with(&key, at, &["ls-remote", &url]).refused("Permission denied (publickey)");
    }
}
