//! The pages of a project.

mod access_tokens;
mod activity;
mod approval_rules;
mod archive;
mod autocomplete;
mod badges;
mod blame;
mod boards;
mod branch_list;
pub(crate) mod commit;
mod commits;
mod compare;
mod contributors;
mod deploy_tokens;
mod diff_context;
pub(crate) mod feed;
mod file;
mod file_change;
mod file_tree;
mod find_file;
mod fork;
mod graph;
mod home;
mod hook;
mod import;
mod logs;
mod members;
mod mirror;
pub(crate) mod new;
mod notification;
mod preview;
mod protected_ref;
mod raw;
mod ref_change;
mod ref_row;
mod refs;
mod releases;
mod replay;
mod repository;
mod setting_words;
mod settings;
mod share;
mod shares;
mod spot;
mod starrers;
mod switch;
mod tag;
mod tree;
mod upload;
mod variables;
mod wiki;

use crate::context::watch::PATH;
use crate::kit::answer::Answer;
use crate::table::project::ProjectTable;

pub(crate) fn routes(table: &mut ProjectTable) {
    code_pages(table);
    places(table);
}

/// Members of the project, its settings, its forks.
fn places(table: &mut ProjectTable) {
    table.page("/project_members", members::read, members::show);
    table.post("/project_members", members::add);
    table.put("/project_members/{id}", members::change);
    table.delete("/project_members/{id}", members::remove);
    table.delete("/project_members/leave", members::leave);
    table.post("/project_members/request_access", members::request_access);
    table.delete("/project_members/request_access", members::withdraw_request);
    table.put("/project_members/requests/{id}", members::approve);
    table.delete("/project_members/requests/{id}", members::deny);
    table.put("/project_members/invitations", members::resend);
    table.delete("/project_members/invitations", members::withdraw);
    approval_rules::routes(table);
    protected_ref::routes(table);
    table.get("/settings/members", |context| async move { Ok(Answer::to(&context.address("/project_members"))) });
    table.get("/group_links", |context| async move { Ok(Answer::to(&context.address("/project_members"))) });
    table.post("/group_links", share::create);
    table.delete("/group_links/{id}", share::delete);
    table.page("/edit", settings::read, settings::show);
    table.put("/edit", settings::update);
    table.post("/approvals", settings::approvals);
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
    table.post(PATH, notification::change);
    repository::routes(table);
    hook::routes(table);
    variables::routes(table);
    badges::routes(table);
    boards::routes(table);
    deploy_tokens::routes(table);
    wiki::routes(table);
    access_tokens::routes(table);
}

fn code_pages(table: &mut ProjectTable) {
    table.page("/", home::read, home::show);
    table.get("/tree", |context| async move { Ok(Answer::to(&context.address(""))) });
    table.get("/tree/{*file}", tree::show);
    table.get("/blob/{*file}", file::show);
    table.get("/raw/{*file}", raw::show);
    table.get("/commits", commits::list);
    table.get("/commits/{*file}", commits::list);
    table.get("/commit/{id}", commit::show);
    table.get("/commit/{id}/revert", replay::revert_form);
    table.post("/commit/{id}/revert", replay::revert);
    table.get("/commit/{id}/cherry_pick", replay::pick_form);
    table.post("/commit/{id}/cherry_pick", replay::pick);
    table.get("/contributors", contributors::list);
    file_change::routes(table);
    table.get("/network", graph::show);
    table.get("/network/{*file}", graph::show);
    ref_pages(table);
    table.get("/refs/switch", switch::show);
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

fn ref_pages(table: &mut ProjectTable) {
    table.get("/branches", refs::branches);
    table.get("/branches/all", refs::branches);
    table.get("/branches/active", refs::branches);
    table.get("/branches/stale", refs::branches);
    table.get("/branches/new", ref_change::new_branch);
    table.post("/branches", ref_change::create_branch);
    table.delete("/merged_branches", ref_change::delete_merged);
    // A branch or tag may have the name of one of the pages.
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
