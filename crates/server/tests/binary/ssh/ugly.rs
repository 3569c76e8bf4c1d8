//! Histories with the faults of public repositories are pushed, imported and offered. Dangerous ones are not.

use std::path::Path;

use serde_json::{Value, json};
use tenon_testkit::{Backend, soon};

use super::SshSite;
use crate::git::{Site, backends, command, git};
use crate::process::TOKEN;

/// Writes an object as it is.
fn object(folder: &Path, kind: &str, content: &[u8]) -> String {
    use std::io::Write as _;
    use std::process::Stdio;
    let arguments = ["hash-object", "-t", kind, "-w", "--stdin", "--literally"];
    let mut child = command(folder, &arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(content).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Writes a directory with these entries, in this order.
fn tree(folder: &Path, entries: &[(&str, &[u8], &str)]) -> String {
    let mut content = Vec::new();
    for (mode, name, id) in entries {
        let raw = (0..20).map(|at| u8::from_str_radix(&id[2 * at..2 * at + 2], 16).unwrap());
        content.extend([mode.as_bytes(), b" ", name, b"\0"].concat());
        content.extend(raw);
    }
    object(folder, "tree", &content)
}

const ANN: &str = "Ann <a@b> 1 +0000";

/// The text between the parent and the end of a commit, as old programs have written it.
const HEADS: [&str; 17] = [
    "author <a@b> 1 +0000\ncommitter Ann <a@b> 1 +0000\n\nno name\n",
    "author Ann<a@b> 1 +0000\ncommitter Ann<a@b> 1 +0000\n\nno blank before the address\n",
    "author Ann [x] <<a@b>> 1 +0000\ncommitter Ann <a@b> 1 +0000\n\nbrackets\n",
    "author Ann> <a@b> 1 +0000\ncommitter Ann <a@b> 1 +0000\n\nbrackets in the name\n",
    "author Ann <a@b 1 +0000\ncommitter Ann <a@b> 1 +0000\n\nno end of the address\n",
    "author Ann 1 +0000\ncommitter Ann <a@b> 1 +0000\n\nno address\n",
    "author Ann <a@b>1 +0000\ncommitter Ann <a@b>1 +0000\n\nno blank before the date\n",
    "author Ann <a@b> 1 +051800\ncommitter Ann <a@b> 1 -7\n\nodd offsets\n",
    "author Ann <a@b> 0001 +0000\ncommitter Ann <a@b> 0001 +0000\n\nzeros\n",
    "author Ann <a@b> 99999999999999999999 +0000\ncommitter Ann <a@b> 99999999999999999999 +0000\n\nlate\n",
    "author Ann <a@b> never +0000\ncommitter Ann <a@b> never +0000\n\nno date\n",
    "author Ann <a@b>\ncommitter Ann <a@b>\n\nno date at all\n",
    "author A\u{202a}nn\u{1} <a@b> 1 +0000\ncommitter A\u{202a}nn <a@b> 1 +0000\n\nturned\n",
    "committer Ann <a@b> 1 +0000\n\nno author\n",
    "author Ann <a@b> 1 +0000\n\nno committer\n",
    "author Ann <a@b> 1 +0000\nauthor Bob <b@c> 1 +0000\ncommitter Ann <a@b> 1 +0000\n\ntwo authors\n",
    "author Ann <a@b> 1 +0000\ncommitter Ann <a@b> 1 +0000\n\na NUL\0 and more\n",
];

/// A branch `ugly` and a tag `odd` on top of `main`.
fn write_ugly_history(here: &Path) {
    let blob = git(here, &["rev-parse", "main:README.md"]).well().trim().to_owned();
    let mut parent = git(here, &["rev-parse", "main"]).well().trim().to_owned();
    let plain = git(here, &["rev-parse", "main^{tree}"]).well().trim().to_owned();
    let mut add = |tree: &str, rest: &str| {
        parent = object(here, "commit", format!("tree {tree}\nparent {parent}\n{rest}").as_bytes());
        parent.clone()
    };
    for head in HEADS {
        add(&plain, head);
    }
    let people = format!("author {ANN}\ncommitter {ANN}\n\ndirectories\n");
    let odd = object(here, "blob", b"[submodule\nnonsense");
    let names: [&[u8]; 8] =
        [b"a\x01\x1b[31m", b"a\nb", b"a\"b", b"a\\b", "a\u{202e}b".as_bytes(), b"caf\xe9", b"git~2", b"nul."];
    let inner: Vec<_> = names.iter().map(|name| ("100664", *name, &*blob)).collect();
    let inner = tree(here, &inner);
    let links = [
        ("120000", &b".gitattributes"[..], &*blob),
        ("120000", b".gitignore", &blob),
        ("100644", b".gitmodules", &odd),
        ("120000", b".mailmap", &blob),
        ("100664", b"README.md", &blob),
        ("040000", b"inner", &inner),
    ];
    let tip = add(&tree(here, &links), &people);
    git(here, &["update-ref", "refs/heads/ugly", &tip]).well();
    let tag = object(here, "tag", format!("object {tip}\ntype commit\ntag a..b c\n\nno tagger\n").as_bytes());
    git(here, &["update-ref", "refs/tags/odd", &tag]).well();
}

/// All that the API says of the history can be read.
fn read(site: &Site, project: &str) {
    let at = format!("/projects/{}/repository", project.replace('/', "%2F"));
    let commits = site.root.get(&format!("{at}/commits?ref_name=ugly&per_page=100")).assert_status(200).json();
    let commits = commits.as_array().unwrap();
    assert_eq!(commits.len(), HEADS.len() + 2, "{project}");
    for commit in commits {
        let id = commit.get("id").and_then(Value::as_str).unwrap();
        let one = site.root.get(&format!("{at}/commits/{id}")).assert_status(200).json();
        assert_eq!(one.get("title"), commit.get("title"), "{project}");
        let name = one.get("author_name").and_then(Value::as_str).unwrap();
        assert!(!name.contains(['\u{202a}', '\u{1}']), "{name:?}");
        let _ = site.root.get(&format!("{at}/commits/{id}/diff")).assert_status(200);
    }
    let titles: Vec<&str> = commits.iter().filter_map(|it| it.get("title").and_then(Value::as_str)).collect();
    assert_eq!(titles.get(1), Some(&"a NUL"));
    let listed = site.root.get(&format!("{at}/tree?ref=ugly&recursive=true&per_page=100")).assert_status(200).json();
    assert_eq!(listed.as_array().map(Vec::len), Some(14), "{project}");
    let _ = site.root.get(&format!("{at}/tags/odd")).assert_status(200);
    let _ = site.root.get(&format!("{at}/compare?from=main&to=ugly")).assert_status(200);
}

/// Files and commits of such a history can be changed and made again.
fn write(site: &Site, here: &Path) {
    let at = "/projects/root%2Fp/repository";
    let file = |content: &str| json!({"branch": "ugly", "commit_message": "m", "content": content});
    let _ = site.root.put(&format!("{at}/files/README.md"), file("changed")).assert_status(200);
    let _ = site.root.post(&format!("{at}/files/inner%2Fnew.txt"), file("new")).assert_status(201);
    let _ = site.root.put(&format!("{at}/files/inner%2Fa%22b"), file("changed")).assert_status(200);
    let wrong = site.root.put(&format!("{at}/files/inner"), file("no")).assert_status(400).json();
    assert!(wrong.to_string().contains("exist"), "{wrong}");
    let moved = json!([{"action": "move", "previous_path": "inner/nul.", "file_path": "inner/nul"}]);
    let moved = json!({"branch": "ugly", "commit_message": "m", "actions": moved});
    let _ = site.root.post(&format!("{at}/commits"), moved).assert_status(201);
    for path in ["ref=ugly", "ref=ugly&path=inner", "ref=ugly&recursive=true"] {
        let listed = site.root.get(&format!("{at}/tree?{path}&per_page=100")).assert_status(200).json();
        for entry in listed.as_array().unwrap() {
            let mode = entry.get("mode").and_then(Value::as_str).unwrap();
            assert!(["100644", "100755", "120000", "040000"].contains(&mode), "{path}: {entry}");
        }
    }
    // A commit whose author has no name, with a file of its own.
    let parent = git(here, &["rev-parse", "main"]).well();
    let blob = git(here, &["rev-parse", "main:README.md"]).well();
    let alone = tree(here, &[("100644", b"README.md", blob.trim()), ("100644", b"own", blob.trim())]);
    let people = "author <ann@x> 1 +0000\ncommitter <ann@x> 1 +0000\n\nnameless\n";
    let nameless = object(here, "commit", format!("tree {alone}\nparent {}\n{people}", parent.trim()).as_bytes());
    git(here, &["push", "--quiet", &site.mine("p"), &format!("{nameless}:refs/heads/nameless")]).well();
    let picked = json!({"branch": "main"});
    let picked = site.root.post(&format!("{at}/commits/{nameless}/cherry_pick"), picked).assert_status(201).json();
    for field in ["author_name", "author_email"] {
        assert_eq!(picked.get(field), Some(&json!("ann@x")), "{picked}");
    }
}

#[test]
fn an_ugly_history_is_pushed_imported_and_offered() {
    for backend in backends() {
        let site = SshSite::start(backend);
        let here = site.site.working_copy("here", "main");
        write_ugly_history(&here);
        let said = git(&here, &["push", &site.site.mine("p"), "main", "ugly", "odd"]).well();
        assert!(!said.contains("warning") && !said.contains("error"), "{said}");
        read(&site.site, "root/p");
        site.site.project("q", "private");
        site.git(&here, &["push", "--quiet", &site.url("q"), "main", "ugly", "odd"]).well();
        read(&site.site, "root/q");
        let local = json!({"allow_local_requests_from_hooks_and_services": true});
        let _ = site.site.root.put("/application/settings", local).assert_status(200);
        let import = json!({"name": "copy", "import_url": site.site.mine("p")});
        let made = site.site.root.post("/projects", import).assert_status(201).json();
        let path = format!("/projects/{}", made.get("id").unwrap());
        soon("it is imported", || {
            let now = site.site.root.get(&path).assert_status(200).json();
            assert_ne!(now["import_status"], "failed", "{now}");
            now["import_status"] == "finished"
        });
        read(&site.site, "root/copy");
        // A fork brings the objects of its offer.
        let group = site.site.root.post("/groups", json!({"name": "g", "path": "g"})).assert_status(201).json();
        let fork = json!({"namespace_id": group.get("id")});
        let made = site.site.root.post("/projects/root%2Fp/fork", fork).assert_status(201).json();
        let path = format!("/projects/{}", made.get("id").unwrap());
        soon("it is forked", || site.site.root.get(&path).assert_status(200).json()["import_status"] == "finished");
        let tip = git(&here, &["rev-parse", "ugly"]).well();
        let tree = git(&here, &["rev-parse", "ugly^{tree}"]).well();
        let next = format!("tree {}\nparent {}\nauthor <> never\ncommitter B<c\n\nnew\n", tree.trim(), tip.trim());
        let next = object(&here, "commit", next.as_bytes());
        let url = site.site.mine("p").replace("/root/p.git", "/g/p.git");
        git(&here, &["push", "--quiet", &url, &format!("{next}:refs/heads/more")]).well();
        let offer = json!({"source_branch": "more", "target_branch": "ugly", "title": "More",
            "target_project_id": site.site.root.get("/projects/root%2Fp").json()["id"]});
        let _ = site.site.root.post(&format!("{path}/merge_requests"), offer).assert_status(201);
        let commits = site.site.root.get("/projects/root%2Fp/merge_requests/1/commits").assert_status(200).json();
        assert_eq!(commits.as_array().map(Vec::len), Some(1), "{commits}");
        assert_eq!(commits[0]["id"], *next);
        write(&site.site, &here);
    }
}

#[test]
fn what_is_dangerous_is_refused_over_http_and_ssh() {
    let site = SshSite::start(Backend::Sqlite);
    let here = site.site.working_copy("here", "main");
    let blob = git(&here, &["rev-parse", "main:README.md"]).well().trim().to_owned();
    let zero = "0".repeat(40);
    let evil = object(&here, "blob", b"[submodule \"x\"]\n\tpath = x\n\turl = --upload-pack=touch\n");
    let long = object(&here, "blob", format!("*.c {}\n", "x".repeat(3000)).as_bytes());
    let mut trees = vec![
        ("treeNotSorted", tree(&here, &[("100644", b"b", &blob), ("100644", b"a", &blob)])),
        ("duplicateEntries", tree(&here, &[("100644", b"a", &blob), ("100644", b"a", &blob)])),
        ("nullSha1", tree(&here, &[("160000", b"a", &zero)])),
        ("fullPathname", tree(&here, &[("100644", b"a/b", &blob)])),
        ("gitmodulesUrl", tree(&here, &[("100644", b".gitmodules", &evil)])),
        ("gitmodulesSymlink", tree(&here, &[("120000", b".gitmodules", &evil)])),
        ("gitattributesLineLength", tree(&here, &[("100644", b".gitattributes", &long)])),
    ];
    let names: [(&str, &[u8]); 9] = [
        ("hasDot", b"."),
        ("hasDotdot", b".."),
        ("hasDotgit", b".git"),
        ("hasDotgit", b".GiT"),
        ("hasDotgit", b"GIT~1"),
        ("hasDotgit", b".git::$INDEX_ALLOCATION"),
        ("hasDotgit", b".git. ."),
        ("hasDotgit", "\u{feff}.g\u{200c}it".as_bytes()),
        ("hasDotgit", b"x\\.git"),
    ];
    trees.extend(names.map(|(fault, name)| (fault, tree(&here, &[("100644", name, &blob)]))));
    let mut commits: Vec<(&str, String)> = trees
        .into_iter()
        .map(|(fault, tree)| (fault, format!("tree {tree}\nauthor {ANN}\ncommitter {ANN}\n\nx\n")))
        .collect();
    let plain = git(&here, &["rev-parse", "main^{tree}"]).well().trim().to_owned();
    commits.push(("nulInHeader", format!("tree {plain}\nauthor A\0nn <a@b> 1 +0000\ncommitter {ANN}\n\nx\n")));
    let (http, ssh) = (site.site.mine("p"), site.url("p"));
    for (fault, commit) in commits {
        let target = format!("{}:refs/heads/evil", object(&here, "commit", commit.as_bytes()));
        git(&here, &["push", &http, &target]).refused(fault);
        site.git(&here, &["push", &ssh, &target]).refused(fault);
    }
    assert_eq!(git(&here, &["ls-remote", &http]).well(), "");
    assert!(http.contains(TOKEN));
}
