//! The credential of a request. This module finds it in the request; the application verifies it.

use actix_web::cookie::Cookie;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderMap, HeaderName};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};
use tenon_app::identity::Credential;
use url::Url;

use super::error::ApiError;

const PRIVATE_TOKEN: HeaderName = HeaderName::from_static("private-token");
const CSRF_TOKEN: HeaderName = HeaderName::from_static("x-csrf-token");
const SUDO: HeaderName = HeaderName::from_static("sudo");
const SESSION_COOKIE: &str = "_service_session";

/// Parameters that are secrets: they are left out of links.
pub const SECRET_PARAMS: [&str; 4] = ["private_token", "access_token", "bearer_token", "authenticity_token"];

/// The claims of a request about its caller.
#[derive(Clone, Default)]
pub struct Presented {
    /// The proof of the caller, unverified.
    pub credential: Option<Credential>,
    /// The user that the caller asks to act as (`sudo`).
    pub sudo: Option<String>,
}

/// Picks the credential and the target of `sudo`. The first place that holds one decides; there is no fallback to
/// another. Different tokens in a parameter and in a header are refused.
pub fn present(params: &Map<String, Value>, headers: &HeaderMap, base_url: &str) -> Result<Presented, ApiError> {
    let access_token = parameter(params, "access_token")?;
    let bearer = bearer(headers)?;
    if access_token.is_some() && bearer.is_some() {
        return Err(ApiError::two_access_tokens());
    }
    let from_params = [access_token.clone(), parameter(params, "bearer_token")?, parameter(params, "private_token")?];
    let from_headers = [bearer.clone(), header_text(headers, &PRIVATE_TOKEN)?];
    let disagree = |param: &String| from_headers.iter().flatten().any(|header| header != param);
    if from_params.iter().flatten().any(disagree) {
        return Err(ApiError::unauthorized());
    }
    let [_, bearer_token, private_token] = from_params;
    let [_, private_header] = from_headers;
    let token = access_token.or(bearer).or(bearer_token).or(private_token).or(private_header);
    let credential = match token {
        Some(token) => Some(Credential::Token(token)),
        None => session(params, headers, base_url),
    };
    Ok(Presented { credential, sudo: sudo(params, headers)? })
}

/// A token parameter; empty is absent. 401 for anything but text and numbers.
fn parameter(params: &Map<String, Value>, name: &str) -> Result<Option<String>, ApiError> {
    match params.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(token)) => Ok(Some(token.clone()).filter(|token| !token.is_empty())),
        Some(Value::Number(number)) => Ok(Some(number.to_string())),
        Some(_) => Err(ApiError::unauthorized()),
    }
}

/// A header with a token; empty is absent. 401 for bytes that are not UTF-8, and for two values that differ.
fn header_text(headers: &HeaderMap, name: &HeaderName) -> Result<Option<String>, ApiError> {
    let mut found: Option<&str> = None;
    for value in headers.get_all(name) {
        let Ok(text) = std::str::from_utf8(value.as_bytes()) else {
            return Err(ApiError::unauthorized());
        };
        if found.is_some_and(|earlier| earlier != text) {
            return Err(ApiError::unauthorized());
        }
        found = Some(text);
    }
    Ok(found.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned))
}

/// The token of `Authorization: Bearer`. The API ignores other schemes.
fn bearer(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let is_bearer = |value: &[u8]| value.get(..7).is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"bearer "));
    if !headers.get_all(header::AUTHORIZATION).any(|value| is_bearer(value.as_bytes())) {
        return Ok(None);
    }
    let value = header_text(headers, &header::AUTHORIZATION)?;
    Ok(value.and_then(|value| value.get(7..).map(|token| token.trim().to_owned())).filter(|token| !token.is_empty()))
}

/// Name and password of Basic authentication, which the API ignores. A text that cannot be decoded is a wrong password.
pub fn basic(headers: &HeaderMap) -> Option<(String, String)> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, rest) = value.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let decoded = STANDARD.decode(rest.trim()).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let decoded = decoded.unwrap_or_default();
    let (name, password) = decoded.split_once(':').unwrap_or((&decoded, ""));
    Some((name.to_owned(), password.to_owned()))
}

/// The session cookie, unless the request comes from another origin.
fn session(params: &Map<String, Value>, headers: &HeaderMap, base_url: &str) -> Option<Credential> {
    let is_own = |origin: &header::HeaderValue| origin.to_str().is_ok_and(|origin| is_same_origin(origin, base_url));
    if !headers.get_all(header::ORIGIN).all(is_own) {
        return None;
    }
    let lines = headers.get_all(header::COOKIE).filter_map(|value| value.to_str().ok());
    let mut cookies = lines.flat_map(|line| line.split(';')).filter_map(|pair| Cookie::parse(pair.trim()).ok());
    let id = cookies.find(|cookie| cookie.name() == SESSION_COOKIE && !cookie.value().is_empty())?.value().to_owned();
    let csrf = match headers.get(CSRF_TOKEN).and_then(|value| value.to_str().ok()) {
        Some(token) => Some(token.to_owned()),
        None => params.get("authenticity_token").and_then(Value::as_str).map(str::to_owned),
    };
    Some(Credential::Session { id, csrf, on_page: false })
}

fn is_same_origin(one: &str, other: &str) -> bool {
    match (Url::parse(one), Url::parse(other)) {
        (Ok(one), Ok(other)) => one.origin() == other.origin(),
        (Err(_), _) | (_, Err(_)) => false,
    }
}

/// The target of `sudo`. 400 for two different ones.
fn sudo(params: &Map<String, Value>, headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let contradiction = || ApiError::message(StatusCode::BAD_REQUEST, "sudo is invalid");
    let param = match params.get("sudo") {
        None | Some(Value::Null) => None,
        Some(Value::String(target)) => Some(target.clone()).filter(|target| !target.is_empty()),
        Some(Value::Number(target)) => Some(target.to_string()),
        Some(_) => return Err(contradiction()),
    };
    let mut targets = headers.get_all(SUDO).map(|value| String::from_utf8_lossy(value.as_bytes()).trim().to_owned());
    let header = targets.next().filter(|target| !target.is_empty());
    match (param, header) {
        (_, Some(header)) if targets.any(|other| other != header) => Err(contradiction()),
        (Some(param), Some(header)) if param != header => Err(contradiction()),
        (param, header) => Ok(param.or(header)),
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;
    use serde_json::json;

    use super::*;

    fn picked(params: Value, headers: &[(&'static str, &[u8])]) -> String {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(HeaderName::from_static(name), HeaderValue::from_bytes(value).unwrap());
        }
        let Value::Object(params) = params else { panic!("an object") };
        match present(&params, &map, "https://tenon.example/code") {
            Err(error) => error.status().as_str().to_owned(),
            Ok(presented) => {
                let credential = match presented.credential {
                    None => "nothing".to_owned(),
                    Some(Credential::Token(token) | Credential::FeedToken(token)) => token,
                    Some(Credential::Session { id, csrf, .. }) => format!("session {id} {}", csrf.unwrap_or_default()),
                    Some(Credential::User(id) | Credential::SignIn(id)) => format!("user {id}"),
                };
                presented.sudo.map_or(credential.clone(), |sudo| format!("{credential} as {sudo}"))
            }
        }
    }

    #[test]
    fn the_first_place_with_a_credential_decides() {
        let both_headers: &[(_, &[u8])] = &[("authorization", b"Bearer b"), ("private-token", b"p")];
        let cookie: &[(_, &[u8])] = &[("cookie", b"a=1; _service_session=s; b=2")];
        for (params, headers, want) in [
            (json!({}), &[][..], "nothing"),
            (json!({"access_token": "a", "bearer_token": "b", "private_token": "p"}), &[], "a"),
            (json!({"bearer_token": "b", "private_token": "p"}), &[], "b"),
            (json!({"private_token": "p"}), &[], "p"),
            (json!({"private_token": 12}), &[], "12"),
            (json!({"private_token": ""}), cookie, "session s "),
            (json!({}), both_headers, "b"),
            (json!({}), &[("authorization", b"bEARER  b ")], "b"),
            (json!({}), &[("authorization", b"Basic b")], "nothing"),
            (json!({}), &[("authorization", b"Basic \xff")], "nothing"),
            (json!({}), &[("authorization", b"Bearer ")], "nothing"),
            (json!({}), &[("private-token", b"p")], "p"),
            (json!({}), &[("private-token", b"")], "nothing"),
            (json!({"authenticity_token": "c"}), cookie, "session s c"),
            (json!({}), &[("cookie", b"_service_session=s"), ("x-csrf-token", b"c")], "session s c"),
            (json!({}), &[("cookie", b"_service_session=s"), ("private-token", b"p")], "p"),
            (json!({}), &[("cookie", b"x_service_session=s")], "nothing"),
            (json!({}), &[("cookie", b"\xff")], "nothing"),
        ] {
            assert_eq!(picked(params.clone(), headers), want, "{params} {headers:?}");
        }
    }

    #[test]
    fn contradicting_tokens_are_refused() {
        for (params, headers, want) in [
            (json!({"access_token": "t"}), &[("authorization", &b"Bearer t"[..])][..], "400"),
            (json!({"private_token": "t"}), &[("private-token", b"t")], "t"),
            (json!({"private_token": "t"}), &[("private-token", b"u")], "401"),
            (json!({"private_token": "t"}), &[("authorization", b"Bearer u")], "401"),
            (json!({}), &[("private-token", b"t"), ("private-token", b"u")], "401"),
            (json!({}), &[("private-token", b"\xff\xfe")], "401"),
            (json!({}), &[("authorization", b"Bearer \xff")], "401"),
            (json!({"private_token": ["t"]}), &[], "401"),
        ] {
            assert_eq!(picked(params.clone(), headers), want, "{params} {headers:?}");
        }
    }

    #[test]
    fn a_cookie_is_ignored_in_requests_from_other_origins() {
        let from = |origin: &'static [u8]| picked(json!({}), &[("cookie", b"_service_session=s"), ("origin", origin)]);
        assert_eq!(from(b"https://tenon.example"), "session s ");
        for origin in
            [&b"https://evil.example"[..], b"http://tenon.example", b"null", b"https://tenon.example.evil", b""]
        {
            assert_eq!(from(origin), "nothing");
        }
    }

    #[test]
    fn sudo_is_read_from_both_places() {
        for (params, headers, want) in [
            (json!({"sudo": 7}), &[][..], "nothing as 7"),
            (json!({"sudo": "ann"}), &[("sudo", &b"ann"[..])], "nothing as ann"),
            (json!({"sudo": ""}), &[("sudo", b"ann")], "nothing as ann"),
            (json!({"sudo": ""}), &[("sudo", b"")], "nothing"),
            (json!({"sudo": "ann"}), &[("sudo", b"bob")], "400"),
            (json!({}), &[("sudo", b"ann"), ("sudo", b"bob")], "400"),
            (json!({"sudo": ["ann"]}), &[], "400"),
        ] {
            assert_eq!(picked(params.clone(), headers), want, "{params} {headers:?}");
        }
    }
}
