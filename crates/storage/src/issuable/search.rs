//! Which issues and merge requests have some words, by the index of words.

use tenon_domain::id::ProjectId;
use tenon_domain::issuable::IssuableKind;
use tenon_domain::search::words::{Part, PartOf};
use tenon_domain::search::{Search, words};

use crate::db::tx::ReadTx;
use crate::error::StoreResult;
use crate::text_index::{self, Found, Place, Question};

/// The most words that are looked up for one search: with more, reading the rows takes no longer.
const MOST: usize = 200;

/// Up to how many are gathered and sorted at once.
const FEW: usize = 1_000;

/// The index's knowledge of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Lookup {
    /// Nothing: each row has to be read.
    Unknown,
    /// That all who have the words are among these.
    Few {
        /// At most [`FEW`] ids.
        ids: Vec<i64>,
        /// True if each of them has the words.
        is_exact: bool,
    },
    /// That all who have the words are among many.
    Many {
        /// Finds them.
        question: Question,
        /// True if each of them has the words.
        is_exact: bool,
        /// How many they are, if they are all in the one project.
        in_project: Option<i64>,
    },
}

/// Looks up the words of `search`, for a list within `project`, if it is within one.
pub(super) fn look_up_words(
    tx: &mut ReadTx<'_>,
    search: &Search,
    kind: IssuableKind,
    project: Option<ProjectId>,
) -> StoreResult<Lookup> {
    let parts: Vec<Option<Part>> = match search {
        Search::Words(searched) => searched.iter().map(|searched| words::part(searched)).collect(),
        Search::ShortWords(searched) => searched.iter().map(|searched| words::whole(searched)).collect(),
    };
    let (mut all, mut is_exact) = (Vec::new(), true);
    for part in parts {
        is_exact &= part.as_ref().is_some_and(|part| part.is_all);
        let known = match part {
            Some(Part { text, place: PartOf::Within, .. }) => text_index::words_having(tx.conn, &text, MOST)?,
            Some(Part { text, place: PartOf::Whole, .. }) => Some(text_index::word(tx.conn, &text)?),
            None => None,
        };
        match known {
            Some(known) if known.is_empty() => return Ok(Lookup::Few { ids: Vec::new(), is_exact: true }),
            Some(known) => all.push(known),
            None => is_exact = false,
        }
    }
    // A word that few rows have says most.
    all.sort_by_key(Vec::len);
    let mut asked = 0;
    let affordable = all.iter().take_while(|known| {
        asked += known.len();
        asked <= MOST
    });
    let affordable = affordable.count();
    is_exact &= affordable == all.len();
    all.truncate(affordable);
    if all.is_empty() {
        return Ok(Lookup::Unknown);
    }
    let within = project.map(|project| Place(kind, project));
    Ok(match text_index::look(tx.conn, &all, within, FEW)? {
        Found::Few(ids) => Lookup::Few { ids, is_exact },
        Found::Many { in_project } => {
            Lookup::Many { question: text_index::question(tx.conn, &all, within), is_exact, in_project }
        }
    })
}
