//! Boards of projects and groups, and their lists.

mod lists;
mod order;

use serde_json::{Value, json};
use tenon_app::Limits;
use tenon_testkit::{TestServer, User, both_databases};

use crate::support::*;

/// A group with a project, and the owner of both.
pub(super) struct Scene {
    pub(super) alice: User,
    pub(super) group: i64,
    pub(super) project: i64,
}

impl Scene {
    pub(super) fn of(server: &TestServer) -> Self {
        let alice = server.user("alice");
        let group = group(&alice, "house", "public");
        let project = project_in(&alice, group, "tool", "public");
        Self { alice, group, project }
    }

    /// The addresses of the project and of the group.
    pub(super) fn homes(&self) -> [String; 2] {
        [format!("/projects/{}", self.project), format!("/groups/{}", self.group)]
    }

    /// A new board there, and its address.
    pub(super) fn board(&self, home: &str) -> String {
        format!("{home}/boards/{}", id(&made(&self.alice, &format!("{home}/boards"), json!({"name": "Board"}))))
    }
}

#[both_databases]
fn a_board_is_made_changed_and_removed(server: &TestServer) {
    let scene = Scene::of(server);
    for (home, is_group) in scene.homes().iter().zip([false, true]) {
        let path = format!("{home}/boards");
        assert_eq!(scene.alice.get(&path).assert_status(200).json(), json!([]), "no page makes one unasked");
        let new = made(&scene.alice, &path, json!({"name": " Plan "}));
        let one = format!("{path}/{}", id(&new));
        assert_eq!((&new["name"], &new["lists"]), (&json!("Plan"), &json!([])));
        assert_eq!((&new["hide_backlog_list"], &new["hide_closed_list"]), (&json!(false), &json!(false)));
        for (field, want) in
            [("milestone", json!(null)), ("assignee", json!(null)), ("labels", json!([])), ("weight", json!(null))]
        {
            assert_eq!(new[field], want, "{field}");
        }
        if is_group {
            let want = json!({"id": scene.group, "name": "house", "web_url": "http://tenon.test/groups/house"});
            assert_eq!((&new["project"], &new["group"]["id"]), (&Value::Null, &want["id"]), "{new}");
            assert_eq!(keys(&new["group"]), keys(&want));
        } else {
            assert_eq!(new["project"]["path_with_namespace"], "house/tool");
            assert_lacks(&new, &["group"]);
            assert_lacks(&new["project"], &["permissions", "visibility"]);
        }
        assert_eq!(scene.alice.get(&one).assert_status(200).json(), new);
        assert_eq!(scene.alice.get(&path).assert_status(200).json(), json!([new]));
        assert_eq!(changed(&scene.alice, &one, json!({"labels": "x", "assignee_id": 1})), new, "passed over");
        let edited = changed(&scene.alice, &one, json!({"name": "Do", "hide_backlog_list": true}));
        assert_eq!((&edited["name"], &edited["hide_backlog_list"]), (&json!("Do"), &json!(true)));
        let early = scene.alice.header("If-Unmodified-Since", "Mon, 02 Mar 2026 11:00:00 GMT");
        early.delete(&one).assert(412, json!({"message": "412 Precondition Failed"}));
        let _ = scene.alice.delete(&one).assert_status(204);
        for reply in [scene.alice.get(&one), scene.alice.put(&one, json!({})), scene.alice.delete(&one)] {
            reply.assert(404, json!({"message": "404 Not found"}));
        }
    }
}

#[both_databases]
fn every_rule_of_a_board_has_its_text(server: &TestServer) {
    let scene = Scene::of(server);
    for home in scene.homes() {
        let path = format!("{home}/boards");
        let one = scene.board(&home);
        scene.alice.post(&path, json!({})).assert(400, parameter("name is missing"));
        for (name, text) in [(" ", "can't be blank"), (&*"n".repeat(256), "is too long (maximum is 255 characters)")] {
            scene.alice.post(&path, json!({"name": name})).assert(400, field("name", text));
            scene.alice.put(&one, json!({"name": name})).assert(400, field("name", text));
        }
        scene.alice.put(&one, json!({"hide_closed_list": "x"})).assert(400, parameter("hide_closed_list is invalid"));
        let hostile = "<b>\u{202e}\"'&\u{0}";
        let reply = scene.alice.post(&path, json!({"name": hostile}));
        assert!([201, 400].contains(&reply.status()), "{}", reply.status());
        let _ = scene.alice.get(&format!("{path}/x")).assert_status(404);
        let _ = scene.alice.get(&format!("{path}/999999999999999999999")).assert_status(404);
    }
    let other = project(&scene.alice, "other", "public");
    let [of_project, of_group] = scene.homes().map(|home| scene.board(&home));
    let elsewhere = of_project.replace(&format!("/projects/{}/", scene.project), &format!("/projects/{other}/"));
    let _ = scene.alice.get(&elsewhere).assert_status(404);
    let _ = scene.alice.get(&of_group.replace("/groups/", "/projects/")).assert_status(404);
}

#[both_databases]
fn reporters_change_boards_and_readers_see_them(server: &TestServer) {
    let scene = Scene::of(server);
    let bob = server.user("bob");
    for home in scene.homes() {
        let one = scene.board(&home);
        server.anonymous().get(&one).assert(401, unauthorized());
        for (level, may) in [(None, false), (Some(10), false), (Some(20), true)] {
            if let Some(level) = level {
                let _ = scene.alice.delete(&format!("{home}/members/{}", bob.id));
                member(&scene.alice, &home, bob.id, level);
            }
            let _ = bob.get(&one).assert_status(200);
            let _ =
                bob.post(&format!("{home}/boards"), json!({"name": "n"})).assert_status(if may { 201 } else { 403 });
            let _ = bob.put(&one, json!({"name": "n"})).assert_status(if may { 200 } else { 403 });
        }
        let _ = bob.delete(&one).assert_status(204);
        let _ = scene.alice.delete(&format!("{home}/members/{}", bob.id)).assert_status(204);
        let one = scene.board(&home);
        let _ = bob.delete(&one).assert_status(403);
        let _ = scene.alice.put(&home, json!({"visibility": "private"})).assert_status(200);
        let _ = bob.get(&one).assert_status(404);
    }
}

#[both_databases]
fn an_archived_project_and_one_without_issues_have_boards_no_one_changes(server: &TestServer) {
    let scene = Scene::of(server);
    let [project, group] = scene.homes();
    let (one, of_group) = (scene.board(&project), scene.board(&group));
    let _ = scene.alice.post(&format!("{project}/archive"), json!({})).assert_status(200);
    let _ = scene.alice.get(&one).assert_status(200);
    scene.alice.put(&one, json!({"name": "n"})).assert(403, forbidden());
    let _ = scene.alice.put(&of_group, json!({"name": "n"})).assert_status(200);
    let _ = scene.alice.post(&format!("{project}/unarchive"), json!({})).assert_status(200);
    let _ = scene.alice.put(&project, json!({"issues_enabled": false})).assert_status(200);
    for path in [format!("{project}/boards"), one.clone(), format!("{one}/lists")] {
        scene.alice.get(&path).assert(403, forbidden());
        server.root().get(&path).assert(403, forbidden());
    }
    let bob = server.user("bob");
    let _ = scene.alice.put(&project, json!({"issues_access_level": "private"})).assert_status(200);
    bob.get(&one).assert(403, forbidden());
    let _ = scene.alice.get(&one).assert_status(200);
}

#[both_databases]
fn their_number_is_bounded_and_they_end_with_their_home(server: &TestServer) {
    let mut limits = Limits::without_rates();
    limits.contents.boards = 1;
    limits.contents.board_lists = 1;
    let server = &TestServer::beside_with(server, limits);
    let scene = Scene::of(server);
    let labels = ["a", "b"].map(|name| label(&scene.alice, &scene.homes()[1], name));
    for (home, of) in scene.homes().iter().zip(["A project", "A group"]) {
        let lists = format!("{}/lists", scene.board(home));
        let want = field("base", &format!("{of} has at most 1 boards"));
        scene.alice.post(&format!("{home}/boards"), json!({"name": "n"})).assert(400, want);
        made(&scene.alice, &lists, json!({"label_id": labels[0]}));
        let want = field("base", "A board has at most 1 lists");
        scene.alice.post(&lists, json!({"label_id": labels[1]})).assert(400, want);
    }
    issue(&scene.alice, scene.project, json!({"title": "One"}));
    issue(&scene.alice, scene.project, json!({"title": "Two"}));
    let _ = scene.alice.delete(&scene.homes()[1]).assert_status(202);
    server.run_jobs();
    for table in ["boards", "board_lists", "issue_positions"] {
        assert_eq!(server.database().count(&format!("SELECT COUNT(*) FROM {table}")), 0);
    }
}
