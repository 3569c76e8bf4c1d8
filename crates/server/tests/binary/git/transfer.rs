//! Pushed commits come back.

use super::{Site, backends, commit, git, noise};

#[test]
fn what_is_pushed_is_cloned_byte_for_byte() {
    for backend in backends() {
        let site = Site::start(backend);
        site.project("p", "private");
        let here = site.working_copy("here", "main");
        let bytes = noise(0..200_000);
        commit(&here, "random.bin", &bytes, "bytes");
        git(&here, &["tag", "-a", "v1", "-m", "one"]).well();
        git(&here, &["push", "--quiet", &site.mine("p"), "main", "v1"]).well();
        git(site.folder.path(), &["clone", "--quiet", &site.mine("p"), "there"]).well();
        let there = site.folder.path().join("there");
        assert_eq!(std::fs::read(there.join("random.bin")).unwrap(), bytes);
        let tip = |folder: &std::path::Path| git(folder, &["rev-parse", "HEAD", "v1"]).well();
        assert_eq!(tip(&here), tip(&there));
        let project = site.root.get("/projects/root%2Fp").json();
        assert_eq!(project["default_branch"], "main");
    }
}

#[test]
fn the_first_branch_becomes_the_default_one_whatever_its_name() {
    for backend in backends() {
        let site = Site::start(backend);
        site.project("p", "private");
        let here = site.working_copy("here", "trunk");
        git(&here, &["push", "--quiet", &site.mine("p"), "trunk"]).well();
        assert_eq!(site.root.get("/projects/root%2Fp").json()["default_branch"], "trunk");
        git(site.folder.path(), &["clone", "--quiet", &site.mine("p"), "there"]).well();
        let branch = git(&site.folder.path().join("there"), &["symbolic-ref", "--short", "HEAD"]).well();
        assert_eq!(branch.trim(), "trunk");
    }
}

#[test]
fn an_empty_project_can_be_cloned() {
    for backend in backends() {
        let site = Site::start(backend);
        site.project("p", "private");
        let text = git(site.folder.path(), &["clone", &site.mine("p"), "there"]).well();
        assert!(text.contains("empty repository"), "{text}");
    }
}

#[test]
fn every_way_to_fetch() {
    let site = Site::start(tenon_testkit::Backend::Sqlite);
    site.project("p", "private");
    let here = site.working_copy("here", "main");
    for number in 0..30 {
        commit(&here, "file", format!("{number}\n").as_bytes(), &format!("change {number}"));
    }
    git(&here, &["push", "--quiet", &site.mine("p"), "main"]).well();
    let (at, url) = (site.folder.path(), site.mine("p"));
    for version in ["0", "1", "2"] {
        let setting = format!("protocol.version={version}");
        let name = format!("v{version}");
        git(at, &["-c", &setting, "clone", "--quiet", &url, &name]).well();
        assert_eq!(git(&at.join(&name), &["rev-list", "--count", "HEAD"]).well().trim(), "31");
    }
    git(at, &["clone", "--quiet", "--depth", "1", &url, "shallow"]).well();
    let shallow = at.join("shallow");
    assert_eq!(git(&shallow, &["rev-list", "--count", "HEAD"]).well().trim(), "1");
    git(&shallow, &["fetch", "--quiet", "--deepen", "4"]).well();
    assert_eq!(git(&shallow, &["rev-list", "--count", "HEAD"]).well().trim(), "5");
    git(&shallow, &["fetch", "--quiet", "--unshallow"]).well();
    assert_eq!(git(&shallow, &["rev-list", "--count", "HEAD"]).well().trim(), "31");
    git(at, &["clone", "--quiet", "--filter=blob:none", &url, "partial"]).well();
    assert_eq!(std::fs::read(at.join("partial/file")).unwrap(), b"29\n");
}

#[test]
fn large_pushes_come_in_pieces_and_long_requests_packed() {
    let site = Site::start(tenon_testkit::Backend::Sqlite);
    site.project("p", "private");
    let here = site.working_copy("here", "main");
    commit(&here, "large.bin", &noise(0..3_000_000), "large");
    let setting = "http.postBuffer=65536";
    git(&here, &["-c", setting, "push", "--quiet", "-o", "ci.skip", "--atomic", &site.mine("p"), "main"]).well();
    // Many haves make the client pack its request.
    for number in 0..600 {
        git(&here, &["update-ref", &format!("refs/heads/b{number}"), "HEAD"]).well();
    }
    commit(&here, "file", b"more\n", "more");
    git(&here, &["push", "--quiet", &site.mine("p"), "main"]).well();
    git(&here, &["reset", "--quiet", "--hard", "HEAD~1"]).well();
    git(&here, &["fetch", "--quiet", &site.mine("p"), "main"]).well();
}
