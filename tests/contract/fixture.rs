//! The objects of the authorization matrix and the random requests: one group and one project of each visibility, and
//! callers of every kind.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::{Value, json};
use tenon_testkit::{Backend, Client, Multipart, ROOT_TOKEN, Snapshot, TestServer, User, keys};

use crate::code::{Code, code};
use crate::merging::{Merging, merging};

/// The callers, in the order of the matrix's columns, with their column heads.
pub(crate) const CALLERS: [&str; 11] =
    ["anon", "wrong", "ru", "strngr", "guest", "report", "develo", "mainta", "owner", "admin", "blockd"];

/// The visibilities, in the order of the matrix's lines.
pub(crate) const VISIBILITIES: [&str; 3] = ["private", "internal", "public"];

/// A PNG of one pixel.
pub(crate) const PIXEL: &[u8] = &[
    0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, b'I', b'H', b'D', b'R', 0, 0, 0, 1, 0, 0, 0, 1, 8, 2,
    0, 0, 0, 0x90, 0x77, 0x53, 0xde, 0, 0, 0, 12, b'I', b'D', b'A', b'T', 0x08, 0xd7, 0x63, 0xf8, 0xcf, 0xc0, 0, 0, 3,
    1, 1, 0, 0x18, 0xdd, 0x8d, 0xb0, 0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xae, 0x42, 0x60, 0x82,
];

/// One group with one project.
pub(crate) struct Place {
    pub(crate) group: i64,
    pub(crate) project: i64,
    pub(crate) hook: i64,
    pub(crate) deploy_key: i64,
    /// A badge of the project, and one of the group.
    pub(crate) badges: [i64; 2],
    /// A board of the project, and one of the group.
    pub(crate) boards: [i64; 2],
    /// The first list of each; it has another behind it, and the label `team` has none.
    pub(crate) lists: [i64; 2],
    /// A deploy token of the project, and one of the group.
    pub(crate) deploy_tokens: [i64; 2],
    /// An access token of the project, and one of the group.
    pub(crate) access_tokens: [i64; 2],
    /// An environment of the project, which is available.
    pub(crate) environment: i64,
    /// A deployment there that has failed.
    pub(crate) deployment: i64,
    /// A snippet of the project, which is as open as the project.
    pub(crate) snippet: Snippet,
    pub(crate) tracker: Tracker,
    pub(crate) code: Code,
    pub(crate) merging: Merging,
}

/// A snippet with a discussion and reactions, all of the owner.
pub(crate) struct Snippet {
    pub(crate) id: i64,
    /// A discussion, and its only comment.
    pub(crate) discussion: String,
    pub(crate) note: i64,
    /// A reaction to the snippet, and one to the comment.
    pub(crate) awards: [i64; 2],
}

/// The objects of the issues of one project. Issue 1 is open to everybody who sees the project, issue 2 confidential,
/// and issue 3 is linked with issue 1. All of them are the owner's.
pub(crate) struct Tracker {
    /// The id of issue 3.
    pub(crate) last: i64,
    /// A label of the project's.
    pub(crate) label: i64,
    /// A label of the group's.
    pub(crate) group_label: i64,
    /// A milestone of the project's.
    pub(crate) milestone: i64,
    /// A milestone of the group's.
    pub(crate) group_milestone: i64,
    /// A discussion in issue 1.
    pub(crate) discussion: String,
    /// Its note.
    pub(crate) note: i64,
    /// A reaction to issue 1.
    pub(crate) award: i64,
    /// A reaction to the note.
    pub(crate) note_award: i64,
    /// The link.
    pub(crate) link: i64,
    /// A change of labels, of the milestone and of the state of issue 1.
    pub(crate) events: [i64; 3],
    /// The administrator's entry about issue 1.
    pub(crate) todo: i64,
}

/// Ids and tokens, good for the server that they were made on.
pub(crate) struct Fixture {
    /// Token by caller; `None` for the anonymous caller.
    pub(crate) tokens: [Option<String>; 11],
    /// By visibility.
    pub(crate) places: [Place; 3],
    /// A user whom no caller is.
    pub(crate) bystander: i64,
    /// A direct guest of every group and project.
    pub(crate) member: i64,
    /// A personal token of the bystander's.
    pub(crate) token: i64,
    /// An impersonation token of the bystander's.
    pub(crate) impersonation: i64,
    /// An SSH key of the bystander's.
    pub(crate) ssh_key: i64,
    /// A GPG key of the bystander's.
    pub(crate) gpg_key: i64,
    /// A secondary address of the bystander's.
    pub(crate) email: i64,
    /// An application that acts for users.
    pub(crate) application: i64,
    /// A message to all users.
    pub(crate) broadcast_message: i64,
    pub(crate) system_hook: i64,
    /// A public group with which every group and project is shared.
    pub(crate) friends: i64,
    /// A public group that is not shared with any other.
    pub(crate) others: i64,
    /// A group of which everybody who has an account is an owner.
    pub(crate) landing: i64,
    /// A project of the landing group's.
    pub(crate) runway: i64,
    /// A project of the administrator's.
    pub(crate) loose: i64,
}

pub(crate) fn id(reply: &Value) -> i64 {
    reply["id"].as_i64().unwrap_or_else(|| panic!("an id: {reply}"))
}

fn group(owner: &Client, path: &str, more: &Value) -> i64 {
    let mut body = json!({"name": path, "path": path, "visibility": "public"});
    body.as_object_mut().expect("an object").extend(more.as_object().cloned().expect("an object"));
    id(&owner.post("/groups", body).assert_status(201).json())
}

/// A server with the fixture, and the state to put it back to.
pub(crate) struct Stage {
    pub(crate) server: TestServer,
    pub(crate) fixture: Fixture,
    snapshot: Snapshot,
}

impl Stage {
    fn build() -> Self {
        let server = TestServer::start(Backend::Sqlite);
        let fixture = Fixture::build(&server);
        let snapshot = server.snapshot();
        Self { server, fixture, snapshot }
    }

    /// Undoes what requests have changed since the fixture was built.
    pub(crate) fn put_back(&self) {
        self.server.put_back(&self.snapshot);
    }
}

/// Shares the numbers below `count` out to several stages that work at once, and yields the results of `work`, in
/// order. `work` must leave its stage as it found it.
pub(crate) fn on_stages<T: Send>(count: usize, work: impl Fn(&Stage, usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|number| *number < count);
    let run = || {
        let stage = Stage::build();
        std::iter::from_fn(take).map(|number| (number, work(&stage, number))).collect::<Vec<_>>()
    };
    let stages = thread::available_parallelism().map_or(1, usize::from);
    let mut done: Vec<(usize, T)> = thread::scope(|scope| {
        let threads: Vec<_> = (0..stages).map(|_| scope.spawn(run)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, made)| made).collect()
}

impl Fixture {
    /// The client of the caller in that column.
    pub(crate) fn client(&self, server: &TestServer, column: usize) -> Client {
        self.tokens[column].as_ref().map_or_else(|| server.anonymous(), |token| server.client(token))
    }

    /// Builds it on this server.
    pub(crate) fn build(server: &TestServer) -> Self {
        let root = server.root();
        let names = ["stranger", "guest", "reporter", "developer", "maintainer", "owner", "blocked"];
        let users: Vec<User> = names.iter().map(|name| server.user(name)).collect();
        let (owner, blocked) = (&users[5], &users[6]);
        let (bystander, member) = (server.user("bystander"), server.user("member"));
        let places = VISIBILITIES.map(|visibility| place(&root, owner, &users, member.id, visibility));

        let friends = group(&root, "friends", &json!({}));
        let others = group(&root, "others", &json!({}));
        let landing = group(&root, "landing", &json!({}));
        for user in &users {
            let member = json!({"user_id": user.id, "access_level": 50});
            let _ = root.post(&format!("/groups/{landing}/members"), member).assert_status(201);
        }
        for place in &places {
            for shared in [format!("/groups/{}", place.group), format!("/projects/{}", place.project)] {
                let share = json!({"group_id": friends, "group_access": 10});
                let _ = root.post(&format!("{shared}/share"), share).assert_status(201);
            }
        }
        for place in &places {
            let takes = json!({"request_access_enabled": true});
            let _ = root.put(&format!("/projects/{}", place.project), takes).assert_status(200);
            // To a private one, no stranger could send it.
            for (column, holder) in [("namespace_id", place.group), ("project_id", place.project)] {
                server.database().execute(&format!(
                    "INSERT INTO access_requests ({column}, user_id, requested_at) \
                     VALUES ({holder}, {}, '2026-03-01 00:00:00')",
                    bystander.id
                ));
            }
        }
        for holder in [format!("/users/{}", bystander.id)].into_iter().chain(
            places
                .iter()
                .flat_map(|place| [format!("/groups/{}", place.group), format!("/projects/{}", place.project)]),
        ) {
            let _ =
                root.put(&format!("{holder}/custom_attributes/colour"), json!({"value": "green"})).assert_status(200);
        }
        let runway =
            id(&root.post("/projects", json!({"name": "runway", "namespace_id": landing})).assert_status(201).json());
        let loose =
            id(&root.post("/projects", json!({"name": "loose", "visibility": "public"})).assert_status(201).json());
        let scopes = json!({"name": "n", "scopes": ["api"]});
        let token = id(&root.post(&format!("/users/{}/personal_access_tokens", bystander.id), scopes.clone()).json());
        let impersonation = id(&root.post(&format!("/users/{}/impersonation_tokens", bystander.id), scopes).json());
        let home = format!("/users/{}", bystander.id);
        let added = |path: &str, body| id(&root.post(&format!("{home}/{path}"), body).assert_status(201).json());
        let ssh_key = added("keys", json!({"title": "t", "key": keys::ED25519}));
        let gpg_key = added("gpg_keys", json!({"key": keys::ALICE}));
        let email = added("emails", json!({"email": "second@example.org"}));
        let application = json!({"name": "n", "redirect_uri": "https://app.example/", "scopes": "api"});
        let application = id(&root.post("/applications", application).assert_status(201).json());
        let message = root.post("/broadcast_messages", json!({"message": "Soon"})).assert_status(201);
        let broadcast_message = id(&message.json());
        let _ = root.post("/admin/ci/variables", json!({"key": "KNOWN", "value": "v"})).assert_status(201);
        // A receiver that refuses all connections.
        let known = json!([{"key": "known", "value": "secret"}]);
        let hook = json!({
            "url": "http://127.0.0.1:1/", "repository_update_events": false, "custom_headers": known, "url_variables": known,
        });
        let system_hook = id(&root.post("/hooks", hook).assert_status(201).json());
        let read_user = server.token(owner.id, &["read_user"]);
        let _ = root.post(&format!("/users/{}/block", blocked.id), json!({})).assert_status(201);

        let mut tokens = vec![None, Some("no-such-token".to_owned()), Some(read_user)];
        tokens.extend(users[..6].iter().map(|user| Some(user.token.clone())));
        tokens.extend([Some(ROOT_TOKEN.to_owned()), Some(blocked.token.clone())]);
        let Ok(tokens) = tokens.try_into() else { panic!("eleven callers") };
        Self {
            tokens,
            places,
            bystander: bystander.id,
            member: member.id,
            token,
            impersonation,
            application,
            broadcast_message,
            system_hook,
            email,
            gpg_key,
            ssh_key,
            friends,
            others,
            landing,
            runway,
            loose,
        }
    }
}

fn place(root: &Client, owner: &User, users: &[User], member: i64, visibility: &str) -> Place {
    let own = |path: &str, body: Value| id(&owner.post(path, body).assert_status(201).json());
    let group = group(owner, &format!("{visibility}-team"), &json!({"visibility": visibility}));
    let project = own("/projects", json!({"name": "tool", "namespace_id": group, "visibility": visibility}));
    own("/groups", json!({"name": "sub", "path": "sub", "parent_id": group, "visibility": visibility}));
    for (user, level) in users.iter().zip([0, 10, 20, 30, 40, 0, 50]).filter(|(_, level)| *level > 0) {
        own(&format!("/groups/{group}/members"), json!({"user_id": user.id, "access_level": level}));
    }
    for source in [format!("/groups/{group}"), format!("/projects/{project}")] {
        own(&format!("{source}/members"), json!({"user_id": member, "access_level": 10}));
    }
    let hook = own(
        &format!("/projects/{project}/hooks"),
        json!({
            "url": "https://hooks.example.com/in", "push_events": false,
            "custom_headers": [{"key": "known", "value": "secret"}], "url_variables": [{"key": "known", "value": "secret"}],
        }),
    );
    for variables in [format!("/projects/{project}/variables"), format!("/groups/{group}/variables")] {
        let known = json!({"key": "KNOWN", "value": "v"});
        let _ = owner.post(&variables, known).assert_status(201);
    }
    let home = json!({"title": "home", "content": "c"});
    let _ = owner.post(&format!("/projects/{project}/wikis"), home).assert_status(201);
    let wiki = json!({"external_wiki_url": "https://wiki.example.com/"});
    let _ = owner.put(&format!("/projects/{project}/services/external-wiki"), wiki).assert_status(200);
    let key = match visibility {
        "private" => keys::ECDSA_256,
        "internal" => keys::ECDSA_384,
        _ => keys::ECDSA_521,
    };
    let deploy_key = own(&format!("/projects/{project}/deploy_keys"), json!({"title": "t", "key": key}));
    let file = Multipart::default().file("file", "notes.txt", b"notes");
    let _ = root.multipart("POST", &format!("/projects/{project}/uploads"), &file).assert_status(201);
    let code = code(owner, group, &format!("/projects/{project}"));
    let tracker = tracker(root, owner, group, project);
    let merging = merging(owner, &format!("/projects/{project}"), tracker.milestone);
    let badges = [format!("/projects/{project}/badges"), format!("/groups/{group}/badges")]
        .map(|path| own(&path, json!({"link_url": "https://x.example/", "image_url": "https://x.example/"})));
    let homes = [format!("/projects/{project}"), format!("/groups/{group}")];
    let boards = homes.each_ref().map(|home| own(&format!("{home}/boards"), json!({"name": "n"})));
    let labels =
        ["wall", "next"].map(|name| own(&format!("/groups/{group}/labels"), json!({"name": name, "color": "red"})));
    let lists = [0, 1].map(|at: usize| {
        let path = format!("{}/boards/{}/lists", homes[at], boards[at]);
        labels.map(|label| own(&path, json!({"label_id": label})))[0]
    });
    let deploy_tokens = [format!("/projects/{project}/deploy_tokens"), format!("/groups/{group}/deploy_tokens")]
        .map(|path| own(&path, json!({"name": "n", "scopes": ["read_repository"]})));
    let access_tokens = [format!("/projects/{project}/access_tokens"), format!("/groups/{group}/access_tokens")]
        .map(|path| own(&path, json!({"name": "n", "scopes": ["read_api"], "access_level": 10})));
    let flags = format!("/projects/{project}/feature_flags");
    let _ = owner.post(&flags, json!({"name": "known", "strategies": [{"name": "default"}]})).assert_status(201);
    own(&format!("{flags}_user_lists"), json!({"name": "known", "user_xids": "a"}));
    let deployment = json!({
        "environment": "production", "sha": "main", "ref": "main", "tag": false, "status": "failed",
    });
    let deployment = own(&format!("/projects/{project}/deployments"), deployment);
    let environment = owner.get(&format!("/projects/{project}/environments")).assert_status(200).json();
    let environment = id(&environment[0]);
    let snippet = own(
        &format!("/projects/{project}/snippets"),
        json!({"title": "t", "file_name": "README.md", "code": "c", "visibility": visibility}),
    );
    let one = format!("/projects/{project}/snippets/{snippet}");
    let discussion = owner.post(&format!("{one}/discussions"), json!({"body": "b"})).assert_status(201).json();
    let note = id(&discussion["notes"][0]);
    let awards = [format!("{one}/award_emoji"), format!("{one}/notes/{note}/award_emoji")]
        .map(|path| own(&path, json!({"name": "tada"})));
    let discussion = discussion["id"].as_str().unwrap_or_default().to_owned();
    let snippet = Snippet { id: snippet, discussion, note, awards };
    Place {
        group,
        project,
        hook,
        deploy_key,
        badges,
        boards,
        lists,
        deploy_tokens,
        access_tokens,
        environment,
        deployment,
        snippet,
        tracker,
        code,
        merging,
    }
}

fn tracker(root: &Client, owner: &User, group: i64, project: i64) -> Tracker {
    let (group, project) = (format!("/groups/{group}"), format!("/projects/{project}"));
    let own = |path: &str, body: Value| owner.post(path, body).assert_status(201).json();
    let label = id(&own(&format!("{project}/labels"), json!({"name": "bug", "color": "red"})));
    let group_label = id(&own(&format!("{group}/labels"), json!({"name": "team", "color": "red"})));
    let milestone = id(&own(&format!("{project}/milestones"), json!({"title": "v1"})));
    let group_milestone = id(&own(&format!("{group}/milestones"), json!({"title": "summer"})));
    own(&format!("{project}/issues"), json!({"title": "One", "labels": "bug", "milestone_id": milestone}));
    own(&format!("{project}/issues"), json!({"title": "Two", "confidential": true}));
    let last = id(&own(&format!("{project}/issues"), json!({"title": "Three"})));
    let issue = format!("{project}/issues/1");
    for state_event in ["close", "reopen"] {
        let _ = owner.put(&issue, json!({"state_event": state_event})).assert_status(200);
    }
    let discussion = own(&format!("{issue}/discussions"), json!({"body": "What about it?"}));
    let note = id(&discussion["notes"][0]);
    own(&format!("{issue}/links"), json!({"target_project_id": project[10..], "target_issue_iid": 3}));
    let first = |path: &str| owner.get(&format!("{issue}/{path}")).assert_status(200).json()[0].clone();
    Tracker {
        last,
        label,
        group_label,
        milestone,
        group_milestone,
        discussion: discussion["id"].as_str().expect("an id").to_owned(),
        note,
        award: id(&own(&format!("{issue}/award_emoji"), json!({"name": "thumbsup"}))),
        note_award: id(&own(&format!("{issue}/notes/{note}/award_emoji"), json!({"name": "thumbsup"}))),
        link: first("links")["issue_link_id"].as_i64().expect("a link"),
        events: ["resource_label_events", "resource_milestone_events", "resource_state_events"]
            .map(|path| id(&first(path))),
        todo: id(&root.post(&format!("{issue}/todo"), json!({})).assert_status(200).json()),
    }
}
