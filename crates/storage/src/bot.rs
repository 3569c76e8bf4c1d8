//! Bots: the accounts of the access tokens of projects and groups.

use std::collections::HashMap;

use diesel::dsl::{exists, not, sql};
use diesel::prelude::*;
use diesel::sql_types::Bool;
use tenon_domain::access::AccessLevel;
use tenon_domain::container::Container;
use tenon_domain::id::UserId;
use tenon_domain::token::TokenKind;

use crate::db::connection::Backend;
use crate::db::expressions::in_ids;
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::rows::container::{columns, container};
use crate::schema::{bots, members, tokens, users};

/// As the index of bots (`users_bots`) has it: a bound value would not be found to be the same.
const BOT: &str = "users.bot";

/// Notes what a bot was made for.
pub fn insert(tx: &mut WriteTx<'_>, bot: UserId, container: Container) -> StoreResult<()> {
    let (project, namespace) = columns(container);
    diesel::insert_into(bots::table)
        .values((bots::user_id.eq(bot.get()), bots::project_id.eq(project), bots::namespace_id.eq(namespace)))
        .execute(tx.conn)?;
    Ok(())
}

/// The project or group that a bot was made for; `None` if that is gone, if the bot is being removed, and for other accounts.
pub fn home(tx: &mut ReadTx<'_>, bot: UserId) -> StoreResult<Option<Container>> {
    let found: Option<(Option<i64>, Option<i64>)> = bots::table
        .find(bot.get())
        .inner_join(users::table.on(users::id.eq(bots::user_id)))
        .filter(users::deleting_at.is_null())
        .select((bots::project_id, bots::namespace_id))
        .first(tx.conn)
        .optional()?;
    found.map(|(project, namespace)| container("bots", bot.get(), project, namespace)).transpose()
}

/// The bots that were made for a project or group, by id, without those that are being removed.
pub fn of(tx: &mut ReadTx<'_>, home: Container) -> StoreResult<Vec<UserId>> {
    let all = bots::table.inner_join(users::table.on(users::id.eq(bots::user_id))).into_boxed::<Backend>();
    let own = match home {
        Container::Project(id) => all.filter(bots::project_id.eq(id.get())),
        Container::Group(id) => all.filter(bots::namespace_id.eq(id.get())),
    };
    let present = own.filter(users::deleting_at.is_null()).order(bots::user_id);
    let ids: Vec<i64> = present.select(bots::user_id).load(tx.conn)?;
    Ok(ids.into_iter().map(UserId::new).collect())
}

/// The levels that these users have as direct members of a project or group.
pub fn levels(
    tx: &mut ReadTx<'_>,
    container: Container,
    users: &[UserId],
) -> StoreResult<HashMap<UserId, AccessLevel>> {
    let (project, namespace) = columns(container);
    let own = members::table.filter(in_ids(members::user_id, users, UserId::get)).into_boxed::<Backend>();
    let own = match project {
        Some(id) => own.filter(members::project_id.eq(id)),
        None => own.filter(members::namespace_id.eq(namespace)),
    };
    let rows: Vec<(i64, i64)> = own.select((members::user_id, members::access_level)).load(tx.conn)?;
    let level = |(user, level): (i64, i64)| Some((UserId::new(user), AccessLevel::from_value(level)?));
    Ok(rows.into_iter().filter_map(level).collect())
}

/// Bots that no access token leads to, or whose project or group is gone, by id; `limit` at most.
pub fn astray(tx: &mut ReadTx<'_>, limit: i64) -> StoreResult<Vec<UserId>> {
    let at_home = bots::table.filter(bots::user_id.eq(users::id));
    let known = tokens::table.filter(tokens::user_id.eq(users::id)).filter(tokens::kind.eq(TokenKind::Bot.as_str()));
    let ids: Vec<i64> = users::table
        .filter(sql::<Bool>(BOT))
        .filter(users::deleting_at.is_null())
        .filter(not(exists(at_home)).or(not(exists(known))))
        .order(users::id)
        .limit(limit)
        .select(users::id)
        .load(tx.conn)?;
    Ok(ids.into_iter().map(UserId::new).collect())
}
