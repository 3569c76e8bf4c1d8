//! The index on PostgreSQL: a table with the numbers of the words of each text, and the words with their trigrams.

use std::collections::HashMap;

use diesel::connection::SimpleConnection;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Text};

use super::{Entry, Word, words};

diesel::table! {
    issuable_search (issuable_id) {
        issuable_id -> BigInt,
        place -> Text,
        title -> Array<Integer>,
        description -> Array<Integer>,
    }
}

diesel::table! {
    issuable_search_words (id) {
        id -> Integer,
        word -> Text,
    }
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

pub(super) fn words_having(conn: &mut PgConnection, part: &str, most: i64) -> QueryResult<Vec<Word>> {
    // A part has letters and digits alone: nothing in it means anything to LIKE.
    let found: Vec<i32> = issuable_search_words::table
        .filter(issuable_search_words::word.like(format!("%{part}%")))
        .limit(most)
        .select(issuable_search_words::id)
        .load(conn)?;
    Ok(found.into_iter().map(|id| Word(id.to_string())).collect())
}

/// Numbers of words as an array is written.
pub(super) fn list(words: &[Word]) -> String {
    let numbers: Vec<&str> = words.iter().map(|Word(number)| number.as_str()).collect();
    format!("{{{}}}", numbers.join(","))
}

/// A piece of a condition.
pub(super) enum Piece<'a> {
    Sql(&'static str),
    Bound(&'a str),
}

/// A number of each of these lists is in one column. The one index of the table answers it.
pub(super) fn condition<'a>(all: &'a [String], place: Option<&'a str>) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    if let Some(place) = place {
        pieces.extend([Piece::Sql("place = "), Piece::Bound(place), Piece::Sql(" AND ")]);
    }
    for (before, column) in [("(", "title && "), (" OR ", "description && ")] {
        pieces.push(Piece::Sql(before));
        for (index, list) in all.iter().enumerate() {
            pieces.push(Piece::Sql(if index == 0 { "" } else { " AND " }));
            pieces.extend([Piece::Sql(column), Piece::Bound(list), Piece::Sql("::INTEGER[]")]);
        }
    }
    pieces.push(Piece::Sql(")"));
    pieces
}

pub(super) fn count(
    conn: &mut PgConnection,
    all: &[String],
    place: Option<&str>,
    most: Option<i64>,
) -> QueryResult<i64> {
    let mut query = sql_query("SELECT COUNT(*) AS count FROM (SELECT 1 FROM issuable_search WHERE ").into_boxed::<Pg>();
    let mut bound = 0;
    for piece in condition(all, place) {
        query = match piece {
            Piece::Sql(text) => query.sql(text),
            Piece::Bound(value) => {
                bound += 1;
                query.sql(format!("${bound}")).bind::<Text, _>(value)
            }
        };
    }
    if let Some(most) = most {
        query = query.sql(format!(" LIMIT {most}"));
    }
    // It takes an array that overlaps for as cheap as a number that is equal, and would read all of them.
    conn.batch_execute("SET LOCAL enable_seqscan = off")?;
    let found: Count = query.sql(") AS found").get_result(conn)?;
    conn.batch_execute("SET LOCAL enable_seqscan TO DEFAULT")?;
    Ok(found.count)
}

pub(super) fn put(conn: &mut PgConnection, entries: &[Entry]) -> QueryResult<()> {
    let texts: Vec<(String, String)> = entries.iter().map(Entry::indexed).collect();
    let both = texts.iter().flat_map(|(title, description)| [title.as_str(), description.as_str()]);
    let numbers = numbers(conn, &words::known(both).into_iter().collect::<Vec<_>>())?;
    let of = |text: &str| -> Vec<i32> {
        words::known([text]).into_iter().filter_map(|word| numbers.get(word).copied()).collect()
    };
    let rows: Vec<_> = entries
        .iter()
        .zip(&texts)
        .map(|(entry, (title, description))| {
            (
                issuable_search::issuable_id.eq(entry.id),
                issuable_search::place.eq(entry.place()),
                issuable_search::title.eq(of(title)),
                issuable_search::description.eq(of(description)),
            )
        })
        .collect();
    diesel::insert_into(issuable_search::table).values(&rows).execute(conn).map(drop)
}

/// The numbers of these words, new ones for those that are new.
fn numbers(conn: &mut PgConnection, wanted: &[&str]) -> QueryResult<HashMap<String, i32>> {
    use issuable_search_words::{id, table, word};
    let known: Vec<(String, i32)> = table.filter(word.eq_any(wanted)).select((word, id)).load(conn)?;
    let mut numbers: HashMap<String, i32> = known.into_iter().collect();
    let new: Vec<_> = wanted.iter().filter(|text| !numbers.contains_key(**text)).map(|text| word.eq(*text)).collect();
    for chunk in new.chunks(MOST_AT_ONCE) {
        let made: Vec<(String, i32)> =
            diesel::insert_into(table).values(chunk).returning((word, id)).get_results(conn)?;
        numbers.extend(made);
    }
    Ok(numbers)
}

/// A statement has at most 65,535 values.
const MOST_AT_ONCE: usize = 10_000;

pub(super) fn remove(conn: &mut PgConnection, id: i64) -> QueryResult<()> {
    diesel::delete(issuable_search::table.find(id)).execute(conn).map(drop)
}

pub(super) fn is_empty(conn: &mut PgConnection) -> QueryResult<bool> {
    let found: Option<i64> = issuable_search::table.select(issuable_search::issuable_id).first(conn).optional()?;
    Ok(found.is_none())
}

/// Without its index the table is filled in half the time.
pub(super) fn clear(conn: &mut PgConnection) -> QueryResult<()> {
    conn.batch_execute(
        "DROP INDEX issuable_search_found; DELETE FROM issuable_search; DELETE FROM issuable_search_words",
    )
}

/// After [`clear`] and filling. As in the migration.
pub(super) fn complete(conn: &mut PgConnection) -> QueryResult<()> {
    conn.batch_execute(
        "CREATE INDEX issuable_search_found ON issuable_search USING gin (place, title, description) \
         WITH (fastupdate = off)",
    )
}
