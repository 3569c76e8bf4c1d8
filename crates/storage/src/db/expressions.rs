//! "Is one of these" as a condition whose text does not depend on how many there are.
//!
//! `eq_any` writes one placeholder for each value on SQLite, so that no two pages share a statement and each is prepared
//! anew. This one binds all values as one text, and is prepared once.

use std::marker::PhantomData;
use std::sync::Arc;

use diesel::QueryResult;
use diesel::expression::{AppearsOnTable, Expression, SelectableExpression, ValidGrouping, is_aggregate};
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::serialize::ToSql;
use diesel::sql_types::{Bool, HasSqlType, Text};

use super::dialect::ValueList;

/// `column` is one of `ids`: an index of the column is searched for each of them. For up to some hundred ids.
pub(crate) fn in_ids<C, I: Copy>(column: C, ids: &[I], number: impl Fn(I) -> i64) -> InList<C, Numbers> {
    InList { column, list: joined(ids.iter().map(|id| number(*id))).into(), of: PhantomData }
}

/// `column` is one of `ids`, of which there may be thousands: the ids are hashed, and each row is looked up among them.
pub(crate) fn in_ids_large<C, I: Copy>(column: C, ids: &[I], number: impl Fn(I) -> i64) -> InList<C, ManyNumbers> {
    InList { column, list: joined(ids.iter().map(|id| number(*id))).into(), of: PhantomData }
}

/// As [`in_ids_large`], for a list that several statements use.
pub(crate) fn in_id_list<C>(column: C, ids: &IdList) -> InList<C, ManyNumbers> {
    InList { column, list: Arc::clone(&ids.text), of: PhantomData }
}

fn joined(numbers: impl Iterator<Item = i64>) -> String {
    let numbers: Vec<String> = numbers.map(|number| number.to_string()).collect();
    numbers.join(",")
}

/// Ids for several statements, with the text that is bound.
#[derive(Debug, Clone)]
pub(crate) struct IdList {
    sorted: Arc<[i64]>,
    text: Arc<str>,
}

impl IdList {
    /// These, each once.
    pub(crate) fn new(mut ids: Vec<i64>) -> Self {
        ids.sort_unstable();
        ids.dedup();
        let text = joined(ids.iter().copied()).into();
        Self { sorted: ids.into(), text }
    }

    /// In rising order.
    pub(crate) fn as_slice(&self) -> &[i64] {
        &self.sorted
    }

    /// True if `id` is one of them.
    pub(crate) fn contains(&self, id: i64) -> bool {
        self.sorted.binary_search(&id).is_ok()
    }
}

/// `column` is one of `texts`.
pub(crate) fn in_texts<C>(column: C, texts: &[String]) -> InList<C, Texts> {
    InList { column, list: serde_json::Value::from(texts).to_string().into(), of: PhantomData }
}

/// `column` is one of the few values of `subquery`, which does not refer to the row: it is run once, before, and an index of
/// the column is searched for each value. (With `eq_any` under an "or", PostgreSQL compares every row with the values.) Not
/// for many values, and not for a condition that is evaluated for each row: the values are compared one by one.
pub(crate) fn in_subquery<C: Expression, S: Query<SqlType = C::SqlType>>(column: C, subquery: S) -> InSubquery<C, S> {
    InSubquery { column, subquery }
}

/// See [`in_subquery`].
#[derive(Debug, Clone, QueryId)]
pub(crate) struct InSubquery<C, S> {
    column: C,
    subquery: S,
}

impl<C: Expression, S> Expression for InSubquery<C, S> {
    type SqlType = Bool;
}

impl<C: ValidGrouping<GroupBy>, S, GroupBy> ValidGrouping<GroupBy> for InSubquery<C, S> {
    type IsAggregate = is_aggregate::No;
}

impl<C: SelectableExpression<QS>, S, QS> SelectableExpression<QS> for InSubquery<C, S> where Self: AppearsOnTable<QS> {}

impl<C: AppearsOnTable<QS>, S, QS> AppearsOnTable<QS> for InSubquery<C, S> where Self: Expression {}

impl<DB: ValueList, C: QueryFragment<DB>, S: QueryFragment<DB>> QueryFragment<DB> for InSubquery<C, S> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.column.walk_ast(out.reborrow())?;
        let (before, after) = out.backend().around_subquery();
        out.push_sql(before);
        self.subquery.walk_ast(out.reborrow())?;
        out.push_sql(after);
        Ok(())
    }
}

/// See [`in_ids`], [`in_ids_large`] and [`in_texts`].
#[derive(Debug, Clone, QueryId)]
pub(crate) struct InList<C, Of> {
    column: C,
    list: Arc<str>,
    of: PhantomData<Of>,
}

/// Numbers, as a text with commas between them.
#[derive(Debug, Clone, Copy, QueryId)]
pub(crate) struct Numbers;

/// The same, of many.
#[derive(Debug, Clone, Copy, QueryId)]
pub(crate) struct ManyNumbers;

/// Texts, as an array in JSON.
#[derive(Debug, Clone, Copy, QueryId)]
pub(crate) struct Texts;

/// How a list is bound.
pub(crate) trait ListForm {
    /// The texts before and after the bound text, so that it reads "is one of them".
    fn around<DB: ValueList>(backend: &DB) -> (&'static str, &'static str);
}

impl ListForm for Numbers {
    fn around<DB: ValueList>(backend: &DB) -> (&'static str, &'static str) {
        backend.around_numbers()
    }
}

impl ListForm for ManyNumbers {
    fn around<DB: ValueList>(backend: &DB) -> (&'static str, &'static str) {
        backend.around_many_numbers()
    }
}

impl ListForm for Texts {
    fn around<DB: ValueList>(backend: &DB) -> (&'static str, &'static str) {
        backend.around_texts()
    }
}

impl<C: Expression, Of> Expression for InList<C, Of> {
    type SqlType = Bool;
}

impl<C, Of, GroupBy> ValidGrouping<GroupBy> for InList<C, Of>
where
    C: ValidGrouping<GroupBy>,
{
    type IsAggregate = is_aggregate::No;
}

impl<C, Of, QS> SelectableExpression<QS> for InList<C, Of>
where
    C: SelectableExpression<QS>,
    Self: AppearsOnTable<QS>,
{
}

impl<C: AppearsOnTable<QS>, Of, QS> AppearsOnTable<QS> for InList<C, Of> where Self: Expression {}

impl<DB, C, Of> QueryFragment<DB> for InList<C, Of>
where
    DB: ValueList + HasSqlType<Text>,
    C: QueryFragment<DB>,
    Of: ListForm,
    str: ToSql<Text, DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.column.walk_ast(out.reborrow())?;
        let (before, after) = Of::around(out.backend());
        out.push_sql(before);
        out.push_bind_param::<Text, str>(&self.list)?;
        out.push_sql(after);
        Ok(())
    }
}
