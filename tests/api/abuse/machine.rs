//! A machine that has no room: its faults are not taken for those of the server.

use serde_json::json;
use tenon_app::Limits;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Backend, GIT_SCRIPT, TestServer, both_databases};

use crate::support::*;

/// Makes each new row of a table fail as on a full disk.
fn fill_disk(server: &TestServer, table: &str) {
    let sql = match server.backend() {
        Backend::Sqlite => format!(
            "CREATE TRIGGER full_disk BEFORE INSERT ON {table} BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
        ),
        Backend::Postgres => format!(
            "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                 RAISE EXCEPTION 'could not extend file \"base/5/16384\": No space left on device'
                     USING ERRCODE = '53100', HINT = 'Check free disk space.';
             END $$;
             CREATE TRIGGER full_disk BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION full_disk()"
        ),
    };
    server.database().execute(&sql);
}

#[both_databases]
fn a_write_on_a_full_disk_is_507_and_reads_go_on(server: &TestServer) {
    let alice = server.user("alice");
    let issues = format!("/projects/{}/issues", project(&alice, "tool", "private"));
    let issue = made(&alice, &issues, json!({"title": "before"}));
    fill_disk(server, "notes");
    let full = json!({"message": "507 Insufficient Storage"});
    let notes = format!("{issues}/{}/notes", issue["iid"]);
    alice.post(&notes, json!({"body": "x"})).assert(507, full.clone());
    // Beside others that fail as well, and may share a commit.
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| alice.post(&notes, json!({"body": "x"})).assert(507, full.clone()));
        }
    });
    assert_eq!(alice.get(&notes).assert_status(200).json(), json!([]));
    assert_eq!(titles(&alice, &issues), ["before"]);
    // Nothing of it was kept.
    assert_eq!(alice.get(&format!("{issues}/{}", issue["iid"])).json()["user_notes_count"], 0);
}

#[both_databases]
fn a_job_that_finds_the_disk_full_has_not_failed(server: &TestServer) {
    let alice = server.user("alice");
    let tool = project(&alice, "tool", "private");
    let issue = made(&alice, &format!("/projects/{tool}/issues"), json!({"title": "t"}));
    let issue = format!("/projects/{tool}/issues/{}", issue["iid"]);
    let commit = |file: &str, message: &str| {
        let actions = json!([{"action": "create", "file_path": file, "content": "x"}]);
        let body = json!({"branch": "main", "commit_message": message, "actions": actions});
        let _ = alice.post(&format!("/projects/{tool}/repository/commits"), body).assert_status(201);
    };
    // The names in the first commit of a project are history.
    commit("a", "First");
    fill_disk(server, "notes");
    commit("b", "Fixes #1");
    server.run_jobs();
    assert_eq!(alice.get(&issue).json()["state"], "opened");
    assert_eq!(server.database().count("SELECT COUNT(*) FROM jobs WHERE failures > 0"), 0);
    server.database().execute(match server.backend() {
        Backend::Sqlite => "DROP TRIGGER full_disk",
        Backend::Postgres => "DROP TRIGGER full_disk ON notes",
    });
    server.advance(TimeDelta::minutes(3));
    server.run_jobs();
    assert_eq!(alice.get(&issue).json()["state"], "closed");
}

/// The messages of Git on a full disk when it writes a commit and a ref. `true` for messages that name no reason.
const COMPLAINTS: [(&str, &str, bool); 3] = [
    (
        "fast-import",
        "fatal: sha1 file 'objects/pack/tmp_pack_Qw0Bg7' write error. Out of diskspace
fast-import: dumping crash report to fast_import_crash_21094",
        false,
    ),
    ("update-ref", "fatal: Unable to create '/x/main.lock': Disk quota exceeded", false),
    ("update-ref", "fatal: prepare: cannot update ref 'refs/heads/x': couldn't write '/x/refs/heads/x.lock'", true),
];

/// A server whose program of Git fails so as soon as there is a file `full` beside it.
fn with_complaint(program: &str, complaint: &str) -> TestServer {
    let script = format!(
        r#"[ -e "$0.full" ] && for word; do
            if [ "$word" = {program} ]; then echo "{complaint}" >&2; exit 128; fi
        done
        exec git "$@""#
    );
    TestServer::start_with_git(Backend::Sqlite, Limits::without_rates(), &script)
}

/// From now on Git fails. With `hides_reason` nothing can be written into the repository either, for a single time.
fn fill(server: &TestServer, project: i64, hides_reason: bool) {
    std::fs::write(server.data().join(format!("{GIT_SCRIPT}.full")), "").expect("a file");
    if hides_reason {
        let objects = server.data().join(format!("repositories/{:03}/{project}.git/objects", project % 1000));
        std::os::unix::fs::symlink("/dev/full", objects.join("tmp_room")).expect("a link");
    }
}

#[test]
fn what_git_does_not_write_for_want_of_room_is_507() {
    let full = json!({"message": "507 Insufficient Storage"});
    for (program, complaint, hides_reason) in COMPLAINTS {
        let server = with_complaint(program, complaint);
        let alice = server.user("alice");
        let id = project(&alice, "tool", "private");
        let at = format!("/projects/{id}/repository");
        let actions = json!([{"action": "create", "file_path": "a", "content": "x"}]);
        let first = json!({"branch": "main", "commit_message": "m", "actions": actions});
        let _ = alice.post(&format!("{at}/commits"), first).assert_status(201);
        let file = json!({"branch": "main", "commit_message": "m", "content": "x"});
        let tag = json!({"tag_name": "v1", "ref": "main"});
        let branch = json!({"branch": "more", "ref": "main"});
        let mut requests = vec![("files/b", file)];
        if program == "update-ref" {
            requests.extend([("branches", branch), ("tags", tag)]);
        }
        for (path, body) in requests {
            fill(&server, id, hides_reason);
            let reply = alice.post(&format!("{at}/{path}"), body);
            assert_eq!((reply.status(), reply.json()), (507, full.clone()), "{complaint}: {path}");
        }
        assert_eq!(alice.get(&format!("{at}/commits")).assert_status(200).json().as_array().map(Vec::len), Some(1));
    }
}

#[test]
fn a_default_branch_waits_for_room_on_the_disk() {
    let server = with_complaint("symbolic-ref", "error: couldn't close 'HEAD.lock'");
    let alice = server.user("alice");
    let id = project(&alice, "tool", "private");
    let at = format!("/projects/{id}/repository");
    let actions = json!([{"action": "create", "file_path": "a", "content": "x"}]);
    let first = json!({"branch": "main", "commit_message": "m", "actions": actions});
    let _ = alice.post(&format!("{at}/commits"), first).assert_status(201);
    let _ = alice.post(&format!("{at}/branches"), json!({"branch": "other", "ref": "main"})).assert_status(201);
    server.run_jobs();
    fill(&server, id, true);
    let _ = alice.put(&format!("/projects/{id}"), json!({"default_branch": "other"})).assert_status(200);
    server.run_jobs();
    let head = server.data().join(format!("repositories/{:03}/{id}.git/HEAD", id % 1000));
    let branch = || std::fs::read_to_string(&head).expect("a file");
    assert_eq!(branch().trim(), "ref: refs/heads/main");
    assert_eq!(server.database().count("SELECT COUNT(*) FROM jobs WHERE failures > 0"), 0);
    std::fs::remove_file(server.data().join(format!("{GIT_SCRIPT}.full"))).expect("a file");
    server.advance(TimeDelta::minutes(3));
    server.run_jobs();
    assert_eq!(branch().trim(), "ref: refs/heads/other");
}

#[test]
fn a_commit_on_a_full_disk_is_507() {
    for (program, complaint) in [
        ("fast-import", "fatal: write error: No space left on device"),
        ("update-ref", "fatal: Unable to create '/x/main.lock': Disk quota exceeded"),
    ] {
        let server = with_complaint(program, complaint);
        let alice = server.user("alice");
        let commits = format!("/projects/{}/repository/commits", project(&alice, "tool", "private"));
        let body = |file: &str| {
            json!({"branch": "main", "commit_message": "m",
                "actions": [{"action": "create", "file_path": file, "content": "x"}]})
        };
        let _ = alice.post(&commits, body("a")).assert_status(201);
        std::fs::write(server.data().join(format!("{GIT_SCRIPT}.full")), "").expect("a file");
        alice.post(&commits, body("b")).assert(507, json!({"message": "507 Insufficient Storage"}));
        assert_eq!(alice.get(&commits).assert_status(200).json().as_array().map(Vec::len), Some(1));
    }
}
