//! Custom attributes. Administrators only.

use tenon_domain::field_errors::FieldErrors;
use tenon_domain::group::GroupAction;
use tenon_domain::id::UserId;
use tenon_domain::project::ProjectAction;
use tenon_domain::user::UserAction;
use tenon_storage::custom_attribute::{self, Subject};

use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Missing};
use crate::policy::container::ContainerReference;

pub use tenon_storage::custom_attribute::CustomAttribute;

/// The holder of the attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttributeHolder {
    /// A user.
    User(UserId),
    /// A project or group.
    Container(ContainerReference),
}

fn find(query: &mut Query<'_>, of: &AttributeHolder) -> Result<Subject, AppError> {
    query.administrators_only()?;
    Ok(match of {
        AttributeHolder::User(id) => Subject::User(query.account(*id, UserAction::Administer)?.id),
        AttributeHolder::Container(ContainerReference::Group(reference)) => {
            Subject::Group(query.group(reference, GroupAction::Administer)?.group.id())
        }
        AttributeHolder::Container(ContainerReference::Project(reference)) => {
            Subject::Project(query.project(reference, ProjectAction::Administer)?.project.id)
        }
    })
}

/// All attributes.
pub fn list(query: &mut Query<'_>, of: &AttributeHolder) -> Result<Vec<CustomAttribute>, AppError> {
    let subject = find(query, of)?;
    Ok(custom_attribute::list(&mut query.tx, subject)?)
}

/// One attribute.
pub fn show(query: &mut Query<'_>, of: &AttributeHolder, key: &str) -> Result<CustomAttribute, AppError> {
    let subject = find(query, of)?;
    custom_attribute::find(&mut query.tx, subject, key)?.ok_or(AppError::NotFound(Missing::Record))
}

/// Creates or replaces an attribute.
pub fn set(
    command: &mut Command<'_>,
    of: &AttributeHolder,
    key: &str,
    value: &str,
) -> Result<CustomAttribute, AppError> {
    let subject = find(&mut command.query(), of)?;
    let mut errors = FieldErrors::default();
    errors.at_most(255, "key", key);
    errors.present("value", value);
    errors.at_most(255, "value", value);
    errors.into_result()?;
    custom_attribute::set(&mut command.tx, subject, key, value)?;
    Ok(CustomAttribute { key: key.to_owned(), value: value.to_owned() })
}

/// Removes an attribute.
pub fn delete(command: &mut Command<'_>, of: &AttributeHolder, key: &str) -> Result<(), AppError> {
    let subject = find(&mut command.query(), of)?;
    if custom_attribute::delete(&mut command.tx, subject, key)? {
        Ok(())
    } else {
        Err(AppError::NotFound(Missing::Record))
    }
}
