//! A table of pages, independent of their subject.

use std::future::Future;

use actix_web::http::Method;
use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;

use crate::kit::answer::Answer;
use crate::kit::error::PageError;

/// The reason why a table of pages cannot be built: a pattern is invalid, or contradicts another one.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the page {pattern}: {source}")]
pub struct RouteError {
    pattern: &'static str,
    source: matchit::InsertError,
}

/// The segments that a pattern names in a path, as they were sent.
pub(crate) type Segments = Vec<(String, String)>;

/// The value that a handler returns.
pub(crate) type Outcome = LocalBoxFuture<'static, Result<Answer, PageError>>;

/// A handler: it is given the context of its page.
pub(crate) type Handler<C> = Box<dyn Fn(C) -> Outcome + Send + Sync>;

/// A function as a handler.
pub(crate) fn handler<C: 'static, F: Future<Output = Result<Answer, PageError>> + 'static>(
    function: fn(C) -> F,
) -> Handler<C> {
    Box::new(move |context| function(context).boxed_local())
}

/// All actions at one path. `A` answers a method.
pub(crate) struct Page<A> {
    pub(crate) pattern: &'static str,
    actions: Vec<(Method, A)>,
}

impl<A> Page<A> {
    pub(crate) fn new(pattern: &'static str, actions: Vec<(Method, A)>) -> Self {
        Self { pattern, actions }
    }

    /// The action for this method. HEAD is answered as GET.
    pub(crate) fn action(&self, method: &Method) -> Option<&A> {
        let wanted = if *method == Method::HEAD { &Method::GET } else { method };
        self.actions.iter().find(|(known, _)| known == wanted).map(|(_, action)| action)
    }

    /// True if something can be changed at this path.
    pub(crate) fn writes(&self) -> bool {
        self.actions.iter().any(|(method, _)| *method != Method::GET)
    }

    /// The methods that are answered, as the header `Allow` lists them.
    pub(crate) fn methods(&self) -> String {
        let mut methods: Vec<&str> = self.actions.iter().map(|(method, _)| method.as_str()).collect();
        if methods.contains(&Method::GET.as_str()) {
            methods.push(Method::HEAD.as_str());
        }
        methods.sort_unstable();
        methods.join(", ")
    }
}

/// Pages by the patterns of their paths. `A` answers a method.
pub(crate) struct PageTable<A> {
    pages: Vec<Page<A>>,
    by_path: matchit::Router<usize>,
}

impl<A> Default for PageTable<A> {
    fn default() -> Self {
        Self { pages: Vec::new(), by_path: matchit::Router::new() }
    }
}

impl<A> PageTable<A> {
    /// Adds the action for a method at the paths of a pattern.
    pub(crate) fn add(&mut self, method: Method, pattern: &'static str, action: A) {
        match self.pages.iter_mut().find(|page| page.pattern == pattern) {
            Some(page) => page.actions.push((method, action)),
            None => self.pages.push(Page::new(pattern, vec![(method, action)])),
        }
    }

    /// The complete table. Fails if two patterns contradict each other.
    pub(crate) fn finish(mut self) -> Result<Self, RouteError> {
        for (index, page) in self.pages.iter().enumerate() {
            let pattern = page.pattern;
            self.by_path.insert(pattern, index).map_err(|source| RouteError { pattern, source })?;
        }
        Ok(self)
    }

    /// The page of a path, and the segments that its pattern names. Both are as they were sent.
    pub(crate) fn find(&self, path: &str) -> Option<(&Page<A>, Segments)> {
        let found = self.by_path.at(path).ok()?;
        let named = found.params.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        Some((self.pages.get(*found.value)?, named))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_at_one_path_are_one_page() {
        let mut table = PageTable::default();
        table.add(Method::GET, "/issues/{iid}", "read");
        table.add(Method::PUT, "/issues/{iid}", "change");
        table.add(Method::GET, "/issues/new", "new");
        let table = table.finish().unwrap();
        let (page, named) = table.find("/issues/7%20").unwrap();
        assert_eq!((page.methods().as_str(), page.writes()), ("GET, HEAD, PUT", true));
        assert_eq!((page.action(&Method::HEAD), page.action(&Method::POST)), (Some(&"read"), None));
        assert_eq!(named, [("iid".to_owned(), "7%20".to_owned())]);
        let (page, _) = table.find("/issues/new").unwrap();
        assert_eq!((page.pattern, page.writes()), ("/issues/new", false));
        assert!(table.find("/issues").is_none());
    }

    #[test]
    fn patterns_that_contradict_each_other_are_named() {
        let mut table = PageTable::default();
        table.add(Method::GET, "/issues/{iid}", ());
        table.add(Method::GET, "/issues/{id}", ());
        let error = table.finish().err().unwrap();
        assert!(error.to_string().starts_with("the page /issues/{id}: "), "{error}");
    }
}
