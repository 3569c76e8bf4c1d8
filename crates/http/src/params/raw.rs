//! The parameters of a request before they are read into types.

use std::collections::HashMap;

use bytes::Bytes;
use serde_json::Value;

use super::param_map::ParamMap;

/// The parameters of one request, or of its body, and the uploaded files by field name.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct RawParams {
    pub(crate) values: ParamMap,
    pub(crate) files: HashMap<String, Upload>,
}

/// A file that came with a multipart body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Upload {
    /// The name that the client gave it. Not to be trusted.
    pub(crate) file_name: String,
    /// The type that the client claims, if any. Not to be trusted.
    pub(crate) content_type: Option<String>,
    pub(crate) bytes: Bytes,
}

/// One parameter as it was sent.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RawParam<'a> {
    Absent,
    /// Once, or as JSON, or with brackets.
    Value(&'a Value),
    /// Several times without brackets: an array takes all values, everything else the last.
    Repeated {
        last: &'a Value,
        all: &'a [Value],
    },
    /// As an uploaded file.
    File(&'a Upload),
}

impl RawParams {
    /// These parameters and no files.
    pub(crate) fn without_files(values: ParamMap) -> Self {
        Self { values, files: HashMap::new() }
    }

    /// The parameter of that name. A file hides a value.
    pub(super) fn get(&self, name: &str) -> RawParam<'_> {
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
