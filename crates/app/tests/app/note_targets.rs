//! The target of a note, and the issue or merge request that an id names.

use serde_json::{Value, json};
use tenon_app::error::AppError;
use tenon_app::issuable::{self, IssuableReference};
use tenon_app::{Reference, note};
use tenon_domain::id::{IssuableId, NoteId};
use tenon_domain::issuable::IssuableKind;
use tenon_testkit::{Client, TestServer, User, both_databases};

use crate::{member, of, project};

fn id(body: &Value) -> i64 {
    body["id"].as_i64().expect("an id")
}

fn issue(client: &Client, project: i64, more: &Value) -> i64 {
    let mut body = json!({"title": "x"});
    body.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    id(&client.post(&format!("/projects/{project}/issues"), body).assert_status(201).json())
}

/// The target of the note: kind and number, or nothing if it is missing.
fn target(server: &TestServer, user: &User, project: i64, note: i64) -> Option<(IssuableKind, i64)> {
    shown(server.app().read_now(&of(user), |query| note::target(query, &Reference::Id(project), NoteId::new(note))))
}

fn named(server: &TestServer, user: &User, project: i64, issuable: i64) -> Option<(IssuableKind, i64)> {
    let id = IssuableId::new(issuable);
    shown(server.app().read_now(&of(user), |query| issuable::reference_of(query, &Reference::Id(project), id)))
}

fn shown(found: Result<IssuableReference, AppError>) -> Option<(IssuableKind, i64)> {
    match found {
        Ok(of) => Some((of.kind, of.iid.get())),
        Err(AppError::NotFound(_)) => None,
        Err(other) => panic!("{other:?}"),
    }
}

#[both_databases]
fn a_note_leads_to_what_it_is_about_for_those_who_may_read_it(server: &TestServer) {
    let (alice, guest, stranger) = (server.user("alice"), server.user("guest"), server.user("stranger"));
    let [home, other] = ["home", "other"].map(|name| project(&alice, name, "private"));
    member(&alice, home, &guest, 10);
    let (open, secret) = (issue(&alice, home, &json!({})), issue(&alice, home, &json!({"confidential": true})));
    let path = |iid: i64| format!("/projects/{home}/issues/{iid}/notes");
    let [first, second] = [1, 2].map(|iid| id(&alice.post(&path(iid), json!({"body": "n"})).assert_status(201).json()));
    let seen = |iid| Some((IssuableKind::Issue, iid));
    for (user, open_seen, secret_seen) in [(&alice, seen(1), seen(2)), (&guest, seen(1), None), (&stranger, None, None)]
    {
        assert_eq!((target(server, user, home, first), named(server, user, home, open)), (open_seen, open_seen));
        assert_eq!((target(server, user, home, second), named(server, user, home, secret)), (secret_seen, secret_seen));
    }
    // Under another project, and for what is not there, it is missing.
    assert_eq!((target(server, &alice, other, first), named(server, &alice, other, open)), (None, None));
    assert_eq!((target(server, &alice, home, 999_999), named(server, &alice, home, 999_999)), (None, None));
}

#[both_databases]
fn a_note_that_names_what_is_hidden_is_missing(server: &TestServer) {
    let (alice, guest) = (server.user("alice"), server.user("guest"));
    let [home, hidden] = ["home", "hidden"].map(|name| project(&alice, name, "private"));
    member(&alice, home, &guest, 10);
    let _ = issue(&alice, home, &json!({}));
    let _ = issue(&alice, hidden, &json!({"description": "see alice/home#1"}));
    server.run_jobs();
    let notes = alice.get(&format!("/projects/{home}/issues/1/notes")).assert_status(200).json();
    let named = notes.as_array().expect("a list").iter().find(|note| note["system"] == true).expect("a system note");
    assert_eq!(target(server, &alice, home, id(named)), Some((IssuableKind::Issue, 1)));
    assert_eq!(target(server, &guest, home, id(named)), None);
}
