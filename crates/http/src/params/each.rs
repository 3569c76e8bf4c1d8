//! Lists of hashes as parameters: `actions[][action]=create&actions[][file_path]=a`, or an array of objects.

use serde_json::Value;
use tenon_edge::param_map::ParamMap;
use tenon_edge::raw::{RawParam, RawParams};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ArrayBuilder, ArrayItems, ObjectBuilder, Schema};

use super::param::numbered;
use super::{FieldDoc, FromParams, Param, Reader};

/// The most hashes that a list may have.
const MAX_HASHES: usize = 1_000;

/// How many characters of an unknown name a message repeats.
const MAX_SHOWN: usize = 50;

/// A required list of hashes, each with the fields of `P`. The problem of a field names its place:
/// `actions[0][file_path] is missing`.
#[derive(Debug, Clone)]
pub(crate) struct Each<P>(pub(crate) Vec<P>);

impl<P: FromParams> Param for Each<P> {
    fn read(reader: &mut Reader<'_>, names: &[&'static str]) -> Option<Self> {
        let name = names.first().copied().unwrap_or_default();
        let hashes = match reader.raw_or_null(names) {
            RawParam::Absent => {
                reader.complain(name, "is missing");
                return None;
            }
            RawParam::Value(value) => hashes(value).filter(|hashes| hashes.len() <= MAX_HASHES),
            RawParam::Repeated { .. } | RawParam::File(_) => None,
        };
        let Some(hashes) = hashes else {
            reader.complain(name, "is invalid");
            return None;
        };
        let mut list = Vec::with_capacity(hashes.len());
        for (at, hash) in hashes.into_iter().enumerate() {
            let place = match &reader.within {
                Some(outer) => format!("{outer}[{name}][{at}]"),
                None => format!("{name}[{at}]"),
            };
            list.push(element(reader, name, &place, hash));
        }
        list.into_iter().collect::<Option<Vec<P>>>().map(Self)
    }

    fn describe(name: &'static str, doc: &[&str], fields: &mut Vec<FieldDoc>) {
        let items = ArrayItems::RefOrSchema(Box::new(RefOr::T(object::<P>())));
        fields.push(FieldDoc::new(name, doc, true, Schema::Array(ArrayBuilder::new().items(items).build())));
    }
}

/// An optional list of hashes; null is the same as absent.
impl<P: FromParams> Param for Option<Each<P>> {
    fn read(reader: &mut Reader<'_>, names: &[&'static str]) -> Option<Self> {
        match reader.raw(names) {
            RawParam::Absent => Some(None),
            RawParam::Value(_) | RawParam::Repeated { .. } | RawParam::File(_) => Each::read(reader, names).map(Some),
        }
    }

    fn describe(name: &'static str, doc: &[&str], fields: &mut Vec<FieldDoc>) {
        Each::<P>::describe(name, doc, fields);
        if let Some(field) = fields.last_mut() {
            field.required = false;
        }
    }
}

/// An optional hash with the fields of `P`: `position[new_line]=3`, or an object.
#[derive(Debug, Clone)]
pub(crate) struct Hash<P>(pub(crate) Option<P>);

impl<P: FromParams> Param for Hash<P> {
    fn read(reader: &mut Reader<'_>, names: &[&'static str]) -> Option<Self> {
        let name = names.first().copied().unwrap_or_default();
        match reader.raw(names) {
            RawParam::Absent => Some(Self(None)),
            RawParam::Value(hash) => element(reader, name, name, hash).map(|hash| Self(Some(hash))),
            RawParam::Repeated { .. } | RawParam::File(_) => {
                reader.complain(name, "is invalid");
                None
            }
        }
    }

    fn describe(name: &'static str, doc: &[&str], fields: &mut Vec<FieldDoc>) {
        fields.push(FieldDoc::new(name, doc, false, object::<P>()));
    }
}

/// As [`Hash`], but unknown members are refused: an ignored condition would widen a list.
#[derive(Debug, Clone)]
pub(crate) struct StrictHash<P>(pub(crate) Option<P>);

impl<P: FromParams> Param for StrictHash<P> {
    fn read(reader: &mut Reader<'_>, names: &[&'static str]) -> Option<Self> {
        let name = names.first().copied().unwrap_or_default();
        if let RawParam::Value(Value::Object(members)) = reader.raw(names) {
            let fields = P::fields();
            let unknown = members.keys().find(|member| fields.iter().all(|field| field.name != member.as_str()));
            if let Some(unknown) = unknown {
                let (position, shown) = (reader.position(&[name]), shortened(unknown));
                reader.problems.add(position, format!("{name}[{shown}] is not supported"));
                return None;
            }
        }
        Hash::read(reader, names).map(|hash| Self(hash.0))
    }

    fn describe(name: &'static str, doc: &[&str], fields: &mut Vec<FieldDoc>) {
        Hash::<P>::describe(name, doc, fields);
    }
}

/// The beginning of an unknown name, for a message.
fn shortened(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(MAX_SHOWN).collect()
}

/// The fields of `P` as the API description has them.
fn object<P: FromParams>() -> Schema {
    let object = P::fields().into_iter().fold(ObjectBuilder::new(), |object, field| {
        let object = if field.required { object.required(field.name) } else { object };
        object.property(field.name, field.schema)
    });
    object.build().into()
}

fn element<P: FromParams>(reader: &mut Reader<'_>, name: &'static str, place: &str, hash: &Value) -> Option<P> {
    let Value::Object(values) = hash else {
        reader.complain(name, "is invalid");
        return None;
    };
    let repeated = reader.raw.values.repeated_within(place);
    let raw = RawParams::without_files(ParamMap { values: values.clone(), repeated });
    let mut inner = Reader::new(&raw, Some(place.to_owned()));
    let read = P::from_params(&mut inner);
    let problems = inner.problems;
    if problems.is_empty() {
        return read;
    }
    let position = reader.position(&[name]);
    reader.problems.add(position, problems.into_text());
    None
}

/// The elements of a list of hashes in any notation; `None` if it is not a list of hashes.
fn hashes(value: &Value) -> Option<Vec<&Value>> {
    match value {
        Value::Array(elements) => Some(elements.iter().collect()),
        Value::Object(members) => numbered(members),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tenon_edge::error::ApiError;

    use super::*;
    use crate::params::{ReadParams as _, params};

    params! {
        /// One of several.
        struct Pair {
            /// Required.
            key: String,
            /// Not required.
            size: Option<i64>,
        }
    }

    params! {
        /// Several.
        struct Pairs {
            /// All of them.
            pairs: Each<Pair>,
        }
    }

    params! {
        /// Several, one level down.
        struct Nested {
            /// The hash that holds them.
            of: Hash<Optional>,
        }
    }

    params! {
        /// Several, or none.
        struct Optional {
            /// All of them.
            pairs: Option<Each<Pair>>,
        }
    }

    #[test]
    fn a_list_that_need_not_be_there_is_read_within_a_hash() {
        let read = |query: &str| {
            let map = ParamMap::from_query(query.as_bytes()).unwrap();
            let read = RawParams::without_files(map).read::<Nested>().unwrap();
            let pairs = read.of.0.and_then(|of| of.pairs).map(|pairs| pairs.0);
            pairs.map(|pairs| pairs.into_iter().map(|pair| (pair.key, pair.size)).collect::<Vec<_>>())
        };
        for query in ["", "of[x]=1"] {
            assert_eq!(read(query), None, "{query}");
        }
        let want = Some(vec![("a".to_owned(), Some(1)), ("b".to_owned(), None)]);
        assert_eq!(read("of[pairs][][key]=a&of[pairs][][size]=1&of[pairs][][key]=b"), want);
    }

    params! {
        /// Conditions.
        struct Conditions {
            /// Some.
            tags: Option<Vec<String>>,
        }
    }

    params! {
        /// A list without the fields that fulfil the requirements.
        struct Without {
            /// The conditions.
            not: StrictHash<Conditions>,
        }
    }

    #[test]
    fn conditions_that_are_not_known_are_refused_and_repeated_ones_all_count() {
        let read = |query: &str| {
            let map = ParamMap::from_query(query.as_bytes()).unwrap();
            let not = RawParams::without_files(map).read::<Without>().map(|read| read.not.0);
            not.map(|not| not.and_then(|not| not.tags).unwrap_or_default())
        };
        for (query, want) in [
            ("", vec![]),
            ("not[tags]=a,b", vec!["a", "b"]),
            ("not[tags][]=a&not[tags][]=b", vec!["a", "b"]),
            ("not[tags]=a&not[tags]=b&not[tags]=c", vec!["a", "b", "c"]),
        ] {
            assert_eq!(read(query).unwrap(), want, "{query}");
        }
        for (query, text) in [
            ("not[tag]=a", "not[tag] is not supported"),
            ("not[tags]=a&not[]=b", "not is invalid"),
            ("not=a", "not is invalid"),
        ] {
            assert_eq!(read(query).unwrap_err(), ApiError::parameters(text), "{query}");
        }
    }

    fn read(map: ParamMap) -> Result<Vec<(String, Option<i64>)>, ApiError> {
        let pairs = RawParams::without_files(map).read::<Pairs>()?.pairs.0;
        Ok(pairs.into_iter().map(|pair| (pair.key, pair.size)).collect())
    }

    #[test]
    fn hashes_are_read_however_they_are_written() {
        let want = vec![("a".to_owned(), Some(1)), ("b".to_owned(), None)];
        let body = json!({"pairs": [{"key": "a", "size": 1}, {"key": "b"}]}).to_string();
        assert_eq!(read(ParamMap::from_json(body.as_bytes()).unwrap()).unwrap(), want);
        for query in
            ["pairs[][key]=a&pairs[][size]=1&pairs[][key]=b", "pairs[1][key]=b&pairs[0][key]=a&pairs[0][size]=1"]
        {
            assert_eq!(read(ParamMap::from_query(query.as_bytes()).unwrap()).unwrap(), want, "{query}");
        }
        assert_eq!(read(ParamMap::from_json(br#"{"pairs": []}"#).unwrap()).unwrap(), Vec::new());
    }

    #[test]
    fn what_is_wrong_is_reported_with_its_place() {
        for (body, text) in [
            (json!({}), "pairs is missing"),
            (json!({"pairs": "a"}), "pairs is invalid"),
            (json!({"pairs": ["a"]}), "pairs is invalid"),
            (json!({"pairs": {"a": {}}}), "pairs is invalid"),
            (
                json!({"pairs": [{"key": "a"}, {"size": "x"}, {}]}),
                "pairs[1][key] is missing, pairs[1][size] is invalid, pairs[2][key] is missing",
            ),
        ] {
            let map = ParamMap::from_json(body.to_string().as_bytes()).unwrap();
            assert_eq!(read(map).unwrap_err(), ApiError::parameters(text), "{body}");
        }
        let nested = json!({"of": {"pairs": [{"key": "a"}, {}]}}).to_string();
        let nested = RawParams::without_files(ParamMap::from_json(nested.as_bytes()).unwrap()).read::<Nested>();
        assert_eq!(nested.unwrap_err(), ApiError::parameters("of[pairs][1][key] is missing"));
        let many = json!({"pairs": vec![json!({"key": "a"}); MAX_HASHES + 1]}).to_string();
        assert!(read(ParamMap::from_json(many.as_bytes()).unwrap()).is_err());
    }
}
