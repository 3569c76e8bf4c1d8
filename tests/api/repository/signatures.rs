//! The signers of commits.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Client, TestServer, both_databases, keys};

use super::*;

/// Stores a commit in the repository of a project, and yields the path of its signature.
#[track_caller]
#[expect(clippy::disallowed_methods, reason = "no route of the API makes such a commit")]
fn store(server: &TestServer, project: i64, commit: &str) -> String {
    let folder = server.data().join(format!("repositories/{:03}/{project}.git", project % 1000));
    let mut git = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(["-c", "safe.bareRepository=all", "hash-object", "-t", "commit", "-w", "--stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("git");
    git.stdin.take().expect("a pipe").write_all(commit.as_bytes()).expect("a commit written");
    let output = git.wait_with_output().expect("an answer");
    assert!(output.status.success(), "{output:?}");
    let sha = String::from_utf8(output.stdout).expect("a name");
    format!("{}/commits/{}/signature", at(project), sha.trim())
}

/// A project of the client's with a first commit.
fn tool(client: &Client, visibility: &str) -> i64 {
    let body = json!({"name": "tool", "visibility": visibility, "initialize_with_readme": true});
    id(&made(client, "/projects", body))
}

fn add(client: &Client, key: &str) -> i64 {
    id(&made(client, "/user/gpg_keys", json!({"key": key})))
}

fn status(client: &Client, path: &str) -> Value {
    client.get(path).assert_status(200).json()["verification_status"].clone()
}

#[both_databases]
fn the_key_of_a_user_verifies_commits(server: &TestServer) {
    let alice = server.user("alice");
    let project = tool(&alice, "public");
    let path = store(server, project, keys::BY_PRIMARY);
    let unknown = json!({
        "signature_type": "PGP", "verification_status": "unknown_key", "gpg_key_id": null,
        "gpg_key_primary_keyid": "5843036532E1F8A4", "gpg_key_user_name": null, "gpg_key_user_email": null,
        "gpg_key_subkey_id": null, "commit_source": "gitaly",
    });
    server.anonymous().get(&path).assert(200, unknown.clone());
    let key = add(&alice, keys::ALICE);
    let verified = json!({
        "signature_type": "PGP", "verification_status": "verified", "gpg_key_id": key,
        "gpg_key_primary_keyid": "5843036532E1F8A4", "gpg_key_user_name": "Alice",
        "gpg_key_user_email": "alice@example.org", "gpg_key_subkey_id": null, "commit_source": "gitaly",
    });
    server.anonymous().get(&path).assert(200, verified);
    let _ = alice.delete(&format!("/user/gpg_keys/{key}")).assert_status(204);
    server.anonymous().get(&path).assert(200, unknown.clone());
    let key = add(&alice, keys::ALICE);
    assert_eq!(status(&alice, &path), "verified");
    let _ = alice.post(&format!("/user/gpg_keys/{key}/revoke"), json!({})).assert_status(202);
    server.anonymous().get(&path).assert(200, unknown);
}

#[both_databases]
fn a_subkey_signs_for_its_key(server: &TestServer) {
    let alice = server.user("alice");
    let project = tool(&alice, "public");
    let key = add(&alice, keys::ALICE);
    let found = alice.get(&store(server, project, keys::BY_SUBKEY)).assert_status(200).json();
    assert_eq!(found["verification_status"], "verified");
    assert_eq!((&found["gpg_key_id"], &found["gpg_key_primary_keyid"]), (&json!(key), &json!("5843036532E1F8A4")));
    assert!(found["gpg_key_subkey_id"].is_i64(), "{found}");
}

#[both_databases]
fn the_address_of_the_committer_has_to_be_the_signers(server: &TestServer) {
    let (alice, root) = (server.user("alice"), server.root());
    let project = tool(&alice, "public");
    add(&alice, keys::ALICE);
    let other = alice.get(&store(server, project, keys::BY_SOMEONE)).assert_status(200).json();
    assert_eq!(other["verification_status"], "other_user");
    // The key names others than the committer, whom its user may not want to publish.
    assert_eq!((&other["gpg_key_user_name"], &other["gpg_key_user_email"]), (&json!(null), &json!(null)));
    let second = store(server, project, keys::BY_SECOND_ADDRESS);
    assert_eq!(status(&alice, &second), "other_user");
    let email = json!({"email": "alice@work.example"});
    let waiting = id(&made(&alice, "/user/emails", email));
    assert_eq!(status(&alice, &second), "other_user");
    let _ = alice.delete(&format!("/user/emails/{waiting}")).assert_status(204);
    let email = json!({"email": "alice@work.example", "skip_confirmation": true});
    made(&root, &format!("/users/{}/emails", alice.id), email);
    assert_eq!(status(&alice, &second), "verified");
    let email = json!({"email": "mallory@example.org", "skip_confirmation": true});
    made(&root, &format!("/users/{}/emails", alice.id), email);
    assert_eq!(status(&alice, &store(server, project, keys::BY_SOMEONE)), "same_user_different_email");
}

#[both_databases]
fn a_key_that_names_no_confirmed_address_verifies_nothing(server: &TestServer) {
    let waiting = server.user_with("alice", &json!({"skip_confirmation": false}));
    let mallory = server.user("mallory");
    let project = tool(&mallory, "public");
    add(&waiting, keys::ALICE);
    assert_eq!(status(&mallory, &store(server, project, keys::BY_PRIMARY)), "unverified_key");
    // Another user's key under one's own account.
    add(&mallory, keys::BOB);
    assert_eq!(status(&mallory, &store(server, project, keys::BY_BOB)), "unverified_key");
}

#[both_databases]
fn a_signature_that_does_not_fit_is_unverified(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let project = tool(&alice, "public");
    add(&alice, keys::ALICE);
    add(&bob, keys::BOB);
    let asked = |commit: &str| status(&alice, &store(server, project, commit));
    assert_eq!(asked(keys::BY_BOB), "verified");
    assert_eq!(asked(&keys::BY_BOB.replace("\nbob\n", "\nBob!\n")), "unverified");
    assert_eq!(asked(&keys::BY_PRIMARY.replace("1768435200 +0000", "1768435201 +0000")), "unverified");
    let broken = keys::BY_BOB.replacen("\n iH", "\n zz", 1);
    assert_eq!(asked(&broken), "unverified");
    let (head, rest) = keys::BY_BOB.split_once("gpgsig ").expect("a signature");
    let (signature, message) = rest.split_once("\n\n").expect("a message");
    assert_eq!(asked(&format!("{head}gpgsig {signature}\n {signature}\n\n{message}")), "multiple_signatures");
    let certificate = format!("{head}gpgsig -----BEGIN SIGNED MESSAGE-----\n x\n -----END SIGNED MESSAGE-----\n\nm\n");
    let found = alice.get(&store(server, project, &certificate)).assert_status(200).json();
    assert_eq!((&found["signature_type"], &found["verification_status"]), (&json!("X509"), &json!("unverified")));
}

#[both_databases]
fn keys_that_have_ended_verify_what_they_signed_before(server: &TestServer) {
    let (carol, dave) = (server.user("carol"), server.user("dave"));
    let project = tool(&carol, "public");
    add(&carol, keys::CAROL);
    // It expired after the commit was signed.
    assert_eq!(status(&carol, &store(server, project, keys::BY_CAROL)), "verified");
    server.database().execute("UPDATE gpg_keys SET expires_at = '2026-01-14 00:00:00'");
    assert_eq!(status(&carol, &store(server, project, keys::BY_CAROL)), "unverified");
    let path = store(server, project, keys::BY_DAVE);
    let key = add(&dave, keys::DAVE);
    assert_eq!(status(&carol, &path), "verified");
    let _ = dave.delete(&format!("/user/gpg_keys/{key}")).assert_status(204);
    add(&dave, keys::DAVE_REVOKED);
    assert_eq!(status(&carol, &path), "revoked_key");
}

#[both_databases]
fn an_ssh_key_verifies_commits_of_its_user(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let project = tool(&alice, "public");
    for (commit, key) in
        [(keys::BY_ED25519, keys::ED25519), (keys::BY_ECDSA_256, keys::ECDSA_256), (keys::BY_RSA_2048, keys::RSA_2048)]
    {
        let path = store(server, project, commit);
        let unknown = json!({
            "signature_type": "SSH", "verification_status": "unknown_key", "key": null, "commit_source": "gitaly",
        });
        server.anonymous().get(&path).assert(200, unknown);
        let key = made(&alice, "/user/keys", json!({"title": "t", "key": key}));
        let verified = json!({
            "signature_type": "SSH", "verification_status": "verified", "key": key, "commit_source": "gitaly",
        });
        server.anonymous().get(&path).assert(200, verified);
        let changed = commit.replace("\nssh-", "\nSSH-");
        assert_eq!(status(&alice, &store(server, project, &changed)), "unverified");
        let _ = alice.delete(&format!("/user/keys/{}", id(&key))).assert_status(204);
    }
    let path = store(server, project, keys::BY_ED25519);
    let key = id(&made(&bob, "/user/keys", json!({"title": "t", "key": keys::ED25519})));
    assert_eq!(status(&alice, &path), "other_user");
    let _ = bob.delete(&format!("/user/keys/{key}")).assert_status(204);
    made(&alice, "/user/keys", json!({"title": "t", "key": keys::ED25519, "usage_type": "auth"}));
    assert_eq!(status(&alice, &path), "unknown_key");
}

#[both_databases]
fn who_may_not_read_the_code_learns_nothing(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let project = tool(&alice, "private");
    add(&alice, keys::ALICE);
    let path = store(server, project, keys::BY_PRIMARY);
    assert_eq!(status(&alice, &path), "verified");
    for client in [&*bob, &server.anonymous()] {
        client.get(&path).assert(404, missing("Project"));
    }
    server.advance(TimeDelta::hours(1));
    alice.get(&format!("{}/commits/main/signature", at(project))).assert(404, missing("Signature"));
    alice.get(&format!("{}/commits/nothing/signature", at(project))).assert(404, missing("Commit"));
}

#[both_databases]
fn the_keys_of_users_who_are_gone_are_unknown(server: &TestServer) {
    let (alice, bob) = (server.user("alice"), server.user("bob"));
    let project = tool(&bob, "public");
    add(&alice, keys::ALICE);
    let paths = [keys::BY_PRIMARY, keys::BY_SUBKEY].map(|commit| store(server, project, commit));
    let _ = server.root().delete(&format!("/users/{}", alice.id)).assert_status(204);
    for path in &paths {
        assert_eq!(status(&bob, path), "unknown_key");
    }
    server.run_jobs();
    for path in &paths {
        assert_eq!(status(&bob, path), "unknown_key");
    }
}
