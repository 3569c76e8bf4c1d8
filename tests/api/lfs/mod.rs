//! Large files (Git LFS): who sends and gets objects, and what is never told.

mod hostile;
mod kept;
mod locks;

use serde_json::{Value, json};
use tenon_testkit::{Client, Reply, TestServer, both_databases};

use crate::support::*;

/// An object, and the SHA-256 of its bytes.
const BYTES: &[u8] = b"large bytes of one file";
const OID: &str = "78d8eb4c04533bb77c84628253722c8680bc384046d63662e1f7c1f1c03205a3";
/// Another object.
const OTHER: &[u8] = b"other bytes";
const OTHER_OID: &str = "a3ead5eedad5df82318c51685dbc1c147a36d1ff8584fc82de6b08d0bf63a795";

/// A client of LFS with this token.
fn lfs(server: &TestServer, token: &str) -> Client {
    server.anonymous().basic("git", token)
}

/// The address of something below `info/lfs` of a project.
fn at(project: &str, rest: &str) -> String {
    format!("//{project}.git/info/lfs/{rest}")
}

/// The answer to a question about one object.
fn ask(client: &Client, project: &str, operation: &str, (oid, size): (&str, usize)) -> Reply {
    let body = json!({"operation": operation, "transfers": ["basic"], "objects": [{"oid": oid, "size": size}]});
    client.post(&at(project, "objects/batch"), body)
}

fn send(client: &Client, project: &str, oid: &str, bytes: &[u8]) -> Reply {
    let path = at(project, &format!("objects/{oid}/{}", bytes.len()));
    client.send("PUT", &path, Some("application/octet-stream"), bytes.to_vec())
}

fn get(client: &Client, project: &str, oid: &str) -> Reply {
    client.get(&at(project, &format!("objects/{oid}")))
}

/// The body of a refusal.
fn said(server: &TestServer, text: &str) -> Value {
    json!({"message": text, "documentation_url": format!("{}/help", server.base())})
}

const MISSING: &str = "Object does not exist on the server or you don't have permissions to access it";

#[both_databases]
fn an_object_is_sent_once_and_got_whole_and_in_parts(server: &TestServer) {
    let alice = server.user("alice");
    let project_id = project(&alice, "tool", "private");
    let client = lfs(server, &alice.token);
    let object = (OID, BYTES.len());
    let place = format!("{}/alice/tool.git/info/lfs/objects/{OID}", server.base());
    let asked = ask(&client, "alice/tool", "upload", object).assert_status(200);
    assert_eq!(asked.header("content-type"), "application/vnd.git-lfs+json");
    let entry = asked.json()["objects"][0].clone();
    let upload = &entry["actions"]["upload"];
    assert_eq!((&entry["oid"], &upload["href"]), (&json!(OID), &json!(format!("{place}/{}", BYTES.len()))));
    assert!(upload["header"]["Authorization"].as_str().is_some_and(|it| it.starts_with("Basic ")), "{entry}");
    let missing = json!({"oid": OID, "size": BYTES.len(), "error": {"code": 404, "message": MISSING}});
    assert_eq!(ask(&client, "alice/tool", "download", object).json()["objects"][0], missing);
    let _ = get(&client, "alice/tool", OID).assert_status(404);

    let sent = send(&client, "alice/tool", OID, BYTES).assert_status(200);
    assert_eq!(sent.bytes(), b"");
    let entry = ask(&client, "alice/tool", "upload", object).json()["objects"][0].clone();
    assert_eq!(entry, json!({"oid": OID, "size": BYTES.len()}));
    let entry = ask(&client, "alice/tool", "download", object).json()["objects"][0].clone();
    assert_eq!(entry["actions"]["download"]["href"], place);
    assert_lacks(&entry, &["authenticated"]);
    let whole = get(&client, "alice/tool", OID).assert_status(200);
    assert_eq!((whole.bytes(), &*whole.header("content-length")), (BYTES, "23"));
    for (name, value) in [
        ("content-type", "application/octet-stream"),
        ("content-disposition", &format!("attachment; filename=\"{OID}\"")),
        ("x-content-type-options", "nosniff"),
        ("accept-ranges", "bytes"),
    ] {
        assert_eq!(whole.header(name), value);
    }
    let head = client.head(&at("alice/tool", &format!("objects/{OID}"))).assert_status(200);
    assert_eq!((head.bytes(), &*head.header("content-length")), (&b""[..], "23"));
    for (range, status, bytes, content) in [
        ("bytes=6-", 206, &BYTES[6..], "bytes 6-22/23"),
        ("bytes=6-10", 206, &BYTES[6..11], "bytes 6-10/23"),
        ("bytes=-4", 206, &BYTES[19..], "bytes 19-22/23"),
        ("bytes=0-1,4-5", 200, BYTES, ""),
    ] {
        let part = get(&client.header("Range", range), "alice/tool", OID).assert_status(status);
        assert_eq!((part.bytes(), &*part.header("content-range")), (bytes, content), "{range}");
    }
    let beyond = get(&client.header("Range", "bytes=23-"), "alice/tool", OID).assert_status(416);
    assert_eq!(beyond.header("content-range"), "bytes */23");

    let sizes = alice.get(&format!("/projects/{project_id}?statistics=true")).json()["statistics"].clone();
    assert_eq!((&sizes["lfs_objects_size"], sizes["storage_size"].as_i64()), (&json!(23), Some(23)));
    let _ = send(&client, "alice/tool", OID, BYTES).assert_status(200);
    let again = alice.get(&format!("/projects/{project_id}?statistics=true")).json()["statistics"].clone();
    assert_eq!(again, sizes);
}

#[both_databases]
fn those_who_fetch_get_objects_and_those_who_push_send_them(server: &TestServer) {
    let cast = Cast::of(server, "private");
    let project = "owner/tool";
    let _ = send(&lfs(server, &cast.owner.token), project, OID, BYTES).assert_status(200);
    let object = (OID, BYTES.len());
    let tokens =
        [&cast.stranger, &cast.guest, &cast.reporter, &cast.developer, &cast.maintainer].map(|user| &user.token);
    let statuses = |ask: &dyn Fn(&Client) -> Reply| tokens.map(|token| ask(&lfs(server, token)).status());
    assert_eq!(statuses(&|client| get(client, project, OID)), [404, 403, 200, 200, 200]);
    assert_eq!(statuses(&|client| ask(client, project, "download", object)), [404, 403, 200, 200, 200]);
    assert_eq!(statuses(&|client| ask(client, project, "upload", object)), [404, 403, 403, 200, 200]);
    assert_eq!(statuses(&|client| send(client, project, OTHER_OID, OTHER)), [404, 403, 403, 200, 200]);
    for client in [server.anonymous(), lfs(server, "wrong")] {
        let refused = ask(&client, project, "download", object).assert_status(401);
        assert_eq!(refused.header("www-authenticate"), "Basic realm=\"Tenon\"");
        let _ = send(&client, project, OID, BYTES).assert_status(401);
    }
    // Missing and hidden projects are the same.
    let stranger = lfs(server, &cast.stranger.token);
    for project in ["owner/tool", "owner/none", "owner/tool.wiki"] {
        ask(&stranger, project, "download", object).assert(404, said(server, "Not found."));
    }
    let reporter = lfs(server, &cast.reporter.token);
    let forbidden = said(server, "Access forbidden. Check your access level.");
    ask(&reporter, project, "upload", object).assert(403, forbidden.clone());
    // A token reads and writes as its scopes say.
    let reads = lfs(server, &server.token(cast.developer.id, &["read_repository"]));
    let _ = get(&reads, project, OID).assert_status(200);
    ask(&reads, project, "upload", object).assert(403, forbidden.clone());
    let user = lfs(server, &server.token(cast.developer.id, &["read_user"]));
    get(&user, project, OID).assert(403, forbidden.clone());
    let deploy = json!({"name": "CI", "scopes": ["read_repository"]});
    let deploy = made(&cast.owner, &format!("{}/deploy_tokens", cast.path()), deploy);
    let text = |field: &str| deploy[field].as_str().unwrap_or_default().to_owned();
    let deploy = server.anonymous().basic(&text("username"), &text("token"));
    let _ = get(&deploy, project, OID).assert_status(200);
    ask(&deploy, project, "upload", object).assert(403, forbidden.clone());
    // An archived project takes nothing more, and one without LFS gives nothing either.
    let owner = lfs(server, &cast.owner.token);
    let _ = cast.owner.post(&format!("{}/archive", cast.path()), json!({})).assert_status(200);
    let _ = send(&owner, project, OTHER_OID, OTHER).assert_status(403);
    let _ = get(&owner, project, OID).assert_status(200);
    let _ = cast.owner.post(&format!("{}/unarchive", cast.path()), json!({})).assert_status(200);
    let off = cast.owner.put(&cast.path(), json!({"lfs_enabled": false})).assert_status(200).json();
    assert_eq!(off["lfs_enabled"], false);
    for reply in [get(&owner, project, OID), ask(&owner, project, "upload", object), send(&owner, project, OID, BYTES)]
    {
        reply.assert(403, forbidden.clone());
    }
    let _ = cast.owner.put(&cast.path(), json!({"lfs_enabled": true})).assert_status(200);
    let _ = get(&owner, project, OID).assert_status(200);
}

#[both_databases]
fn objects_of_a_public_project_need_no_credential(server: &TestServer) {
    let alice = server.user("alice");
    let _ = project(&alice, "open", "public");
    let _ = send(&lfs(server, &alice.token), "alice/open", OID, BYTES).assert_status(200);
    let anonymous = server.anonymous();
    let entry = ask(&anonymous, "alice/open", "download", (OID, BYTES.len())).assert_status(200).json();
    let entry = &entry["objects"][0];
    assert_eq!((&entry["authenticated"], &entry["actions"]["download"]["header"]), (&json!(true), &json!({})));
    assert_eq!(get(&anonymous, "alice/open", OID).assert_status(200).bytes(), BYTES);
    let _ = ask(&anonymous, "alice/open", "upload", (OID, BYTES.len())).assert_status(401);
    // A wrong credential is not taken for none.
    let _ = get(&lfs(server, "wrong"), "alice/open", OID).assert_status(401);
}

#[both_databases]
fn a_role_that_has_ended_is_asked_for_again(server: &TestServer) {
    let cast = Cast::of(server, "private");
    let _ = send(&lfs(server, &cast.owner.token), "owner/tool", OID, BYTES).assert_status(200);
    let developer = lfs(server, &cast.developer.token);
    let _ = get(&developer, "owner/tool", OID).assert_status(200);
    let member = format!("{}/members/{}", cast.path(), cast.developer.id);
    let _ = cast.owner.delete(&member).assert_status(204);
    let _ = get(&developer, "owner/tool", OID).assert_status(404);
}

#[both_databases]
fn a_fork_has_the_objects_of_its_source(server: &TestServer) {
    let [alice, bob] = server.users(["alice", "bob"]);
    let source = project(&alice, "tool", "public");
    let client = lfs(server, &alice.token);
    let _ = send(&client, "alice/tool", OID, BYTES).assert_status(200);
    made(&bob, &format!("/projects/{source}/fork"), json!({}));
    server.run_jobs();
    let of_bob = lfs(server, &bob.token);
    assert_eq!(get(&of_bob, "bob/tool", OID).assert_status(200).bytes(), BYTES);
    // An object that comes later belongs to one of them.
    let _ = send(&of_bob, "bob/tool", OTHER_OID, OTHER).assert_status(200);
    let _ = get(&client, "alice/tool", OTHER_OID).assert_status(404);
    let sizes = bob.get("/projects/bob%2Ftool?statistics=true").json()["statistics"]["lfs_objects_size"].clone();
    assert_eq!(sizes, json!(BYTES.len() + OTHER.len()));
}

#[both_databases]
fn requests_for_large_files_have_a_budget(server: &TestServer) {
    let alice = server.user("alice");
    let _ = project(&alice, "tool", "private");
    for (name, value) in [
        ("throttle_authenticated_git_lfs_enabled", json!(true)),
        ("throttle_authenticated_git_lfs_requests_per_period", json!(2)),
    ] {
        server.set(name, &value);
    }
    let client = lfs(server, &alice.token);
    let statuses: Vec<u16> = (0..3).map(|_| get(&client, "alice/tool", OID).status()).collect();
    assert_eq!(statuses, [404, 404, 429]);
    let _ = alice.get("/projects").assert_status(200);
}

#[both_databases]
fn a_merge_request_from_a_fork_brings_the_objects_of_its_commits(server: &TestServer) {
    let [alice, bob] = server.users(["alice", "bob"]);
    let body = json!({"name": "tool", "visibility": "public", "initialize_with_readme": true});
    let source = id(&made(&alice, "/projects", body));
    made(&bob, &format!("/projects/{source}/fork"), json!({}));
    server.run_jobs();
    let (of_alice, of_bob) = (lfs(server, &alice.token), lfs(server, &bob.token));
    for (oid, bytes) in [(OID, BYTES), (OTHER_OID, OTHER)] {
        let _ = send(&of_bob, "bob/tool", oid, bytes).assert_status(200);
    }
    let pointer = format!("version https://git-lfs.github.com/spec/v1\noid sha256:{OID}\nsize {}\n", BYTES.len());
    let file = json!({"branch": "topic", "start_branch": "main", "content": pointer, "commit_message": "a file"});
    made(&bob, "/projects/bob%2Ftool/repository/files/a.bin", file);
    server.run_jobs();
    let request = json!({"source_branch": "topic", "target_branch": "main", "title": "t", "target_project_id": source});
    made(&bob, "/projects/bob%2Ftool/merge_requests", request);
    server.run_jobs();
    assert_eq!(get(&of_alice, "alice/tool", OID).assert_status(200).bytes(), BYTES);
    // One that no commit names stays where it is.
    let _ = get(&of_alice, "alice/tool", OTHER_OID).assert_status(404);
}

#[both_databases]
fn the_bytes_of_a_large_file_are_asked_for_by_its_path(server: &TestServer) {
    let alice = server.user("alice");
    let _ = project(&alice, "tool", "private");
    let pointer = format!("version https://git-lfs.github.com/spec/v1\noid sha256:{OID}\nsize {}\n", BYTES.len());
    let file = json!({"branch": "main", "content": pointer, "commit_message": "a file"});
    made(&alice, "/projects/alice%2Ftool/repository/files/a.bin", file);
    let raw = "/projects/alice%2Ftool/repository/files/a.bin/raw";
    let with_lfs = format!("{raw}?lfs=true");
    // A project that has not got the object answers with the pointer.
    assert_eq!(alice.get(&with_lfs).assert_status(200).text(), pointer);
    let _ = send(&lfs(server, &alice.token), "alice/tool", OID, BYTES).assert_status(200);
    let found = alice.get(&with_lfs).assert_status(200);
    assert_eq!((found.bytes(), &*found.header("content-length")), (BYTES, "23"));
    for path in [raw, &format!("{raw}?lfs=false")] {
        assert_eq!(alice.get(path).assert_status(200).text(), pointer, "{path}");
    }
    let _ = server.user("bob").get(&with_lfs).assert_status(404);
    let _ = alice.put("/projects/alice%2Ftool", json!({"lfs_enabled": false})).assert_status(200);
    assert_eq!(alice.get(&with_lfs).assert_status(200).text(), pointer);
}
