//! Which issues and merge requests have some words, by the index of words (SQLite; PostgreSQL has an index of trigrams on
//! the columns themselves, and needs no help).

use diesel::QueryResult;
use diesel::expression::{AppearsOnTable, Expression, SelectableExpression, ValidGrouping, is_aggregate};
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{Bool, Text};
use tenon_domain::id::ProjectId;
use tenon_domain::issuable::IssuableKind;
use tenon_domain::search::Search;

use crate::connection::Backend;
use crate::dialect;
use crate::error::StoreResult;
use crate::schema::issuables;
use crate::unit_of_work::ReadTx;
use crate::words;

/// The most words that are asked for in one search: beyond them, looking at the rows takes no longer.
const MOST: usize = 200;

/// Up to how many are gathered and sorted at once.
const FEW: i64 = 1_000;

/// What the index knows of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Lookup {
    /// Nothing: each row is to be looked at.
    Unknown,
    /// That nothing is found.
    Nothing,
    /// Something.
    Found(Candidates),
}

/// Those among whom all are that have the words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidates {
    /// Finds them, in the language of FTS5.
    pub(super) expression: String,
    /// Whether each of them has the words.
    pub(super) is_exact: bool,
    /// Whether they are no more than [`FEW`].
    pub(super) are_few: bool,
    /// How many they are, where they are many and all in the one project.
    pub(super) in_project: Option<i64>,
}

/// Looks up the words of `search`, for a list within `project`, where it is within one.
pub(super) fn look_up(
    tx: &mut ReadTx<'_>,
    search: &Search,
    kind: IssuableKind,
    project: Option<ProjectId>,
) -> StoreResult<Lookup> {
    let Search::Words(searched) = search else { return Ok(Lookup::Unknown) };
    if !dialect::has_index_of_words(tx.conn) {
        return Ok(Lookup::Unknown);
    }
    let (mut all, mut is_exact) = (Vec::new(), true);
    for searched in searched {
        let known = match words::part(searched) {
            Some(part) => {
                is_exact &= part.is_all;
                dialect::words_having(tx.conn, &part.text, MOST)?
            }
            None => None,
        };
        match known {
            Some(known) if known.is_empty() => return Ok(Lookup::Nothing),
            Some(known) => all.push(known),
            None => is_exact = false,
        }
    }
    // What is in few words says most.
    all.sort_by_key(Vec::len);
    let mut asked = 0;
    let affordable = all.iter().take_while(|known| {
        asked += known.len();
        asked <= MOST
    });
    let affordable = affordable.count();
    is_exact &= affordable == all.len();
    let all: Vec<String> = all.iter().take(affordable).map(|known| any(known)).collect();
    let matched = match all.as_slice() {
        [] => return Ok(Lookup::Unknown),
        [one] => format!("{{title description}} : {one}"),
        several => {
            let all = several.join(" AND ");
            format!("(title : ({all}) OR description : ({all}))")
        }
    };
    let found_anywhere = dialect::count_indexed(tx.conn, &matched, Some(FEW + 1))?;
    let candidates = match project {
        // Few are asked for their project sooner than the long list of what is in it.
        Some(project) if found_anywhere > FEW => {
            let expression = format!("place : {} AND {matched}", place(kind, project));
            let count = dialect::count_indexed(tx.conn, &expression, None)?;
            Candidates { expression, is_exact, are_few: count <= FEW, in_project: Some(count) }
        }
        _ => Candidates { expression: matched, is_exact, are_few: found_anywhere <= FEW, in_project: None },
    };
    Ok(Lookup::Found(candidates))
}

/// One of these words: no quotation mark is in any.
fn any(known: &[String]) -> String {
    let quoted: Vec<String> = known.iter().map(|word| format!("\"{word}\"")).collect();
    format!("({})", quoted.join(" OR "))
}

/// The word that stands in the index for the issues, or the merge requests, of a project.
pub(super) fn place(kind: IssuableKind, project: ProjectId) -> String {
    format!("{}{project}", kind.as_str().replace('_', ""))
}

/// A condition on issuables: this expression of FTS5 finds them.
pub(super) fn matching(expression: String) -> Matching {
    Matching { expression }
}

/// See [`matching`].
#[derive(Debug, Clone, QueryId)]
pub(super) struct Matching {
    expression: String,
}

impl Expression for Matching {
    type SqlType = Bool;
}

impl<GroupBy> ValidGrouping<GroupBy> for Matching {
    type IsAggregate = is_aggregate::No;
}

impl SelectableExpression<issuables::table> for Matching {}

impl AppearsOnTable<issuables::table> for Matching {}

impl QueryFragment<Backend> for Matching {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Backend>) -> QueryResult<()> {
        out.push_sql("issuables.id IN (SELECT rowid FROM issuable_search WHERE issuable_search MATCH ");
        out.push_bind_param::<Text, _>(&self.expression)?;
        out.push_sql(")");
        Ok(())
    }
}
