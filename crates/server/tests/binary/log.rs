//! The log of requests.

use std::fs::File;
use std::process::Stdio;

use serde_json::json;
use tenon_testkit::Backend;

use crate::process::{Serving, TOKEN, database};

#[test]
fn no_secret_of_a_request_is_logged_and_who_acts_as_another_administrator_is() {
    let folder = tempfile::tempdir().unwrap();
    let (_database, url) = database(Backend::Sqlite, folder.path());
    let file = folder.path().join("log");
    let log = Stdio::from(File::create(&file).unwrap());
    // All messages of the server itself.
    let filter =
        "info,tenon_server=trace,tenon_edge=trace,tenon_http=trace,tenon_web=trace,tenon_app=trace,tenon_git=trace";
    let serving = Serving::start_logging(folder.path(), &url, filter, log);
    let (root, anonymous) = (serving.root(), serving.anonymous());
    for (name, admin) in [("second", true), ("ada", false)] {
        let body = json!({
            "username": name, "name": name, "email": format!("{name}@planted.example"), "admin": admin,
            "password": "planted-password", "skip_confirmation": true,
        });
        let _ = root.post("/users", body).assert_status(201);
    }
    for name in ["private_token", "access_token", "bearer_token"] {
        let _ = anonymous.get(&format!("/projects?{name}=planted-query")).assert_status(401);
        let _ = anonymous.get(&format!("/projects?{name}={TOKEN}")).assert_status(200);
        let _ = anonymous.get(&format!("//-/nothing?{name}=planted-query")).assert_status(404);
    }
    let _ = anonymous.header("Private-Token", "planted-header").get("/projects").assert_status(401);
    let _ = anonymous.header("Authorization", "Bearer planted-bearer").get("/user").assert_status(401);
    let _ = anonymous.header("Cookie", "_service_session=planted-cookie").get("/user").assert_status(401);
    let _ = anonymous.form("POST", "/projects", "private_token=planted-body&name=x").assert_status(401);
    for path in ["//users/password/edit", "//users/password/edit/", "//users/confirmation"] {
        let _ = anonymous
            .get(&format!("{path}?reset_password_token=planted-reset&confirmation_token=planted-confirmation"));
        let _ = anonymous.form("POST", path, "user[reset_password_token]=planted-reset&user[password]=planted-new");
    }
    let _ = anonymous.form("POST", "//users/password", "user[email]=ada@planted.example");
    let grant = "grant_type=password&username=ada&password=planted-wrong&client_secret=planted-secret";
    let _ = anonymous.form("POST", "//oauth/token", grant);
    for (name, password) in [("ada", "planted-password"), ("ada", "planted-wrong"), ("x", "planted-token")] {
        let _ = anonymous.basic(name, password).get("//ada/p.git/info/refs?service=git-upload-pack");
    }
    let project = root.post("/projects", json!({"name": "p"})).assert_status(201).json()["id"].clone();
    let group = root.post("/groups", json!({"name": "g", "path": "g"})).assert_status(201).json()["id"].clone();
    for owner in [format!("/projects/{project}"), format!("/groups/{group}"), "/admin/ci".to_owned()] {
        let variables = format!("{owner}/variables");
        let body = json!({"key": "A", "value": "planted-variable", "masked_and_hidden": true});
        let _ = root.post(&variables, body).assert_status(201);
        let _ = root.put(&format!("{variables}/A"), json!({"value": "planted-changed"})).assert_status(200);
        let _ = root.get(&format!("{variables}/A?value=planted-query")).assert_status(200);
    }
    let body = json!({"name": "d", "scopes": ["read_repository"], "username": "reader"});
    let token = root.post(&format!("/projects/{project}/deploy_tokens"), body).assert_status(201).json();
    let token = token["token"].as_str().unwrap_or_default();
    let _ = anonymous.basic("reader", token).get("//root/p.git/info/refs?service=git-upload-pack").assert_status(200);
    let _ = root.get("/user?sudo=second").assert_status(200);
    assert!(serving.terminate().success());
    let log = std::fs::read_to_string(file).unwrap();
    assert!(log.contains("\"message\":\"request\"") && log.contains("/projects"), "requests are logged: {log}");
    for secret in ["planted", TOKEN, token] {
        let line = log.lines().find(|line| line.contains(secret));
        assert_eq!(line, None, "{secret}");
    }
    let line = log.lines().find(|line| line.contains("an administrator uses sudo"));
    assert!(line.is_some_and(|line| line.contains("root") && line.contains("second")), "{line:?}");
}
