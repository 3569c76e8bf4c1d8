//! Requests that name a project or group by a path that it had before.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};
use tenon_app::place;
use tenon_domain::id::{NamespaceId, ProjectId};
use tenon_edge::error::ApiError;

use crate::endpoint::call::Caller;

/// A path of a project or group, as the first part of the path of a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NamedByPath {
    Project(String),
    Group(String),
}

impl NamedByPath {
    /// The path that a request to this route names. `None` if the request names a number.
    pub(super) fn of(route: &str, path_params: &[(&'static str, String)]) -> Option<Self> {
        let (_, first) = path_params.first()?;
        if first.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        if route.starts_with("/projects/{") {
            return Some(Self::Project(first.clone()));
        }
        route.starts_with("/groups/{").then(|| Self::Group(first.clone()))
    }

    const fn kind(&self) -> &'static str {
        match self {
            Self::Project(_) => "projects",
            Self::Group(_) => "groups",
        }
    }

    /// The answer to a request that found nothing. Reads lead to the object that had the path before, by its number, if the
    /// caller may see it. Other methods are refused there: a client that follows a redirection would send them as reads.
    pub(super) async fn answer(
        self,
        caller: &Caller,
        query: &str,
        missing: ApiError,
    ) -> Result<HttpResponse, ApiError> {
        let kind = self.kind();
        let found = caller.read(move |asked| {
            Ok(match self {
                Self::Project(path) => place::moved_project(asked, &path)?.map(ProjectId::get),
                Self::Group(path) => place::moved_group(asked, &path)?.map(NamespaceId::get),
            })
        });
        let Some(id) = found.await? else { return Err(missing) };
        let head = caller.head();
        if !head.reads() {
            let text = format!("Non GET methods are not allowed for moved {kind}");
            let refused = ApiError::message(StatusCode::METHOD_NOT_ALLOWED, text);
            return Err(refused.with_header(header::ALLOW, "GET, HEAD"));
        }
        let there = format!("{}{}", head.base_url, address(&head.path, id, query));
        let Ok(location) = HeaderValue::from_str(&there) else { return Err(missing) };
        let text = format!("This resource has been moved permanently to {there}");
        Ok(HttpResponse::MovedPermanently()
            .insert_header((header::LOCATION, location))
            .insert_header((header::CONTENT_TYPE, "text/plain"))
            .body(text))
    }
}

/// The same path below `/api/v4/projects` or `/api/v4/groups`, with a number, and with the query as it was sent.
fn address(path: &str, id: i64, query: &str) -> String {
    let id = id.to_string();
    let segment = |(at, segment)| if at == 4 { id.as_str() } else { segment };
    let path: Vec<&str> = path.split('/').enumerate().map(segment).collect();
    let mark = if query.is_empty() { "" } else { "?" };
    format!("{}{mark}{query}", path.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_takes_the_place_of_the_path() {
        assert_eq!(address("/api/v4/projects/a%2Fb", 7, ""), "/api/v4/projects/7");
        let there = address("/api/v4/groups/a%2Fb/issues/a%2Fb", 7, "state=all&labels=a%26b");
        assert_eq!(there, "/api/v4/groups/7/issues/a%2Fb?state=all&labels=a%26b");
    }

    #[test]
    fn only_paths_of_projects_and_groups_are_looked_up() {
        let named = |route: &str, value: &str| NamedByPath::of(route, &[("id", value.to_owned())]);
        assert_eq!(named("/projects/{id}/issues", "a/b"), Some(NamedByPath::Project("a/b".to_owned())));
        assert_eq!(named("/groups/{id}", "a"), Some(NamedByPath::Group("a".to_owned())));
        for (route, value) in [("/projects/{id}", "12"), ("/users/{id}", "a"), ("/projects/user/{user_id}", "a")] {
            assert_eq!(named(route, value), None, "{route}");
        }
        assert_eq!(NamedByPath::of("/projects", &[]), None);
    }
}
