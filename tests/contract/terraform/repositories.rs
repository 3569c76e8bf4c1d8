//! Protected branches and tags, branches, and files.

use serde_json::{Value as Json, json};
use tenon_testkit::{TestServer, both_databases};

use super::{Managed, encoded, entries, home};

#[both_databases]
fn a_protected_branch_stays_as_it_was_described(server: &TestServer) {
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
fn a_protected_tag_stays_as_it_was_described(server: &TestServer) {
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
fn branches_and_files_stay_as_they_were_described(server: &TestServer) {
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
