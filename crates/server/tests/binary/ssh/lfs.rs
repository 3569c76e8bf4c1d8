//! Large files of a client of Git over SSH, which gets a token for them.

use serde_json::{Value, json};
use tenon_testkit::Backend;

use super::{SshSite, outcome};
use crate::git::{commit, noise};

#[test]
fn large_files_go_over_http_with_a_token_from_ssh() {
    let site = SshSite::start(Backend::Sqlite);
    let here = site.site.working_copy("here", "main");
    let url = site.url("p");
    for arguments in
        [&["lfs", "install", "--local"][..], &["lfs", "track", "*.bin"], &["remote", "add", "origin", &url]]
    {
        site.git(&here, arguments).well();
    }
    let bytes = noise(0..100_000);
    commit(&here, "a.bin", &bytes, "a large file");
    site.git(&here, &["push", "--quiet", "origin", "main"]).well();
    site.git(site.folder(), &["clone", "--quiet", &url, "there"]).well();
    let there = site.folder().join("there");
    site.git(&there, &["lfs", "install", "--local"]).well();
    site.git(&there, &["lfs", "pull"]).well();
    assert_eq!(std::fs::read(there.join("a.bin")).unwrap(), bytes);
}

#[test]
fn a_token_opens_the_large_files_of_one_project() {
    let site = SshSite::start(Backend::Sqlite);
    site.site.project("q", "private");
    let (host, _) = site.address();
    let to = format!("git@{host}");
    let ask = |line: &str| outcome(site.ssh(&[&to, line]));
    let grant = |operation: &str| -> Value {
        serde_json::from_str(&ask(&format!("git-lfs-authenticate root/p.git {operation}")).well()).unwrap()
    };
    let (reads, writes) = (grant("download"), grant("upload"));
    let base = site.site.root.base().to_owned();
    assert_eq!(reads.get("href").unwrap(), &json!(format!("{base}/root/p.git/info/lfs")));
    assert_eq!(reads.get("expires_in").unwrap(), &json!(1800));
    let client = |grant: &Value| {
        let header = grant.pointer("/header/Authorization").and_then(Value::as_str).unwrap().to_owned();
        tenon_testkit::Client::new(&base, None).header("Authorization", &header)
    };
    let batch = |client: &tenon_testkit::Client, project: &str, operation: &str| {
        let body = json!({"operation": operation, "objects": [{"oid": "0".repeat(64), "size": 1}]});
        client.post(&format!("//root/{project}.git/info/lfs/objects/batch"), body).status()
    };
    let (reads, writes) = (client(&reads), client(&writes));
    assert_eq!((batch(&reads, "p", "download"), batch(&reads, "p", "upload")), (200, 403));
    assert_eq!((batch(&writes, "p", "download"), batch(&writes, "p", "upload")), (200, 200));
    assert_eq!((batch(&writes, "q", "download"), batch(&writes, "q", "upload")), (404, 404));
    // It is no token of the API, and none of Git.
    assert_eq!(writes.get("/projects/root%2Fp").status(), 404);
    assert_eq!(writes.get("//root/p.git/info/refs?service=git-upload-pack").status(), 401);
    // It ends with its key.
    let keys = site.site.root.get("/user/keys").assert_status(200).json();
    let key = keys.pointer("/0/id").unwrap();
    let _ = site.site.root.delete(&format!("/user/keys/{key}")).assert_status(204);
    assert_eq!(batch(&writes, "p", "download"), 403);
}
