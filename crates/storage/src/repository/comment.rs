//! Comments on commits.

use diesel::prelude::*;
use tenon_domain::id::{ProjectId, UserId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::time::Timestamp;

use crate::db::paging::page;
use crate::db::row::{Moment, naive, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::commit_comments;

/// Something said about a commit, or about a line of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitComment {
    /// The commit.
    pub sha: String,
    /// Who said it.
    pub author: UserId,
    /// Markdown.
    pub note: String,
    /// The file, the line in it, and whether that is of the new side.
    pub line: Option<(String, i64, bool)>,
    /// When.
    pub created_at: Timestamp,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = commit_comments)]
struct CommentRow {
    id: i64,
    sha: String,
    author_id: i64,
    note: String,
    path: Option<String>,
    line: Option<i64>,
    line_type: Option<String>,
    created_at: Moment,
}

impl From<CommentRow> for (i64, CommitComment) {
    fn from(row: CommentRow) -> Self {
        let is_new = row.line_type.as_deref() == Some("new");
        let comment = CommitComment {
            sha: row.sha,
            author: UserId::new(row.author_id),
            note: row.note,
            line: row.path.zip(row.line).map(|(path, line)| (path, line, is_new)),
            created_at: utc(row.created_at),
        };
        (row.id, comment)
    }
}

/// One page of the comments on a commit with their ids, oldest first or newest first.
pub fn comments(
    tx: &mut ReadTx<'_>,
    project: ProjectId,
    sha: &str,
    newest_first: bool,
    request: PageRequest,
) -> StoreResult<Page<(i64, CommitComment)>> {
    let matching = || {
        commit_comments::table
            .filter(commit_comments::project_id.eq(project.get()))
            .filter(commit_comments::sha.eq(sha.to_owned()))
    };
    let total = matching().count().get_result(tx.conn)?;
    page(request, total, |limit, offset| {
        let rows = matching().limit(limit).offset(offset).select(CommentRow::as_select());
        let rows: Vec<CommentRow> = if newest_first {
            rows.order(commit_comments::id.desc()).load(tx.conn)?
        } else {
            rows.order(commit_comments::id.asc()).load(tx.conn)?
        };
        Ok(rows.into_iter().map(Into::into).collect())
    })
}

/// How many comments on a commit are newer than the one with this id; `None` if the commit has no such comment.
pub fn newer_comments(tx: &mut ReadTx<'_>, project: ProjectId, sha: &str, id: i64) -> StoreResult<Option<i64>> {
    let (oldest, count): (Option<i64>, i64) = commit_comments::table
        .filter(commit_comments::project_id.eq(project.get()))
        .filter(commit_comments::sha.eq(sha.to_owned()))
        .filter(commit_comments::id.ge(id))
        .select((diesel::dsl::min(commit_comments::id), diesel::dsl::count_star()))
        .first(tx.conn)?;
    Ok((oldest == Some(id)).then_some(count - 1))
}

/// The newest comment on a commit of a project, with its id.
pub fn newest_comment(tx: &mut ReadTx<'_>, project: ProjectId) -> StoreResult<Option<(i64, CommitComment)>> {
    let row: Option<CommentRow> = commit_comments::table
        .filter(commit_comments::project_id.eq(project.get()))
        .order(commit_comments::id.desc())
        .select(CommentRow::as_select())
        .first(tx.conn)
        .optional()?;
    Ok(row.map(Into::into))
}

/// Stores a comment, and yields its id.
pub fn insert_comment(tx: &mut WriteTx<'_>, project: ProjectId, comment: &CommitComment) -> StoreResult<i64> {
    let line_type = comment.line.as_ref().map(|(_, _, new)| if *new { "new" } else { "old" });
    let id = diesel::insert_into(commit_comments::table)
        .values((
            commit_comments::project_id.eq(project.get()),
            commit_comments::sha.eq(&comment.sha),
            commit_comments::author_id.eq(comment.author.get()),
            commit_comments::note.eq(&comment.note),
            commit_comments::path.eq(comment.line.as_ref().map(|(path, _, _)| path)),
            commit_comments::line.eq(comment.line.as_ref().map(|(_, line, _)| *line)),
            commit_comments::line_type.eq(line_type),
            commit_comments::created_at.eq(naive(comment.created_at)),
        ))
        .returning(commit_comments::id)
        .get_result(tx.conn)?;
    Ok(id)
}
