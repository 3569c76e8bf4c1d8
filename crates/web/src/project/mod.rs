//! The pages of a project.

mod commit;
mod file;
mod frame;
mod home;
mod raw;
mod refs;
mod tree;

use tenon_app::project::ProjectPage;
use tenon_app::repository::{Address, Code, RefKind};

use crate::answer::Answer;
use crate::error::PageError;
use crate::frame::Frame;
use crate::place;
use crate::visit::Visit;

/// The first segments of pages of projects, which newer addresses write behind `/-/`.
const PAGES: [&str; 8] = ["tree", "blob", "raw", "commits", "commit", "branches", "tags", "refs"];

/// A visit of one of the pages of a project.
struct Room {
    visit: Visit,
    frame: Frame,
    page: ProjectPage,
}

/// The page of a project that these segments name, behind the project's path.
pub(crate) async fn show(visit: Visit, frame: Frame, page: ProjectPage, rest: &[String]) -> Result<Answer, PageError> {
    let room = Room { visit, frame, page };
    let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
    match rest.as_slice() {
        [] => home::show(room).await,
        ["-", name, below @ ..] if PAGES.contains(name) => Ok(room.older(name, below)),
        ["tree"] => Ok(Answer::to(&room.address(""))),
        ["tree", below @ ..] => tree::show(room, below).await,
        ["blob", below @ ..] => file::show(room, below).await,
        ["raw", below @ ..] => raw::show(room, below).await,
        ["commits", below @ ..] => commit::list(room, below).await,
        ["commit", id] => commit::show(room, id).await,
        ["branches"] => refs::branches(room).await,
        ["tags"] => refs::tags(room).await,
        ["refs", "switch"] => refs::switch(&room),
        _ => Err(PageError::NotFound),
    }
}

impl Room {
    /// The address of a page of the project.
    fn address(&self, below: &str) -> String {
        self.visit.own(&format!("/{}{below}", self.page.view.brief.full_path))
    }

    /// The same page under the address that is served.
    fn older(&self, name: &str, below: &[&str]) -> Answer {
        let below: String = below.iter().map(|segment| format!("/{}", place::in_path(segment))).collect();
        Answer::to(&self.visit.with_query(&format!("/{}/{name}{below}", self.page.view.brief.full_path)))
    }

    /// The code of the project; 403 where the caller may not read it.
    fn code(&self) -> Result<&Code, PageError> {
        let forbidden = PageError::Status(actix_web::http::StatusCode::FORBIDDEN, None);
        self.page.code.as_ref().ok_or(forbidden)
    }

    /// A branch, tag or commit with a path, as the request names them.
    fn asked(&self, below: &[&str]) -> Address {
        let only = match self.visit.query("ref_type") {
            Some("heads") => Some(RefKind::Branch),
            Some("tags") => Some(RefKind::Tag),
            _ => None,
        };
        Address { segments: below.iter().map(|segment| (*segment).to_owned()).collect(), only }
    }
}
