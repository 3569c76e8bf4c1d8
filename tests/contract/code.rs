//! For the routes of repositories: the bodies to send there, and the objects to ask for.

use serde_json::{Value, json};
use tenon_testkit::Client;

use crate::fixture::{Place, id};
use crate::requests::Body;

/// The objects of the repository of one project: the branches main (protected), next (a commit ahead) and side (at
/// main). The tags are v1 (with a release that has a link) and v2. There is a rule for branches and one for tags, and a
/// job runs for the tip of next.
pub(crate) struct Code {
    /// The blob of README.md.
    pub(crate) blob: String,
    /// The pipeline of the job.
    pub(crate) pipeline: i64,
    /// The link of the release.
    pub(crate) release_link: i64,
    /// A fork of the project, in the same group. Its repository is not there yet.
    pub(crate) fork: i64,
}

fn write(client: &Client, project: &str, body: Value) {
    let _ = client.post(&format!("{project}/repository/commits"), body).assert_status(201);
}

/// Makes it.
pub(crate) fn code(owner: &Client, group: i64, project: &str) -> Code {
    let own = |path: &str, body: Value| {
        let _ = owner.post(&format!("{project}/{path}"), body).assert_status(201);
    };
    let create = json!([{"action": "create", "file_path": "README.md", "content": "Read me.\n"}]);
    write(owner, project, json!({"branch": "main", "commit_message": "First", "actions": create}));
    own("repository/branches", json!({"branch": "side", "ref": "main"}));
    let create = json!([{"action": "create", "file_path": "next.txt", "content": "next\n"}]);
    let next = json!({"branch": "next", "start_branch": "main", "commit_message": "Next", "actions": create});
    write(owner, project, next);
    own("repository/tags", json!({"tag_name": "v1", "ref": "main", "release_description": "One"}));
    own("repository/tags", json!({"tag_name": "v2", "ref": "main"}));
    let link = json!({"name": "tool", "url": "https://example.com/tool", "filepath": "/tool"});
    let link = owner.post(&format!("{project}/releases/v1/assets/links"), link).assert_status(201).json();
    own("protected_branches", json!({"name": "stable"}));
    own("protected_tags", json!({"name": "locked"}));
    let file = owner.get(&format!("{project}/repository/files/README.md?ref=main")).assert_status(200).json();
    let running = json!({"state": "running", "name": "build"});
    let job = owner.post(&format!("{project}/statuses/next"), running).assert_status(201).json();
    let copy = json!({"namespace": group, "name": "copy", "path": "copy"});
    Code {
        blob: file["blob_id"].as_str().expect("a blob").to_owned(),
        release_link: id(&link),
        pipeline: job["pipeline_id"].as_i64().expect("a pipeline"),
        fork: id(&owner.post(&format!("{project}/fork"), copy).assert_status(201).json()),
    }
}

/// Makes `rows` of everything that is listed, but for pipelines and forks. The tip of main changes so many files.
pub(crate) fn fill(client: &Client, project: &str, rows: usize) {
    let made = |path: &str, body: Value| {
        let _ = client.post(&format!("{project}/{path}"), body).assert_status(201);
    };
    for number in 0..rows {
        let files = if number + 1 == rows { rows } else { 1 };
        let actions: Vec<Value> = (0..files)
            .map(|file| json!({"action": "create", "file_path": format!("f{number}-{file}"), "content": "x"}))
            .collect();
        let author = format!("author{number}");
        let address = format!("{author}@example.org");
        let commit = json!({
            "branch": "main", "commit_message": author, "actions": actions, "author_name": author,
            "author_email": address,
        });
        write(client, project, commit);
    }
    for number in 0..rows {
        made("repository/branches", json!({"branch": format!("b{number}"), "ref": "main"}));
        let link = json!({"name": "tool", "url": "https://example.com/tool"});
        let tag = format!("t{number}");
        made("releases", json!({"tag_name": tag, "ref": "main", "assets": {"links": [link]}}));
        let link = json!({"name": tag, "url": format!("https://example.com/{tag}")});
        made("releases/t0/assets/links", link);
        made("protected_branches", json!({"name": format!("b{number}")}));
        made("protected_tags", json!({"name": format!("t{number}")}));
    }
}

/// True if a route is one of these.
pub(crate) fn is_one(path: &str) -> bool {
    ["/repository/", "/releases", "/protected_", "/pipelines", "/statuses/", "/fork"]
        .iter()
        .any(|part| path.contains(part))
}

/// The requests to one route. Commits are tried on a protected branch as well.
pub(crate) fn variants(method: &str, path: &str) -> Vec<(&'static str, Body)> {
    let body: Body = match (method, path.strip_prefix("/projects/{id}/").unwrap_or_default()) {
        ("GET" | "DELETE", _) => |_, _| Value::Null,
        ("POST", "repository/branches") => |_, _| json!({"branch": "fresh", "ref": "main"}),
        ("PUT", "repository/branches/{branch}/protect" | "repository/branches/{branch}/unprotect") => |_, _| json!({}),
        ("POST", "fork/{forked_from_id}" | "pipelines/{pipeline_id}/retry" | "pipelines/{pipeline_id}/cancel") => {
            |_, _| json!({})
        }
        ("POST", "fork") => {
            return vec![
                ("", |_, _| json!({})),
                ("into the group", |_, place| json!({"namespace": place.group, "name": "fresh", "path": "fresh"})),
            ];
        }
        ("POST", "statuses/{sha}") => |_, _| json!({"state": "success"}),
        ("POST", "protected_branches" | "protected_tags") => |_, _| json!({"name": "fresh"}),
        ("PATCH", "protected_branches/{name}") => |_, _| json!({}),
        ("POST", "repository/tags") => |_, _| json!({"tag_name": "fresh", "ref": "main"}),
        ("POST" | "PUT", "repository/tags/{tag_name}/release") => |_, _| json!({"description": "d"}),
        ("POST", "releases") => |_, _| json!({"tag_name": "v2"}),
        ("PUT", "releases/{tag_name}") => |_, _| json!({"name": "n"}),
        ("POST" | "PUT", "releases/{tag_name}/assets/links" | "releases/{tag_name}/assets/links/{link_id}") => {
            |_, _| json!({"name": "n", "url": "https://example.com/n"})
        }
        ("POST", "repository/commits/{sha}/comments") => |_, _| json!({"note": "n"}),
        ("POST", "repository/commits/{sha}/cherry_pick") => |_, _| json!({"branch": "side"}),
        ("PUT", "repository/submodules/{submodule}") => {
            |_, _| json!({"branch": "side", "commit_sha": "0123456789012345678901234567890123456789"})
        }
        ("POST", "repository/commits/{sha}/revert") => |_, _| json!({"branch": "next"}),
        ("POST", "repository/commits") => {
            return vec![("", |_, _| commit("side")), ("protected", |_, _| commit("main"))];
        }
        ("POST" | "PUT", "repository/files/{file_path}") => {
            return vec![("", |_, _| file("side")), ("protected", |_, _| file("main"))];
        }
        _ => panic!("{method} {path}: write down in code.rs what to send there"),
    };
    vec![("", body)]
}

fn commit(branch: &str) -> Value {
    let actions = json!([{"action": "create", "file_path": "fresh.txt", "content": "fresh"}]);
    json!({"branch": branch, "commit_message": "m", "actions": actions})
}

fn file(branch: &str) -> Value {
    json!({"branch": branch, "commit_message": "m", "content": "fresh"})
}

/// The query that a route must have.
pub(crate) fn query(method: &str, path: &str) -> &'static str {
    if path.ends_with("/search") {
        return "?scope=issues&search=first";
    }
    match (method, path.strip_prefix("/projects/{id}/repository/").unwrap_or_default()) {
        ("GET", path) if path.starts_with("files/") => "?ref=main",
        ("DELETE", path) if path.starts_with("files/") => "?branch=side&commit_message=m",
        ("GET", "compare") => "?from=main&to=next",
        ("GET", "merge_base") => "?refs[]=main&refs[]=next",
        _ => "",
    }
}

/// The path of a request that needs another object there than others do.
pub(crate) fn special(method: &str, path: &str, place: &Place) -> String {
    match (method, path) {
        ("DELETE", "/projects/{id}/fork") => path.replace("{id}", &place.code.fork.to_string()),
        ("POST", path) if path.ends_with("/files/{file_path}") => path.replace("{file_path}", "fresh.txt"),
        ("POST", path) if path.ends_with("/release") => path.replace("{tag_name}", "v2"),
        _ => path.to_owned(),
    }
}

/// The value in a path for the segment that comes after `before`.
pub(crate) fn segment(before: &str, code: &Code) -> Option<String> {
    let text = match before {
        "branches" => "side",
        "tags" | "releases" => "v1",
        "downloads" => "tool",
        "commits" | "statuses" => "next",
        "files" | "submodules" => "README.md",
        "protected_branches" => "stable",
        "protected_tags" => "locked",
        "blobs" => &code.blob,
        "pipelines" => return Some(code.pipeline.to_string()),
        _ => return None,
    };
    Some(text.to_owned())
}
