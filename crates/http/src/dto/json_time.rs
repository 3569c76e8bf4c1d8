//! Timestamps in JSON: UTC, three decimals, `Z`. For `#[serde(serialize_with = "...")]` in DTOs.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serializer;

/// Serializes a timestamp: `2017-03-17T17:18:09.283Z`.
pub(crate) fn moment<S: Serializer>(moment: &DateTime<Utc>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&moment.to_rfc3339_opts(SecondsFormat::Millis, true))
}

/// Serializes a timestamp or null.
#[expect(clippy::ref_option, reason = "the signature that serde calls")]
pub(crate) fn optional<S: Serializer>(value: &Option<DateTime<Utc>>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => moment(value, serializer),
        None => serializer.serialize_none(),
    }
}

/// Serializes a timestamp or null in a field that can also be omitted.
#[expect(clippy::ref_option, clippy::option_option, reason = "the signature that serde calls")]
pub(crate) fn nested<S: Serializer>(value: &Option<Option<DateTime<Utc>>>, serializer: S) -> Result<S::Ok, S::Error> {
    optional(&value.flatten(), serializer)
}

#[cfg(test)]
mod tests {
    use serde::Serialize;

    use super::*;

    #[derive(Serialize)]
    struct Dto {
        #[serde(serialize_with = "moment")]
        at: DateTime<Utc>,
        #[serde(serialize_with = "optional")]
        maybe: Option<DateTime<Utc>>,
        #[serde(serialize_with = "optional")]
        never: Option<DateTime<Utc>>,
    }

    #[test]
    fn three_decimals_always() {
        let at = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
        let dto =
            Dto { at: at("2017-03-17T17:18:09.2839Z"), maybe: Some(at("2017-03-17T17:18:09+02:00")), never: None };
        assert_eq!(
            serde_json::to_string(&dto).unwrap(),
            r#"{"at":"2017-03-17T17:18:09.283Z","maybe":"2017-03-17T15:18:09.000Z","never":null}"#
        );
    }
}
