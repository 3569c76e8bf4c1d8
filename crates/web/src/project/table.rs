//! The table of the pages of projects: what is read and done at which path below a project.

use std::future::Future;

use actix_web::http::Method;
use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;
use tenon_app::error::{AppError, Missing};
use tenon_app::{Query, Reference};
use tenon_domain::id::Iid;

use super::Room;
use crate::address::{decode, decode_path};
use crate::answer::Answer;
use crate::error::PageError;
use crate::parameters::Parameters;
use crate::site::allowed;

type Shown = LocalBoxFuture<'static, Result<Answer, PageError>>;

/// What is left to do when the snapshot of a page was read: it holds what was read.
pub(crate) type Then = Box<dyn FnOnce(Room) -> Shown + Send>;

/// What a page asks of the database, on the snapshot on which its project was found.
type Read = Box<dyn Fn(&mut Query<'_>, &Asked) -> Result<Then, AppError> + Send + Sync>;

/// What a pattern names in a path: each part with its segments, decoded; those of `file` to their kept form
/// ([`tenon_domain::file_path`]).
pub(crate) type Named = Vec<(String, Vec<String>)>;

/// What a request asks of a project.
#[derive(Clone)]
pub(crate) struct Asked {
    /// The project, as use cases name it.
    pub(crate) project: Reference,
    /// The pattern of the page, below its project.
    pub(crate) pattern: &'static str,
    /// What the pattern names in the path, decoded segment by segment.
    pub(crate) named: Named,
    /// The parameters in the address.
    pub(crate) query: Parameters,
}

impl Asked {
    /// The segments that the pattern calls so.
    pub(crate) fn below(&self, name: &str) -> &[String] {
        let found = self.named.iter().find(|(known, _)| known == name);
        found.map_or(&[], |(_, segments)| segments.as_slice())
    }

    /// The one segment that the pattern calls so.
    pub(crate) fn segment(&self, name: &str) -> &str {
        self.below(name).first().map_or("", String::as_str)
    }

    /// A segment that is the number of an issue, merge request or milestone. 404 where it is none.
    pub(crate) fn iid(&self) -> Result<Iid, AppError> {
        self.number("iid").map(Iid::new)
    }

    /// A segment as a number, written in the one way that numbers have. 404 where it is none.
    pub(crate) fn number(&self, name: &str) -> Result<i64, AppError> {
        let text = self.segment(name);
        let number = text.parse::<i64>().ok().filter(|number| *number > 0 && number.to_string() == text);
        number.ok_or(AppError::NotFound(Missing::Plain))
    }
}

/// Everything at one path below a project.
pub(crate) struct Entry {
    pub(crate) pattern: &'static str,
    actions: Vec<(Method, Read)>,
}

impl Entry {
    /// What answers this method; HEAD is answered as GET.
    pub(crate) fn action(&self, method: &Method) -> Option<&Read> {
        let wanted = if *method == Method::HEAD { &Method::GET } else { method };
        self.actions.iter().find(|(known, _)| known == wanted).map(|(_, read)| read)
    }

    fn writes(&self) -> bool {
        self.actions.iter().any(|(method, _)| *method != Method::GET)
    }

    /// The methods that are answered, as the header `Allow` lists them.
    pub(crate) fn methods(&self) -> String {
        allowed(self.actions.iter().map(|(method, _)| method))
    }
}

/// Pages by their paths below a project.
#[derive(Default)]
pub(crate) struct Table {
    entries: Vec<Entry>,
    by_path: matchit::Router<usize>,
}

impl Table {
    /// A page that reads the database: `read` runs on the snapshot of the page, `show` makes the page of what it found.
    pub(crate) fn page<T: Send + 'static, F: Future<Output = Result<Answer, PageError>> + 'static>(
        &mut self,
        pattern: &'static str,
        read: fn(&mut Query<'_>, &Asked) -> Result<T, AppError>,
        show: fn(Room, T) -> F,
    ) {
        let read: Read = Box::new(move |query, asked| {
            let found = read(query, asked)?;
            Ok(Box::new(move |room| show(room, found).boxed_local()))
        });
        self.add(Method::GET, pattern, read);
    }

    /// A page that needs nothing of the database but its project.
    pub(crate) fn get<F: Future<Output = Result<Answer, PageError>> + 'static>(
        &mut self,
        pattern: &'static str,
        show: fn(Room) -> F,
    ) {
        self.act(Method::GET, pattern, show);
    }

    /// What changes something. The use case that it calls decides whether the caller may.
    pub(crate) fn act<F: Future<Output = Result<Answer, PageError>> + 'static>(
        &mut self,
        method: Method,
        pattern: &'static str,
        act: fn(Room) -> F,
    ) {
        self.add(method, pattern, Box::new(move |_, _| Ok(Box::new(move |room| act(room).boxed_local()))));
    }

    pub(crate) fn post<F: Future<Output = Result<Answer, PageError>> + 'static>(
        &mut self,
        pattern: &'static str,
        act: fn(Room) -> F,
    ) {
        self.act(Method::POST, pattern, act);
    }

    pub(crate) fn put<F: Future<Output = Result<Answer, PageError>> + 'static>(
        &mut self,
        pattern: &'static str,
        act: fn(Room) -> F,
    ) {
        self.act(Method::PUT, pattern, act);
    }

    pub(crate) fn delete<F: Future<Output = Result<Answer, PageError>> + 'static>(
        &mut self,
        pattern: &'static str,
        act: fn(Room) -> F,
    ) {
        self.act(Method::DELETE, pattern, act);
    }

    fn add(&mut self, method: Method, pattern: &'static str, read: Read) {
        match self.entries.iter_mut().find(|entry| entry.pattern == pattern) {
            Some(entry) => entry.actions.push((method, read)),
            None => self.entries.push(Entry { pattern, actions: vec![(method, read)] }),
        }
    }

    /// The table, ready to be asked; the pattern that contradicts another one where there is one.
    pub(crate) fn finish(mut self) -> Result<Self, (&'static str, matchit::InsertError)> {
        for (index, entry) in self.entries.iter().enumerate() {
            self.by_path.insert(entry.pattern, index).map_err(|error| (entry.pattern, error))?;
        }
        Ok(self)
    }

    /// What is at a path below a project, which is given as it was sent, and the segments that the pattern names.
    pub(crate) fn find(&self, raw: &[String]) -> Option<(&Entry, Named)> {
        let path = format!("/{}", raw.join("/"));
        let found = self.by_path.at(&path).ok()?;
        let named = found.params.iter().map(|(name, text)| {
            // Only paths of files need not be UTF-8: other names are looked for in the database.
            let decode = if name == "file" { decode_path } else { decode };
            Some((name.to_owned(), text.split('/').map(decode).collect::<Option<Vec<String>>>()?))
        });
        Some((self.entries.get(*found.value)?, named.collect::<Option<_>>()?))
    }

    /// Whether something can be changed at this path, wherever in it the path of a project may end. That is known without
    /// asking whether there is such a project.
    pub(crate) fn may_write_at(&self, raw: &[String]) -> bool {
        let below = (SHORTEST..raw.len()).take(DEEPEST).filter_map(|at| raw.get(at..));
        let writes = |raw: &[String]| self.find(raw).is_some_and(|(entry, _)| entry.writes());
        below.map(without_dash).any(writes)
    }
}

/// Segments of the shortest path of a project, and how many more ones are tried.
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
    use super::*;

    fn split(path: &str) -> Vec<String> {
        path.split('/').map(str::to_owned).collect()
    }

    async fn nothing(_: Room) -> Result<Answer, PageError> {
        Err(PageError::NotFound)
    }

    #[test]
    fn a_path_is_found_whatever_the_project_is_called() {
        let mut table = Table::default();
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
        let (_, named) = table.find(&split("tree/a%20b/c%2Fd")).unwrap();
        assert_eq!(named, [("path".to_owned(), vec!["a b".to_owned(), "c/d".to_owned()])]);
        assert!(table.find(&split("tree/a/..")).is_none());
        let (entry, named) = table.find(&split("issues/7")).unwrap();
        let asked = Asked { project: Reference::Id(1), pattern: "", named, query: Parameters::default() };
        assert_eq!((asked.iid().unwrap(), entry.methods().as_str()), (Iid::new(7), "GET, HEAD"));
        for wrong in ["07", "0", "-1", "+7", "x", "99999999999999999999"] {
            let named = vec![("iid".to_owned(), vec![wrong.to_owned()])];
            let asked = Asked { project: Reference::Id(1), pattern: "", named, query: Parameters::default() };
            assert!(asked.iid().is_err(), "{wrong}");
        }
    }
}
