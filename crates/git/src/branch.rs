//! Branches.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use regex::Regex;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::time::Timestamp;

use crate::commit::Commit;
use crate::error::GitError;
use crate::name::{BranchName, RefName};
use crate::oid::Oid;
use crate::remembered::Question;
use crate::repository::Repository;

/// A branch and the commit at its tip.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// Without `refs/heads/`.
    pub name: BranchName,
    /// The commit that it points at.
    pub commit: Commit,
}

/// In which order branches are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BranchOrder {
    /// By name.
    #[default]
    Name,
    /// The one committed to longest ago first.
    UpdatedAscending,
    /// The one committed to last first.
    UpdatedDescending,
}

/// When the commits at the tips of branches were committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TipAge {
    /// At this time or later.
    Since(Timestamp),
    /// Before this time.
    Before(Timestamp),
}

impl TipAge {
    /// True if a commit of this date, in seconds since 1970, is meant.
    fn holds(self, date: i64) -> bool {
        match self {
            Self::Since(time) => date >= time.timestamp(),
            Self::Before(time) => date < time.timestamp(),
        }
    }
}

/// Which branches are listed: those that fit all that is given.
#[derive(Debug, Clone, Copy, Default)]
pub struct BranchFilter<'a> {
    /// A text in their names; a branch of exactly this name comes first.
    pub search: Option<&'a NameSearch>,
    /// An expression that their names match.
    pub pattern: Option<&'a Regex>,
    /// The age of their tips. With it, listing fails with [`GitError::TooLarge`] if the date of a commit cannot be read
    /// because the commit is too large.
    pub tips: Option<TipAge>,
}

/// The numbers of branches by the age of their tips.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BranchAges {
    /// Those with a commit since the given time.
    pub active: usize,
    /// The others.
    pub stale: usize,
}

/// A branch with its tip and the date of that commit, in seconds since 1970.
type DatedTip = (BranchName, Oid, i64);

/// The branches of this age in this order. They come by name.
fn ordered(mut rows: Vec<DatedTip>, order: BranchOrder, age: Option<TipAge>) -> Vec<(BranchName, Oid)> {
    rows.retain(|(_, _, date)| age.is_none_or(|age| age.holds(*date)));
    match order {
        BranchOrder::Name => {}
        BranchOrder::UpdatedAscending => rows.sort_by_key(|(_, _, date)| *date),
        BranchOrder::UpdatedDescending => rows.sort_by_key(|(_, _, date)| Reverse(*date)),
    }
    rows.into_iter().map(|(name, tip, _)| (name, tip)).collect()
}

/// A text to look for in names: `^x` at the start, `x$` at the end, else anywhere; letter case does not matter.
#[derive(Debug, Clone)]
pub struct NameSearch {
    text: String,
    at_start: bool,
    at_end: bool,
}

impl NameSearch {
    /// Reads what the caller sent. Every text is a search; an empty one finds everything.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let (at_start, text) = text.strip_prefix('^').map_or((false, text), |text| (true, text));
        let (at_end, text) = text.strip_suffix('$').map_or((false, text), |text| (true, text));
        Self { text: text.to_lowercase(), at_start, at_end }
    }

    /// True if this name is found.
    #[must_use]
    pub fn finds(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        match (self.at_start, self.at_end) {
            (true, true) => name == self.text,
            (true, false) => name.starts_with(&self.text),
            (false, true) => name.ends_with(&self.text),
            (false, false) => name.contains(&self.text),
        }
    }

    fn is_exactly(&self, name: &str) -> bool {
        name.to_lowercase() == self.text
    }
}

/// The question whether the first commit comes before the second one.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Merged(Oid, Oid);

impl Question for Merged {
    type Answer = bool;
}

impl Repository {
    /// The branch that `HEAD` names, whether or not it has commits; `None` if `HEAD` names something else.
    pub fn default_branch(&self) -> Result<Option<BranchName>, GitError> {
        Ok(self.head()?.and_then(|name| name.branch()))
    }

    /// A page of branches.
    pub fn branches(
        &self,
        filter: BranchFilter<'_>,
        order: BranchOrder,
        page: PageRequest,
    ) -> Result<Page<Branch>, GitError> {
        let found = self.tips(order, filter.tips)?;
        self.found_branches(found, filter, page)
    }

    /// The same, with the numbers of all branches by the age of their tips. `None` in place of the numbers if a commit is too large to
    /// find out when it was made. Then listing by age fails as [`Self::branches`] does.
    pub fn branches_and_ages(
        &self,
        filter: BranchFilter<'_>,
        order: BranchOrder,
        page: PageRequest,
        stale_before: Timestamp,
    ) -> Result<(Page<Branch>, Option<BranchAges>), GitError> {
        let rows = match self.dated_tips() {
            Err(GitError::TooLarge(_)) if filter.tips.is_none() => {
                return Ok((self.branches(filter, order, page)?, None));
            }
            rows => rows?,
        };
        let is_stale = |(_, _, date): &&DatedTip| TipAge::Before(stale_before).holds(*date);
        let stale = rows.iter().filter(is_stale).count();
        let ages = BranchAges { active: rows.len() - stale, stale };
        Ok((self.found_branches(ordered(rows, order, filter.tips), filter, page)?, Some(ages)))
    }

    /// Those of these branches that the names of the filter fit, on this page.
    fn found_branches(
        &self,
        mut found: Vec<(BranchName, Oid)>,
        filter: BranchFilter<'_>,
        page: PageRequest,
    ) -> Result<Page<Branch>, GitError> {
        if let Some(pattern) = filter.pattern {
            found.retain(|(name, _)| pattern.is_match(name.as_str()));
        }
        if let Some(search) = filter.search {
            found.retain(|(name, _)| search.finds(name.as_str()));
            found.sort_by_key(|(name, _)| !search.is_exactly(name.as_str()));
        }
        let Page { items: wanted, total, request } = Page::cut(found, page);
        let tips: Vec<Oid> = wanted.iter().map(|(_, tip)| *tip).collect();
        let commits = self.commits_at(&tips)?;
        let branch = |(name, tip): (BranchName, Oid)| Some(Branch { name, commit: commits.get(&tip)?.clone() });
        Ok(Page { items: wanted.into_iter().filter_map(branch).collect(), total, request })
    }

    /// Names and tips of all branches. They are listed by name if a commit is too large to find out when it was made.
    /// Branches whose names we would not accept are left out.
    pub fn branch_tips(&self, order: BranchOrder) -> Result<Vec<(BranchName, Oid)>, GitError> {
        self.tips(order, None)
    }

    /// As [`branch_tips`](Self::branch_tips), of tips of this age. [`GitError::TooLarge`] if a commit is too large to
    /// find out its age.
    fn tips(&self, order: BranchOrder, age: Option<TipAge>) -> Result<Vec<(BranchName, Oid)>, GitError> {
        if order == BranchOrder::Name && age.is_none() {
            let refs = self.refs_below("refs/heads/")?;
            return Ok(refs.into_iter().filter_map(|(name, tip)| Some((name.branch()?, tip))).collect());
        }
        match self.dated_tips() {
            // Names can always be listed.
            Err(GitError::TooLarge(_)) if age.is_none() => self.tips(BranchOrder::Name, None),
            rows => Ok(ordered(rows?, order, age)),
        }
    }

    /// The names, tips and dates of all branches, by name. Fails with [`GitError::TooLarge`] if a commit is too large: for the date
    /// Git reads the whole commit.
    fn dated_tips(&self) -> Result<Vec<DatedTip>, GitError> {
        let format = "--format=%(objectname) %(refname) %(committerdate:unix)";
        let output = self.git("for-each-ref").args([format, "refs/heads/"]).text()?;
        let row = |line: &str| {
            let mut words = line.split(' ');
            let (tip, name) = (words.next()?.parse().ok()?, RefName::parse(words.next()?).ok()?.branch()?);
            Some((name, tip, words.next().and_then(|date| date.parse::<i64>().ok()).unwrap_or_default()))
        };
        Ok(output.lines().filter_map(row).collect())
    }

    /// One branch; `None` if there is none of this name.
    pub fn branch(&self, name: &BranchName) -> Result<Option<Branch>, GitError> {
        let Some(tip) = self.ref_target(&name.full())? else { return Ok(None) };
        Ok(self.commit_at(tip)?.map(|commit| Branch { name: name.clone(), commit }))
    }

    /// Which of these branches have their tip in the history of `into`, before it. None if a commit is too large to
    /// find that out.
    pub fn merged_of(&self, branches: &[Branch], into: Oid) -> Result<HashSet<BranchName>, GitError> {
        let (mut merged, mut unknown) = (HashSet::new(), Vec::new());
        for branch in branches {
            match self.recall(&Merged(branch.commit.id, into)).as_deref() {
                Some(true) => drop(merged.insert(branch.name.clone())),
                Some(false) => {}
                None => unknown.push(branch),
            }
        }
        if unknown.is_empty() {
            return Ok(merged);
        }
        let names: Vec<RefName> = unknown.iter().map(|branch| branch.name.full()).collect();
        let Some(found) = self.merged_into(into, &names)? else { return Ok(merged) };
        for (branch, name) in unknown.into_iter().zip(&names) {
            let tip = branch.commit.id;
            let is_merged = tip != into && found.get(name) == Some(&tip);
            if is_merged {
                merged.insert(branch.name.clone());
            }
            // Of a branch that has moved since its tip was read, Git has answered for another tip.
            if self.ref_target(name)? == Some(tip) {
                self.remember(Merged(tip, into), || Ok(is_merged))?;
            }
        }
        Ok(merged)
    }

    /// Which branches have their tip in the history of `into`, before it: one that was just made there has brought
    /// nothing yet. None if a commit is too large to find that out.
    pub fn merged_branches(&self, into: Oid) -> Result<HashSet<BranchName>, GitError> {
        let merged = self.merged_into(into, &[])?.unwrap_or_default();
        let earlier = merged.into_iter().filter(|(_, tip)| *tip != into);
        Ok(earlier.filter_map(|(name, _)| name.branch()).collect())
    }

    /// The branches of these names that point into the history of `into`, with their tips; all such branches if no name
    /// is given. `None` if a commit of the history is larger than Git may read: what else is known of branches is still
    /// answered.
    fn merged_into(&self, into: Oid, names: &[RefName]) -> Result<Option<HashMap<RefName, Oid>>, GitError> {
        let command = self.git("for-each-ref").args(["--format=%(objectname) %(refname)", &format!("--merged={into}")]);
        let command = match names {
            [] => command.operands(["refs/heads/"]),
            // A pattern names a ref and everything below it.
            names => command
                .args(names.iter().map(|name| format!("--exclude={name}/")))
                .operands(names.iter().map(RefName::as_str)),
        };
        let output = match command.text() {
            Err(GitError::TooLarge(_)) => return Ok(None),
            output => output?,
        };
        let row = |line: &str| {
            let (tip, name) = line.split_once(' ')?;
            Some((RefName::parse(name).ok()?, tip.parse().ok()?))
        };
        Ok(Some(output.lines().filter_map(row).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_can_be_bound_to_either_end() {
        let cases = [
            ("eat", "feature", true),
            ("EAT", "feature", true),
            ("^feat", "Feature", true),
            ("^eat", "feature", false),
            ("ure$", "feature", true),
            ("eat$", "feature", false),
            ("^feature$", "feature", true),
            ("^feature$", "feature2", false),
            ("", "x", true),
        ];
        for (search, name, found) in cases {
            assert_eq!(NameSearch::parse(search).finds(name), found, "{search} in {name}");
        }
    }
}
