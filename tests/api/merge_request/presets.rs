//! Merging as the settings of the project preset it: squashing, texts of commits, issues that are closed.

use serde_json::{Value, json};
use tenon_testkit::{Client, TestServer, both_databases};

use super::{cast, merge, offer, repository, show_commit, some, text, tip, work, write};
use crate::support::*;

fn preset(client: &Client, project: i64, settings: Value) {
    let _ = client.put(&format!("/projects/{project}"), settings).assert_status(200);
}

#[both_databases]
fn the_project_decides_about_squashing(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    for (number, (option, asked, stored, merged)) in [
        ("default_off", json!({}), false, false),
        ("default_on", json!({}), true, true),
        ("default_on", json!({"squash": false}), false, false),
        ("always", json!({"squash": false}), true, true),
        ("never", json!({"squash": true}), false, false),
    ]
    .into_iter()
    .enumerate()
    {
        preset(&alice, tool, json!({"squash_option": option}));
        let branch = format!("topic-{number}");
        work(&alice, tool, &branch);
        write(&alice, tool, &branch, &format!("{branch}-2.txt"), "x");
        let path = offer(&alice, tool, &branch, "main", &asked);
        let offered = alice.get(&path).json();
        assert_eq!(some(&offered, &["squash", "squash_on_merge"]), json!([stored, merged]), "{option} {asked}");
        let done = merge(&alice, &path, json!({}));
        assert_eq!(done["squash_commit_sha"].is_string(), merged, "{option} {asked}");
    }
}

#[both_databases]
fn where_commits_are_always_squashed_the_contrary_is_refused(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    work(&alice, tool, "topic");
    write(&alice, tool, "topic", "more.txt", "x");
    let path = offer(&alice, tool, "topic", "main", &json!({}));
    // The option counts at the merge, whatever it was before.
    preset(&alice, tool, json!({"squash_option": "always"}));
    assert_eq!(some(&alice.get(&path).json(), &["squash", "squash_on_merge"]), json!([false, true]));
    let refusal = json!({"message": "This project requires squashing commits when merge requests are accepted."});
    alice.put(&format!("{path}/merge"), json!({"squash": false})).assert(422, refusal);
    assert_eq!(alice.get(&path).json()["state"], "opened");
    // A merge that waits for a pipeline is refused at once, too.
    super::status(server, &alice, &path, "running");
    let refusal = json!({"message": "This project requires squashing commits when merge requests are accepted."});
    let later = json!({"squash": false, "merge_when_pipeline_succeeds": true});
    alice.put(&format!("{path}/merge"), later).assert(422, refusal);
    assert_eq!(alice.get(&path).json()["merge_when_pipeline_succeeds"], false);
    assert!(merge(&alice, &path, json!({}))["squash_commit_sha"].is_string());
}

#[both_databases]
fn commits_have_the_texts_of_the_templates(server: &TestServer) {
    let cast = cast(server, "public");
    let owner = &cast.owner;
    preset(
        owner,
        cast.project,
        json!({
            "merge_commit_template": "%{title} (%{local_reference})\n\n%{issues}\n\n%{description}\n\n%{all_commits}\n\n\
                                      %{source_branch} > %{target_branch} %{reference} %{unknown}\n%{url}\n\
                                      Merged-by: %{merged_by}\n%{reviewed_by}\n%{approved_by}\n%{co_authored_by}",
            "squash_commit_template": "%{title}\n\n%{first_commit}\n%{first_multiline_commit}",
        }),
    );
    made(owner, &format!("/projects/{}/issues", cast.project), json!({"title": "broken"}));
    work(&cast.developer, cast.project, "topic");
    let more = json!({
        "branch": "topic", "content": "x", "commit_message": "Second\n\nwith a body", "author_name": "Grace",
        "author_email": "grace@example.org",
    });
    made(&cast.developer, &format!("/projects/{}/repository/files/second.txt", cast.project), more);
    let asked = json!({"title": "All of it", "description": "Closes #1", "squash": true});
    let path = offer(&cast.developer, cast.project, "topic", "main", &asked);
    let _ = cast.owner.post(&format!("{path}/approve"), json!({})).assert_status(201);
    let merged = merge(&cast.maintainer, &path, json!({}));
    let url = text(&merged["web_url"]);
    let first = text(&show_commit(owner, cast.project, &text(&merged["sha"]))["parent_ids"][0]);
    let first = text(&show_commit(owner, cast.project, &first)["message"]);
    let first = first.trim();
    let host = server.base().trim_start_matches("http://").split(':').next().expect("a host").to_owned();
    let want = format!(
        "All of it (!1)\n\nCloses #1\n\nCloses #1\n\n* {first}\n\n* Second\n\nwith a body\n\ntopic > main owner/tool!1 \
         %{{unknown}}\n{url}\nMerged-by: maintainer <maintainer@example.org>\nApproved-by: owner <owner@noreply.{host}>\n\
         Co-authored-by: Grace <grace@example.org>",
    );
    let commit = show_commit(owner, cast.project, &tip(owner, cast.project, "main").expect("a branch"));
    assert_eq!(text(&commit["message"]).trim_end(), want);
    let squashed = show_commit(owner, cast.project, &text(&merged["squash_commit_sha"]));
    assert_eq!(text(&squashed["message"]).trim_end(), format!("All of it\n\n{first}\nSecond\n\nwith a body"));
}

#[both_databases]
fn a_message_that_is_asked_for_comes_before_the_template(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    preset(
        &alice,
        tool,
        json!({"merge_commit_template": "From the template", "squash_commit_template": "%{description}"}),
    );
    work(&alice, tool, "topic");
    write(&alice, tool, "topic", "more.txt", "x");
    let path = offer(&alice, tool, "topic", "main", &json!({"title": "Title", "squash": true}));
    let merged = merge(&alice, &path, json!({"merge_commit_message": "Asked for"}));
    assert_eq!(show_commit(&alice, tool, "main")["title"], "Asked for");
    // A template without any value leaves the usual text.
    assert_eq!(show_commit(&alice, tool, &text(&merged["squash_commit_sha"]))["title"], "Title");
}

#[both_databases]
fn closing_words_close_only_where_the_project_of_the_issue_has_it_so(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let issues = format!("/projects/{tool}/issues");
    for title in ["one", "two"] {
        made(&alice, &issues, json!({"title": title}));
    }
    preset(&alice, tool, json!({"autoclose_referenced_issues": false}));
    work(&alice, tool, "topic");
    let path = offer(&alice, tool, "topic", "main", &json!({"description": "Closes #1"}));
    assert_eq!(alice.get(&format!("{path}/closes_issues")).json(), json!([]));
    merge(&alice, &path, json!({}));
    let commit = json!({"branch": "main", "content": "x", "commit_message": "Closes #2"});
    made(&alice, &format!("/projects/{tool}/repository/files/closing.txt"), commit);
    server.run_jobs();
    let states = |client: &Client| client.get(&format!("{issues}?sort=asc")).each("state");
    assert_eq!(states(&alice), [json!("opened"), json!("opened")]);
    preset(&alice, tool, json!({"autoclose_referenced_issues": true}));
    work(&alice, tool, "other");
    let path = offer(&alice, tool, "other", "main", &json!({"description": "Closes #1"}));
    merge(&alice, &path, json!({}));
    assert_eq!(states(&alice), [json!("closed"), json!("opened")]);
}
