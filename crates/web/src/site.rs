//! The table of all pages.

use std::future::Future;
use std::sync::{Arc, LazyLock};

use actix_web::http::Method;
use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;
use tenon_app::identity::Guard;
use tenon_edge::{Edge, Fallback};

use crate::answer::Answer;
use crate::asset::Assets;
use crate::error::PageError;
use crate::project::Table;
use crate::visit::Visit;
use crate::{
    address, admin, dashboard, explore, group, help, home, oauth, profile, project, search, serve, session,
    unsubscribe, user,
};

/// The table of routes contradicts itself.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the page {pattern}: {source}")]
pub struct RouteError {
    pattern: &'static str,
    source: matchit::InsertError,
}

/// The pages of an application. Cheap to clone.
#[derive(Clone)]
pub struct Site(Arc<Shared>);

struct Shared {
    edge: Edge,
    tables: Arc<Tables>,
}

/// What is the same for every application in a process.
struct Tables {
    assets: Assets,
    routes: Routes,
    /// What answers all other paths.
    address: Page,
    /// What is below a project.
    of_projects: Table,
}

impl Site {
    /// The pages of the application behind `edge`. Fails where the table of routes contradicts itself.
    pub fn new(edge: Edge) -> Result<Self, RouteError> {
        static TABLES: LazyLock<Result<Arc<Tables>, RouteError>> = LazyLock::new(|| Tables::new().map(Arc::new));
        Ok(Self(Arc::new(Shared { edge, tables: TABLES.clone()? })))
    }

    /// What answers the paths that are neither the API, nor Git, nor files.
    #[must_use]
    pub fn fallback(&self) -> Fallback {
        let site = self.clone();
        Arc::new(move |request, payload| serve::serve(site.clone(), request, payload).boxed_local())
    }

    pub(crate) fn edge(&self) -> &Edge {
        &self.0.edge
    }

    pub(crate) fn assets(&self) -> &Assets {
        &self.0.tables.assets
    }

    pub(crate) fn find(&self, path: &str) -> Option<(&Page, Vec<(String, String)>)> {
        self.0.tables.routes.find(path)
    }

    /// The page of a path that the table does not have: that of a project, group or user.
    pub(crate) fn by_address(&self) -> &Page {
        &self.0.tables.address
    }

    /// The pages of projects.
    pub(crate) fn of_projects(&self) -> &Table {
        &self.0.tables.of_projects
    }
}

impl Tables {
    fn new() -> Result<Self, RouteError> {
        let mut routes = Routes::default();
        home::routes(&mut routes);
        admin::routes(&mut routes);
        dashboard::routes(&mut routes);
        explore::routes(&mut routes);
        search::routes(&mut routes);
        group::routes(&mut routes);
        project::new::routes(&mut routes);
        session::routes(&mut routes);
        profile::routes(&mut routes);
        oauth::routes(&mut routes);
        unsubscribe::routes(&mut routes);
        help::routes(&mut routes);
        user::routes(&mut routes);
        let of_projects = project::table().map_err(|(pattern, source)| RouteError { pattern, source })?;
        Ok(Self { assets: Assets::load(), routes: routes.finish()?, address: address::page(), of_projects })
    }
}

type Handler = Box<dyn Fn(Visit) -> LocalBoxFuture<'static, Result<Answer, PageError>> + Send + Sync>;

/// One method of a page.
pub(crate) struct Action {
    pub(crate) method: Method,
    pub(crate) guard: Guard,
    pub(crate) run: Handler,
}

/// Everything at one path.
pub(crate) struct Page {
    pub(crate) pattern: &'static str,
    pub(crate) actions: Vec<Action>,
}

impl Page {
    /// What answers this method; HEAD is answered as GET.
    pub(crate) fn action(&self, method: &Method) -> Option<&Action> {
        let wanted = if *method == Method::HEAD { &Method::GET } else { method };
        self.actions.iter().find(|action| action.method == wanted)
    }

    /// The methods that are answered, as the header `Allow` lists them.
    pub(crate) fn methods(&self) -> String {
        allowed(self.actions.iter().map(|action| &action.method))
    }
}

/// These methods as the header `Allow` lists them; HEAD is answered as GET.
pub(crate) fn allowed<'m>(methods: impl Iterator<Item = &'m Method>) -> String {
    let mut methods: Vec<&str> = methods.map(Method::as_str).collect();
    if methods.contains(&Method::GET.as_str()) {
        methods.push(Method::HEAD.as_str());
    }
    methods.sort_unstable();
    methods.join(", ")
}

/// Pages by path.
#[derive(Default)]
pub(crate) struct Routes {
    pages: Vec<Page>,
    by_path: matchit::Router<usize>,
}

impl Routes {
    pub(crate) fn get<F: Future<Output = Result<Answer, PageError>> + 'static>(
        &mut self,
        pattern: &'static str,
        guard: Guard,
        handler: fn(Visit) -> F,
    ) {
        self.add(Method::GET, pattern, guard, handler);
    }

    pub(crate) fn post<F: Future<Output = Result<Answer, PageError>> + 'static>(
        &mut self,
        pattern: &'static str,
        guard: Guard,
        handler: fn(Visit) -> F,
    ) {
        self.add(Method::POST, pattern, guard, handler);
    }

    pub(crate) fn put<F: Future<Output = Result<Answer, PageError>> + 'static>(
        &mut self,
        pattern: &'static str,
        guard: Guard,
        handler: fn(Visit) -> F,
    ) {
        self.add(Method::PUT, pattern, guard, handler);
    }

    pub(crate) fn delete<F: Future<Output = Result<Answer, PageError>> + 'static>(
        &mut self,
        pattern: &'static str,
        guard: Guard,
        handler: fn(Visit) -> F,
    ) {
        self.add(Method::DELETE, pattern, guard, handler);
    }

    fn add<F: Future<Output = Result<Answer, PageError>> + 'static>(
        &mut self,
        method: Method,
        pattern: &'static str,
        guard: Guard,
        handler: fn(Visit) -> F,
    ) {
        let action = Action { method, guard, run: Box::new(move |visit| handler(visit).boxed_local()) };
        match self.pages.iter_mut().find(|page| page.pattern == pattern) {
            Some(page) => page.actions.push(action),
            None => self.pages.push(Page { pattern, actions: vec![action] }),
        }
    }

    pub(crate) fn finish(mut self) -> Result<Self, RouteError> {
        for (index, page) in self.pages.iter().enumerate() {
            let pattern = page.pattern;
            self.by_path.insert(pattern, index).map_err(|source| RouteError { pattern, source })?;
        }
        Ok(self)
    }

    pub(crate) fn find(&self, path: &str) -> Option<(&Page, Vec<(String, String)>)> {
        let found = self.by_path.at(path).ok()?;
        let segments = found.params.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        Some((self.pages.get(*found.value)?, segments))
    }
}
