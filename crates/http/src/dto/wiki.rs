//! Pages and attachments of wikis as JSON.

use serde::Serialize;
use tenon_app::wiki::{Attached, PageView};
use utoipa::ToSchema;

/// A page of a wiki.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WikiPageDto {
    /// Its markup: `markdown`, `rdoc`, `asciidoc`, `org`, or another one that was pushed.
    format: &'static str,
    /// Its folder and name, with dashes for blanks.
    slug: String,
    /// The last part of the slug, with blanks for dashes.
    title: String,
    /// Its text; in lists on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    /// Always `UTF-8`. Omitted without the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<&'static str>,
}

impl From<PageView> for WikiPageDto {
    fn from(page: PageView) -> Self {
        Self {
            format: page.format.as_str(),
            slug: page.slug,
            title: page.title,
            encoding: page.content.is_some().then_some("UTF-8"),
            content: page.content,
        }
    }
}

/// A file that was attached to a wiki.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WikiAttachmentDto {
    file_name: String,
    /// From the top of the wiki.
    file_path: String,
    branch: String,
    link: WikiLinkDto,
}

/// How texts of a wiki name a file.
#[derive(Debug, Serialize, ToSchema)]
struct WikiLinkDto {
    url: String,
    markdown: String,
}

impl From<Attached> for WikiAttachmentDto {
    fn from(file: Attached) -> Self {
        Self {
            file_name: file.file_name,
            file_path: file.file_path,
            branch: file.branch,
            link: WikiLinkDto { url: file.link.url, markdown: file.link.markdown },
        }
    }
}
