//! The issues and merge requests that callers without an account read: public ones, and no more. The API has guards
//! before that.

use serde_json::json;
use tenon_app::award_emoji::{self, Awardable};
use tenon_app::error::{AppError, Missing};
use tenon_app::identity::Identity;
use tenon_app::issuable::{self, ChangeKind, Detail, IssuableReference, ListIssuables, Scope};
use tenon_app::merge_request::{self, ClosedIssue, ShowMergeRequest};
use tenon_app::milestone::{self, ListMilestones};
use tenon_app::note::{self, ListNotes, NewNote};
use tenon_app::{ContainerReference, PageRequest, Query, Reference, issue};
use tenon_domain::id::{Iid, MilestoneId};
use tenon_domain::issuable::IssuableKind;
use tenon_domain::quick_action::extract;
use tenon_testkit::{Client, TestServer, both_databases};

use crate::{commit, project, wait};

fn of(kind: IssuableKind, project: i64, iid: i64) -> IssuableReference {
    IssuableReference { kind, project: Reference::Id(project), iid: Iid::new(iid) }
}

/// A project with an open issue (1), a confidential one (2), each with a comment, and a merge request.
fn filled(alice: &Client, name: &str, visibility: &str) -> i64 {
    let id = project(alice, name, visibility);
    for (iid, confidential) in [(1, false), (2, true)] {
        let body = json!({"title": format!("issue {iid}"), "confidential": confidential});
        let _ = alice.post(&format!("/projects/{id}/issues"), body).assert_status(201);
        let path = format!("/projects/{id}/issues/{iid}/notes");
        let _ = alice.post(&path, json!({"body": format!("said of {iid}")})).assert_status(201);
    }
    let _ = alice.post(&format!("/projects/{id}/issues/1/notes"), json!({"body": "See #2."})).assert_status(201);
    commit(alice, id, "topic", Some("main"), "a change");
    let body = json!({"source_branch": "topic", "target_branch": "main", "title": "change"});
    let _ = alice.post(&format!("/projects/{id}/merge_requests"), body).assert_status(201);
    let _ = alice.post(&format!("/projects/{id}/merge_requests/1/notes"), json!({"body": "fine"})).assert_status(201);
    id
}

fn refused<T>(outcome: Result<T, AppError>, what: &str) {
    let error = outcome.map(drop).expect_err(what);
    let known = matches!(error, AppError::Unauthenticated | AppError::Forbidden | AppError::NotFound(_));
    assert!(known, "{what}: {error:?}");
}

/// Numbers of the issues, and of the merge requests, that anonymous callers find in a project.
fn listed(server: &TestServer, project: i64) -> (Result<Vec<i64>, AppError>, Result<Vec<i64>, AppError>) {
    let (anonymous, home) = (Identity::anonymous(), Reference::Id(project));
    let all = ListIssuables::everything(PageRequest::default());
    let issues = server.app().read_now(&anonymous, |query| {
        let page = issue::of_project(query, &home, &all)?;
        assert_eq!(page.total, i64::try_from(page.items.len()).expect("few"));
        Ok(page.items.iter().map(|view| view.issuable.iid.get()).collect())
    });
    let requests = server.app().read_now(&anonymous, |query| {
        let page = merge_request::of_project(query, &home, &all)?;
        Ok(page.items.iter().map(|view| view.of.issuable.iid.get()).collect())
    });
    (issues, requests)
}

#[both_databases]
fn what_is_public_is_read_without_an_account(server: &TestServer) {
    let (alice, anonymous) = (server.user("alice"), Identity::anonymous());
    let id = filled(&alice, "open", "public");
    let (issues, requests) = listed(server, id);
    assert_eq!((issues.expect("issues"), requests.expect("merge requests")), (vec![1], vec![1]));
    let app = server.app();
    let everywhere = ListIssuables::everything(PageRequest::default());
    let all = app.read_now(&anonymous, |query| issue::list(query, &everywhere)).expect("a list");
    assert_eq!(all.total, 1);
    let home = Reference::Id(id);
    let shown = app.read_now(&anonymous, |query| issue::show(query, &home, Iid::new(1))).expect("the issue");
    assert_eq!((shown.issuable.title.as_str(), shown.subscribed), ("issue 1", None));
    let said =
        app.read_now(&anonymous, |query| note::list(query, &of(IssuableKind::Issue, id, 1), &ListNotes::default()));
    let said: Vec<_> = said.expect("notes").items.into_iter().map(|view| view.note.body).collect();
    // "mentioned in issue #1" of the confidential issue names something hidden, and is not a note of this one.
    assert_eq!(said, ["said of 1", "See #2."]);
    let request = of(IssuableKind::MergeRequest, id, 1);
    let shown =
        wait(merge_request::show(app, &anonymous, request.clone(), ShowMergeRequest::default())).expect("shown");
    assert!(shown.single.is_some_and(|single| !single.can_merge));
    let changes = wait(merge_request::changes(app, &anonymous, request.clone())).expect("changes");
    drop(changes);
    let threads = app.read_now(&anonymous, |query| note::discussions(query, &request, PageRequest::default()));
    assert!(threads.expect("discussions").total >= 1);
}

#[both_databases]
fn what_is_not_public_stays_hidden(server: &TestServer) {
    let (alice, anonymous) = (server.user("alice"), Identity::anonymous());
    let open = filled(&alice, "open", "public");
    let app = server.app();
    let missing = |error: AppError| matches!(error, AppError::NotFound(Missing::Record | Missing::Project));
    for (name, visibility) in [("inner", "internal"), ("closed", "private")] {
        let id = filled(&alice, name, visibility);
        let (issues, requests) = listed(server, id);
        assert!(issues.is_err_and(missing), "{visibility}");
        assert!(requests.is_err_and(missing), "{visibility}");
        for kind in [IssuableKind::Issue, IssuableKind::MergeRequest] {
            let notes = app.read_now(&anonymous, |query| note::list(query, &of(kind, id, 1), &ListNotes::default()));
            assert!(notes.is_err_and(missing), "{visibility} {kind:?}");
        }
    }
    let secret = app.read_now(&anonymous, |query| issue::show(query, &Reference::Id(open), Iid::new(2)));
    assert!(secret.is_err_and(missing));
    let settings = json!({"issues_enabled": false, "merge_requests_enabled": false});
    let _ = alice.put(&format!("/projects/{open}"), settings).assert_status(200);
    let (issues, requests) = listed(server, open);
    assert_eq!(issues.expect("a list"), Vec::<i64>::new());
    refused(requests, "merge requests that are switched off");
    let shown = app.read_now(&anonymous, |query| issue::show(query, &Reference::Id(open), Iid::new(1)));
    assert!(shown.is_err_and(missing));
}

#[both_databases]
fn nothing_is_written_without_an_account(server: &TestServer) {
    let (alice, anonymous) = (server.user("alice"), Identity::anonymous());
    let id = filled(&alice, "open", "public");
    let app = server.app();
    for kind in [IssuableKind::Issue, IssuableKind::MergeRequest] {
        let this = of(kind, id, 1);
        let body = NewNote { body: extract("/close"), ..NewNote::default() };
        refused(app.write_now(&anonymous, |command| note::create(command, &this, body)), "a comment");
        let to = Awardable { of: this.clone(), note: None };
        refused(app.write_now(&anonymous, |command| award_emoji::give(command, &to, "heart")), "a reaction");
        refused(app.write_now(&anonymous, |command| tenon_app::todo::mark(command, &this)), "an entry");
    }
    let home = Reference::Id(id);
    refused(app.write_now(&anonymous, |command| issue::subscribe(command, &home, Iid::new(1))), "a subscription");
    let new = issue::CreateIssue { title: "mine".to_owned(), ..issue::CreateIssue::default() };
    refused(app.write_now(&anonymous, |command| issue::create(command, &home, new)), "an issue");
    let request = of(IssuableKind::MergeRequest, id, 1);
    refused(wait(merge_request::rebase(app, &anonymous, request.clone())), "a rebase");
    refused(wait(merge_request::merge_ref(app, &anonymous, request.clone())), "a merge");
    // Reading does not bring up to date what is stored.
    server.database().execute("UPDATE merge_requests SET merge_status = 'unchecked'");
    let asked = ShowMergeRequest { diverged: true, ..ShowMergeRequest::default() };
    let shown = wait(merge_request::show(app, &anonymous, request.clone(), asked)).expect("shown");
    assert_eq!(shown.single.and_then(|single| single.diverged), Some(0));
    let unchecked = || server.database().count("SELECT COUNT(*) FROM merge_requests WHERE merge_status = 'unchecked'");
    assert_eq!(unchecked(), 1);
    let _ = alice.get(&format!("/projects/{id}/merge_requests/1")).assert_status(200);
    assert_eq!(unchecked(), 0);
}

#[both_databases]
fn what_means_the_caller_needs_an_account(server: &TestServer) {
    let (alice, anonymous) = (server.user("alice"), Identity::anonymous());
    let home = Reference::Id(filled(&alice, "open", "public"));
    let all = ListIssuables::everything(PageRequest::default());
    for asked in [
        ListIssuables { scope: Scope::CreatedByMe, ..all.clone() },
        ListIssuables { scope: Scope::AssignedToMe, ..all.clone() },
        ListIssuables { my_reaction_emoji: Some("heart".to_owned()), ..all.clone() },
    ] {
        let found = server.app().read_now(&anonymous, |query| issue::of_project(query, &home, &asked));
        assert!(matches!(found, Err(AppError::Unauthenticated)));
    }
}

#[both_databases]
fn what_spans_projects_leaves_out_what_is_hidden(server: &TestServer) {
    let (alice, anonymous) = (server.user("alice"), Identity::anonymous());
    let team = json!({"name": "team", "path": "team", "visibility": "public"});
    let team = alice.post("/groups", team).assert_status(201).json()["id"].as_i64().expect("an id");
    let milestone = alice.post(&format!("/groups/{team}/milestones"), json!({"title": "1.0"})).assert_status(201);
    let milestone = milestone.json()["id"].as_i64().expect("an id");
    let [open, closed] = [("open", "public"), ("closed", "private")].map(|(name, visibility)| {
        let id = filled(&alice, name, visibility);
        let _ = alice.put(&format!("/projects/{id}/transfer"), json!({"namespace": "team"})).assert_status(200);
        let _ = alice.post(&format!("/projects/{id}/milestones"), json!({"title": name})).assert_status(201);
        let changes = json!({"milestone_id": milestone, "labels": "bug", "state_event": "close"});
        for path in ["issues/1", "issues/2"] {
            let _ = alice.put(&format!("/projects/{id}/{path}"), changes.clone()).assert_status(200);
        }
        let changes = json!({"milestone_id": milestone, "labels": "bug", "description": "Closes #1, closes #2"});
        let _ = alice.put(&format!("/projects/{id}/merge_requests/1"), changes).assert_status(200);
        id
    });
    let (app, group) = (server.app(), Reference::Id(team));
    let (everything, page) = (ListIssuables::everything(PageRequest::default()), PageRequest::default());
    let of_group = ContainerReference::Group(group.clone());
    let milestone = MilestoneId::new(milestone);
    // Of the four issues, one is shown, and of the two merge requests, one.
    app.read_now(&anonymous, |query| -> Result<(), AppError> {
        let issues = [
            issue::list(query, &everything)?,
            issue::of_group(query, &group, &everything)?,
            issue::of_milestone(query, &of_group, milestone, page, Detail::default())?,
            merge_request::closes_issues(query, &of(IssuableKind::MergeRequest, open, 1), page)?.map(|closed| {
                match closed {
                    ClosedIssue::Own(view) => view,
                    ClosedIssue::External(name) => panic!("there is no other tracker: {name}"),
                }
            }),
        ];
        for (number, list) in issues.into_iter().enumerate() {
            let found: Vec<_> =
                list.items.iter().map(|view| (view.issuable.project.get(), view.issuable.iid.get())).collect();
            assert_eq!((list.total, found), (1, vec![(open, 1)]), "list {number} of issues");
        }
        let requests = [
            merge_request::list(query, &everything)?,
            merge_request::of_group(query, &group, &everything)?,
            merge_request::of_milestone(query, &of_group, milestone, page, Detail::default())?,
            merge_request::closed_by(query, &Reference::Id(open), Iid::new(1), page)?,
        ];
        for (number, list) in requests.into_iter().enumerate() {
            let found: Vec<_> = list.items.iter().map(|view| view.of.issuable.project.get()).collect();
            assert_eq!((list.total, found), (1, vec![open]), "list {number} of merge requests");
        }
        for (number, counts) in [
            issue::statistics(query, &everything)?,
            issue::statistics_of_group(query, &group, &everything)?,
            issue::statistics_of_project(query, &Reference::Id(open), &everything)?,
        ]
        .into_iter()
        .enumerate()
        {
            assert_eq!((counts.all, counts.closed, counts.opened), (1, 1, 0), "statistics {number}");
        }
        let milestones = |query: &mut Query<'_>, of: &ContainerReference| {
            milestone::list(query, of, ListMilestones::default()).map(|page| page.items.len())
        };
        assert_eq!(milestones(query, &of_group)?, 1);
        assert_eq!(milestones(query, &ContainerReference::Project(Reference::Id(open)))?, 1);
        refused(milestones(query, &ContainerReference::Project(Reference::Id(closed))), "milestones");
        refused(issue::statistics_of_project(query, &Reference::Id(closed), &everything), "statistics");
        for kind in [ChangeKind::Label, ChangeKind::Milestone, ChangeKind::State] {
            let shown = issuable::resource_events(query, &of(IssuableKind::Issue, open, 1), kind, page)?;
            assert_eq!(shown.total, 1, "{kind:?}");
            for hidden in [
                of(IssuableKind::Issue, open, 2),
                of(IssuableKind::Issue, closed, 1),
                of(IssuableKind::MergeRequest, closed, 1),
            ] {
                refused(issuable::resource_events(query, &hidden, kind, page), "changes");
            }
        }
        for (project, iid) in [(open, 2), (closed, 1), (closed, 2)] {
            refused(merge_request::closed_by(query, &Reference::Id(project), Iid::new(iid), page), "closed by");
        }
        refused(merge_request::closes_issues(query, &of(IssuableKind::MergeRequest, closed, 1), page), "closes");
        Ok(())
    })
    .expect("what is public");
}
