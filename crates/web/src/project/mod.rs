//! The pages of a project.

mod activity;
mod archive;
mod autocomplete;
mod blame;
pub(crate) mod commit;
mod compare;
mod context;
mod file;
mod find_file;
mod fork;
pub(crate) mod frame;
mod home;
mod hook;
mod import;
mod logs;
mod members;
pub(crate) mod new;
mod preview;
mod raw;
mod ref_change;
mod refs;
mod releases;
mod repository;
mod settings;
mod share;
mod starrers;
mod table;
mod tag;
pub(crate) mod tree;
mod upload;

pub(crate) use self::table::{Asked, Table, Then, without_dash};

use tenon_app::group::{self, GroupRights};
use tenon_app::project::ProjectPage;
use tenon_app::repository::{Address, Code, RefKind};
use tenon_app::{Reference, markdown};
use tenon_domain::namespace::NamespaceKind;

use crate::answer::Answer;
use crate::error::PageError;
use crate::frame::Frame;
use crate::issuable::list::permitted;
use crate::visit::Visit;
use crate::{feed, issue, label, merge_request, milestone, pipeline};

/// A visit of one of the pages of a project.
pub(crate) struct Room {
    pub(crate) visit: Visit,
    pub(crate) frame: Frame,
    pub(crate) page: ProjectPage,
    pub(crate) asked: Asked,
}

/// The pages of projects; the pattern that contradicts another one where there is one.
pub(crate) fn table() -> Result<Table, (&'static str, matchit::InsertError)> {
    let mut table = Table::default();
    code_pages(&mut table);
    issue::routes(&mut table);
    merge_request::routes(&mut table);
    pipeline::routes(&mut table);
    feed::routes(&mut table);
    places(&mut table);
    label::routes(&mut table);
    milestone::routes(&mut table);
    table.finish()
}

/// Who belongs to the project, its settings, its forks.
fn places(table: &mut Table) {
    table.page("/project_members", members::read, members::show);
    table.post("/project_members", members::add);
    table.put("/project_members/{id}", members::change);
    table.delete("/project_members/{id}", members::remove);
    table.delete("/project_members/leave", members::leave);
    table.get("/settings/members", |room| async move { Ok(Answer::to(&room.address("/project_members"))) });
    table.get("/group_links", |room| async move { Ok(Answer::to(&room.address("/project_members"))) });
    table.post("/group_links", share::create);
    table.delete("/group_links/{id}", share::delete);
    table.page("/edit", settings::read, settings::show);
    table.put("/edit", settings::update);
    table.delete("/edit", settings::delete);
    table.page("/activity", activity::read, activity::show);
    table.post("/preview_markdown", preview::show);
    table.page("/uploads/new", upload::read, upload::new);
    table.post("/uploads", upload::create);
    table.page("/autocomplete_sources/{what}", autocomplete::read, autocomplete::show);
    table.post("/archive", settings::archive);
    table.post("/unarchive", settings::unarchive);
    table.put("/transfer", settings::transfer);
    table.delete("/remove_fork", settings::unrelate);
    table.page("/forks", fork::read_list, fork::list);
    table.post("/forks", fork::create);
    table.page("/forks/new", fork::read_new, fork::new);
    table.page("/starrers", starrers::read, starrers::show);
    table.post("/toggle_star", fork::toggle_star);
    repository::routes(table);
    hook::routes(table);
}

fn code_pages(table: &mut Table) {
    table.page("/", home::read, home::show);
    table.get("/tree", |room| async move { Ok(Answer::to(&room.address(""))) });
    table.get("/tree/{*file}", tree::show);
    table.get("/blob/{*file}", file::show);
    table.get("/raw/{*file}", raw::show);
    table.get("/commits", commit::list);
    table.get("/commits/{*file}", commit::list);
    table.get("/commit/{id}", commit::show);
    ref_pages(table);
    table.get("/refs/switch", refs::switch);
    table.get("/refs/{*file}", logs::show);
    table.get("/blame/{*file}", blame::show);
    table.get("/find_file/{*file}", find_file::show);
    table.get("/files/{*file}", find_file::list);
    table.get("/compare", compare::form);
    table.post("/compare", compare::go);
    table.get("/compare/{*path}", compare::show);
    table.get("/-/archive/{file}", archive::short);
    table.get("/repository/{*path}", archive::moved);
}

/// Branches, tags and releases.
fn ref_pages(table: &mut Table) {
    table.get("/branches", refs::branches);
    table.get("/branches/all", refs::branches);
    table.get("/branches/active", refs::branches);
    table.get("/branches/stale", refs::branches);
    table.get("/branches/new", ref_change::new_branch);
    table.post("/branches", ref_change::create_branch);
    table.delete("/merged_branches", ref_change::delete_merged);
    // A branch or tag may be called as one of the pages.
    for path in ["/branches/all", "/branches/active", "/branches/stale", "/branches/new", "/branches/{*path}"] {
        table.delete(path, ref_change::delete_branch);
    }
    table.get("/tags", refs::tags);
    table.get("/tags.atom", refs::tags_feed);
    table.get("/tags/new", ref_change::new_tag);
    table.post("/tags", ref_change::create_tag);
    table.get("/tags/{*path}", tag::show);
    table.put("/tags/{*path}", tag::write_notes);
    for path in ["/tags/new", "/tags/{*path}"] {
        table.delete(path, ref_change::delete_tag);
    }
    table.get("/releases", releases::list);
    table.get("/releases/{*path}", releases::show);
    table.get("/import/new", import::new);
    table.post("/import", import::create);
}

impl Room {
    /// The address of a page of the project.
    pub(crate) fn address(&self, below: &str) -> String {
        self.visit.own(&format!("/{}{below}", self.page.view.brief.full_path))
    }

    pub(crate) fn new(visit: Visit, frame: Frame, page: ProjectPage, asked: Asked) -> Self {
        Self { visit, frame, page, asked }
    }

    /// The project, as use cases name it.
    pub(crate) fn project(&self) -> Reference {
        self.asked.project.clone()
    }

    /// To a page of the project, after something was changed.
    pub(crate) fn done(&self, below: &str) -> Answer {
        Answer::done(&self.address(below))
    }

    /// The group of the project, where it lies in one and the caller may do this there.
    pub(crate) async fn group_where(&self, may: fn(&GroupRights) -> bool) -> Result<Option<Reference>, PageError> {
        let home = &self.page.view.brief.namespace.namespace;
        if home.kind != NamespaceKind::Group || self.frame.user.is_none() {
            return Ok(None);
        }
        let group = Reference::Id(home.id.get());
        let asked = group.clone();
        let page = self.visit.ask(move |query| permitted(group::page(query, &asked))).await?;
        Ok(page.filter(|page| may(&page.may)).map(|_| group))
    }

    /// A text of the project as others will see it: HTML that is safe.
    pub(crate) async fn rendered(&self, text: String) -> Result<String, PageError> {
        let project = self.project();
        self.visit.ask(move |query| markdown::render(query, &text, true, Some(&project))).await
    }

    /// The code of the project; 403 where the caller may not read it.
    pub(crate) fn code(&self) -> Result<&Code, PageError> {
        let forbidden = PageError::Status(actix_web::http::StatusCode::FORBIDDEN, None);
        self.page.code.as_ref().ok_or(forbidden)
    }

    /// A branch, tag or commit with a path, as the request names them.
    fn at(&self) -> Address {
        let only = match self.visit.query("ref_type") {
            Some("heads") => Some(RefKind::Branch),
            Some("tags") => Some(RefKind::Tag),
            _ => None,
        };
        Address { segments: self.asked.below("file").to_vec(), only }
    }
}
