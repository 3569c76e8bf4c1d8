//! Typed parameters. A struct declared with [`params!`] is the list of an endpoint's parameters, their parser, and
//! their documentation.

mod branch_protection;
mod each;
mod keyset_paging;
pub(crate) mod level;
mod macros;
mod param;
mod problems;
mod scalar;
pub(crate) mod setting;
pub(crate) mod sort;
pub(crate) mod switches;
mod time;

use std::fmt::Debug;

pub(crate) use branch_protection::{
    BRANCH_PROTECTION_DEFAULTS, BranchProtectionParam, describe_defaults, read_defaults,
};
pub(crate) use each::{Each, Hash, StrictHash};
pub(crate) use keyset_paging::KeysetPaging;
pub(crate) use macros::{choice, params};
pub(crate) use param::{Nullable, Paging, Param};
pub(crate) use scalar::{Choice, Filled, FilledPath, PathText, Reading, Scalar};
use serde_json::Value;
use tenon_edge::error::ApiError;
use tenon_edge::raw::{RawParam, RawParams};
pub(crate) use time::parse_moment;
use utoipa::openapi::{RefOr, Schema};

use self::problems::Problems;

/// Reads parameters into the struct that declares them.
pub(crate) trait ReadParams {
    /// Reads `P`, or lists all problems in one 400.
    fn read<P: FromParams>(&self) -> Result<P, ApiError>;
}

impl ReadParams for RawParams {
    fn read<P: FromParams>(&self) -> Result<P, ApiError> {
        let mut reader = Reader::new(self, None);
        match P::from_params(&mut reader) {
            Some(params) if reader.problems.is_empty() => Ok(params),
            _ => Err(ApiError::parameters(&reader.problems.into_text())),
        }
    }
}

/// The parameters of an endpoint.
pub(crate) trait FromParams: Sized + Debug + 'static {
    /// Reads all fields and reports every problem to the reader; `None` if there is any.
    fn from_params(reader: &mut Reader<'_>) -> Option<Self>;

    /// The parameters, in the order of declaration.
    fn fields() -> Vec<FieldDoc>;
}

/// Parameters whose problems the handler reports itself: for endpoints with refusals that come before them.
#[derive(Debug)]
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
    pub(crate) name: &'static str,
    pub(crate) description: String,
    pub(crate) required: bool,
    pub(crate) schema: RefOr<Schema>,
}

impl FieldDoc {
    /// The parameter `name`, with the lines of its doc comment.
    pub(crate) fn new(name: &'static str, doc: &[&str], required: bool, schema: impl Into<RefOr<Schema>>) -> Self {
        let description = doc.iter().map(|line| line.trim()).collect::<Vec<_>>().join("\n").trim().to_owned();
        Self { name, description, required, schema: schema.into() }
    }
}

/// The name under which a field is sent; `r#type` is sent as `type`.
pub(crate) fn wire_name(field: &'static str) -> &'static str {
    field.strip_prefix("r#").unwrap_or(field)
}

/// Reads the fields of one request and collects their problems.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    raw: &'a RawParams,
    declared: Vec<&'static str>,
    /// The parameters for which null is a value of its own.
    nullable: Vec<&'static str>,
    problems: Problems,
    /// The hash that the fields belong to, if any.
    within: Option<String>,
}

impl<'a> Reader<'a> {
    /// A reader of `raw`, whose fields belong to the hash `within`.
    fn new(raw: &'a RawParams, within: Option<String>) -> Self {
        Self { raw, declared: Vec::new(), nullable: Vec::new(), problems: Problems::default(), within }
    }

    /// The value of the first of `names` that was sent; null is not sent. Problems use the first name.
    pub(crate) fn raw(&mut self, names: &[&'static str]) -> RawParam<'a> {
        self.declared.extend(names.iter().take(1));
        let raw = self.raw;
        let mut sent = names.iter().map(|name| raw.get(name)).filter(|raw| !is_null(*raw));
        sent.find(|raw| !matches!(raw, RawParam::Absent)).unwrap_or(RawParam::Absent)
    }

    /// As [`Reader::raw`], if null is a value of its own: it clears, or is the empty value of a required parameter.
    pub(crate) fn raw_or_null(&mut self, names: &[&'static str]) -> RawParam<'a> {
        self.nullable.extend(names);
        let raw = self.raw;
        match self.raw(names) {
            RawParam::Absent => {
                names.iter().map(|name| raw.get(name)).find(|raw| is_null(*raw)).unwrap_or(RawParam::Absent)
            }
            sent => sent,
        }
    }

    /// Says that null is a value of its own for these parameters, which [`Reader::peek`] reads.
    pub(crate) fn takes_null(&mut self, names: &[&'static str]) {
        self.nullable.extend(names);
    }

    /// The value of `name`, which is declared by another name.
    pub(crate) fn peek(&self, name: &str) -> RawParam<'a> {
        self.raw.get(name)
    }

    /// Adds a problem with `name`: `complain("title", "is missing")`.
    pub(crate) fn complain(&mut self, name: &str, what: &str) {
        let position = self.position(&[name]);
        let problem = match &self.within {
            Some(hash) => format!("{hash}[{name}] {what}"),
            None => format!("{name} {what}"),
        };
        self.problems.add(position, problem);
    }

    /// Notes a problem of a member of the object `name`.
    pub(crate) fn complain_of_member(&mut self, name: &str, member: &str, what: &str) {
        let position = self.position(&[name]);
        self.problems.add(position, format!("{name}[{member}] {what}"));
    }

    /// True if the request contains `name`, even if it is empty. Null counts if it is a value of its own: ask after
    /// reading it.
    pub(crate) fn is_given(&self, name: &str) -> bool {
        match self.raw.get(name) {
            RawParam::Absent => false,
            raw => !is_null(raw) || self.nullable.contains(&name),
        }
    }

    /// Refuses a request with none of `names`.
    pub(crate) fn at_least_one_of(&mut self, names: &[&str]) {
        if self.those_sent(names).is_empty() {
            self.broken(names, names, " are missing, at least one parameter must be provided");
        }
    }

    /// Refuses a request with none of `names`, or several.
    pub(crate) fn exactly_one_of(&mut self, names: &[&str]) {
        if self.those_sent(names).is_empty() {
            self.broken(names, names, " are missing, exactly one parameter must be provided");
        }
        self.mutually_exclusive(names);
    }

    /// Refuses a request with several of `names`.
    pub(crate) fn mutually_exclusive(&mut self, names: &[&str]) {
        let sent = self.those_sent(names);
        if sent.len() > 1 {
            self.broken(names, &sent, " are mutually exclusive");
        }
    }

    /// Refuses a request with some of `names` but not all.
    pub(crate) fn all_or_none_of(&mut self, names: &[&str]) {
        let sent = self.those_sent(names);
        if !sent.is_empty() && sent.len() < names.len() {
            self.broken(names, names, " provide all or none of parameters");
        }
    }

    fn those_sent<'n>(&self, names: &[&'n str]) -> Vec<&'n str> {
        names.iter().copied().filter(|name| self.is_given(name)).collect()
    }

    /// A rule over several names is reported right after the last of them.
    fn broken(&mut self, names: &[&str], listed: &[&str], what: &str) {
        let position = self.position(names);
        self.problems.add(position, listed.join(", ") + what);
    }

    fn position(&self, names: &[&str]) -> usize {
        self.declared.iter().rposition(|declared| names.contains(declared)).unwrap_or(self.declared.len())
    }
}

/// True if a parameter was sent as null.
fn is_null(raw: RawParam<'_>) -> bool {
    matches!(raw, RawParam::Value(Value::Null) | RawParam::Repeated { last: Value::Null, .. })
}

#[cfg(test)]
mod tests;
