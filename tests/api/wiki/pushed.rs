//! Wikis that were changed by Git.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::*;

/// The repository of a wiki.
pub(super) fn folder(server: &TestServer, wiki: &str) -> PathBuf {
    let id: i64 = wiki.split('/').nth(2).and_then(|id| id.parse().ok()).expect("a number");
    server.data().join(format!("repositories/{:03}/{id}.wiki.git", id % 1000))
}

fn command(server: &TestServer, wiki: &str) -> Command {
    #[expect(clippy::disallowed_methods, reason = "the test needs a Git that is not the one under test")]
    let mut git = Command::new("git");
    git.arg("--git-dir").arg(folder(server, wiki));
    git
}

/// The output of Git in the repository of a wiki.
pub(super) fn git(server: &TestServer, wiki: &str, arguments: &[&str]) -> String {
    let output = command(server, wiki).args(arguments).output().expect("Git");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// The newest commit.
pub(super) fn head(server: &TestServer, wiki: &str) -> String {
    git(server, wiki, &["rev-parse", "HEAD"])
}

/// Adds a commit with these files, of these modes, to `main`, as whatever client has pushed it.
pub(super) fn push(server: &TestServer, wiki: &str, files: &[(&str, &[u8], &str)]) {
    let mut input = b"commit refs/heads/main\ncommitter Ann <ann@example.com> 1772450000 +0000\ndata 3\nOdd\n".to_vec();
    input.extend_from_slice(b"from refs/heads/main^0\n");
    for (mode, path, content) in files {
        let path: String = path.iter().map(|byte| format!("\\{byte:03o}")).collect();
        write!(input, "M {mode} inline \"{path}\"\ndata {}\n{content}\n", content.len()).expect("a write");
    }
    let mut child = command(server, wiki).args(["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn().expect("Git");
    child.stdin.take().expect("a pipe").write_all(&input).expect("a write");
    assert!(child.wait().expect("an end").success());
}

#[both_databases]
fn pushed_files_are_pages_if_their_names_say_so(server: &TestServer) {
    let (alice, wiki) = world(server);
    let _ = page(&alice, &wiki, "home", "c");
    push(
        server,
        &wiki,
        &[
            ("100644", b"A page.rst", "rst"),
            ("100644", b"notes.textile", "textile"),
            ("100644", b"my dir/sub page.mediawiki", "media"),
            ("100644", b"caf\xe9.md", "caf\u{e9}"),
            ("100644", b"x.png", "no page"),
            ("100644", b".md", "no page"),
            ("120000", b"link.md", "home.md"),
        ],
    );
    let listed = alice.get(&wiki).assert_status(200).json();
    let text = |page: &Value, field: &str| page[field].as_str().unwrap_or_default().to_owned();
    let found: Vec<(String, String)> =
        listed.as_array().expect("a list").iter().map(|page| (text(page, "slug"), text(page, "format"))).collect();
    let want = [
        ("A-page", "rest"),
        ("caf\u{fffd}", "markdown"),
        ("home", "markdown"),
        ("my-dir/sub-page", "mediawiki"),
        ("notes", "textile"),
    ];
    assert_eq!(found, want.map(|(slug, format)| (slug.to_owned(), format.to_owned())));
    for (slug, content) in
        [("A-page", "rst"), ("a%20page", "rst"), ("my-dir%2Fsub-page", "media"), ("caf%EF%BF%BD", "caf\u{e9}")]
    {
        assert_eq!(alice.get(&format!("{wiki}/{slug}")).assert_status(200).json()["content"], content, "{slug}");
    }
    for slug in ["link", "x", "x.png", "", ".md", "my-dir"] {
        assert_ne!(alice.get(&format!("{wiki}/{slug}")).json()["content"], "home.md", "{slug}");
    }
    alice.get(&format!("{wiki}/link")).assert(404, missing("Wiki Page"));
    // A change keeps the name of the file.
    let _ = changed(&alice, &format!("{wiki}/A-page"), json!({"content": "new"}));
    let files = git(server, &wiki, &["ls-tree", "--name-only", "HEAD"]);
    assert!(files.lines().any(|name| name == "A page.rst"), "{files}");
    let _ = alice.delete(&format!("{wiki}/my-dir%2Fsub-page")).assert_status(204);
}
