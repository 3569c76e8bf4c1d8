//! Which issues commits have named.

use diesel::prelude::*;
use tenon_domain::id::{IssuableId, NoteId, ProjectId};

use crate::db::connection::on_each;
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::commit_references;

/// That a commit names an issue or merge request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitReference {
    /// The issue or merge request that it names.
    pub issuable: IssuableId,
    /// The project whose commit it is.
    pub project: ProjectId,
    /// The commit, in hexadecimal.
    pub sha: String,
    /// True if it closed it; a commit may first mention an issue and close it later, when it reaches the default
    /// branch.
    pub closes: bool,
}

/// True if this is stored already.
pub fn is_known(tx: &mut ReadTx<'_>, reference: &CommitReference) -> StoreResult<bool> {
    let CommitReference { issuable, project, sha, closes } = reference;
    let query = commit_references::table.find((issuable.get(), project.get(), sha, closes));
    Ok(diesel::select(diesel::dsl::exists(query)).get_result(tx.conn)?)
}

/// Stores this, with the system note about it.
pub fn remember(tx: &mut WriteTx<'_>, reference: &CommitReference, note: Option<NoteId>) -> StoreResult<()> {
    let row = (
        commit_references::issuable_id.eq(reference.issuable.get()),
        commit_references::project_id.eq(reference.project.get()),
        commit_references::sha.eq(&reference.sha),
        commit_references::closes.eq(reference.closes),
        commit_references::note_id.eq(note.map(NoteId::get)),
    );
    on_each!(tx.conn, c => diesel::insert_into(commit_references::table).values(row).on_conflict_do_nothing().execute(c))?;
    Ok(())
}

/// Remembers of the copy of a note what is known of the note: an issue that moves takes its notes along.
pub fn copy_reference(tx: &mut WriteTx<'_>, from: NoteId, to: NoteId, issuable: IssuableId) -> StoreResult<()> {
    let found: Vec<(i64, String, bool)> = commit_references::table
        .filter(commit_references::note_id.eq(from.get()))
        .select((commit_references::project_id, commit_references::sha, commit_references::closes))
        .load(tx.conn)?;
    for (project, sha, closes) in found {
        let reference = CommitReference { issuable, project: ProjectId::new(project), sha, closes };
        remember(tx, &reference, Some(to))?;
    }
    Ok(())
}

/// The projects whose commits the notes of an issue or merge request name.
pub fn projects_named(tx: &mut ReadTx<'_>, issuable: IssuableId) -> StoreResult<Vec<ProjectId>> {
    let found: Vec<i64> = commit_references::table
        .filter(commit_references::issuable_id.eq(issuable.get()))
        .filter(commit_references::note_id.is_not_null())
        .select(commit_references::project_id)
        .distinct()
        .load(tx.conn)?;
    Ok(found.into_iter().map(ProjectId::new).collect())
}
