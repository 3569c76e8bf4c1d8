//! The numbers of mails sent, by the hour: by services, and to users. And the addresses that want none of a service.

use std::collections::HashSet;

use chrono::DurationRound;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable};
use tenon_domain::id::{ProjectId, ServiceId, UserId};
use tenon_domain::time::{TimeDelta, Timestamp};

use crate::db::connection::on_each;
use crate::db::expressions::in_ids;
use crate::db::row::naive;
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::{mail_counts, service_suppressions, services};

/// Time for which mails are counted together.
const COUNTED_TOGETHER: TimeDelta = TimeDelta::hours(1);
/// The id in place of a service's for mails to users. No service has this id.
const TO_USERS: i64 = 0;
/// PostgreSQL adds up whole numbers to another type.
const SENT: &str = "CAST(SUM(mail_counts.sent) AS BIGINT)";
const DROPPED: &str = "CAST(SUM(mail_counts.dropped) AS BIGINT)";

/// How many mails were sent within the last day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MailsSent {
    /// Of all services, by what one user has done; 0 if there is none.
    pub by_user: i64,
    /// By one service.
    pub by_service: i64,
}

/// The mails of a day before `now`: those that a user has caused, and those of a service. As mails are counted by the hour, some
/// that are up to an hour older may be among them; none of the day is left out.
pub fn mails_sent(
    tx: &mut ReadTx<'_>,
    user: Option<UserId>,
    service: ServiceId,
    now: Timestamp,
) -> StoreResult<MailsSent> {
    let counted_from = naive(now - TimeDelta::days(1) - COUNTED_TOGETHER);
    let recent = || mail_counts::table.filter(mail_counts::counted_from.gt(counted_from));
    let of_service = recent().filter(mail_counts::service_id.eq(service.get()));
    let by_service: Option<i64> = of_service.select(sql::<Nullable<BigInt>>(SENT)).first(tx.conn)?;
    let by_user: Option<i64> = match user {
        Some(user) => recent()
            .filter(mail_counts::user_id.eq(user.get()))
            .filter(mail_counts::service_id.ne(TO_USERS))
            .select(sql::<Nullable<BigInt>>(SENT))
            .first(tx.conn)?,
        None => None,
    };
    Ok(MailsSent { by_user: by_user.unwrap_or_default(), by_service: by_service.unwrap_or_default() })
}

/// The mails to users of a day before `now` that one user has caused. As mails are counted by the hour, some that are up to an hour
/// older may be among them; none of the day is left out.
pub fn mails_to_users(tx: &mut ReadTx<'_>, by: UserId, now: Timestamp) -> StoreResult<i64> {
    let sent: Option<i64> = mail_counts::table
        .filter(mail_counts::user_id.eq(by.get()))
        .filter(mail_counts::service_id.eq(TO_USERS))
        .filter(mail_counts::counted_from.gt(naive(now - TimeDelta::days(1) - COUNTED_TOGETHER)))
        .select(sql::<Nullable<BigInt>>(SENT))
        .first(tx.conn)?;
    Ok(sent.unwrap_or_default())
}

/// Counts mails that are sent now, and those that are not because a budget is spent: of a service, or to users.
pub fn count_mails(
    tx: &mut WriteTx<'_>,
    user: Option<UserId>,
    service: Option<ServiceId>,
    now: Timestamp,
    (sent, dropped): (i64, i64),
) -> StoreResult<()> {
    let hour = naive(now.duration_trunc(COUNTED_TOGETHER).unwrap_or(now));
    on_each!(tx.conn, c => diesel::insert_into(mail_counts::table)
        .values((
            mail_counts::user_id.eq(user.map_or(0, UserId::get)),
            mail_counts::service_id.eq(service.map_or(TO_USERS, ServiceId::get)),
            mail_counts::counted_from.eq(hour),
            mail_counts::sent.eq(sent),
            mail_counts::dropped.eq(dropped),
        ))
        .on_conflict((mail_counts::user_id, mail_counts::service_id, mail_counts::counted_from))
        .do_update()
        .set((
            mail_counts::sent.eq(mail_counts::sent + sent),
            mail_counts::dropped.eq(mail_counts::dropped + dropped),
        ))
        .execute(c))?;
    Ok(())
}

/// Forgets what was counted before this moment.
pub fn purge_mail_counts(tx: &mut WriteTx<'_>, before: Timestamp) -> StoreResult<()> {
    diesel::delete(mail_counts::table.filter(mail_counts::counted_from.lt(naive(before)))).execute(tx.conn)?;
    Ok(())
}

/// A service of which mails were not sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DroppedMails {
    /// Its project.
    pub project: ProjectId,
    /// Its kind, as addresses name it.
    pub slug: String,
    /// How many mails.
    pub dropped: i64,
}

/// The services of which mails were not sent within a day before `now`, `limit` at most, those with the most first.
pub fn dropped_mails(tx: &mut ReadTx<'_>, now: Timestamp, limit: i64) -> StoreResult<Vec<DroppedMails>> {
    let counted_from = naive(now - TimeDelta::days(1) - COUNTED_TOGETHER);
    let counts: Vec<(i64, Option<i64>)> = mail_counts::table
        .filter(mail_counts::counted_from.gt(counted_from))
        .filter(mail_counts::dropped.gt(0))
        .filter(mail_counts::service_id.ne(TO_USERS))
        .group_by(mail_counts::service_id)
        .order((sql::<Nullable<BigInt>>(DROPPED).desc(), mail_counts::service_id))
        .limit(limit)
        .select((mail_counts::service_id, sql::<Nullable<BigInt>>(DROPPED)))
        .load(tx.conn)?;
    let ids: Vec<i64> = counts.iter().map(|(service, _)| *service).collect();
    let known: Vec<(i64, i64, String)> = services::table
        .filter(in_ids(services::id, &ids, std::convert::identity))
        .select((services::id, services::project_id, services::slug))
        .load(tx.conn)?;
    let of = |(service, dropped): (i64, Option<i64>)| {
        let (_, project, slug) = known.iter().find(|(id, ..)| *id == service)?;
        Some(DroppedMails {
            project: ProjectId::new(*project),
            slug: slug.clone(),
            dropped: dropped.unwrap_or_default(),
        })
    };
    Ok(counts.into_iter().filter_map(of).collect())
}

/// The digests of the addresses that want no more mail of a service, of those that are named.
pub fn suppressed(tx: &mut ReadTx<'_>, service: ServiceId, digests: &[String]) -> StoreResult<HashSet<String>> {
    let found: Vec<String> = service_suppressions::table
        .filter(service_suppressions::service_id.eq(service.get()))
        .filter(service_suppressions::address_digest.eq_any(digests))
        .select(service_suppressions::address_digest)
        .load(tx.conn)?;
    Ok(found.into_iter().collect())
}

/// Has an address get no more mail of a service, if there is one.
pub fn suppress(tx: &mut WriteTx<'_>, service: ServiceId, digest: &str, now: Timestamp) -> StoreResult<()> {
    let known: i64 = services::table.find(service.get()).count().get_result(tx.conn)?;
    if known == 0 {
        return Ok(());
    }
    on_each!(tx.conn, c => diesel::insert_into(service_suppressions::table)
        .values((
            service_suppressions::service_id.eq(service.get()),
            service_suppressions::address_digest.eq(digest),
            service_suppressions::created_at.eq(naive(now)),
        ))
        .on_conflict_do_nothing()
        .execute(c))?;
    Ok(())
}

/// A service of which an address gets no more mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suppression {
    /// Its project.
    pub project: ProjectId,
    /// Its kind, as addresses name it.
    pub slug: String,
}

/// The services of which the address of this digest gets no more mail, `limit` at most, by their ids.
pub fn suppressions(tx: &mut ReadTx<'_>, digest: &str, limit: i64) -> StoreResult<Vec<Suppression>> {
    let left: Vec<i64> = service_suppressions::table
        .filter(service_suppressions::address_digest.eq(digest))
        .order(service_suppressions::service_id)
        .limit(limit)
        .select(service_suppressions::service_id)
        .load(tx.conn)?;
    let found: Vec<(i64, String)> = services::table
        .filter(in_ids(services::id, &left, std::convert::identity))
        .order(services::id)
        .select((services::project_id, services::slug))
        .load(tx.conn)?;
    let suppression = |(project, slug)| Suppression { project: ProjectId::new(project), slug };
    Ok(found.into_iter().map(suppression).collect())
}

/// Has the address of this digest get the mail of all services again. Returns of how many it got none.
pub fn remove_suppressions(tx: &mut WriteTx<'_>, digest: &str) -> StoreResult<usize> {
    let all = service_suppressions::table.filter(service_suppressions::address_digest.eq(digest));
    Ok(diesel::delete(all).execute(tx.conn)?)
}
