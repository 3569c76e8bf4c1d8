//! The index on PostgreSQL: a table with the numbers of the words of each title and of each description, in rows of their
//! own, so that a change of one does not write the index entries of the other; and the words with their trigrams.

use std::collections::{BTreeSet, HashMap};

use diesel::connection::SimpleConnection;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Array, BigInt, Nullable, Text};
use tenon_domain::search::words;

use super::{Entry, Found, Piece, Question, Word};
use crate::schema::issuables;

diesel::table! {
    issuable_search (issuable_id, field) {
        issuable_id -> BigInt,
        field -> Text,
        place -> Text,
        words -> Array<BigInt>,
    }
}

diesel::table! {
    issuable_search_words (id) {
        id -> BigInt,
        word -> Text,
    }
}

#[derive(QueryableByName)]
struct Looked {
    #[diesel(sql_type = Nullable<BigInt>)]
    count: Option<i64>,
    #[diesel(sql_type = Nullable<Array<BigInt>>)]
    ids: Option<Vec<i64>>,
}

pub(super) fn words_having(conn: &mut PgConnection, part: &str, most: i64) -> QueryResult<Vec<Word>> {
    // A part has letters and digits alone: nothing in it means anything to LIKE.
    let found: Vec<i64> = issuable_search_words::table
        .filter(issuable_search_words::word.like(format!("%{part}%")))
        .limit(most)
        .select(issuable_search_words::id)
        .load(conn)?;
    Ok(found.into_iter().map(|id| Word(id.to_string())).collect())
}

pub(super) fn word(conn: &mut PgConnection, word: &str) -> QueryResult<Vec<Word>> {
    let found: Vec<i64> = issuable_search_words::table
        .filter(issuable_search_words::word.eq(word))
        .select(issuable_search_words::id)
        .load(conn)?;
    Ok(found.into_iter().map(|id| Word(id.to_string())).collect())
}

/// The values of `field`.
const TITLE: &str = "title";
const DESCRIPTION: &str = "description";

/// These words, as an array is written.
fn array(words: &[Word]) -> String {
    let numbers: Vec<&str> = words.iter().map(|Word(number)| number.as_str()).collect();
    format!("{{{}}}", numbers.join(","))
}

/// The issuables that have a word of each of these lists in one text; those that have them in both texts are found twice.
pub(super) fn question(all: &[Vec<Word>], place: Option<&str>) -> Question {
    let mut pieces = vec![Piece::Sql("SELECT issuable_id FROM issuable_search WHERE ")];
    if let Some(place) = place {
        pieces.extend([Piece::Sql("place = "), Piece::Bound(place.to_owned()), Piece::Sql(" AND ")]);
    }
    for (index, words) in all.iter().enumerate() {
        pieces.push(Piece::Sql(if index == 0 { "words && " } else { " AND words && " }));
        pieces.extend([Piece::Bound(array(words)), Piece::Sql("::BIGINT[]")]);
    }
    Question(pieces)
}

/// Up to `most` are few. Everywhere no more than these are looked for; in a place, all are counted, and few are listed.
///
/// PostgreSQL takes arrays that overlap for as cheap as numbers that are equal, and would go through those of all rows: to
/// the end of the transaction it takes indexes.
pub(super) fn look(conn: &mut PgConnection, all: &[Vec<Word>], place: Option<&str>, most: usize) -> QueryResult<Found> {
    conn.batch_execute("SET LOCAL enable_seqscan = off; SET LOCAL work_mem = '64MB'")?;
    let (before, after) = match place {
        // Not with a window function: it would be planned as if the first rows were all that is read.
        Some(_) => (
            "WITH found AS MATERIALIZED (SELECT DISTINCT issuable_id FROM (",
            format!(
                ") AS texts), counted AS (SELECT COUNT(*) AS count FROM found)
                 SELECT count, CASE WHEN count <= {most} THEN ARRAY(SELECT issuable_id FROM found) END AS ids FROM counted"
            ),
        ),
        // Each is found at most twice.
        None => (
            "SELECT NULL::BIGINT AS count, ARRAY(SELECT issuable_id FROM (",
            format!(") AS found LIMIT {}) AS ids", 2 * most + 1),
        ),
    };
    let question = question(all, place);
    let mut query = sql_query(before).into_boxed::<Pg>();
    let mut bound = 0;
    for piece in &question.0 {
        query = match piece {
            Piece::Sql(text) => query.sql(*text),
            Piece::Bound(value) => {
                bound += 1;
                query.sql(format!("${bound}")).bind::<Text, _>(value.as_str())
            }
        };
    }
    let Looked { count, ids } = query.sql(after).get_result(conn)?;
    let ids: Option<BTreeSet<i64>> = ids.map(BTreeSet::from_iter).filter(|ids| ids.len() <= most);
    Ok(ids.map_or(Found::Many { in_project: count }, |ids| Found::Few(ids.into_iter().collect())))
}

pub(super) fn put(conn: &mut PgConnection, entries: &[Entry]) -> QueryResult<()> {
    let texts: Vec<(String, String)> = entries.iter().map(Entry::indexed).collect();
    let both = texts.iter().flat_map(|(title, description)| [title.as_str(), description.as_str()]);
    let numbers = numbers(conn, &words::all(both).into_iter().collect::<Vec<_>>())?;
    let row = |entry: &Entry, field: &'static str, text: &str| {
        let words: Vec<i64> = words::all([text]).into_iter().filter_map(|word| numbers.get(word).copied()).collect();
        (!words.is_empty() || field == TITLE).then(|| {
            (
                issuable_search::issuable_id.eq(entry.id),
                issuable_search::field.eq(field),
                issuable_search::place.eq(entry.place()),
                issuable_search::words.eq(words),
            )
        })
    };
    let rows: Vec<_> = entries
        .iter()
        .zip(&texts)
        .flat_map(|(entry, (title, description))| [row(entry, TITLE, title), row(entry, DESCRIPTION, description)])
        .flatten()
        .collect();
    diesel::insert_into(issuable_search::table).values(&rows).execute(conn).map(drop)
}

pub(super) fn update(conn: &mut PgConnection, before: &Entry, after: &Entry) -> QueryResult<()> {
    let ((old_title, old_description), (title, description)) = (before.indexed(), after.indexed());
    for (field, old, new) in [(TITLE, &old_title, &title), (DESCRIPTION, &old_description, &description)] {
        let wanted = words::all([new.as_str()]);
        if wanted == words::all([old.as_str()]) {
            continue;
        }
        let numbers = numbers(conn, &wanted.into_iter().collect::<Vec<_>>())?;
        let words: Vec<i64> = numbers.into_values().collect();
        diesel::insert_into(issuable_search::table)
            .values((
                issuable_search::issuable_id.eq(after.id),
                issuable_search::field.eq(field),
                issuable_search::place.eq(after.place()),
                issuable_search::words.eq(&words),
            ))
            .on_conflict((issuable_search::issuable_id, issuable_search::field))
            .do_update()
            .set(issuable_search::words.eq(&words))
            .execute(conn)?;
    }
    Ok(())
}

/// The numbers of these words, new ones for those that are new.
fn numbers(conn: &mut PgConnection, wanted: &[&str]) -> QueryResult<HashMap<String, i64>> {
    use issuable_search_words::{id, table, word};
    let known: Vec<(String, i64)> = table.filter(word.eq_any(wanted)).select((word, id)).load(conn)?;
    let mut numbers: HashMap<String, i64> = known.into_iter().collect();
    let new: Vec<_> = wanted.iter().filter(|text| !numbers.contains_key(**text)).map(|text| word.eq(*text)).collect();
    for chunk in new.chunks(MOST_AT_ONCE) {
        let made: Vec<(String, i64)> =
            diesel::insert_into(table).values(chunk).returning((word, id)).get_results(conn)?;
        numbers.extend(made);
    }
    Ok(numbers)
}

/// A statement has at most 65,535 values.
const MOST_AT_ONCE: usize = 10_000;

pub(super) fn remove(conn: &mut PgConnection, id: i64) -> QueryResult<()> {
    diesel::delete(issuable_search::table.filter(issuable_search::issuable_id.eq(id))).execute(conn).map(drop)
}

/// How many rows are indexed at once when all of them are: each may have a megabyte.
const BATCH: i64 = 250;

/// Without its index the table is filled in half the time. That there are no words yet is what the planner believes until the
/// end: it would read all of them for each of many. All this may take longer than a statement may.
pub(super) fn rebuild(conn: &mut PgConnection) -> QueryResult<()> {
    conn.batch_execute(
        "SET LOCAL enable_seqscan = off; SET LOCAL statement_timeout = 0; DROP INDEX issuable_search_found; \
         TRUNCATE issuable_search, issuable_search_words RESTART IDENTITY",
    )?;
    let mut after = 0;
    loop {
        let entries: Vec<Entry> = issuables::table
            .filter(issuables::id.gt(after))
            .filter(issuables::deleted_at.is_null())
            .order(issuables::id)
            .limit(BATCH)
            .select(Entry::as_select())
            .load(conn)?;
        let Some(last) = entries.last() else { break };
        after = last.id;
        put(conn, &entries)?;
    }
    // As in the migration.
    conn.batch_execute(
        "CREATE INDEX issuable_search_found ON issuable_search USING gin (place, words) WITH (fastupdate = off)",
    )
}
