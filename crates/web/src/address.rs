//! Pages whose addresses begin with the path of a project, group or user.

use actix_web::http::{Method, StatusCode};
use futures_util::future::LocalBoxFuture;
use percent_encoding::percent_decode_str;
use tenon_app::error::AppError;
use tenon_app::identity::Guard;
use tenon_app::project::{self, ProjectPage};
use tenon_app::{Place, Reference, place};
use tenon_domain::file_path::{bytes_of, kept_from_outside};

use crate::answer::Answer;
use crate::error::PageError;
use crate::feed::ACTIVITY;
use crate::frame::Frame;
use crate::place::in_path;
use crate::project::{Asked, Room, Then, without_dash};
use crate::site::{Action, Page, Site};
use crate::visit::Visit;
use crate::{go_get, group, user};

/// What the log and the metrics call them: paths are unbounded.
const PATTERN: &str = "(path)";

/// What answers all paths that are no page of the site.
pub(crate) fn page() -> Page {
    let action = |method| {
        let run = |visit| -> LocalBoxFuture<'static, Result<Answer, PageError>> { Box::pin(show(visit)) };
        Action { method, guard: Guard::Anyone, run: Box::new(run) }
    };
    let actions = [Method::GET, Method::POST, Method::PUT, Method::DELETE].map(action);
    Page { pattern: PATTERN, actions: actions.into() }
}

/// Whether something can be changed at this path, if there is such a project. Other paths are missing, for each caller.
pub(crate) fn may_write_at(site: &Site, path: &str) -> bool {
    let (raw, is_folder) = raw_segments(path);
    !is_folder && raw.iter().all(|segment| decode_path(segment).is_some()) && site.of_projects().may_write_at(&raw)
}

/// The segments before the last one of a path that ends so, without the `-` that may stand between them: those of a project, if
/// there is such a one.
pub(crate) fn project_before(path: &str, last: &str) -> Option<Vec<String>> {
    let (raw, is_folder) = raw_segments(path);
    let (end, project) = raw.split_last().filter(|_| !is_folder)?;
    let project = project.strip_suffix(&["-".to_owned()]).unwrap_or(project);
    decoded(project).filter(|_| decode(end).as_deref() == Some(last))
}

/// The page of the group of this path, as it was sent. Another spelling of it leads there.
pub(crate) async fn group(visit: Visit, path: &str) -> Result<Answer, PageError> {
    let raw: Vec<String> = path.split('/').map(str::to_owned).collect();
    let segments = decoded(&raw).ok_or(PageError::NotFound)?;
    let place = visit.ask(move |query| place::find(query, &segments)).await?;
    match place {
        Place::Group { full_path, .. } if path != full_path => {
            let there = visit.with_query(&format!("/groups/{full_path}"));
            Ok(Answer::to(&there).status(StatusCode::MOVED_PERMANENTLY))
        }
        Place::Group { id, .. } => group::show(visit, id).await,
        Place::User { .. } | Place::Project { .. } => Err(PageError::NotFound),
    }
}

async fn show(visit: Visit) -> Result<Answer, PageError> {
    let (raw, is_folder) = raw_segments(visit.path());
    if raw.iter().any(|segment| decode_path(segment).is_none()) {
        return Err(PageError::NotFound);
    }
    // What is no UTF-8 is the path of a file, which stands behind a project.
    let segments: Vec<String> = raw.iter().map_while(|segment| decode(segment)).collect();
    let is_whole = segments.len() == raw.len();
    if go_get::is_asked(&visit) && segments.len() > 1 {
        return go_get::show(&visit, segments).await;
    }
    let (asked, is_clone_address) = if is_whole { without(segments, ".git") } else { (segments, false) };
    let (asked, is_feed) = if is_whole { without(asked, ".atom") } else { (asked, false) };
    let ending = if is_feed { Ending::Feed } else { Ending::None };
    let mut sent = Sent { raw, is_folder, is_clone_address, ending };
    let (site, method, query_of_page) = (visit.site().clone(), visit.method().clone(), visit.parameters().clone());
    let read = visit.read(move |query| {
        let found = match place::find(query, &asked) {
            // A user may be called so; only then is it the address of keys.
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
            // Only below a project there are files, whose paths need not be UTF-8.
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
            let is_final = !(is_former || sent.is_clone_address && rest.is_empty());
            let rest = if is_feed { ".atom".to_owned() } else { below(rest) };
            return Ok(Found::Moved { there: format!("/{full_path}{rest}"), is_final });
        }
        let table = site.of_projects();
        let shorter = without_dash(rest);
        let Some((entry, named)) = table.find(rest).or_else(|| table.find(shorter)) else { return Ok(Found::Nothing) };
        if reads && table.find(rest).is_none() {
            let shorter: Vec<String> =
                shorter.iter().filter_map(|raw| decode_path(raw)).map(|text| in_path(&text)).collect();
            return Ok(Found::Moved { there: format!("/{full_path}{}", below(&shorter)), is_final: false });
        }
        let Some(action) = entry.action(&method) else { return Ok(Found::OtherMethods(entry.methods())) };
        let asked = Asked { project, pattern: entry.pattern, named, query: query_of_page };
        Ok(Found::Page { then: action(query, &asked)?, page: Box::new(page), asked })
    });
    let (frame, found): (Frame, Found) = read.await?;
    match found {
        Found::Page { page, asked, then } => then(Room::new(visit, frame, *page, asked)).await,
        Found::Moved { there, is_final } => {
            let answer = Answer::to(&visit.with_query(&there));
            Ok(if is_final { answer.status(StatusCode::MOVED_PERMANENTLY) } else { answer })
        }
        Found::Nothing => Err(PageError::NotFound),
        Found::OtherMethods(allowed) => Err(PageError::Method(allowed)),
        Found::Other(place, sent) => beside_projects(visit, place, &sent).await,
    }
}

/// A path as it was sent.
struct Sent {
    raw: Vec<String>,
    /// Whether a slash ends it.
    is_folder: bool,
    /// Whether `.git` ends it.
    is_clone_address: bool,
    ending: Ending,
}

/// What ends a path, and is no part of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    None,
    /// `.atom`.
    Feed,
    /// The keys of a user are asked for.
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
    /// How the address of the keys of a user ends.
    const fn ending(self) -> &'static str {
        match self {
            Self::Ssh => ".keys",
            Self::Gpg => ".gpg",
        }
    }
}

/// What was found at a path.
enum Found {
    /// A page of a project, which has read what it shows.
    Page { page: Box<ProjectPage>, asked: Asked, then: Then },
    /// The same under another address.
    Moved { there: String, is_final: bool },
    /// A project, and nothing behind it.
    Nothing,
    /// A page of a project that has these methods only.
    OtherMethods(String),
    /// A group or a user.
    Other(Place, Sent),
}

/// The page of a group or user.
async fn beside_projects(visit: Visit, place: Place, sent: &Sent) -> Result<Answer, PageError> {
    if !matches!(*visit.method(), Method::GET | Method::HEAD) {
        return Err(PageError::NotFound);
    }
    let ending = sent.ending.as_str();
    match place {
        Place::Group { .. } if !ending.is_empty() => Err(PageError::NotFound),
        Place::Group { full_path: path, .. } | Place::User { username: path, .. }
            if sent.raw.join("/") != format!("{path}{ending}") || sent.is_folder =>
        {
            let there = visit.with_query(&format!("/{path}{ending}"));
            Ok(Answer::to(&there).status(StatusCode::MOVED_PERMANENTLY))
        }
        Place::Group { id, .. } => group::show(visit, id).await,
        Place::User { id, .. } => match sent.ending {
            Ending::None => user::show(visit, id).await,
            Ending::Feed => user::feed(visit, id).await,
            Ending::Keys(Keys::Ssh) => user::ssh_keys(visit, id).await,
            Ending::Keys(Keys::Gpg) => user::gpg_keys(visit, id).await,
        },
        Place::Project { .. } => Err(PageError::NotFound),
    }
}

/// The path of the user whose keys an address asks for, and which ones.
fn keys_of(segments: &[String]) -> Option<(Vec<String>, Keys)> {
    let [name] = segments else { return None };
    [Keys::Ssh, Keys::Gpg].into_iter().find_map(|keys| {
        let name = name.strip_suffix(keys.ending()).filter(|name| !name.is_empty())?;
        Some((vec![name.to_owned()], keys))
    })
}

/// The segments of a path as they were sent, and whether a slash ends it.
fn raw_segments(path: &str) -> (Vec<String>, bool) {
    let path = path.strip_prefix('/').unwrap_or(path);
    let (path, is_folder) = path.strip_suffix('/').map_or((path, false), |path| (path, true));
    (path.split('/').map(str::to_owned).collect(), is_folder)
}

/// Segments as part of an address.
fn below(segments: &[String]) -> String {
    segments.iter().map(|segment| format!("/{segment}")).collect()
}

/// Decodes segments, exactly once. `None` where one could not be a name, or several names.
fn decoded(raw: &[String]) -> Option<Vec<String>> {
    raw.iter().map(|segment| decode(segment)).collect()
}

/// A segment, decoded once. `None` where it could not be a name.
pub(crate) fn decode(segment: &str) -> Option<String> {
    decode_path(segment).filter(|text| !text.contains('\0'))
}

/// A segment of the path of a file, decoded once to its kept form ([`tenon_domain::file_path`]). `None` where it could not
/// be a name.
pub(crate) fn decode_path(segment: &str) -> Option<String> {
    let bytes: Vec<u8> = percent_decode_str(segment).collect();
    let text = kept_from_outside(&bytes);
    let is_plain = bytes_of(&text).is_some() && text.split('/').all(|part| !matches!(part, "" | "." | ".."));
    is_plain.then_some(text)
}

/// The path without this at its end, and whether it was there.
fn without(mut segments: Vec<String>, suffix: &str) -> (Vec<String>, bool) {
    let Some(last) = segments.last_mut() else { return (segments, false) };
    let Some(name) = last.strip_suffix(suffix).filter(|name| !name.is_empty()).map(str::to_owned) else {
        return (segments, false);
    };
    *last = name;
    (segments, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_before_the_last_segment_may_be_a_project() {
        for (path, want) in [
            ("/a/b/uploads", Some(vec!["a", "b"])),
            ("/a/b/-/uploads", Some(vec!["a", "b"])),
            ("/a/b%20c/uploads", Some(vec!["a", "b c"])),
            ("/a/b/uploads/", None),
            ("/a/b/uploads/new", None),
            ("/a/../uploads", None),
        ] {
            let want = want.map(|want| want.into_iter().map(str::to_owned).collect::<Vec<_>>());
            assert_eq!(project_before(path, "uploads"), want, "{path}");
        }
    }

    #[test]
    fn each_segment_is_decoded_once() {
        for (path, want) in [
            ("/a/b", Some(vec!["a", "b"])),
            ("/a/b/", Some(vec!["a", "b"])),
            ("/a/b/tree/x%2Fy/%25", Some(vec!["a", "b", "tree", "x/y", "%"])),
            ("/a/b/blob/main/%0A%22", Some(vec!["a", "b", "blob", "main", "\n\""])),
            ("/a//b", None),
            ("/a/../b", None),
            ("/a/%2e%2e/b", None),
            ("/a/x%2F..%2Fy", None),
            ("/a/%00", None),
            ("/a/%ff", None),
        ] {
            let (raw, _) = raw_segments(path);
            let want = want.map(|want| want.into_iter().map(str::to_owned).collect::<Vec<_>>());
            assert_eq!(decoded(&raw), want, "{path}");
        }
    }
}
