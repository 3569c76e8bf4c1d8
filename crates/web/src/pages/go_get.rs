//! The answer to `go get`, which asks every address that an import path names for the repository.

use actix_web::http::header::HeaderMap;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::identity::{Credential, Identity};
use tenon_app::transport::{FetchProof, GitCredential};
use tenon_app::{Place, Query, Secret, place};
use tenon_edge::credentials;
use tenon_edge::param_map::ParamMap;

use crate::context::request::RequestContext;
use crate::kit::address::in_path;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;

/// The number of segments of a project's path that is returned if the caller sees no project. Most projects are in a
/// namespace without parents.
const USUAL: usize = 2;
/// The parameter that `go get` sends.
const PARAMETER: &str = "go-get";

#[derive(Template)]
#[template(path = "go_get.html")]
struct GoGetPage {
    /// The import path of the repository.
    import: String,
    /// The address of the project.
    page: String,
}

/// True if `go get` asks.
pub(crate) fn is_asked(context: &RequestContext) -> bool {
    context.query(PARAMETER) == Some("1")
}

/// The credentials of the program: a token as the API accepts it, or else a name and a password as Git sends them.
/// Other pages accept neither.
pub(crate) fn proof(headers: &HeaderMap, query: &ParamMap, base_url: &str) -> Option<FetchProof> {
    let is_asked = query.values.get(PARAMETER).is_some_and(|value| value == "1");
    let presented = credentials::present(&query.values, headers, base_url).ok().filter(|_| is_asked)?;
    if let Some(Credential::Token(token)) = presented.credential {
        return Some(FetchProof::Token(Secret::given(token)));
    }
    let (username, password) = credentials::basic(headers)?;
    Some(FetchProof::Basic(GitCredential { username, password: Secret::given(password) }))
}

/// Names the repository of the project whose path these segments begin with. If the caller sees none, it is that of the
/// first two segments, which need not exist.
pub(crate) async fn show(context: &RequestContext, segments: Vec<String>) -> Result<Answer, PageError> {
    let asked = segments.clone();
    let user = match context.proof() {
        Some(proof) => context.app().fetching_user(proof).await?,
        None => None,
    };
    let identity = user.map_or_else(|| context.identity().clone(), Identity::user);
    let find = move |query: &mut Query<'_>| match place::find(query, &asked) {
        Ok(Place::Project { full_path, is_former: false, .. }) => Ok(Some(full_path)),
        Ok(_) | Err(AppError::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    };
    let found = context.app().read(&identity, find).await?;
    let usual = || segments.iter().take(USUAL).map(|segment| in_path(segment)).collect::<Vec<_>>().join("/");
    let path = found.unwrap_or_else(usual);
    let base = context.app().base_url();
    let host = base.split_once("://").map_or(base, |(_, host)| host);
    Answer::page(&GoGetPage { import: format!("{host}/{path}"), page: format!("{base}/{path}") })
}
