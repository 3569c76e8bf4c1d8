//! The table of routes. Each route has a guard and a summary. This table is the source of all that depends on the list
//! of routes: 405 and its `Allow`, OPTIONS, the API description, the contract tests.

use std::collections::HashMap;
use std::fmt;
use std::future::Future;

use actix_web::HttpResponse;
use actix_web::http::Method;
use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;
use percent_encoding::percent_decode_str;
use tenon_app::identity::Guard;
use tenon_domain::file_path::{bytes_of, kept_from_outside};
use tenon_domain::token::ScopeRule;
use tenon_edge::error::ApiError;
#[cfg(test)]
use tenon_edge::raw::RawParams;

use super::call::{Call, RawCall};
use super::reply::{Reply, ReplyDoc};
#[cfg(test)]
use crate::params::ReadParams as _;
use crate::params::{FieldDoc, FromParams};

/// Runs one endpoint. Type-erased, so that the code around it is compiled once and not per endpoint.
type Run = Box<dyn Fn(RawCall) -> LocalBoxFuture<'static, Result<HttpResponse, ApiError>> + Send + Sync>;

/// One method of one path.
pub(crate) struct Endpoint {
    pub(crate) method: Method,
    /// The path as people write it: `/users/{id}`.
    pub(crate) path: String,
    pub(crate) path_params: Vec<PathParam>,
    pub(crate) guard: Guard,
    pub(crate) scope: ScopeRule,
    pub(crate) tag: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) body_limit: Option<usize>,
    pub(crate) fields: fn() -> Vec<FieldDoc>,
    pub(crate) reply: fn() -> ReplyDoc,
    pub(crate) run: Run,
    /// The parameters as they are read, as text: two requests with the same text are answered the same.
    #[cfg(test)]
    pub(crate) read: fn(&RawParams) -> Result<String, ApiError>,
}

/// A named segment of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PathParam {
    pub(crate) name: &'static str,
    /// Written `{name:int}`: anything but a number there is an unknown route.
    pub(crate) numeric: bool,
}

impl PathParam {
    /// True if the parameter can have this value. Only paths of files may be other bytes than UTF-8, and nothing has a
    /// NUL.
    fn admits(self, value: &str) -> bool {
        let is_path = matches!(self.name, "file_path" | "submodule");
        let is_readable = !value.contains('\0') || (is_path && bytes_of(value).is_some());
        is_readable
            && (!self.numeric || (value.bytes().all(|byte| byte.is_ascii_digit()) && value.parse::<i64>().is_ok()))
    }
}

impl Endpoint {
    fn admits(&self, values: &[String]) -> bool {
        self.path_params.iter().zip(values).all(|(param, value)| param.admits(value))
    }
}

/// A route, for tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteInfo {
    /// GET, POST, PUT, PATCH or DELETE.
    pub method: String,
    /// The path below `/api/v4`, with `{name}` for the variable parts.
    pub path: String,
    /// The guard.
    pub guard: Guard,
    /// The scopes of tokens that allow it.
    pub scope: ScopeRule,
}

/// Two routes that conflict, or an invalid pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("route {method} {pattern}: {reason}")]
pub struct RouteError {
    method: String,
    pattern: String,
    reason: String,
}

/// Collects the routes, resource by resource.
pub(crate) struct Routes {
    table: RouteTable,
    known: HashMap<String, usize>,
    tag: &'static str,
    scope: ScopeRule,
    body_limit: Option<usize>,
    refused: Option<RouteError>,
}

impl Routes {
    /// No routes.
    pub(crate) fn new() -> Self {
        let table = RouteTable { router: matchit::Router::new(), paths: Vec::new() };
        Self { table, known: HashMap::new(), tag: "", scope: ScopeRule::Api, body_limit: None, refused: None }
    }

    /// Starts the routes of one chapter of the API description, with the default scopes and body limit.
    pub(crate) fn tag(&mut self, tag: &'static str) -> &mut Self {
        self.tag = tag;
        self.scope = ScopeRule::Api;
        self.body_limit = None;
        self
    }

    /// Sets the scopes of the following routes of this tag.
    pub(crate) fn scope(&mut self, scope: ScopeRule) -> &mut Self {
        self.scope = scope;
        self
    }

    /// Sets the body limit, in bytes, of the following routes of this tag.
    pub(crate) fn body_limit(&mut self, bytes: usize) -> &mut Self {
        self.body_limit = Some(bytes);
        self
    }

    /// The table, unless two routes conflict.
    pub(crate) fn finish(self) -> Result<RouteTable, RouteError> {
        self.refused.map_or(Ok(self.table), Err)
    }

    fn add<P, R, F, W>(
        &mut self,
        method: Method,
        pattern: &'static str,
        guard: Guard,
        handler: F,
        summary: &'static str,
    ) -> &mut Self
    where
        P: FromParams,
        R: Reply,
        F: Fn(Call<P>) -> W + Copy + Send + Sync + 'static,
        W: Future<Output = Result<R, ApiError>> + 'static,
    {
        let run: Run = Box::new(move |raw| {
            async move {
                let call = raw.parsed::<P>().await?;
                let head = call.head().clone();
                handler(call).await?.respond(&head)
            }
            .boxed_local()
        });
        let (tag, scope, body_limit) = (self.tag, self.scope, self.body_limit);
        let endpoint = Endpoint {
            method,
            path: String::new(),
            path_params: Vec::new(),
            guard,
            scope,
            tag,
            summary,
            body_limit,
            fields: P::fields,
            reply: R::describe,
            run,
            #[cfg(test)]
            read: |raw| raw.read::<P>().map(|params| format!("{params:?}")),
        };
        self.insert(pattern, endpoint)
    }

    /// Adds an endpoint at the path of this pattern.
    fn insert(&mut self, pattern: &'static str, endpoint: Endpoint) -> &mut Self {
        let (key, path, path_params) = compile(pattern);
        let endpoint = Endpoint { path, path_params, ..endpoint };
        let method = endpoint.method.to_string();
        if let Err(reason) = self.try_insert(key, endpoint) {
            self.refused.get_or_insert(RouteError { method, pattern: pattern.to_owned(), reason });
        }
        self
    }

    fn try_insert(&mut self, key: String, endpoint: Endpoint) -> Result<(), String> {
        let next = self.table.paths.len();
        let index = self.known.get(&key).copied().unwrap_or(next);
        if index == next {
            self.table.router.insert(key.clone(), index).map_err(|error| error.to_string())?;
            self.table.paths.push(Vec::new());
            self.known.insert(key, index);
        }
        let endpoints = self.table.paths.get_mut(index).ok_or("no such path")?;
        if endpoints.iter().any(|known| known.method == endpoint.method) {
            return Err("is there already".to_owned());
        }
        endpoints.push(endpoint);
        Ok(())
    }
}

macro_rules! methods {
    ($($(#[doc = $doc:literal])* $name:ident $method:ident;)*) => {
        impl Routes {
            $($(#[doc = $doc])*
            pub(crate) fn $name<P, R, F, W>(
                &mut self,
                pattern: &'static str,
                guard: Guard,
                handler: F,
                summary: &'static str,
            ) -> &mut Self
            where
                P: FromParams,
                R: Reply,
                F: Fn(Call<P>) -> W + Copy + Send + Sync + 'static,
                W: Future<Output = Result<R, ApiError>> + 'static,
            {
                self.add(Method::$method, pattern, guard, handler, summary)
            })*
        }
    };
}

methods! {
    /// Adds a GET route, which answers HEAD as well.
    get GET;
    /// Adds a POST route.
    post POST;
    /// Adds a PUT route.
    put PUT;
    /// Adds a PATCH route.
    patch PATCH;
    /// Adds a DELETE route.
    delete DELETE;
}

/// A pattern for the router, the same pattern for people, and its parameters. The router gets numbers as names, so that
/// `/users/{id}` and `/users/{name}/status` agree about their common part.
fn compile(pattern: &'static str) -> (String, String, Vec<PathParam>) {
    let (mut key, mut path, mut params) = (String::new(), String::new(), Vec::new());
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        let (inside, behind) = after.split_once('}').unwrap_or((after, ""));
        let (name, numeric) = inside.strip_suffix(":int").map_or((inside, false), |name| (name, true));
        let (star, name) = name.strip_prefix('*').map_or(("", name), |name| ("*", name));
        key.extend([before, "{", star, params.len().to_string().as_str(), "}"]);
        path.extend([before, "{", name, "}"]);
        params.push(PathParam { name, numeric });
        rest = behind;
    }
    (key + rest, path + rest, params)
}

/// All routes.
pub(crate) struct RouteTable {
    router: matchit::Router<usize>,
    /// The methods of each path.
    paths: Vec<Vec<Endpoint>>,
}

/// The result of looking up a method and a path.
pub(crate) enum Lookup<'t> {
    /// An endpoint, and the decoded segments that its pattern names.
    Endpoint(&'t Endpoint, Vec<(&'static str, String)>),
    /// OPTIONS of a known path: the pattern and the value of `Allow`.
    Options(&'t str, String),
    /// A known path with other methods: the pattern and the value of `Allow`.
    OtherMethod(&'t str, String),
    /// A path of the previous API.
    Gone,
    /// No route.
    Unknown,
}

impl RouteTable {
    /// Looks up a path that is still encoded.
    pub(crate) fn find(&self, method: &Method, raw_path: &str) -> Lookup<'_> {
        match (self.look_up(method, raw_path), raw_path.strip_suffix(".json")) {
            // Clients of older releases put the format behind the path.
            (Lookup::Unknown, Some(without_format)) => self.look_up(method, without_format),
            (found, _) => found,
        }
    }

    fn look_up(&self, method: &Method, raw_path: &str) -> Lookup<'_> {
        let Ok(matched) = self.router.at(raw_path) else {
            return Lookup::Unknown;
        };
        let values: Vec<String> = matched.params.iter().map(|(_, raw)| decode_segment(raw)).collect();
        let endpoints =
            self.paths.get(*matched.value).into_iter().flatten().filter(|endpoint| endpoint.admits(&values));
        let endpoints: Vec<&Endpoint> = endpoints.collect();
        let Some(first) = endpoints.first() else {
            return Lookup::Unknown;
        };
        let wanted = if method == Method::HEAD { &Method::GET } else { method };
        if let Some(endpoint) = endpoints.iter().find(|endpoint| endpoint.method == *wanted) {
            let names = endpoint.path_params.iter().map(|param| param.name);
            return Lookup::Endpoint(endpoint, names.zip(values).collect());
        }
        let allow = allow(&endpoints);
        if method == Method::OPTIONS {
            Lookup::Options(&first.path, allow)
        } else {
            Lookup::OtherMethod(&first.path, allow)
        }
    }

    /// All endpoints, path by path in the order in which they were declared.
    pub(crate) fn endpoints(&self) -> impl Iterator<Item = &Endpoint> {
        self.paths.iter().flatten()
    }

    /// All routes, for contract tests and the authorization matrix.
    pub(crate) fn listing(&self) -> Vec<RouteInfo> {
        self.endpoints()
            .map(|endpoint| RouteInfo {
                method: endpoint.method.to_string(),
                path: endpoint.path.clone(),
                guard: endpoint.guard,
                scope: endpoint.scope,
            })
            .collect()
    }
}

impl fmt::Debug for RouteTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.listing()).finish()
    }
}

fn allow(endpoints: &[&Endpoint]) -> String {
    let mut methods = vec!["OPTIONS"];
    for endpoint in endpoints {
        methods.push(endpoint.method.as_str());
        if endpoint.method == Method::GET {
            methods.push("HEAD");
        }
    }
    methods.join(", ")
}

/// Decodes one segment, exactly once, to its kept form.
fn decode_segment(raw: &str) -> String {
    let bytes: Vec<u8> = percent_decode_str(raw).collect();
    kept_from_outside(&bytes)
}

#[cfg(test)]
mod tests;
