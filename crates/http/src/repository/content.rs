//! The content of files in requests.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::params::{FieldDoc, Param, Reader, choice};

choice! {
    /// The encoding of a content.
    pub(crate) enum Encoding {
        /// Plain text.
        Text = "text",
        /// Base64.
        Base64 = "base64",
    }
}

/// Base64 without padding. Bits that make no byte are passed over.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::RequireNone)
        .with_decode_allow_trailing_bits(true),
);

/// The bytes of a file from `content` and `encoding`, if any were sent. The name of the field is not sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Content(pub(crate) Option<Vec<u8>>);

impl Param for Content {
    fn read(reader: &mut Reader<'_>, _: &[&'static str]) -> Option<Self> {
        let content = Option::<String>::read(reader, &["content"]);
        let encoding = Option::<Encoding>::read(reader, &["encoding"]);
        let (Some(text), encoding) = (content?, encoding?) else { return Some(Self(None)) };
        let bytes = match encoding.unwrap_or(Encoding::Text) {
            Encoding::Text => Some(text.into_bytes()),
            Encoding::Base64 => decoded(text.into_bytes()),
        };
        if bytes.is_none() {
            reader.complain("content", "is invalid");
        }
        bytes.map(|bytes| Self(Some(bytes)))
    }

    fn describe(_: &'static str, _: &[&str], fields: &mut Vec<FieldDoc>) {
        Option::<String>::describe("content", &["What the file is to hold."], fields);
        Option::<Encoding>::describe("encoding", &["How `content` is written; as text where absent."], fields);
    }
}

/// The bytes of base64 as MIME has it, which the reference accepts: other characters, such as line breaks, are passed
/// over, and `=` ends it.
fn decoded(mut text: Vec<u8>) -> Option<Vec<u8>> {
    if let Some(end) = text.iter().position(|byte| *byte == b'=') {
        text.truncate(end);
    }
    text.retain(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'));
    // One character alone is less than a byte.
    if text.len() % 4 == 1 {
        text.pop();
    }
    BASE64.decode(text).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tenon_edge::error::ApiError;
    use tenon_edge::param_map::ParamMap;
    use tenon_edge::raw::RawParams;

    use super::*;
    use crate::params::{ReadParams as _, params};

    params! {
        /// A file.
        struct Sent {
            content: Content,
        }
    }

    fn read(body: &Value) -> Result<Option<Vec<u8>>, ApiError> {
        let map = ParamMap::from_json(body.to_string().as_bytes()).unwrap();
        RawParams::without_files(map).read::<Sent>().map(|sent| sent.content.0)
    }

    #[test]
    fn content_is_text_unless_it_says_otherwise() {
        for (body, want) in [
            (json!({}), None),
            (json!({"encoding": "base64"}), None),
            (json!({"content": ""}), Some(&b""[..])),
            (json!({"content": "aGk="}), Some(b"aGk=")),
            (json!({"content": "aGk=", "encoding": "text"}), Some(b"aGk=")),
            (json!({"content": "aGk=", "encoding": "base64"}), Some(b"hi")),
            (json!({"content": "aGk", "encoding": "base64"}), Some(b"hi")),
            (json!({"content": "/wA\r\nA\n", "encoding": "base64"}), Some(b"\xff\0\0")),
            (json!({"content": "a-b", "encoding": "base64"}), Some(b"i")),
            (json!({"content": "aGk=aGk=", "encoding": "base64"}), Some(b"hi")),
            (json!({"content": "aGk_x", "encoding": "base64"}), Some(b"hi1")),
            (json!({"content": "aGlhb", "encoding": "base64"}), Some(b"hia")),
            (json!({"content": "=", "encoding": "base64"}), Some(b"")),
        ] {
            assert_eq!(read(&body).unwrap().as_deref(), want, "{body}");
        }
    }

    #[test]
    fn what_cannot_be_decoded_is_refused() {
        let body = json!({"content": "a", "encoding": "rot13"});
        assert_eq!(read(&body).unwrap_err(), ApiError::parameters("encoding does not have a valid value"));
    }
}
