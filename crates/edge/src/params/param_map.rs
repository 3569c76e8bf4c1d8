//! Query, form and JSON bodies as one map of parameters.
//!
//! The number of names, their depth and the length of arrays are limited here, before anything is interpreted.

use std::collections::HashMap;

use percent_encoding::percent_decode;
use serde_json::{Map, Value};
use tenon_domain::file_path::kept_from_outside;

use super::unreadable::UnreadableRequest;

/// The most names that one query or form may carry.
pub const MAX_NAMES: usize = 1_000;
/// The most elements that one array may have.
pub const MAX_ELEMENTS: usize = 10_000;
/// The most brackets of a name.
const MAX_DEPTH: usize = 32;

/// The parameters of one source, or of several, merged.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct ParamMap {
    /// Values by name. For a name that was repeated without brackets, the last value.
    pub values: Map<String, Value>,
    /// All values of names that were repeated without empty brackets at their end: arrays take them all.
    pub repeated: HashMap<String, Vec<Value>>,
}

impl ParamMap {
    /// These parameters, overridden by those of `over`.
    #[must_use]
    pub fn overridden_by(mut self, over: Self) -> Self {
        self.repeated.retain(|known, _| !over.values.contains_key(split_name(known).0));
        self.values.extend(over.values);
        self.repeated.extend(over.repeated);
        self
    }

    /// Adds one `name=value` pair. Brackets in the name give the place of the value.
    pub fn insert(&mut self, name: &str, value: String) -> Result<(), UnreadableRequest> {
        let value = Value::String(value);
        let (base, path) = split_name(name);
        if path.len() > MAX_DEPTH {
            return Err(UnreadableRequest::TooDeep);
        }
        if path.is_empty() {
            if let Some(earlier) = self.values.insert(base.to_owned(), value.clone()) {
                self.repeated.entry(base.to_owned()).or_insert_with(|| vec![earlier]).push(value);
            }
        } else {
            // Of a scalar and a hash under one name, the later one replaces the other.
            self.repeated.remove(base);
            if let Some(earlier) = self.values.get(base).and_then(|known| scalar_at(known, &path)) {
                let earlier = earlier.clone();
                self.repeated.entry(name.to_owned()).or_insert_with(|| vec![earlier]).push(value.clone());
            }
            place(self.values.entry(base).or_insert(Value::Null), &path, value);
        }
        Ok(())
    }

    /// All values of the members of the hash called `place` that were repeated, by their names in it.
    pub fn repeated_within(&self, place: &str) -> HashMap<String, Vec<Value>> {
        let member = |name: &str| {
            let inside = name.strip_prefix(place)?.strip_prefix('[')?.strip_suffix(']')?;
            (!inside.contains(['[', ']'])).then(|| inside.to_owned())
        };
        self.repeated.iter().filter_map(|(name, all)| Some((member(name)?, all.clone()))).collect()
    }

    /// Parses a query string or a form body.
    pub fn from_query(text: &[u8]) -> Result<Self, UnreadableRequest> {
        let mut map = Self::default();
        for (name, value) in pairs(text)? {
            map.insert(&name, value)?;
        }
        Ok(map)
    }

    /// Parses a JSON body. Only an object has parameters; an array or a scalar has none.
    pub fn from_json(body: &[u8]) -> Result<Self, UnreadableRequest> {
        if body.trim_ascii().is_empty() {
            return Ok(Self::default());
        }
        match serde_json::from_slice(body).map_err(|error| UnreadableRequest::Malformed(error.to_string()))? {
            Value::Object(values) if values.values().all(is_within_limits) => {
                Ok(Self { values, repeated: HashMap::new() })
            }
            Value::Object(_) => Err(UnreadableRequest::TooManyElements),
            _ => Ok(Self::default()),
        }
    }
}

/// Names of parameters that may hold paths of files, which need not be UTF-8.
const PATHS: [&str; 5] = ["path", "file_path", "previous_path", "old_path", "new_path"];

/// True if a parameter may hold the path of a file. Its value has the kept form ([`tenon_domain::file_path`]).
#[must_use]
pub fn may_be_path(name: &str) -> bool {
    let (base, inner) = split_name(name);
    PATHS.contains(&inner.last().copied().unwrap_or(base))
}

/// The decoded `name=value` pairs of a query string, in order. A `+` is a space here, as everywhere in forms.
pub fn pairs(text: &[u8]) -> Result<Vec<(String, String)>, UnreadableRequest> {
    let parts: Vec<&[u8]> =
        text.split(|byte| *byte == b'&').filter(|part| !part.is_empty()).take(MAX_NAMES + 1).collect();
    if parts.len() > MAX_NAMES {
        return Err(UnreadableRequest::TooManyNames);
    }
    parts
        .into_iter()
        .map(|part| {
            let mut halves = part.splitn(2, |byte| *byte == b'=');
            let (name, value) = (halves.next().unwrap_or_default(), halves.next().unwrap_or_default());
            let name = decode_component(name)?;
            let value = if may_be_path(&name) { kept_from_outside(&decoded(value)) } else { decode_component(value)? };
            Ok((name, value))
        })
        .collect()
}

fn decoded(text: &[u8]) -> Vec<u8> {
    let spaced: Vec<u8> = text.iter().map(|byte| if *byte == b'+' { b' ' } else { *byte }).collect();
    percent_decode(&spaced).collect()
}

fn decode_component(text: &[u8]) -> Result<String, UnreadableRequest> {
    String::from_utf8(decoded(text)).map_err(|_error| UnreadableRequest::NotUtf8)
}

/// `a[b][]` as `a` and `["b", ""]`. Brackets that do not pair up are part of a plain name.
fn split_name(name: &str) -> (&str, Vec<&str>) {
    let plain = (name, Vec::new());
    let Some((base, brackets)) = name.split_once('[') else {
        return plain;
    };
    let Some(inner) = brackets.strip_suffix(']') else {
        return plain;
    };
    let path: Vec<&str> = inner.split("][").collect();
    if base.is_empty() || path.iter().any(|part| part.contains(['[', ']'])) { plain } else { (base, path) }
}

/// Puts `value` below `slot` and creates the objects and arrays on the way. An empty step means "the next element".
fn place(slot: &mut Value, path: &[&str], value: Value) {
    match path {
        [] => *slot = value,
        ["", rest @ ..] => {
            let mut elements = match slot.take() {
                Value::Array(elements) => elements,
                _ => Vec::new(),
            };
            match elements.last_mut() {
                Some(last @ Value::Object(_)) if !rest.is_empty() && !is_taken(last, rest) => place(last, rest, value),
                _ => {
                    let mut element = Value::Null;
                    place(&mut element, rest, value);
                    elements.push(element);
                }
            }
            *slot = Value::Array(elements);
        }
        [key, rest @ ..] => {
            let mut members = match slot.take() {
                Value::Object(members) => members,
                _ => Map::new(),
            };
            place(members.entry(*key).or_insert(Value::Null), rest, value);
            *slot = Value::Object(members);
        }
    }
}

/// The text that is already stored at `path`; none for "the next element".
fn scalar_at<'a>(known: &'a Value, path: &[&str]) -> Option<&'a Value> {
    let found = path.iter().try_fold(known, |at, step| if step.is_empty() { None } else { at.get(*step) })?;
    found.is_string().then_some(found)
}

/// True if the element already has a value at `path`, so that another value begins the next element. Never for arrays.
fn is_taken(element: &Value, path: &[&str]) -> bool {
    let mut at = element;
    for step in path {
        match at.get(*step) {
            Some(next) if !step.is_empty() => at = next,
            _ => return false,
        }
    }
    true
}

/// The parser has bounded the depth, so recursion is safe here.
fn is_within_limits(value: &Value) -> bool {
    match value {
        Value::Array(elements) => elements.len() <= MAX_ELEMENTS && elements.iter().all(is_within_limits),
        Value::Object(members) => members.values().all(is_within_limits),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn every_recorded_form_is_understood() {
        for (query, want) in [
            ("", json!({})),
            ("&&", json!({})),
            ("a=1&b=x+y%2B", json!({"a": "1", "b": "x y+"})),
            ("a", json!({"a": ""})),
            ("a==b=", json!({"a": "=b="})),
            ("a[]=1&a[]=2", json!({"a": ["1", "2"]})),
            ("a%5B%5D=1&a%5B%5D=2", json!({"a": ["1", "2"]})),
            ("c%5Bk%5D=v&c[l]=w", json!({"c": {"k": "v", "l": "w"}})),
            ("a[b][c]=1&a[b][d]=2", json!({"a": {"b": {"c": "1", "d": "2"}}})),
            ("a[][k]=x&a[][v]=y&a[][k]=z&a[][v]=w", json!({"a": [{"k": "x", "v": "y"}, {"k": "z", "v": "w"}]})),
            ("a[][k][]=1&a[][k][]=2", json!({"a": [{"k": ["1", "2"]}]})),
            ("a[][]=1&a[][]=2", json!({"a": [["1"], ["2"]]})),
            ("a[0][k]=x&a[1][k]=z", json!({"a": {"0": {"k": "x"}, "1": {"k": "z"}}})),
            ("a=1&a[]=2", json!({"a": ["2"]})),
            ("a[=1&b]=2&[c]=3&d[[]=4&e[x]y=5", json!({"a[": "1", "b]": "2", "[c]": "3", "d[[]": "4", "e[x]y": "5"})),
        ] {
            assert_eq!(Value::Object(ParamMap::from_query(query.as_bytes()).unwrap().values), want, "{query}");
        }
    }

    #[test]
    fn only_paths_of_files_may_be_other_bytes_than_utf8() {
        let map = ParamMap::from_query(b"path=a%2Fcaf%E9&actions[][file_path]=%FF&x[path]=%00%C3%A9").unwrap();
        assert_eq!(map.values["path"], json!("a/caf\0\u{e9}"));
        assert_eq!(map.values["actions"], json!([{"file_path": "\0\u{ff}"}]));
        assert_eq!(map.values["x"], json!({"path": "\0"}));
        for query in ["name=%E9", "%E9=1", "path[x]=%E9", "ref=%E9"] {
            assert_eq!(ParamMap::from_query(query.as_bytes()), Err(UnreadableRequest::NotUtf8), "{query}");
        }
    }

    #[test]
    fn a_bare_name_repeated_keeps_the_last_and_remembers_all() {
        let map = ParamMap::from_query(b"iids=1&iids=2&iids=3").unwrap();
        assert_eq!(map.values.get("iids"), Some(&json!("3")));
        assert_eq!(map.repeated.get("iids"), Some(&vec![json!("1"), json!("2"), json!("3")]));
    }

    #[test]
    fn the_body_overrides_the_query() {
        let query = ParamMap::from_query(b"a=1&a=2&b=3").unwrap();
        let merged = query.overridden_by(ParamMap::from_json(br#"{"a": null, "c": 4}"#).unwrap());
        assert_eq!(Value::Object(merged.values), json!({"a": null, "b": "3", "c": 4}));
        assert!(merged.repeated.is_empty());
    }

    #[test]
    fn only_json_objects_contribute() {
        for body in ["", "  ", "[1]", "3", "null", "\"a\""] {
            assert_eq!(ParamMap::from_json(body.as_bytes()), Ok(ParamMap::default()), "{body}");
        }
        let twice = ParamMap::from_json(br#"{"a": 1, "a": 2}"#).unwrap();
        assert_eq!(Value::Object(twice.values), json!({"a": 2}));
        for body in ["{", "{\"a\":1e999}", "\u{1}"] {
            assert!(matches!(ParamMap::from_json(body.as_bytes()), Err(UnreadableRequest::Malformed(_))), "{body}");
        }
    }

    #[test]
    fn what_is_too_much_is_refused() {
        let brackets = |depth| format!("a{}=1", "[b]".repeat(depth));
        assert!(ParamMap::from_query(brackets(32).as_bytes()).is_ok());
        assert_eq!(ParamMap::from_query(brackets(33).as_bytes()), Err(UnreadableRequest::TooDeep));

        let names = |count: usize| {
            (0..count).fold(String::new(), |mut text, number| {
                write!(text, "a{number}=&").unwrap();
                text
            })
        };
        assert!(ParamMap::from_query(names(1_000).as_bytes()).is_ok());
        assert_eq!(ParamMap::from_query(names(1_001).as_bytes()), Err(UnreadableRequest::TooManyNames));

        let array = |length: usize| format!(r#"{{"a":{{"b":[{}0]}}}}"#, "0,".repeat(length - 1));
        assert!(ParamMap::from_json(array(10_000).as_bytes()).is_ok());
        assert_eq!(ParamMap::from_json(array(10_001).as_bytes()), Err(UnreadableRequest::TooManyElements));

        let nested = format!(r#"{{"a":{}"#, "[".repeat(10_000));
        assert!(matches!(ParamMap::from_json(nested.as_bytes()), Err(UnreadableRequest::Malformed(_))));
        assert_eq!(ParamMap::from_query(b"a=%ff"), Err(UnreadableRequest::NotUtf8));
    }

    proptest! {
        #[test]
        fn no_query_panics(text in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = ParamMap::from_query(&text);
        }

        #[test]
        fn no_bracketed_query_panics(text in "([ab]|\\[|\\]|\\[\\]|\\[a\\]|\\[0\\]|=|&|%5B|%5D|%|\\+){0,60}") {
            let _ = ParamMap::from_query(text.as_bytes());
        }

        #[test]
        fn no_json_panics(text in "(\\{|\\}|\\[|\\]|\"a\"|:|,|1e9|null|true| ){0,60}") {
            let _ = ParamMap::from_json(text.as_bytes());
        }
    }
}
