//! Checks that a write was sent from a page of this server. Both must pass: browsers name the origin of a request, and
//! a form carries a token that only our pages can know.

use actix_web::http::header::HeaderMap;
use serde_json::Value;
use tenon_edge::param_map::ParamMap;
use url::Url;

use super::header::text_header;

/// True if the browser says that the request comes from one of our own pages. Programs that are no browsers say
/// nothing.
pub(crate) fn is_from_this_site(headers: &HeaderMap, base_url: &str) -> bool {
    match text_header(headers, "sec-fetch-site") {
        Some(site) => site == "same-origin",
        None if !headers.contains_key("origin") => !headers.contains_key("sec-fetch-site"),
        None => headers.get_all("origin").all(|origin| {
            let origin = origin.to_str().ok().and_then(|text| Url::parse(text).ok());
            origin.is_some_and(|origin| is_own(&origin, text_header(headers, "host"), base_url))
        }),
    }
}

/// True if an origin is the one that the browser has asked, or the public one of this server.
fn is_own(origin: &Url, host: Option<&str>, base_url: &str) -> bool {
    let public = Url::parse(base_url).is_ok_and(|base| base.origin() == origin.origin());
    let asked = host.and_then(|host| Url::parse(&format!("{}://{host}", origin.scheme())).ok());
    public || asked.is_some_and(|asked| asked.origin() == origin.origin() && origin.has_host())
}

/// The token that a request presents, in its form or in a header of a script.
pub(crate) fn presented<'r>(headers: &'r HeaderMap, form: &'r ParamMap) -> Option<&'r str> {
    let in_form = form.values.get("authenticity_token").and_then(Value::as_str);
    in_form.or_else(|| text_header(headers, "x-csrf-token"))
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{HeaderName, HeaderValue};

    use super::*;

    #[test]
    fn writes_from_other_sites_are_recognised() {
        for (headers, want) in [
            (&[][..], true),
            (&[("sec-fetch-site", "same-origin")], true),
            (&[("sec-fetch-site", "same-site")], false),
            (&[("sec-fetch-site", "cross-site"), ("origin", "https://tenon.example")], false),
            (&[("sec-fetch-site", "none")], false),
            (&[("origin", "https://tenon.example")], true),
            (&[("origin", "https://evil.example")], false),
            (&[("origin", "http://tenon.example")], false),
            (&[("origin", "null")], false),
            (&[("origin", "null"), ("host", "null")], false),
            (&[("origin", "http://10.0.0.7:8080"), ("host", "10.0.0.7:8080")], true),
            (&[("origin", "http://10.0.0.7:8081"), ("host", "10.0.0.7:8080")], false),
            (&[("origin", "https://tenon.example"), ("origin", "https://evil.example")], false),
        ] {
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                map.append(HeaderName::from_static(name), HeaderValue::from_static(value));
            }
            assert_eq!(is_from_this_site(&map, "https://tenon.example/code"), want, "{headers:?}");
        }
    }
}
