//! The way from a page about code to the same page at another branch or tag, and the search for their names.

use askama::Template;
use percent_encoding::percent_decode_str;
use tenon_app::repository::{self, RefKind};
use tenon_domain::file_path::kept_from_outside;

use crate::context::frame::Frame;
use crate::context::project::ProjectContext;
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::address::in_path;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;

/// The longest name of a branch or tag to which the page leads, in bytes.
const LONGEST: usize = 1000;
/// Names that a search shows.
const SHOWN: usize = 100;

#[derive(Template)]
#[template(path = "project/switch.html")]
struct SwitchPage {
    frame: Frame,
    project: ProjectFrame,
    list: List,
}

#[derive(Template)]
#[template(path = "project/found_refs.html")]
struct Fragment<'a> {
    list: &'a List,
}

struct List {
    destination: &'static str,
    /// The path as the form sends it: encoded, if it cannot be sent as it is.
    encoded_path: Option<String>,
    path: Option<String>,
    search: String,
    is_of_tags: bool,
    /// Names, and the addresses of the pages about them.
    rows: Vec<(String, String)>,
    total: usize,
}

/// Leads to the page about the branch or tag that `id` names. Without `id`, it lists those whose names have a text:
/// branches or tags, as `kind` says.
pub(super) async fn show(context: ProjectContext) -> Result<Answer, PageError> {
    let destination = match context.request.query("destination") {
        Some("blob") => "blob",
        Some("commits") => "commits",
        Some("blame") => "blame",
        Some("find_file") => "find_file",
        Some("network") => "network",
        _ => "tree",
    };
    let asked = context.request.parameters();
    let encoded =
        asked.text("encoded_path").map(|text| kept_from_outside(&percent_decode_str(text).collect::<Vec<u8>>()));
    let path = encoded.as_deref().or_else(|| asked.path("path"));
    let path = path.map(|path| format!("/{}", in_path(path.trim_matches('/')))).unwrap_or_default();
    if let Some(id) = context.request.query("id") {
        let id = Some(id).filter(|id| id.len() <= LONGEST).ok_or(PageError::NotFound)?;
        let (id, ties) = id.strip_prefix("tags:").map_or((id, ""), |id| (id, "?ref_type=tags"));
        return Ok(Answer::to(&context.address(&format!("/{destination}/{}{path}{ties}", in_path(id)))));
    }
    let (kind, ties) = match context.request.query("kind") {
        Some("branches") => (RefKind::Branch, ""),
        Some("tags") => (RefKind::Tag, "?ref_type=tags"),
        _ => return Err(PageError::NotFound),
    };
    let search = asked.words("search").unwrap_or_default();
    let found = repository::refs_named(context.request.app(), context.code()?, kind, &search, SHOWN).await?;
    let row = |name: String| {
        let href = context.address(&format!("/{destination}/{}{path}{ties}", in_path(&name)));
        (name, href)
    };
    let list = List {
        destination,
        encoded_path: asked.text("encoded_path").map(str::to_owned),
        path: asked.path("path").map(str::to_owned),
        search,
        is_of_tags: kind == RefKind::Tag,
        rows: found.names.into_iter().map(row).collect(),
        total: found.total,
    };
    if context.request.is_fragment() {
        return Answer::fragment(&Fragment { list: &list });
    }
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Files);
    Answer::cacheable(&SwitchPage { frame: context.frame, project, list })
}
