//! The resources that a process of Git may use, by its purpose.

use std::time::{Duration, Instant};

use tenon_domain::limits::Limits;
use tenon_git::commit::{CommitQuery, CommitRange};
use tenon_git::hook::QuarantinePaths;
use tenon_git::{GitError, Oid};

use super::bounds::scripted;
use super::*;

#[cfg(target_os = "linux")]
mod on_linux {
    use tenon_git::transport::{Exchange, Service};

    use super::super::serving::{push, whole};
    use super::*;

    /// Prints the limits that the process runs under, for a file.
    const SAY: &str = "echo data=$(ulimit -d) cpu=$(ulimit -t) nice=$(nice)";

    fn change(limits: &mut Limits) {
        limits.git.transfer_memory = 300 << 20;
        limits.git.transfer_cpu = Duration::from_secs(7);
        limits.git.maintenance_memory = 400 << 20;
        limits.git.maintenance_cpu = Duration::from_secs(8);
    }

    /// Each process that has said something ran under these limits, and yields at least this much.
    #[track_caller]
    fn check(said: &Path, want: &str, least: i32) {
        let said = std::fs::read_to_string(said).unwrap();
        assert!(!said.is_empty());
        for line in said.lines() {
            let (limits, nice) = line.split_once(" nice=").unwrap();
            assert_eq!(limits, want);
            assert!(nice.parse::<i32>().unwrap() >= least, "{nice}");
        }
    }

    #[tokio::test]
    async fn a_fetch_has_the_limits_of_transfers() {
        let world = scripted(&format!("{SAY} >> \"$0.said\""), change);
        for exchange in [Exchange::Advertise, Exchange::Rpc, Exchange::Dialogue] {
            let process = world.repo.serve(Service::UploadPack, exchange, None, None).unwrap();
            whole(process, b"").await;
        }
        check(&world.folder.path().join("program.said"), "data=307200 cpu=7", 5);
    }

    #[tokio::test]
    async fn a_push_has_the_limits_of_transfers_and_so_have_its_hooks() {
        let world = World::with(|settings, folder| {
            let hook = folder.join("hook");
            script(&hook, &format!("{SAY} >> {}", folder.join("said").display()));
            settings.hook_program = Some(hook);
            change(&mut settings.limits);
        });
        let tip = world.commit("main", "x", &[("a", "1")]);
        let process = world.repo.serve(Service::ReceivePack, Exchange::Rpc, None, None).unwrap();
        whole(process, &push(Oid::ZERO, tip, "refs/heads/new")).await;
        check(&world.folder.path().join("said"), "data=307200 cpu=7", 5);
    }

    #[test]
    fn maintenance_has_limits_of_its_own_and_yields_to_everything() {
        let world = scripted(&format!("{SAY} >> \"$0.said\""), change);
        world.repo.write_commit_graph().unwrap();
        check(&world.folder.path().join("program.said"), "data=409600 cpu=8", 10);
    }
}

#[test]
fn a_process_that_waits_too_long_is_ended() {
    let world = scripted("exec tail -f /dev/null", |limits| {
        limits.git.wall = Duration::from_secs(2);
        limits.push.judge_time = Duration::from_secs(2);
    });
    let begun = Instant::now();
    let found = world.repo.commit_count(&CommitQuery::new(CommitRange::All));
    assert!(matches!(found, Err(GitError::Timeout("rev-list"))), "{found:?}");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    let pushed = world.repo.quarantine(&QuarantinePaths::default()).unwrap();
    let found = pushed.is_commit(Oid::ZERO);
    assert!(matches!(found, Err(GitError::Timeout("cat-file"))), "{found:?}");
    let objects = world.repo.path().join("objects").display().to_string();
    let paths = QuarantinePaths { objects: Some(objects), ..QuarantinePaths::default() };
    let found = world.repo.quarantine(&paths).unwrap().refusal(&[], &Limits::default().push, 1);
    assert!(matches!(found, Err(GitError::Timeout("cat-file"))), "{found:?}");
    assert!(begun.elapsed() < Duration::from_secs(40), "{:?}", begun.elapsed());
}
