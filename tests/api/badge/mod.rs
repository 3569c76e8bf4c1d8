//! Badges of projects and groups.

use serde_json::{Value, json};
use tenon_app::Limits;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

const LINK: &str = "http://example.com/ci_status.svg?project=%{project_path}&ref=%{default_branch}";
const IMAGE: &str = "https://shields.io/my/badge";

/// A project in a group of alice's: the owner, and the two paths.
fn homes(server: &TestServer) -> (tenon_testkit::User, String, String) {
    let alice = server.user("alice");
    let group = group(&alice, "house", "public");
    let project = project_in(&alice, group, "tool", "public");
    (alice, format!("/projects/{project}"), format!("/groups/{group}"))
}

fn badge() -> Value {
    json!({"link_url": LINK, "image_url": IMAGE})
}

#[both_databases]
fn a_badge_is_made_changed_and_removed(server: &TestServer) {
    let (alice, project, group) = homes(server);
    for (home, kind) in [(project, "project"), (group, "group")] {
        let path = format!("{home}/badges");
        let new = made(&alice, &path, badge());
        // The repository is empty, so that there is no default branch.
        let link = "http://example.com/ci_status.svg?project=house/tool&ref=%{default_branch}";
        let want = json!({
            "name": null, "link_url": LINK, "image_url": IMAGE, "rendered_link_url": link, "rendered_image_url": IMAGE,
            "id": new["id"], "kind": kind,
        });
        assert_eq!(new, want);
        let one = format!("{path}/{}", id(&new));
        assert_eq!(alice.get(&one).assert_status(200).json(), want);
        assert_eq!(changed(&alice, &one, json!({})), want);
        let edited = changed(&alice, &one, json!({"name": "Build", "image_url": "https://example.com/%{project_id}"}));
        assert_eq!((&edited["name"], &edited["link_url"]), (&json!("Build"), &json!(LINK)));
        assert_ne!(edited["rendered_image_url"], edited["image_url"]);
        assert_eq!(changed(&alice, &one, json!({"name": null}))["name"], Value::Null);
        let early = alice.header("If-Unmodified-Since", "Mon, 02 Mar 2026 11:00:00 GMT");
        early.delete(&one).assert(412, json!({"message": "412 Precondition Failed"}));
        let _ = alice.delete(&one).assert_status(204);
        for reply in [alice.get(&one), alice.put(&one, json!({})), alice.delete(&one)] {
            reply.assert(404, json!({"message": "404 Not found"}));
        }
    }
}

#[both_databases]
fn placeholders_stand_for_values_of_the_project(server: &TestServer) {
    let (alice, project, group) = homes(server);
    let all = "https://x.example/%{project_path}/%{project_title}/%{project_name}/%{project_id}/%{project_namespace}/\
               %{group_name}/%{default_branch}/%{commit_sha}/%{none}/%{";
    let new = made(&alice, &format!("{group}/badges"), json!({"link_url": all, "image_url": IMAGE}));
    let number = project.trim_start_matches("/projects/");
    let before = format!(
        "https://x.example/house/tool/tool/tool/{number}/house/house/%{{default_branch}}/%{{commit_sha}}/%{{none}}/%{{"
    );
    assert_eq!(new["rendered_link_url"], json!(before));
    let file = json!({"branch": "ma#in", "content": "x", "commit_message": "m"});
    let _ = alice.post(&format!("{project}/repository/files/a"), file).assert_status(201);
    let branch = alice.get(&format!("{project}/repository/branches/ma%23in")).assert_status(200).json();
    let sha = branch["commit"]["id"].as_str().unwrap_or_default().to_owned();
    let after = format!("https://x.example/house/tool/tool/tool/{number}/house/house/ma%23in/{sha}/%{{none}}/%{{");
    let seen = alice.get(&format!("{project}/badges")).json();
    assert_eq!((&seen[0]["rendered_link_url"], &seen[0]["kind"]), (&json!(after), &json!("group")));
    // Who may not read the code does not learn its commit, and who sees no project of the group learns nothing.
    let only = json!({"repository_access_level": "private", "merge_requests_access_level": "private"});
    let _ = alice.put(&project, only).assert_status(200);
    let stranger = server.anonymous().get(&format!("{project}/badges")).assert_status(200).json();
    assert!(!stranger.to_string().contains(&sha), "{stranger}");
    let _ = alice.put(&project, json!({"visibility": "private"})).assert_status(200);
    let stranger = server.anonymous().get(&format!("{group}/badges")).assert_status(200).json();
    assert_eq!(stranger[0]["rendered_link_url"], json!(all));
}

#[both_databases]
fn values_make_no_address_longer_than_the_limit(server: &TestServer) {
    let (alice, project, group) = homes(server);
    let _ = alice.put(&project, json!({"name": "\u{20000}".repeat(255)})).assert_status(200);
    let one = "https://x.example/%{project_title}";
    let many = format!("https://x.example/{}", "%{project_title}".repeat(126));
    for home in [project, group] {
        let new = made(&alice, &format!("{home}/badges"), json!({"link_url": one, "image_url": many}));
        let title = "%F0%A0%80%80".repeat(255);
        assert_eq!(new["rendered_link_url"], json!(format!("https://x.example/{title}")));
        assert_eq!(new["rendered_image_url"], json!(many), "the names stay");
    }
}

#[both_databases]
fn a_project_shows_those_of_all_groups_above_it(server: &TestServer) {
    let (alice, project, group) = homes(server);
    let number = group.trim_start_matches("/groups/").parse().unwrap_or_default();
    let sub = subgroup(&alice, number, "sub", "public");
    let below = subgroup(&alice, sub, "below", "public");
    let deep = format!("/projects/{}", project_in(&alice, below, "deep", "public"));
    let named = |name: &str| json!({"link_url": LINK, "image_url": IMAGE, "name": name});
    for (home, name) in [(&deep, "own"), (&group, "top"), (&format!("/groups/{sub}"), "sub"), (&project, "other")] {
        made(&alice, &format!("{home}/badges"), named(name));
        server.advance(TimeDelta::seconds(1));
    }
    let list = server.anonymous().get(&format!("{deep}/badges?per_page=2"));
    assert_eq!((texts(&list, "name"), list.header("x-total").as_str()), (vec!["own".into(), "top".into()], "3"));
    assert_eq!(texts(&alice.get(&format!("{deep}/badges?name=sub")), "kind"), ["group"]);
    assert_eq!(texts(&alice.get(&format!("{deep}/badges?name=su")), "kind"), Vec::<String>::new());
    assert_eq!(texts(&alice.get(&format!("/groups/{sub}/badges")), "name"), ["sub"]);
    let top = id(&alice.get(&format!("{group}/badges")).json()[0]);
    let through = format!("{deep}/badges/{top}");
    assert_eq!(alice.get(&through).assert_status(200).json()["kind"], "group");
    let refused = |verb: &str| parameter(&format!("To {verb} a Group badge please use the Group endpoint"));
    alice.delete(&through).assert(403, refused("delete"));
    alice.put(&through, json!({"name": "x"})).assert(403, refused("edit"));
    let _ = alice
        .get(&format!("{project}/badges/{}", id(&alice.get(&format!("{deep}/badges")).json()[0])))
        .assert_status(404);
}

#[both_databases]
fn rendering_stores_nothing(server: &TestServer) {
    let (alice, project, group) = homes(server);
    let query = "link_url=https://x.example/%25%7Bproject_path%7D&image_url=https://x.example/";
    for home in [project, group] {
        let path = format!("{home}/badges/render");
        let want = json!({
            "link_url": "https://x.example/%{project_path}", "image_url": "https://x.example/",
            "rendered_link_url": "https://x.example/house/tool", "rendered_image_url": "https://x.example/",
        });
        alice.get(&format!("{path}?{query}")).assert(200, want);
        alice.get(&path).assert(400, parameter("link_url is missing, image_url is missing"));
        server.anonymous().get(&format!("{path}?{query}")).assert(401, unauthorized());
        assert_eq!(alice.get(&format!("{home}/badges")).json(), json!([]));
    }
}

#[both_databases]
fn every_rule_has_its_text(server: &TestServer) {
    let (alice, project, group) = homes(server);
    for home in [project, group] {
        let path = format!("{home}/badges");
        let refused = |body: Value, want: Value| alice.post(&path, body).assert(400, want);
        refused(json!({}), parameter("link_url is missing, image_url is missing"));
        let protocols = "is blocked: Only allowed protocols are http, https";
        for (address, text) in [
            ("javascript:alert(1)", protocols),
            ("", "must be a valid URL"),
            ("https://", "is blocked: URI is invalid"),
            ("http://h:99999", "is blocked: URI is invalid"),
            ("https://exam\u{202e}ple.com/", "is blocked: URI is invalid"),
            ("https://x.example/\"><script>", "is blocked: URI is invalid"),
        ] {
            refused(json!({"link_url": address, "image_url": IMAGE}), field("link_url", text));
            refused(json!({"link_url": LINK, "image_url": address}), field("image_url", text));
        }
        let long = format!("https://x.example/{}", "x".repeat(2_048));
        refused(
            json!({"link_url": long, "image_url": IMAGE}),
            field("link_url", "is too long (maximum is 2048 characters)"),
        );
        let name = json!({"link_url": LINK, "image_url": IMAGE, "name": "n".repeat(256)});
        refused(name, field("name", "is too long (maximum is 255 characters)"));
        let one = format!("{path}/{}", id(&made(&alice, &path, badge())));
        alice.put(&one, json!({"link_url": "ftp://x.example"})).assert(400, field("link_url", protocols));
        let _ = alice.get(&format!("{path}/x")).assert_status(404);
    }
    let _ = alice.post("/projects/999999/badges", json!({})).assert_status(400);
}

#[both_databases]
fn maintainers_change_those_of_projects_and_owners_those_of_groups(server: &TestServer) {
    let (alice, project, group) = homes(server);
    let bob = server.user("bob");
    for (home, enough) in [(&project, 40), (&group, 50)] {
        let path = format!("{home}/badges");
        let one = format!("{path}/{}", id(&made(&alice, &path, badge())));
        let _ = bob.get(&one).assert_status(200);
        for level in [30, 40, 50].into_iter().filter(|level| *level <= enough) {
            let _ = alice.delete(&format!("{home}/members/{}", bob.id));
            member(&alice, home, bob.id, level);
            let want = if level < enough { 403 } else { 201 };
            let _ = bob.post(&path, badge()).assert_status(want);
            let _ = bob.put(&one, json!({"name": "x"})).assert_status(if want == 201 { 200 } else { 403 });
            let _ = bob.get(&format!("{path}/render?link_url=https://x.example&image_url=https://x.example"));
        }
    }
    let _ = alice.post(&format!("{project}/archive"), json!({})).assert_status(200);
    made(&alice, &format!("{project}/badges"), badge());
}

#[both_databases]
fn their_number_is_bounded_and_they_end_with_their_home(server: &TestServer) {
    let mut limits = Limits::without_rates();
    limits.contents.badges = 1;
    let server = &TestServer::beside_with(server, limits);
    let (alice, project, group) = homes(server);
    for (home, of) in [(&project, "A project"), (&group, "A group")] {
        made(&alice, &format!("{home}/badges"), badge());
        let want = field("base", &format!("{of} has at most 1 badges"));
        alice.post(&format!("{home}/badges"), badge()).assert(400, want);
    }
    let _ = alice.delete(&group).assert_status(202);
    server.run_jobs();
    assert_eq!(server.database().count("SELECT COUNT(*) FROM badges"), 0);
}
