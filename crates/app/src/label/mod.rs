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

/// A label as a request names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LabelReference {
    /// By its id.
    Id(LabelId),
    /// By its name.
    Name(String),
    /// By a number, which is an id if a label has it, and a name otherwise.
    IdOrName(LabelId, String),
}

impl LabelReference {
    /// The label that a text names, which is its id or its name.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        match text.parse() {
            Ok(id) => Self::IdOrName(LabelId::new(id), text.to_owned()),
            Err(_) => Self::Name(text.to_owned()),
        }
    }
}

/// Finds the label that a request names, among those of `set`.
fn find(query: &mut Query<'_>, set: LabelSet, reference: &LabelReference) -> Result<Label, AppError> {
    let (id, name) = match reference {
        LabelReference::Id(id) => (Some(*id), None),
        LabelReference::Name(name) => (None, Some(name)),
        LabelReference::IdOrName(id, name) => (Some(*id), Some(name)),
    };
    let mut found = match id {
        Some(id) => label::find(&mut query.tx, set, id)?,
        None => None,
    };
    if let (None, Some(name)) = (&found, name) {
        found = label::named(&mut query.tx, set, std::slice::from_ref(name))?.into_iter().next();
    }
    found.ok_or(AppError::NotFound(Missing::Label))
}
