//! Deployments of projects.

use serde_json::{Value, json};
use tenon_app::Limits;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Client, TestServer, both_databases};

use crate::merge_request::{branch, merge, offer, work, write};
use crate::support::*;

/// A project with a commit on `main`, and its members.
struct Scene {
    cast: Cast,
    home: String,
    all: String,
    sha: String,
}

impl Scene {
    fn of(server: &TestServer, visibility: &str) -> Self {
        let cast = Cast::of(server, visibility);
        let sha = write(&cast.owner, cast.project, "main", "a.txt", "a\n");
        let home = format!("/projects/{}", cast.project);
        Self { all: format!("{home}/deployments"), home, sha, cast }
    }

    fn body(&self, environment: &str, status: &str) -> Value {
        json!({"environment": environment, "sha": self.sha, "ref": "main", "tag": false, "status": status})
    }

    fn deploy(&self, environment: &str, status: &str) -> Value {
        made(&self.cast.owner, &self.all, self.body(environment, status))
    }

    fn one(&self, of: &Value) -> String {
        format!("{}/{}", self.all, id(of))
    }
}

fn iids(client: &Client, path: &str) -> Vec<i64> {
    let found = client.get(path).assert_status(200).each("iid");
    found.iter().map(|iid| iid.as_i64().expect("a number")).collect()
}

#[both_databases]
fn a_deployment_is_reported_and_ends(server: &TestServer) {
    let scene = Scene::of(server, "private");
    let new = scene.deploy("production", "running");
    for (field, want) in [
        ("iid", json!(1)),
        ("ref", json!("main")),
        ("sha", json!(scene.sha)),
        ("status", json!("running")),
        ("deployable", Value::Null),
        ("user", json!(new["user"])),
    ] {
        assert_eq!(new[field], want, "{field}");
    }
    assert_eq!(new["user"]["username"], "owner");
    let environment = id(&new["environment"]);
    let reference = json!({"id": environment, "name": "production", "slug": "production", "external_url": null});
    assert_eq!(new["environment"], reference);
    let (one, of) = (scene.one(&new), format!("{}/environments/{environment}", scene.home));
    assert_eq!(scene.cast.owner.get(&of).assert_status(200).json()["last_deployment"], Value::Null);
    let _ = scene.cast.owner.post(&format!("{of}/stop"), json!({})).assert_status(200);
    server.advance(TimeDelta::seconds(5));
    let done = changed(&scene.cast.owner, &one, json!({"status": "success"}));
    assert_eq!(done["status"], "success");
    assert_ne!(done["updated_at"], new["updated_at"]);
    assert_eq!(scene.cast.owner.get(&one).assert_status(200).json(), done);
    let shown = scene.cast.owner.get(&of).assert_status(200).json();
    assert_eq!((&shown["last_deployment"], &shown["state"]), (&done, &json!("available")));
    for status in ["running", "success"] {
        let event = if status == "running" { "run" } else { "succeed" };
        let text = format!("cannot transition via \"{event}\" from success");
        scene.cast.owner.put(&one, json!({"status": status})).assert(400, field("status", &text));
    }
    let second = scene.deploy("production", "failed");
    assert_eq!((&second["iid"], &second["environment"]), (&json!(2), &reference));
    assert_eq!(scene.cast.owner.get(&of).json()["last_deployment"], done, "a failed one is not deployed");
}

#[both_databases]
fn a_deployment_that_is_current_or_under_way_stays(server: &TestServer) {
    let scene = Scene::of(server, "private");
    let [first, current, running] = ["success", "success", "running"].map(|status| scene.deploy("production", status));
    let refused = |text: &str| json!({"message": text});
    scene.cast.owner.delete(&scene.one(&running)).assert(400, refused("Cannot destroy running deployment"));
    let text = "Deployment currently deployed to environment";
    scene.cast.owner.delete(&scene.one(&current)).assert(400, refused(text));
    let _ = scene.cast.owner.delete(&scene.one(&first)).assert_status(204);
    scene.cast.owner.get(&scene.one(&first)).assert(404, json!({"message": "404 Not found"}));
    let _ = changed(&scene.cast.owner, &scene.one(&running), json!({"status": "canceled"}));
    let _ = scene.cast.owner.delete(&scene.one(&running)).assert_status(204);
    assert_eq!(scene.deploy("production", "success")["iid"], 4, "no number is given out twice");
    let environment = format!("{}/environments/{}", scene.home, id(&current["environment"]));
    let _ = scene.cast.owner.delete(&environment).assert_status(204);
    assert_eq!(scene.cast.owner.get(&scene.all).json(), json!([]));
}

#[both_databases]
fn every_rule_of_a_deployment_has_its_text(server: &TestServer) {
    let scene = Scene::of(server, "private");
    let missing = ["environment", "sha", "ref", "tag", "status"].map(|name| format!("{name} is missing")).join(", ");
    scene.cast.owner.post(&scene.all, json!({})).assert(400, parameter(&missing));
    let with = |name: &str, value: Value| {
        let mut body = scene.body("production", "success");
        body[name] = value;
        scene.cast.owner.post(&scene.all, body)
    };
    with("status", json!("created")).assert(400, parameter("status does not have a valid value"));
    for sha in ["0".repeat(40), "none".to_owned(), "..".to_owned(), "-x".to_owned(), "x".repeat(5_000)] {
        with("sha", json!(sha)).assert(400, field("sha", "The commit does not exist"));
    }
    for name in ["none", "..", "-x", "refs/heads/../x", "a b", "a\u{202e}", &*"x".repeat(5_000)] {
        with("ref", json!(name)).assert(400, field("ref", "The branch or tag does not exist"));
    }
    with("tag", json!(true)).assert(400, field("ref", "The branch or tag does not exist"));
    assert_eq!(with("environment", json!("/")).status(), 400);
    assert_eq!(scene.cast.owner.get(&format!("{}/environments", scene.home)).json(), json!([]), "none was made");
    let tag = json!({"tag_name": "v1", "ref": "main"});
    made(&scene.cast.owner, &format!("{}/repository/tags", scene.home), tag);
    let body = json!({"environment": "x", "sha": "main", "ref": "v1", "tag": true, "status": "success"});
    let of_tag = made(&scene.cast.owner, &scene.all, body);
    assert_eq!((&of_tag["ref"], &of_tag["sha"]), (&json!("v1"), &json!(scene.sha)), "any name of the commit is right");
    scene.cast.owner.put(&scene.one(&of_tag), json!({})).assert(400, parameter("status is missing"));
    let other = project(&scene.cast.owner, "other", "private");
    let elsewhere = scene.one(&of_tag).replace(&scene.home, &format!("/projects/{other}"));
    scene.cast.owner.get(&elsewhere).assert(404, json!({"message": "404 Not found"}));
    scene.cast.owner.post(&format!("/projects/{other}/deployments"), scene.body("x", "success")).assert(
        400,
        json!({"message": {"sha": ["The commit does not exist"], "ref": ["The branch or tag does not exist"]}}),
    );
}

#[both_databases]
fn deployments_are_filtered_and_ordered(server: &TestServer) {
    let scene = Scene::of(server, "private");
    branch(&scene.cast.owner, scene.cast.project, "a-branch", "main");
    for (environment, status, name) in
        [("production", "success", "main"), ("staging", "running", "a-branch"), ("staging", "failed", "main")]
    {
        let mut body = scene.body(environment, status);
        body["ref"] = json!(name);
        made(&scene.cast.owner, &scene.all, body);
        server.advance(TimeDelta::minutes(1));
    }
    for (query, want) in [
        ("", vec![1, 2, 3]),
        ("?sort=desc", vec![3, 2, 1]),
        ("?order_by=iid&sort=desc", vec![3, 2, 1]),
        ("?order_by=created_at", vec![1, 2, 3]),
        ("?order_by=ref", vec![2, 1, 3]),
        ("?environment=staging", vec![2, 3]),
        ("?environment=none", vec![]),
        ("?status=success", vec![1]),
        ("?status=created", vec![]),
        ("?order_by=updated_at&updated_after=2026-03-02T12:00:30Z", vec![2, 3]),
        ("?order_by=updated_at&updated_before=2026-03-02T12:00:30Z", vec![1]),
        ("?finished_after=2026-03-02T12:00:30Z", vec![3]),
        ("?finished_before=2026-03-02T12:00:30Z&order_by=finished_at", vec![1]),
        ("?per_page=1&page=3", vec![3]),
    ] {
        assert_eq!(iids(&scene.cast.owner, &format!("{}{query}", scene.all)), want, "{query}");
    }
    let get = |query: &str| scene.cast.owner.get(&format!("{}?{query}", scene.all));
    get("order_by=x").assert(400, parameter("order_by does not have a valid value"));
    get("updated_after=2026-03-02T12:00:30Z").assert(
        400,
        json!({"message": "400 Bad request - `updated_at` filter and `updated_at` sorting must be paired"}),
    );
}

#[both_databases]
fn reporters_read_developers_report_and_maintainers_remove(server: &TestServer) {
    let scene = Scene::of(server, "public");
    let one = scene.one(&scene.deploy("production", "failed"));
    server.anonymous().get(&scene.all).assert(401, unauthorized());
    for (user, reads, reports, updates, removes) in [
        (&scene.cast.stranger, 403, 403, 403, 403),
        (&scene.cast.guest, 403, 403, 403, 403),
        (&scene.cast.reporter, 200, 403, 403, 403),
        (&scene.cast.developer, 200, 201, 200, 403),
        (&scene.cast.maintainer, 200, 201, 400, 204),
    ] {
        let _ = user.get(&scene.all).assert_status(reads);
        let _ = user.get(&one).assert_status(reads);
        let _ = user.get(&format!("{one}/merge_requests")).assert_status(reads);
        let _ = user.post(&scene.all, scene.body("production", "running")).assert_status(reports);
        let _ = user.put(&one, json!({"status": "canceled"})).assert_status(updates);
        let _ = user.delete(&one).assert_status(removes);
    }
    let owner = &scene.cast.owner;
    for part in ["environments_access_level", "builds_access_level"] {
        let _ = owner.put(&scene.home, json!({part: "disabled"})).assert_status(200);
        owner.get(&scene.all).assert(403, forbidden());
        owner.post(&scene.all, scene.body("x", "success")).assert(403, forbidden());
        let _ = owner.put(&scene.home, json!({part: "enabled"})).assert_status(200);
    }
    let _ = owner.post(&format!("{}/archive", scene.home), json!({})).assert_status(200);
    let _ = owner.get(&scene.all).assert_status(200);
    owner.post(&scene.all, scene.body("x", "success")).assert(403, forbidden());
}

#[both_databases]
fn a_deployment_has_the_merge_requests_since_the_one_before(server: &TestServer) {
    let scene = Scene::of(server, "private");
    let (owner, project) = (&scene.cast.owner, scene.cast.project);
    let merged = |name: &str| {
        work(owner, project, name);
        merge(owner, &offer(owner, project, name, "main", &json!({})), json!({}));
        server.advance(TimeDelta::minutes(1));
    };
    merged("one");
    let first = scene.deploy("production", "success");
    server.advance(TimeDelta::minutes(1));
    merged("two");
    merged("three");
    let failed = scene.deploy("production", "failed");
    let second = scene.deploy("production", "success");
    let elsewhere = scene.deploy("staging", "success");
    server.advance(TimeDelta::minutes(1));
    merged("four");
    for (of, want) in [(&first, vec![1]), (&failed, vec![]), (&second, vec![3, 2]), (&elsewhere, vec![3, 2, 1])] {
        let shown = iids(owner, &format!("{}/merge_requests", scene.one(of)));
        assert_eq!(shown, want, "{of}");
    }
    let paged = owner.get(&format!("{}/merge_requests?per_page=1", scene.one(&second)));
    assert_eq!(paged.assert_status(200).header("x-total"), "2");
}

#[both_databases]
fn deployments_go_with_their_project_and_stay_without_their_user(server: &TestServer) {
    let scene = Scene::of(server, "private");
    let one = made(&scene.cast.developer, &scene.all, scene.body("production", "success"));
    let _ = scene.cast.admin.delete(&format!("/users/{}?hard_delete=true", scene.cast.developer.id));
    server.run_jobs();
    let left = scene.cast.owner.get(&scene.one(&one)).assert_status(200).json();
    assert_eq!(left["user"], Value::Null);
    let _ = scene.cast.owner.delete(&scene.home);
    server.run_jobs();
    for table in ["environments", "deployments"] {
        assert_eq!(server.database().count(&format!("SELECT COUNT(*) FROM {table}")), 0, "{table}");
    }
}

#[both_databases]
fn a_project_has_a_bounded_number_of_deployments(server: &TestServer) {
    let mut limits = Limits::without_rates();
    limits.contents.deployments = 1;
    let server = &TestServer::beside_with(server, limits);
    let scene = Scene::of(server, "private");
    scene.deploy("production", "success");
    let refused = scene.cast.owner.post(&scene.all, scene.body("production", "success"));
    refused.assert(400, field("base", "A project has at most 1 deployments"));
}
