//! Labels and milestones.

use serde_json::{Value as Json, json};
use tenon_testkit::{TestServer, both_databases};

use super::{Managed, entries, home};

#[both_databases]
fn a_label_stays_as_it_was_described(server: &TestServer) {
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
                |made| {
                    ["bug", &made["id"].to_string()].map(|one| format!("/projects/root%2Fhome/labels/{one}")).to_vec()
                }
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
fn a_milestone_stays_as_it_was_described(server: &TestServer) {
    let client = server.root();
    let home = home(&client);
    let group = client.post("/groups", json!({"name": "team", "path": "team"})).assert_status(201).json();
    let of_project: fn(&Json) -> Vec<String> = |made| {
        ["root%2Fhome", &made["project_id"].to_string()]
            .map(|project| format!("/projects/{project}/milestones/{}", made["id"]))
            .to_vec()
    };
    let of_group: fn(&Json) -> Vec<String> = |made| vec![format!("/groups/team/milestones/{}", made["id"])];
    for (create, paths) in
        [(format!("{home}/milestones"), of_project), (format!("/groups/{}/milestones", group["id"]), of_group)]
    {
        let milestone = Managed {
            client: client.clone(),
            create,
            method: "PUT",
            unread: json!({}),
            always: &[],
            first: json!({"title": "1.0", "description": "All", "start_date": "2026-03-01", "due_date": "2026-04-01"}),
            second: json!({"title": "1.1", "description": "", "due_date": "", "start_date": ""}),
            paths,
            follow: &[("due_date", &["expired"])],
        };
        let _ = milestone.manage();
    }
}
