//! Rendering Markdown.

use tenon_app::identity::Guard;
use tenon_app::{Reference, markdown};
use tenon_edge::error::ApiError;

use crate::dto::markdown::HtmlDto;
use crate::endpoint::{Call, Created, Routes};
use crate::params::params;

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Markdown").post("/markdown", Guard::Anyone, render, "Renders a text.");
}

params! {
    /// A text to render.
    pub(crate) struct RenderParams {
        /// Markdown.
        text: String,
        /// True to render emoji, task lists and references.
        gfm: Option<bool>,
        /// The full path of the project to which references are relative.
        project: Option<String>,
    }
}

async fn render(Call { caller, params }: Call<RenderParams>) -> Result<Created<HtmlDto>, ApiError> {
    let project = params.project.filter(|path| !path.is_empty()).map(|path| Reference::parse(&path));
    let form = if params.gfm.unwrap_or(false) { markdown::Form::Located } else { markdown::Form::Plain };
    let html = markdown::render_sent(caller.app(), caller.identity(), params.text, form, project).await?;
    Ok(Created(HtmlDto { html }))
}
