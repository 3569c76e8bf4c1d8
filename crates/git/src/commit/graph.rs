//! Commits in an order in which the lines between them can be drawn, with the branches and tags that point at them.

use std::str::FromStr as _;

use crate::command::budget::Budget;
use crate::command::lossy;
use crate::commit::list::filtered;
use crate::commit::{CommitQuery, CommitRange};
use crate::error::GitError;
use crate::name::RefName;
use crate::oid::Oid;
use crate::repository::Repository;

/// A commit in a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphCommit {
    /// Its name.
    pub id: Oid,
    /// The commits that it follows.
    pub parents: Vec<Oid>,
    /// The branches and tags that point at it.
    pub refs: Vec<RefName>,
}

impl Repository {
    /// The first `most` commits of a range, each before its parents. One process of Git finds them, and the names of
    /// branches and tags.
    pub fn graph(&self, range: CommitRange, most: usize) -> Result<Vec<GraphCommit>, GitError> {
        let command = self
            .git("log")
            .args(["-z", "--no-color", "--no-show-signature", "--topo-order", "--decorate=full"])
            .args(["--decorate-refs=refs/heads/*", "--decorate-refs=refs/tags/*", "--format=tformat:%H %P%x00%D"])
            .arg(format!("--max-count={most}"));
        let output = filtered(command, &CommitQuery::new(range)).budget(Budget::Long).bytes()?;
        let mut fields: Vec<&[u8]> = output.split(|byte| *byte == 0).collect();
        // Each record ends with a NUL; behind the last one is nothing.
        fields.pop();
        let unexpected = || GitError::Unexpected("log");
        fields.chunks(2).map(|fields| graph_commit(fields).ok_or_else(unexpected)).collect()
    }
}

fn graph_commit(fields: &[&[u8]]) -> Option<GraphCommit> {
    let [names, refs] = fields else { return None };
    let names = std::str::from_utf8(names).ok()?;
    let mut ids = names.split_whitespace().map(Oid::from_str);
    let id = ids.next()?.ok()?;
    let parents = ids.collect::<Result<_, _>>().ok()?;
    // No name of a ref has a blank. Those that are no UTF-8 are left out.
    let refs = lossy(refs);
    let refs = refs.split(", ").map(|name| name.trim_start_matches("tag: "));
    Some(GraphCommit { id, parents, refs: refs.filter_map(|name| RefName::parse(name).ok()).collect() })
}
