//! Templates of new files, which come with the program.

use tenon_app::error::AppError;
use tenon_app::template::{self, FillIn, TemplateKind, TemplateView};

use crate::context::project::ProjectContext;
use crate::kit::choice::Choice;
use crate::kit::error::PageError;

/// The templates of a kind.
pub(super) struct TemplateGroup {
    pub(super) words: &'static str,
    pub(super) choices: Vec<Choice>,
}

/// Each kind with its word in addresses, the name of its files, and the heading of its choices.
const KINDS: [(TemplateKind, &str, &str, &str); 4] = [
    (TemplateKind::License, "license", "LICENSE", "Licenses"),
    (TemplateKind::Gitignore, "gitignore", ".gitignore", ".gitignore"),
    (TemplateKind::Ci, "ci", ".gitlab-ci.yml", "CI configurations"),
    (TemplateKind::Dockerfile, "dockerfile", "Dockerfile", "Dockerfiles"),
];

/// The parameter that names a template.
const NAMED: &str = "file_template";

/// All templates, with the one that the address names chosen.
pub(super) async fn groups(context: &ProjectContext) -> Result<Vec<TemplateGroup>, PageError> {
    let chosen = context.request.query(NAMED).unwrap_or_default().to_owned();
    context
        .request
        .ask(move |query| {
            let group = |(kind, word, _, words): &(TemplateKind, &'static str, &'static str, &'static str)| {
                let choice = |found: template::TemplateName| {
                    let value = format!("{word}/{}", found.key);
                    Choice::new(&value, found.name, value == chosen)
                };
                let choices = template::names(query, *kind).into_iter().map(choice).collect();
                TemplateGroup { words, choices }
            };
            Ok::<_, AppError>(KINDS.iter().map(group).collect())
        })
        .await
}

/// The name and the text of a file of the template that the address names. Empty if it names none.
pub(super) async fn named(context: &ProjectContext) -> Result<(String, String), PageError> {
    let Some((word, key)) = context.request.query(NAMED).and_then(|named| named.split_once('/')) else {
        return Ok(Default::default());
    };
    let Some((kind, _, name, _)) = KINDS.into_iter().find(|(_, known, _, _)| *known == word) else {
        return Ok(Default::default());
    };
    let (project, key) = (context.project(), key.to_owned());
    let fill_in = FillIn { project: Some(context.page.view.brief.project.name.clone()), fullname: None };
    let found = context.request.ask(move |query| template::show(query, Some(&project), kind, &key, &fill_in)).await?;
    let text = match found {
        Some(TemplateView::File(file)) => file.content.to_owned(),
        Some(TemplateView::License(license)) => license.content,
        None => return Ok(Default::default()),
    };
    Ok((name.to_owned(), text))
}
