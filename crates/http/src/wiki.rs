//! Wikis of projects.

use tenon_app::identity::Guard;
use tenon_app::markdown::{WikiPlace, render_wiki};
use tenon_app::wiki::{self, Attachment, ChangePage, NewPage, ShowPage};
use tenon_app::{Reference, upload};
use tenon_domain::wiki::WikiFormat;
use tenon_edge::error::ApiError;
use tenon_edge::raw::Upload;

use crate::dto::wiki::{WikiAttachmentDto, WikiPageDto};
use crate::endpoint::{Call, Caller, Created, Json, NoContent, Routes};
use crate::params::{choice, params};

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Wikis")
        .get("/projects/{id}/wikis", Guard::Anyone, list, "The pages of the wiki of a project, by path.")
        .get("/projects/{id}/wikis/{*slug}", Guard::Anyone, show, "A page of a wiki.")
        .delete("/projects/{id}/wikis/{*slug}", Guard::SignedIn, delete, "Removes a page of a wiki.")
        .body_limit(upload::MAX_BODY)
        .post("/projects/{id}/wikis", Guard::SignedIn, create, "Makes a page of a wiki.")
        .put("/projects/{id}/wikis/{*slug}", Guard::SignedIn, edit, "Changes a page of a wiki.")
        .post("/projects/{id}/wikis/attachments", Guard::SignedIn, attach, "Attaches a file to a wiki.");
}

choice! {
    /// The markups that pages are written in.
    pub(crate) enum Format {
        /// Markdown.
        Markdown = "markdown",
        /// `RDoc`.
        Rdoc = "rdoc",
        /// `AsciiDoc`.
        Asciidoc = "asciidoc",
        /// Org mode.
        Org = "org",
    }
}

impl From<Format> for WikiFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Markdown => Self::Markdown,
            Format::Rdoc => Self::Rdoc,
            Format::Asciidoc => Self::Asciidoc,
            Format::Org => Self::Org,
        }
    }
}

params! {
    /// The form of a list of pages.
    pub(crate) struct ListParams {
        /// With the texts of the pages.
        with_content: Option<bool>,
    }
}

params! {
    /// The form of a page.
    pub(crate) struct ShowParams {
        /// The text as HTML.
        render_html: Option<bool>,
        /// A commit of the wiki; the newest by default.
        version: Option<String>,
    }
}

params! {
    /// A new page.
    pub(crate) struct CreateParams {
        /// The title. Slashes separate folders.
        title: String,
        /// The text.
        content: String,
        /// The markup; `markdown` by default.
        format: Option<Format>,
        /// The message of the commit.
        message: Option<String>,
    }
}

params! {
    /// Changes of a page.
    pub(crate) struct EditParams {
        /// The title. The page stays in its folder unless the title has a slash.
        title: Option<String>,
        /// The text.
        content: Option<String>,
        /// The markup.
        format: Option<Format>,
        /// The message of the commit.
        message: Option<String>,
        /// The last commit that changed the page, as the caller has seen it.
        last_commit_sha: Option<String>,
    }
    rules(reader) { reader.at_least_one_of(&["title", "content", "format"]); }
}

params! {
    /// The commit that removes a page.
    pub(crate) struct DeleteParams {
        /// The message of the commit.
        message: Option<String>,
    }
}

params! {
    /// A file to attach.
    pub(crate) struct AttachParams {
        /// The file.
        file: Upload,
        /// The branch of the wiki that gets it; the one with the pages by default.
        branch: Option<String>,
    }
}

fn project(caller: &Caller) -> Reference {
    Reference::parse(caller.path("id"))
}

fn slug(caller: &Caller) -> String {
    caller.path("slug").to_owned()
}

async fn list(Call { caller, params }: Call<ListParams>) -> Result<Json<Vec<WikiPageDto>>, ApiError> {
    let (app, identity) = (caller.app(), caller.identity());
    let pages = if params.with_content.unwrap_or_default() {
        wiki::contents(app, identity, project(&caller)).await?
    } else {
        wiki::list(app, identity, project(&caller)).await?
    };
    Ok(Json(pages.into_iter().map(Into::into).collect()))
}

async fn show(Call { caller, params }: Call<ShowParams>) -> Result<Json<WikiPageDto>, ApiError> {
    let of = ShowPage { slug: slug(&caller), version: params.version };
    let mut page = wiki::show(caller.app(), caller.identity(), project(&caller), of).await?;
    if params.render_html.unwrap_or_default() {
        let text = (page.content.take().unwrap_or_default(), page.format);
        let place = WikiPlace::default();
        page.content = Some(render_wiki(caller.app(), caller.identity(), project(&caller), text, place).await?);
    }
    Ok(Json(page.into()))
}

async fn create(Call { caller, params }: Call<CreateParams>) -> Result<Created<WikiPageDto>, ApiError> {
    let CreateParams { title, content, format, message } = params;
    let request = NewPage { title, content, format: format.map_or(WikiFormat::Markdown, Into::into), message };
    let made = wiki::create(caller.app(), caller.identity(), project(&caller), request).await?;
    Ok(Created(made.into()))
}

async fn edit(Call { caller, params }: Call<EditParams>) -> Result<Json<WikiPageDto>, ApiError> {
    let EditParams { title, content, format, message, last_commit_sha } = params;
    let format = format.map(Into::into);
    let request = ChangePage { title, content, format, message, last_commit: last_commit_sha };
    let changed = wiki::edit(caller.app(), caller.identity(), project(&caller), slug(&caller), request).await?;
    Ok(Json(changed.into()))
}

async fn delete(Call { caller, params }: Call<DeleteParams>) -> Result<NoContent, ApiError> {
    wiki::delete(caller.app(), caller.identity(), project(&caller), slug(&caller), params.message).await?;
    Ok(NoContent)
}

async fn attach(Call { caller, params }: Call<AttachParams>) -> Result<Created<WikiAttachmentDto>, ApiError> {
    let Upload { file_name, bytes, .. } = params.file;
    let file = Attachment { file_name, bytes, branch: params.branch };
    let attached = wiki::attach(caller.app(), caller.identity(), project(&caller), file).await?;
    Ok(Created(attached.into()))
}
