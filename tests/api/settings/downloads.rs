//! Users who download very many projects.

use serde_json::{Value, json};
use tenon_domain::time::TimeDelta;
use tenon_testkit::{Client, Mail, TestServer, both_databases};

use super::set;
use crate::merge_request::{repository, tip};
use crate::support::*;

/// Two projects in a minute.
fn limit(more: &Value) -> Value {
    let mut body = json!({
        "max_number_of_repository_downloads": 2, "max_number_of_repository_downloads_within_time_period": 60,
    });
    body.as_object_mut().expect("an object").extend(more.as_object().cloned().expect("an object"));
    body
}

fn projects(server: &TestServer) -> Vec<i64> {
    let owner = server.user("owner");
    ["a", "b", "c", "d"].map(|name| repository(&owner, name, "public")).to_vec()
}

fn archive(client: &Client, project: i64) {
    let _ = client.get(&format!("/projects/{project}/repository/archive")).assert_status(200);
}

/// The mails about downloads that the user of this name gets now.
fn mails(server: &TestServer, name: &str) -> Vec<Mail> {
    server.flush_usage();
    let _ = server.run_jobs();
    let mails = server.mails(&format!("{name}@example.org"));
    mails.into_iter().filter(|mail| mail.subject().contains("has downloaded many projects")).collect()
}

#[both_databases(mail)]
fn administrators_hear_of_who_downloads_many_projects(server: &TestServer) {
    let projects = projects(server);
    let (bob, carol, eve) = (server.user("bob"), server.user("carol"), server.user("eve"));
    let _ = changed(&server.root(), &format!("/users/{}", carol.id), json!({"admin": true}));
    set(server, limit(&json!({"git_rate_limit_users_allowlist": ["EVE"]})));
    for project in [0, 1, 1, 0] {
        archive(&bob, projects[project]);
    }
    server.advance(TimeDelta::seconds(60));
    archive(&bob, projects[2]);
    assert!(mails(server, "carol").is_empty(), "no more than two in a minute");
    archive(&bob, projects[3]);
    for project in &projects {
        archive(&eve, *project);
        archive(&server.anonymous(), *project);
    }
    assert!(mails(server, "carol").is_empty());
    archive(&bob, projects[0]);
    let [mail] = &mails(server, "carol")[..] else { panic!("one mail") };
    assert!(mail.subject().starts_with("@bob "), "{}", mail.subject());
    assert!(mail.text.contains("than 2 in 60 seconds") && !mail.text.contains("banned"), "{}", mail.text);
    assert!(mails(server, "bob").is_empty());
    let _ = bob.get("/user").assert_status(200);
}

#[both_databases(mail)]
fn who_fetches_many_projects_is_banned_where_the_setting_says_so(server: &TestServer) {
    let projects = projects(server);
    let (bob, carol) = (server.user("bob"), server.user("carol"));
    set(
        server,
        limit(&json!({
            "auto_ban_user_on_excessive_projects_download": true, "git_rate_limit_users_alertlist": [carol.id],
        })),
    );
    let fetch = |name: &str, project: i64| {
        let head = tip(&bob, project, "main").expect("a branch");
        let (command, want) = ("command=fetch\n", format!("want {head}\n"));
        let body =
            format!("{:04x}{command}0001{:04x}{want}0009done\n0000", command.len() + 4, want.len() + 4).into_bytes();
        let git = server.anonymous().basic("bob", &bob.token).header("git-protocol", "version=2");
        let path = format!("//owner/{name}.git/git-upload-pack");
        let _ = git.send("POST", &path, Some("application/x-git-upload-pack-request"), body).assert_status(200);
    };
    for (name, project) in ["a", "b", "c"].into_iter().zip(&projects) {
        fetch(name, *project);
    }
    let [mail] = &mails(server, "carol")[..] else { panic!("one mail") };
    assert!(mail.text.contains("The account is banned."), "{}", mail.text);
    let _ = bob.get("/user").assert_status(403);
    let state = server.root().get(&format!("/users/{}", bob.id)).json();
    assert_eq!(state["state"], "banned");
    // Administrators are not banned.
    for project in &projects {
        archive(&server.root(), *project);
    }
    assert_eq!(mails(server, "carol").len(), 1);
    let _ = server.root().get("/user").assert_status(200);
}

#[both_databases(mail)]
fn downloads_are_not_counted_without_a_time(server: &TestServer) {
    let projects = projects(server);
    set(server, json!({"max_number_of_repository_downloads": 1, "git_rate_limit_users_alertlist": [2]}));
    let bob = server.user("bob");
    for project in projects {
        archive(&bob, project);
    }
    assert!(mails(server, "owner").is_empty());
}
