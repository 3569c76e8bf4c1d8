//! Handing over or removing everything that a user wrote, before the account is removed.

use diesel::prelude::*;
use tenon_domain::id::{IssuableId, UserId};
use tenon_domain::time::Timestamp;

use crate::db::tx::WriteTx;
use crate::error::StoreResult;
use crate::issuable::{delete, recount_notes, recount_votes};
use crate::rows::issuable::IssuableRow;
use crate::schema::{
    award_emoji, commit_comments, issuables, notes, projects, snippet_awards, snippet_notes, snippets, todos, uploads,
};
use crate::user::is_bot;

/// Makes `to` the author of everything that `from` wrote, and of the projects and files that `from` made for others.
/// Reactions are removed: they are the opinion of one person.
pub fn hand_over(tx: &mut WriteTx<'_>, from: UserId, to: UserId) -> StoreResult<()> {
    let (old, new) = (from.get(), to.get());
    diesel::update(projects::table.filter(projects::creator_id.eq(old)))
        .set(projects::creator_id.eq(new))
        .execute(tx.conn)?;
    diesel::update(uploads::table.filter(uploads::uploader_id.eq(old)))
        .set(uploads::uploader_id.eq(new))
        .execute(tx.conn)?;
    diesel::update(issuables::table.filter(issuables::author_id.eq(old)))
        .set(issuables::author_id.eq(new))
        .execute(tx.conn)?;
    diesel::update(notes::table.filter(notes::author_id.eq(old))).set(notes::author_id.eq(new)).execute(tx.conn)?;
    diesel::update(todos::table.filter(todos::author_id.eq(old))).set(todos::author_id.eq(new)).execute(tx.conn)?;
    diesel::update(commit_comments::table.filter(commit_comments::author_id.eq(old)))
        .set(commit_comments::author_id.eq(new))
        .execute(tx.conn)?;
    diesel::update(snippet_notes::table.filter(snippet_notes::author_id.eq(old)))
        .set(snippet_notes::author_id.eq(new))
        .execute(tx.conn)?;
    // Those of a person go with the account. Those of a bot belong to the project.
    if is_bot(tx, from)? {
        let made = snippets::table.filter(snippets::author_id.eq(old)).filter(snippets::project_id.is_not_null());
        diesel::update(made).set(snippets::author_id.eq(new)).execute(tx.conn)?;
    }
    delete_reactions(tx, from)
}

/// Removes everything that `user` wrote.
pub fn erase_author(tx: &mut WriteTx<'_>, user: UserId, at: Timestamp) -> StoreResult<()> {
    let written: Vec<IssuableRow> = issuables::table
        .filter(issuables::author_id.eq(user.get()))
        .filter(issuables::deleted_at.is_null())
        .select(IssuableRow::as_select())
        .load(tx.conn)?;
    for row in written {
        delete(tx, &row.try_into()?, at)?;
    }
    diesel::delete(issuables::table.filter(issuables::author_id.eq(user.get()))).execute(tx.conn)?;
    let commented: Vec<i64> =
        notes::table.filter(notes::author_id.eq(user.get())).select(notes::issuable_id).distinct().load(tx.conn)?;
    diesel::delete(notes::table.filter(notes::author_id.eq(user.get()))).execute(tx.conn)?;
    for issuable in commented {
        recount_notes(tx, IssuableId::new(issuable))?;
    }
    diesel::delete(todos::table.filter(todos::author_id.eq(user.get()))).execute(tx.conn)?;
    diesel::delete(commit_comments::table.filter(commit_comments::author_id.eq(user.get()))).execute(tx.conn)?;
    diesel::delete(snippet_notes::table.filter(snippet_notes::author_id.eq(user.get()))).execute(tx.conn)?;
    delete_reactions(tx, user)
}

fn delete_reactions(tx: &mut WriteTx<'_>, user: UserId) -> StoreResult<()> {
    let reacted: Vec<i64> = award_emoji::table
        .filter(award_emoji::user_id.eq(user.get()))
        .select(award_emoji::issuable_id)
        .distinct()
        .load(tx.conn)?;
    diesel::delete(award_emoji::table.filter(award_emoji::user_id.eq(user.get()))).execute(tx.conn)?;
    diesel::delete(snippet_awards::table.filter(snippet_awards::user_id.eq(user.get()))).execute(tx.conn)?;
    for issuable in reacted {
        recount_votes(tx, IssuableId::new(issuable))?;
    }
    Ok(())
}
