//! Files whose names are not UTF-8, which pushes of other servers' histories bring.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::json;
use tenon_testkit::{Client, TestServer, User, both_databases};

use super::*;

/// Names, with the contents of the files. Those of the first three are shown in the same way.
const FILES: [(&[u8], &str); 6] = [
    (b"caf\xe8.txt", "grave"),
    (b"caf\xe9.txt", "acute"),
    ("caf\u{fffd}.txt".as_bytes(), "as shown"),
    (b"d\xff/x\xfe/a.txt", "deep"),
    (b"d\xff/plain.txt", "plain"),
    (b"a\\b\n\".txt", "quoted"),
];

/// Adds a commit with these files to `main`, as whatever client has pushed it.
pub(super) fn commit_bytes(server: &TestServer, project: i64, files: &[(&[u8], &str)]) {
    let repository = server.data().join(format!("repositories/{:03}/{project}.git", project % 1000));
    let mut input = b"commit refs/heads/main\ncommitter Ann <ann@example.com> 1772450000 +0000\ndata 3\nOdd\n".to_vec();
    input.extend_from_slice(b"from refs/heads/main^0\n");
    for (path, content) in files {
        let path: String = path.iter().map(|byte| format!("\\{byte:03o}")).collect();
        write!(input, "M 100644 inline \"{path}\"\ndata {}\n{content}\n", content.len()).expect("a write");
    }
    #[expect(clippy::disallowed_methods, reason = "the test needs a Git that is not the one under test")]
    let mut git = Command::new("git");
    let git = git.arg("--git-dir").arg(repository).args(["fast-import", "--quiet"]).stdin(Stdio::piped());
    let mut child = git.spawn().expect("Git");
    child.stdin.take().expect("a pipe").write_all(&input).expect("a write");
    assert!(child.wait().expect("an end").success());
}

fn world(server: &TestServer) -> (User, i64) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    commit_bytes(server, tool, &FILES);
    (alice, tool)
}

fn raw(client: &Client, project: i64, file: &str) -> (u16, String) {
    let reply = client.get(&format!("{}/files/{file}/raw?ref=main", at(project)));
    (reply.status(), reply.text())
}

#[both_databases]
fn the_bytes_in_an_address_are_the_bytes_of_the_name(server: &TestServer) {
    let (alice, tool) = world(server);
    for (file, want) in [
        ("caf%E8.txt", "grave"),
        ("caf%E9.txt", "acute"),
        ("caf%e9.txt", "acute"),
        ("caf%EF%BF%BD.txt", "as shown"),
        ("d%FF%2Fx%FE%2Fa.txt", "deep"),
        // As JSON shows it.
        ("d%EF%BF%BD%2Fx%EF%BF%BD%2Fa.txt", "deep"),
        ("d%FF%2Fplain.txt", "plain"),
        ("a%5Cb%0A%22.txt", "quoted"),
    ] {
        assert_eq!(raw(&alice, tool, file), (200, want.to_owned()), "{file}");
        let shown = alice.get(&format!("{}/files/{file}?ref=main", at(tool))).assert_status(200);
        assert_eq!(shown.json()["size"], want.len(), "{file}");
        assert!(!shown.text().contains("\\u0000"), "{file}: {}", shown.text());
        let blame = alice.get(&format!("{}/files/{file}/blame?ref=main", at(tool))).assert_status(200);
        assert_eq!(blame.json()[0]["lines"][0], want, "{file}");
    }
    let shown = alice.get(&format!("{}/files/d%FF%2Fx%FE%2Fa.txt?ref=main", at(tool))).json();
    assert_eq!((&shown["file_path"], &shown["file_name"]), (&json!("d\u{fffd}/x\u{fffd}/a.txt"), &json!("a.txt")));
    // A NUL does not stand for another byte, and neither does a text that only looks like the name.
    for file in ["caf%00%C3%A9.txt", "caf%E7.txt", "d%FE%2Fplain.txt", "d%FF%2F..%2Fcaf%E9.txt"] {
        assert_eq!(raw(&alice, tool, file).0, 404, "{file}");
    }
}

#[both_databases]
fn directories_have_names_that_are_bytes(server: &TestServer) {
    let (alice, tool) = world(server);
    let tree = |query: &str| alice.get(&format!("{}/tree?{query}", at(tool))).assert_status(200);
    let names = texts(&tree(""), "name");
    assert_eq!(names.iter().filter(|name| *name == "caf\u{fffd}.txt").count(), 3, "{names:?}");
    assert_eq!(texts(&tree("path=d%FF"), "name"), ["x\u{fffd}", "plain.txt"]);
    assert_eq!(texts(&tree("path=d%EF%BF%BD"), "name"), ["x\u{fffd}", "plain.txt"]);
    assert_eq!(texts(&tree("path=d%FF%2Fx%FE"), "path"), ["d\u{fffd}/x\u{fffd}/a.txt"]);
    assert_eq!(texts(&tree("path=d%FE"), "name"), Vec::<String>::new());
    assert!(texts(&tree("recursive=true"), "path").contains(&"d\u{fffd}/x\u{fffd}/a.txt".to_owned()));
    // Links to other pages have the same bytes.
    let page = tree("path=d%FF&per_page=1");
    assert!(page.header("link").contains("path=d%FF&per_page=1"), "{}", page.header("link"));
    for (path, want) in [("d%FF", "1"), ("caf%E9.txt", "1"), ("d%EF%BF%BD", "1"), ("caf%E7.txt", "0")] {
        assert_eq!(found(&alice, &format!("{}/commits?path={path}", at(tool)), "title").1, want, "{path}");
        let archived = alice.get(&format!("{}/archive.tar?path={path}", at(tool))).status();
        assert_eq!(archived, if path.starts_with('d') { 200 } else { 404 }, "{path}");
    }
    // A path as JSON shows it is looked for on both sides of a range, and on the default branch.
    branch(&alice, tool, "plain", "main~1");
    for query in ["ref_name=main...plain", "ref_name=plain...main", "all=true"] {
        let path = format!("{}/commits?{query}&path=d%EF%BF%BD", at(tool));
        assert_eq!(found(&alice, &path, "title").1, "1", "{query}");
    }
    let archived = alice.get(&format!("{}/archive.tar?path=d%FF", at(tool)));
    let has = |name: &[u8]| archived.bytes().windows(name.len()).any(|part| part == name);
    assert!(has(b"/d\xff/x\xfe/a.txt") && !has(b"/caf"));
    let _ = alice.get(&format!("{}/tree?ref=%E9", at(tool))).assert_status(400);
    let _ = alice.get(&format!("{}/branches/%E9", at(tool))).assert_status(404);
    let _ = alice.get("/projects?search=%E9").assert_status(400);
}

#[both_databases]
fn files_are_changed_and_moved_by_their_bytes(server: &TestServer) {
    let (alice, tool) = world(server);
    let write = |file: &str, content: &str| {
        let body = json!({"branch": "main", "commit_message": "Change", "content": content});
        alice.put(&format!("{}/files/{file}", at(tool)), body)
    };
    let written = write("caf%E9.txt", "changed").assert_status(200).json();
    assert_eq!(written, json!({"file_path": "caf\u{fffd}.txt", "branch": "main"}));
    let _ = write("a%5Cb%0A%22.txt", "changed").assert_status(200);
    let now = |file: &str| raw(&alice, tool, file).1;
    assert_eq!([now("caf%E8.txt"), now("caf%E9.txt"), now("a%5Cb%0A%22.txt")], ["grave", "changed", "changed"]);
    let _ = alice.delete(&format!("{}/files/caf%E8.txt?branch=main&commit_message=Gone", at(tool))).assert_status(204);
    assert_eq!(raw(&alice, tool, "caf%E8.txt").0, 404);
    assert_eq!(now("caf%E9.txt"), "changed");
    // In JSON a name is given as JSON shows it.
    let moves = json!([{"action": "move", "previous_path": "d\u{fffd}/x\u{fffd}/a.txt", "file_path": "a.txt"}]);
    let _ = try_commit(&alice, tool, "main", &moves).assert_status(201);
    assert_eq!((now("a.txt"), raw(&alice, tool, "d%FF%2Fx%FE%2Fa.txt").0), ("deep".to_owned(), 404));
    // In a form it is its bytes.
    let form = "branch=main&commit_message=Move&actions[][action]=move&actions[][previous_path]=caf%E9.txt\
                &actions[][file_path]=d%FF%2Fb%E9.txt";
    let _ = alice.form("POST", &format!("{}/commits", at(tool)), form).assert_status(201);
    assert_eq!((now("d%FF%2Fb%E9.txt"), raw(&alice, tool, "caf%E9.txt").0), ("changed".to_owned(), 404));
    for file in ["a%00.txt", "..%2F%E9", ".git%2F%E9"] {
        let body = json!({"branch": "main", "commit_message": "No", "content": "x"});
        let status = alice.post(&format!("{}/files/{file}", at(tool)), body).status();
        assert!(matches!(status, 400 | 404), "{file}: {status}");
    }
}
