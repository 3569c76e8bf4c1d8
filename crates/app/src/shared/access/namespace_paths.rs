//! How long the paths below a namespace become.

use tenon_domain::field_errors::FieldErrors;
use tenon_domain::namespace::Namespace;
use tenon_domain::path::MAX_PATH;
use tenon_storage::namespace;

use crate::core::app::Command;
use crate::core::error::AppError;

/// Notes a problem if a new path would make the longest full path below the group too long.
pub(crate) fn check_length(
    command: &mut Command<'_>,
    errors: &mut FieldErrors,
    namespace: &Namespace,
    parent: Option<&Namespace>,
    path: &str,
) -> Result<(), AppError> {
    let now = namespace.full_path.len();
    let then = parent.map_or(0, |parent| parent.full_path.len() + 1) + path.len();
    if then > now && namespace::longest_path(&mut command.tx, namespace.id)? + (then - now) > MAX_PATH {
        errors.add("path", format!("is too long (maximum is {MAX_PATH} characters)"));
    }
    Ok(())
}
