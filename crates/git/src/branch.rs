//! Branches (reference, repository-git-webhooks, section 7).

use std::cmp::Reverse;
use std::collections::HashSet;

use regex::Regex;
use tenon_domain::page::{Page, PageRequest};

use crate::command::failure;
use crate::commit::Commit;
use crate::error::GitError;
use crate::name::{BranchName, RefName};
use crate::oid::Oid;
use crate::repository::Repository;

/// A branch and the commit at its tip.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// Its name.
    pub name: BranchName,
    /// Its tip.
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

    /// Whether this name is found.
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

impl Repository {
    /// The branch that `HEAD` names, whether or not it has commits; `None` when `HEAD` names something else.
    pub fn default_branch(&self) -> Result<Option<BranchName>, GitError> {
        let outcome = self.git("symbolic-ref").args(["--quiet", "HEAD"]).outcome()?;
        match outcome.code {
            Some(0) => {
                let name = String::from_utf8(outcome.stdout).map_err(|_error| GitError::Unexpected("symbolic-ref"))?;
                Ok(RefName::parse(name.trim_end()).ok().and_then(|name| name.branch()))
            }
            Some(1) => Ok(None),
            code => Err(failure("symbolic-ref", Some(self.path()), code, outcome.log)),
        }
    }

    /// A page of branches: those that are found by both, where both are given. With a search, a branch of exactly this name
    /// comes first.
    pub fn branches(
        &self,
        search: Option<&NameSearch>,
        pattern: Option<&Regex>,
        order: BranchOrder,
        page: PageRequest,
    ) -> Result<Page<Branch>, GitError> {
        let mut found = self.branch_tips(order)?;
        if let Some(pattern) = pattern {
            found.retain(|(name, _)| pattern.is_match(name.as_str()));
        }
        if let Some(search) = search {
            found.retain(|(name, _)| search.finds(name.as_str()));
            found.sort_by_key(|(name, _)| !search.is_exactly(name.as_str()));
        }
        let total = i64::try_from(found.len()).unwrap_or(i64::MAX);
        let (skip, count) = (size(page.offset()), size(page.per_page()));
        let wanted: Vec<(BranchName, Oid)> = found.into_iter().skip(skip).take(count).collect();
        let tips: Vec<Oid> = wanted.iter().map(|(_, tip)| *tip).collect();
        let commits = self.commits_by_id(&tips)?;
        let branch = |(name, tip): (BranchName, Oid)| Some(Branch { name, commit: commits.get(&tip)?.clone() });
        Ok(Page { items: wanted.into_iter().filter_map(branch).collect(), total, request: page })
    }

    /// Names and tips of all branches; by name where a commit is too large to find out when it was made. Branches whose names
    /// we would not accept are left out.
    pub fn branch_tips(&self, order: BranchOrder) -> Result<Vec<(BranchName, Oid)>, GitError> {
        let date = match order {
            BranchOrder::Name => "",
            BranchOrder::UpdatedAscending | BranchOrder::UpdatedDescending => " %(committerdate:unix)",
        };
        let format = format!("--format=%(objectname) %(refname){date}");
        let output = match self.git("for-each-ref").args([&*format, "refs/heads/"]).text() {
            // For the date Git reads the whole commit, and there is one that is too large. Names can always be listed.
            Err(GitError::TooLarge(_)) if order != BranchOrder::Name => return self.branch_tips(BranchOrder::Name),
            output => output?,
        };
        let row = |line: &str| {
            let mut words = line.split(' ');
            let (tip, name) = (words.next()?.parse().ok()?, RefName::parse(words.next()?).ok()?.branch()?);
            Some((name, tip, words.next().and_then(|date| date.parse::<i64>().ok()).unwrap_or_default()))
        };
        let mut rows: Vec<(BranchName, Oid, i64)> = output.lines().filter_map(row).collect();
        match order {
            BranchOrder::Name => {}
            BranchOrder::UpdatedAscending => rows.sort_by_key(|(_, _, date)| *date),
            BranchOrder::UpdatedDescending => rows.sort_by_key(|(_, _, date)| Reverse(*date)),
        }
        Ok(rows.into_iter().map(|(name, tip, _)| (name, tip)).collect())
    }

    /// One branch; `None` when there is none of this name.
    pub fn branch(&self, name: &BranchName) -> Result<Option<Branch>, GitError> {
        let Some(tip) = self.ref_target(&name.full())? else { return Ok(None) };
        Ok(self.commit(tip)?.map(|commit| Branch { name: name.clone(), commit }))
    }

    /// Which branches have their tip in the history of `into`, before it: one that was just made there has brought nothing yet
    /// (section 7). None where a commit is too large to find that out.
    pub fn merged_branches(&self, into: Oid) -> Result<HashSet<BranchName>, GitError> {
        let output = self
            .git("for-each-ref")
            .args([
                "--format=%(objectname) %(refname)".to_owned(),
                format!("--merged={into}"),
                "refs/heads/".to_owned(),
            ])
            .text();
        let output = match output {
            // A commit of the history is larger than Git may read; what else is known of branches is still answered.
            Err(GitError::TooLarge(_)) => return Ok(HashSet::new()),
            output => output?,
        };
        let into = into.to_string();
        let earlier = output.lines().filter_map(|line| line.split_once(' ')).filter(|(tip, _)| *tip != into);
        Ok(earlier.filter_map(|(_, name)| RefName::parse(name).ok()?.branch()).collect())
    }
}

/// A count for iterators. Pages that no list reaches are empty.
pub(crate) fn size(count: i64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
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
