//! The requests about issues and their notes.

use std::cell::Cell;

use anyhow::{Context, Result};
use tenon_domain::container::Container;
use tenon_domain::id::{Iid, NoteId};
use tenon_domain::issuable::{Issuable, IssuableKind, State, StateEvent};
use tenon_domain::note::{Note, NoteKind};
use tenon_domain::page::PageRequest;
use tenon_domain::search::Search;
use tenon_storage::iid::{self, Counted};
use tenon_storage::issuable::{
    self, IssuableFilter, IssuableOrder, IssuableSet, LabelFilter, Sender, StateFilter, VisibleIssuables,
};
use tenon_storage::note::{self, NoteFilter, NoteOrder};
use tenon_storage::{ReadTx, StoreResult, WriteTx};

use super::bare::{Facts, Write};
use super::{Endpoint, MEMBER_TOKEN, get, request, write};
use crate::seed::{COMMON_WORD, Landmarks, RARE_WORD};

/// A label of every project, which one issue in five carries.
const LABEL: &str = "bug";
/// Far down in the list of a project.
const DEEP: i64 = 300;
/// Far down in the list of everything.
const DEEPEST: i64 = 5_000;

/// Lists, and one of them.
pub(super) fn reads(at: &Landmarks) -> Vec<Endpoint> {
    let project = format!("/projects/{}/issues", at.project);
    let issue = format!("{project}/{}", one(at));
    let mut reads = of_project(&project);
    // A page that does not exist measures nothing.
    if reaches(at, DEEP) {
        let path = format!("{project}?page={DEEP}");
        reads.push(get("GET /projects/:id/issues?page=300", &path, "issuable::list", |tx, facts| {
            list(tx, &in_project(facts), page(DEEP))
        }));
    }
    reads.extend([
        get("GET /projects/:id/issues/:iid", &issue, "issuable::find", |tx, facts| landmark(tx, facts).map(drop)),
        get(
            "GET /projects/:id/issues/:iid/notes",
            &format!("{issue}/notes"),
            "issuable::find, note::list",
            |tx, facts| match landmark(tx, facts)? {
                Some(Issuable { id: issuable, .. }) => {
                    let filter = NoteFilter { issuable, may_name: Vec::new(), system: None };
                    note::list(tx, &filter, NoteOrder::CreatedAt, true, facts.page).map(drop)
                }
                None => Ok(()),
            },
        ),
        get("GET /groups/:id/issues", &format!("/groups/{}/issues", at.group), RESOLVED, |tx, facts| {
            let filter = within(tx, facts, IssuableSet::Below(facts.landmarks.group))?;
            list(tx, &filter, facts.page)
        }),
        get("GET /issues", "/issues", RESOLVED, |tx, facts| {
            let filter = within(tx, facts, IssuableSet::All)?;
            list(tx, &IssuableFilter { authors: vec![facts.landmarks.member], ..filter }, facts.page)
        }),
        get("GET /issues?scope=all", "/issues?scope=all", RESOLVED, |tx, facts| {
            let filter = within(tx, facts, IssuableSet::All)?;
            list(tx, &filter, facts.page)
        }),
    ]);
    if reaches(at, DEEPEST) {
        let path = format!("/issues?scope=all&page={DEEPEST}");
        reads.push(get("GET /issues?scope=all&page=5000", &path, RESOLVED, |tx, facts| {
            let filter = within(tx, facts, IssuableSet::All)?;
            list(tx, &filter, page(DEEPEST))
        }));
    }
    reads
}

const RESOLVED: &str = "VisibleIssuables::resolve, issuable::list";

/// The first pages of a project's list.
fn of_project(path: &str) -> Vec<Endpoint> {
    vec![
        get("GET /projects/:id/issues", path, "issuable::list", |tx, facts| list(tx, &in_project(facts), facts.page)),
        get("GET /projects/:id/issues?per_page=100", &format!("{path}?per_page=100"), "issuable::list", |tx, facts| {
            list(tx, &in_project(facts), PageRequest::new(None, Some(100)))
        }),
        get(
            "GET /projects/:id/issues?labels=&state=opened",
            &format!("{path}?labels={LABEL}&state=opened"),
            "issuable::list",
            |tx, facts| {
                let labels = LabelFilter::All(vec![LABEL.to_owned()]);
                let filter = IssuableFilter { labels, state: Some(StateFilter::Opened), ..in_project(facts) };
                list(tx, &filter, facts.page)
            },
        ),
        searched("GET /projects/:id/issues?search=, rare word", path, RARE_WORD),
        searched("GET /projects/:id/issues?search=, common word", path, COMMON_WORD),
    ]
}

fn searched(name: &'static str, path: &str, word: &'static str) -> Endpoint {
    get(name, &format!("{path}?search={word}"), "issuable::list", move |tx, facts| {
        let filter = IssuableFilter { search: Search::parse(word), ..in_project(facts) };
        list(tx, &filter, facts.page)
    })
}

/// The requests that change something.
pub(super) fn writes(at: &Landmarks) -> Vec<Endpoint> {
    let path = format!("/projects/{}/issues", at.project);
    let (edited, commented) = (path.clone(), path.clone());
    let (turns, open) = (Turns::new(at.open_issues.clone()), at.open_issues.clone());
    vec![
        write(
            "POST /projects/:id/issues",
            move |number| {
                let title = format!("Opened while measuring {number}");
                let body = format!(r#"{{"title":"{title}","description":"What was seen.","labels":"{LABEL}"}}"#);
                request("POST", &path, MEMBER_TOKEN, &body)
            },
            "iid::next, issuable::insert in a transaction of their own",
            opens_issues,
        ),
        write(
            "PUT /projects/:id/issues/:iid",
            move |_| {
                let (iid, event) = turns.next();
                let body = format!(r#"{{"state_event":"{}"}}"#, event.as_str());
                request("PUT", &format!("{edited}/{iid}"), MEMBER_TOKEN, &body)
            },
            "issuable::find, issuable::update in a transaction of their own",
            |_, facts| Ok(closes_and_reopens(facts)),
        ),
        write(
            "POST /projects/:id/issues/:iid/notes",
            move |number| {
                let body = format!(r#"{{"body":"Said while measuring {number}"}}"#);
                request("POST", &format!("{commented}/{}/notes", any(&open, number)), MEMBER_TOKEN, &body)
            },
            "note::insert, issuable::count_note in a transaction of their own",
            says_something,
        ),
    ]
}

/// Closes each of some open issues, then opens each again, and so on: no request finds its work done already.
struct Turns {
    issues: Vec<Iid>,
    taken: Cell<usize>,
}

impl Turns {
    const fn new(issues: Vec<Iid>) -> Self {
        Self { issues, taken: Cell::new(0) }
    }

    fn next(&self) -> (Iid, StateEvent) {
        let turn = self.taken.replace(self.taken.get() + 1);
        let count = self.issues.len().max(1);
        let event = if (turn / count).is_multiple_of(2) { StateEvent::Close } else { StateEvent::Reopen };
        (self.issues.get(turn % count).copied().unwrap_or(Iid::new(1)), event)
    }
}

/// One of these by a number.
fn any(issues: &[Iid], number: u64) -> Iid {
    let place = usize::try_from(number).unwrap_or_default() % issues.len().max(1);
    issues.get(place).copied().unwrap_or(Iid::new(1))
}

fn one(at: &Landmarks) -> Iid {
    any(&at.open_issues, 7)
}

/// True if the list of the project has this page. Then the list of all issues has it as well.
fn reaches(at: &Landmarks, page: i64) -> bool {
    i64::try_from(at.issues).is_ok_and(|issues| issues > (page - 1) * PageRequest::DEFAULT_PER_PAGE)
}

fn page(number: i64) -> PageRequest {
    PageRequest::new(Some(number), None)
}

fn in_project(facts: &Facts) -> IssuableFilter {
    let reach = VisibleIssuables::of_project(IssuableKind::Issue, facts.landmarks.project, true, facts.member);
    IssuableFilter::new(reach, facts.today)
}

fn within(tx: &mut ReadTx<'_>, facts: &Facts, set: IssuableSet) -> StoreResult<IssuableFilter> {
    let reach = VisibleIssuables::resolve(tx, IssuableKind::Issue, facts.member, set, facts.today)?;
    Ok(IssuableFilter::new(reach, facts.today))
}

fn list(tx: &mut ReadTx<'_>, filter: &IssuableFilter, page: PageRequest) -> StoreResult<()> {
    issuable::list(tx, filter, IssuableOrder::CreatedAt, true, page).map(drop)
}

fn landmark(tx: &mut ReadTx<'_>, facts: &Facts) -> StoreResult<Option<Issuable>> {
    let at = &facts.landmarks;
    issuable::find(tx, IssuableKind::Issue, at.project, one(at))
}

fn opens_issues(tx: &mut ReadTx<'_>, facts: &Facts) -> Result<Box<Write>> {
    let pattern = landmark(tx, facts)?.context("the issue is gone")?;
    Ok(Box::new(move |tx: &mut WriteTx<'_>, _| {
        let iid = iid::next(tx, Container::Project(pattern.project), Counted::Issue)?;
        issuable::insert(tx, &Issuable { iid, ..pattern.clone() }, &Sender::default())?;
        Ok(())
    }))
}

fn closes_and_reopens(facts: &Facts) -> Box<Write> {
    let (project, issues) = (facts.landmarks.project, facts.landmarks.open_issues.clone());
    Box::new(move |tx: &mut WriteTx<'_>, number| {
        let iid = any(&issues, number.unsigned_abs());
        let before = issuable::find(tx, IssuableKind::Issue, project, iid)?.context("the issue is gone")?;
        let state = match before.state {
            State::Opened => State::Closed { at: Some(before.updated_at), by: Some(before.author) },
            State::Closed { .. } | State::Locked | State::Merged => State::Opened,
        };
        issuable::update(tx, &before, &Issuable { state, ..before.clone() })?;
        Ok(())
    })
}

fn says_something(tx: &mut ReadTx<'_>, facts: &Facts) -> Result<Box<Write>> {
    let issue = landmark(tx, facts)?.context("the issue is gone")?;
    Ok(Box::new(move |tx: &mut WriteTx<'_>, number| {
        let said = Note {
            id: NoteId::new(0),
            issuable: issue.id,
            author: issue.author,
            discussion: format!("{number:040x}"),
            kind: NoteKind::Note,
            system: false,
            body: "Said while measuring".to_owned(),
            refers_to: None,
            position: None,
            resolved: None,
            created_at: issue.created_at,
            updated_at: issue.created_at,
        };
        note::insert(tx, &said)?;
        issuable::count_note(tx, issue.id, issue.updated_at)?;
        Ok(())
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_closed_is_opened_again_before_it_is_closed_anew() {
        let turns = Turns::new(vec![Iid::new(3), Iid::new(5)]);
        let (close, reopen) = (StateEvent::Close, StateEvent::Reopen);
        let wanted = [(3, close), (5, close), (3, reopen), (5, reopen), (3, close)];
        assert_eq!([(); 5].map(|()| turns.next()), wanted.map(|(iid, event)| (Iid::new(iid), event)));
    }

    #[test]
    fn a_page_is_asked_for_only_where_it_has_something_on_it() {
        let at = |issues| Landmarks { issues, ..crate::seed::tests::nowhere() };
        let names = |issues| reads(&at(issues)).into_iter().map(|endpoint| endpoint.name).collect::<Vec<_>>();
        assert!(!names(5_980).contains(&"GET /projects/:id/issues?page=300"));
        assert!(names(5_981).contains(&"GET /projects/:id/issues?page=300"));
        assert!(!names(99_980).contains(&"GET /issues?scope=all&page=5000"));
        assert!(names(99_981).contains(&"GET /issues?scope=all&page=5000"));
    }
}
