//! The settings of the table of groups: each is stored, answered, and takes no wrong value.

use serde_json::{Value, json};
use tenon_domain::group::setting::{OWNERS_ONLY, SETTINGS, TOP_LEVEL_ONLY, is_among};
use tenon_testkit::{Client, TestServer, both_databases};

use crate::setting_values::*;
use crate::support::*;

/// Checks these settings in the answers that show a group.
#[track_caller]
fn assert_shown(client: &Client, group: i64, wanted: &[Wanted]) {
    assert_values(&client.get(&format!("/groups/{group}")).assert_status(200).json(), wanted);
    let listed = client.get("/groups?owned=true").json();
    let listed = listed.as_array().expect("a list").iter().find(|one| one["id"] == group).expect("the group").clone();
    let open: Vec<Wanted> = wanted.iter().filter(|(setting, _)| !is_among(setting, OWNERS_ONLY)).cloned().collect();
    assert_values(&listed, &open);
}

#[both_databases]
fn each_setting_is_stored_and_answered(server: &TestServer) {
    let alice = server.user("alice");
    let (others, defaults) = (each(SETTINGS, other), each(SETTINGS, preset));
    let team = group(&alice, "team", "private");
    let path = format!("/groups/{team}");
    assert_shown(&alice, team, &defaults);
    assert_values(&changed(&alice, &path, body_of(&others)), &others);
    assert_shown(&alice, team, &others);
    let _ = alice.form("PUT", &path, &form_of(&defaults)).assert_status(200);
    assert_shown(&alice, team, &defaults);
    let mut new = body_of(&others);
    new["name"] = json!("made");
    new["path"] = json!("made");
    assert_shown(&alice, id(&made(&alice, "/groups", new)), &others);
    let new = format!("name=formed&path=formed&{}", form_of(&others));
    let formed = alice.form("POST", "/groups", &new).assert_status(201).json();
    assert_shown(&alice, id(&formed), &others);
    for setting in SETTINGS {
        let one = [(setting, other(setting))];
        assert_values(&changed(&alice, &path, body_of(&one)), &one);
        let back = [(setting, preset(setting))];
        assert_values(&changed(&alice, &path, body_of(&back)), &back);
    }
}

/// A client that makes a group with everything set, reads it, changes each field and reads it again finds what it has sent.
#[both_databases]
fn a_client_that_compares_comes_to_rest(server: &TestServer) {
    let root = server.root();
    let first = json!({
        "name": "team", "path": "team", "description": "All of us", "visibility": "internal", "lfs_enabled": false,
        "request_access_enabled": true, "share_with_group_lock": true, "project_creation_level": "developer",
        "subgroup_creation_level": "maintainer", "require_two_factor_authentication": true, "two_factor_grace_period": 24,
        "default_branch": "trunk", "auto_devops_enabled": true, "emails_enabled": false, "mentions_disabled": true,
        "prevent_forking_outside_group": true, "membership_lock": true, "wiki_access_level": "private",
        "shared_runners_setting": "disabled_and_overridable", "ip_restriction_ranges": "192.0.2.0/24,127.0.0.1",
        "allowed_email_domains_list": "example.org,example.com", "only_allow_merge_if_pipeline_succeeds": true,
        "only_allow_merge_if_all_discussions_are_resolved": true, "allow_merge_on_skipped_pipeline": true,
    });
    let second = json!({
        "name": "crew", "path": "crew", "description": "", "visibility": "private", "lfs_enabled": true,
        "request_access_enabled": false, "project_creation_level": "maintainer", "subgroup_creation_level": "owner",
        "require_two_factor_authentication": false, "two_factor_grace_period": 48, "share_with_group_lock": false,
        "default_branch": "main", "auto_devops_enabled": false, "emails_enabled": true, "mentions_disabled": false,
        "prevent_forking_outside_group": false, "membership_lock": false, "wiki_access_level": "disabled",
        "shared_runners_setting": "enabled", "ip_restriction_ranges": "127.0.0.1", "allowed_email_domains_list": "a.test",
        "only_allow_merge_if_pipeline_succeeds": false, "only_allow_merge_if_all_discussions_are_resolved": false,
        "allow_merge_on_skipped_pipeline": false,
    });
    let assert_has_all = |answer: &Value, sent: &Value| {
        for (name, want) in sent.as_object().expect("an object") {
            assert_eq!(&answer[name], want, "{name}");
        }
    };
    let created = made(&root, "/groups", first.clone());
    assert_has_all(&created, &first);
    let path = format!("/groups/{}", id(&created));
    assert_has_all(&root.get(&path).json(), &first);
    assert_has_all(&changed(&root, &path, second.clone()), &second);
    assert_has_all(&root.get(&path).json(), &second);
    for (name, value) in first.as_object().expect("an object") {
        let change = json!({ name.as_str(): value });
        assert_has_all(&changed(&root, &path, change.clone()), &change);
    }
    assert_has_all(&root.get(&path).json(), &first);
    assert_has(&root.get(&path).json(), &["marked_for_deletion_on", "repository_storage", "runners_token"]);
}

#[both_databases]
fn a_wrong_value_is_refused_by_name_and_nothing_is_stored(server: &TestServer) {
    let alice = server.user("alice");
    let path = format!("/groups/{}", group(&alice, "team", "private"));
    for setting in SETTINGS {
        for value in wrong(setting) {
            let body = json!({ setting.name: value, "description": "not stored" });
            let refused = alice.put(&path, body).assert_status(400);
            assert!(refused.text().contains(setting.name), "{}: {}", setting.name, refused.text());
            let new = json!({"name": "new", "path": "new", setting.name: value});
            let _ = alice.post("/groups", new).assert_status(400);
        }
    }
    let read = alice.get(&path).json();
    assert_eq!(read["description"], "");
    assert_values(&read, &each(SETTINGS, preset));
    let both = json!({"emails_enabled": true, "emails_disabled": true});
    alice.put(&path, both).assert(400, parameter("emails_enabled, emails_disabled are mutually exclusive"));
    assert_eq!(changed(&alice, &path, json!({"emails_disabled": true}))["emails_enabled"], false);
}

#[both_databases]
fn some_settings_belong_to_groups_at_the_top(server: &TestServer) {
    let alice = server.user("alice");
    let team = group(&alice, "team", "private");
    let below = subgroup(&alice, team, "below", "private");
    for setting in TOP_LEVEL_ONLY {
        let body = json!({ setting.name: other(setting) });
        let refused = alice.put(&format!("/groups/{below}"), body.clone()).assert_status(400);
        assert_eq!(refused.json()["message"][setting.name][0], "is only possible for a group at the top");
        let mut new = body.clone();
        new["name"] = json!("new");
        new["path"] = json!("new");
        new["parent_id"] = json!(team);
        let _ = alice.post("/groups", new).assert_status(400);
        // The settings of a group that moves below another end.
        let moved = group(&alice, "moved", "private");
        changed(&alice, &format!("/groups/{moved}"), body);
        let there = alice.post(&format!("/groups/{moved}/transfer"), json!({"group_id": team}));
        assert_eq!(there.assert_status(201).json()[setting.name], preset(setting));
        let _ = alice.delete(&format!("/groups/{moved}")).assert_status(202);
        server.run_jobs();
    }
}

#[both_databases]
fn only_owners_read_addresses_and_the_token_of_runners(server: &TestServer) {
    let (alice, bob, carl) = (server.user("alice"), server.user("bob"), server.user("carl"));
    let team = group(&alice, "team", "public");
    let path = format!("/groups/{team}");
    member(&alice, &path, bob.id, 40);
    let secrets = ["ip_restriction_ranges", "allowed_email_domains_list", "runners_token"];
    for reader in [&*bob, &*carl, &server.anonymous()] {
        assert_lacks(&reader.get(&path).json(), &secrets);
    }
    let own = alice.get(&path).json();
    assert_has(&own, &secrets);
    assert_lacks(&own, &["repository_storage"]);
    assert_eq!(own["runners_token"], server.root().get(&path).json()["runners_token"]);
    let other = alice.get(&format!("/groups/{}", group(&alice, "other", "public"))).json();
    assert_ne!(own["runners_token"], other["runners_token"]);
    assert_eq!(server.root().get(&path).json()["repository_storage"], "default");
    alice
        .get("/groups?owned=true")
        .json()
        .as_array()
        .expect("a list")
        .iter()
        .for_each(|one| assert_lacks(one, &secrets));
}
