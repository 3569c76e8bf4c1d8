//! Making, changing and removing pages of a wiki.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::wiki::{self, ChangePage, NewPage, PageView, ShowPage};
use tenon_domain::refusal::{Refusal, WikiRefusal};
use tenon_domain::wiki::WikiFormat;

use super::{frame, rendered, rights, slug};
use crate::context::frame::Frame;
use crate::context::project::ProjectContext;
use crate::context::project_frame::ProjectFrame;
use crate::kit::address::in_path;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::form::Form;
use crate::kit::problems::Problems;

const FORM: &str = "wiki";

/// The markups that a form offers.
const FORMATS: [(WikiFormat, &str); 4] = [
    (WikiFormat::Markdown, "Markdown"),
    (WikiFormat::Rdoc, "RDoc"),
    (WikiFormat::Asciidoc, "AsciiDoc"),
    (WikiFormat::Org, "Org"),
];

/// The fields of the form as they were typed.
#[derive(Debug, Clone, Default)]
struct FormValues {
    title: String,
    content: String,
    format: String,
    message: String,
    /// The last commit that changed the page, when the form was opened.
    last_commit: String,
}

impl FormValues {
    fn sent(form: Form<'_>) -> Self {
        Self {
            title: form.text(FORM, "title"),
            content: form.text(FORM, "content"),
            format: form.text(FORM, "format"),
            message: form.text(FORM, "message"),
            last_commit: form.text(FORM, "last_commit"),
        }
    }

    fn is(&self, format: WikiFormat) -> bool {
        self.format == format.as_str()
    }

    /// True if the form offers the markup: pages that were pushed may have another one.
    fn is_offered(&self) -> bool {
        FORMATS.iter().any(|(format, _)| self.is(*format))
    }

    /// The markup; that of new pages if none is chosen.
    fn format(&self) -> WikiFormat {
        WikiFormat::parse(&self.format).unwrap_or(WikiFormat::Markdown)
    }

    /// The message, if one was typed.
    fn message(&self) -> Option<String> {
        Some(self.message.clone()).filter(|message| !message.is_empty())
    }
}

#[derive(Template)]
#[template(path = "wiki/form.html")]
struct FormTemplate {
    frame: Frame,
    project: ProjectFrame,
    /// The slug of the page that is changed, as part of addresses. None for a new one.
    address: Option<String>,
    typed: FormValues,
    /// The markups that are offered, with their words.
    formats: &'static [(WikiFormat, &'static str)],
    problems: Problems,
    /// Safe HTML, made by the renderer of Markdown.
    preview: Option<String>,
    /// The text of the page, if it was changed after the form was opened.
    current: Option<String>,
}

/// The form around the page.
#[derive(Default)]
struct Around {
    problems: Problems,
    preview: Option<String>,
    current: Option<String>,
}

fn form(context: ProjectContext, slug: Option<&str>, typed: FormValues, around: Around) -> Result<Answer, PageError> {
    let project = frame(&context, "/wikis");
    let Around { problems, preview, current } = around;
    let address = slug.map(in_path);
    let formats = FORMATS.as_slice();
    Answer::page(&FormTemplate { project, address, typed, formats, problems, preview, current, frame: context.frame })
}

/// Refuses callers who may not change the wiki.
async fn check(context: &ProjectContext, of: ShowPage) -> Result<wiki::WikiPage, PageError> {
    context.frame.user.as_ref().ok_or(PageError::SignIn)?;
    let (app, identity) = (context.request.app(), context.request.identity());
    let found = wiki::page(app, identity, context.project(), of).await?;
    if rights(context, found.rights).write { Ok(found) } else { Err(PageError::Status(StatusCode::FORBIDDEN, None)) }
}

/// The form of a new page, whose title the address may have.
pub(super) async fn new(context: ProjectContext) -> Result<Answer, PageError> {
    check(&context, ShowPage::default()).await?;
    let title = context.request.query("title").unwrap_or_default().chars().take(255).collect();
    let format = WikiFormat::Markdown.as_str().to_owned();
    form(context, None, FormValues { title, format, ..FormValues::default() }, Around::default())
}

/// The form of a page that is there.
pub(super) async fn edit(context: ProjectContext) -> Result<Answer, PageError> {
    let found = check(&context, ShowPage { slug: slug(&context), version: None }).await?;
    let page = found.page.ok_or(PageError::NotFound)?;
    let typed = FormValues {
        title: shown_title(&page.slug),
        content: page.content.unwrap_or_default(),
        format: page.format.as_str().to_owned(),
        message: String::new(),
        last_commit: found.last.map(|commit| commit.id).unwrap_or_default(),
    };
    form(context, Some(&page.slug), typed, Around::default())
}

/// A slug as a form shows it: blanks for dashes.
fn shown_title(slug: &str) -> String {
    slug.replace('-', " ")
}

/// True if the form asks for a preview.
fn wants_preview(context: &ProjectContext) -> bool {
    context.request.form().text("", "action") == "preview"
}

async fn previewed(context: ProjectContext, slug: Option<&str>, typed: FormValues) -> Result<Answer, PageError> {
    let text = Some(typed.content.clone());
    let page = PageView { slug: String::new(), title: String::new(), format: typed.format(), content: text };
    let preview = Some(rendered(&context, page, "preview").await?);
    form(context, slug, typed, Around { preview, ..Around::default() })
}

pub(super) async fn create(context: ProjectContext) -> Result<Answer, PageError> {
    let typed = FormValues::sent(context.request.form());
    if wants_preview(&context) {
        check(&context, ShowPage::default()).await?;
        return previewed(context, None, typed).await;
    }
    let (app, identity) = (context.request.app(), context.request.identity());
    let request = NewPage {
        title: typed.title.clone(),
        content: typed.content.clone(),
        format: typed.format(),
        message: typed.message(),
    };
    match wiki::create(app, identity, context.project(), request).await {
        Ok(page) => Ok(saved(&context, &page)),
        Err(error) => {
            let problems = Problems::of(error)?;
            let around = Around { problems, ..Around::default() };
            Ok(form(context, None, typed, around)?.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

pub(super) async fn update(context: ProjectContext) -> Result<Answer, PageError> {
    let slug = slug(&context);
    let typed = FormValues::sent(context.request.form());
    if wants_preview(&context) {
        check(&context, ShowPage::default()).await?;
        return previewed(context, Some(&slug), typed).await;
    }
    let (app, identity) = (context.request.app(), context.request.identity());
    // A form shows the whole path. One that comes back as it was moves nothing, whatever the file is called.
    let is_moved = typed.title.trim() != shown_title(&slug);
    let request = ChangePage {
        title: is_moved.then(|| format!("/{}", typed.title)),
        content: Some(typed.content.clone()),
        format: WikiFormat::parse(&typed.format),
        message: typed.message(),
        last_commit: Some(typed.last_commit.clone()),
    };
    match wiki::edit(app, identity, context.project(), slug.clone(), request).await {
        Ok(page) => Ok(saved(&context, &page)),
        Err(error) => refused(context, slug, typed, error).await,
    }
}

/// The form with its problems. If the page was changed concurrently, its text is shown as well, and the next submission replaces it.
async fn refused(
    context: ProjectContext,
    slug: String,
    mut typed: FormValues,
    error: AppError,
) -> Result<Answer, PageError> {
    let has_changed = matches!(&error, AppError::Refused(Refusal::Wiki(WikiRefusal::Changed)));
    let problems = Problems::of(error)?;
    let mut around = Around { problems, ..Around::default() };
    if has_changed {
        let found = check(&context, ShowPage { slug: slug.clone(), version: None }).await?;
        typed.last_commit = found.last.map(|commit| commit.id).unwrap_or_default();
        around.current = found.page.and_then(|page| page.content);
    }
    Ok(form(context, Some(&slug), typed, around)?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

fn saved(context: &ProjectContext, page: &PageView) -> Answer {
    context.done(&format!("/wikis/{}", in_path(&page.slug))).cookie(cookie::of_flash(Flash::WikiPageSaved))
}

pub(super) async fn delete(context: ProjectContext) -> Result<Answer, PageError> {
    let (app, identity) = (context.request.app(), context.request.identity());
    wiki::delete(app, identity, context.project(), slug(&context), None).await?;
    Ok(context.done("/wiki_pages").cookie(cookie::of_flash(Flash::WikiPageDeleted)))
}
