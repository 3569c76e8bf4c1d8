//! The issues of a population and its merge requests, each in the order in which they were opened.

use anyhow::Result;
use tenon_app::Entropy;
use tenon_domain::id::{Iid, IssuableId, NoteId, UserId};
use tenon_domain::issuable::{Issuable, IssuableKind, IssueType, State};
use tenon_domain::merge_request::{DiffRefs, MergeRequest, MergeStatus, Merged};
use tenon_domain::note::{Note, NoteKind};
use tenon_domain::time::TimeDelta;
use tenon_storage::issuable::{self, BulkIssuable};

use super::maintenance::Aside;
use super::texts::Vocabulary;
use super::trackers::Tracker;
use super::{Amount, DAYS, World, YEARS, second};
use crate::random::{Random, Repeatable};

/// Issues or merge requests in one transaction.
const BATCH: usize = 5_000;
/// The first issues of the one project, which have notes.
const NOTED: i64 = 10_000;
/// Notes of each of these.
const NOTES: i64 = 3;
/// How many issues of a hundred are closed.
const CLOSED: usize = 70;
/// How many of a hundred are confidential.
const CONFIDENTIAL: usize = 2;
/// How many merge requests of a hundred are merged; of the others, some are closed.
const MERGED: usize = 75;
/// How many are closed.
const GIVEN_UP: usize = 10;
/// How many of a kind that are open are remembered.
const REMEMBERED: usize = 1_000;
const DAY: usize = 24 * 60 * 60;

/// The first open ones of the one project.
#[derive(Debug, Default)]
pub(super) struct Open {
    /// Issues that are not confidential.
    pub(super) issues: Vec<Iid>,
    /// Merge requests.
    pub(super) merge_requests: Vec<Iid>,
}

impl World {
    /// Issues and merge requests of all projects, many of them in the project at the place `reference`.
    pub(super) fn issuables(&mut self, users: &[UserId], trackers: Vec<Tracker>, reference: usize) -> Result<Open> {
        let aside = Aside::take(&self.url)?;
        let mut drafts = Drafts {
            kind: IssuableKind::Issue,
            amount: self.counts.issues,
            users,
            trackers,
            reference,
            vocabulary: Vocabulary::new(),
            random: Random::new(4),
            entropy: Repeatable::new(5),
            open: Open::default(),
        };
        self.begin("issues");
        self.insert(&mut drafts)?;
        self.begin("merge requests");
        drafts.go_on_with(IssuableKind::MergeRequest, self.counts.merge_requests);
        self.insert(&mut drafts)?;
        let open = drafts.open;
        // Before there are indexes: by one of them, issues would come to the index of words in another order than that
        // of their ids. It then takes four times as long to build.
        self.begin_last("counters", 1);
        self.database.write(issuable::rebuild_counters)?;
        self.bar.inc(1);
        self.begin_last("indexes", aside.len());
        aside.put_back(|| self.bar.inc(1))?;
        Ok(open)
    }

    fn insert(&self, drafts: &mut Drafts<'_>) -> Result<()> {
        let all = drafts.amount.all;
        for (batch, start) in (0..all).step_by(BATCH).enumerate() {
            if [1, 10].contains(&batch) {
                self.plan_anew()?;
            }
            let numbers = start..all.min(start + BATCH);
            let batch: Vec<BulkIssuable> = numbers.filter_map(|number| drafts.draft(number)).collect();
            self.database.write(|tx| issuable::insert_many(tx, &batch))?;
            self.bar.inc(u64::try_from(batch.len())?);
        }
        Ok(())
    }
}

/// Issues or merge requests that are thought up one after the other.
struct Drafts<'a> {
    kind: IssuableKind,
    amount: Amount,
    users: &'a [UserId],
    trackers: Vec<Tracker>,
    reference: usize,
    vocabulary: Vocabulary,
    random: Random,
    entropy: Repeatable,
    /// The first open ones of the project at the place `reference`.
    open: Open,
}

impl Drafts<'_> {
    /// From now on those of this kind, from number one.
    fn go_on_with(&mut self, kind: IssuableKind, amount: Amount) {
        (self.kind, self.amount) = (kind, amount);
        for tracker in &mut self.trackers {
            tracker.last = 0;
        }
    }

    fn draft(&mut self, number: usize) -> Option<BulkIssuable> {
        let place = self.place(number);
        let is_issue = self.kind == IssuableKind::Issue;
        let random = &mut self.random;
        let tracker = self.trackers.get_mut(place)?;
        let iid = tracker.next();
        let step = DAYS * DAY / self.amount.all;
        let opened = number * step + random.below(step);
        // Most are forgotten soon.
        let longest = random.below(90 * DAY);
        let (created_at, updated_at) = (second(opened), second(opened + random.below(longest)));
        let insider = random.percent(25);
        let author = random.one(if insider { &tracker.people } else { self.users })?;
        let roll = random.below(100);
        let state = match self.kind {
            IssuableKind::MergeRequest if roll < MERGED => State::Merged,
            IssuableKind::Issue if roll >= CLOSED => State::Opened,
            IssuableKind::MergeRequest if roll >= MERGED + GIVEN_UP => State::Opened,
            _ => State::Closed { at: Some(updated_at), by: random.one(&tracker.people) },
        };
        let confidential = random.percent(CONFIDENTIAL) && is_issue;
        let milestone = tracker.milestones.get(number * YEARS / self.amount.all).copied();
        let milestone = milestone.filter(|_| random.percent(40));
        let has_due_date = random.percent(10) && is_issue;
        let count = random.between(2, 3);
        let labels = random.some(&tracker.labels, count);
        let count = [0, 0, 0, 1, 1, 1, 1, 1, 1, 2].get(random.below(10)).copied().unwrap_or_default();
        let assignees = random.some(&tracker.people, count);
        // Long texts are rarer than short ones.
        let length = random.between(200, 1_480).min(random.between(200, 1_480));
        let mut issuable = Issuable {
            id: IssuableId::new(0),
            kind: self.kind,
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
            weight: None,
            issue_type: IssueType::Issue,
            time_estimate: 0,
            total_time_spent: 0,
            user_notes_count: 0,
            upvotes: 0,
            downvotes: 0,
            moved_to: None,
            created_at,
            updated_at,
        };
        let request = if is_issue { None } else { Some(self.request(&mut issuable)) };
        let mut notes = Vec::new();
        if place == self.reference && iid.get() <= NOTED {
            if is_issue {
                notes = self.notes(&issuable);
                issuable.user_notes_count = NOTES;
            }
            let open = if is_issue { &mut self.open.issues } else { &mut self.open.merge_requests };
            if state == State::Opened && !confidential && open.len() < REMEMBERED {
                open.push(iid);
            }
        }
        Some(BulkIssuable { issuable, request, labels, assignees, notes })
    }

    /// The additional data of a merge request: branches and commits that no repository knows.
    fn request(&mut self, of: &mut Issuable) -> MergeRequest {
        let draft = of.state == State::Opened && self.random.percent(10);
        if draft {
            of.title = format!("Draft: {}", of.title);
        }
        let [base, head, commit] = [(); 3].map(|()| self.name());
        let diff = DiffRefs {
            start: base.clone(),
            base,
            head,
            commits_count: i64::try_from(self.random.between(1, 12)).unwrap_or(1),
            changes_count: i64::try_from(self.random.between(1, 40)).unwrap_or(1),
            overflow: false,
        };
        let merged = Merged { by: Some(of.author), at: of.updated_at, commit: Some(commit), squash_commit: None };
        MergeRequest {
            id: of.id,
            source_project: Some(of.project),
            source_branch: format!("topic-{}", of.iid),
            target_branch: "main".to_owned(),
            draft,
            squash: false,
            force_remove_source_branch: self.random.percent(50),
            should_remove_source_branch: None,
            allow_collaboration: false,
            merge_status: MergeStatus::CanBeMerged,
            merge_error: None,
            diff: Some(diff),
            auto_merge: None,
            merged: (of.state == State::Merged).then_some(merged),
            approvals_before_merge: None,
        }
    }

    /// Forty hexadecimal digits.
    fn name(&self) -> String {
        let mut bytes = [0; 20];
        self.entropy.fill(&mut bytes);
        hex::encode(bytes)
    }

    /// The place of the project that gets the one of this number: the one has its share of any stretch of them, and
    /// of the others those that come first have most.
    fn place(&mut self, number: usize) -> usize {
        let due = |number: usize| number * self.amount.in_one_project / self.amount.all;
        if due(number) < due(number + 1) {
            return self.reference;
        }
        let others = self.trackers.len() - 1;
        let end = self.random.below(others) + 1;
        let place = self.random.below(end);
        if place < self.reference { place } else { place + 1 }
    }

    /// The notes until the last change.
    fn notes(&mut self, issue: &Issuable) -> Vec<Note> {
        let gap = (issue.updated_at - issue.created_at).num_seconds() / NOTES;
        let note = |number: i64| {
            let length = self.random.between(40, 400);
            let at = issue.created_at + TimeDelta::seconds(gap * number);
            Some(Note {
                id: NoteId::new(0),
                issuable: issue.id,
                author: self.random.one(self.users)?,
                discussion: self.name(),
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
