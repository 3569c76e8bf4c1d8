//! Pages whose addresses begin with the path of a project, group or user.

use actix_web::http::{Method, StatusCode};
use percent_encoding::percent_decode_str;
use tenon_app::identity::Guard;
use tenon_app::project::{self, ProjectPage};
use tenon_app::{Place, Reference, place};

use crate::answer::Answer;
use crate::error::PageError;
use crate::frame::Frame;
use crate::site::{Action, Page};
use crate::visit::Visit;
use crate::{go_get, namespace, project as pages};

/// What the log and the metrics call them: paths are unbounded.
const PATTERN: &str = "(path)";

/// What answers reads of all paths that are no page of the site.
pub(crate) fn page() -> Page {
    let run =
        |visit| -> futures_util::future::LocalBoxFuture<'static, Result<Answer, PageError>> { Box::pin(show(visit)) };
    Page { pattern: PATTERN, actions: vec![Action { method: Method::GET, guard: Guard::Anyone, run: Box::new(run) }] }
}

/// The page of the group of this path, as it was sent.
pub(crate) async fn group(visit: Visit, path: &str) -> Result<Answer, PageError> {
    let raw: Vec<String> = path.split('/').map(str::to_owned).collect();
    let segments = decoded(&raw).ok_or(PageError::NotFound)?;
    let (_, place) = visit.read(move |query| place::find(query, &segments)).await?;
    match place {
        Place::Group { id, .. } => namespace::group(visit, Reference::Id(id.get())).await,
        Place::User { .. } | Place::Project { .. } => Err(PageError::NotFound),
    }
}

async fn show(visit: Visit) -> Result<Answer, PageError> {
    let (raw, is_folder) = raw_segments(visit.path());
    let Some(segments) = decoded(&raw) else { return Err(PageError::NotFound) };
    if go_get::is_asked(&visit) && segments.len() > 1 {
        return go_get::show(&visit, segments).await;
    }
    let (asked, is_clone_address) = without_git(segments.clone());
    let read = visit.read(move |query| {
        let place = place::find(query, &asked)?;
        let page = match &place {
            Place::Project { id, .. } => Some(project::page(query, &Reference::Id(id.get()))?),
            Place::Group { .. } | Place::User { .. } => None,
        };
        Ok((place, page))
    });
    let (frame, found): (Frame, (Place, Option<ProjectPage>)) = read.await?;
    match found {
        (Place::Project { full_path, segments: taken, is_former, .. }, Some(page)) => {
            let (named, rest) = raw.split_at_checked(taken).unwrap_or((&raw, &[]));
            let is_clone_address = is_clone_address && rest.is_empty();
            if named.join("/") != full_path || is_folder {
                let there = format!("/{full_path}{}", below(rest));
                let answer = Answer::to(&visit.with_query(&there));
                let is_final = !is_former && !is_clone_address;
                return Ok(if is_final { answer.status(StatusCode::MOVED_PERMANENTLY) } else { answer });
            }
            let rest: Vec<String> = segments.into_iter().skip(taken).collect();
            pages::show(visit, frame, page, &rest).await
        }
        (Place::Group { full_path: path, .. } | Place::User { username: path, .. }, _)
            if raw.join("/") != path || is_folder =>
        {
            let there = visit.with_query(&format!("/{path}"));
            Ok(Answer::to(&there).status(StatusCode::MOVED_PERMANENTLY))
        }
        (Place::Group { id, .. }, _) => namespace::group(visit, Reference::Id(id.get())).await,
        (Place::User { id, .. }, _) => namespace::user(visit, id).await,
        (Place::Project { .. }, None) => Err(PageError::NotFound),
    }
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

fn decode(segment: &str) -> Option<String> {
    let text = percent_decode_str(segment).decode_utf8().ok()?;
    let is_plain = !text.contains('\0') && text.split('/').all(|part| !matches!(part, "" | "." | ".."));
    is_plain.then(|| text.into_owned())
}

/// The path of the project that these segments are the address for clones of, and whether they are one.
fn without_git(mut segments: Vec<String>) -> (Vec<String>, bool) {
    let Some(last) = segments.last_mut() else { return (segments, false) };
    let Some(name) = last.strip_suffix(".git").filter(|name| !name.is_empty()).map(str::to_owned) else {
        return (segments, false);
    };
    *last = name;
    (segments, true)
}

#[cfg(test)]
mod tests {
    use super::*;

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
