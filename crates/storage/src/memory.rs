//! What was worked out about access, kept until something changes on which it depends.
//!
//! Nearly every list asks what the viewer reaches; memberships, shares and groups change seldom. An answer is kept with the
//! revision of access at which it was found: a number for which triggers of the database draw another with every change of
//! the tables behind the question (migrations, `access_revision`), so that no write can forget it, in whichever process it
//! happens. A snapshot sees the number and the tables as of one moment: where the number is the same, so is the answer. It is
//! drawn and not counted, so that a database that was put back never comes to a number that meant something else.

use std::cell::Cell;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::NaiveDate;
use diesel::prelude::*;
use tenon_domain::access::{AccessLevel, Viewer};
use tenon_domain::id::UserId;
use tenon_domain::issuable::IssuableKind;

use crate::access::{Reach, Related};
use crate::connection::on_each;
use crate::error::StoreResult;
use crate::issuable::{IssuableReach, IssuableSet};
use crate::schema::access_revision;
use crate::unit_of_work::ReadTx;

/// What a process remembers.
#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) reach: Memo<(UserId, AccessLevel), Reach>,
    pub(crate) related: Memo<UserId, Related>,
    pub(crate) projects: Memo<ProjectsOf, i64>,
    pub(crate) issuables: Memo<(IssuableKind, Viewer, IssuableSet), IssuableReach>,
}

/// Of which projects the number is asked, of all that there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ProjectsOf {
    /// Those that this viewer may see.
    Viewer(Viewer),
    /// Those that this user's memberships of at least this level reach.
    Member(UserId, AccessLevel),
}

impl Weighed for i64 {
    fn weight(&self) -> usize {
        0
    }
}

/// What one transaction that reads has of it.
pub(crate) struct Recollection<'m> {
    memory: &'m Memory,
    /// As its snapshot has it; looked up with the first question.
    revision: Cell<Option<i64>>,
}

impl<'m> Recollection<'m> {
    pub(crate) const fn of(memory: &'m Memory) -> Self {
        Self { memory, revision: Cell::new(None) }
    }
}

/// How much room an answer takes.
pub(crate) trait Weighed {
    /// How many ids it has.
    fn weight(&self) -> usize;
}

/// The answers to one kind of question, all of the same revision and day.
pub(crate) struct Memo<Q, A>(Mutex<Known<Q, A>>);

struct Known<Q, A> {
    as_of: Option<(i64, NaiveDate)>,
    answers: HashMap<Q, Arc<A>>,
    weight: usize,
}

/// How many ids all answers to one kind of question may have together, some ten megabytes.
const ROOM: usize = 500_000;

/// What an answer takes besides its ids, in ids.
const OF_ANY: usize = 16;

impl<Q, A> Default for Memo<Q, A> {
    fn default() -> Self {
        Self(Mutex::new(Known { as_of: None, answers: HashMap::new(), weight: 0 }))
    }
}

impl<Q: Hash + Eq, A: Weighed> Memo<Q, A> {
    fn recall(&self, as_of: (i64, NaiveDate), question: &Q) -> Option<Arc<A>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.as_of == Some(as_of) { known.answers.get(question).map(Arc::clone) } else { None }
    }

    fn keep(&self, as_of: (i64, NaiveDate), question: Q, answer: &Arc<A>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let weight = answer.weight().saturating_add(OF_ANY);
        if weight > ROOM {
            return;
        }
        if known.as_of != Some(as_of) || known.weight.saturating_add(weight) > ROOM {
            *known = Known { as_of: Some(as_of), answers: HashMap::new(), weight: 0 };
        }
        if known.answers.insert(question, Arc::clone(answer)).is_none() {
            known.weight = known.weight.saturating_add(weight);
        }
    }
}

impl ReadTx<'_> {
    /// What `work` answers to `question` on `today`, from memory where it is still true. A transaction that writes works it
    /// out each time: what it has changed is nobody else's yet.
    pub(crate) fn remembered<Q: Hash + Eq, A: Weighed>(
        &mut self,
        memo: impl FnOnce(&Memory) -> &Memo<Q, A>,
        question: Q,
        today: NaiveDate,
        work: impl FnOnce(&mut Self) -> StoreResult<A>,
    ) -> StoreResult<Arc<A>> {
        let Some(recollection) = self.recollection else { return work(self).map(Arc::new) };
        let revision = if let Some(revision) = recollection.revision.get() {
            revision
        } else {
            let found = on_each!(self.conn, c => access_revision::table.select(access_revision::value).first(c))?;
            recollection.revision.set(Some(found));
            found
        };
        let (memo, as_of) = (memo(recollection.memory), (revision, today));
        if let Some(answer) = memo.recall(as_of, &question) {
            return Ok(answer);
        }
        let answer = Arc::new(work(self)?);
        memo.keep(as_of, question, &answer);
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Ids(usize);

    impl Weighed for Ids {
        fn weight(&self) -> usize {
            self.0
        }
    }

    fn day(number: u32) -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 11, number).unwrap()
    }

    #[test]
    fn an_answer_is_good_for_its_revision_and_day() {
        let memo = Memo::default();
        memo.keep((3, day(1)), "who", &Arc::new(Ids(7)));
        let recalled = |as_of| memo.recall(as_of, &"who").map(|ids| ids.0);
        assert_eq!(recalled((3, day(1))), Some(7));
        assert_eq!((recalled((4, day(1))), recalled((2, day(1))), recalled((3, day(2)))), (None, None, None));
    }

    #[test]
    fn another_revision_takes_the_place_of_what_was_known() {
        let memo = Memo::default();
        memo.keep((4, day(1)), "who", &Arc::new(Ids(7)));
        memo.keep((3, day(1)), "whom", &Arc::new(Ids(8)));
        let known = memo.0.lock().unwrap();
        assert_eq!(known.answers.keys().copied().collect::<Vec<_>>(), ["whom"]);
        assert_eq!((known.as_of, known.weight), (Some((3, day(1))), 8 + OF_ANY));
    }

    #[test]
    fn memory_has_an_end() {
        let memo = Memo::default();
        for number in 0..10 {
            memo.keep((1, day(1)), number, &Arc::new(Ids(ROOM / 3)));
            assert!(memo.0.lock().unwrap().weight <= ROOM);
        }
        assert!(memo.recall((1, day(1)), &9).is_some() && memo.recall((1, day(1)), &0).is_none());
        // What has no room makes none.
        memo.keep((1, day(1)), 99, &Arc::new(Ids(ROOM)));
        assert!(memo.recall((1, day(1)), &9).is_some() && memo.recall((1, day(1)), &99).is_none());
    }
}
