//! Headers, variables and templates of hooks: they are sent, and their values are never shown.

use serde_json::{Value, json};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Answer, Received, Receiver, Reply, TestServer, both_databases};

use super::deliveries::Scene;
use crate::support::*;

/// Sends an event, and yields the only request.
fn delivered(server: &TestServer, scene: &Scene) -> Received {
    scene.issue("One");
    server.run_jobs();
    let mut received = scene.receiver.take();
    assert_eq!(received.len(), 1, "{received:#?}");
    received.remove(0)
}

/// Changes the hook of a scene.
fn change(scene: &Scene, mut change: Value) -> Reply {
    if change.get("url").is_none() {
        change["url"] = scene.alice.get(&scene.hook).json()["url"].clone();
    }
    scene.alice.put(&scene.hook, change)
}

#[both_databases]
fn headers_are_sent_and_their_values_are_never_shown(server: &TestServer) {
    let scene = Scene::new(server);
    let headers =
        json!([{"key": "X-Api-Key", "value": "k3y-of-alice"}, {"key": "Authorization", "value": "Bearer b34rer"}]);
    let hook = change(&scene, json!({"custom_headers": headers})).assert_status(200).json();
    assert_eq!(hook["custom_headers"], json!([{"key": "X-Api-Key"}, {"key": "Authorization"}]));
    let echo =
        Answer::Status(200, vec![("x-echo", "k3y-of-alice".to_owned())], "got Bearer b34rer and s3cret".to_owned());
    scene.receiver.answer([echo]);
    let received = delivered(server, &scene);
    assert_eq!(
        (received.header("x-api-key"), received.header("authorization"), received.header("x-gitlab-token")),
        (Some("k3y-of-alice"), Some("Bearer b34rer"), Some("s3cret"))
    );
    let log = scene.alice.get(&format!("{}/events", scene.hook)).assert_status(200).json()[0].clone();
    assert_eq!(
        (&log["request_headers"]["X-Api-Key"], &log["request_headers"]["Authorization"]),
        (&json!("[REDACTED]"), &json!("[REDACTED]"))
    );
    assert_eq!(
        (&log["response_headers"]["x-echo"], &log["response_body"]),
        (&json!("[REDACTED]"), &json!("got [REDACTED] and [REDACTED]"))
    );
    for shown in [log, scene.alice.get(&scene.hook).json(), scene.alice.get(&format!("{}/hooks", scene.project)).json()]
    {
        let text = shown.to_string();
        assert!(!text.contains("k3y-of-alice") && !text.contains("b34rer"), "{text}");
    }
}

#[both_databases]
fn an_edit_sets_what_it_names_and_an_empty_list_removes_all(server: &TestServer) {
    let scene = Scene::new(server);
    let pair = |key: &str, value: &str| json!({"key": key, "value": value});
    let _ = change(&scene, json!({"custom_headers": [pair("X-A", "1"), pair("X-B", "2")]})).assert_status(200);
    let hook =
        change(&scene, json!({"custom_headers": [pair("x-a", "3"), pair("X-C", "4")]})).assert_status(200).json();
    assert_eq!(hook["custom_headers"], json!([{"key": "x-a"}, {"key": "X-B"}, {"key": "X-C"}]));
    let received = delivered(server, &scene);
    assert_eq!(
        (received.header("x-a"), received.header("x-b"), received.header("x-c")),
        (Some("3"), Some("2"), Some("4"))
    );
    let hook = change(&scene, json!({"custom_headers": [], "push_events": false})).assert_status(200).json();
    assert_eq!(hook["custom_headers"], json!([]));
    assert_eq!(delivered(server, &scene).header("x-b"), None);
    let sent = format!("url={}&custom_headers[][key]=X-D&custom_headers[][value]=5", scene.receiver.url("/in"));
    let hook = scene.alice.form("PUT", &scene.hook, &sent).assert_status(200).json();
    assert_eq!(hook["custom_headers"], json!([{"key": "X-D"}]));
}

#[both_databases]
fn names_and_values_that_cannot_be_are_refused(server: &TestServer) {
    let scene = Scene::new(server);
    let key = "has a key that is not made of letters and digits, with single . - _ between them";
    let value = "has a value that is empty, too long or has control characters";
    let reserved = "has a key that is reserved for the server";
    let long = "x".repeat(2049);
    for (name, text, problem) in [
        ("X A", "1", key),
        ("", "1", key),
        ("X:", "1", key),
        ("X\r\nY", "1", key),
        ("X-A", "1\r\nX-B: 2", value),
        ("X-A", "1\n", value),
        ("X-A", "", value),
        ("X-A", long.as_str(), value),
        ("host", "1", reserved),
        ("Content-Type", "text/plain", reserved),
        ("X-Gitlab-Token", "1", reserved),
        ("webhook-id", "1", reserved),
    ] {
        let sent = json!({"custom_headers": [{"key": name, "value": text}]});
        change(&scene, sent).assert(400, json!({"message": {"custom_headers": [problem]}}));
        if problem != reserved {
            let sent = json!({"url_variables": [{"key": name, "value": text}]});
            change(&scene, sent).assert(400, json!({"message": {"url_variables": [problem]}}));
        }
    }
    let twice = json!([{"key": "X-A", "value": "1"}, {"key": "x-a", "value": "2"}]);
    change(&scene, json!({"custom_headers": twice}))
        .assert(400, json!({"message": {"custom_headers": ["has a key twice"]}}));
    let many: Vec<Value> = (0..21).map(|number| json!({"key": format!("X{number}"), "value": "1"})).collect();
    change(&scene, json!({"custom_headers": many}))
        .assert(400, json!({"message": {"custom_headers": ["has more than 20 entries"]}}));
    let _ = change(&scene, json!({"custom_headers": many[..20]})).assert_status(200);
    change(&scene, json!({"custom_headers": many[20..]}))
        .assert(400, json!({"message": {"custom_headers": ["has more than 20 entries"]}}));
    change(&scene, json!({"custom_headers": [{"key": "X-A"}]}))
        .assert(400, parameter("custom_headers[0][value] is missing"));
    change(&scene, json!({"custom_headers": "X-A: 1"})).assert(400, parameter("custom_headers is invalid"));
    assert_eq!(scene.alice.get(&scene.hook).json()["custom_headers"].as_array().map(Vec::len), Some(20));
}

#[both_databases]
fn single_headers_and_variables_are_set_and_removed(server: &TestServer) {
    let scene = Scene::new(server);
    let header = format!("{}/custom_headers/X-Api-Key", scene.hook);
    let _ = scene.alice.put(&header, json!({"value": "k3y"})).assert_status(204);
    assert_eq!(delivered(server, &scene).header("x-api-key"), Some("k3y"));
    scene.alice.put(&header, json!({})).assert(400, parameter("value is missing"));
    let illegal = json!({"message": "Illegal key or value", "error": "Illegal key or value"});
    scene.alice.put(&header, json!({"value": "a\nb"})).assert(422, illegal.clone());
    scene.alice.put(&format!("{}/custom_headers/Host", scene.hook), json!({"value": "a"})).assert(422, illegal);
    let _ = scene.alice.delete(&header).assert_status(204);
    scene.alice.delete(&header).assert(404, json!({"message": "404 Not found"}));
    let variable = format!("{}/url_variables/part", scene.hook);
    let _ = scene.alice.put(&variable, json!({"value": "in"})).assert_status(204);
    let _ = change(&scene, json!({"url": scene.receiver.url("/{part}")})).assert_status(200);
    assert_eq!(delivered(server, &scene).path, "/in");
    let used = "Invalid url given: it has no variable part";
    scene.alice.delete(&variable).assert(422, json!({"message": used, "error": used}));
    let _ = change(&scene, json!({"url": scene.receiver.url("/other")})).assert_status(200);
    let _ = scene.alice.delete(&variable).assert_status(204);
    assert_eq!(scene.alice.get(&scene.hook).json()["url_variables"], json!([]));
    let bob = server.user("bob");
    let _ = bob.put(&header, json!({"value": "k3y"})).assert_status(403);
    let _ = bob.delete(&header).assert_status(403);
}

#[both_databases]
fn an_address_is_called_with_its_variables_and_shown_without(server: &TestServer) {
    let scene = Scene::new(server);
    let template = scene.receiver.url("/{token}/in?of={name}");
    let variables = json!([{"key": "token", "value": "t0k3n"}, {"key": "name", "value": "tool"}]);
    let hook = change(&scene, json!({"url": template, "url_variables": variables})).assert_status(200).json();
    assert_eq!(hook["url_variables"], json!([{"key": "token"}, {"key": "name"}]));
    assert_eq!(hook["url"], template.as_str());
    assert_eq!(delivered(server, &scene).path, "/t0k3n/in?of=tool");
    scene.receiver.answer([Answer::Status(
        302,
        vec![("location", "ftp://t0k3n.example.com/".to_owned())],
        String::new(),
    )]);
    scene.issue("Two");
    server.run_jobs();
    let log = scene.alice.get(&format!("{}/events", scene.hook)).assert_status(200).json();
    assert_eq!(log[0]["url"], template.as_str());
    assert!(!log.to_string().contains("t0k3n"), "{log}");
    let missing = "Invalid url given: it has no variable other";
    change(&scene, json!({"url": scene.receiver.url("/{other}")}))
        .assert(422, json!({"message": missing, "error": missing}));
    let invalid = json!({"message": "Invalid url given", "error": "Invalid url given"});
    let bad = json!({"url": "{scheme}://example.com/", "url_variables": [{"key": "scheme", "value": "file"}]});
    change(&scene, bad).assert(422, invalid);
}

#[both_databases]
fn a_listed_address_is_the_one_that_is_called(server: &TestServer) {
    let scene = Scene::new(server);
    let (listed, other) = (scene.receiver.address().to_owned(), Receiver::start());
    let variables = json!([{"key": "host", "value": other.address()}, {"key": "name", "value": listed}]);
    let _ = change(&scene, json!({"url": "http://{host}/in", "url_variables": variables})).assert_status(200);
    server.set("allow_local_requests_from_hooks_and_services", &json!(false));
    server.set("outbound_local_requests_whitelist", &json!(["{host}", listed]));
    scene.issue("One");
    server.run_jobs();
    let log = scene.alice.get(&format!("{}/events", scene.hook)).json()[0].to_string();
    assert!(log.contains("requests to the local network are not allowed") && other.take().is_empty(), "{log}");
    let invalid = json!({"message": "Invalid url given", "error": "Invalid url given"});
    for url in ["http://{host}/in", "http://{name}@{host}/in", &format!("http://{listed}@{{host}}/in")] {
        change(&scene, json!({"url": url, "url_variables": variables})).assert(422, invalid.clone());
    }
    // Nor does a listed receiver lead to one that is not listed.
    let _ = change(&scene, json!({"url": "http://{name}/in", "url_variables": variables})).assert_status(200);
    scene.receiver.answer([Answer::Status(307, vec![("location", other.url("/next"))], String::new())]);
    assert_eq!(delivered(server, &scene).path, "/in");
    assert!(other.take().is_empty());
}

#[both_databases]
fn secrets_do_not_follow_to_another_receiver(server: &TestServer) {
    let scene = Scene::new(server);
    let pair = |key: &str, value: &str| json!([{"key": key, "value": value}]);
    let _ = change(
        &scene,
        json!({"custom_headers": pair("X-A", "1111"), "url_variables": pair("host", scene.receiver.address())}),
    )
    .assert_status(200);
    let template = json!({"url": "http://{host}/in", "token": "s3cret"});
    let _ = change(&scene, template).assert_status(200);
    assert_eq!(delivered(server, &scene).header("x-a"), Some("1111"));
    let other = Receiver::start();
    let moved = change(&scene, json!({"url_variables": pair("host", other.address())})).assert_status(200).json();
    assert_eq!((&moved["custom_headers"], &moved["url_variables"]), (&json!([]), &json!([{"key": "host"}])));
    scene.issue("Two");
    server.run_jobs();
    let received = other.take();
    assert_eq!((received.len(), received[0].header("x-a"), received[0].header("x-gitlab-token")), (1, None, None));
    // Nor does a redirect take them along.
    let _ = change(&scene, json!({"custom_headers": pair("X-A", "1111")})).assert_status(200);
    let location = scene.receiver.url("/next");
    other.answer([Answer::Status(307, vec![("location", location)], String::new())]);
    scene.issue("Three");
    server.run_jobs();
    assert_eq!(other.take()[0].header("x-a"), Some("1111"));
    assert_eq!(scene.receiver.take()[0].header("x-a"), None);
}

#[both_databases]
fn a_template_makes_the_body(server: &TestServer) {
    let scene = Scene::new(server);
    let template = r#"{"text": "{{object_attributes.title}} by {{user.username}}", "id": {{object_attributes.id}}}"#;
    let hook = change(&scene, json!({"custom_webhook_template": template})).assert_status(200).json();
    assert_eq!(hook["custom_webhook_template"], template);
    scene.issue("A \"quoted\" \\ title");
    server.run_jobs();
    let received = scene.receiver.take();
    assert_eq!(received[0].json(), json!({"text": "A \"quoted\" \\ title by alice", "id": 1}));
    let (id, at) = (
        received[0].header("webhook-id").unwrap_or_default(),
        received[0].header("webhook-timestamp").unwrap_or_default(),
    );
    let signature = tenon_app::webhook_signature("s3cret", id, at.parse().unwrap_or_default(), &received[0].body);
    assert_eq!(received[0].header("webhook-signature"), Some(signature.as_str()));
    let log = scene.alice.get(&format!("{}/events", scene.hook)).json();
    assert_eq!(log[0]["request_data"], received[0].json());
    let oversized = format!("\"{}\"", "x".repeat(4096));
    for (bad, problem) in [
        ("{", "must be valid JSON, in which {{field.path}} stands for a field of the event"),
        (
            "{\"a\": \"{{a b}}\"}",
            "has a placeholder that names no field: names of letters, digits and _ with dots between them",
        ),
        (oversized.as_str(), "is too long (maximum is 4096 characters)"),
    ] {
        change(&scene, json!({"custom_webhook_template": bad}))
            .assert(400, json!({"message": {"custom_webhook_template": [problem]}}));
    }
    let hook = change(&scene, json!({"custom_webhook_template": ""})).assert_status(200).json();
    assert_eq!(hook["custom_webhook_template"], Value::Null);
}

#[both_databases]
fn a_filter_is_read_by_its_strategy(server: &TestServer) {
    let scene = Scene::new(server);
    let pushed = |branch: &str| {
        let action = json!({"action": "create", "file_path": branch, "content": branch});
        let mut asked = json!({"branch": branch, "commit_message": branch, "actions": [action]});
        if branch != "main" {
            asked["start_branch"] = json!("main");
        }
        let _ = scene.alice.post(&format!("{}/repository/commits", scene.project), asked).assert_status(201);
        server.run_jobs();
        scene.receiver.take().len()
    };
    let hook = change(&scene, json!({"push_events_branch_filter": "^ma", "branch_filter_strategy": "regex"}))
        .assert_status(200)
        .json();
    assert_eq!((&hook["push_events_branch_filter"], &hook["branch_filter_strategy"]), (&json!("^ma"), &json!("regex")));
    assert_eq!((pushed("main"), pushed("topic"), pushed("matter")), (1, 0, 1));
    let _ = change(&scene, json!({"branch_filter_strategy": "all_branches"})).assert_status(200);
    assert_eq!(pushed("topic2"), 1);
    let invalid = json!({"message": "Invalid branch filter given", "error": "Invalid branch filter given"});
    change(&scene, json!({"branch_filter_strategy": "wildcard"})).assert(422, invalid.clone());
    change(&scene, json!({"branch_filter_strategy": "regex", "push_events_branch_filter": "(?=a)"}))
        .assert(422, invalid);
    change(&scene, json!({"branch_filter_strategy": "none"}))
        .assert(400, parameter("branch_filter_strategy does not have a valid value"));
    let _ = change(&scene, json!({"branch_filter_strategy": "wildcard", "push_events_branch_filter": "top*"}))
        .assert_status(200);
    assert_eq!((pushed("other"), pushed("topic3")), (0, 1));
}

#[both_databases]
fn a_hook_that_fails_is_disabled_for_longer_and_longer_and_then_for_good(server: &TestServer) {
    let scene = Scene::new(server);
    let status = || {
        let hook = scene.alice.get(&scene.hook).json();
        (hook["alert_status"].as_str().unwrap_or_default().to_owned(), hook["disabled_until"].clone())
    };
    let refused = || Answer::Status(500, Vec::new(), String::new());
    scene.receiver.answer([refused(), refused(), refused(), refused()]);
    for title in ["One", "Two", "Three"] {
        scene.issue(title);
    }
    server.run_jobs();
    assert_eq!(status(), ("executable".to_owned(), Value::Null));
    scene.issue("Four");
    scene.issue("Five");
    server.run_jobs();
    assert_eq!(scene.receiver.take().len(), 4, "the fifth waits");
    let (word, until) = status();
    assert!(word == "temporarily_disabled" && until.is_string(), "{word} {until}");
    server.advance(TimeDelta::minutes(2));
    server.run_jobs();
    assert_eq!((scene.receiver.take().len(), status().0), (1, "executable".to_owned()));
    // After forty failures within more than a week it gets nothing more.
    scene.receiver.answer([refused()]);
    scene.issue("Six");
    server.run_jobs();
    server.database().execute("UPDATE hooks SET failures = 40");
    server.advance(TimeDelta::days(7));
    let _ = scene.receiver.take();
    assert_eq!(status(), ("disabled".to_owned(), Value::Null));
    scene.issue("Seven");
    server.run_jobs();
    assert_eq!(scene.receiver.take().len(), 0);
    let test = format!("{}/test/issues_events", scene.hook);
    let _ = scene.alice.post(&test, json!({})).assert_status(201);
    assert_eq!(status(), ("executable".to_owned(), Value::Null));
    let _ = scene.receiver.take();
    scene.issue("Eight");
    server.run_jobs();
    assert_eq!(scene.receiver.take().len(), 1);
}

#[both_databases]
fn hooks_of_the_server_have_the_same(server: &TestServer) {
    let (root, receiver) = (server.root(), Receiver::start());
    let pair = |key: &str, value: &str| json!([{"key": key, "value": value}]);
    let hook = made(
        &root,
        "/hooks",
        json!({
            "url": receiver.url("/{part}"), "custom_headers": pair("X-A", "1111"), "url_variables": pair("part", "in"),
            "custom_webhook_template": "{\"name\": {{event_name}}}", "branch_filter_strategy": "regex",
        }),
    );
    assert_eq!(
        (&hook["custom_headers"], &hook["url_variables"], &hook["branch_filter_strategy"], &hook["alert_status"]),
        (&json!([{"key": "X-A"}]), &json!([{"key": "part"}]), &json!("regex"), &json!("executable"))
    );
    let one = format!("/hooks/{}", id(&hook));
    let _ = root.put(&format!("{one}/custom_headers/X-B"), json!({"value": "2222"})).assert_status(204);
    let _ = server.user("alice");
    server.run_jobs();
    let deliveries = receiver.take();
    assert_eq!(deliveries[0].json(), json!({"name": "user_create"}));
    assert_eq!(
        (deliveries[0].path.as_str(), deliveries[0].header("x-a"), deliveries[0].header("x-b")),
        ("/in", Some("1111"), Some("2222"))
    );
    let _ = root.delete(&format!("{one}/custom_headers/X-B")).assert_status(204);
    let _ = root.put(&format!("{one}/url_variables/more"), json!({"value": "m"})).assert_status(204);
    let _ = root.delete(&format!("{one}/url_variables/more")).assert_status(204);
}
