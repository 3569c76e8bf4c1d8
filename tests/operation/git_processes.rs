//! The processes of Git that questions of clients start: how soon they get a core, and when they end.

use std::io::Write as _;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;
use tenon_domain::limits::Limits;
use tenon_testkit::{Backend, Client, GIT_SCRIPT, ROOT_TOKEN, TestServer, soon};

/// Servers whose Git is this script, with a project that has a branch.
fn servers(script: &str) -> impl Iterator<Item = TestServer> {
    let backends = [Backend::Sqlite, Backend::Postgres].into_iter().filter(|backend| backend.is_available());
    backends.map(move |backend| {
        let mut limits = Limits::without_rates();
        // Each question is asked of Git.
        limits.reads.remembered = 0;
        let server = TestServer::start_with_git(backend, limits, script);
        let body = json!({"name": "tool", "initialize_with_readme": true});
        let _ = server.root().post("/projects", body).assert_status(201);
        server
    })
}

/// The file of this name beside the script.
fn beside(server: &TestServer, suffix: &str) -> PathBuf {
    server.data().join(format!("{GIT_SCRIPT}.{suffix}"))
}

/// The niceness of each process that a question to the repository starts: none if a kept process answers it.
fn niceness(client: &Client, log: &Path, path: &str) -> Vec<i32> {
    std::fs::write(log, "").expect("an empty log");
    let _ = client.get(&format!("/projects/1/repository/{path}")).assert_status(200);
    let log = std::fs::read_to_string(log).expect("a log");
    log.lines().filter_map(|line| line.split(' ').next()?.parse().ok()).collect()
}

#[test]
fn questions_that_may_take_long_yield_to_short_ones() {
    for server in servers("echo \"$(nice) $*\" >> \"$0.log\"; exec git \"$@\"") {
        let (root, log) = (server.root(), beside(&server, "log"));
        let first = std::fs::read_to_string(&log).expect("a log");
        let own: i32 = first.split(' ').next().and_then(|text| text.parse().ok()).expect("a number");
        for number in 0..11 {
            let branch = json!({"branch": format!("b{number}"), "ref": "main"});
            let _ = root.post("/projects/1/repository/branches", branch).assert_status(201);
        }
        let refs = |number: usize| (0..number).map(|number| format!("&refs[]=b{number}")).collect::<String>();
        let (few, many) = (format!("merge_base?{}", refs(10)), format!("merge_base?{}", refs(11)));
        for path in [
            "commits/main/refs",
            "commits/main/merge_requests",
            "commits?author=x",
            "commits?path=README.md",
            "branches?regex=b",
            &many,
        ] {
            let started = niceness(&root, &log, path);
            assert!(!started.is_empty() && started.iter().all(|niceness| *niceness >= 10), "{path}: {started:?}");
        }
        for path in ["commits", "commits?ref_name=b1", "branches"] {
            let started = niceness(&root, &log, path);
            assert!(started.iter().all(|niceness| *niceness == own), "{path}: {started:?}");
        }
        let started = niceness(&root, &log, &few);
        assert!(!started.is_empty() && started.iter().all(|niceness| *niceness == own), "{few}: {started:?}");
    }
}

/// A Git that writes its id and answers nothing, once a file says so.
const WAITS: &str =
    "if [ -e \"$0.waits\" ]; then echo $$ > \"$0.new\"; mv \"$0.new\" \"$0.id\"; exec tail -f /dev/null; fi
exec git \"$@\"";

/// A client that has asked a long question, which no kept process answers.
fn asking(server: &TestServer) -> TcpStream {
    let host = server.base().strip_prefix("http://").expect("an address");
    let mut stream = TcpStream::connect(host).expect("a connection");
    let get = "GET /api/v4/projects/1/repository/commits?author=x HTTP/1.1";
    let request = format!("{get}\r\nHost: {host}\r\nPrivate-Token: {ROOT_TOKEN}\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("a request that is sent");
    stream
}

/// A question that waits in the queue of long questions leaves it with its client, also while those before it go on.
#[test]
fn the_questions_of_clients_that_have_gone_leave_the_queue() {
    for server in servers(WAITS) {
        std::fs::write(beside(&server, "waits"), "").expect("a file");
        let waiting = || server.app().waiting().iter().find(|(pool, _)| *pool == "git_long").map(|(_, number)| *number);
        // The user has half of the threads.
        let stay: Vec<TcpStream> = (0..server.app().limits().pools.git_long / 2).map(|_| asking(&server)).collect();
        soon("the first have begun", || beside(&server, "id").exists() && waiting() == Some(0));
        let leave: Vec<TcpStream> = (0..10).map(|_| asking(&server)).collect();
        soon("the others wait", || waiting() == Some(10));
        drop(leave);
        soon("the others have left", || waiting() == Some(0));
        drop(stay);
    }
}

#[test]
fn the_process_of_a_question_ends_when_its_client_disconnects() {
    for server in servers(WAITS) {
        std::fs::write(beside(&server, "waits"), "").expect("a file");
        let stream = asking(&server);
        let id = beside(&server, "id");
        soon("the process has begun", || id.exists());
        let id = std::fs::read_to_string(&id).expect("a number");
        let process = Path::new("/proc").join(id.trim());
        assert!(process.exists());
        drop(stream);
        let closed = Instant::now();
        soon("the process has ended", || !process.exists());
        // Its own limit of time would end it after half a minute.
        assert!(closed.elapsed() < Duration::from_secs(10), "{:?}", closed.elapsed());
    }
}

#[test]
fn one_process_finds_the_lines_of_all_discussions_of_a_page() {
    for server in servers("echo \"$*\" >> \"$0.log\"; exec git \"$@\"") {
        let (root, log) = (server.root(), beside(&server, "log"));
        let _ = root.put("/projects/1", json!({"visibility": "public"})).assert_status(200);
        let push = |content: &str, action: &str| {
            let actions = json!([{"action": action, "file_path": "a.txt", "content": content}]);
            let start = if action == "create" { json!("main") } else { json!(null) };
            let body = json!({"branch": "topic", "start_branch": start, "commit_message": "Go on", "actions": actions});
            let _ = root.post("/projects/1/repository/commits", body).assert_status(201);
            server.run_jobs();
        };
        push("one\ntwo\nthree\n", "create");
        let body = json!({"source_branch": "topic", "target_branch": "main", "title": "Count"});
        let _ = root.post("/projects/1/merge_requests", body).assert_status(201);
        let discuss = |line: i64| {
            let mut position = root.get("/projects/1/merge_requests/1").json()["diff_refs"].clone();
            position["position_type"] = json!("text");
            position["old_path"] = json!("a.txt");
            position["new_path"] = json!("a.txt");
            position["new_line"] = json!(line);
            let body = json!({"body": "Why?", "position": position});
            let _ = root.post("/projects/1/merge_requests/1/discussions", body).assert_status(201);
        };
        (1..=3).for_each(discuss);
        push("one\nTWO\nthree\nfour\n", "update");
        discuss(4);
        let started = || {
            std::fs::write(&log, "").expect("an empty log");
            let page = server.anonymous().send("GET", "//root/tool/merge_requests/1", None, Vec::new());
            let page = page.assert_status(200).text();
            assert_eq!(page.matches("class=\"code signs quoted\"").count(), 4, "{page}");
            assert_eq!(page.matches("(outdated)").count(), 1, "{page}");
            let log = std::fs::read_to_string(&log).expect("a log");
            let lines = |option: &str| log.lines().filter(|line| line.contains(option)).count();
            (lines("diff-tree --stdin"), lines("diff-tree"))
        };
        // The other one counts the lines of the merge request.
        assert_eq!(started(), (1, 2));
    }
}
