//! The templates of descriptions that a project has.

use tenon_app::PageRequest;
use tenon_app::error::AppError;
use tenon_app::template::{self, DescriptionKind};

use super::list::Choice;
use crate::error::PageError;
use crate::project::Room;

/// The parameter that names a template.
const NAMED: &str = "issuable_template";

/// The templates, with the one that the address names chosen.
pub(crate) async fn templates(room: &Room, kind: DescriptionKind) -> Result<Vec<Choice>, PageError> {
    if room.page.code.is_none() {
        return Ok(Vec::new());
    }
    let (app, identity) = (room.visit.app(), room.visit.identity());
    let page = PageRequest::new(None, Some(PageRequest::MAX_PER_PAGE));
    let found = template::descriptions(app, identity, room.project(), kind, page).await?;
    let chosen = room.visit.query(NAMED);
    Ok(found.items.iter().map(|key| Choice::new(key, key, chosen == Some(key.as_str()))).collect())
}

/// The text of the template that the address names; empty where it names none.
pub(crate) async fn template_text(room: &Room, kind: DescriptionKind) -> Result<String, PageError> {
    let Some(key) = room.visit.query(NAMED) else { return Ok(String::new()) };
    match template::description(room.visit.app(), room.visit.identity(), room.project(), kind, key).await {
        Ok(text) => Ok(text),
        Err(AppError::NotFound(_) | AppError::Forbidden) => Ok(String::new()),
        Err(error) => Err(error.into()),
    }
}
