//! The arithmetic of quotas. The numbers are in `limits.rs` of the domain.

use tenon_domain::container::Container;
use tenon_domain::id::UserId;
use tenon_domain::limits::{ContentLimits, Limits};
use tenon_domain::refusal::Quota;
use tenon_storage::{ReadTx, upload};

use crate::core::error::AppError;
use crate::policy::authorization::AuthorizedProject;

/// True if `more` bytes fit in beside `kept` under the bound `limit`. A limit of 0 is none.
pub(crate) const fn fits(kept: u64, more: u64, limit: u64) -> bool {
    limit == 0 || kept.saturating_add(more) <= limit
}

/// Refuses one more thing if there are `count` of them and may be `most`: `of` has at most so many `what`.
pub(crate) fn check_number(count: i64, most: usize, of: &str, what: &str) -> Result<(), AppError> {
    check_more(count, 1, most, of, what)
}

/// As [`check_number`], for so many `more`.
pub(crate) fn check_more(count: i64, more: usize, most: usize, of: &str, what: &str) -> Result<(), AppError> {
    let count = usize::try_from(count).unwrap_or(0);
    if count.saturating_add(more) > most {
        return Err(AppError::invalid("base", format!("{of} has at most {most} {what}")));
    }
    Ok(())
}

/// The word for a container at the beginning of a refusal.
pub(crate) const fn container_word(container: Container) -> &'static str {
    match container {
        Container::Project(_) => "A project",
        Container::Group(_) => "A group",
    }
}

/// Refuses one more file of `uploader` that a project has no room for, by number.
fn check_upload_number(
    tx: &mut ReadTx<'_>,
    limits: &ContentLimits,
    found: &AuthorizedProject,
    uploader: UserId,
) -> Result<(), AppError> {
    let has_room = |count: i64, limit: usize| usize::try_from(count).is_ok_and(|count| count < limit);
    if !has_room(upload::count(tx, found.project.id, None)?, limits.uploads) {
        return Err(AppError::QuotaExceeded(Quota::UploadFiles(limits.uploads)));
    }
    let outsider = found.standing.level.is_none() && !found.standing.viewer.is_admin();
    if outsider && !has_room(upload::count(tx, found.project.id, Some(uploader))?, limits.uploads_of_outsider) {
        return Err(AppError::QuotaExceeded(Quota::UploadFilesOfOutsider(limits.uploads_of_outsider)));
    }
    Ok(())
}

/// Refuses a file of `uploader` with `more` bytes that do not fit into the quotas of a project.
pub(crate) fn check_uploads(
    tx: &mut ReadTx<'_>,
    limits: &Limits,
    found: &AuthorizedProject,
    uploader: UserId,
    more: u64,
) -> Result<(), AppError> {
    check_upload_number(tx, &limits.contents, found, uploader)?;
    let limits = &limits.quotas;
    let number = |size: i64| u64::try_from(size).unwrap_or(0);
    let (all, own) = upload::totals(tx, found.project.id, uploader)?;
    if !fits(number(all), more, limits.uploads) {
        return Err(AppError::QuotaExceeded(Quota::Uploads(limits.uploads)));
    }
    let outsider = found.standing.level.is_none() && !found.standing.viewer.is_admin();
    // Here 0 is a limit, too: it lets only members upload.
    if outsider && number(own).saturating_add(more) > limits.uploads_of_outsider {
        return Err(AppError::QuotaExceeded(Quota::UploadsOfOutsider(limits.uploads_of_outsider)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_reached_exactly_and_zero_is_none() {
        assert!(fits(5, 5, 10) && !fits(5, 6, 10) && fits(5, 6, 0) && !fits(u64::MAX, 1, u64::MAX - 1));
    }

    #[test]
    fn the_last_one_fits_and_the_next_does_not() {
        assert!(check_more(3, 2, 5, "It", "x").is_ok() && check_number(5, 5, "It", "x").is_err());
        let Err(AppError::Invalid(fields)) = check_more(3, 3, 5, "A project", "labels") else { panic!("it fits") };
        let said: Vec<_> = fields.iter().flat_map(|(_, texts)| texts).collect();
        assert_eq!(said, ["A project has at most 5 labels"]);
    }
}
