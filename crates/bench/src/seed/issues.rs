//! The issues of a population, in the order in which they were opened.

use anyhow::Result;
use tenon_app::Entropy;
use tenon_domain::id::{Iid, IssuableId, NoteId, UserId};
use tenon_domain::issuable::{Issuable, IssuableKind, State};
use tenon_domain::note::{Note, NoteKind};
use tenon_domain::time::TimeDelta;
use tenon_storage::issuable::{self, BulkIssue};

use super::maintenance::Aside;
use super::texts::Vocabulary;
use super::trackers::Tracker;
use super::{Counts, DAYS, World, YEARS, second};
use crate::random::{Random, Repeatable};

/// Issues in one transaction.
const BATCH: usize = 5_000;
/// The first issues of the one project, which have notes.
const NOTED: i64 = 10_000;
/// Notes of each of these.
const NOTES: i64 = 3;
/// How many issues of a hundred are closed.
const CLOSED: usize = 70;
/// How many of a hundred are confidential.
const CONFIDENTIAL: usize = 2;
/// How many open issues are remembered.
const REMEMBERED: usize = 1_000;
const DAY: usize = 24 * 60 * 60;

impl World {
    /// Issues of all projects, many of them in the project at the place `reference`. Yields open ones of that.
    pub(super) fn issues(&mut self, users: &[UserId], trackers: Vec<Tracker>, reference: usize) -> Result<Vec<Iid>> {
        let aside = Aside::take(&self.url)?;
        self.begin("issues");
        let mut drafts = Drafts {
            counts: &self.counts,
            users,
            trackers,
            reference,
            vocabulary: Vocabulary::new(),
            random: Random::new(4),
            entropy: Repeatable::new(5),
            open: Vec::new(),
        };
        for start in (0..self.counts.issues).step_by(BATCH) {
            let numbers = start..self.counts.issues.min(start + BATCH);
            let batch: Vec<BulkIssue> = numbers.filter_map(|number| drafts.draft(number)).collect();
            self.database.write(|tx| issuable::insert_many(tx, &batch))?;
            self.bar.inc(u64::try_from(batch.len())?);
        }
        let open = drafts.open;
        // Before there are indexes: by one of them, issues would come to the index of words in another order than that of
        // their ids, and it takes four times as long to build.
        self.begin_last("settling", 1);
        self.database.write(issuable::settle)?;
        self.bar.inc(1);
        self.begin_last("indexes", aside.len());
        aside.put_back(|| self.bar.inc(1))?;
        Ok(open)
    }
}

/// Issues that are thought up one after the other.
struct Drafts<'a> {
    counts: &'a Counts,
    users: &'a [UserId],
    trackers: Vec<Tracker>,
    reference: usize,
    vocabulary: Vocabulary,
    random: Random,
    entropy: Repeatable,
    /// The first open ones of the project at the place `reference`.
    open: Vec<Iid>,
}

impl Drafts<'_> {
    fn draft(&mut self, number: usize) -> Option<BulkIssue> {
        let place = self.place(number);
        let random = &mut self.random;
        let tracker = self.trackers.get_mut(place)?;
        let iid = tracker.next();
        let step = DAYS * DAY / self.counts.issues;
        let opened = number * step + random.below(step);
        // Most are forgotten soon.
        let longest = random.below(90 * DAY);
        let (created_at, updated_at) = (second(opened), second(opened + random.below(longest)));
        let insider = random.percent(25);
        let author = random.one(if insider { &tracker.people } else { self.users })?;
        let state = if random.percent(CLOSED) {
            State::Closed { at: Some(updated_at), by: random.one(&tracker.people) }
        } else {
            State::Opened
        };
        let confidential = random.percent(CONFIDENTIAL);
        let milestone = tracker.milestones.get(number * YEARS / self.counts.issues).copied();
        let milestone = milestone.filter(|_| random.percent(40));
        let has_due_date = random.percent(10);
        let count = random.between(2, 3);
        let labels = random.some(&tracker.labels, count);
        let count = [0, 0, 0, 1, 1, 1, 1, 1, 1, 2].get(random.below(10)).copied().unwrap_or_default();
        let assignees = random.some(&tracker.people, count);
        // Long texts are rarer than short ones.
        let length = random.between(200, 1_480).min(random.between(200, 1_480));
        let mut issue = Issuable {
            id: IssuableId::new(0),
            kind: IssuableKind::Issue,
            project: tracker.project,
            iid,
            author,
            title: self.vocabulary.title(random),
            description: Some(self.vocabulary.text(random, length)),
            state,
            milestone,
            confidential,
            discussion_locked: None,
            due_date: has_due_date.then(|| updated_at.date_naive()),
            time_estimate: 0,
            total_time_spent: 0,
            user_notes_count: 0,
            upvotes: 0,
            downvotes: 0,
            moved_to: None,
            created_at,
            updated_at,
        };
        let mut notes = Vec::new();
        if place == self.reference && iid.get() <= NOTED {
            notes = self.notes(&issue);
            issue.user_notes_count = NOTES;
            if state == State::Opened && !confidential && self.open.len() < REMEMBERED {
                self.open.push(iid);
            }
        }
        Some(BulkIssue { issue, labels, assignees, notes })
    }

    /// The place of the project that gets the issue of this number: the one has its share of any stretch of them, and
    /// of the others those that come first have most.
    fn place(&mut self, number: usize) -> usize {
        let due = |number: usize| number * self.counts.in_one_project / self.counts.issues;
        if due(number) < due(number + 1) {
            return self.reference;
        }
        let others = self.trackers.len() - 1;
        let end = self.random.below(others) + 1;
        let place = self.random.below(end);
        if place < self.reference { place } else { place + 1 }
    }

    /// What was said until the last change.
    fn notes(&mut self, issue: &Issuable) -> Vec<Note> {
        let gap = (issue.updated_at - issue.created_at).num_seconds() / NOTES;
        let note = |number: i64| {
            let mut discussion = [0; 20];
            self.entropy.fill(&mut discussion);
            let length = self.random.between(40, 400);
            let at = issue.created_at + TimeDelta::seconds(gap * number);
            Some(Note {
                id: NoteId::new(0),
                issuable: issue.id,
                author: self.random.one(self.users)?,
                discussion: hex::encode(discussion),
                kind: NoteKind::Note,
                system: false,
                body: self.vocabulary.text(&mut self.random, length),
                refers_to: None,
                position: None,
                resolved: None,
                created_at: at,
                updated_at: at,
            })
        };
        (1..=NOTES).filter_map(note).collect()
    }
}
