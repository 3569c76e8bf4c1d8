//! A client that describes a server, as Terraform does. It makes an object with everything set, reads it, changes each field, and reads
//! it again, by id and by path. No field differs from what was sent, and no other field changes.

use serde_json::{Map, Value as Json, json};
use tenon_domain::settings::Setting;
use tenon_domain::{group, project};
use tenon_testkit::{Client, TestServer, both_databases, keys};

use crate::setting_values::{other, preset};

/// Fields that follow from others, or change with each write.
const FOLLOWING: &[&str] = &["updated_at", "last_activity_at", "_links", "namespace"];

/// An object that the client describes.
struct Managed<'a> {
    client: Client,
    /// The path at which it is made.
    create: String,
    /// The method of a change.
    method: &'a str,
    /// Fields that are sent when it is made, and never read.
    unread: Json,
    /// Fields without which no change is accepted.
    always: &'a [&'a str],
    /// The fields when it is made, and after the changes.
    first: Json,
    second: Json,
    /// The paths at which it is read and changed.
    paths: fn(&Json) -> Vec<String>,
    /// Fields that change with a field: its name, and theirs.
    follow: &'a [(&'a str, &'a [&'a str])],
}

/// The fields of one object and of another, which take precedence.
fn merged(base: &Json, more: &Json) -> Json {
    let mut all = base.clone();
    all.as_object_mut().expect("an object").extend(more.as_object().cloned().expect("an object"));
    all
}

fn entries(object: &Json) -> impl Iterator<Item = (&String, &Json)> {
    object.as_object().into_iter().flatten()
}

/// A field that is empty is the same as one that is null.
fn same(found: &Json, want: &Json) -> bool {
    found == want || (found.is_null() && want == "") || (want.is_null() && found == "")
}

impl Managed<'_> {
    /// Notes the fields of an answer that are not as they were sent.
    fn compare(&self, step: &str, answer: &Json, sent: &Json, wrong: &mut Vec<String>) {
        for (name, want) in entries(sent) {
            if !same(&answer[name], want) {
                wrong.push(format!("{} {step}: {name} is {}, not {want}", self.create, answer[name]));
            }
        }
    }

    /// Notes the fields that differ between two answers and neither were sent nor follow from those that were.
    fn assert_kept(&self, step: &str, before: &Json, after: &Json, sent: &Json, wrong: &mut Vec<String>) {
        let follows = |name: &str| {
            FOLLOWING.contains(&name)
                || self.follow.iter().any(|(field, names)| sent.get(field).is_some() && names.contains(&name))
        };
        for (name, was) in entries(before).filter(|(name, _)| sent.get(name.as_str()).is_none() && !follows(name)) {
            if after.get(name) != Some(was) {
                wrong.push(format!("{} {step}: {name} was {was} and is {}", self.create, after[name]));
            }
        }
        for (name, is) in entries(after).filter(|(name, _)| before.get(name.as_str()).is_none() && !follows(name)) {
            wrong.push(format!("{} {step}: {name} was not there and is {is}", self.create));
        }
    }

    /// Reads the object at all its paths. The answers must be the same.
    fn read(&self, made: &Json) -> Json {
        let mut answers = (self.paths)(made).into_iter().map(|path| self.client.get(&path).assert_status(200).json());
        let first = answers.next().expect("a path");
        for another in answers {
            assert_eq!(another, first, "{}", self.create);
        }
        first
    }

    fn change(&self, made: &Json, body: &Json) -> Json {
        let path = (self.paths)(made).remove(0);
        let sent = body.to_string().into_bytes();
        self.client.send(self.method, &path, Some("application/json"), sent).assert_status(200).json()
    }

    /// Does all that such a client does, and yields the object as it is at last.
    fn manage(&self) -> Json {
        let mut wrong = Vec::new();
        let new = merged(&self.first, &self.unread);
        let mut made = self.client.post(&self.create, new).assert_status(201).json();
        self.compare("created", &made, &self.first, &mut wrong);
        let created = self.read(&made);
        self.compare("read", &created, &self.first, &mut wrong);
        let mut before = self.read(&made);
        self.assert_kept("read again", &created, &before, &json!({}), &mut wrong);
        let mut wanted = self.first.clone();
        for (name, value) in entries(&self.second) {
            let always = self.always.iter().map(|name| ((*name).to_owned(), wanted[name].clone()));
            let change = always.chain([(name.clone(), value.clone())]).collect::<Map<_, _>>().into();
            let changed = self.change(&made, &change);
            let step = format!("after {change}");
            self.compare(&step, &changed, &change, &mut wrong);
            made = merged(&made, &changed);
            let after = self.read(&made);
            wanted[name] = value.clone();
            self.compare(&step, &after, &wanted, &mut wrong);
            self.assert_kept(&step, &before, &after, &change, &mut wrong);
            before = after;
        }
        // Clients send the whole description as well, if one field of it has changed.
        for whole in [&wanted, &self.first, &wanted] {
            made = merged(&made, &self.change(&made, whole));
            self.compare("the whole", &made, whole, &mut wrong);
            self.compare("the whole, read", &self.read(&made), whole, &mut wrong);
        }
        self.assert_kept("the whole, sent again", &before, &self.read(&made), &json!({}), &mut wrong);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        self.read(&made)
    }
}

/// The settings of a table, with these values.
fn settings(table: &[Setting], value: fn(&Setting) -> Json) -> Json {
    table.iter().map(|setting| (setting.name.to_owned(), value(setting))).collect::<Map<_, _>>().into()
}

/// The last part of a path for this name.
fn encoded(name: &Json) -> String {
    name.as_str().expect("a text").replace('/', "%2F")
}

/// A project with a commit, and the path of it.
fn home(client: &Client) -> String {
    let body = json!({"name": "home", "initialize_with_readme": true, "visibility": "private"});
    format!("/projects/{}", client.post("/projects", body).assert_status(201).json()["id"])
}

const ADDRESSES: &[&str] = &["web_url", "path_with_namespace", "ssh_url_to_repo", "http_url_to_repo", "readme_url"];

#[both_databases]
fn a_project(server: &TestServer) {
    let first = json!({
        "name": "Tool", "path": "tool", "description": "A tool", "visibility": "internal", "topics": ["one", "two"],
        "lfs_enabled": false, "request_access_enabled": true, "shared_runners_enabled": false, "public_jobs": false,
        "resolve_outdated_diff_discussions": true, "only_allow_merge_if_pipeline_succeeds": true,
        "only_allow_merge_if_all_discussions_are_resolved": true, "printing_merge_request_link_enabled": false,
        "merge_method": "ff", "ci_config_path": "ci.yml", "approvals_before_merge": 2,
    });
    let second = json!({
        "name": "Better tool", "path": "better", "description": "", "visibility": "private", "topics": [],
        "lfs_enabled": true, "request_access_enabled": false, "shared_runners_enabled": true, "public_jobs": true,
        "resolve_outdated_diff_discussions": false, "only_allow_merge_if_pipeline_succeeds": false,
        "only_allow_merge_if_all_discussions_are_resolved": false, "printing_merge_request_link_enabled": true,
        "merge_method": "merge", "ci_config_path": "", "approvals_before_merge": 0,
    });
    let table = project::setting::SETTINGS;
    let project = Managed {
        client: server.root(),
        create: "/projects".to_owned(),
        method: "PUT",
        unread: json!({}),
        always: &[],
        first: merged(&settings(table, other), &first),
        second: merged(&settings(table, preset), &second),
        paths: |made| {
            vec![format!("/projects/{}", made["id"]), format!("/projects/{}", encoded(&made["path_with_namespace"]))]
        },
        follow: &[
            ("name", &["name_with_namespace"]),
            ("path", ADDRESSES),
            ("topics", &["tag_list"]),
            ("repository_access_level", &["can_create_merge_request_in"]),
            ("public_jobs", &["public_builds"]),
            ("printing_merge_request_link_enabled", &["printing_merge_requests_link_enabled"]),
            ("emails_enabled", &["emails_disabled"]),
            ("issues_access_level", &["issues_enabled", "open_issues_count"]),
            ("merge_requests_access_level", &["merge_requests_enabled"]),
            ("builds_access_level", &["jobs_enabled"]),
            ("wiki_access_level", &["wiki_enabled"]),
            ("snippets_access_level", &["snippets_enabled"]),
            ("container_registry_access_level", &["container_registry_enabled"]),
        ],
    };
    let _ = project.manage();
}

#[both_databases]
fn a_group(server: &TestServer) {
    let first = json!({
        "name": "Team", "path": "team", "description": "All of us", "visibility": "internal", "lfs_enabled": false,
        "request_access_enabled": true, "share_with_group_lock": true, "project_creation_level": "developer",
        "subgroup_creation_level": "owner", "require_two_factor_authentication": true, "two_factor_grace_period": 24,
        "default_branch_protection": 1,
    });
    let second = json!({
        "name": "Crew", "path": "crew", "description": "", "visibility": "private", "lfs_enabled": true,
        "request_access_enabled": false, "share_with_group_lock": false, "project_creation_level": "maintainer",
        "subgroup_creation_level": "maintainer", "require_two_factor_authentication": false,
        "two_factor_grace_period": 48, "default_branch_protection": 2,
    });
    let table = group::setting::SETTINGS;
    let group = Managed {
        client: server.root(),
        create: "/groups".to_owned(),
        method: "PUT",
        unread: json!({}),
        always: &[],
        first: merged(&settings(table, other), &first),
        second: merged(&settings(table, preset), &second),
        paths: |made| vec![format!("/groups/{}", made["id"]), format!("/groups/{}", encoded(&made["full_path"]))],
        follow: &[
            ("name", &["full_name"]),
            ("path", &["full_path", "web_url"]),
            ("emails_enabled", &["emails_disabled"]),
            ("default_branch_protection", &["default_branch_protection_defaults"]),
        ],
    };
    let _ = group.manage();
}

#[both_databases]
fn a_user(server: &TestServer) {
    let first = json!({
        "username": "ada", "name": "Ada", "note": "Joined by hand", "theme_id": 3, "linkedin": "ada-l", "skype": "ada.s",
        "twitter": "ada_t", "website_url": "https://ada.test", "bio": "Counts", "location": "London",
        "organization": "Engines", "projects_limit": 7, "can_create_group": false,
        "private_profile": true, "job_title": "Countess", "pronouns": "she", "public_email": "",
    });
    let second = json!({
        "username": "ada2", "name": "Ada L", "note": "", "theme_id": 1, "linkedin": "", "skype": "", "twitter": "",
        "website_url": "", "bio": "", "location": "", "organization": "", "projects_limit": 9, "can_create_group": true,
        "private_profile": false, "job_title": "", "pronouns": "", "public_email": "ada@example.org",
    });
    let user = Managed {
        client: server.root(),
        create: "/users".to_owned(),
        method: "PUT",
        unread: json!({"email": "ada@example.org", "password": "a long password", "skip_confirmation": true}),
        always: &[],
        first,
        second,
        paths: |made| vec![format!("/users/{}", made["id"])],
        follow: &[
            ("username", &["web_url", "namespace_id"]),
            ("name", &["avatar_url"]),
            ("linkedin", &["professional_network"]),
            ("skype", &["messenger"]),
            ("twitter", &["microblog"]),
            ("job_title", &["work_information"]),
            ("organization", &["work_information"]),
        ],
    };
    let read = user.manage();
    // By name, an account is found in the list.
    let listed = user.client.get("/users?username=ada2").assert_status(200).json();
    for (name, value) in entries(&user.second) {
        assert!(same(&listed[0][name], value), "{name}: {}", listed[0][name]);
    }
    assert_eq!(listed[0]["id"], read["id"]);
    // An external user owns nothing: the limits follow, and nothing else does.
    let external = user.change(&read, &json!({"external": true}));
    let limits = json!({"external": true, "projects_limit": 0, "can_create_group": false, "can_create_project": false});
    let mut wrong = Vec::new();
    user.compare("external", &external, &limits, &mut wrong);
    user.assert_kept("external", &read, &user.read(&read), &limits, &mut wrong);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[both_databases]
fn a_webhook(server: &TestServer) {
    let client = server.root();
    let home = home(&client);
    let flags = [
        "push_events", "tag_push_events", "issues_events", "confidential_issues_events", "merge_requests_events",
        "note_events", "confidential_note_events", "job_events", "pipeline_events", "wiki_page_events", "emoji_events",
        "milestone_events", "releases_events", "feature_flag_events", "deployment_events",
        "resource_access_token_events",
    ];
    let all = |is_on: bool| flags.iter().map(|flag| ((*flag).to_owned(), json!(is_on))).collect::<Map<_, _>>().into();
    let hook = Managed {
        create: format!("{home}/hooks"),
        client,
        method: "PUT",
        unread: json!({"token": "s3cret"}),
        always: &["url"],
        first: merged(&all(true), &json!({
            "url": "https://hooks.example.com/in", "name": "Receiver", "description": "Of all.",
            "enable_ssl_verification": false, "push_events_branch_filter": "release/*",
            "branch_filter_strategy": "wildcard", "custom_webhook_template": "{\"kind\": \"{{object_kind}}\"}",
        })),
        second: merged(&all(false), &json!({
            "url": "https://hooks.example.com/other", "name": "", "description": "", "enable_ssl_verification": true,
            "push_events_branch_filter": "", "branch_filter_strategy": "all_branches", "custom_webhook_template": "",
        })),
        paths: |made| vec![format!("/projects/{}/hooks/{}", made["project_id"], made["id"])],
        follow: &[],
    };
    let _ = hook.manage();
}

#[both_databases]
fn a_deploy_key(server: &TestServer) {
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
    assert_eq!((&read["key"], &read["expires_at"]), (&json!(keys::stored(keys::ED25519)), &json!("2026-12-31T09:00:00.000Z")));
    assert_eq!(client.get(&format!("{home}/deploy_keys/{}", read["id"])).assert_status(200).json(), read);
}

#[both_databases]
fn a_label(server: &TestServer) {
    let client = server.root();
    let home = home(&client);
    let group = client.post("/groups", json!({"name": "team", "path": "team"})).assert_status(201).json();
    let of_group = format!("/groups/{}/labels", group["id"]);
    for create in [format!("{home}/labels"), of_group] {
        let labels = create.clone();
        let is_of_project = labels.starts_with("/projects");
        let mut first = json!({"color": "#FF0000", "description": "Broken", "archived": true, "priority": 3});
        let mut second = json!({"color": "#00FF00", "description": "", "archived": false, "priority": 0});
        if !is_of_project {
            first.as_object_mut().expect("an object").remove("priority");
            second.as_object_mut().expect("an object").remove("priority");
        }
        let label = Managed {
            client: client.clone(),
            create,
            method: "PUT",
            unread: json!({"name": "bug"}),
            always: &[],
            first,
            second,
            paths: if is_of_project {
                |made| ["bug", &made["id"].to_string()].map(|one| format!("/projects/root%2Fhome/labels/{one}")).to_vec()
            } else {
                |made| ["bug", &made["id"].to_string()].map(|one| format!("/groups/team/labels/{one}")).to_vec()
            },
            follow: &[("color", &["text_color"]), ("description", &["description_html"])],
        };
        let read = label.manage();
        let renamed = client.put(&format!("{labels}/bug"), json!({"new_name": "defect"})).assert_status(200).json();
        assert_eq!(renamed["name"], "defect");
        let found = client.get(&format!("{labels}/{}", read["id"])).assert_status(200).json();
        label_kept(&read, &found);
    }
}

/// Checks that only the name of a label differs.
fn label_kept(before: &Json, after: &Json) {
    for (name, was) in entries(before).filter(|(name, _)| *name != "name") {
        assert_eq!(&after[name], was, "{name}");
    }
}

#[both_databases]
fn a_protected_branch(server: &TestServer) {
    let client = server.root();
    let home = home(&client);
    let branch = Managed {
        create: format!("{home}/protected_branches"),
        client: client.clone(),
        method: "PATCH",
        unread: json!({"name": "release/*"}),
        always: &[],
        first: json!({"allow_force_push": true, "code_owner_approval_required": true}),
        second: json!({"allow_force_push": false, "code_owner_approval_required": false}),
        paths: |made| vec![format!("/projects/root%2Fhome/protected_branches/{}", encoded(&made["name"]))],
        follow: &[],
    };
    let read = branch.manage();
    assert_eq!(client.get(&format!("{home}/protected_branches/release%2F%2A")).assert_status(200).json(), read);
    let level = |rule: &Json, field: &str| rule[field][0]["access_level"].clone();
    let one = format!("{home}/protected_branches/release%2F%2A");
    for (sent, shown) in [
        ("push_access_level", "push_access_levels"),
        ("merge_access_level", "merge_access_levels"),
        ("unprotect_access_level", "unprotect_access_levels"),
    ] {
        let sent = json!({ sent: 30 });
        let before = client.get(&one).json();
        let _ = client.send("PATCH", &one, Some("application/json"), sent.to_string().into_bytes()).assert_status(200);
        let after = client.get(&one).json();
        assert_eq!(Some(&level(&after, shown)), sent.as_object().and_then(|sent| sent.values().next()), "{shown}");
        for (name, was) in entries(&before).filter(|(name, _)| *name != shown) {
            assert_eq!(&after[name], was, "{shown} changed {name}");
        }
    }
}

#[both_databases]
fn a_protected_tag(server: &TestServer) {
    let client = server.root();
    let tags = format!("{}/protected_tags", home(&client));
    // A rule of tags is not changed: it is removed and made again.
    for level in [30, 40, 0] {
        let made = client.post(&tags, json!({"name": "v*", "create_access_level": level})).assert_status(201).json();
        assert_eq!((&made["name"], &made["create_access_levels"][0]["access_level"]), (&json!("v*"), &json!(level)));
        for path in [format!("{tags}/v%2A"), "/projects/root%2Fhome/protected_tags/v%2A".to_owned()] {
            assert_eq!(client.get(&path).assert_status(200).json(), made);
        }
        assert_eq!(client.get(&tags).assert_status(200).json(), json!([made]));
        let _ = client.delete(&format!("{tags}/v%2A")).assert_status(204);
    }
}

#[both_databases]
fn a_member(server: &TestServer) {
    let (client, bob) = (server.root(), server.user("bob"));
    let home = home(&client);
    let group = client.post("/groups", json!({"name": "team", "path": "team"})).assert_status(201).json();
    for (create, paths) in [
        (format!("{home}/members"), (|made| vec![format!("/projects/root%2Fhome/members/{}", made["id"])]) as fn(&Json) -> _),
        (format!("/groups/{}/members", group["id"]), |made| vec![format!("/groups/team/members/{}", made["id"])]),
    ] {
        let by_id = format!("{create}/{}", bob.id);
        let member = Managed {
            client: client.clone(),
            create,
            method: "PUT",
            unread: json!({"user_id": bob.id}),
            always: &["access_level"],
            first: json!({"access_level": 30, "expires_at": "2026-12-31"}),
            second: json!({"access_level": 40, "expires_at": ""}),
            paths,
            follow: &[],
        };
        let read = member.manage();
        assert_eq!(client.get(&by_id).assert_status(200).json(), read);
    }
}

#[both_databases]
fn branches_and_files(server: &TestServer) {
    let client = server.root();
    let home = home(&client);
    let places = [home.clone(), "/projects/root%2Fhome".to_owned()];
    let branch = json!({"branch": "topic/one", "ref": "main"});
    let made = client.post(&format!("{home}/repository/branches"), branch).assert_status(201).json();
    let file = json!({
        "branch": "topic/one", "content": "one\n", "commit_message": "Add", "author_name": "Ada",
        "author_email": "ada@example.org", "execute_filemode": true,
    });
    let file_path = "repository/files/docs%2Fa.txt";
    let written = client.post(&format!("{home}/{file_path}"), file).assert_status(201).json();
    assert_eq!(written, json!({"file_path": "docs/a.txt", "branch": "topic/one"}));
    for (content, encoding, sent) in
        [("one\n", "text", None), ("two\n", "text", Some("two\n")), ("three\n", "base64", Some("dGhyZWUK"))]
    {
        if let Some(sent) = sent {
            let change =
                json!({"branch": "topic/one", "content": sent, "encoding": encoding, "commit_message": "Change"});
            let changed = client.put(&format!("{home}/{file_path}"), change).assert_status(200).json();
            assert_eq!(changed, written);
        }
        for place in &places {
            let read = client.get(&format!("{place}/{file_path}?ref=topic%2Fone")).assert_status(200).json();
            assert_eq!((&read["file_path"], &read["execute_filemode"]), (&json!("docs/a.txt"), &json!(true)));
            assert_eq!(read["size"], content.len());
            let raw = client.get(&format!("{place}/{file_path}/raw?ref=topic%2Fone")).assert_status(200);
            assert_eq!(raw.text(), content);
            let branch = client.get(&format!("{place}/repository/branches/topic%2Fone")).assert_status(200).json();
            assert_eq!((&branch["name"], &branch["commit"]["id"]), (&made["name"], &read["commit_id"]));
        }
    }
    let commits = client.get(&format!("{home}/repository/commits?ref_name=topic%2Fone")).json();
    assert_eq!((&commits[2]["author_name"], &commits[2]["author_email"]), (&json!("Ada"), &json!("ada@example.org")));
}

#[both_databases]
fn the_settings_of_the_server(server: &TestServer) {
    let root = server.root();
    let path = "/application/settings";
    let fresh = root.get(path).assert_status(200).json();
    let mut sent = Map::new();
    let mut wrong = Vec::new();
    // One setting after the other, as a description grows. Each that was sent before stays.
    for (name, value) in [
        ("default_branch_name", json!("trunk")),
        ("default_project_visibility", json!("internal")),
        ("signup_enabled", json!(false)),
        ("max_attachment_size", json!(7)),
        ("restricted_visibility_levels", json!(["public"])),
        ("default_projects_limit", json!(5)),
        ("after_sign_out_path", json!("https://example.org/x")),
        ("domain_allowlist", json!(["example.org"])),
        ("session_expire_delay", json!(60)),
        ("user_oauth_applications", json!(false)),
        ("can_create_group", json!(false)),
        ("first_day_of_week", json!(1)),
        ("help_text", json!("Ask the operator.")),
        ("notes_create_limit", json!(11)),
    ] {
        sent.insert(name.to_owned(), value.clone());
        let changed = root.put(path, json!({ name: value })).assert_status(200).json();
        assert_eq!(root.get(path).assert_status(200).json(), changed, "{name}");
        for (field, is) in entries(&changed).filter(|(field, _)| *field != "updated_at") {
            let older = if field == "domain_whitelist" { "domain_allowlist" } else { field };
            if sent.get(older).unwrap_or(&fresh[field]) != is {
                wrong.push(format!("after {name}: {field} is {is}"));
            }
        }
        let again = root.put(path, Json::Object(sent.clone())).assert_status(200).json();
        wrong.extend(entries(&again).filter(|(field, is)| *field != "updated_at" && changed[*field] != **is).map(
            |(field, is)| format!("sent again after {name}: {field} is {is}"),
        ));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
