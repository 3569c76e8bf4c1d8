//! Wikis, cloned and pushed to.

use serde_json::json;

use super::{Site, backends, commit, git};

#[test]
fn a_wiki_is_cloned_changed_and_pushed() {
    for backend in backends() {
        let site = Site::start(backend);
        site.project("p", "public");
        let wiki = site.mine("p.wiki");
        let at = site.folder.path();
        // An empty one can be cloned.
        git(at, &["clone", "--quiet", &wiki, "empty"]).well();
        let here = site.working_copy("here", "main");
        commit(&here, "Home page.md", b"Hello\n", "a page");
        git(&here, &["push", "--quiet", &wiki, "main"]).well();
        let pages = site.root.get("/projects/root%2Fp/wikis?with_content=true").assert_status(200).json();
        assert_eq!((&pages[0]["slug"], &pages[0]["content"]), (&json!("Home-page"), &json!("Hello\n")));
        let made = json!({"title": "made", "content": "c"});
        site.root.post("/projects/root%2Fp/wikis", made).assert_status(201).json();
        git(at, &["clone", "--quiet", &site.address("p.wiki", None), "again"]).well();
        assert_eq!(std::fs::read_to_string(at.join("again/made.md")).unwrap(), "c");
        // No event of the project, and no branch of its code.
        let events = site.root.get("/projects/root%2Fp/events").json();
        assert_eq!((events.as_array().unwrap().len(), &events[0]["action_name"]), (1, &json!("created")));
        assert_eq!(site.root.get("/projects/root%2Fp/repository/branches").json(), json!([]));
        // Clones begin at the branch that was pushed first, whatever it is called.
        site.project("q", "public");
        let other = site.working_copy("other", "trunk");
        git(&other, &["push", "--quiet", &site.mine("q.wiki"), "trunk"]).well();
        assert_eq!(site.root.get("/projects/root%2Fq/wikis/README").assert_status(200).json()["content"], "# Hello\n");
    }
}

#[test]
fn those_who_may_fetch_and_push_a_wiki_do() {
    for backend in backends() {
        let site = Site::start(backend);
        site.project("closed", "private");
        site.project("open", "public");
        let here = site.working_copy("here", "main");
        let fetch = |name: &str, token: Option<&str>| git(&here, &["ls-remote", &site.address(name, token)]);
        let push = |name: &str, token: &str| git(&here, &["push", "--quiet", &site.address(name, Some(token)), "main"]);
        let members = [("guest", 10), ("reporter", 20), ("developer", 30)].map(|(name, level)| {
            let (user, token) = site.user(name);
            for project in ["closed", "open"] {
                site.member(project, &user, level);
            }
            token
        });
        let [guest, reporter, developer] = members;
        let (_, stranger) = site.user("stranger");
        let missing = "The project you were looking for could not be found.";
        let no_write = "You are not allowed to write to this project's wiki.";
        fetch("closed.wiki", None).refused("could not read Username");
        fetch("closed.wiki", Some(&stranger)).refused(missing);
        fetch("missing.wiki", Some(&stranger)).refused(missing);
        fetch("closed.wiki", Some(&guest)).refused("You are not allowed to download this project's wiki.");
        fetch("closed.wiki", Some(&reporter)).well();
        fetch("open.wiki", None).well();
        push("closed.wiki", &reporter).refused(no_write);
        push("open.wiki", &stranger).refused(no_write);
        push("closed.wiki", &developer).well();
        let set =
            |settings: serde_json::Value| site.root.put("/projects/root%2Fopen", settings).assert_status(200).json();
        set(json!({"wiki_access_level": "private"}));
        fetch("open.wiki", None).refused("could not read Username");
        fetch("open.wiki", Some(&stranger)).refused("You are not allowed to download this project's wiki.");
        set(json!({"wiki_access_level": "disabled"}));
        fetch("open.wiki", Some(&developer)).refused("You are not allowed to download this project's wiki.");
        push("open.wiki", &developer).refused(no_write);
        set(json!({"wiki_access_level": "enabled"}));
        push("open.wiki", &developer).well();
        site.root.post("/projects/root%2Fopen/archive", json!({})).assert_status(200).json();
        push("open.wiki", &developer).refused(no_write);
    }
}
