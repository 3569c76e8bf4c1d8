//! The index of the words of issues and merge requests: which of them have some words in title or description
//! (docs/adr/0010). A part of a word is first looked up among all words that there are, and then it is asked who has those.

mod postgres;
mod sqlite;

use diesel::expression::{AppearsOnTable, Expression, SelectableExpression, ValidGrouping, is_aggregate};
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Bool, Text as SqlText};
use tenon_domain::id::ProjectId;
use tenon_domain::issuable::{Issuable, IssuableKind};
use tenon_domain::search::words;

use crate::db::connection::{AnyConnection, Backend, DbConn};
use crate::schema::issuables;

/// The texts of an issue or a merge request that are indexed.
#[derive(Queryable, Selectable)]
#[diesel(table_name = issuables)]
pub(crate) struct Entry {
    id: i64,
    kind: String,
    project_id: i64,
    title: String,
    description: Option<String>,
}

impl Entry {
    /// That of `issuable`, as which `id` is stored.
    pub(crate) fn of(issuable: &Issuable, id: i64) -> Self {
        Self {
            id,
            kind: issuable.kind.as_str().to_owned(),
            project_id: issuable.project.get(),
            title: issuable.title.clone(),
            description: issuable.description.clone(),
        }
    }

    fn place(&self) -> String {
        place_word(&self.kind, self.project_id)
    }

    /// Title and description as the index takes them.
    fn indexed(&self) -> (String, String) {
        (words::indexed(&self.title), words::indexed(self.description.as_deref().unwrap_or_default()))
    }
}

/// The issues, or the merge requests, of a project.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place(pub(crate) IssuableKind, pub(crate) ProjectId);

impl Place {
    fn word(self) -> String {
        place_word(self.0.as_str(), self.1.get())
    }
}

/// The word that stands in the index for a place.
fn place_word(kind: &str, project: i64) -> String {
    format!("{}{project}", kind.replace('_', ""))
}

/// A word, by what the index knows it: itself on SQLite, its number on PostgreSQL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word(String);

/// The question to the index, as the database takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Question(Vec<Piece>);

/// A piece of a statement that finds ids.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Sql(&'static str),
    Bound(String),
}

/// Who has, in the title or in the description, a word of each of these lists; in one project, or in all.
pub(crate) fn question(conn: &DbConn, all: &[Vec<Word>], within: Option<Place>) -> Question {
    let within = within.map(Place::word);
    match &conn.any {
        AnyConnection::Postgres(_) => postgres::question(all, within.as_deref()),
        AnyConnection::Sqlite(_) => sqlite::question(all, within.as_deref()),
    }
}

/// The indexed words that contain `part`; `None` if they are more than `most`.
pub(crate) fn words_having(conn: &mut DbConn, part: &str, most: usize) -> QueryResult<Option<Vec<Word>>> {
    let one_more = i64::try_from(most).map_or(i64::MAX, |most| most + 1);
    let found = match &mut conn.any {
        AnyConnection::Postgres(c) => postgres::words_having(c, part, one_more)?,
        AnyConnection::Sqlite(c) => sqlite::words_having(c, part, one_more)?,
    };
    Ok((found.len() <= most).then_some(found))
}

/// The indexed word that is this one; none if no text has it, as far as that is known.
pub(crate) fn word(conn: &mut DbConn, word: &str) -> QueryResult<Vec<Word>> {
    match &mut conn.any {
        AnyConnection::Postgres(c) => postgres::word(c, word),
        AnyConnection::Sqlite(_) => Ok(vec![Word(word.to_owned())]),
    }
}

/// Who has, in the title or in the description, a word of each of these lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    /// These.
    Few(Vec<i64>),
    /// More than were asked for.
    Many {
        /// How many, if it was asked for one project.
        in_project: Option<i64>,
    },
}

/// Looks for them in one project, or in all: up to `most` are few.
pub(crate) fn look(conn: &mut DbConn, all: &[Vec<Word>], within: Option<Place>, most: usize) -> QueryResult<Found> {
    let within = within.map(Place::word);
    match &mut conn.any {
        AnyConnection::Postgres(c) => postgres::look(c, all, within.as_deref(), most),
        AnyConnection::Sqlite(c) => sqlite::look(c, all, within.as_deref(), most),
    }
}

/// Makes the words of these findable, which are not in the index.
pub(crate) fn put(conn: &mut DbConn, entries: &[Entry]) -> QueryResult<()> {
    match &mut conn.any {
        AnyConnection::Postgres(c) => postgres::put(c, entries),
        AnyConnection::Sqlite(c) => sqlite::put(c, entries),
    }
}

/// Makes the words of `after` findable instead of those of `before`: writes the difference.
pub(crate) fn update(conn: &mut DbConn, before: &Entry, after: &Entry) -> QueryResult<()> {
    match &mut conn.any {
        AnyConnection::Postgres(c) => postgres::update(c, before, after),
        AnyConnection::Sqlite(c) => sqlite::update(c, before, after),
    }
}

/// Takes the words of an issuable out of the index.
pub(crate) fn remove(conn: &mut DbConn, id: i64) -> QueryResult<()> {
    match &mut conn.any {
        AnyConnection::Postgres(c) => postgres::remove(c, id),
        AnyConnection::Sqlite(c) => sqlite::remove(c, id),
    }
}

/// Makes the index agree with the rows.
pub(crate) fn rebuild(conn: &mut DbConn) -> QueryResult<()> {
    match &mut conn.any {
        AnyConnection::Postgres(c) => postgres::rebuild(c),
        AnyConnection::Sqlite(c) => sqlite::rebuild(c),
    }
}

/// How many issues and merge requests are not in the index, and how many entries of it are of none.
pub(crate) fn strays(conn: &mut DbConn) -> QueryResult<i64> {
    let id = match &conn.any {
        AnyConnection::Postgres(_) => "issuable_id",
        AnyConnection::Sqlite(_) => "rowid",
    };
    let living = "SELECT id FROM issuables WHERE deleted_at IS NULL";
    let indexed = format!("SELECT {id} FROM issuable_search");
    let query = format!(
        "SELECT COUNT(*) AS count FROM (SELECT * FROM ({living} EXCEPT {indexed}) AS missing \
         UNION ALL SELECT * FROM ({indexed} EXCEPT {living}) AS needless) AS strays"
    );
    let counted: Counted = diesel::sql_query(query).get_result(conn)?;
    Ok(counted.count)
}

#[derive(QueryableByName)]
struct Counted {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// A condition on issuables: they are the answer to this.
pub(crate) fn answering(question: Question) -> Answering {
    Answering { question }
}

/// See [`answering`].
#[derive(Debug, Clone)]
pub(crate) struct Answering {
    question: Question,
}

impl QueryId for Answering {
    type QueryId = ();
    // The type does not determine how many lists there are.
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl Expression for Answering {
    type SqlType = Bool;
}

impl<GroupBy> ValidGrouping<GroupBy> for Answering {
    type IsAggregate = is_aggregate::No;
}

impl SelectableExpression<issuables::table> for Answering {}

impl AppearsOnTable<issuables::table> for Answering {}

impl QueryFragment<Backend> for Answering {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Backend>) -> QueryResult<()> {
        // Planned for these words: of any, PostgreSQL believes that few have them.
        out.unsafe_to_cache_prepared();
        out.push_sql("issuables.id IN (");
        for piece in &self.question.0 {
            match piece {
                Piece::Sql(text) => out.push_sql(text),
                Piece::Bound(value) => out.push_bind_param::<SqlText, str>(value)?,
            }
        }
        out.push_sql(")");
        Ok(())
    }
}
