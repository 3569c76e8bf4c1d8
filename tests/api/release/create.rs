//! Making releases.

use super::*;

#[both_databases]
fn a_tag_that_is_not_there_is_made(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let tags = format!("/projects/{tool}/repository/tags");
    let body = json!({"tag_name": "v1", "ref": "main", "tag_message": "One"});
    let release = made(&alice, &at(tool), body);
    assert_eq!(some(&release, &["name", "description"]), json!(["v1", ""]));
    let tag = alice.get(&format!("{tags}/v1")).assert_status(200).json();
    assert_eq!(some(&tag, &["message", "release"]), json!(["One", {"tag_name": "v1", "description": ""}]));
    assert_ne!(tag["target"], tag["commit"]["id"]);
    assert_eq!(made(&alice, &at(tool), json!({"tag_name": "v2", "ref": "v1"}))["commit"], tag["commit"]);
    assert_eq!(alice.get(&format!("{tags}/v2")).json()["message"], json!(null));
    let events = alice.get(&format!("/projects/{tool}/events?action=pushed&per_page=2")).assert_status(200).json();
    assert_eq!(some(&events[0]["push_data"], &["action", "ref_type", "ref"]), json!(["created", "tag", "v2"]));
    // If the tag is there, `ref` does not matter.
    super::tag(&alice, tool, "v3");
    made(&alice, &at(tool), json!({"tag_name": "v3", "ref": "nowhere"}));
    super::tag(&alice, tool, "v4");
    made(&alice, &at(tool), json!({"tag_name": "v4"}));
}

#[both_databases]
fn a_release_that_cannot_be_made_is_refused_in_known_words(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let path = at(tool);
    made(&alice, &path, json!({"tag_name": "v1", "ref": "main"}));
    let post = |body: Value| alice.post(&path, body);
    post(json!({"tag_name": "v1", "ref": "main"})).assert(409, message("Release already exists"));
    post(json!({"tag_name": "v2"})).assert(422, parameter("Ref is not specified"));
    post(json!({"tag_name": "v2", "ref": ""})).assert(422, parameter("Ref is not specified"));
    post(json!({"tag_name": "v2", "ref": "nowhere"})).assert(400, message("Target nowhere is invalid"));
    for name in ["a b", "-x", "a..b", "x.lock", "a\u{202e}b"] {
        post(json!({"tag_name": name, "ref": "main"})).assert(400, message("Tag name invalid"));
    }
    post(json!({})).assert(400, parameter("tag_name is missing"));
    post(json!({"tag_name": ""})).assert(400, parameter("tag_name is empty"));
    post(json!({"tag_name": "v2", "released_at": "soon"})).assert(400, parameter("released_at is invalid"));
    let long = "n".repeat(256);
    post(json!({"tag_name": "v2", "ref": "main", "name": long}))
        .assert(400, message("Validation failed: Name is too long (maximum is 255 characters)"));
    let long = "d".repeat(1_000_001);
    post(json!({"tag_name": "v2", "ref": "main", "description": long}))
        .assert(400, message("Validation failed: Description is too long (maximum is 1000000 characters)"));
    let tags = format!("/projects/{tool}/repository/tags");
    alice
        .post(&tags, json!({"tag_name": "v2", "ref": "main", "release_description": long}))
        .assert(400, message("Validation failed: Description is too long (maximum is 1000000 characters)"));
    post(json!({"tag_name": "v2", "ref": "main", "milestones": ["x", "y"]}))
        .assert(400, message("Milestone(s) not found: x, y"));
    // None of it has left a tag.
    assert_eq!(alice.get(&tags).header("x-total"), "1");
}

#[both_databases]
fn links_of_a_release_are_refused_with_all_that_is_wrong(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let post =
        |links: Value| alice.post(&at(tool), json!({"tag_name": "v1", "ref": "main", "assets": {"links": links}}));
    let link = |name: &str, url: &str| json!({"name": name, "url": url});
    post(json!([link("a", "https://example.com/a"), link("a", "https://example.com/b")]))
        .assert(400, message("Validation failed: Links name has already been taken"));
    post(json!([link("a", "https://example.com/a"), link("b", "https://example.com/a")]))
        .assert(400, message("Validation failed: Links url has already been taken"));
    post(json!([link("a", "javascript:alert(1)")]))
        .assert(400, message("Validation failed: Links url is blocked: Only allowed schemes are http, https, ftp"));
    post(json!([{"name": "a"}, {"url": "u"}]))
        .assert(400, parameter("assets[links][0][url] is missing, assets[links][1][name] is missing"));
    post(json!("x")).assert(400, parameter("assets[links] is invalid"));
    post(json!([{"name": "a", "url": "https://example.com", "link_type": "x"}]))
        .assert(400, parameter("assets[links][0][link_type] does not have a valid value"));
    let many: Vec<Value> =
        (0..101).map(|number| link(&format!("{number}"), &format!("https://example.com/{number}"))).collect();
    post(json!(many)).assert(400, message("A release cannot have more than 100 links"));
    assert_eq!(post(json!(many[..100])).assert_status(201).json()["assets"]["count"], 104);
    let one_more = alice.post(&format!("{}/v1/assets/links", at(tool)), many[100].clone());
    one_more.assert(400, message("A release cannot have more than 100 links"));
}

#[both_databases]
fn links_come_with_the_release_in_every_form(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    let links = json!([
        {"name": "one", "url": "https://example.com/1", "link_type": "package", "filepath": "/one"},
        {"name": "two", "url": "ftp://example.com/2", "direct_asset_path": "/bin/two.zip"},
    ]);
    let release = made(&alice, &at(tool), json!({"tag_name": "v1", "ref": "main", "assets": {"links": links}}));
    let page = format!("{}/alice/tool/-/releases/v1/downloads", server.base());
    let shown = &release["assets"];
    assert_eq!(shown["count"], 6);
    assert_eq!(
        some(&shown["links"][0], &["name", "url", "link_type", "direct_asset_url"]),
        json!(["two", "ftp://example.com/2", "other", format!("{page}/bin/two.zip")])
    );
    assert_eq!(
        some(&shown["links"][1], &["name", "url", "link_type", "direct_asset_url"]),
        json!(["one", "https://example.com/1", "package", format!("{page}/one")])
    );
    let form = "tag_name=v2&ref=main&assets[links][][name]=a&assets[links][][url]=https://example.com/a&assets[links][][name]=b&assets[links][][url]=https://example.com/b";
    let reply = alice.form("POST", &at(tool), form).assert_status(201).json();
    assert_eq!(reply["assets"]["count"], 6);
    for assets in [json!(null), json!({}), json!({"links": null}), json!({"links": []})] {
        let name = format!("w{}", alice.get(&at(tool)).header("x-total"));
        assert_eq!(
            made(&alice, &at(tool), json!({"tag_name": name, "ref": "main", "assets": assets}))["assets"]["links"],
            json!([])
        );
    }
}

#[both_databases]
fn a_protected_tag_is_made_by_those_who_may(server: &TestServer) {
    let cast = cast(server, "private");
    made(&cast.owner, &format!("/projects/{}/protected_tags", cast.project), json!({"name": "v*"}));
    let body = json!({"tag_name": "v1", "ref": "main"});
    let refused = cast.developer.post(&at(cast.project), body.clone()).assert_status(400);
    assert_eq!(refused.json(), message("You are not allowed to create this tag as it is protected."));
    assert_eq!(listed(&cast.owner, &at(cast.project)).1, "0");
    made(&cast.owner, &at(cast.project), body);
}

#[both_databases]
fn one_of_two_at_once_makes_the_release(server: &TestServer) {
    let alice = server.user("alice");
    let tool = repository(&alice, "tool", "public");
    super::tag(&alice, tool, "there0");
    for name in ["there0", "new0", "new1"] {
        let mut statuses: Vec<u16> = std::thread::scope(|scope| {
            let ask = || alice.post(&at(tool), json!({"tag_name": name, "ref": "main"})).status();
            let asked: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
            asked.into_iter().map(|one| one.join().expect("an answer")).collect()
        });
        statuses.sort_unstable();
        assert_eq!(statuses, [201, 409, 409, 409], "{name}");
    }
    assert_eq!(listed(&alice, &at(tool)).1, "3");
}

#[both_databases]
fn milestones_of_the_project_and_its_groups_belong_to_a_release(server: &TestServer) {
    let root = server.root();
    let team = group(&root, "team", "public");
    let body = json!({"name": "tool", "namespace_id": team, "visibility": "public", "initialize_with_readme": true});
    let tool = id(&made(&root, "/projects", body));
    let (own, inherited) = (
        milestone(&root, &format!("/projects/{tool}"), "own"),
        milestone(&root, &format!("/groups/{team}"), "inherited"),
    );
    let release =
        made(&root, &at(tool), json!({"tag_name": "v1", "ref": "main", "milestones": ["inherited", "own", "own"]}));
    let ids: Vec<i64> = release["milestones"].as_array().expect("milestones").iter().map(id).collect();
    assert_eq!(ids, [own, inherited]);
    let elsewhere = repository(&root, "elsewhere", "public");
    root.post(&at(elsewhere), json!({"tag_name": "v1", "ref": "main", "milestones": ["own"]}))
        .assert(400, message("Milestone(s) not found: own"));
    let one = format!("{}/v1", at(tool));
    assert_eq!(changed(&root, &one, json!({"milestones": ["own"]}))["milestones"][0]["title"], "own");
    // A change of a milestone shows in its releases.
    assert_eq!(id(&promoted(&root, tool, own)), own);
    assert_eq!(root.get(&one).json()["milestones"][0]["group_id"], team);
    let _ = root.delete(&format!("/groups/{team}/milestones/{own}")).assert_status(204);
    assert_lacks(&root.get(&one).json(), &["milestones"]);
    changed(&root, &one, json!({"milestones": ["inherited"]}));
    let off = json!({"issues_access_level": "disabled", "merge_requests_access_level": "disabled", "issues_enabled": false, "merge_requests_enabled": false});
    changed(&root, &format!("/projects/{tool}"), off);
    assert_lacks(&root.get(&one).json(), &["milestones"]);
    let _ = root.delete(&one).assert_status(200);
}

#[both_databases]
fn milestones_that_become_one_are_one_of_a_release(server: &TestServer) {
    let root = server.root();
    let team = group(&root, "team", "public");
    let make = |name: &str| {
        let body = json!({"name": name, "namespace_id": team, "visibility": "public", "initialize_with_readme": true});
        let project = id(&made(&root, "/projects", body));
        (project, milestone(&root, &format!("/projects/{project}"), "v1"))
    };
    let ((one, first), (other, _)) = (make("one"), make("other"));
    for project in [one, other] {
        made(&root, &at(project), json!({"tag_name": "v1", "ref": "main", "milestones": ["v1"]}));
    }
    promoted(&root, one, first);
    for project in [one, other] {
        let milestones = root.get(&format!("{}/v1", at(project))).json()["milestones"].clone();
        assert_eq!((milestones[0]["id"].as_i64(), milestones.as_array().map(Vec::len)), (Some(first), Some(1)));
    }
}

/// Makes a project's milestone one of its group.
#[track_caller]
fn promoted(client: &Client, project: i64, milestone: i64) -> Value {
    client.post(&format!("/projects/{project}/milestones/{milestone}/promote"), json!({})).assert_status(200).json()
}
