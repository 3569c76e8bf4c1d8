//! Typed parameters. A struct made with [`params!`] is at once the list of what an endpoint takes, the
//! way it is read, and its documentation.

pub(crate) mod body;
mod each;
pub(crate) mod level;
mod macros;
mod multipart;
mod param;
pub(crate) mod param_map;
pub(crate) mod problems;
pub(crate) mod raw;
mod scalar;
pub(crate) mod sort;
mod time;

pub(crate) use each::{Each, Hash, StrictHash};
pub(crate) use macros::{choice, params};
pub(crate) use param::{Paging, Param};
pub(crate) use raw::{RawParam, RawParams, Upload};
pub(crate) use scalar::{Choice, Filled, Reading, Scalar};
pub(crate) use time::parse_moment;
use utoipa::openapi::{RefOr, Schema};

use self::problems::Problems;
use crate::wire::error::ApiError;

impl RawParams {
    /// Reads `P`, or lists all problems in one 400.
    pub(crate) fn read<P: FromParams>(&self) -> Result<P, ApiError> {
        let mut reader = Reader { raw: self, declared: Vec::new(), problems: Problems::default(), within: None };
        match P::from_params(&mut reader) {
            Some(params) if reader.problems.is_empty() => Ok(params),
            _ => Err(ApiError::parameters(&reader.problems.into_text())),
        }
    }
}

/// The parameters of an endpoint.
pub(crate) trait FromParams: Sized + 'static {
    /// Reads all fields and notes every problem; `None` if there is any.
    fn from_params(reader: &mut Reader<'_>) -> Option<Self>;

    /// What can be sent, in the order of declaration.
    fn fields() -> Vec<FieldDoc>;
}

/// Parameters whose problems wait: for endpoints that must tell something else before them.
pub(crate) struct Deferred<P>(pub(crate) Result<P, ApiError>);

impl<P: FromParams> FromParams for Deferred<P> {
    fn from_params(reader: &mut Reader<'_>) -> Option<Self> {
        let params = P::from_params(reader);
        let problems = std::mem::take(&mut reader.problems);
        Some(Self(match params {
            Some(params) if problems.is_empty() => Ok(params),
            Some(_) | None => Err(ApiError::parameters(&problems.into_text())),
        }))
    }

    fn fields() -> Vec<FieldDoc> {
        P::fields()
    }
}

/// For endpoints without parameters of their own.
impl FromParams for () {
    fn from_params(_: &mut Reader<'_>) -> Option<Self> {
        Some(())
    }

    fn fields() -> Vec<FieldDoc> {
        Vec::new()
    }
}

/// One parameter in the API description.
#[derive(Clone)]
pub(crate) struct FieldDoc {
    /// The name on the wire.
    pub(crate) name: &'static str,
    /// What it means.
    pub(crate) description: String,
    /// Whether a request without it is refused.
    pub(crate) required: bool,
    /// What it looks like.
    pub(crate) schema: RefOr<Schema>,
}

impl FieldDoc {
    /// The parameter `name`, with the lines of its doc comment.
    pub(crate) fn new(name: &'static str, doc: &[&str], required: bool, schema: impl Into<RefOr<Schema>>) -> Self {
        let description = doc.iter().map(|line| line.trim()).collect::<Vec<_>>().join("\n").trim().to_owned();
        Self { name, description, required, schema: schema.into() }
    }
}

/// The name on the wire of a field; `r#type` is sent as `type`.
pub(crate) fn wire_name(field: &'static str) -> &'static str {
    field.strip_prefix("r#").unwrap_or(field)
}

/// Reads the fields of one request and gathers what is wrong with them.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    raw: &'a RawParams,
    declared: Vec<&'static str>,
    problems: Problems,
    /// The hash that the fields belong to, where it is one of a list.
    within: Option<String>,
}

impl<'a> Reader<'a> {
    /// What was sent under the first of `names` that was sent. The first name is the one that problems speak of.
    pub(crate) fn raw(&mut self, names: &[&'static str]) -> RawParam<'a> {
        self.declared.extend(names.iter().take(1));
        let raw = self.raw;
        names.iter().map(|name| raw.get(name)).find(|raw| !matches!(raw, RawParam::Absent)).unwrap_or(RawParam::Absent)
    }

    /// Notes that `name` is wrong: `complain("title", "is missing")`.
    pub(crate) fn complain(&mut self, name: &str, what: &str) {
        let position = self.position(&[name]);
        let problem = match &self.within {
            Some(hash) => format!("{hash}[{name}] {what}"),
            None => format!("{name} {what}"),
        };
        self.problems.add(position, problem);
    }

    /// Whether the request names `name` at all, be it empty.
    pub(crate) fn is_given(&self, name: &str) -> bool {
        !matches!(self.raw.get(name), RawParam::Absent)
    }

    /// Refuses a request that names none of `names`.
    pub(crate) fn at_least_one_of(&mut self, names: &[&str]) {
        if self.those_sent(names).is_empty() {
            self.broken(names, names, " are missing, at least one parameter must be provided");
        }
    }

    /// Refuses a request that names none of `names`, or several.
    pub(crate) fn exactly_one_of(&mut self, names: &[&str]) {
        if self.those_sent(names).is_empty() {
            self.broken(names, names, " are missing, exactly one parameter must be provided");
        }
        self.mutually_exclusive(names);
    }

    /// Refuses a request that names several of `names`.
    pub(crate) fn mutually_exclusive(&mut self, names: &[&str]) {
        let sent = self.those_sent(names);
        if sent.len() > 1 {
            self.broken(names, &sent, " are mutually exclusive");
        }
    }

    /// Refuses a request that names some of `names` without the others.
    pub(crate) fn all_or_none_of(&mut self, names: &[&str]) {
        let sent = self.those_sent(names);
        if !sent.is_empty() && sent.len() < names.len() {
            self.broken(names, names, " provide all or none of parameters");
        }
    }

    fn those_sent<'n>(&self, names: &[&'n str]) -> Vec<&'n str> {
        names.iter().copied().filter(|name| self.is_given(name)).collect()
    }

    /// A rule over several names is reported right behind the last of them.
    fn broken(&mut self, names: &[&str], listed: &[&str], what: &str) {
        let position = self.position(names);
        self.problems.add(position, listed.join(", ") + what);
    }

    fn position(&self, names: &[&str]) -> usize {
        self.declared.iter().rposition(|declared| names.contains(declared)).unwrap_or(self.declared.len())
    }
}

#[cfg(test)]
mod tests;
