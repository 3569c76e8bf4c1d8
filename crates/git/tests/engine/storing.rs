//! Repositories come, are copied, are cleaned up and go.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use tenon_domain::id::ProjectId;
use tenon_git::commit::{CommitQuery, CommitRange};
use tenon_git::store::{ImportError, ImportLimits, ImportSource, MirrorRequest, RepositoryKind};
use tenon_git::write::RefChange;
use tenon_git::{Engine, EngineSettings, GitError, RefName};

use crate::{World, branch, now, page, script};

#[test]
fn a_repository_lies_where_its_id_says_and_can_be_made_once() {
    let world = World::new();
    let other = world.store.repository(ProjectId::new(12_345));
    assert!(other.path().ends_with("345/12345.git"));
    assert!(world.store.find(ProjectId::new(7), RepositoryKind::Wiki).path().ends_with("007/7.wiki.git"));
    assert!(!other.exists() && world.repo.exists());
    assert_eq!(world.repo.default_branch().unwrap().unwrap().as_str(), "main");
    let error = world.store.create(&world.repo, &branch("other")).unwrap_err();
    assert!(matches!(error, GitError::File(error) if error.kind() == std::io::ErrorKind::AlreadyExists));
    assert_eq!(world.repo.default_branch().unwrap().unwrap().as_str(), "main");
    assert!(world.store.size(&world.repo).unwrap() > 0);
}

#[test]
fn a_deleted_repository_is_gone_and_deleting_it_again_changes_nothing() {
    let world = World::new();
    world.commit("main", "x", &[("a", "a")]);
    assert!(world.store.delete(&world.repo).unwrap());
    assert!(!world.repo.path().exists());
    assert!(!world.store.delete(&world.repo).unwrap());
    assert!(matches!(world.repo.default_branch(), Err(GitError::NoRepository)));
    let temporary = fs::read_dir(world.folder.path().join("repositories/+tmp")).unwrap();
    assert_eq!(temporary.count(), 0);
}

#[test]
fn a_fork_has_branches_and_tags_but_neither_hidden_refs_nor_alternates() {
    let world = World::new();
    let tip = world.commit("feature/x", "x", &[("a", "a")]);
    world.commit("main", "x", &[("a", "b")]);
    world.git(&["tag", "v1", "main"]);
    world.git(&["update-ref", "refs/merge-requests/1/head", &tip.to_string()]);
    world.git(&["update-ref", &format!("refs/keep-around/{tip}"), &tip.to_string()]);
    world.git(&["symbolic-ref", "HEAD", "refs/heads/feature/x"]);
    let fork = world.store.repository(ProjectId::new(2));
    world.store.fork(&world.repo, &fork).unwrap();
    let refs = crate::git(fork.path(), &["for-each-ref", "--format=%(refname)"], b"");
    assert_eq!(refs, "refs/heads/feature/x\nrefs/heads/main\nrefs/tags/v1\n");
    assert_eq!(fork.default_branch().unwrap().unwrap().as_str(), "feature/x");
    assert!(!fork.path().join("objects/info/alternates").exists());
    assert!(!fs::read_to_string(fork.path().join("config")).unwrap().contains("remote"));
    world.store.delete(&world.repo).unwrap();
    assert_eq!(fork.counted_commits(&CommitQuery::new(CommitRange::From(tip)), page(1, 20)).unwrap().total, 1);
}

#[test]
fn an_empty_repository_can_be_forked() {
    let world = World::new();
    let fork = world.store.repository(ProjectId::new(2));
    world.store.fork(&world.repo, &fork).unwrap();
    assert_eq!(fork.default_branch().unwrap().unwrap().as_str(), "main");
}

#[test]
fn a_sweep_removes_locks_and_old_remains_and_nothing_else() {
    let world = World::new();
    world.commit("main", "x", &[("a", "a")]);
    let inside = |name: &str| world.repo.path().join(name);
    fs::create_dir_all(inside("refs/heads/a")).unwrap();
    fs::create_dir_all(inside("objects/tmp_objdir-incoming-x/aa")).unwrap();
    for name in ["refs/heads/main.lock", "refs/heads/a/b.lock", "packed-refs.lock", "objects/pack/tmp_pack_x"] {
        fs::write(inside(name), "").unwrap();
    }
    fs::create_dir_all(world.folder.path().join("repositories/+tmp/new-x/it.git")).unwrap();
    let before_long = "2000-01-01T00:00:00Z".parse().unwrap();
    let swept = world.store.sweep(before_long).unwrap();
    assert_eq!((swept.locks, swept.remains), (3, 1));
    assert!(inside("objects/tmp_objdir-incoming-x").exists());
    let after_long = "2100-01-01T00:00:00Z".parse().unwrap();
    let swept = world.store.sweep(after_long).unwrap();
    assert_eq!((swept.locks, swept.remains), (0, 2));
    assert!(world.resolve("main").is_some());
    assert_eq!(world.store.sweep(now()).unwrap().locks, 0);
}

fn limits(time: Duration) -> ImportLimits {
    ImportLimits {
        bytes: 1 << 20,
        refs: 10,
        list_time: time,
        fetch_time: time,
        bytes_per_second: 1000,
        slow_time: Duration::from_mins(1),
    }
}

#[test]
fn an_import_that_fails_leaves_nothing() {
    let world = World::new();
    // No server listens there.
    let source =
        ImportSource::parse("http://user:geheim@example.invalid:1/x.git", IpAddr::V4(Ipv4Addr::LOCALHOST)).unwrap();
    let limits = limits(Duration::from_secs(20));
    let to = world.store.repository(ProjectId::new(2));
    let error = world.store.import(&source, &to, limits).unwrap_err();
    assert!(matches!(error, ImportError::Refused(_)), "{error:?}");
    assert!(!format!("{error:?}").contains("geheim"));
    assert!(!to.exists());
}

/// Serves files, the oldest way to serve a repository, at the port that comes back; `x-to` in a path is a redirect.
fn serve_files(root: &Path) -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let root: PathBuf = root.to_owned();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
            let first = lines.next().unwrap_or_default();
            lines.take_while(|line| !line.is_empty()).for_each(drop);
            let path = first.split([' ', '?']).nth(1).unwrap_or_default().trim_start_matches('/').to_owned();
            let answer = match fs::read(root.join(&path)) {
                _ if path.starts_with("x-to/") => {
                    let place = path.trim_start_matches("x-to");
                    format!("HTTP/1.1 302 Found\r\nLocation: {place}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                        .into_bytes()
                }
                Ok(bytes) => {
                    let head =
                        format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", bytes.len());
                    [head.into_bytes(), bytes].concat()
                }
                Err(_) => b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_vec(),
            };
            // Git may have seen enough.
            let _ = stream.write_all(&answer);
        }
    });
    port
}

#[test]
fn an_import_is_held_to_the_rules_of_a_push() {
    let long = "x".repeat(9000);
    let deep = vec!["x".repeat(200); 25].join("/");
    let cases: [(&str, &str, &str, &str); 7] = [
        ("fine", ".git/config", "x", "has the fault 'hasDotgit'."),
        ("fine", "a/.gi\u{200c}t/x", "x", "has the fault 'hasDotgit'."),
        ("fine", "git~1", "x", "has the fault 'hasDotgit'."),
        ("fine", "a/../b", "x", "has the fault 'hasDotdot'."),
        ("fine", &deep, "x", "A path has more than 4096 bytes."),
        (&long, "a", "x", "larger than 4 KiB (limit push.commit)"),
        ("many", "a", "x", "A commit of this push changes more than 9 files (limit push.files_per_commit)."),
    ];
    for (message, file, content, want) in cases {
        let world = World::with(|settings, _| {
            settings.limits.push.commit = 4096;
            settings.limits.push.files_per_commit = 9;
        });
        world.commit("main", "first", &[("README", "x")]);
        let many: Vec<String> = (0..10).map(|number| number.to_string()).collect();
        let mut files: Vec<(&str, &str)> = vec![(file, content)];
        files.extend(many.iter().filter(|_| message == "many").map(|name| (name.as_str(), "x")));
        world.commit("main", message, &files);
        world.commit("main", "last", &[(file, "")]);
        world.git(&["update-server-info"]);
        let port = serve_files(world.repo.path());
        let to = world.store.repository(ProjectId::new(2));
        let url = format!("http://example.invalid:{port}/");
        let source = ImportSource::parse(&url, IpAddr::V4(Ipv4Addr::LOCALHOST)).unwrap();
        let refused = world.store.import(&source, &to, limits(Duration::from_mins(1))).unwrap_err();
        assert!(refused.to_string().contains(want), "{refused}");
        assert!(!to.exists());
    }
}

#[test]
fn an_import_connects_to_the_given_address_and_brings_branches_and_tags_of_good_names() {
    let world = World::new();
    let tip = world.commit("trunk", "x", &[("a", "1")]);
    world.git(&["tag", "v1", "trunk"]);
    world.git(&["update-ref", "refs/heads/-x", &tip.to_string()]);
    world.git(&["symbolic-ref", "HEAD", "refs/heads/trunk"]);
    world.git(&["update-server-info"]);
    let port = serve_files(world.repo.path());
    let to = world.store.repository(ProjectId::new(2));
    let import = |path: &str, limits| {
        // The name has no address: only the given one can lead there.
        let url = format!("http://example.invalid:{port}/{path}");
        let source = ImportSource::parse(&url, IpAddr::V4(Ipv4Addr::LOCALHOST)).unwrap();
        world.store.import(&source, &to, limits)
    };
    let limits = limits(Duration::from_mins(1));
    let few = import("", ImportLimits { refs: 1, ..limits });
    assert!(matches!(few, Err(ImportError::TooLarge)), "{few:?}");
    let small = import("", ImportLimits { bytes: 10, ..limits });
    assert!(matches!(small, Err(ImportError::TooLarge)), "{small:?}");
    let redirected = import("x-to/", limits);
    assert!(matches!(redirected, Err(ImportError::Refused(_))), "{redirected:?}");
    assert!(!to.exists());
    import("", limits).unwrap();
    let refs = crate::git(to.path(), &["for-each-ref", "--format=%(refname)"], b"");
    assert_eq!(refs, "refs/heads/trunk\nrefs/tags/v1\n");
    assert_eq!(to.default_branch().unwrap(), Some(branch("trunk")));
    assert!(to.commit(tip).unwrap().is_some());
}

#[test]
fn an_old_git_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("git");
    script(&program, "echo git version 2.39.5");
    let settings = EngineSettings { program, ..EngineSettings::new(folder.path().join("engine")) };
    let error = Engine::open(&settings).unwrap_err();
    assert_eq!(error.to_string(), "git 2.39.5 is too old: 2.43 or newer is needed");
}

/// The changes and the names that were left of an update of the second repository from the files of the first.
fn followed(world: &World, port: u16, overwrites: bool, takes: &dyn Fn(&str) -> bool) -> (Vec<String>, Vec<String>) {
    world.git(&["update-server-info"]);
    let url = format!("http://example.invalid:{port}/");
    let source = ImportSource::parse(&url, IpAddr::V4(Ipv4Addr::LOCALHOST)).unwrap();
    let to = world.store.repository(ProjectId::new(2));
    let request = MirrorRequest { source: &source, takes, overwrites };
    let fetched = world.store.fetch_mirror(&request, &to, limits(Duration::from_mins(1))).unwrap();
    let moves = fetched.changes.iter().map(|change| RefChange::to(change.name.clone(), change.old, change.new));
    to.update_refs(&moves.collect::<Vec<_>>()).unwrap();
    crate::git(to.path(), &["fsck", "--full", "--strict"], b"");
    let short = |name: &RefName| name.as_str().replace("refs/", "");
    let names = fetched.changes.iter().map(|change| short(&change.name)).collect();
    (names, fetched.left.iter().map(short).collect())
}

#[test]
fn a_mirror_brings_what_is_new_and_leaves_what_has_diverged() {
    let world = World::new();
    world.commit("main", "x", &[("a", "1")]);
    let to = world.store.repository(ProjectId::new(2));
    world.store.create(&to, &branch("main")).unwrap();
    let port = serve_files(world.repo.path());
    let all = |_: &str| true;
    assert_eq!(followed(&world, port, false, &all), (vec!["heads/main".to_owned()], vec![]));
    assert_eq!(followed(&world, port, false, &all), (vec![], vec![]));
    world.commit("main", "y", &[("a", "2")]);
    let other = world.commit("other", "z", &[("b", "2")]);
    world.git(&["tag", "v1", "main"]);
    world.git(&["update-ref", "refs/merge-requests/1/head", &other.to_string()]);
    let main_only = |name: &str| name == "main";
    let brought = vec!["heads/main".to_owned(), "tags/v1".to_owned()];
    assert_eq!(followed(&world, port, false, &main_only), (brought, vec![]));
    // Another history, and names that are in the way of each other.
    world.git(&["branch", "--force", "main", "other"]);
    world.git(&["tag", "--force", "v1", "other"]);
    world.git(&["branch", "a/b", "other"]);
    crate::git(to.path(), &["update-ref", "refs/heads/a", "refs/heads/main"], b"");
    let left = vec!["heads/a/b".to_owned(), "heads/main".to_owned()];
    let (changed, found) = followed(&world, port, false, &all);
    assert_eq!((changed, found), (vec!["heads/other".to_owned(), "tags/v1".to_owned()], left));
    let (changed, _) = followed(&world, port, true, &all);
    assert_eq!(changed, ["heads/main"]);
    let refs = crate::git(to.path(), &["for-each-ref", "--format=%(refname)"], b"");
    assert_eq!(refs, "refs/heads/a\nrefs/heads/main\nrefs/heads/other\nrefs/tags/v1\n");
    let temporary = fs::read_dir(world.folder.path().join("repositories/+tmp")).unwrap();
    assert_eq!(temporary.count(), 0);
}

#[test]
fn a_mirror_is_held_to_the_rules_of_a_push_and_to_its_room() {
    let world = World::with(|settings, _| settings.limits.push.files_per_commit = 9);
    let tip = world.commit("main", "first", &[("README", "x")]);
    let to = world.store.repository(ProjectId::new(2));
    world.store.create(&to, &branch("main")).unwrap();
    let port = serve_files(world.repo.path());
    let all = |_: &str| true;
    followed(&world, port, false, &all);
    let many: Vec<String> = (0..10).map(|number| number.to_string()).collect();
    let files: Vec<(&str, &str)> = many.iter().map(|name| (name.as_str(), "x")).collect();
    world.commit("main", "many", &files);
    world.git(&["update-server-info"]);
    let url = format!("http://example.invalid:{port}/");
    let update = |path: &str, limits: ImportLimits| {
        let source = ImportSource::parse(&format!("{url}{path}"), IpAddr::V4(Ipv4Addr::LOCALHOST)).unwrap();
        world.store.fetch_mirror(&MirrorRequest { source: &source, takes: &all, overwrites: true }, &to, limits)
    };
    let limits = limits(Duration::from_mins(1));
    let refused = update("", limits).unwrap_err().to_string();
    assert!(refused.contains("limit push.files_per_commit"), "{refused}");
    assert!(matches!(update("", ImportLimits { bytes: 10, ..limits }), Err(ImportError::TooLarge)));
    assert!(matches!(update("", ImportLimits { refs: 0, ..limits }), Err(ImportError::TooLarge)));
    // Redirects are not followed.
    assert!(matches!(update("x-to/", limits), Err(ImportError::Refused(_))));
    assert_eq!(to.ref_target(&branch("main").full()).unwrap(), Some(tip));
}
