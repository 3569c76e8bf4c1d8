//! The quota of a repository.

use tenon_testkit::soon;

use super::{Site, backends, commit, git, noise};

#[test]
fn a_push_that_a_repository_has_no_room_for_is_refused_with_the_limit() {
    for backend in backends() {
        let site = Site::start_with(backend, "[limits.quotas]\nrepository = 1048576\n");
        site.project("p", "private");
        let here = site.working_copy("here", "main");
        commit(&here, "large", &noise(0..900_000), "large");
        git(&here, &["push", "--quiet", &site.mine("p"), "main", "main:other"]).well();
        let measured =
            || site.root.get("/projects/root%2Fp?statistics=true").json()["statistics"]["repository_size"].as_i64();
        soon("the repository is measured", || measured().is_some_and(|size| size >= 900_000));
        commit(&here, "more", &noise(1_000_000..1_400_000), "more");
        git(&here, &["push", &site.mine("p"), "main"])
            .refused("This repository would exceed its limit of 1 MiB (quotas.repository).");
        // A push that brings nothing is never refused.
        git(&here, &["push", "--quiet", &site.mine("p"), ":other"]).well();
    }
}
