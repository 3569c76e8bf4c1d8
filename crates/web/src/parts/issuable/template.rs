//! The templates of descriptions that a project has.

use tenon_app::error::AppError;
use tenon_app::template::{self, DescriptionKind};
use tenon_app::{PageRequest, Reference};

use crate::context::project::ProjectContext;
use crate::kit::choice::Choice;
use crate::kit::error::PageError;

/// The parameter that names a template. If it is empty, none is wanted; if it is absent, the usual one is.
const NAMED: &str = "issuable_template";

/// The templates of the project that gets the description, with the one that the address names chosen.
pub(crate) async fn templates(
    context: &ProjectContext,
    of: Reference,
    kind: DescriptionKind,
) -> Result<Vec<Choice>, PageError> {
    let (app, identity) = (context.request.app(), context.request.identity());
    let page = PageRequest::new(None, Some(PageRequest::MAX_PER_PAGE));
    let found = match template::descriptions(app, identity, of, kind, page).await {
        Ok(found) => found.items,
        Err(AppError::NotFound(_) | AppError::Forbidden) => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    let is_named = context.request.parameters().map().values.contains_key(NAMED);
    let named = context.request.query(NAMED);
    let is_chosen = |key: &str| if is_named { named == Some(key) } else { key.eq_ignore_ascii_case("default") };
    Ok(found.iter().map(|key| Choice::new(key, key, is_chosen(key))).collect())
}

/// The text of the template that the address names, or of the usual one. Empty if there is none.
pub(crate) async fn template_text(
    context: &ProjectContext,
    of: Reference,
    kind: DescriptionKind,
) -> Result<String, PageError> {
    let (app, identity) = (context.request.app(), context.request.identity());
    let found = match context.request.query(NAMED) {
        Some(key) => template::description(app, identity, of, kind, key).await,
        None if context.request.parameters().map().values.contains_key(NAMED) => return Ok(String::new()),
        None => template::default_description(app, identity, of, kind).await,
    };
    match found {
        Ok(text) => Ok(text),
        Err(AppError::NotFound(_) | AppError::Forbidden | AppError::TooLarge) => Ok(String::new()),
        Err(error) => Err(error.into()),
    }
}
