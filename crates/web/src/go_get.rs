//! What `go get` asks of every address that an import path names: where the repository is.

use askama::Template;
use tenon_app::error::AppError;
use tenon_app::{Place, place};

use crate::answer::Answer;
use crate::error::PageError;
use crate::place::in_path;
use crate::visit::Visit;

/// Segments of the path of a project that a stranger cannot know of: most are in a namespace without others above.
const USUAL: usize = 2;

#[derive(Template)]
#[template(path = "go_get.html")]
struct GoGetPage {
    /// The import path of the repository.
    import: String,
    /// The address of the project.
    page: String,
}

/// Whether `go get` asks.
pub(crate) fn is_asked(visit: &Visit) -> bool {
    visit.query("go-get") == Some("1")
}

/// Names the repository of the project whose path these segments begin with. Where the caller sees none, it is that of the first
/// two, whether or not anything is there.
pub(crate) async fn show(visit: &Visit, segments: Vec<String>) -> Result<Answer, PageError> {
    let asked = segments.clone();
    let (_, found) = visit
        .read(move |query| match place::find(query, &asked) {
            Ok(Place::Project { full_path, is_former: false, .. }) => Ok(Some(full_path)),
            Ok(_) | Err(AppError::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        })
        .await?;
    let usual = || segments.iter().take(USUAL).map(|segment| in_path(segment)).collect::<Vec<_>>().join("/");
    let path = found.unwrap_or_else(usual);
    let base = visit.app().base_url();
    let host = base.split_once("://").map_or(base, |(_, host)| host);
    Answer::page(&GoGetPage { import: format!("{host}/{path}"), page: format!("{base}/{path}") })
}
