//! Lists of commits.

use std::sync::Arc;

use tenon_domain::page::{Page, PageRequest};
use tenon_domain::time::Timestamp;

use crate::command::{Command, lossy};
use crate::commit::{Commit, cut_text};
use crate::error::GitError;
use crate::oid::Oid;
use crate::remembered::Question;
use crate::repository::Repository;
use crate::tree_path::LookupPath;

/// The commits at which a list begins, and those it leaves out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CommitRange {
    /// From this commit.
    From(Oid),
    /// The commits of `to` that `from` has not.
    Between {
        /// The commit that is left out, with everything before it.
        from: Oid,
        /// The commit at which the list begins.
        to: Oid,
    },
    /// The commits of `to` that neither of the others has.
    NotIn {
        /// The commits that are left out, with everything before them.
        others: [Oid; 2],
        /// The commit at which the list begins.
        to: Oid,
    },
    /// The commits that only one of the two has.
    Apart {
        /// One of the two.
        one: Oid,
        /// The other one.
        other: Oid,
    },
    /// From every branch and tag. Refs of merge requests may come from forks, and hidden refs are the server's own.
    All,
}

/// The order of a list of commits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum CommitOrder {
    /// The newest first.
    #[default]
    Newest,
    /// None before all that follow it, and those of one line of history together.
    Topological,
}

/// Which commits are wanted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CommitQuery {
    /// Which commits.
    pub range: CommitRange,
    /// Only those that changed this file or directory.
    pub path: Option<LookupPath>,
    /// Only those committed at this moment or later.
    pub since: Option<Timestamp>,
    /// Only those committed at this moment or earlier.
    pub until: Option<Timestamp>,
    /// Only those whose author's name or address has this text, in any letter case.
    pub author: Option<String>,
    /// Only those whose message has this text, in any letter case.
    pub message: Option<String>,
    /// Only first parents: commits that came by a merge are left out.
    pub first_parent: bool,
    /// Without merges.
    pub no_merges: bool,
    /// Their order.
    pub order: CommitOrder,
}

/// A page of commits, and the number of all of them if it is known.
#[derive(Debug, Clone)]
pub struct UncountedPage {
    /// The page. Its total is a lower bound if the total is not known.
    pub page: Page<Commit>,
    /// The total; `None` if it is not known.
    pub total: Option<i64>,
}

impl CommitQuery {
    /// Everything in `range`.
    #[must_use]
    pub fn new(range: CommitRange) -> Self {
        Self {
            range,
            path: None,
            since: None,
            until: None,
            author: None,
            message: None,
            first_parent: false,
            no_merges: false,
            order: CommitOrder::Newest,
        }
    }

    /// The range if all of it is wanted; `None` if something is left out.
    fn whole_range(&self) -> Option<CommitRange> {
        (*self == Self::new(self.range)).then_some(self.range)
    }

    /// True if the commits of the range, and so all answers, stay the same for ever.
    #[must_use]
    pub fn is_fixed(&self) -> bool {
        !matches!(self.range, CommitRange::All)
    }
}

/// The commits of a query behind the first `skip`, at most `limit`.
#[derive(Debug, PartialEq, Eq, Hash)]
struct CommitList {
    query: CommitQuery,
    skip: i64,
    limit: i64,
}

impl Question for CommitList {
    type Answer = Vec<Commit>;
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct CommitCount(CommitQuery);

impl Question for CommitCount {
    type Answer = i64;
}

impl Repository {
    /// As [`Repository::uncounted_commits`], with the total. They are counted if it is not known.
    pub fn counted_commits(&self, query: &CommitQuery, page: PageRequest) -> Result<Page<Commit>, GitError> {
        let UncountedPage { page, total } = self.uncounted_commits(query, page)?;
        match total {
            Some(_) => Ok(page),
            None => Ok(Page { total: self.commit_count(query)?, ..page }),
        }
    }

    /// A page of commits, newest first. Only those of a whole range are counted. The total is `None` if it neither follows from the
    /// page nor is remembered; that of the page is then one more than what it and those before it have. Fails if a commit of the
    /// range is not there.
    pub fn uncounted_commits(&self, query: &CommitQuery, page: PageRequest) -> Result<UncountedPage, GitError> {
        let is_whole = query.whole_range().is_some();
        let known = if is_whole {
            Some(self.commit_count(query)?)
        } else {
            self.recall(&CommitCount(query.clone())).map(|count| *count)
        };
        // Git would read the whole history to find that nothing is left of it.
        if let Some(total) = known.filter(|total| page.offset() >= *total) {
            return Ok(UncountedPage { page: Page { items: Vec::new(), total, request: page }, total: known });
        }
        let limit = page.per_page();
        // One more says whether there is a next page. A total that is remembered later changes no question to Git.
        let asked = if is_whole { limit } else { limit.saturating_add(1) };
        let mut items = self.commit_list(query, page.offset(), asked)?;
        let most = usize::try_from(limit).unwrap_or(usize::MAX);
        let has_more = items.len() > most;
        items.truncate(most);
        let seen = page.offset().saturating_add(i64::try_from(items.len()).unwrap_or(i64::MAX));
        let is_last = !has_more && (page.offset() == 0 || !items.is_empty());
        let total = known.or_else(|| is_last.then_some(seen));
        let at_least = seen.saturating_add(i64::from(has_more));
        // Of a page behind the last one nothing is known.
        let at_least = if items.is_empty() { 0 } else { at_least };
        Ok(UncountedPage { page: Page { items, total: total.unwrap_or(at_least), request: page }, total })
    }

    /// At most `limit` commits after the first `skip`, newest first.
    pub fn commit_list(&self, query: &CommitQuery, skip: i64, limit: i64) -> Result<Vec<Commit>, GitError> {
        if !query.is_fixed() {
            return self.read_commit_list(query, skip, limit);
        }
        let question = CommitList { query: query.clone(), skip, limit };
        let found = self.remember(question, || self.read_commit_list(query, skip, limit))?;
        Ok(Arc::unwrap_or_clone(found))
    }

    fn read_commit_list(&self, query: &CommitQuery, skip: i64, limit: i64) -> Result<Vec<Commit>, GitError> {
        if let Some(ids) = self.walked_page(query, skip, limit)? {
            let mut found = self.commits_at(&ids)?;
            let commits: Vec<Commit> = ids.iter().filter_map(|id| found.remove(id)).collect();
            if commits.len() == ids.len() {
                return Ok(shared(commits, self.limits().answers.json_file));
            }
        }
        let reads = self.limits().reads.message;
        // Git reads no larger number.
        let page = [format!("--skip={}", skip.clamp(0, i64::from(i32::MAX))), format!("--max-count={limit}")];
        let count = usize::try_from(limit).unwrap_or_default().clamp(1, MANY);
        let most = usize::try_from(reads).unwrap_or(usize::MAX).saturating_add(SIGNATURES).saturating_mul(count);
        match filtered(self.log().args(&page), query).output(most.min(OUTPUT)).commits(reads) {
            Err(GitError::TooLarge(_)) => {}
            found => return found.map(|commits| shared(commits, self.limits().answers.json_file)),
        }
        // One of them is very large: they are read one by one, and it is cut.
        let output = filtered(self.git("rev-list").args(&page), query).text()?;
        let ids: Vec<Oid> = output.lines().filter_map(|line| line.parse().ok()).collect();
        let mut found = self.commits_by_id(&ids)?;
        let commits = ids.iter().filter_map(|id| found.remove(id)).collect();
        Ok(shared(commits, self.limits().answers.json_file))
    }

    /// The names on a page, if they are found without Git.
    fn walked_page(&self, query: &CommitQuery, skip: i64, limit: i64) -> Result<Option<Vec<Oid>>, GitError> {
        match query.whole_range() {
            Some(CommitRange::From(from)) => self.walked_commits(from, skip, limit),
            Some(CommitRange::Between { from, to }) => self.walked_line(from, to, skip, limit),
            _ => Ok(None),
        }
    }

    /// The number of commits, if it is found without Git.
    fn walked_total(&self, query: &CommitQuery) -> Result<Option<i64>, GitError> {
        match query.whole_range() {
            Some(CommitRange::From(from)) => self.walked_count(from),
            Some(CommitRange::Between { from, to }) => self.walked_length(from, to),
            _ => Ok(None),
        }
    }

    /// How many commits there are.
    pub fn commit_count(&self, query: &CommitQuery) -> Result<i64, GitError> {
        if !query.is_fixed() {
            return self.count_commits(query);
        }
        self.remember(CommitCount(query.clone()), || self.count_commits(query)).map(|count| *count)
    }

    fn count_commits(&self, query: &CommitQuery) -> Result<i64, GitError> {
        if let Some(count) = self.walked_total(query)? {
            return Ok(count);
        }
        let output = filtered(self.git("rev-list").arg("--count"), query).bytes()?;
        lossy(&output).trim().parse().map_err(|_error| GitError::Unexpected("rev-list"))
    }

    /// The names of at most `limit` commits, newest first: those that a push has brought.
    pub fn commit_ids(&self, query: &CommitQuery, limit: i64) -> Result<Vec<Oid>, GitError> {
        if let Some(ids) = self.walked_page(query, 0, limit)? {
            return Ok(ids);
        }
        let output = filtered(self.git("rev-list").arg(format!("--max-count={limit}")), query).text()?;
        Ok(output.lines().filter_map(|line| line.parse().ok()).collect())
    }
}

/// Of more commits, the messages are not all long.
const MANY: usize = 100;
/// Bytes that the names and addresses of a commit may take, as long as there is nothing wrong with them.
const SIGNATURES: usize = 4 << 10;
/// The most that is read at once.
const OUTPUT: usize = 32 << 20;

/// The commits with messages of at most `most` bytes together. If they are longer, each is cut to an equal share.
fn shared(mut commits: Vec<Commit>, most: u64) -> Vec<Commit> {
    let sum = commits.iter().map(|commit| commit.message.len()).fold(0, usize::saturating_add);
    if u64::try_from(sum).is_ok_and(|sum| sum > most) {
        let share = most / u64::try_from(commits.len()).unwrap_or(1).max(1);
        for commit in &mut commits {
            commit.message = cut_text(std::mem::take(&mut commit.message), share);
        }
    }
    commits
}

pub(super) fn filtered(command: Command, query: &CommitQuery) -> Command {
    let moment = |option: &str, at: Timestamp| format!("--{option}=@{} +0000", at.timestamp().max(0));
    let mut command = command.args(["--fixed-strings", "--regexp-ignore-case"]);
    // Without `-as-filter`, one commit with a wrong clock hides everything before it.
    command = command.args(query.since.map(|at| moment("since-as-filter", ceiling(at))));
    command = command.args(query.until.map(|at| moment("until", at)));
    command = command.args(query.author.as_ref().map(|text| format!("--author={text}")));
    command = command.args(query.message.as_ref().map(|text| format!("--grep={text}")));
    command = command.args(query.first_parent.then_some("--first-parent"));
    command = command.args(query.no_merges.then_some("--no-merges"));
    command = command.args((query.order == CommitOrder::Topological).then_some("--topo-order"));
    // By the pipe, which is written when the limits of the process are set.
    command = match query.range {
        CommitRange::From(oid) => command.arg("--stdin").input(format!("{oid}\n")),
        CommitRange::Between { from, to } => command.arg("--stdin").input(format!("{to}\n^{from}\n")),
        CommitRange::NotIn { others: [one, other], to } => {
            command.arg("--stdin").input(format!("{to}\n^{one}\n^{other}\n"))
        }
        CommitRange::Apart { one, other } => command.arg("--stdin").input(format!("{one}...{other}\n")),
        CommitRange::All => command.args(["--branches", "--tags"]),
    };
    command.paths(query.path.iter().map(LookupPath::argument))
}

/// Commits know whole seconds: one of the second before is not since the middle of it.
fn ceiling(at: Timestamp) -> Timestamp {
    if at.timestamp_subsec_nanos() == 0 { at } else { at + tenon_domain::time::TimeDelta::seconds(1) }
}
