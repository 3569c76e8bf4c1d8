//! Making, changing and removing snippets.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::Command;
use tenon_app::error::AppError;
use tenon_app::snippet::{
    self, EditSnippet, FilesChange, NewSnippet, Sender, SnippetPage, SnippetReference, SnippetView,
};
use tenon_domain::patch::Patch;
use tenon_domain::snippet::{MAX_FILES, SnippetFile};
use tenon_domain::time::Timestamp;
use tenon_domain::visibility::Visibility;

use super::{frame, reference, reference_in};
use crate::context::frame::Frame;
use crate::context::project::ProjectContext;
use crate::context::project_frame::ProjectFrame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::choice::Choice;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::form::Form;
use crate::kit::problems::Problems;
use crate::kit::text_style::TextStyle;
use crate::parts::links::own_path;
use crate::parts::visibility::visibility;

const FORM: &str = "snippet";

/// The fields of the form as they were typed.
#[derive(Debug, Clone, Default)]
struct FormValues {
    title: String,
    description: String,
    /// The number of the visibility. Empty if none was chosen.
    visibility: String,
    /// The names and texts of the files, at least one.
    files: Vec<(String, String)>,
    /// When the snippet was last changed before the form was opened, in microseconds.
    seen: String,
}

/// The fields of one file.
struct FileFields<'a> {
    /// Counted from 1.
    number: usize,
    name_id: String,
    content_id: String,
    path: &'a str,
    content: &'a str,
}

impl FormValues {
    fn new() -> Self {
        Self { files: vec![<_>::default()], ..Self::default() }
    }

    fn of(page: &SnippetPage) -> Self {
        let snippet = &page.view.snippet;
        Self {
            title: snippet.title.clone(),
            description: snippet.description.clone().unwrap_or_default(),
            visibility: snippet.visibility.level().to_string(),
            files: page.files.iter().map(|file| (file.path.clone(), file.content.clone())).collect(),
            seen: snippet.updated_at.timestamp_micros().to_string(),
        }
    }

    /// The fields that were sent, after the button that adds or removes a file. True if that button was pressed.
    fn sent(form: Form<'_>) -> (Self, bool) {
        let names = form.list(FORM, "names").into_iter();
        let texts = form.list(FORM, "contents").into_iter();
        let text = |text: &str| text.replace("\r\n", "\n");
        let mut files: Vec<(String, String)> =
            names.zip(texts).map(|(name, content)| (name.to_owned(), text(content))).collect();
        let removed = form.text("", "remove").parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        if let Some(at) = removed.filter(|at| *at < files.len()) {
            files.remove(at);
        }
        let adds = form.text("", "action") == "add";
        if files.is_empty() || adds && files.len() < MAX_FILES {
            files.push(<_>::default());
        }
        let typed = Self {
            title: form.text(FORM, "title"),
            description: form.text(FORM, "description"),
            visibility: form.text(FORM, "visibility_level"),
            files,
            seen: form.text(FORM, "seen"),
        };
        (typed, adds || removed.is_some())
    }

    fn fields(&self) -> impl Iterator<Item = FileFields<'_>> {
        self.files.iter().zip(1..).map(|((path, content), number)| {
            let behind = if number == 1 { String::new() } else { format!("-{number}") };
            FileFields {
                number,
                name_id: format!("file_name{behind}"),
                content_id: format!("content{behind}"),
                path,
                content,
            }
        })
    }

    fn may_have_more(&self) -> bool {
        self.files.len() < MAX_FILES
    }

    /// Its files. Fields that were left empty are no file, unless there is no other.
    fn files(&self) -> Vec<SnippetFile> {
        let file =
            |(path, content): &(String, String)| SnippetFile { path: path.trim().to_owned(), content: content.clone() };
        let filled: Vec<SnippetFile> = self
            .files
            .iter()
            .filter(|(path, content)| !path.trim().is_empty() || !content.trim().is_empty())
            .map(file)
            .collect();
        if filled.is_empty() { self.files.iter().take(1).map(file).collect() } else { filled }
    }

    fn visibility(&self) -> Visibility {
        visibility(&self.visibility).unwrap_or(Visibility::Private)
    }

    fn created(&self, context: &RequestContext) -> NewSnippet {
        let browser = context.browser(false);
        let sender = Sender { user_agent: browser.user_agent, ip_address: browser.address };
        NewSnippet {
            title: self.title.clone(),
            description: Some(self.description.clone()).filter(|text| !text.is_empty()),
            visibility: self.visibility(),
            files: self.files(),
            sender,
        }
    }

    /// The change of a snippet that has these files. A field keeps neither the line ends of a text nor its byte order mark: they
    /// stay as they are stored.
    fn changed(&self, stored: &[SnippetFile]) -> EditSnippet {
        let mut files = self.files();
        for file in &mut files {
            if let Some(known) = stored.iter().find(|known| known.path == file.path) {
                file.content = with_style_of(&known.content, &file.content);
            }
        }
        let seen = self.seen.parse().ok().and_then(Timestamp::from_timestamp_micros);
        EditSnippet {
            title: Some(self.title.clone()),
            description: Some(self.description.clone())
                .filter(|text| !text.is_empty())
                .map_or(Patch::Clear, Patch::Set),
            visibility: Some(self.visibility()),
            files: FilesChange::All(files),
            seen: Some(seen.unwrap_or_default()),
        }
    }
}

/// A text from a field, with the line ends of the stored text. One that was not changed is the stored one.
fn with_style_of(stored: &str, typed: &str) -> String {
    let shown = stored.replace("\r\n", "\n").replace('\r', "\n");
    if shown == typed {
        return stored.to_owned();
    }
    let style = TextStyle::read(stored.as_bytes()).map(|(_, style)| style).unwrap_or_default();
    String::from_utf8(style.write(typed)).unwrap_or_else(|_unreachable| typed.to_owned())
}

/// Changes a snippet as the form says.
fn save(command: &mut Command<'_>, of: &SnippetReference, typed: &FormValues) -> Result<SnippetView, AppError> {
    let stored = snippet::for_form(&mut command.query(), of)?;
    snippet::edit(command, of, typed.changed(&stored.files))
}

/// The visibilities that the form offers, and the one that is chosen if none was typed.
type Offered = (Vec<Visibility>, Visibility);

/// The form, whatever is around it.
struct Fields {
    /// The address of the list, to which the form of a new snippet is sent.
    href: String,
    /// The page that a new snippet is not made from after all.
    back: String,
    /// The snippet that is changed. None for a new one.
    id: Option<i64>,
    typed: FormValues,
    problems: Problems,
    visibilities: Vec<Choice>,
}

fn choices((offered, first): Offered, typed: &FormValues, in_project: bool) -> Vec<Choice> {
    let chosen = visibility(&typed.visibility).filter(|chosen| offered.contains(chosen)).unwrap_or(first);
    let choice = |known: Visibility| {
        let words = match (known, in_project) {
            (Visibility::Private, true) => "Private: project members only",
            (Visibility::Private, false) => "Private: only you",
            (Visibility::Internal, true) => "Internal: all signed-in users who see the project",
            (Visibility::Internal, false) => "Internal: all signed-in users",
            (Visibility::Public, true) => "Public: everyone who sees the project",
            (Visibility::Public, false) => "Public: everyone",
        };
        Choice::new(&known.level().to_string(), words, known == chosen)
    };
    offered.into_iter().map(choice).collect()
}

#[derive(Template)]
#[template(path = "snippet/form.html")]
struct FormTemplate {
    frame: Frame,
    href: String,
    back: String,
    id: Option<i64>,
    typed: FormValues,
    problems: Problems,
    visibilities: Vec<Choice>,
}

#[derive(Template)]
#[template(path = "snippet/project_form.html")]
struct ProjectFormTemplate {
    frame: Frame,
    project: ProjectFrame,
    href: String,
    back: String,
    id: Option<i64>,
    typed: FormValues,
    problems: Problems,
    visibilities: Vec<Choice>,
}

fn page(frame: Frame, fields: Fields) -> Result<Answer, PageError> {
    let Fields { href, back, id, typed, problems, visibilities } = fields;
    Answer::page(&FormTemplate { frame, href, back, id, typed, problems, visibilities })
}

fn project_page(context: ProjectContext, fields: Fields) -> Result<Answer, PageError> {
    let project = frame(&context, "/snippets");
    let Fields { href, back, id, typed, problems, visibilities } = fields;
    let frame = context.frame;
    Answer::page(&ProjectFormTemplate { frame, project, href, back, id, typed, problems, visibilities })
}

/// The form of a snippet of the caller alone; `of` is the one that is changed.
async fn form(
    context: RequestContext,
    of: Option<SnippetReference>,
    typed: Option<FormValues>,
    problems: Problems,
) -> Result<Answer, PageError> {
    let id = of.as_ref().map(|of| of.id.get());
    let read = context.read(move |query| {
        let stored = of.map(|of| snippet::for_form(query, &of)).transpose()?;
        let present = stored.as_ref().map(|page| page.view.snippet.visibility);
        Ok((snippet::visibilities(query, present, None)?, stored))
    });
    let (frame, (offered, stored)) = read.await?;
    let typed = typed_or_stored(typed, stored.as_ref(), &problems);
    let visibilities = choices(offered, &typed, false);
    let (href, back) = (context.own("/snippets"), context.own("/dashboard/snippets"));
    page(frame, Fields { href, back, id, typed, problems, visibilities })
}

async fn project_form(
    context: ProjectContext,
    of: Option<SnippetReference>,
    typed: Option<FormValues>,
    problems: Problems,
) -> Result<Answer, PageError> {
    let id = of.as_ref().map(|of| of.id.get());
    let home = context.project();
    let read = context.request.ask(move |query| {
        query.user()?;
        let stored = of.map(|of| snippet::for_form(query, &of)).transpose()?;
        let present = stored.as_ref().map(|page| page.view.snippet.visibility);
        Ok((snippet::visibilities(query, present, Some(&home))?, stored))
    });
    let (offered, stored) = read.await?;
    let typed = typed_or_stored(typed, stored.as_ref(), &problems);
    let visibilities = choices(offered, &typed, true);
    let href = context.address("/snippets");
    project_page(context, Fields { back: href.clone(), href, id, typed, problems, visibilities })
}

/// The typed values, or else the stored ones. After a refusal the next submission replaces what is stored now.
fn typed_or_stored(typed: Option<FormValues>, stored: Option<&SnippetPage>, problems: &Problems) -> FormValues {
    let stored = stored.map(FormValues::of);
    match (typed, stored) {
        (Some(typed), Some(stored)) if !problems.is_empty() => FormValues { seen: stored.seen, ..typed },
        (Some(typed), _) => typed,
        (None, stored) => stored.unwrap_or_else(FormValues::new),
    }
}

pub(super) async fn new(context: RequestContext) -> Result<Answer, PageError> {
    form(context, None, None, Problems::default()).await
}

pub(super) async fn new_in_project(context: ProjectContext) -> Result<Answer, PageError> {
    project_form(context, None, None, Problems::default()).await
}

pub(super) async fn edit(context: RequestContext) -> Result<Answer, PageError> {
    let of = reference(&context)?;
    form(context, Some(of), None, Problems::default()).await
}

pub(super) async fn edit_in_project(context: ProjectContext) -> Result<Answer, PageError> {
    let of = reference_in(&context)?;
    project_form(context, Some(of), None, Problems::default()).await
}

pub(super) async fn create(context: RequestContext) -> Result<Answer, PageError> {
    let (typed, is_rearranged) = FormValues::sent(context.form());
    if is_rearranged {
        return form(context, None, Some(typed), Problems::default()).await;
    }
    let request = typed.created(&context);
    match context.write(move |command| snippet::create(command, None, request)).await {
        Ok(made) => Ok(saved(&context, &made)),
        Err(error) => {
            let problems = refusal(error)?;
            Ok(form(context, None, Some(typed), problems).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

pub(super) async fn create_in_project(context: ProjectContext) -> Result<Answer, PageError> {
    let (typed, is_rearranged) = FormValues::sent(context.request.form());
    if is_rearranged {
        return project_form(context, None, Some(typed), Problems::default()).await;
    }
    let (home, request) = (context.project(), typed.created(&context.request));
    match context.request.write(move |command| snippet::create(command, Some(&home), request)).await {
        Ok(made) => Ok(saved(&context.request, &made)),
        Err(error) => {
            let problems = refusal(error)?;
            Ok(project_form(context, None, Some(typed), problems).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

pub(super) async fn update(context: RequestContext) -> Result<Answer, PageError> {
    let of = reference(&context)?;
    let (typed, is_rearranged) = FormValues::sent(context.form());
    if is_rearranged {
        return form(context, Some(of), Some(typed), Problems::default()).await;
    }
    let (named, request) = (of.clone(), typed.clone());
    match context.write(move |command| save(command, &named, &request)).await {
        Ok(made) => Ok(saved(&context, &made)),
        Err(error) => {
            let problems = refusal(error)?;
            Ok(form(context, Some(of), Some(typed), problems).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

pub(super) async fn update_in_project(context: ProjectContext) -> Result<Answer, PageError> {
    let of = reference_in(&context)?;
    let (typed, is_rearranged) = FormValues::sent(context.request.form());
    if is_rearranged {
        return project_form(context, Some(of), Some(typed), Problems::default()).await;
    }
    let (named, request) = (of.clone(), typed.clone());
    match context.request.write(move |command| save(command, &named, &request)).await {
        Ok(made) => Ok(saved(&context.request, &made)),
        Err(error) => {
            let problems = refusal(error)?;
            let answer = project_form(context, Some(of), Some(typed), problems).await?;
            Ok(answer.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

fn refusal(error: AppError) -> Result<Problems, PageError> {
    match error {
        AppError::QuotaExceeded(quota) => Ok(Problems::plain(&format!("{quota}."))),
        error => Problems::of(error),
    }
}

fn saved(context: &RequestContext, made: &SnippetView) -> Answer {
    let page = own_path(&context.own(""), context.app().base_url(), &made.web_url);
    Answer::done(&page).cookie(cookie::of_flash(Flash::SnippetSaved))
}

pub(super) async fn delete(context: RequestContext) -> Result<Answer, PageError> {
    let of = reference(&context)?;
    context.write(move |command| snippet::delete(command, &of, None)).await?;
    Ok(Answer::done(&context.own("/dashboard/snippets")).cookie(cookie::of_flash(Flash::SnippetDeleted)))
}

pub(super) async fn delete_in_project(context: ProjectContext) -> Result<Answer, PageError> {
    let of = reference_in(&context)?;
    context.request.write(move |command| snippet::delete(command, &of, None)).await?;
    Ok(context.done("/snippets").cookie(cookie::of_flash(Flash::SnippetDeleted)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_keeps_its_line_ends() {
        for stored in ["a\nb", "a\r\nb", "a\rb", "a\r\nb\nc", "\u{feff}a"] {
            let shown = stored.replace("\r\n", "\n").replace('\r', "\n");
            assert_eq!(with_style_of(stored, &shown), stored);
        }
        assert_eq!(with_style_of("a\r\nb", "a\nb\nc"), "a\r\nb\r\nc");
        assert_eq!(with_style_of("a\nb", "c\nb"), "c\nb");
    }
}
