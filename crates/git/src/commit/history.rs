//! How commits descend from each other.

use std::collections::HashMap;
use std::time::Duration;

use crate::command::budget::Budget;
use crate::command::failure;
use crate::error::GitError;
use crate::name::RefName;
use crate::oid::Oid;
use crate::remembered::{Question, Size};
use crate::repository::Repository;

/// How far two commits have gone apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Divergence {
    /// Commits that only the first one has.
    pub behind: i64,
    /// Commits that only the second one has.
    pub ahead: i64,
}

impl Size for Divergence {
    fn size(&self) -> usize {
        size_of::<Self>()
    }
}

/// How far the second commit has gone apart from the first one.
#[derive(Debug, PartialEq, Eq, Hash)]
struct DivergenceOf(Oid, Oid);

impl Question for DivergenceOf {
    type Answer = Divergence;
}

/// The best common ancestor of two commits.
#[derive(Debug, PartialEq, Eq, Hash)]
struct MergeBase(Oid, Oid);

impl Question for MergeBase {
    type Answer = Option<Oid>;
}

impl Repository {
    /// The best common ancestor of all these commits; `None` if there is none. Fails if a commit is not there. The
    /// commits must have been found in this repository: the answer for two is remembered.
    pub fn merge_base(&self, commits: &[Oid]) -> Result<Option<Oid>, GitError> {
        match commits {
            [] => Ok(None),
            [one] => Ok(Some(*one)),
            [one, other] => {
                let found = self.remember(MergeBase(*one, *other), || self.find_merge_base(*one, *other))?;
                Ok(*found)
            }
            _ => self.git_merge_base(commits),
        }
    }

    fn find_merge_base(&self, one: Oid, other: Oid) -> Result<Option<Oid>, GitError> {
        match self.walked_divergence(one, other)? {
            Some(Divergence { behind: 0, .. }) => Ok(Some(one)),
            Some(_) => Ok(Some(other)),
            None => self.git_merge_base(&[one, other]),
        }
    }

    fn git_merge_base(&self, commits: &[Oid]) -> Result<Option<Oid>, GitError> {
        let command = self.git("merge-base").args((commits.len() > 2).then_some("--octopus"));
        let outcome = command.operands(commits.iter().map(Oid::to_string)).outcome()?;
        match outcome.code {
            Some(0) => {
                let line = outcome.stdout.split(|byte| *byte == b'\n').next().unwrap_or_default();
                Oid::from_bytes(line).map(Some).ok_or(GitError::Unexpected("merge-base"))
            }
            Some(1) => Ok(None),
            code => Err(failure("merge-base", Some(self.path()), code, outcome.log)),
        }
    }

    /// All best common ancestors of two commits. `None` if there are more than `limit`. Fails if a commit is not there.
    pub fn merge_bases(&self, one: Oid, other: Oid, limit: usize) -> Result<Option<Vec<Oid>>, GitError> {
        let outcome = self.git("merge-base").arg("--all").operands([one.to_string(), other.to_string()]).outcome()?;
        match outcome.code {
            Some(0 | 1) => {
                let lines = outcome.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
                let bases: Vec<Oid> = lines
                    .take(limit.saturating_add(1))
                    .map(|line| Oid::from_bytes(line).ok_or(GitError::Unexpected("merge-base")))
                    .collect::<Result<_, _>>()?;
                Ok((bases.len() <= limit).then_some(bases))
            }
            code => Err(failure("merge-base", Some(self.path()), code, outcome.log)),
        }
    }

    /// True if `older` is `newer` or comes before it. If it is false, an update of a branch is a force push. Fails if a
    /// commit is not there.
    pub fn is_ancestor(&self, older: Oid, newer: Oid) -> Result<bool, GitError> {
        if older == newer || self.walked_length(older, newer)?.is_some() {
            return Ok(true);
        }
        let names = [older.to_string(), newer.to_string()];
        let outcome = self.git("merge-base").arg("--is-ancestor").operands(names).outcome()?;
        match outcome.code {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            code => Err(failure("merge-base", Some(self.path()), code, outcome.log)),
        }
    }

    /// The divergence if a single line of commits leads from one of the two to the other; `None` if Git has to be
    /// asked.
    fn walked_divergence(&self, one: Oid, other: Oid) -> Result<Option<Divergence>, GitError> {
        if let Some(ahead) = self.walked_length(one, other)? {
            return Ok(Some(Divergence { behind: 0, ahead }));
        }
        Ok(self.walked_length(other, one)?.map(|behind| Divergence { behind, ahead: 0 }))
    }

    /// How many commits each of the two has that the other has not.
    pub fn divergence(&self, one: Oid, other: Oid) -> Result<Divergence, GitError> {
        if let Some(found) = self.walked_divergence(one, other)? {
            return Ok(found);
        }
        let output =
            self.git("rev-list").args(["--count", "--left-right"]).operands([format!("{one}...{other}")]).text()?;
        let unexpected = || GitError::Unexpected("rev-list");
        let (behind, ahead) = output.trim().split_once('\t').ok_or_else(unexpected)?;
        let number = |text: &str| text.parse().map_err(|_error| unexpected());
        Ok(Divergence { behind: number(behind)?, ahead: number(ahead)? })
    }

    /// How far the tips of these branches have gone apart from `base`, by tip. One process of Git answers for all that
    /// are not remembered. Those for which it needs longer than `time`, or more than its limits, are left out.
    pub fn divergences(
        &self,
        base: Oid,
        tips: &[(RefName, Oid)],
        time: Duration,
    ) -> Result<HashMap<Oid, Divergence>, GitError> {
        let (mut found, mut unknown) = (HashMap::new(), Vec::new());
        for (name, tip) in tips {
            match self.recall(&DivergenceOf(base, *tip)) {
                Some(known) => drop(found.insert(*tip, *known)),
                None => unknown.push(name),
            }
        }
        if unknown.is_empty() {
            return Ok(found);
        }
        // A pattern names a ref and everything below it.
        let command = self
            .git("for-each-ref")
            .arg(format!("--format=%(objectname) %(ahead-behind:{base})"))
            .args(unknown.iter().map(|name| format!("--exclude={name}/")))
            .operands(unknown.iter().map(|name| name.as_str()));
        let output = match command.time(time).budget(Budget::Long).text() {
            Err(GitError::TooLarge(_) | GitError::Timeout(_)) => return Ok(found),
            output => output?,
        };
        let row = |line: &str| {
            let mut words = line.split(' ');
            let tip: Oid = words.next()?.parse().ok()?;
            let (ahead, behind) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
            Some((tip, Divergence { behind, ahead }))
        };
        for (tip, divergence) in output.lines().filter_map(row) {
            self.remember(DivergenceOf(base, tip), || Ok(divergence))?;
            found.insert(tip, divergence);
        }
        Ok(found)
    }
}
