//! Environments of projects.

use serde_json::{Value, json};
use tenon_app::Limits;
use tenon_domain::time::TimeDelta;
use tenon_testkit::{TestServer, both_databases};

use crate::support::*;

const NAME: &str = "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or end with '/'";

fn row_missing() -> Value {
    json!({"message": "404 Not found"})
}

#[both_databases]
fn an_environment_is_made_changed_stopped_and_removed(server: &TestServer) {
    let cast = Cast::of(server, "private");
    let all = format!("/projects/{}/environments", cast.project);
    assert_eq!(cast.owner.get(&all).assert_status(200).json(), json!([]));
    let body = json!({"name": "production", "external_url": "https://tool.example.com", "description": "Live."});
    let new = made(&cast.owner, &all, body);
    for (field, want) in [
        ("name", json!("production")),
        ("slug", json!("production")),
        ("external_url", json!("https://tool.example.com")),
        ("description", json!("Live.")),
        ("state", json!("available")),
        ("tier", json!("production")),
        ("auto_stop_at", Value::Null),
        ("auto_stop_setting", json!("always")),
    ] {
        assert_eq!(new[field], want, "{field}");
    }
    assert_eq!(new["project"]["path_with_namespace"], "owner/tool");
    assert_lacks(&new["project"], &["permissions", "visibility"]);
    let one = format!("{all}/{}", id(&new));
    assert_eq!(cast.owner.get(&all).assert_status(200).json(), json!([new]));
    let shown = cast.owner.get(&one).assert_status(200).json();
    assert_eq!(shown["last_deployment"], Value::Null);
    assert_lacks(&shown, &["project"]);
    server.advance(TimeDelta::minutes(1));
    let renamed = cast.owner.put(&one, json!({"name": "live", "tier": "staging", "external_url": ""}));
    let renamed = renamed.assert_status(200).json();
    assert_eq!((&renamed["name"], &renamed["slug"]), (&json!("live"), &json!("production")));
    assert_eq!((&renamed["external_url"], &renamed["tier"]), (&Value::Null, &json!("staging")));
    assert_ne!(renamed["updated_at"], new["updated_at"]);
    let again = cast.owner.put(&one, json!({"auto_stop_setting": "with_action", "description": null}));
    let again = again.assert_status(200).json();
    assert_eq!((&again["auto_stop_setting"], &again["description"]), (&json!("with_action"), &Value::Null));
    // A new one does not get the slug that the old one keeps.
    let next = made(&cast.owner, &all, json!({"name": "production"}));
    let slug = next["slug"].as_str().expect("a slug").to_owned();
    assert!(slug.starts_with("production-") && slug.len() == 17, "{slug}");
    let stopped = cast.owner.post(&format!("{one}/stop"), json!({})).assert_status(200).json();
    assert_eq!(stopped["state"], "stopped");
    assert_eq!(cast.owner.post(&format!("{one}/stop"), json!({})).assert_status(200).json(), stopped);
    let early = cast.owner.header("If-Unmodified-Since", "Mon, 02 Mar 2026 11:00:00 GMT");
    early.delete(&one).assert(412, json!({"message": "412 Precondition Failed"}));
    let _ = cast.owner.delete(&one).assert_status(204);
    for reply in [
        cast.owner.get(&one),
        cast.owner.put(&one, json!({})),
        cast.owner.delete(&one),
        cast.owner.post(&format!("{one}/stop"), json!({})),
    ] {
        reply.assert(404, row_missing());
    }
}

#[both_databases]
fn every_rule_of_an_environment_has_its_text(server: &TestServer) {
    let cast = Cast::of(server, "private");
    let all = format!("/projects/{}/environments", cast.project);
    let one = format!("{all}/{}", id(&made(&cast.owner, &all, json!({"name": "review/fix"}))));
    cast.owner.post(&all, json!({})).assert(400, parameter("name is missing"));
    let blank = json!({"message": {"name": ["can't be blank", NAME]}});
    cast.owner.post(&all, json!({"name": ""})).assert(400, blank.clone());
    cast.owner.put(&one, json!({"name": ""})).assert(400, blank);
    let long = "is too long (maximum is 255 characters)";
    for (field_name, value, text) in [
        ("name", "/a", NAME),
        ("name", "a/", NAME),
        ("name", "é", NAME),
        ("name", "a\u{202e}b", NAME),
        ("name", "a%2Fb", NAME),
        ("name", "<b>", NAME),
        ("name", &*"n".repeat(256), long),
        ("external_url", "javascript:alert(1)", "is blocked: Only allowed protocols are http, https"),
        ("external_url", "https://", "is blocked: URI is invalid"),
        ("external_url", "https://a b/", "is blocked: URI is invalid"),
        ("external_url", &*format!("https://x.example/{}", "p".repeat(255)), long),
    ] {
        let mut body = json!({"name": "other"});
        body[field_name] = json!(value);
        cast.owner.post(&all, body.clone()).assert(400, field(field_name, text));
        cast.owner.put(&one, body).assert(400, field(field_name, text));
    }
    let zero = cast.owner.post(&all, json!({"name": "a\u{0}b"}));
    assert_eq!(zero.status(), 400);
    let slug = parameter("slug is automatically generated and cannot be changed");
    cast.owner.post(&all, json!({"name": "x", "slug": "x"})).assert(400, slug.clone());
    cast.owner.put(&one, json!({"slug": "x"})).assert(400, slug);
    cast.owner.post(&all, json!({"name": "x", "tier": "x"})).assert(400, parameter("tier does not have a valid value"));
    let taken = field("name", "has already been taken");
    cast.owner.post(&all, json!({"name": "review/fix"})).assert(400, taken.clone());
    made(&cast.owner, &all, json!({"name": ".."}));
    cast.owner.put(&one, json!({"name": ".."})).assert(400, taken);
    let _ = cast.owner.get(&format!("{all}/x")).assert_status(404);
    let _ = cast.owner.get(&format!("{all}/999999999999999999999")).assert_status(404);
    let other = project(&cast.owner, "other", "private");
    cast.owner.get(&one.replace(&all, &format!("/projects/{other}/environments"))).assert(404, row_missing());
}

#[both_databases]
fn lists_are_filtered_by_name_search_and_state(server: &TestServer) {
    let cast = Cast::of(server, "private");
    let all = format!("/projects/{}/environments", cast.project);
    for name in ["production", "review/One", "review/two"] {
        made(&cast.owner, &all, json!({"name": name}));
    }
    let stopped = ids(&cast.owner.get(&all))[1];
    let _ = cast.owner.post(&format!("{all}/{stopped}/stop"), json!({})).assert_status(200);
    for (query, want) in [
        ("", vec!["production", "review/One", "review/two"]),
        ("?name=production", vec!["production"]),
        ("?name=prod", vec![]),
        ("?search=REVIEW", vec!["review/One", "review/two"]),
        ("?search=one", vec!["review/One"]),
        ("?search=%25", vec![]),
        ("?states=available", vec!["production", "review/two"]),
        ("?states=stopped", vec!["review/One"]),
        ("?states=stopping", vec![]),
        ("?per_page=1&page=2", vec!["review/One"]),
    ] {
        assert_eq!(names(&cast.owner.get(&format!("{all}{query}")).assert_status(200)), want, "{query}");
    }
    assert_eq!(cast.owner.get(&format!("{all}?per_page=1")).header("x-total"), "3");
    cast.owner.get(&format!("{all}?states=x")).assert(400, parameter("states does not have a valid value"));
    let both = parameter("name, search are mutually exclusive");
    cast.owner.get(&format!("{all}?name=a&search=b")).assert(400, both);
}

#[both_databases]
fn reporters_read_developers_make_and_maintainers_change(server: &TestServer) {
    let cast = Cast::of(server, "public");
    let all = format!("/projects/{}/environments", cast.project);
    let one = format!("{all}/{}", id(&made(&cast.owner, &all, json!({"name": "production"}))));
    server.anonymous().get(&all).assert(401, unauthorized());
    for (user, reads, makes, changes) in [
        (&cast.stranger, 403, 403, 403),
        (&cast.guest, 403, 403, 403),
        (&cast.reporter, 200, 403, 403),
        (&cast.developer, 200, 201, 403),
        (&cast.maintainer, 200, 201, 200),
    ] {
        let _ = user.get(&all).assert_status(reads);
        let _ = user.get(&one).assert_status(reads);
        let _ = user.post(&all, json!({"name": format!("e{}", user.id)})).assert_status(makes);
        let _ = user.put(&one, json!({"description": "d"})).assert_status(changes);
        let _ = user.post(&format!("{one}/stop"), json!({})).assert_status(changes);
        let stale = json!({"before": "2026-01-01T00:00:00Z"});
        let _ = user.post(&format!("{all}/stop_stale"), stale).assert_status(changes);
        let _ = user.delete(&format!("{one}?x=1")).assert_status(if changes == 200 { 204 } else { changes });
    }
    let _ = cast.owner.put(&format!("/projects/{}", cast.project), json!({"visibility": "private"})).assert_status(200);
    let _ = cast.stranger.get(&all).assert_status(404);
}

#[both_databases]
fn without_jobs_code_or_the_part_there_are_no_environments(server: &TestServer) {
    let cast = Cast::of(server, "private");
    let home = format!("/projects/{}", cast.project);
    let all = format!("{home}/environments");
    made(&cast.owner, &all, json!({"name": "production"}));
    for part in ["environments_access_level", "builds_access_level", "repository_access_level"] {
        let _ = cast.owner.put(&home, json!({part: "disabled"})).assert_status(200);
        for client in [&*cast.owner, &cast.admin] {
            client.get(&all).assert(403, forbidden());
            client.post(&all, json!({"name": "x"})).assert(403, forbidden());
        }
        let _ = cast.owner.put(&home, json!({part: "enabled"})).assert_status(200);
        let _ = cast.owner.get(&all).assert_status(200);
    }
    let _ = cast.owner.post(&format!("{home}/archive"), json!({})).assert_status(200);
    let _ = cast.owner.get(&all).assert_status(200);
    for client in [&*cast.owner, &cast.admin] {
        client.post(&all, json!({"name": "x"})).assert(403, forbidden());
    }
}

#[both_databases]
fn stale_environments_are_stopped_and_stopped_ones_removed(server: &TestServer) {
    let cast = Cast::of(server, "private");
    let all = format!("/projects/{}/environments", cast.project);
    for name in ["production", "review/old", "review/older"] {
        made(&cast.owner, &all, json!({"name": name}));
    }
    server.advance(TimeDelta::days(40));
    made(&cast.owner, &all, json!({"name": "review/new"}));
    let refused = field("before", "must be between ten years ago and one week ago");
    for before in ["2026-04-10T12:00:00Z", "2000-01-01T00:00:00Z"] {
        cast.owner.post(&format!("{all}/stop_stale"), json!({"before": before})).assert(400, refused.clone());
    }
    cast.owner.post(&format!("{all}/stop_stale"), json!({})).assert(400, parameter("before is missing"));
    let stopped = cast.owner.post(&format!("{all}/stop_stale"), json!({"before": "2026-04-01T00:00:00Z"}));
    stopped.assert(200, json!({"message": "Successfully requested stop for all stale environments"}));
    let available = names(&cast.owner.get(&format!("{all}?states=available")));
    assert_eq!(available, ["review/new"]);
    let named = |reply: &Value| {
        let entries = reply["scheduled_entries"].as_array().expect("a list").clone();
        entries.iter().map(|entry| entry["name"].as_str().expect("a name").to_owned()).collect::<Vec<_>>()
    };
    let apps = format!("{all}/review_apps");
    let dry = cast.owner.delete(&apps).assert_status(200).json();
    assert_eq!(
        (named(&dry), &dry["unprocessable_entries"]),
        (vec!["review/old".to_owned(), "review/older".to_owned()], &json!([]))
    );
    let first = cast.owner.delete(&format!("{apps}?dry_run=false&limit=1")).assert_status(200).json();
    assert_eq!(named(&first), ["review/old"]);
    let none = cast.owner.delete(&format!("{apps}?dry_run=false&before=2020-01-01T00:00:00Z")).assert_status(200);
    assert_eq!(named(&none.json()), Vec::<String>::new());
    assert_eq!(names(&cast.owner.get(&all)), ["production", "review/older", "review/new"]);
    let _ = cast.developer.delete(&apps).assert_status(403);
}

#[both_databases]
fn a_project_has_a_bounded_number_of_environments(server: &TestServer) {
    let mut limits = Limits::without_rates();
    limits.contents.environments = 1;
    let server = &TestServer::beside_with(server, limits);
    let cast = Cast::of(server, "private");
    let all = format!("/projects/{}/environments", cast.project);
    made(&cast.owner, &all, json!({"name": "one"}));
    cast.owner.post(&all, json!({"name": "two"})).assert(400, field("base", "A project has at most 1 environments"));
}
