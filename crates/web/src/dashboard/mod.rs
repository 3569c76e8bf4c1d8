//! What a user has to do with, and has to do: projects, issues, merge requests, the to-do list.

mod activity;
mod groups;
mod issuables;
mod milestones;
mod projects;
mod todos;

use tenon_app::Query;
use tenon_app::error::AppError;
use tenon_app::identity::Guard;
use tenon_app::user::{self, Workload};

use crate::site::Routes;

pub(crate) use self::projects::{ProjectList, ProjectOrdering, of_caller, shown};

pub(crate) fn routes(routes: &mut Routes) {
    routes.get("/dashboard", Guard::SignedIn, projects::own);
    routes.get("/dashboard/projects", Guard::SignedIn, projects::own);
    routes.get("/dashboard/projects/starred", Guard::SignedIn, projects::starred);
    routes.get("/dashboard/activity", Guard::SignedIn, activity::list);
    routes.get("/dashboard/groups", Guard::SignedIn, groups::list);
    routes.get("/dashboard/issues", Guard::SignedIn, issuables::issues);
    routes.get("/dashboard/merge_requests", Guard::SignedIn, issuables::merge_requests);
    routes.get("/dashboard/milestones", Guard::SignedIn, milestones::list);
    routes.get("/dashboard/todos", Guard::SignedIn, todos::list);
    routes.delete("/dashboard/todos/destroy_all", Guard::SignedIn, todos::mark_all_done);
    routes.delete("/dashboard/todos/{id}", Guard::SignedIn, todos::mark_done);
}

/// The top of each page of the dashboard.
pub(crate) struct Top {
    here: &'static str,
    pub(crate) work: Workload,
}

impl Top {
    pub(crate) fn read(query: &mut Query<'_>, here: &'static str) -> Result<Self, AppError> {
        Ok(Self { here, work: user::workload(query)? })
    }

    pub(crate) fn is_at(&self, tab: &str) -> bool {
        self.here == tab
    }
}
