//! Fetching, pushing and the view of the hooks.

use tenon_domain::limits::PushLimits;
use tenon_git::hook::QuarantinePaths;
use tenon_git::transport::{Exchange, GitProtocol, PushContext, Service, ServiceProcess};
use tenon_git::{GitError, Oid};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::{World, branch, git, now, script};

async fn answer(world: &World, service: Service, exchange: Exchange, protocol: Option<&str>, body: &[u8]) -> Vec<u8> {
    let protocol = protocol.and_then(GitProtocol::parse);
    let process = world.repo.serve(service, exchange, protocol.as_ref(), None).unwrap();
    whole(process, body).await
}

pub(super) async fn whole(mut process: ServiceProcess, body: &[u8]) -> Vec<u8> {
    let mut stdin = process.stdin.take().unwrap();
    stdin.write_all(body).await.unwrap();
    drop(stdin);
    let mut output = Vec::new();
    process.stdout.take().unwrap().read_to_end(&mut output).await.unwrap();
    assert!(process.wait().await.unwrap().success());
    output
}

fn line(text: &str) -> Vec<u8> {
    [format!("{:04x}", text.len() + 4).as_bytes(), text.as_bytes()].concat()
}

/// The request of a client to create a branch from objects that the server has: no pack is needed, an empty one is
/// sent.
pub(super) fn push(old: Oid, new: Oid, name: &str) -> Vec<u8> {
    let command = line(&format!("{old} {new} {name}\0 report-status\n"));
    // `PACK`, version 2, no objects, and its SHA-1.
    let empty =
        b"PACK\0\0\0\x02\0\0\0\0\x02\x9d\x08\x82\x3b\xd8\xa8\xea\xb5\x10\xad\x6a\xc7\x5c\x82\x3c\xfd\x3e\xd3\x1e";
    [command.as_slice(), b"0000", empty].concat()
}

#[tokio::test]
async fn refs_are_advertised_but_for_the_hidden_ones() {
    let world = World::new();
    let tip = world.commit("main", "x", &[("a", "1")]).to_string();
    world.git(&["update-ref", "refs/merge-requests/1/head", &tip]);
    world.git(&["update-ref", &format!("refs/keep-around/{tip}"), &tip]);
    let list = answer(&world, Service::UploadPack, Exchange::Advertise, None, b"").await;
    let list = String::from_utf8_lossy(&list).into_owned();
    assert!(list.contains("refs/heads/main") && list.contains("refs/merge-requests/1/head"));
    assert!(!list.contains("keep-around"));
    let list = answer(&world, Service::UploadPack, Exchange::Advertise, Some("version=2"), b"").await;
    assert!(list.starts_with(b"000eversion 2\n"));
    let list = answer(&world, Service::ReceivePack, Exchange::Advertise, None, b"").await;
    let list = String::from_utf8_lossy(&list).into_owned();
    assert!(list.contains("push-options") && !list.contains("merge-requests"));
    let listed = answer(
        &world,
        Service::UploadPack,
        Exchange::Rpc,
        Some("version=2"),
        &[line("command=ls-refs\n"), b"0000".to_vec()].concat(),
    )
    .await;
    assert!(String::from_utf8_lossy(&listed).contains(&format!("{tip} refs/heads/main")));
}

#[tokio::test]
async fn a_push_moves_branches_but_no_ref_of_the_server() {
    let world = World::new();
    let tip = world.commit("main", "x", &[("a", "1")]);
    let body = push(Oid::ZERO, tip, "refs/heads/new");
    let report = answer(&world, Service::ReceivePack, Exchange::Rpc, None, &body).await;
    assert!(String::from_utf8_lossy(&report).contains("ok refs/heads/new"));
    assert_eq!(world.resolve("new"), Some(tip));
    let body = push(Oid::ZERO, tip, "refs/merge-requests/1/head");
    let report = answer(&world, Service::ReceivePack, Exchange::Rpc, None, &body).await;
    assert!(String::from_utf8_lossy(&report).contains("ng refs/merge-requests/1/head"));
}

#[tokio::test]
async fn a_service_ends_when_no_one_reads_its_answer() {
    let world = World::new();
    world.commit("main", "x", &[("a", "1")]);
    let mut process = world.repo.serve(Service::UploadPack, Exchange::Rpc, None, None).unwrap();
    let mut stderr = process.stderr.take().unwrap();
    let stdin = process.stdin.take();
    drop(process);
    // It waits for a request on a pipe that stays open: only the signal can end it, which closes this pipe.
    let mut log = Vec::new();
    stderr.read_to_end(&mut log).await.unwrap();
    drop(stdin);
}

#[tokio::test]
async fn a_repository_that_is_gone_is_not_served() {
    let world = World::new();
    world.store.delete(&world.repo).unwrap();
    let refused = world.repo.serve(Service::UploadPack, Exchange::Advertise, None, None);
    assert!(matches!(refused, Err(GitError::NoRepository)));
}

#[test]
fn what_a_push_brings_is_seen_before_its_refs_move() {
    let world = World::new();
    let old = world.commit("main", "one", &[("a", "1")]);
    let new = world.commit("main", "two", &[("a", "2"), ("sub/big", &"x".repeat(2000)), ("sub/.GIT/x", "y")]);
    world.git(&["update-ref", "refs/heads/main", &old.to_string()]);
    // The objects of a push lie in a directory of their own.
    let objects = world.repo.path().join("objects");
    let quarantine = objects.join("incoming-x");
    std::fs::create_dir(&quarantine).unwrap();
    let pack = git(
        world.repo.path(),
        &["pack-objects", "--revs", "-q", quarantine.join("pack").to_str().unwrap()],
        format!("{new}\n^{old}\n").as_bytes(),
    );
    std::fs::create_dir(quarantine.join("pack")).unwrap();
    for extension in ["pack", "idx"] {
        let name = format!("pack-{}.{extension}", pack.trim());
        std::fs::rename(quarantine.join(&name), quarantine.join("pack").join(&name)).unwrap();
    }
    world.git(&["reflog", "expire", "--expire=now", "--all"]);
    world.git(&["prune", "--expire=now"]);
    world.git(&["repack", "-adq"]);
    assert_eq!(world.repo.commit(new).unwrap(), None);
    let text = |path: &std::path::Path| Some(path.to_str().unwrap().to_owned());
    let paths =
        QuarantinePaths { objects: text(&quarantine), alternates: text(&objects), quarantine: text(&quarantine) };
    let seen = world.repo.quarantine(&paths).unwrap();
    assert_eq!(seen.new_commits(&[new], 10).unwrap(), [new]);
    assert!(seen.is_ancestor(old, new).unwrap() && !seen.is_ancestor(new, old).unwrap());
    assert!(seen.is_commit(new).unwrap());
    let refusal = seen.refusal(&[new], &PushLimits::default(), 1).unwrap();
    assert_eq!(refusal.as_deref(), Some("The name '.GIT' is not allowed in a path."));
    let elsewhere = QuarantinePaths { objects: Some("/tmp".to_owned()), ..paths.clone() };
    assert!(world.repo.quarantine(&elsewhere).is_err());
    let out = QuarantinePaths { objects: text(&objects.join("../../x")), ..paths };
    assert!(world.repo.quarantine(&out).is_err());
}

#[tokio::test]
async fn a_push_that_the_server_does_not_know_is_refused_by_the_hook() {
    let world = World::with(|settings, folder| {
        let hook = folder.join("hook");
        script(&hook, "[ \"$TENON_PUSH_ID\" = p1 ] && [ \"$TENON_HOOK_SOCKET\" = /run/s ]");
        settings.hook_program = Some(hook);
    });
    let tip = world.commit("main", "x", &[("a", "1")]);
    let body = push(Oid::ZERO, tip, "refs/heads/new");
    let report = answer(&world, Service::ReceivePack, Exchange::Rpc, None, &body).await;
    assert!(String::from_utf8_lossy(&report).contains("ng refs/heads/new pre-receive hook declined"));
    assert_eq!(world.resolve("new"), None);
    let context = PushContext { id: "p1".to_owned(), socket: "/run/s".into(), threads: 1 };
    let process = world.repo.serve(Service::ReceivePack, Exchange::Rpc, None, Some(&context)).unwrap();
    whole(process, &body).await;
    assert_eq!(world.resolve("new"), Some(tip));
}

#[test]
fn the_lock_that_a_killed_push_leaves_is_swept_away() {
    let world = World::new();
    let tip = world.commit("main", "x", &[("a", "1")]);
    // Called while the refs are locked; it reports so and never returns.
    script(&world.folder.path().join("engine/hooks/reference-transaction"), "echo ready >&2; exec tail -f /dev/null");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut process = runtime.block_on(async {
        let mut process = world.repo.serve(Service::ReceivePack, Exchange::Rpc, None, None).unwrap();
        let body = push(Oid::ZERO, tip, "refs/heads/new");
        process.stdin.take().unwrap().write_all(&body).await.unwrap();
        let mut ready = [0; 5];
        process.stderr.as_mut().unwrap().read_exact(&mut ready).await.unwrap();
        assert_eq!(&ready, b"ready");
        process
    });
    let mut stderr = process.stderr.take().unwrap();
    // If there is no runtime, nothing can wait: the group is killed at once.
    drop(process);
    runtime.block_on(stderr.read_to_end(&mut Vec::new())).unwrap();
    std::fs::remove_file(world.folder.path().join("engine/hooks/reference-transaction")).unwrap();
    let lock = world.repo.path().join("refs/heads/new.lock");
    assert!(lock.exists());
    assert_eq!(world.store.sweep(now()).unwrap().locks, 1);
    world.repo.create_branch(&branch("new"), tip).unwrap();
    assert!(world.is_sound());
}
