//! Pages whose addresses begin with the path of a project, group or user.

use std::sync::Arc;

use actix_web::http::{Method, StatusCode};
use futures_util::FutureExt as _;
use tenon_app::error::AppError;
use tenon_app::identity::Guard;
use tenon_app::project::{self, ProjectPage};
use tenon_app::{Place, Reference, place};

use crate::context::frame::Frame;
use crate::context::project::{ProjectContext, ProjectRequest};
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::segment::{decode, decode_path, raw_segments};
use crate::pages::{go_get, group, user};
use crate::parts::feed::ACTIVITY;
use crate::table::page_table::Page;
use crate::table::project::{Continuation, ProjectTable, without_dash};
use crate::table::site::SiteAction;

/// The name of these paths in the log and the metrics: the paths themselves are unbounded.
const PATTERN: &str = "(path)";

/// The page that answers all paths that are no page of the site.
pub(crate) fn page(projects: Arc<ProjectTable>) -> Page<SiteAction> {
    let action = |method| {
        let projects = projects.clone();
        let run = Box::new(move |context| show(projects.clone(), context).boxed_local());
        (method, SiteAction { guard: Guard::Anyone, run })
    };
    let actions = [Method::GET, Method::POST, Method::PUT, Method::DELETE].map(action);
    Page::new(PATTERN, actions.into())
}

/// True if something can be changed at this path, provided that the project exists. Other paths are missing for each
/// caller.
pub(crate) fn may_write_at(projects: &ProjectTable, path: &str) -> bool {
    let (raw, is_folder) = raw_segments(path);
    !is_folder && raw.iter().all(|segment| decode_path(segment).is_some()) && projects.may_write_at(&raw)
}

async fn show(projects: Arc<ProjectTable>, context: RequestContext) -> Result<Answer, PageError> {
    let (raw, is_folder) = raw_segments(context.path());
    if raw.iter().any(|segment| decode_path(segment).is_none()) {
        return Err(PageError::NotFound);
    }
    // A segment that is no UTF-8 belongs to the path of a file, which stands behind a project.
    let segments: Vec<String> = raw.iter().map_while(|segment| decode(segment)).collect();
    let is_whole = segments.len() == raw.len();
    if go_get::is_asked(&context) && segments.len() > 1 {
        return go_get::show(&context, segments).await;
    }
    let (asked, is_clone_address) = if is_whole { without(segments, ".git") } else { (segments, false) };
    let (asked, is_feed) = if is_whole { without(asked, ".atom") } else { (asked, false) };
    let ending = if is_feed { Ending::Feed } else { Ending::None };
    let mut sent = Sent { raw, is_folder, is_clone_address, ending };
    let (method, query_of_page) = (context.method().clone(), context.parameters().clone());
    let read = context.read(move |query| {
        let found = match place::find(query, &asked) {
            // A user may have such a name. Only then is it the address of keys.
            Err(AppError::NotFound(missing)) => match keys_of(&asked) {
                Some((user, keys)) if sent.ending == Ending::None => {
                    sent.ending = Ending::Keys(keys);
                    place::find(query, &user)
                }
                _ => Err(AppError::NotFound(missing)),
            },
            found => found,
        };
        let place = found?;
        let Place::Project { id, full_path, segments: taken, is_former } = place else {
            // Only paths below a project name files, which need not be UTF-8.
            return Ok(if is_whole { Found::Other(place, sent) } else { Found::Nothing });
        };
        let project = Reference::Id(id.get());
        let page = project::page(query, &project)?;
        let reads = method == Method::GET || method == Method::HEAD;
        let (named, rest) = sent.raw.split_at_checked(taken).unwrap_or((&sent.raw, &[]));
        let feed = [ACTIVITY.trim_start_matches('/').to_owned()];
        let is_feed = sent.ending == Ending::Feed && rest.is_empty();
        let rest = if is_feed { &feed } else { rest };
        let named = named.join("/");
        let named = if is_feed { named.trim_end_matches(".atom") } else { &named };
        let is_elsewhere = named != full_path || sent.is_folder;
        if reads && is_elsewhere {
            // Browsers do not keep redirections of pages, so that another project may take the path.
            let is_final = is_former || !(sent.is_clone_address && rest.is_empty());
            let rest = if is_feed { ".atom".to_owned() } else { below(rest) };
            return Ok(Found::Moved { there: format!("/{full_path}{rest}"), is_final });
        }
        let found = projects.find_below(rest).or_else(|| projects.find_below(without_dash(rest)));
        let Some((entry, named)) = found else { return Ok(Found::Nothing) };
        let Some(action) = entry.action(&method) else { return Ok(Found::OtherMethods(entry.methods())) };
        let asked = ProjectRequest { project, pattern: entry.pattern, named, query: query_of_page };
        Ok(Found::Page { then: action(query, &asked)?, page: Box::new(page), asked })
    });
    let (frame, found): (Frame, Found) = read.await?;
    match found {
        Found::Page { page, asked, then } => then(ProjectContext::new(context, frame, *page, asked)).await,
        Found::Moved { there, is_final } => {
            let answer = Answer::to(&context.with_query(&there));
            Ok(if is_final { answer.status(StatusCode::MOVED_PERMANENTLY) } else { answer })
        }
        Found::Nothing => Err(PageError::NotFound),
        Found::OtherMethods(allowed) => Err(PageError::Method(allowed)),
        Found::Other(place, sent) => beside_projects(context, place, &sent).await,
    }
}

/// A path as it was sent.
struct Sent {
    raw: Vec<String>,
    /// True if a slash ends it.
    is_folder: bool,
    /// True if `.git` ends it.
    is_clone_address: bool,
    ending: Ending,
}

/// The end of a path that is no part of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    None,
    /// `.atom`.
    Feed,
    /// The keys of a user.
    Keys(Keys),
}

impl Ending {
    const fn as_str(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Feed => ".atom",
            Self::Keys(keys) => keys.ending(),
        }
    }
}

/// A kind of public keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keys {
    Ssh,
    Gpg,
}

impl Keys {
    /// The end of the address of the keys of a user.
    const fn ending(self) -> &'static str {
        match self {
            Self::Ssh => ".keys",
            Self::Gpg => ".gpg",
        }
    }
}

/// The page or object that was found at a path.
enum Found {
    /// A page of a project, which has read its data.
    Page { page: Box<ProjectPage>, asked: ProjectRequest, then: Continuation },
    /// The same under another address.
    Moved { there: String, is_final: bool },
    /// A project without a page behind it.
    Nothing,
    /// A page of a project that has only these methods.
    OtherMethods(String),
    /// A group or a user.
    Other(Place, Sent),
}

/// The page of a group or user.
async fn beside_projects(context: RequestContext, place: Place, sent: &Sent) -> Result<Answer, PageError> {
    if !matches!(*context.method(), Method::GET | Method::HEAD) {
        return Err(PageError::NotFound);
    }
    let ending = sent.ending.as_str();
    match place {
        Place::Group { .. } if !ending.is_empty() => Err(PageError::NotFound),
        Place::Group { full_path: path, .. } | Place::User { username: path, .. }
            if sent.raw.join("/") != format!("{path}{ending}") || sent.is_folder =>
        {
            let there = context.with_query(&format!("/{path}{ending}"));
            Ok(Answer::to(&there).status(StatusCode::MOVED_PERMANENTLY))
        }
        Place::Group { id, .. } => group::show::show(context, id).await,
        Place::User { id, .. } => match sent.ending {
            Ending::None => user::show::show(context, id).await,
            Ending::Feed => user::activity::feed(context, id).await,
            Ending::Keys(Keys::Ssh) => user::keys::ssh_keys(context, id).await,
            Ending::Keys(Keys::Gpg) => user::keys::gpg_keys(context, id).await,
        },
        Place::Project { .. } => Err(PageError::NotFound),
    }
}

/// The path of the user whose keys an address asks for, and the kind of keys.
fn keys_of(segments: &[String]) -> Option<(Vec<String>, Keys)> {
    let [name] = segments else { return None };
    [Keys::Ssh, Keys::Gpg].into_iter().find_map(|keys| {
        let name = name.strip_suffix(keys.ending()).filter(|name| !name.is_empty())?;
        Some((vec![name.to_owned()], keys))
    })
}

/// Segments as part of an address.
fn below(segments: &[String]) -> String {
    segments.iter().map(|segment| format!("/{segment}")).collect()
}

/// The path without this suffix. True if it had the suffix.
fn without(mut segments: Vec<String>, suffix: &str) -> (Vec<String>, bool) {
    let Some(last) = segments.last_mut() else { return (segments, false) };
    let Some(name) = last.strip_suffix(suffix).filter(|name| !name.is_empty()).map(str::to_owned) else {
        return (segments, false);
    };
    *last = name;
    (segments, true)
}
