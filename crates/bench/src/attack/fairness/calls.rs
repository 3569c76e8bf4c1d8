//! The expensive calls. Each is made by a signed-in user and by strangers from several addresses at once.

use super::attacker::Message;
use super::ground::Ground;

pub(super) struct Call {
    /// Its name in the table.
    pub(super) name: &'static str,
    method: &'static str,
    /// The path, with `{id}`, `{first}`, `{wide}` and `{head}` for objects of the ground.
    path: &'static str,
    body: Body,
    by: By,
}

#[derive(Clone, Copy)]
enum Body {
    Nothing,
    /// JSON, with `{n}` for a number of the request and `{text}` for the long Markdown of the ground.
    Json(&'static str),
    /// The request of a client of Git for a clone.
    Clone,
}

/// The caller.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    /// A user with a token, and strangers.
    TokenAndStrangers,
    /// Only a user with a token.
    Token,
    /// A user with a session, and strangers.
    SessionAndStrangers,
}

const fn api(name: &'static str, path: &'static str) -> Call {
    Call { name, method: "GET", path, body: Body::Nothing, by: By::TokenAndStrangers }
}

const fn page(name: &'static str, path: &'static str) -> Call {
    Call { name, method: "GET", path, body: Body::Nothing, by: By::SessionAndStrangers }
}

const fn post(name: &'static str, path: &'static str, json: &'static str) -> Call {
    Call { name, method: "POST", path, body: Body::Json(json), by: By::Token }
}

pub(super) const ALL: [Call; 36] = [
    api(
        "blame of 10,000 lines",
        "/api/v4/projects/{id}/repository/files/blame.txt/blame?ref=main&range%5Bstart%5D=1&range%5Bend%5D=10000",
    ),
    api("comparison", "/api/v4/projects/{id}/repository/compare?from={first}&to=main"),
    api("commit of 59,049 files", "/api/v4/projects/{id}/repository/commits/{wide}"),
    api("diff of 59,049 files", "/api/v4/projects/{id}/repository/commits/{wide}/diff"),
    api("commits of a path", "/api/v4/projects/{id}/repository/commits?path=blame.txt&with_stats=true&per_page=100"),
    api("tree of 59,049 files", "/api/v4/projects/{id}/repository/tree?ref=wide&recursive=true&per_page=100"),
    api("contributors", "/api/v4/projects/{id}/repository/contributors"),
    api("10,000 branches", "/api/v4/projects/{id}/repository/branches?search=r&per_page=100"),
    api("10,000 tags", "/api/v4/projects/{id}/repository/tags?search=t&per_page=100"),
    api("refs that have a commit", "/api/v4/projects/{id}/repository/commits/{first}/refs?per_page=100"),
    api("archive", "/api/v4/projects/{id}/repository/archive.tar.gz?sha=main"),
    api("file of 16 MiB", "/api/v4/projects/{id}/repository/files/large.bin/raw?ref=main"),
    api("search in code", "/api/v4/projects/{id}/search?scope=blobs&search=line"),
    api("search in issues", "/api/v4/projects/{id}/issues?search=word&per_page=100"),
    api("changes of a merge request", "/api/v4/projects/{id}/merge_requests/1/changes"),
    api("notes of an issue", "/api/v4/projects/{id}/issues/1/notes?per_page=100"),
    api("20,000 refs of a fetch", "/mallory/public.git/info/refs?service=git-upload-pack"),
    Call {
        name: "clone",
        method: "POST",
        path: "/mallory/public.git/git-upload-pack",
        body: Body::Clone,
        by: By::TokenAndStrangers,
    },
    Call { by: By::Token, ..api("search everywhere", "/api/v4/search?scope=issues&search=word&per_page=100") },
    post("fork", "/api/v4/projects/{id}/fork", r#"{"path":"fork{n}","name":"fork{n}"}"#),
    post("Markdown", "/api/v4/markdown", r#"{"text":"{text}","gfm":true}"#),
    post("issue with a long text", "/api/v4/projects/{id}/issues", r#"{"title":"Issue {n}","description":"{text}"}"#),
    post("note with a long text", "/api/v4/projects/{id}/issues/2/notes", r#"{"body":"{text}"}"#),
    page("page of a file", "/mallory/public/blob/main/code.rs"),
    page("page of a long text", "/mallory/public/blob/main/LONG.md"),
    page("page of a commit", "/mallory/public/commit/{wide}"),
    page("page of a comparison", "/mallory/public/compare/{first}...main"),
    page("page of a blame", "/mallory/public/blame/main/blame.txt"),
    page("page of commits of a path", "/mallory/public/commits/main/blame.txt"),
    page("page of a tree", "/mallory/public/tree/wide"),
    page("list of 59,049 files", "/mallory/public/files/wide"),
    page("calendar", "/users/mallory/calendar.json"),
    page("page of a search", "/search?search=word&scope=issues"),
    page("page of 10,000 branches", "/mallory/public/branches/all"),
    page("page of an issue with a long text", "/mallory/public/issues/1"),
    page("page of changes", "/mallory/public/merge_requests/1/diffs"),
];

/// Addresses of strangers.
const ADDRESSES: usize = 8;
/// The first of them.
pub(super) const STRANGER: &str = "203.0.113.1";

impl Call {
    /// The requests of its attackers, one for each of their connections.
    pub(super) fn requests(&self, ground: &Ground) -> Vec<Message> {
        let address = |number: usize| format!("X-Forwarded-For: 203.0.113.{number}\r\n");
        let user = match self.by {
            By::SessionAndStrangers => format!("Cookie: _service_session={}\r\n", ground.session),
            By::TokenAndStrangers | By::Token if self.path.contains(".git/") => {
                use base64::Engine as _;
                let basic = base64::engine::general_purpose::STANDARD.encode(format!("x:{}", ground.token));
                format!("Authorization: Basic {basic}\r\n")
            }
            By::TokenAndStrangers | By::Token => format!("Private-Token: {}\r\n", ground.token),
        };
        let mut messages = vec![self.message(ground, &(user + &address(200)))];
        if self.by != By::Token {
            for number in 1..=ADDRESSES {
                messages.push(self.message(ground, &address(number)));
                // As many connections of the user as of strangers.
                messages.extend(messages.first().cloned());
            }
        }
        messages
    }

    fn message(&self, ground: &Ground, head: &str) -> Message {
        let filled = |text: &str| {
            text.replace("{id}", &ground.project.to_string())
                .replace("{first}", &ground.first)
                .replace("{wide}", &ground.wide)
                .replace("{head}", &ground.head)
                .replace("{text}", &ground.text)
        };
        let (body, kind) = match self.body {
            Body::Nothing => (String::new(), ""),
            Body::Json(json) => (filled(json), "Content-Type: application/json\r\n"),
            Body::Clone => {
                let body = format!("0032want {}\n00000009done\n", ground.head);
                (body, "Content-Type: application/x-git-upload-pack-request\r\n")
            }
        };
        Message { line: format!("{} {} HTTP/1.1", self.method, filled(self.path)), head: format!("{head}{kind}"), body }
    }
}
