//! Webhooks and deploy keys.

use serde_json::{Map, json};
use tenon_domain::hook::{FLAGS, Flag, Holder, Initial};
use tenon_testkit::{TestServer, both_databases, keys};

use super::{Managed, home, merged};

#[both_databases]
fn a_webhook_stays_as_it_was_described(server: &TestServer) {
    let client = server.root();
    let home = home(&client);
    let of_project = |flag: &&Flag| flag.initial(Holder::Project) != Initial::Fixed;
    let flags: Vec<&str> = FLAGS.iter().filter(of_project).map(Flag::name).collect();
    let all = |is_on: bool| flags.iter().map(|flag| ((*flag).to_owned(), json!(is_on))).collect::<Map<_, _>>().into();
    let hook = Managed {
        create: format!("{home}/hooks"),
        client,
        method: "PUT",
        unread: json!({"token": "s3cret"}),
        always: &["url"],
        first: merged(
            &all(true),
            &json!({
                "url": "https://hooks.example.com/in", "name": "Receiver", "description": "Of all.",
                "enable_ssl_verification": false, "push_events_branch_filter": "release/*",
                "branch_filter_strategy": "wildcard", "custom_webhook_template": "{\"kind\": \"{{object_kind}}\"}",
            }),
        ),
        second: merged(
            &all(false),
            &json!({
                "url": "https://hooks.example.com/other", "name": "", "description": "", "enable_ssl_verification": true,
                "push_events_branch_filter": "", "branch_filter_strategy": "all_branches", "custom_webhook_template": "",
            }),
        ),
        paths: |made| vec![format!("/projects/{}/hooks/{}", made["project_id"], made["id"])],
        follow: &[],
    };
    let _ = hook.manage();
}

#[both_databases]
fn a_webhook_of_the_server_stays_as_it_was_described(server: &TestServer) {
    let hook = Managed {
        client: server.root(),
        create: "/hooks".to_owned(),
        method: "PUT",
        unread: json!({"token": "s3cret"}),
        always: &["url"],
        first: json!({
            "url": "https://hooks.example.com/in", "name": "Receiver", "description": "Of all.", "push_events": true,
            "tag_push_events": true, "merge_requests_events": true, "repository_update_events": true,
            "enable_ssl_verification": false, "push_events_branch_filter": "release/*",
            "branch_filter_strategy": "regex", "custom_webhook_template": "{\"kind\": \"{{object_kind}}\"}",
        }),
        second: json!({
            "url": "https://hooks.example.com/other", "name": "", "description": "", "push_events": false,
            "tag_push_events": false, "merge_requests_events": false, "repository_update_events": false,
            "enable_ssl_verification": true, "push_events_branch_filter": "", "branch_filter_strategy": "wildcard",
            "custom_webhook_template": "",
        }),
        paths: |made| vec![format!("/hooks/{}", made["id"])],
        follow: &[],
    };
    let _ = hook.manage();
}

#[both_databases]
fn a_deploy_key_stays_as_it_was_described(server: &TestServer) {
    let client = server.root();
    let home = home(&client);
    let key = Managed {
        create: format!("{home}/deploy_keys"),
        client: client.clone(),
        method: "PUT",
        unread: json!({"key": keys::ED25519, "expires_at": "2026-12-31T09:00:00.000Z"}),
        always: &[],
        first: json!({"title": "ci", "can_push": true}),
        second: json!({"title": "deploy", "can_push": false}),
        paths: |made| vec![format!("/projects/root%2Fhome/deploy_keys/{}", made["id"])],
        follow: &[],
    };
    let read = key.manage();
    assert_eq!(
        (&read["key"], &read["expires_at"]),
        (&json!(keys::stored(keys::ED25519)), &json!("2026-12-31T09:00:00.000Z"))
    );
    assert_eq!(client.get(&format!("{home}/deploy_keys/{}", read["id"])).assert_status(200).json(), read);
}
