//! The table of the pages of projects: the reads and actions at each path below a project.

use std::future::Future;

use actix_web::http::Method;
use futures_util::FutureExt as _;
use tenon_app::Query;
use tenon_app::error::AppError;

use super::page_table::{Outcome, Page, PageTable};
use crate::context::project::{Named, ProjectContext, ProjectRequest};
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::segment::{decode, decode_path};

/// The rest of a request after the snapshot of its page was read. It holds the data that was read.
pub(crate) type Continuation = Box<dyn FnOnce(ProjectContext) -> Outcome + Send>;

/// The answer to a method of a page of a project. It asks the database for the data of the page, on the snapshot on
/// which the project was found.
pub(crate) type ProjectAction =
    Box<dyn Fn(&mut Query<'_>, &ProjectRequest) -> Result<Continuation, AppError> + Send + Sync>;

/// The pages of projects, by their paths below a project.
pub(crate) type ProjectTable = PageTable<ProjectAction>;

impl ProjectTable {
    /// A page that reads the database. `read` runs on the snapshot of the page, and `show` makes the page from its
    /// result.
    pub(crate) fn page<T: Send + 'static, F: Future<Output = Result<Answer, PageError>> + 'static>(
        &mut self,
        pattern: &'static str,
        read: fn(&mut Query<'_>, &ProjectRequest) -> Result<T, AppError>,
        show: fn(ProjectContext, T) -> F,
    ) {
        let action: ProjectAction = Box::new(move |query, asked| {
            let found = read(query, asked)?;
            Ok(Box::new(move |context| show(context, found).boxed_local()))
        });
        self.add(Method::GET, pattern, action);
    }

    /// A page that needs only its project from the database.
    pub(crate) fn get<F: Future<Output = Result<Answer, PageError>> + 'static>(
        &mut self,
        pattern: &'static str,
        show: fn(ProjectContext) -> F,
    ) {
        self.act(Method::GET, pattern, show);
    }

    /// An action that changes something. Its use case decides if the caller may.
    pub(crate) fn act<F: Future<Output = Result<Answer, PageError>> + 'static>(
        &mut self,
        method: Method,
        pattern: &'static str,
        act: fn(ProjectContext) -> F,
    ) {
        self.add(method, pattern, Box::new(move |_, _| Ok(Box::new(move |context| act(context).boxed_local()))));
    }

    pub(crate) fn post<F: Future<Output = Result<Answer, PageError>> + 'static>(
        &mut self,
        pattern: &'static str,
        act: fn(ProjectContext) -> F,
    ) {
        self.act(Method::POST, pattern, act);
    }

    pub(crate) fn put<F: Future<Output = Result<Answer, PageError>> + 'static>(
        &mut self,
        pattern: &'static str,
        act: fn(ProjectContext) -> F,
    ) {
        self.act(Method::PUT, pattern, act);
    }

    pub(crate) fn delete<F: Future<Output = Result<Answer, PageError>> + 'static>(
        &mut self,
        pattern: &'static str,
        act: fn(ProjectContext) -> F,
    ) {
        self.act(Method::DELETE, pattern, act);
    }

    /// The page at a path below a project, and the segments that its pattern names. The path is given as it was sent.
    pub(crate) fn find_below(&self, raw: &[String]) -> Option<(&Page<ProjectAction>, Named)> {
        let (page, named) = self.find(&format!("/{}", raw.join("/")))?;
        let named = named.into_iter().map(|(name, text)| {
            // Only paths of files need not be UTF-8. Other names are searched in the database.
            let decode = if name == "file" { decode_path } else { decode };
            let segments = text.split('/').map(decode).collect::<Option<Vec<String>>>()?;
            Some((name, segments))
        });
        Some((page, named.collect::<Option<_>>()?))
    }

    /// True if something can be changed at this path, for any possible end of the path of a project. This is known
    /// without asking if the project exists.
    pub(crate) fn may_write_at(&self, raw: &[String]) -> bool {
        let below = (SHORTEST..raw.len()).take(DEEPEST).filter_map(|at| raw.get(at..));
        let writes = |raw: &[String]| self.find_below(raw).is_some_and(|(page, _)| page.writes());
        below.map(without_dash).any(writes)
    }
}

/// The number of segments of the shortest path of a project, and the number of further ones that are tried.
const SHORTEST: usize = 2;
const DEEPEST: usize = 20;

/// Newer addresses have `/-/` between the project and its pages.
pub(crate) fn without_dash(raw: &[String]) -> &[String] {
    match raw {
        [dash, rest @ ..] if dash == "-" && !rest.is_empty() => rest,
        raw => raw,
    }
}

#[cfg(test)]
mod tests {
    use tenon_app::Reference;
    use tenon_domain::id::Iid;

    use super::*;
    use crate::kit::parameters::Parameters;

    fn split(path: &str) -> Vec<String> {
        path.split('/').map(str::to_owned).collect()
    }

    async fn nothing(_: ProjectContext) -> Result<Answer, PageError> {
        Err(PageError::NotFound)
    }

    #[test]
    fn a_path_is_found_whatever_the_project_is_called() {
        let mut table = ProjectTable::default();
        table.get("/issues/new", nothing);
        table.get("/issues/{iid}", nothing);
        table.post("/issues", nothing);
        table.get("/tree/{*path}", nothing);
        let table = table.finish().ok().unwrap();
        for (path, want) in [
            ("a/b/issues", true),
            ("a/b/-/issues", true),
            ("a/b/c/d/issues", true),
            ("a/issues", false),
            ("a/b/issues/new", false),
            ("a/b/tree/issues", true),
            ("a/b/tree/x/issues", true),
        ] {
            assert_eq!(table.may_write_at(&split(path)), want, "{path}");
        }
        let (_, named) = table.find_below(&split("tree/a%20b/c%2Fd")).unwrap();
        assert_eq!(named, [("path".to_owned(), vec!["a b".to_owned(), "c/d".to_owned()])]);
        assert!(table.find_below(&split("tree/a/..")).is_none());
        let (page, named) = table.find_below(&split("issues/7")).unwrap();
        let asked = ProjectRequest { project: Reference::Id(1), pattern: "", named, query: Parameters::default() };
        assert_eq!((asked.iid().unwrap(), page.methods().as_str()), (Iid::new(7), "GET, HEAD"));
        for wrong in ["07", "0", "-1", "+7", "x", "99999999999999999999"] {
            let named = vec![("iid".to_owned(), vec![wrong.to_owned()])];
            let asked = ProjectRequest { project: Reference::Id(1), pattern: "", named, query: Parameters::default() };
            assert!(asked.iid().is_err(), "{wrong}");
        }
    }
}
