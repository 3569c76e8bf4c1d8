//! Labels of projects and groups.

mod change;
mod follow;
mod view;

pub use change::{CreateLabel, EditLabel, create, delete, edit, promote};
pub use follow::{subscribe, unsubscribe};
pub use view::{LabelView, ListLabels, first, list, show};

use tenon_domain::id::LabelId;
use tenon_domain::label::Label;
use tenon_storage::label::{self, LabelSet};

use crate::core::app::Query;
use crate::core::error::{AppError, Missing};

/// A label as a request names it: by number, or by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelReference(pub String);

/// Finds the label that a request names, among those of `set`: a number is an id first, and a name otherwise.
fn find(query: &mut Query<'_>, set: LabelSet, reference: &LabelReference) -> Result<Label, AppError> {
    let by_id = match reference.0.parse::<i64>() {
        Ok(id) => label::find(&mut query.tx, set, LabelId::new(id))?,
        Err(_) => None,
    };
    let found = match by_id {
        Some(label) => Some(label),
        None => label::named(&mut query.tx, set, std::slice::from_ref(&reference.0))?.into_iter().next(),
    };
    found.ok_or(AppError::NotFound(Missing::Named("Label")))
}
