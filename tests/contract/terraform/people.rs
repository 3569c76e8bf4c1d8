//! Users and members.

use serde_json::{Value as Json, json};
use tenon_testkit::{TestServer, both_databases};

use super::{Managed, entries, home, same};

#[both_databases]
fn a_user_stays_as_it_was_described(server: &TestServer) {
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
    let moved = json!({"email": "ada@work.test", "skip_reconfirmation": true});
    assert_eq!(user.change(&read, &moved)["email"], "ada@work.test");
    assert_eq!(user.read(&read)["email"], "ada@work.test");
    assert_eq!(user.change(&read, &json!({"admin": true}))["is_admin"], true);
    let read = user.change(&read, &json!({"admin": false}));
    assert_eq!(read["is_admin"], false);
    // An external user owns nothing: the limits follow, and nothing else does.
    let external = user.change(&read, &json!({"external": true}));
    let limits = json!({"external": true, "projects_limit": 0, "can_create_group": false, "can_create_project": false});
    let mut wrong = Vec::new();
    user.compare("external", &external, &limits, &mut wrong);
    user.assert_kept("external", &read, &user.read(&read), &limits, &mut wrong);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[both_databases]
fn a_member_stays_as_it_was_described(server: &TestServer) {
    let (client, bob) = (server.root(), server.user("bob"));
    let home = home(&client);
    let group = client.post("/groups", json!({"name": "team", "path": "team"})).assert_status(201).json();
    let of_project: fn(&Json) -> Vec<String> = |made| vec![format!("/projects/root%2Fhome/members/{}", made["id"])];
    let of_group: fn(&Json) -> Vec<String> = |made| vec![format!("/groups/team/members/{}", made["id"])];
    for (create, paths) in
        [(format!("{home}/members"), of_project), (format!("/groups/{}/members", group["id"]), of_group)]
    {
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
