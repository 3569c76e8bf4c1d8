//! The parameters of a request before they are read into types.

use std::collections::HashMap;

use bytes::Bytes;
use serde_json::Value;

use super::param_map::ParamMap;

/// The parameters of one request, or of its body, and the uploaded files by field name.
#[derive(Debug, Default, PartialEq)]
pub struct RawParams {
    /// Everything but files.
    pub values: ParamMap,
    /// Files by the names of their fields.
    pub files: HashMap<String, Upload>,
    /// Files of fields that take several, whose names end with `[]`, in the order in which they were sent.
    pub several: HashMap<String, Vec<Upload>>,
}

/// A file that came with a multipart body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upload {
    /// The name that the client gave it. Not to be trusted.
    pub file_name: String,
    /// The type that the client claims, if any. Not to be trusted.
    pub content_type: Option<String>,
    /// Its content.
    pub bytes: Bytes,
}

/// One parameter as it was sent.
#[derive(Debug, Clone, Copy)]
pub enum RawParam<'a> {
    /// Not sent.
    Absent,
    /// Once, or as JSON, or with brackets.
    Value(&'a Value),
    /// Several times without brackets: an array takes all values, everything else the last.
    Repeated {
        /// The last value.
        last: &'a Value,
        /// All values in the order in which they were sent.
        all: &'a [Value],
    },
    /// As an uploaded file.
    File(&'a Upload),
}

impl RawParams {
    /// These parameters and no files.
    pub fn without_files(values: ParamMap) -> Self {
        Self { values, ..Self::default() }
    }

    /// The parameter of that name. A file takes precedence over a value.
    pub fn get(&self, name: &str) -> RawParam<'_> {
        if let Some(file) = self.files.get(name) {
            return RawParam::File(file);
        }
        match (self.values.values.get(name), self.values.repeated.get(name)) {
            (Some(last), Some(all)) => RawParam::Repeated { last, all },
            (Some(value), None) => RawParam::Value(value),
            (None, _) => RawParam::Absent,
        }
    }
}
