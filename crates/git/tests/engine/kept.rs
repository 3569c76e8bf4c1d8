//! Processes that are kept for further questions: their number, their time, and the answers they must not give.

use std::fs::{self, File, FileTimes};
use std::time::{Duration, Instant, SystemTime};

use tenon_domain::limits::Limits;
use tenon_git::tree::Depth;
use tenon_git::{CancelToken, GitError, Oid, Repository};

use super::*;

/// A store under these limits, whose starts of processes that answer questions are noted.
struct Counted {
    world: World,
}

impl Counted {
    fn new(change: impl Fn(&mut Limits)) -> Self {
        let world = World::with(|settings, folder| {
            let (program, notes) = (folder.join("git"), folder.join("notes"));
            let note = format!("case \"$*\" in *batch-command*) echo >> {};; esac", notes.display());
            script(&program, &format!("{note}\nexec git \"$@\""));
            settings.program = program;
            // A remembered answer is not asked for.
            settings.limits.reads.remembered = 0;
            change(&mut settings.limits);
        });
        Self { world }
    }

    /// How many processes have been started.
    fn started(&self) -> usize {
        fs::read(self.world.folder.path().join("notes")).unwrap_or_default().len()
    }

    fn kept(&self) -> usize {
        self.world.store.engine().kept_processes()
    }

    fn finds(&self, id: Oid) -> bool {
        self.world.resolve(&id.to_string()) == Some(id)
    }
}

/// As if the packs of a repository had been there for so long.
fn age(repository: &Repository, seconds: u64) {
    set_time(repository, now_of_files() - Duration::from_secs(seconds));
}

/// Sets the moment at which the packs of a repository have changed.
fn set_time(repository: &Repository, at: SystemTime) {
    let folder = File::open(repository.path().join("objects/pack")).unwrap();
    folder.set_times(FileTimes::new().set_modified(at)).unwrap();
}

/// A moment on the clock of the machine, which sets the times of files.
fn now_of_files() -> SystemTime {
    let file = tempfile::tempfile().unwrap();
    file.metadata().unwrap().modified().unwrap()
}

#[test]
fn one_process_answers_one_request_after_the_other() {
    let site = Counted::new(|_| {});
    let world = &site.world;
    let first = world.commit("main", "one", &[("a", "1"), ("d/b", "2")]);
    let second = world.commit("main", "two", &[("a", "2")]);
    age(&world.repo, 60);
    for id in [first, second] {
        assert!(site.finds(id));
        assert_eq!(world.repo.tree(id, None, Depth::One, page(1, 9)).unwrap().unwrap().total, 2);
        assert!(world.repo.file_at(id, &path("d/b"), 9).unwrap().is_some());
        assert_eq!(world.repo.commit(id).unwrap().unwrap().id, id);
        assert!(!site.finds(Oid::ZERO));
    }
    assert_eq!((site.started(), site.kept()), (1, 1));
    // Objects that are written later are found as well.
    let tree = world.git(&["rev-parse", &format!("{second}^{{tree}}")]);
    let third = world.git(&["commit-tree", tree.trim(), "-m", "three"]).trim().parse().unwrap();
    assert!(site.finds(third));
    assert_eq!((site.started(), site.kept()), (1, 1));
}

#[test]
fn what_was_removed_from_packs_is_not_read_from_an_earlier_process() {
    let site = Counted::new(|_| {});
    let world = &site.world;
    let kept = world.commit("main", "one", &[("a", "1")]);
    let gone = world.commit("side", "secret", &[("a", "2")]);
    world.git(&["repack", "-adq"]);
    age(&world.repo, 60);
    assert!(site.finds(kept) && site.finds(gone));
    assert_eq!((site.started(), site.kept()), (1, 1));
    world.git(&["branch", "-D", "side"]);
    world.git(&["repack", "-adq"]);
    age(&world.repo, 30);
    assert!(!site.finds(gone) && site.finds(kept));
    assert_eq!((site.started(), site.kept()), (2, 1));
}

#[test]
fn what_leaves_no_pack_behind_ends_no_process() {
    let site = Counted::new(|_| {});
    let world = &site.world;
    let mut tips = vec![world.commit("main", "one", &[("a", "1")])];
    world.git(&["repack", "-adq"]);
    for number in 2..6 {
        assert!(tips.iter().all(|tip| site.finds(*tip)));
        // Git writes a pack and unpacks it, as it does for small pushes.
        tips.push(world.commit("main", "more", &[("a", &number.to_string())]));
    }
    assert_eq!((site.started(), site.kept()), (1, 1));
}

#[test]
fn many_packs_are_compared_by_the_time_of_their_folder() {
    let site = Counted::new(|_| {});
    let world = &site.world;
    let tip = world.commit("main", "one", &[("a", "1")]);
    for number in 0..100 {
        let name = format!("objects/pack/pack-{number:040}.pack");
        fs::write(world.repo.path().join(name), "").unwrap();
    }
    age(&world.repo, 60);
    assert!(site.finds(tip) && site.finds(tip));
    assert_eq!((site.started(), site.kept()), (1, 1));
    age(&world.repo, 50);
    assert!(site.finds(tip) && site.finds(tip));
    assert_eq!((site.started(), site.kept()), (2, 1));
    // One that has come just now, by a clock that is ahead: the next change might have the same time.
    set_time(&world.repo, now_of_files() + Duration::from_secs(100));
    assert!(site.finds(tip));
    assert_eq!((site.started(), site.kept()), (3, 0));
}

#[test]
fn packs_that_have_just_changed_are_compared_by_their_names() {
    let site = Counted::new(|_| {});
    let world = &site.world;
    let kept = world.commit("main", "one", &[("a", "1")]);
    let gone = world.commit("side", "secret", &[("a", "2")]);
    world.git(&["repack", "-adq"]);
    let time = now_of_files();
    set_time(&world.repo, time);
    for _ in 0..50 {
        assert!(site.finds(kept) && site.finds(gone));
    }
    assert_eq!(site.started(), 1);
    world.git(&["branch", "-D", "side"]);
    world.git(&["repack", "-adq"]);
    set_time(&world.repo, time);
    assert!(!site.finds(gone) && site.finds(kept));
}

#[test]
fn a_repository_in_the_same_place_is_another_one() {
    let site = Counted::new(|_| {});
    let world = &site.world;
    let old = world.commit("main", "one", &[("a", "1")]);
    world.git(&["repack", "-adq"]);
    age(&world.repo, 60);
    assert!(site.finds(old));
    // Moved away by another program, and made again with the same times.
    let packs = world.repo.path().join("objects/pack");
    let time = fs::metadata(&packs).unwrap().modified().unwrap();
    fs::rename(world.repo.path(), world.folder.path().join("elsewhere")).unwrap();
    world.store.create(&world.repo, &branch("main")).unwrap();
    File::open(&packs).unwrap().set_times(FileTimes::new().set_modified(time)).unwrap();
    assert!(!site.finds(old));
    assert_eq!((site.started(), site.kept()), (2, 1));
    // If the store deletes it, no process holds its files.
    assert!(world.store.delete(&world.repo).unwrap());
    assert_eq!(site.kept(), 0);
    assert!(matches!(world.repo.commit(old), Err(GitError::NoRepository)));
}

#[test]
fn objects_of_another_repository_are_read_by_a_process_for_each_request() {
    let site = Counted::new(|_| {});
    let world = &site.world;
    let own = world.commit("main", "one", &[("a", "1")]);
    let other = world.store.repository(ProjectId::new(2));
    world.store.create(&other, &branch("main")).unwrap();
    let alternates = other.path().join("objects/info/alternates");
    fs::write(alternates, format!("{}\n", world.repo.path().join("objects").display())).unwrap();
    age(&other, 60);
    for started in 1..3 {
        assert_eq!(other.commit(own).unwrap().unwrap().message, "one");
        assert_eq!((site.started(), site.kept()), (started, 0));
    }
    // With an answer from the graph of commits, and without one.
    world.repo.write_commit_graph().unwrap();
    let query = tenon_git::commit::CommitQuery::new(tenon_git::commit::CommitRange::From(own));
    assert_eq!(other.counted_commits(&query, page(1, 9)).unwrap().items[0].id, own);
}

#[test]
fn maintenance_ends_processes() {
    let site = Counted::new(|_| {});
    let tip = site.world.commit("main", "one", &[("a", "1")]);
    age(&site.world.repo, 60);
    assert!(site.finds(tip));
    assert_eq!(site.kept(), 1);
    site.world.repo.maintain().unwrap();
    assert_eq!(site.kept(), 0);
    assert!(site.finds(tip));
}

#[test]
fn only_so_many_processes_are_kept() {
    let site = Counted::new(|limits| {
        limits.git.kept = 2;
        limits.git.kept_per_repository = 1;
    });
    let world = &site.world;
    let tip = world.commit("main", "one", &[("a", "1")]);
    age(&world.repo, 60);
    let others = [2, 3].map(|id| world.store.repository(ProjectId::new(id)));
    for other in &others {
        world.store.create(other, &branch("main")).unwrap();
        age(other, 60);
    }
    // Several at once.
    let repo = &world.repo;
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..20).for_each(|_| assert!(repo.commit(tip).unwrap().is_some())));
        }
    });
    assert_eq!(site.kept(), 1);
    for (other, kept) in others.iter().zip([2, 2]) {
        assert!(other.commit(tip).unwrap().is_none());
        assert_eq!(site.kept(), kept);
    }
    // The first one had waited for the longest time.
    let started = site.started();
    assert!(others[0].commit(tip).unwrap().is_none());
    assert_eq!(site.started(), started);
    assert!(site.finds(tip));
    assert_eq!((site.started(), site.kept()), (started + 1, 2));
}

#[test]
fn none_are_kept_where_the_limit_is_none() {
    let site = Counted::new(|limits| limits.git.kept = 0);
    let tip = site.world.commit("main", "one", &[("a", "1")]);
    age(&site.world.repo, 60);
    assert!(site.finds(tip) && site.finds(tip));
    assert_eq!((site.started(), site.kept()), (2, 0));
}

#[test]
fn a_process_ends_that_is_not_asked_or_has_done_its_share() {
    let site = Counted::new(|limits| {
        limits.git.kept_idle = Duration::from_mins(1);
        limits.git.kept_bytes = 3000;
    });
    let world = &site.world;
    let engine = world.store.engine();
    let tip = world.commit("main", "one", &[("a", &"x".repeat(2000))]);
    age(&world.repo, 60);
    assert!(site.finds(tip));
    let asked = Instant::now();
    engine.end_idle(asked + Duration::from_secs(50));
    assert_eq!(site.kept(), 1);
    engine.end_idle(asked + Duration::from_mins(1));
    assert_eq!(site.kept(), 0);
    let read = || world.repo.file_at(tip, &path("a"), 9000).unwrap().unwrap();
    let _one = read();
    assert_eq!((site.started(), site.kept()), (2, 1));
    let _two = read();
    assert_eq!((site.started(), site.kept()), (2, 0));
    // So it does when it has worked for long.
    let site = Counted::new(|limits| limits.git.kept_work = Duration::ZERO);
    let tip = site.world.commit("main", "one", &[("a", "1")]);
    age(&site.world.repo, 60);
    assert!(site.finds(tip));
    assert_eq!(site.kept(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_of_a_thread_that_yields_is_not_borrowed_by_another() {
    let site = Counted::new(|_| {});
    let world = &site.world;
    let tip = world.commit("main", "one", &[("a", "1")]);
    age(&world.repo, 60);
    let repo = &world.repo;
    std::thread::scope(|scope| {
        let yielding = scope.spawn(|| {
            rustix::process::setpriority_process(None, 10).unwrap();
            assert!(repo.commit(tip).unwrap().is_some());
        });
        yielding.join().unwrap();
    });
    assert!(site.finds(tip) && site.finds(tip));
    assert_eq!((site.started(), site.kept()), (2, 2));
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_that_ends_while_it_waits_is_replaced() {
    let site = Counted::new(|_| {});
    let tip = site.world.commit("main", "one", &[("a", "1")]);
    age(&site.world.repo, 60);
    assert!(site.finds(tip));
    let folder = site.world.repo.path().display().to_string();
    for process in fs::read_dir("/proc").unwrap().filter_map(Result::ok) {
        let line = fs::read_to_string(process.path().join("cmdline")).unwrap_or_default();
        if line.contains("batch-command") && line.contains(&folder) {
            let id: i32 = process.file_name().to_str().unwrap().parse().unwrap();
            let id = rustix::process::Pid::from_raw(id).unwrap();
            rustix::process::kill_process(id, rustix::process::Signal::KILL).unwrap();
            while !fs::read(process.path().join("cmdline")).unwrap_or_default().is_empty() {
                std::thread::yield_now();
            }
        }
    }
    assert!(site.finds(tip));
    assert_eq!(site.kept(), 1);
}

#[test]
fn what_is_cancelled_ends_its_process() {
    let world = bounds::scripted("", |_| {});
    let program = world.folder.path().join("program");
    script(
        &program,
        "case \"$*\" in *version*) echo git version 2.47;; *) touch \"$0.begun\"; exec tail -f /dev/null;; esac",
    );
    let begun = world.folder.path().join("program.begun");
    let token = CancelToken::default();
    let work = std::thread::spawn({
        let (token, repo) = (token.clone(), world.repo.clone());
        move || token.scope(|| repo.commit(Oid::ZERO))
    });
    while !begun.exists() {
        std::thread::yield_now();
    }
    token.cancel();
    assert!(matches!(work.join().unwrap(), Err(GitError::Cancelled("cat-file"))));
    assert_eq!(world.store.engine().kept_processes(), 0);
    // A waiting process is not given to work that is no longer waited for.
    let found = token.scope(|| world.repo.commit(Oid::ZERO));
    assert!(matches!(found, Err(GitError::Cancelled("cat-file"))));
}

#[test]
fn a_damaged_object_costs_its_process_and_nothing_else() {
    let site = Counted::new(|_| {});
    let world = &site.world;
    // Text that does not become much shorter.
    let text: String = (0..1000_u32).map(|number| format!("{}\n", number.wrapping_mul(2_654_435_761))).collect();
    let tip = world.commit("main", "one", &[("a", &text), ("b", "1")]);
    age(&world.repo, 60);
    let blob = |name: &str| world.repo.tree_entry(tip, &path(name)).unwrap().unwrap().id;
    let (damaged, whole) = (blob("a").to_string(), blob("b"));
    let file = world.repo.path().join("objects").join(&damaged[..2]).join(&damaged[2..]);
    let mut content = fs::read(&file).unwrap();
    let half = content.len() / 2;
    content.truncate(half);
    fs::remove_file(&file).unwrap();
    fs::write(&file, content).unwrap();
    assert!(world.repo.blob(damaged.parse().unwrap(), 90_000).is_err());
    assert_eq!(site.kept(), 0);
    assert_eq!(world.repo.blob(whole, 9).unwrap().unwrap().content.unwrap(), b"1");
    assert_eq!(site.kept(), 1);
}

#[test]
fn what_is_too_large_is_not_read_and_nothing_is_left_of_it() {
    let site = Counted::new(|_| {});
    let world = &site.world;
    let tip = world.commit("main", "one", &[("a", &"x".repeat(1 << 20))]);
    let large = {
        let tree = world.git(&["rev-parse", &format!("{tip}^{{tree}}")]);
        let people = "author A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n";
        let text = format!("tree {}\n{people}\nlong\n\n{}", tree.trim(), "x".repeat(1 << 20));
        git(world.repo.path(), &["hash-object", "-t", "commit", "-w", "--stdin"], text.as_bytes())
    };
    let large: Oid = large.trim().parse().unwrap();
    age(&world.repo, 60);
    // A file is asked for its size first: the process goes on.
    for _ in 0..2 {
        let (_, blob) = world.repo.file_at(tip, &path("a"), 9).unwrap().unwrap();
        assert_eq!((blob.size, blob.content), (1 << 20, None));
    }
    assert_eq!((site.started(), site.kept()), (1, 1));
    // The content of a commit is asked for at once: the process ends, and the questions behind that are asked again.
    let found = world.repo.commits_by_id(&[tip, large, tip, Oid::ZERO]).unwrap();
    assert_eq!((found.len(), found[&large].title(), found[&tip].title()), (2, "long", "one"));
    assert_eq!(found[&large].message.len(), 64 << 10);
    assert_eq!(world.repo.tree(large, None, Depth::One, page(1, 9)).unwrap().unwrap().total, 1);
    assert!(site.finds(tip));
}
