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
    // What the first commit of a project names is history.
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

#[test]
fn a_commit_on_a_full_disk_is_507() {
    for (program, complaint) in [
        ("fast-import", "fatal: write error: No space left on device"),
        ("update-ref", "fatal: Unable to create '/x/main.lock': Disk quota exceeded"),
    ] {
        let script = format!(
            r#"[ -e "$0.full" ] && for word; do
                if [ "$word" = {program} ]; then echo "{complaint}" >&2; exit 128; fi
            done
            exec git "$@""#
        );
        let server = TestServer::start_with_git(Backend::Sqlite, Limits::without_rates(), &script);
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
