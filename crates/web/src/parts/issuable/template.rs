//! The templates of descriptions that a project has.

use tenon_app::PageRequest;
use tenon_app::error::AppError;
use tenon_app::template::{self, DescriptionKind};

use crate::context::project::ProjectContext;
use crate::kit::choice::Choice;
use crate::kit::error::PageError;

/// The parameter that names a template.
const NAMED: &str = "issuable_template";

/// The templates, with the one that the address names chosen.
pub(crate) async fn templates(context: &ProjectContext, kind: DescriptionKind) -> Result<Vec<Choice>, PageError> {
    if context.page.code.is_none() {
        return Ok(Vec::new());
    }
    let (app, identity) = (context.request.app(), context.request.identity());
    let page = PageRequest::new(None, Some(PageRequest::MAX_PER_PAGE));
    let found = template::descriptions(app, identity, context.project(), kind, page).await?;
    let chosen = context.request.query(NAMED);
    Ok(found.items.iter().map(|key| Choice::new(key, key, chosen == Some(key.as_str()))).collect())
}

/// The text of the template that the address names. Empty if it names none.
pub(crate) async fn template_text(context: &ProjectContext, kind: DescriptionKind) -> Result<String, PageError> {
    let Some(key) = context.request.query(NAMED) else { return Ok(String::new()) };
    match template::description(context.request.app(), context.request.identity(), context.project(), kind, key).await {
        Ok(text) => Ok(text),
        Err(AppError::NotFound(_) | AppError::Forbidden) => Ok(String::new()),
        Err(error) => Err(error.into()),
    }
}
