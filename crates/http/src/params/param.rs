//! The kinds of parameters: required, optional, change, list, hash, file, paging.

use std::collections::BTreeMap;
use std::fmt::Debug;

use serde_json::{Map, Value};
use tenon_domain::page::PageRequest;
use tenon_domain::patch::Patch;
use tenon_edge::param_map::MAX_ELEMENTS;
use tenon_edge::raw::{RawParam, Upload};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ArrayBuilder, ArrayItems, KnownFormat, ObjectBuilder, Schema, SchemaFormat, Type};

use super::scalar::{Reading, Scalar};
use super::{FieldDoc, FromParams, Reader};

/// The most members of a hash of texts: each is one more condition of a list.
const MAX_MEMBERS: usize = 20;
const MISSING: &str = "is missing";
const INVALID: &str = "is invalid";

/// A type that a field of a parameter struct can have.
pub(crate) trait Param: Sized + 'static {
    /// Reads the parameter from the first of `names` that was sent; reports the problem and returns `None` if it
    /// cannot.
    fn read(reader: &mut Reader<'_>, names: &[&'static str]) -> Option<Self>;

    /// Adds the parameter to the API description.
    fn describe(name: &'static str, doc: &[&str], fields: &mut Vec<FieldDoc>);
}

/// One scalar as it was sent; `None` if it was not.
fn read_scalar<T: Scalar>(raw: RawParam<'_>) -> Option<Reading<T>> {
    match raw {
        RawParam::Absent => None,
        RawParam::Value(value) | RawParam::Repeated { last: value, .. } => Some(T::scalar(value)),
        RawParam::File(_) => Some(Reading::Wrong),
    }
}

fn complain<T>(reader: &mut Reader<'_>, names: &[&'static str], what: &str) -> Option<T> {
    reader.complain(names.first().copied().unwrap_or_default(), what);
    None
}

/// Required. An empty text counts as sent: use cases decide whether it is valid.
impl<T: Scalar> Param for T {
    fn read(reader: &mut Reader<'_>, names: &[&'static str]) -> Option<Self> {
        match read_scalar(reader.raw_or_null(names)) {
            Some(Reading::Is(value)) => Some(value),
            Some(Reading::Empty) => T::empty().or_else(|| complain(reader, names, T::COMPLAINT)),
            Some(Reading::Wrong) => complain(reader, names, T::COMPLAINT),
            None => complain(reader, names, MISSING),
        }
    }

    fn describe(name: &'static str, doc: &[&str], fields: &mut Vec<FieldDoc>) {
        fields.push(FieldDoc::new(name, doc, true, T::schema()));
    }
}

/// Optional. Null is the same as absent, and so is the empty text unless a text is wanted.
impl<T: Scalar> Param for Option<T> {
    fn read(reader: &mut Reader<'_>, names: &[&'static str]) -> Option<Self> {
        let raw = if T::JUDGES_NULL { reader.raw_or_null(names) } else { reader.raw(names) };
        match read_scalar(raw) {
            Some(Reading::Is(value)) => Some(Some(value)),
            Some(Reading::Wrong) => complain(reader, names, T::COMPLAINT),
            Some(Reading::Empty) | None => Some(None),
        }
    }

    fn describe(name: &'static str, doc: &[&str], fields: &mut Vec<FieldDoc>) {
        fields.push(FieldDoc::new(name, doc, false, T::schema()));
    }
}

/// A change. Null and the empty text clear.
impl<T: Scalar> Param for Patch<T> {
    fn read(reader: &mut Reader<'_>, names: &[&'static str]) -> Option<Self> {
        let raw = reader.raw_or_null(names);
        if is_sent_empty(raw) {
            return Some(Self::Clear);
        }
        match read_scalar(raw) {
            Some(Reading::Is(value)) => Some(Self::Set(value)),
            Some(Reading::Empty) => Some(Self::Clear),
            Some(Reading::Wrong) => complain(reader, names, T::COMPLAINT),
            None => Some(Self::Absent),
        }
    }

    fn describe(name: &'static str, doc: &[&str], fields: &mut Vec<FieldDoc>) {
        fields.push(FieldDoc::new(name, doc, false, T::schema()));
    }
}

fn is_sent_empty(raw: RawParam<'_>) -> bool {
    match raw {
        RawParam::Value(value) | RawParam::Repeated { last: value, .. } => value.is_null() || value == "",
        RawParam::Absent | RawParam::File(_) => false,
    }
}

/// A parameter that must be there, and may be null.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Nullable<T>(pub(crate) Option<T>);

impl<T: Scalar + Debug> Param for Nullable<T> {
    fn read(reader: &mut Reader<'_>, names: &[&'static str]) -> Option<Self> {
        match read_scalar(reader.raw_or_null(names)) {
            Some(Reading::Is(value)) => Some(Self(Some(value))),
            Some(Reading::Empty) => Some(Self(None)),
            Some(Reading::Wrong) => complain(reader, names, T::COMPLAINT),
            None => complain(reader, names, MISSING),
        }
    }

    fn describe(name: &'static str, doc: &[&str], fields: &mut Vec<FieldDoc>) {
        fields.push(FieldDoc::new(name, doc, true, T::schema()));
    }
}

/// Required list.
impl<T: Scalar> Param for Vec<T> {
    fn read(reader: &mut Reader<'_>, names: &[&'static str]) -> Option<Self> {
        match reader.raw_or_null(names) {
            RawParam::Absent => complain(reader, names, MISSING),
            raw => read_list(reader, names, raw),
        }
    }

    fn describe(name: &'static str, doc: &[&str], fields: &mut Vec<FieldDoc>) {
        let items = ArrayItems::RefOrSchema(Box::new(RefOr::T(T::schema())));
        fields.push(FieldDoc::new(name, doc, true, Schema::Array(ArrayBuilder::new().items(items).build())));
    }
}

/// A list that was sent.
fn read_list<T: Scalar>(reader: &mut Reader<'_>, names: &[&'static str], raw: RawParam<'_>) -> Option<Vec<T>> {
    let elements = match raw {
        RawParam::Absent => Some(Vec::new()),
        RawParam::File(_) => None,
        RawParam::Repeated { all, .. } => {
            all.iter().map(separated).collect::<Option<Vec<_>>>().map(|lists| lists.concat())
        }
        RawParam::Value(value) => elements(value),
    };
    let Some(elements) = elements else {
        return complain(reader, names, INVALID);
    };
    let mut list = Vec::with_capacity(elements.len());
    for element in elements.iter().filter(|element| *element != "") {
        match T::scalar(element) {
            Reading::Is(value) => list.push(value),
            Reading::Empty => {}
            Reading::Wrong => return complain(reader, names, T::COMPLAINT),
        }
    }
    Some(list)
}

/// Optional list. Null is the same as absent; an empty text or list is an empty list.
impl<T: Scalar> Param for Option<Vec<T>> {
    fn read(reader: &mut Reader<'_>, names: &[&'static str]) -> Option<Self> {
        match reader.raw(names) {
            RawParam::Absent => Some(None),
            raw => read_list(reader, names, raw).map(Some),
        }
    }

    fn describe(name: &'static str, doc: &[&str], fields: &mut Vec<FieldDoc>) {
        Vec::<T>::describe(name, doc, fields);
        make_optional(fields);
    }
}

/// The elements of a list in any notation; `None` if it is not a list.
fn elements(value: &Value) -> Option<Vec<Value>> {
    match value {
        Value::Array(elements) => Some(elements.clone()),
        Value::Object(members) => Some(numbered(members)?.into_iter().cloned().collect()),
        scalar => separated(scalar),
    }
}

/// The elements of `a[0]=x&a[1]=y`, ordered by their numbers. `None` if one has no number.
pub(super) fn numbered(members: &Map<String, Value>) -> Option<Vec<&Value>> {
    let mut numbered = members
        .iter()
        .map(|(index, element)| index.parse::<u32>().ok().map(|index| (index, element)))
        .collect::<Option<Vec<_>>>()?;
    numbered.sort_by_key(|(index, _)| *index);
    Some(numbered.into_iter().map(|(_, element)| element).collect())
}

/// The elements of a list written as one scalar: a text is split at its commas.
fn separated(value: &Value) -> Option<Vec<Value>> {
    match value {
        Value::Array(_) | Value::Object(_) => None,
        Value::Null => Some(Vec::new()),
        Value::String(text) if text.matches(',').count() >= MAX_ELEMENTS => None,
        Value::String(text) => Some(text.split(',').map(|element| element.trim().into()).collect()),
        scalar => Some(vec![scalar.clone()]),
    }
}

fn make_optional(fields: &mut [FieldDoc]) {
    if let Some(field) = fields.last_mut() {
        field.required = false;
    }
}

/// A hash of texts; absent and empty are the same.
impl Param for BTreeMap<String, String> {
    fn read(reader: &mut Reader<'_>, names: &[&'static str]) -> Option<Self> {
        let members = match reader.raw(names) {
            RawParam::Absent => return Some(Self::new()),
            raw if is_sent_empty(raw) => return Some(Self::new()),
            RawParam::Value(Value::Object(members)) if members.len() <= MAX_MEMBERS => members,
            _ => return complain(reader, names, INVALID),
        };
        let texts = members.iter().map(|(key, value)| match String::scalar(value) {
            Reading::Is(text) if !key.contains('\0') => Some((key.clone(), text)),
            Reading::Empty => Some((key.clone(), String::new())),
            _ => None,
        });
        texts.collect::<Option<Self>>().or_else(|| complain(reader, names, INVALID))
    }

    fn describe(name: &'static str, doc: &[&str], fields: &mut Vec<FieldDoc>) {
        let schema: Schema = ObjectBuilder::new().additional_properties(Some(String::schema())).build().into();
        fields.push(FieldDoc::new(name, doc, false, schema));
    }
}

/// An optional uploaded file. Clients send an empty text for "none".
impl Param for Option<Upload> {
    fn read(reader: &mut Reader<'_>, names: &[&'static str]) -> Option<Self> {
        match reader.raw(names) {
            RawParam::File(upload) => Some(Some(upload.clone())),
            RawParam::Absent => Some(None),
            raw if is_sent_empty(raw) => Some(None),
            _ => complain(reader, names, INVALID),
        }
    }

    fn describe(name: &'static str, doc: &[&str], fields: &mut Vec<FieldDoc>) {
        Upload::describe(name, doc, fields);
        make_optional(fields);
    }
}

/// A file that replaces another one; null and the empty text remove it.
impl Param for Patch<Upload> {
    fn read(reader: &mut Reader<'_>, names: &[&'static str]) -> Option<Self> {
        match reader.raw_or_null(names) {
            RawParam::File(upload) => Some(Self::Set(upload.clone())),
            RawParam::Absent => Some(Self::Absent),
            raw if is_sent_empty(raw) => Some(Self::Clear),
            _ => complain(reader, names, INVALID),
        }
    }

    fn describe(name: &'static str, doc: &[&str], fields: &mut Vec<FieldDoc>) {
        Upload::describe(name, doc, fields);
        make_optional(fields);
    }
}

/// A required file.
impl Param for Upload {
    fn read(reader: &mut Reader<'_>, names: &[&'static str]) -> Option<Self> {
        match reader.raw_or_null(names) {
            RawParam::File(upload) => Some(upload.clone()),
            RawParam::Absent => complain(reader, names, MISSING),
            _ => complain(reader, names, INVALID),
        }
    }

    fn describe(name: &'static str, doc: &[&str], fields: &mut Vec<FieldDoc>) {
        let binary = Some(SchemaFormat::KnownFormat(KnownFormat::Binary));
        let schema: Schema = ObjectBuilder::new().schema_type(Type::String).format(binary).build().into();
        fields.push(FieldDoc::new(name, doc, true, schema));
    }
}

/// `page` and `per_page` of a list. The name of the field is not sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Paging(PageRequest);

impl From<Paging> for PageRequest {
    fn from(paging: Paging) -> Self {
        paging.0
    }
}

/// For lists without other parameters.
impl FromParams for Paging {
    fn from_params(reader: &mut Reader<'_>) -> Option<Self> {
        <Self as Param>::read(reader, &[])
    }

    fn fields() -> Vec<FieldDoc> {
        let mut fields = Vec::new();
        Self::describe("", &[], &mut fields);
        fields
    }
}

impl Param for Paging {
    fn read(reader: &mut Reader<'_>, _: &[&'static str]) -> Option<Self> {
        let page = Option::<i64>::read(reader, &["page"]);
        let per_page = Option::<i64>::read(reader, &["per_page"]);
        Some(Self(PageRequest::new(page?, per_page?)))
    }

    fn describe(_: &'static str, _: &[&str], fields: &mut Vec<FieldDoc>) {
        Option::<i64>::describe("page", &["Which page, from 1."], fields);
        Option::<i64>::describe("per_page", &["How many items a page has: 20 unless said, 100 at most."], fields);
    }
}
