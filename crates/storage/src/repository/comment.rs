//! Comments on commits.

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::id::{ProjectId, UserId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::time::Timestamp;

use crate::db::paging::page;
use crate::db::row::{naive, utc};
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

type Row = (String, i64, String, Option<String>, Option<i64>, Option<String>, NaiveDateTime);

/// One page of the comments on a commit, oldest first.
pub fn comments(
    tx: &mut ReadTx<'_>,
    project: ProjectId,
    sha: &str,
    request: PageRequest,
) -> StoreResult<Page<CommitComment>> {
    let matching = || {
        commit_comments::table
            .filter(commit_comments::project_id.eq(project.get()))
            .filter(commit_comments::sha.eq(sha.to_owned()))
    };
    let total = matching().count().get_result(tx.conn)?;
    page(request, total, |limit, offset| {
        let rows: Vec<Row> = matching()
            .order(commit_comments::id)
            .limit(limit)
            .offset(offset)
            .select((
                commit_comments::sha,
                commit_comments::author_id,
                commit_comments::note,
                commit_comments::path,
                commit_comments::line,
                commit_comments::line_type,
                commit_comments::created_at,
            ))
            .load(tx.conn)?;
        Ok(rows.into_iter().map(comment).collect())
    })
}

fn comment((sha, author, note, path, line, line_type, created_at): Row) -> CommitComment {
    let line = path.zip(line).map(|(path, line)| (path, line, line_type.as_deref() == Some("new")));
    CommitComment { sha, author: UserId::new(author), note, line, created_at: utc(created_at) }
}

/// The newest comment on a commit of a project, with its id.
pub fn newest_comment(tx: &mut ReadTx<'_>, project: ProjectId) -> StoreResult<Option<(i64, CommitComment)>> {
    let row: Option<(i64, Row)> = commit_comments::table
        .filter(commit_comments::project_id.eq(project.get()))
        .order(commit_comments::id.desc())
        .select((
            commit_comments::id,
            (
                commit_comments::sha,
                commit_comments::author_id,
                commit_comments::note,
                commit_comments::path,
                commit_comments::line,
                commit_comments::line_type,
                commit_comments::created_at,
            ),
        ))
        .first(tx.conn)
        .optional()?;
    Ok(row.map(|(id, row)| (id, comment(row))))
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
