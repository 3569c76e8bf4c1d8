//! The rows that a list of issues or merge requests leaves out: the conditions of `not[...]`.

use chrono::NaiveDate;
use diesel::dsl::{exists, not};
use diesel::prelude::*;
use tenon_domain::id::UserId;

use super::condition::{of_milestone, words_in};
use super::filter::{Exclusion, LabelFilter, ReactionFilter, SearchIn, UsersFilter};
use crate::db::expressions::{in_ids, in_texts};
use crate::db::predicate::{Condition, of_each};
use crate::schema::{
    award_emoji, issuable_assignees, issuable_labels, issuables, labels, merge_request_reviewers, merge_requests,
};

impl Exclusion {
    /// The conditions on rows. How many there are, and their texts, do not depend on how many values each has.
    pub(super) fn conditions(&self, today: NaiveDate) -> Vec<Condition<issuables::table>> {
        let mut all: Vec<Condition<issuables::table>> = Vec::new();
        all.extend(self.without_labels());
        all.extend(of_milestone(&self.milestone, today).map(unless));
        if !self.authors.is_empty() {
            all.push(Box::new(not(in_ids(issuables::author_id, &self.authors, UserId::get))));
        }
        all.extend(self.assignees.iter().filter_map(without_assignees));
        all.extend(self.reaction.as_ref().map(|(user, reaction)| without_reaction(*user, reaction)));
        if !self.iids.is_empty() {
            all.push(Box::new(not(in_ids(issuables::iid, &self.iids, std::convert::identity))));
        }
        all.extend(self.search.as_ref().and_then(|search| words_in(search, SearchIn::Both)).map(unless));
        all.extend(self.without_branches());
        all
    }

    fn without_labels(&self) -> Option<Condition<issuables::table>> {
        let links = issuable_labels::table.filter(issuable_labels::issuable_id.eq(issuables::id));
        match &self.labels {
            LabelFilter::Whatever => None,
            LabelFilter::None => Some(Box::new(exists(links))),
            LabelFilter::Any => Some(Box::new(not(exists(links)))),
            LabelFilter::All(names) => {
                let label = labels::table
                    .filter(labels::id.eq(issuable_labels::label_id))
                    .filter(in_texts(labels::name, names));
                Some(Box::new(not(exists(links.filter(exists(label))))))
            }
        }
    }

    fn without_branches(&self) -> impl Iterator<Item = Condition<issuables::table>> {
        let of_it = || merge_requests::table.filter(merge_requests::issuable_id.eq(issuables::id));
        let source = self.source.clone().map(|branch| -> Condition<issuables::table> {
            Box::new(not(exists(of_it().filter(merge_requests::source_branch.eq(branch)))))
        });
        let target = self.target.clone().map(|branch| -> Condition<issuables::table> {
            Box::new(not(exists(of_it().filter(merge_requests::target_branch.eq(branch)))))
        });
        let reviewers = (!self.reviewers.is_empty()).then(|| -> Condition<issuables::table> {
            let theirs = merge_request_reviewers::table
                .filter(merge_request_reviewers::issuable_id.eq(issuables::id))
                .filter(in_ids(merge_request_reviewers::user_id, &self.reviewers, UserId::get));
            Box::new(not(exists(theirs)))
        });
        [source, target, reviewers].into_iter().flatten()
    }
}

/// The rows that do not fulfil `condition`, or for which it is unknown: a row without a description has no word in it.
fn unless(condition: Condition<issuables::table>) -> Condition<issuables::table> {
    Box::new(not(of_each(condition)))
}

fn without_assignees(filter: &UsersFilter) -> Option<Condition<issuables::table>> {
    let links = issuable_assignees::table.filter(issuable_assignees::issuable_id.eq(issuables::id));
    match filter {
        UsersFilter::Whatever => None,
        UsersFilter::None => Some(Box::new(exists(links))),
        UsersFilter::Any => Some(Box::new(not(exists(links)))),
        UsersFilter::All(users) => {
            let theirs = links.filter(in_ids(issuable_assignees::user_id, users, UserId::get));
            Some(Box::new(not(exists(theirs))))
        }
    }
}

fn without_reaction(user: UserId, reaction: &ReactionFilter) -> Condition<issuables::table> {
    let of_user = award_emoji::table
        .filter(award_emoji::user_id.eq(user.get()))
        .filter(award_emoji::note_id.is_null())
        .filter(award_emoji::issuable_id.eq(issuables::id));
    match reaction {
        ReactionFilter::None => Box::new(exists(of_user)),
        ReactionFilter::Any => Box::new(not(exists(of_user))),
        ReactionFilter::Named(name) => Box::new(not(exists(of_user.filter(award_emoji::name.eq(name.clone()))))),
    }
}
