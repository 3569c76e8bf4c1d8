//! The index on SQLite: a table of FTS5 that keeps no text, and the words with one of their trigrams.

use std::collections::BTreeSet;

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::query_builder::{BoxedSqlQuery, SqlQuery};
use diesel::sql_query;
use diesel::sql_types::{BigInt, Text};
use diesel::sqlite::Sqlite;
use tenon_domain::search::words;

use super::{Entry, Found, Piece, Question, Word};

#[derive(QueryableByName)]
struct Known {
    #[diesel(sql_type = Text)]
    word: String,
}

#[derive(QueryableByName)]
struct Id {
    #[diesel(sql_type = BigInt)]
    issuable_id: i64,
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

pub(super) fn words_having(conn: &mut SqliteConnection, part: &str, most: i64) -> QueryResult<Vec<Word>> {
    let known: Vec<Known> = sql_query(
        "SELECT word FROM issuable_search_words WHERE id IN \
         (SELECT rowid FROM issuable_search_parts WHERE issuable_search_parts MATCH ?) AND instr(word, ?) > 0 LIMIT ?",
    )
    .bind::<Text, _>(trigrams(part))
    .bind::<Text, _>(part)
    .bind::<BigInt, _>(most)
    .load(conn)?;
    Ok(known.into_iter().map(|known| Word(known.word)).collect())
}

/// How many trigrams of a word are looked up: each makes the candidates fewer, and takes time.
const TRIGRAMS_OF_A_WORD: usize = 12;

/// The query for every text that has `part`, lower-cased and of three characters or more.
fn trigrams(part: &str) -> String {
    let chars: Vec<char> = part.chars().collect();
    let found: BTreeSet<String> = chars
        .windows(3)
        .take(TRIGRAMS_OF_A_WORD)
        .map(|three| format!("\"{}\"", three.iter().collect::<String>()))
        .collect();
    found.into_iter().collect::<Vec<_>>().join(" AND ")
}

/// Who has a word of each of these lists in one column; no quotation mark is in any.
pub(super) fn question(all: &[Vec<Word>], place: Option<&str>) -> Question {
    let any = |words: &Vec<Word>| {
        let quoted: Vec<String> = words.iter().map(|Word(word)| format!("\"{word}\"")).collect();
        format!("({})", quoted.join(" OR "))
    };
    let all: Vec<String> = all.iter().map(any).collect();
    let matched = match all.as_slice() {
        [one] => format!("{{title description}} : {one}"),
        several => {
            let all = several.join(" AND ");
            format!("(title : ({all}) OR description : ({all}))")
        }
    };
    let matched = match place {
        Some(place) => format!("place : {place} AND {matched}"),
        None => matched,
    };
    Question(vec![
        Piece::Sql("SELECT rowid AS issuable_id FROM issuable_search WHERE issuable_search MATCH "),
        Piece::Bound(matched),
    ])
}

/// A statement around those that find the ids.
fn around<'a>(before: &str, question: &'a Question, after: &str) -> BoxedSqlQuery<'a, Sqlite, SqlQuery> {
    let mut query = sql_query(before).into_boxed::<Sqlite>();
    for piece in &question.0 {
        query = match piece {
            Piece::Sql(text) => query.sql(*text),
            Piece::Bound(value) => query.sql("?").bind::<Text, _>(value.as_str()),
        };
    }
    query.sql(after)
}

fn find(conn: &mut SqliteConnection, question: &Question, most: usize) -> QueryResult<Vec<i64>> {
    let found: Vec<Id> = around("", question, &format!(" LIMIT {most}")).load(conn)?;
    Ok(found.into_iter().map(|found| found.issuable_id).collect())
}

/// Few are found everywhere sooner than with the long list of what is in the place.
pub(super) fn look(
    conn: &mut SqliteConnection,
    all: &[Vec<Word>],
    place: Option<&str>,
    most: usize,
) -> QueryResult<Found> {
    let everywhere = find(conn, &question(all, None), most + 1)?;
    if everywhere.len() <= most {
        return Ok(Found::Few(everywhere));
    }
    let Some(place) = place else { return Ok(Found::Many { in_project: None }) };
    let there = question(all, Some(place));
    let Count { count } = around("SELECT COUNT(*) AS count FROM (", &there, ")").get_result(conn)?;
    if usize::try_from(count).is_ok_and(|count| count <= most) {
        return Ok(Found::Few(find(conn, &there, most)?));
    }
    Ok(Found::Many { in_project: Some(count) })
}

pub(super) fn put(conn: &mut SqliteConnection, entries: &[Entry]) -> QueryResult<()> {
    for entry in entries {
        let (title, description) = entry.indexed();
        put_words(conn, &words::known([title.as_str(), description.as_str()]))?;
        put_texts(conn, entry, &title, &description)?;
    }
    Ok(())
}

/// An entry of FTS5 is written as a whole; of the words, those that the texts did not have.
pub(super) fn update(conn: &mut SqliteConnection, before: &Entry, after: &Entry) -> QueryResult<()> {
    let ((old_title, old_description), (title, description)) = (before.indexed(), after.indexed());
    if (&old_title, &old_description) == (&title, &description) {
        return Ok(());
    }
    let old = words::known([old_title.as_str(), old_description.as_str()]);
    let new = words::known([title.as_str(), description.as_str()]);
    put_words(conn, &new.difference(&old).copied().collect())?;
    remove(conn, after.id)?;
    put_texts(conn, after, &title, &description)
}

fn put_words(conn: &mut SqliteConnection, known: &BTreeSet<&str>) -> QueryResult<()> {
    if known.is_empty() {
        return Ok(());
    }
    let known: Vec<&str> = known.iter().copied().collect();
    sql_query(
        "INSERT INTO issuable_search_words (word) SELECT value FROM json_each(?) WHERE TRUE ON CONFLICT DO NOTHING",
    )
    .bind::<Text, _>(serde_json::Value::from(known).to_string())
    .execute(conn)
    .map(drop)
}

fn put_texts(conn: &mut SqliteConnection, entry: &Entry, title: &str, description: &str) -> QueryResult<()> {
    sql_query("INSERT INTO issuable_search (rowid, place, title, description) VALUES (?, ?, ?, ?)")
        .bind::<BigInt, _>(entry.id)
        .bind::<Text, _>(entry.place())
        .bind::<Text, _>(title)
        .bind::<Text, _>(description)
        .execute(conn)
        .map(drop)
}

pub(super) fn remove(conn: &mut SqliteConnection, id: i64) -> QueryResult<()> {
    sql_query("DELETE FROM issuable_search WHERE rowid = ?").bind::<BigInt, _>(id).execute(conn).map(drop)
}

/// In one statement, which takes less than half the time. The place is written as in [`super::Place`].
pub(super) fn rebuild(conn: &mut SqliteConnection) -> QueryResult<()> {
    conn.batch_execute(
        "INSERT INTO issuable_search (issuable_search) VALUES ('delete-all'); DELETE FROM issuable_search_words; \
         INSERT INTO issuable_search_parts (issuable_search_parts) VALUES ('rebuild'); \
         INSERT INTO issuable_search (rowid, place, title, description) \
         SELECT id, replace(kind, '_', '') || project_id, search_text(title), search_text(description) \
         FROM issuables WHERE deleted_at IS NULL; \
         INSERT INTO issuable_search_words (word) \
         SELECT DISTINCT term FROM issuable_search_terms WHERE col <> 'place' AND length(term) >= 3",
    )
}
