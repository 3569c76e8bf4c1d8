//! The inspector of pushes reads packs of Git itself.

use tenon_domain::limits::PushLimits;
use tenon_git::hook::QuarantinePaths;
use tenon_git::push::{PushInspector, PushRefusal};

use crate::{World, git};

/// A push of everything that `revisions` selects, packed with these options.
fn push(world: &World, revisions: &str, options: &[&str]) -> Vec<u8> {
    let prefix = world.folder.path().join("packed");
    let arguments = [&["pack-objects", "--revs", "-q"], options, &[prefix.to_str().unwrap()]].concat();
    let name = git(world.repo.path(), &arguments, revisions.as_bytes());
    let pack = std::fs::read(world.folder.path().join(format!("packed-{}.pack", name.trim()))).unwrap();
    let (zero, one) = ("0".repeat(40), "1".repeat(40));
    let command = format!("{zero} {one} refs/heads/main\0 report-status");
    [format!("{:04x}{command}0000", command.len() + 4).into_bytes(), pack].concat()
}

/// The outcome for this push, in pieces of this size.
fn inspected(limits: &PushLimits, push: &[u8], piece: usize) -> Result<(), PushRefusal> {
    let mut inspector = PushInspector::new(limits);
    push.chunks(piece).try_for_each(|part| inspector.feed(part))?;
    inspector.finish()
}

/// A history whose files, directories and commits make long chains of deltas.
fn history() -> World {
    let world = World::new();
    let lines: Vec<String> =
        (0..400_u32).map(|number| format!("line {}\n", number.wrapping_mul(2_654_435_761))).collect();
    for number in 0..60 {
        let mut changed = lines.clone();
        *changed.get_mut(number * 5).unwrap() = format!("change {number}\n");
        let message = format!("{}{number}", "the same words in each message\n".repeat(20));
        world.commit("main", &message, &[("a/b/file", &changed.concat()), (&format!("new/{number}"), "x")]);
    }
    world.git(&["tag", "-a", "v1", "-m", "one", "main"]);
    world
}

#[test]
fn packs_of_git_are_read_to_their_end_in_pieces_of_any_size() {
    let world = history();
    let limits = PushLimits::default();
    for (revisions, options) in [
        ("main\nv1\n", [].as_slice()),
        ("main\nv1\n", &["--delta-base-offset", "--depth=250", "--window=250"]),
        ("main\nv1\n", &["--window=0", "--compression=0"]),
        ("main\n^main~3\n", &["--delta-base-offset"]),
    ] {
        let whole = push(&world, revisions, options);
        for piece in [1, 3, 1000, 1 << 20] {
            assert_eq!(inspected(&limits, &whole, piece), Ok(()), "{options:?} {piece}");
        }
        for length in (1..whole.len()).step_by(whole.len() / 37) {
            let outcome = inspected(&limits, whole.get(..length).unwrap(), 1 << 20);
            assert!(matches!(outcome, Err(PushRefusal::Malformed(_))), "{options:?} {length}: {outcome:?}");
        }
        let longer = [whole.as_slice(), b"x"].concat();
        assert!(matches!(inspected(&limits, &longer, 1000), Err(PushRefusal::Malformed(_))));
    }
}

/// A limit one byte below the largest object of its type refuses the same pack.
#[test]
fn each_limit_is_held_in_packs_of_git() {
    let world = history();
    let whole = push(&world, "main\nv1\n", &["--delta-base-offset", "--depth=250", "--window=250"]);
    let objects = world.git(&["cat-file", "--batch-all-objects", "--batch-check=%(objecttype) %(objectsize)"]);
    let largest = |kinds: &[&str]| {
        let sizes = objects.lines().filter_map(|line| line.split_once(' '));
        sizes.filter(|(kind, _)| kinds.contains(kind)).map(|(_, size)| size.parse::<u64>().unwrap()).max().unwrap()
    };
    let all: u64 = objects.lines().map(|line| line.split_once(' ').unwrap().1.parse::<u64>().unwrap()).sum();
    let count = objects.lines().count();
    let exact = PushLimits {
        commit: largest(&["commit", "tag"]),
        tree: largest(&["tree"]),
        blob: largest(&["blob"]),
        unpacked: all,
        objects: count,
        ..PushLimits::default()
    };
    assert_eq!(inspected(&exact, &whole, 4096), Ok(()));
    for (name, less) in [
        ("push.commit", PushLimits { commit: exact.commit - 1, ..exact.clone() }),
        ("push.tree", PushLimits { tree: exact.tree - 1, ..exact.clone() }),
        ("push.blob", PushLimits { blob: exact.blob - 1, ..exact.clone() }),
        ("push.unpacked", PushLimits { unpacked: exact.unpacked - 1, ..exact.clone() }),
        ("push.objects", PushLimits { objects: count - 1, ..exact.clone() }),
    ] {
        let refusal = inspected(&less, &whole, 4096).unwrap_err().to_string();
        assert!(refusal.contains(name), "{name}: {refusal}");
        if name == "push.commit" || name == "push.tree" || name == "push.blob" {
            let text = |path: std::path::PathBuf| Some(path.to_str().unwrap().to_owned());
            let paths =
                QuarantinePaths { objects: text(world.repo.path().join("objects")), ..QuarantinePaths::default() };
            let brought = world.repo.quarantine(&paths).unwrap();
            assert_eq!(brought.refusal(&[], &less, 1).unwrap(), Some(refusal));
            assert_eq!(brought.refusal(&[], &exact, 1).unwrap(), None);
        }
    }
}
