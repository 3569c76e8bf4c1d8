//! Statuses of commits and pipelines.

use serde_json::json;
use tenon_testkit::{TestServer, both_databases};

use super::*;

/// A project with one commit, and the commit's name.
fn with_commit(client: &Client) -> (i64, String) {
    let tool = repository(client, "tool", "public");
    (tool, tip(client, tool, "main").expect("a commit"))
}

/// Posts the status of a job.
fn post(client: &Client, project: i64, sha: &str, body: Value) -> Reply {
    client.post(&format!("/projects/{project}/statuses/{sha}"), body)
}

/// Posts the status of a job, and yields the answer.
#[track_caller]
fn post_status(client: &Client, project: i64, sha: &str, state: &str, more: &Value) -> Value {
    post(client, project, sha, with(json!({"state": state}), more)).assert_status(201).json()
}

/// The fields that distinguish jobs.
#[track_caller]
fn jobs(client: &Client, project: i64, sha: &str, query: &str) -> Value {
    let list = client.get(&format!("{}/commits/{sha}/statuses?{query}", at(project))).assert_status(200).json();
    list.as_array().expect("a list").iter().map(|job| some(job, &["name", "ref", "status"])).collect()
}

/// The pipeline that a job belongs to, and its path.
#[track_caller]
fn pipeline(client: &Client, project: i64, job: &Value) -> (Value, String) {
    let path = format!("/projects/{project}/pipelines/{}", job["pipeline_id"]);
    (client.get(&path).assert_status(200).json(), path)
}

#[both_databases]
fn all_of_a_status_is_stored(server: &TestServer) {
    let alice = server.user("alice");
    let (tool, sha) = with_commit(&alice);
    let author = basic(&alice.get("/user").json());
    let body =
        json!({"name": "build", "target_url": "https://ci.example/1", "description": "Half done", "coverage": 87.5});
    let job = post_status(&alice, tool, &sha, "running", &body);
    let want = json!({
        "id": job["id"], "sha": sha, "ref": "main", "status": "running", "name": "build", "target_url": "https://ci.example/1",
        "description": "Half done", "created_at": job["created_at"], "started_at": job["created_at"], "finished_at": null,
        "allow_failure": false, "coverage": 87.5, "author": author, "pipeline_id": job["pipeline_id"],
    });
    assert_eq!(job, want);
    assert_eq!(alice.get(&format!("{}/commits/{sha}/statuses", at(tool))).json(), json!([want]));
    let plain = post_status(&alice, tool, "main", "pending", &json!({}));
    assert_eq!(
        some(&plain, &["sha", "name", "target_url", "description", "coverage", "started_at"]),
        json!([sha, "default", null, null, null, null])
    );
    assert_eq!(post_status(&alice, tool, &sha, "success", &json!({"context": "lint"}))["name"], "lint");
}

#[both_databases]
fn an_open_job_is_changed_in_place(server: &TestServer) {
    let alice = server.user("alice");
    let (tool, sha) = with_commit(&alice);
    let pending = post_status(&alice, tool, &sha, "pending", &json!({"description": "Waits"}));
    let running = post_status(&alice, tool, &sha, "running", &json!({}));
    let done = post_status(&alice, tool, &sha, "success", &json!({"coverage": 50}));
    assert_eq!([&running["id"], &done["id"]], [&pending["id"], &pending["id"]]);
    assert_eq!(some(&done, &["status", "description", "coverage"]), json!(["success", "Waits", 50.0]));
    assert!(pending["started_at"].is_null() && running["started_at"].is_string() && running["finished_at"].is_null());
    assert_eq!(done["started_at"], running["started_at"]);
    assert!(done["finished_at"].as_str() > done["started_at"].as_str(), "{done}");
}

#[both_databases]
fn a_job_that_is_done_is_begun_anew(server: &TestServer) {
    let alice = server.user("alice");
    let (tool, sha) = with_commit(&alice);
    let failed = post_status(&alice, tool, &sha, "failed", &json!({}));
    let again = post_status(&alice, tool, &sha, "pending", &json!({}));
    assert!(again["id"].as_i64() > failed["id"].as_i64());
    assert_eq!(again["pipeline_id"], failed["pipeline_id"]);
    assert_eq!(jobs(&alice, tool, &sha, ""), json!([["default", "main", "pending"]]));
    assert_eq!(
        jobs(&alice, tool, &sha, "all=true"),
        json!([["default", "main", "failed"], ["default", "main", "pending"]])
    );
    // Only the newest counts.
    assert_eq!(pipeline(&alice, tool, &again).0["status"], "pending");
    post_status(&alice, tool, &sha, "success", &json!({}));
    assert_eq!(pipeline(&alice, tool, &again).0["status"], "success");
}

#[both_databases]
fn a_job_of_another_user_is_replaced_and_not_changed(server: &TestServer) {
    let cast = cast(server, "public");
    let sha = tip(&cast.owner, cast.project, "main").expect("a commit");
    let theirs = post_status(&cast.developer, cast.project, &sha, "running", &json!({}));
    let mine = post_status(&cast.maintainer, cast.project, &sha, "running", &json!({}));
    assert_ne!(theirs["id"], mine["id"]);
    assert_eq!(mine["author"]["username"], "maintainer");
    let list = cast.owner.get(&format!("{}/commits/{sha}/statuses", at(cast.project)));
    assert_eq!(list.each("id"), [mine["id"].clone()]);
}

#[both_databases]
fn a_job_cannot_go_back(server: &TestServer) {
    let alice = server.user("alice");
    let (tool, sha) = with_commit(&alice);
    let refused = |state: &str, event: &str, from: &str| {
        let text = format!(
            "Cannot transition status via :{event} from :{from} (Reason(s): Status cannot transition via \"{event}\")"
        );
        post(&alice, tool, &sha, json!({"state": state})).assert(400, message(&text));
    };
    post_status(&alice, tool, &sha, "pending", &json!({}));
    refused("pending", "enqueue", "pending");
    post_status(&alice, tool, &sha, "running", &json!({}));
    refused("pending", "enqueue", "running");
    refused("running", "run", "running");
    assert_eq!(jobs(&alice, tool, &sha, "all=true"), json!([["default", "main", "running"]]));
    for state in ["success", "failed", "canceled"] {
        post_status(&alice, tool, &sha, "pending", &json!({"name": state}));
        post_status(&alice, tool, &sha, state, &json!({"name": state}));
    }
}

#[both_databases]
fn a_status_that_makes_no_sense_is_refused(server: &TestServer) {
    let alice = server.user("alice");
    let (tool, sha) = with_commit(&alice);
    post(&alice, tool, &sha, json!({})).assert(400, parameter("state is missing"));
    for state in ["done", "skipped", "created"] {
        post(&alice, tool, &sha, json!({"state": state})).assert(400, parameter("state does not have a valid value"));
    }
    post(&alice, tool, &sha, json!({"state": "success", "coverage": "most"}))
        .assert(400, parameter("coverage is invalid"));
    for url in ["javascript:alert(1)", "ftp://ci.example/", "ci"] {
        let body = json!({"state": "success", "target_url": url});
        post(&alice, tool, &sha, body)
            .assert(400, field("target_url", "is blocked: Only allowed protocols are http, https"));
    }
    for (name, length) in [("name", 256), ("description", 256), ("ref", 256)] {
        let _ = post(&alice, tool, &sha, json!({"state": "success", name: "x".repeat(length)})).assert_status(400);
    }
    for sha in ["nowhere", &"0".repeat(40), "main~9"] {
        post(&alice, tool, sha, json!({"state": "success"})).assert(404, missing("Commit"));
    }
    assert_eq!(alice.get(&format!("/projects/{tool}/pipelines")).json(), json!([]));
}

#[both_databases]
fn a_pipeline_has_a_thousand_jobs_at_most(server: &TestServer) {
    let alice = server.user("alice");
    let (tool, sha) = with_commit(&alice);
    let first = post_status(&alice, tool, &sha, "success", &json!({"name": "first"}));
    server.database().execute(&format!(
        "WITH RECURSIVE numbers (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1000) \
         INSERT INTO commit_statuses (pipeline_id, name, status, created_at) \
         SELECT {}, 'job ' || n, 'success', CURRENT_TIMESTAMP FROM numbers",
        first["pipeline_id"],
    ));
    let another = json!({"state": "success", "name": "another"});
    post(&alice, tool, &sha, another).assert(400, json!({"message": "A pipeline has 1000 jobs at most"}));
    let _ = post_status(&alice, tool, &sha, "failed", &json!({"name": "first"}));
}

#[both_databases]
fn a_status_goes_to_the_first_branch_that_has_the_commit(server: &TestServer) {
    let alice = server.user("alice");
    let (tool, sha) = with_commit(&alice);
    branch(&alice, tool, "a", "main");
    assert_eq!(post_status(&alice, tool, &sha, "success", &json!({}))["ref"], "main");
    assert_eq!(post_status(&alice, tool, &sha, "success", &json!({"ref": "a"}))["ref"], "a");
    let topic = work(&alice, tool, "topic");
    assert_eq!(post_status(&alice, tool, &topic, "success", &json!({}))["ref"], "topic");
    made(&alice, &format!("{}/commits/{topic}/comments", at(tool)), json!({"note": "Keep it"}));
    let _ = alice.delete(&format!("{}/branches/topic", at(tool))).assert_status(204);
    post(&alice, tool, &topic, json!({"state": "success"})).assert(404, missing("References for commit"));
}

#[both_databases]
fn statuses_are_found_by_ref_and_name(server: &TestServer) {
    let alice = server.user("alice");
    let (tool, sha) = with_commit(&alice);
    branch(&alice, tool, "a", "main");
    for (name, on, state) in [("build", "main", "success"), ("lint", "main", "failed"), ("build", "a", "running")] {
        post_status(&alice, tool, &sha, state, &json!({"name": name, "ref": on}));
    }
    let (first, second, third) =
        (json!(["build", "main", "success"]), json!(["lint", "main", "failed"]), json!(["build", "a", "running"]));
    assert_eq!(jobs(&alice, tool, &sha, ""), json!([first, second, third]));
    assert_eq!(jobs(&alice, tool, "main", "name=build"), json!([first, third]));
    assert_eq!(jobs(&alice, tool, &sha, "ref=main"), json!([first, second]));
    assert_eq!(jobs(&alice, tool, &sha, "ref=a&name=lint"), json!([]));
    assert_eq!(jobs(&alice, tool, &sha, "ref=a&stage=external"), json!([third]));
    assert_eq!(jobs(&alice, tool, &sha, "stage=build"), json!([]));
    let page = alice.get(&format!("{}/commits/{sha}/statuses?per_page=2&page=2", at(tool)));
    assert_eq!((page.each("ref"), page.header("x-total")), (vec![json!("a")], "3".to_owned()));
    write(&alice, tool, "main", "x", "x");
    assert_eq!(jobs(&alice, tool, "main", ""), json!([]));
}

#[both_databases]
fn a_pipeline_is_what_its_jobs_are(server: &TestServer) {
    let alice = server.user("alice");
    let (tool, sha) = with_commit(&alice);
    let state = |job: &Value| pipeline(&alice, tool, job).0["status"].clone();
    let job = post_status(&alice, tool, &sha, "pending", &json!({"name": "a"}));
    assert_eq!(state(&job), "pending");
    for (name, next, want) in [
        ("a", "success", "success"),
        ("b", "pending", "running"),
        ("b", "running", "running"),
        ("b", "canceled", "canceled"),
        ("c", "failed", "failed"),
        ("c", "success", "canceled"),
        ("b", "success", "success"),
    ] {
        let next_job = post_status(&alice, tool, &sha, next, &json!({"name": name}));
        assert_eq!((state(&next_job), &next_job["pipeline_id"]), (json!(want), &job["pipeline_id"]), "{name} {next}");
    }
}

#[both_databases]
fn a_pipeline_is_shown_whole(server: &TestServer) {
    let alice = server.user("alice");
    let (tool, sha) = with_commit(&alice);
    let running = post_status(&alice, tool, &sha, "running", &json!({}));
    server.advance(TimeDelta::seconds(90));
    let job = post_status(&alice, tool, &sha, "success", &json!({}));
    let (shown, path) = pipeline(&alice, tool, &job);
    let id = &job["pipeline_id"];
    let brief = json!({
        "id": id, "project_id": tool, "sha": sha, "ref": "main", "status": "success", "source": "external", "created_at": running["created_at"],
        "updated_at": job["finished_at"], "web_url": format!("{}/alice/tool/-/pipelines/{id}", server.base()),
    });
    let more = json!({
        "before_sha": "0".repeat(40), "tag": false, "yaml_errors": null, "user": job["author"], "started_at": running["started_at"],
        "finished_at": job["finished_at"], "committed_at": null, "duration": 90, "coverage": null,
    });
    assert_eq!(shown, with(brief.clone(), &more));
    assert_eq!(alice.get(&format!("/projects/{tool}/pipelines")).assert_status(200).json(), json!([brief]));
    let other = repository(&alice, "other", "public");
    for path in
        [path.replace(&format!("/{tool}/"), &format!("/{other}/")), format!("/projects/{tool}/pipelines/999999")]
    {
        alice.get(&path).assert(404, not_found());
        alice.post(&format!("{path}/cancel"), json!({})).assert(404, not_found());
        alice.post(&format!("{path}/retry"), json!({})).assert(404, not_found());
    }
}

#[both_databases]
fn pipelines_are_filtered_sorted_and_paged(server: &TestServer) {
    let cast = cast(server, "public");
    let project = cast.project;
    let old = tip(&cast.owner, project, "main").expect("a commit");
    branch(&cast.owner, project, "topic", "main");
    made(&cast.owner, &format!("{}/tags", at(project)), json!({"tag_name": "v1", "ref": "main"}));
    let new = write(&cast.owner, project, "main", "a", "a");
    let made = [
        post_status(&cast.owner, project, &old, "failed", &json!({"ref": "main"})),
        post_status(&cast.developer, project, &old, "running", &json!({"ref": "topic"})),
        post_status(&cast.owner, project, &old, "success", &json!({"ref": "v1"})),
        post_status(&cast.developer, project, &new, "pending", &json!({"ref": "main"})),
    ];
    let place = |id: &Value| made.iter().position(|job| job["pipeline_id"] == *id).expect("one of these");
    let list = |query: &str| -> Vec<usize> {
        cast.reporter
            .get(&format!("/projects/{project}/pipelines?{query}"))
            .assert_status(200)
            .each("id")
            .iter()
            .map(place)
            .collect()
    };
    for (query, want) in [
        ("", &[3, 2, 1, 0][..]),
        ("sort=asc", &[0, 1, 2, 3]),
        ("scope=running", &[1]),
        ("scope=pending", &[3]),
        ("scope=finished", &[2, 0]),
        ("scope=branches", &[3, 1, 0]),
        ("scope=tags", &[2]),
        ("status=failed", &[0]),
        ("status=success", &[2]),
        ("status=skipped", &[]),
        ("status=manual", &[]),
        ("ref=main", &[3, 0]),
        ("ref=nowhere", &[]),
        ("username=developer", &[3, 1]),
        ("username=no-one", &[]),
        ("order_by=status&sort=asc", &[0, 3, 1, 2]),
        ("order_by=ref&sort=asc&scope=tags", &[2]),
        ("ref=main&status=pending", &[3]),
        ("per_page=3&page=2", &[0]),
    ] {
        assert_eq!(list(query), want, "{query}");
    }
    assert_eq!((list(&format!("sha={new}")), list(&format!("sha={old}&ref=topic"))), (vec![3], vec![1]));
    assert_eq!(list("order_by=ref")[0], 2);
    assert_eq!(cast.owner.get(&format!("/projects/{project}/pipelines?per_page=1")).header("x-total"), "4");
    for name in ["scope", "status", "order_by", "sort"] {
        let text = format!("{name} does not have a valid value");
        cast.owner.get(&format!("/projects/{project}/pipelines?{name}=odd")).assert(400, parameter(&text));
    }
}

#[both_databases]
fn what_is_cancelled_ends_and_what_is_done_stays(server: &TestServer) {
    let alice = server.user("alice");
    let (tool, sha) = with_commit(&alice);
    for (name, state) in [("a", "success"), ("b", "pending"), ("c", "running")] {
        post_status(&alice, tool, &sha, state, &json!({"name": name}));
    }
    let job = alice.get(&format!("{}/commits/{sha}/statuses", at(tool))).json()[0].clone();
    let (before, path) = pipeline(&alice, tool, &job);
    let retried = made(&alice, &format!("{path}/retry"), json!({}));
    assert_eq!(retried, before);
    let cancelled = alice.post(&format!("{path}/cancel"), json!({})).assert_status(200).json();
    assert_eq!((&cancelled["status"], cancelled["finished_at"].is_string()), (&json!("canceled"), true));
    assert_eq!(cancelled, alice.get(&path).json());
    assert_eq!(
        jobs(&alice, tool, &sha, ""),
        json!([["a", "main", "success"], ["b", "main", "canceled"], ["c", "main", "canceled"]])
    );
    // CI that goes on finds a job that has ended.
    assert_ne!(post_status(&alice, tool, &sha, "running", &json!({"name": "c"}))["status"], "canceled");
}

#[both_databases]
fn the_pipeline_of_a_protected_branch_is_for_who_may_merge_there(server: &TestServer) {
    let cast = cast(server, "private");
    branch(&cast.owner, cast.project, "open", "main");
    let on = |name: &str| {
        let job = post_status(&cast.owner, cast.project, "main", "pending", &json!({"ref": name, "name": name}));
        format!("/projects/{}/pipelines/{}", cast.project, job["pipeline_id"])
    };
    let (main, open) = (on("main"), on("open"));
    for verb in ["retry", "cancel"] {
        let ask = |path: &str| {
            let path = format!("{path}/{verb}");
            cast.statuses(move |client| client.post(&path, json!({})))
        };
        let done = if verb == "retry" { 201 } else { 200 };
        assert_eq!(ask(&main), [404, 403, 403, 403, done, done, done], "{verb}");
        assert_eq!(ask(&open), [404, 403, 403, done, done, done, done], "{verb}");
        cast.developer.post(&format!("{main}/{verb}"), json!({})).assert(403, forbidden());
        server.anonymous().post(&format!("{open}/{verb}"), json!({})).assert(401, unauthorized());
    }
    changed(&cast.owner, &format!("{}/branches/main/protect", at(cast.project)), json!({"developers_can_merge": true}));
    let _ = cast.developer.post(&format!("{main}/retry"), json!({})).assert_status(201);
}

#[both_databases]
fn the_pipeline_of_a_protected_tag_is_for_who_may_make_it(server: &TestServer) {
    let cast = cast(server, "public");
    made(&cast.owner, &format!("{}/tags", at(cast.project)), json!({"tag_name": "v1", "ref": "main"}));
    made(&cast.owner, &format!("{}/protected_tags", cast.path()), json!({"name": "v*"}));
    let job = post_status(&cast.developer, cast.project, "main", "pending", &json!({"ref": "v1"}));
    let (shown, path) = pipeline(&cast.developer, cast.project, &job);
    assert_eq!(some(&shown, &["ref", "tag"]), json!(["v1", true]));
    cast.developer.post(&format!("{path}/cancel"), json!({})).assert(403, forbidden());
    assert_eq!(
        cast.maintainer.post(&format!("{path}/cancel"), json!({})).assert_status(200).json()["status"],
        "canceled"
    );
}

#[both_databases]
fn pipelines_are_shown_to_everybody_unless_jobs_are_not_public(server: &TestServer) {
    let cast = cast(server, "private");
    let job = post_status(&cast.owner, cast.project, "main", "success", &json!({}));
    let list = format!("{}/pipelines", cast.path());
    let one = format!("{list}/{}", job["pipeline_id"]);
    for (public, guest) in [(true, 200), (false, 403)] {
        changed(&cast.owner, &cast.path(), json!({"public_jobs": public}));
        for path in [&list, &one] {
            assert_eq!(cast.statuses(|client| client.get(path)), [404, guest, 200, 200, 200, 200, 200], "{path}");
            server.anonymous().get(path).assert(401, unauthorized());
        }
    }
}

#[both_databases]
fn who_pushes_posts_and_who_reads_the_code_reads(server: &TestServer) {
    let cast = cast(server, "private");
    let posting = |client: &Client| post(client, cast.project, "main", json!({"state": "success"}));
    assert_eq!(cast.statuses(posting), [404, 403, 403, 201, 201, 201, 201]);
    posting(&server.anonymous()).assert(401, unauthorized());
    let id = cast.owner.get(&format!("{}/pipelines", cast.path())).json()[0]["id"].clone();
    let path = format!("{}/commits/main/statuses", at(cast.project));
    assert_eq!(cast.statuses(|client| client.get(&path)), [404, 403, 200, 200, 200, 200, 200]);
    server.anonymous().get(&path).assert(401, unauthorized());
    archive(&cast.owner, cast.project);
    posting(&cast.owner).assert(403, forbidden());
    cast.owner.post(&format!("{}/pipelines/{id}/cancel", cast.path()), json!({})).assert(403, forbidden());
    assert_eq!(cast.reporter.get(&format!("{}/pipelines", cast.path())).assert_status(200).header("x-total"), "1");
}
