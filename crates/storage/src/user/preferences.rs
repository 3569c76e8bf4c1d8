//! How users want pages to be shown.

use diesel::prelude::*;
use tenon_domain::id::UserId;
use tenon_domain::user::Preferences;

use crate::db::connection::on_each;
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::user_preferences;

/// The preferences of a user; `None` if none are set.
pub fn preferences(tx: &mut ReadTx<'_>, user: UserId) -> StoreResult<Option<Preferences>> {
    let found: Option<(bool, bool, bool)> = user_preferences::table
        .find(user.get())
        .select((
            user_preferences::view_diffs_file_by_file,
            user_preferences::show_whitespace_in_diffs,
            user_preferences::pass_user_identities_to_ci_jwt,
        ))
        .first(tx.conn)
        .optional()?;
    Ok(found.map(|(view_diffs_file_by_file, show_whitespace_in_diffs, pass_user_identities_to_ci_jwt)| Preferences {
        view_diffs_file_by_file,
        show_whitespace_in_diffs,
        pass_user_identities_to_ci_jwt,
    }))
}

/// Stores what a user has said.
pub fn set_preferences(tx: &mut WriteTx<'_>, user: UserId, preferences: Preferences) -> StoreResult<()> {
    let set = (
        user_preferences::view_diffs_file_by_file.eq(preferences.view_diffs_file_by_file),
        user_preferences::show_whitespace_in_diffs.eq(preferences.show_whitespace_in_diffs),
        user_preferences::pass_user_identities_to_ci_jwt.eq(preferences.pass_user_identities_to_ci_jwt),
    );
    on_each!(tx.conn, c => diesel::insert_into(user_preferences::table)
        .values((user_preferences::user_id.eq(user.get()), set))
        .on_conflict(user_preferences::user_id)
        .do_update()
        .set(set)
        .execute(c))?;
    Ok(())
}
