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

use crate::dialect::ValueList;

/// `column` is one of `ids`, which an index of that column can be asked for one by one.
pub(crate) fn any_of<C, I: Copy>(column: C, ids: &[I], number: impl Fn(I) -> i64) -> AnyOf<C, Numbers> {
    AnyOf { column, list: joined(ids.iter().map(|id| number(*id))).into(), of: PhantomData }
}

/// `column` is one of `ids`, of which there may be thousands; each row is held against them.
pub(crate) fn any_of_many<C, I: Copy>(column: C, ids: &[I], number: impl Fn(I) -> i64) -> AnyOf<C, ManyNumbers> {
    AnyOf { column, list: joined(ids.iter().map(|id| number(*id))).into(), of: PhantomData }
}

/// As [`any_of_many`], of ids that several statements are held against.
pub(crate) fn any_listed<C>(column: C, ids: &IdList) -> AnyOf<C, ManyNumbers> {
    AnyOf { column, list: Arc::clone(&ids.text), of: PhantomData }
}

fn joined(numbers: impl Iterator<Item = i64>) -> String {
    let numbers: Vec<String> = numbers.map(|number| number.to_string()).collect();
    numbers.join(",")
}

/// Ids that several statements are held against, with the text in which they are bound.
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

    /// Whether `id` is one of them.
    pub(crate) fn contains(&self, id: i64) -> bool {
        self.sorted.binary_search(&id).is_ok()
    }
}

/// `column` is one of `texts`.
pub(crate) fn any_text_of<C>(column: C, texts: &[String]) -> AnyOf<C, Texts> {
    AnyOf { column, list: serde_json::Value::from(texts).to_string().into(), of: PhantomData }
}

/// `column` is one of the few values that `subquery` finds, which has nothing to do with the row: they are found once, first,
/// and looked up in an index, also where another condition would do. With `eq_any`, where there is an "or", PostgreSQL
/// holds every row against them. Not for many, nor for what is asked of each row: it goes through them one by one.
pub(crate) fn any_found<C: Expression, S: Query<SqlType = C::SqlType>>(column: C, subquery: S) -> AnyFound<C, S> {
    AnyFound { column, subquery }
}

/// See [`any_found`].
#[derive(Debug, Clone, QueryId)]
pub(crate) struct AnyFound<C, S> {
    column: C,
    subquery: S,
}

impl<C: Expression, S> Expression for AnyFound<C, S> {
    type SqlType = Bool;
}

impl<C: ValidGrouping<GroupBy>, S, GroupBy> ValidGrouping<GroupBy> for AnyFound<C, S> {
    type IsAggregate = is_aggregate::No;
}

impl<C: SelectableExpression<QS>, S, QS> SelectableExpression<QS> for AnyFound<C, S> where Self: AppearsOnTable<QS> {}

impl<C: AppearsOnTable<QS>, S, QS> AppearsOnTable<QS> for AnyFound<C, S> where Self: Expression {}

impl<DB: ValueList, C: QueryFragment<DB>, S: QueryFragment<DB>> QueryFragment<DB> for AnyFound<C, S> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.column.walk_ast(out.reborrow())?;
        let (before, after) = out.backend().around_found();
        out.push_sql(before);
        self.subquery.walk_ast(out.reborrow())?;
        out.push_sql(after);
        Ok(())
    }
}

/// See [`any_of`], [`any_of_many`] and [`any_text_of`].
#[derive(Debug, Clone, QueryId)]
pub(crate) struct AnyOf<C, Of> {
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
    /// What stands before and after the bound text, so that it reads "is one of them".
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

impl<C: Expression, Of> Expression for AnyOf<C, Of> {
    type SqlType = Bool;
}

impl<C, Of, GroupBy> ValidGrouping<GroupBy> for AnyOf<C, Of>
where
    C: ValidGrouping<GroupBy>,
{
    type IsAggregate = is_aggregate::No;
}

impl<C, Of, QS> SelectableExpression<QS> for AnyOf<C, Of>
where
    C: SelectableExpression<QS>,
    Self: AppearsOnTable<QS>,
{
}

impl<C: AppearsOnTable<QS>, Of, QS> AppearsOnTable<QS> for AnyOf<C, Of> where Self: Expression {}

impl<DB, C, Of> QueryFragment<DB> for AnyOf<C, Of>
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
