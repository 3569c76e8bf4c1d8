//! The parameters in the address of a page.

use std::sync::Arc;

use serde_json::Value;
use tenon_edge::param_map::ParamMap;

/// The longest value that is read, in characters.
const LONGEST: usize = 1_000;

/// The parameters of one address. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Parameters(Arc<ParamMap>);

impl Parameters {
    pub(crate) fn new(params: ParamMap) -> Self {
        Self(Arc::new(params))
    }

    /// The parameters, for code that reads objects and lists of them.
    pub(crate) fn map(&self) -> &ParamMap {
        &self.0
    }

    /// A parameter. It is absent if it is empty or no UTF-8.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.path(name).filter(|text| !text.contains('\0'))
    }

    /// A parameter that is the path of a file, in its kept form ([`tenon_domain::file_path`]). An empty one is absent.
    pub(crate) fn path(&self, name: &str) -> Option<&str> {
        let value = self.0.values.get(name).and_then(Value::as_str);
        value.filter(|text| !text.is_empty())
    }

    /// As [`Parameters::text`], trimmed and cut to a length that people type.
    pub(crate) fn words(&self, name: &str) -> Option<String> {
        let text: String = self.text(name)?.trim().chars().filter(|c| !c.is_control()).take(LONGEST).collect();
        Some(text).filter(|text| !text.is_empty())
    }

    /// A parameter that is a number above zero.
    pub(crate) fn number(&self, name: &str) -> Option<i64> {
        self.text(name).and_then(|text| text.parse().ok()).filter(|number| *number > 0)
    }

    /// All values of a list, which is written as `name[]=a&name[]=b` or as `name=a&name=b`.
    pub(crate) fn list(&self, name: &str) -> Vec<String> {
        let values: Vec<&Value> = match (self.0.repeated.get(name), self.0.values.get(name)) {
            (Some(all), _) | (None, Some(Value::Array(all))) => all.iter().collect(),
            (None, Some(one)) => vec![one],
            (None, None) => Vec::new(),
        };
        values.into_iter().filter_map(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_written_in_two_ways() {
        for (query, want) in [
            ("l[]=a&l[]=b", vec!["a", "b"]),
            ("l=a&l=b", vec!["a", "b"]),
            ("l=a", vec!["a"]),
            ("l[]=", vec![]),
            ("l[x]=a", vec![]),
            ("", vec![]),
        ] {
            let params = Parameters::new(ParamMap::from_query(query.as_bytes()).unwrap());
            assert_eq!(params.list("l"), want, "{query}");
        }
        let params = Parameters::new(ParamMap::from_query(b"a=+x%07+&b=&n=7&m=-1").unwrap());
        assert_eq!((params.words("a").as_deref(), params.text("b")), (Some("x"), None));
        assert_eq!((params.number("n"), params.number("m")), (Some(7), None));
    }
}
