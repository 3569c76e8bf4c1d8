//! What may be kept: the texts and the arithmetic of quotas. The numbers are in `limits.rs` of the domain.

use tenon_domain::id::UserId;
use tenon_domain::limits::QuotaLimits;
use tenon_storage::{ReadTx, upload};

use crate::core::error::AppError;
use crate::policy::authorization::AuthorizedProject;

/// Whether `more` bytes fit in beside `kept`, where at most `limit` may be kept. A limit of 0 is none.
pub(crate) const fn fits(kept: u64, more: u64, limit: u64) -> bool {
    limit == 0 || kept.saturating_add(more) <= limit
}

/// A number of bytes as people write it: in the largest unit that divides it.
pub(crate) fn bytes_text(bytes: u64) -> String {
    for (unit, name) in [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")] {
        if bytes >= unit && bytes.is_multiple_of(unit) {
            return format!("{} {name}", bytes / unit);
        }
    }
    format!("{bytes} bytes")
}

/// Refuses `more` bytes of uploads of `uploader` that do not fit into the quotas of a project.
pub(crate) fn check_uploads(
    tx: &mut ReadTx<'_>,
    limits: &QuotaLimits,
    found: &AuthorizedProject,
    uploader: UserId,
    more: u64,
) -> Result<(), AppError> {
    let number = |size: i64| u64::try_from(size).unwrap_or(0);
    let (all, own) = upload::totals(tx, found.project.id, uploader)?;
    if !fits(number(all), more, limits.uploads) {
        let limit = bytes_text(limits.uploads);
        return Err(AppError::QuotaExceeded(format!("The uploads of this project may take {limit} (quotas.uploads)")));
    }
    let outsider = found.standing.level.is_none() && !found.standing.viewer.is_admin();
    // Here 0 is a limit, too: it lets only members upload.
    if outsider && number(own).saturating_add(more) > limits.uploads_of_outsider {
        let limit = bytes_text(limits.uploads_of_outsider);
        return Err(AppError::QuotaExceeded(format!(
            "Uploads to a project that you are not a member of may take {limit} (quotas.uploads_of_outsider)"
        )));
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
    fn bytes_are_written_in_their_unit() {
        for (bytes, text) in [(10 << 30, "10 GiB"), (20 << 20, "20 MiB"), (1 << 10, "1 KiB"), (1025, "1025 bytes")] {
            assert_eq!(bytes_text(bytes), text);
        }
    }
}
