//! Soundness and maintenance of a repository, and the content of the store.

use std::fs;
use std::path::PathBuf;

use tenon_domain::id::ProjectId;
use tenon_domain::time::TimeDelta;
use tenon_git::RepositoryKind;

use crate::{World, branch, now};

/// The files of the packs that end like this.
fn packs(world: &World, suffix: &str) -> Vec<PathBuf> {
    let folder = fs::read_dir(world.repo.path().join("objects/pack")).unwrap();
    folder.map(|it| it.unwrap().path()).filter(|it| it.to_str().unwrap().ends_with(suffix)).collect()
}

#[test]
fn a_repository_is_untidy_when_it_has_many_files_or_a_week_went_by() {
    let world = World::new();
    assert!(!world.repo.is_untidy(now()).unwrap(), "there is nothing in it");
    world.commit("main", "one", &[("a", "1")]);
    let loose = world.repo.path().join("objects/17");
    fs::create_dir_all(&loose).unwrap();
    fs::write(loose.join("0".repeat(38)), "").unwrap();
    assert!(world.repo.is_untidy(now()).unwrap(), "it was never tidied");
    fs::remove_file(loose.join("0".repeat(38))).unwrap();
    world.repo.maintain_at(now()).unwrap();
    fs::create_dir_all(&loose).unwrap();
    fs::write(loose.join("0".repeat(38)), "").unwrap();
    assert!(!world.repo.is_untidy(now() + TimeDelta::days(6)).unwrap());
    assert!(world.repo.is_untidy(now() + TimeDelta::days(8)).unwrap());
    for number in 0..1001 {
        fs::write(loose.join(format!("{number:038}")), "").unwrap();
    }
    assert!(world.repo.is_untidy(now()).unwrap());
    assert!(!world.store.repository(ProjectId::new(2)).is_untidy(now()).unwrap());
}

#[test]
fn what_can_be_made_anew_is_repaired_and_the_rest_is_reported() {
    let world = World::new();
    let tip = world.commit("main", "one", &[("a", "1")]);
    world.repo.maintain().unwrap();
    let index = packs(&world, ".idx").pop().unwrap();
    let mut bytes = fs::read(&index).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    fs::remove_file(&index).unwrap();
    fs::write(&index, bytes).unwrap();
    let graphs = world.repo.path().join("objects/info/commit-graphs");
    for graph in fs::read_dir(&graphs).unwrap().map(|it| it.unwrap().path()) {
        fs::remove_file(&graph).unwrap();
        fs::write(&graph, "no graph").unwrap();
    }
    assert!(!world.is_sound());
    world.repo.renew_indexes().unwrap();
    assert!(world.is_sound() && world.repo.is_connected().unwrap());
    assert_eq!(world.repo.ref_target(&branch("main").full()).unwrap(), Some(tip));

    fs::remove_file(packs(&world, ".pack").pop().unwrap()).unwrap();
    assert!(!world.repo.is_connected().unwrap());
    let _ = world.repo.renew_indexes();
    assert!(!world.repo.is_connected().unwrap());
}

#[test]
fn what_lies_in_the_store_is_listed_until_it_is_set_aside() {
    let world = World::new();
    let other = world.store.repository(ProjectId::new(1002));
    world.store.create(&other, &branch("main")).unwrap();
    // None of these is a repository of a project.
    for stray in ["002/5.git", "002/x.git", "003/note", "+tmp/7.git"] {
        fs::create_dir_all(world.folder.path().join("repositories").join(stray)).unwrap();
    }
    let code = |id| (ProjectId::new(id), RepositoryKind::Code);
    assert_eq!(world.store.present().unwrap(), [code(1), code(1002)]);
    let place = world.store.set_aside(&other).unwrap().unwrap();
    assert!(place.join("HEAD").exists() && !other.exists());
    assert_eq!(world.store.present().unwrap(), [code(1)]);
    assert_eq!(world.store.set_aside(&other).unwrap(), None);
    world.store.sweep(now()).unwrap();
    assert!(place.join("HEAD").exists(), "only an administrator removes it");
}

#[test]
fn new_objects_are_packed_with_small_packs_only() {
    let world = World::new();
    for number in 0..40 {
        let _ = world.commit("main", &format!("c{number}"), &[(&format!("f{number}"), "1")]);
    }
    world.repo.maintain().unwrap();
    let large = packs(&world, ".pack");
    assert_eq!(large.len(), 1);
    let loose = || {
        let folders = fs::read_dir(world.repo.path().join("objects")).unwrap().map(|it| it.unwrap());
        folders.filter(|it| it.file_name().len() == 2 && fs::read_dir(it.path()).unwrap().next().is_some()).count()
    };
    for number in 0..3 {
        let tip = world.commit("main", &format!("more {number}"), &[(&format!("g{number}"), "1")]);
        assert!(loose() > 0);
        world.repo.pack_new().unwrap();
        let all = packs(&world, ".pack");
        assert!(loose() == 0 && all.len() <= 3 && all.contains(&large[0]), "{all:?}");
        assert_eq!(world.repo.ref_target(&branch("main").full()).unwrap(), Some(tip));
    }
    assert!(world.is_sound() && world.repo.is_connected().unwrap());
    // Nothing to do is no failure.
    world.repo.pack_new().unwrap();
}
