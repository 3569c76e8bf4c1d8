//! Custom attributes of users, groups and projects.

use std::collections::HashMap;

use diesel::prelude::*;
use tenon_domain::id::{NamespaceId, ProjectId, UserId};

use crate::db::connection::{Backend, on_each};
use crate::db::expressions::in_ids;
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::custom_attributes;

/// The things that carry attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// A user.
    User(UserId),
    /// A group.
    Group(NamespaceId),
    /// A project.
    Project(ProjectId),
}

impl Subject {
    /// The values of the three columns, of which exactly one is set.
    const fn columns(self) -> (Option<i64>, Option<i64>, Option<i64>) {
        match self {
            Self::User(id) => (Some(id.get()), None, None),
            Self::Group(id) => (None, Some(id.get()), None),
            Self::Project(id) => (None, None, Some(id.get())),
        }
    }
}

/// Kinds of subject, for loading the attributes of many at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubjectKind {
    /// Users.
    User,
    /// Groups.
    Group,
    /// Projects.
    Project,
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomAttribute {
    /// Unique within its subject.
    pub key: String,
    /// Free text.
    pub value: String,
}

type Query<'a> = custom_attributes::BoxedQuery<'a, Backend>;

fn of<'a>(subject: Subject) -> Query<'a> {
    let query = custom_attributes::table.into_boxed::<Backend>();
    match subject {
        Subject::User(id) => query.filter(custom_attributes::user_id.eq(id.get())),
        Subject::Group(id) => query.filter(custom_attributes::namespace_id.eq(id.get())),
        Subject::Project(id) => query.filter(custom_attributes::project_id.eq(id.get())),
    }
}

/// All attributes of a subject, in the order in which they were made.
pub fn list(tx: &mut ReadTx<'_>, subject: Subject) -> StoreResult<Vec<CustomAttribute>> {
    let rows: Vec<(String, String)> = of(subject)
        .order(custom_attributes::id)
        .select((custom_attributes::key, custom_attributes::value))
        .load(tx.conn)?;
    Ok(rows.into_iter().map(|(key, value)| CustomAttribute { key, value }).collect())
}

/// The attributes of many subjects of one kind, by the subject's number.
pub fn by_subjects(
    tx: &mut ReadTx<'_>,
    kind: SubjectKind,
    ids: &[i64],
) -> StoreResult<HashMap<i64, Vec<CustomAttribute>>> {
    let query = custom_attributes::table.order(custom_attributes::id).into_boxed::<Backend>();
    let (key, value) = (custom_attributes::key, custom_attributes::value);
    macro_rules! rows {
        ($column:expr) => {
            query
                .filter(in_ids($column, ids, std::convert::identity))
                .select(($column.assume_not_null(), key, value))
                .load(tx.conn)?
        };
    }
    let rows: Vec<(i64, String, String)> = match kind {
        SubjectKind::User => rows!(custom_attributes::user_id),
        SubjectKind::Group => rows!(custom_attributes::namespace_id),
        SubjectKind::Project => rows!(custom_attributes::project_id),
    };
    let mut found: HashMap<i64, Vec<CustomAttribute>> = HashMap::new();
    for (id, key, value) in rows {
        found.entry(id).or_default().push(CustomAttribute { key, value });
    }
    Ok(found)
}

/// The value of one attribute.
pub fn find(tx: &mut ReadTx<'_>, subject: Subject, key: &str) -> StoreResult<Option<CustomAttribute>> {
    let value: Option<String> = of(subject)
        .filter(custom_attributes::key.eq(key.to_owned()))
        .select(custom_attributes::value)
        .first(tx.conn)
        .optional()?;
    Ok(value.map(|value| CustomAttribute { key: key.to_owned(), value }))
}

/// Sets one attribute.
pub fn set(tx: &mut WriteTx<'_>, subject: Subject, key: &str, value: &str) -> StoreResult<()> {
    let (user, namespace, project) = subject.columns();
    let row = (
        custom_attributes::user_id.eq(user),
        custom_attributes::namespace_id.eq(namespace),
        custom_attributes::project_id.eq(project),
        custom_attributes::key.eq(key),
        custom_attributes::value.eq(value),
    );
    macro_rules! upsert {
        ($column:expr) => {
            on_each!(tx.conn, c => diesel::insert_into(custom_attributes::table)
                .values(row)
                .on_conflict(($column, custom_attributes::key))
                .do_update()
                .set(custom_attributes::value.eq(value))
                .execute(c))?
        };
    }
    match subject {
        Subject::User(_) => upsert!(custom_attributes::user_id),
        Subject::Group(_) => upsert!(custom_attributes::namespace_id),
        Subject::Project(_) => upsert!(custom_attributes::project_id),
    };
    Ok(())
}

/// Removes one attribute; yields whether there was one.
pub fn delete(tx: &mut WriteTx<'_>, subject: Subject, key: &str) -> StoreResult<bool> {
    let named = custom_attributes::table.filter(custom_attributes::key.eq(key));
    let deleted = match subject {
        Subject::User(id) => diesel::delete(named.filter(custom_attributes::user_id.eq(id.get()))).execute(tx.conn)?,
        Subject::Group(id) => {
            diesel::delete(named.filter(custom_attributes::namespace_id.eq(id.get()))).execute(tx.conn)?
        }
        Subject::Project(id) => {
            diesel::delete(named.filter(custom_attributes::project_id.eq(id.get()))).execute(tx.conn)?
        }
    };
    Ok(deleted > 0)
}
