//! The paging headers of lists.

use actix_web::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use tenon_domain::file_path::bytes_of;
use tenon_domain::page::PageRequest;
use tenon_edge::credentials::SECRET_PARAMS;
use tenon_edge::param_map;

use super::call::RequestHead;

/// The paging headers, which browsers may also read across origins.
pub(crate) const HEADERS: [&str; 7] =
    ["link", "x-total", "x-total-pages", "x-per-page", "x-page", "x-next-page", "x-prev-page"];

const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// All headers of one page. A missing neighbour is an empty value.
pub(crate) fn headers(
    head: &RequestHead,
    request: PageRequest,
    total: i64,
    total_pages: i64,
    defaults: Defaults,
) -> [(HeaderName, String); 7] {
    let page = request.page();
    // A page beyond the last one has no neighbours.
    let previous = (page > 1 && page <= total_pages).then(|| page - 1);
    let next = (page < total_pages).then(|| page + 1);
    let link = |to: i64, rel: &str| format!("<{}>; rel=\"{rel}\"", url(head, to, request.per_page(), defaults));
    let links = [
        previous.map(|to| link(to, "prev")),
        next.map(|to| link(to, "next")),
        Some(link(1, "first")),
        Some(link(total_pages, "last")),
    ];
    let number = |neighbour: Option<i64>| neighbour.map_or_else(String::new, |page| page.to_string());
    let named = HeaderName::from_static;
    [
        (header::LINK, links.into_iter().flatten().collect::<Vec<_>>().join(", ")),
        (named("x-total"), total.to_string()),
        (named("x-total-pages"), total_pages.to_string()),
        (named("x-per-page"), request.per_page().to_string()),
        (named("x-page"), page.to_string()),
        (named("x-next-page"), number(next)),
        (named("x-prev-page"), number(previous)),
    ]
}

/// Removes the headers with the length of the list.
pub(crate) fn without_total(headers: &mut HeaderMap) {
    for name in ["x-total", "x-total-pages"] {
        headers.remove(name);
    }
    let links = headers.get(header::LINK).and_then(|links| links.to_str().ok()).unwrap_or_default();
    let kept: Vec<&str> = links.split(", ").filter(|link| !link.ends_with("; rel=\"last\"")).collect();
    if let Ok(links) = HeaderValue::from_str(&kept.join(", ")) {
        headers.insert(header::LINK, links);
    }
}

/// Parameters with defaults that the links show although the client did not send them.
pub(crate) type Defaults = &'static [(&'static str, &'static str)];

/// The URL of the request with another page, its parameters sorted by name and without secrets.
fn url(head: &RequestHead, page: i64, per_page: i64, defaults: Defaults) -> String {
    let mut pairs = pairs_without(head, &["page", "per_page"]);
    for (name, value) in defaults {
        if !pairs.iter().any(|(given, _)| given == name) {
            pairs.push(((*name).to_owned(), (*value).to_owned()));
        }
    }
    pairs.push(("page".to_owned(), page.to_string()));
    pairs.push(("per_page".to_owned(), per_page.to_string()));
    url_with(head, pairs)
}

/// The parameters of the request but for these and for secrets.
fn pairs_without(head: &RequestHead, replaced: &[&str]) -> Vec<(String, String)> {
    let mut pairs = param_map::pairs(head.query.as_bytes()).unwrap_or_default();
    pairs.retain(|(name, _)| !replaced.contains(&name.as_str()) && !SECRET_PARAMS.contains(&name.as_str()));
    pairs
}

/// The link to the part of a list that `token` names.
pub(crate) fn next_of(head: &RequestHead, token: &str) -> String {
    let mut pairs = pairs_without(head, &["page", "pagination", "page_token", "cursor"]);
    pairs.push(("pagination".to_owned(), "keyset".to_owned()));
    pairs.push(("page_token".to_owned(), token.to_owned()));
    format!("<{}>; rel=\"next\"", url_with(head, pairs))
}

/// The URL of the request with these parameters.
fn url_with(head: &RequestHead, mut pairs: Vec<(String, String)>) -> String {
    // Stable: the elements of an array keep their order.
    pairs.sort_by(|(left, _), (right, _)| left.cmp(right));
    let encoded = |text: &str| percent_encode(&bytes_of(text).unwrap_or_default(), UNRESERVED).to_string();
    let pairs: Vec<String> =
        pairs.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).collect();
    format!("{}{}?{}", head.base_url, head.path, pairs.join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(query: &str, page: i64, per_page: i64, total: i64) -> Vec<String> {
        let request = PageRequest::new(Some(page), Some(per_page));
        let pages = tenon_domain::page::Page::<()> { items: vec![], total, request }.total_pages();
        let head = RequestHead::example("/api/v4/projects/a%2Fb/notes", query);
        headers(&head, request, total, pages, &[]).into_iter().map(|(_, value)| value).collect()
    }

    fn link(page: i64, per_page: i64, rel: &str) -> String {
        format!("<https://tenon.example/api/v4/projects/a%2Fb/notes?page={page}&per_page={per_page}>; rel=\"{rel}\"")
    }

    #[test]
    fn every_page_leads_to_its_neighbours() {
        let middle = page("per_page=3&page=2", 2, 3, 8);
        assert_eq!(
            middle[0],
            [link(1, 3, "prev"), link(3, 3, "next"), link(1, 3, "first"), link(3, 3, "last")].join(", ")
        );
        assert_eq!(middle[1..], ["8", "3", "3", "2", "3", "1"]);

        let empty = page("", 1, 20, 0);
        assert_eq!(empty[0], [link(1, 20, "first"), link(1, 20, "last")].join(", "));
        assert_eq!(empty[1..], ["0", "1", "20", "1", "", ""]);

        let beyond = page("", 9, 3, 8);
        assert_eq!(beyond[0], [link(1, 3, "first"), link(3, 3, "last")].join(", "));
        assert_eq!(beyond[1..], ["8", "3", "3", "9", "", ""]);

        let last = page("", 3, 3, 8);
        assert_eq!(last[0], [link(2, 3, "prev"), link(1, 3, "first"), link(3, 3, "last")].join(", "));
    }

    #[test]
    fn a_list_that_is_not_counted_says_where_it_goes_on() {
        let mut headers_of_all = HeaderMap::new();
        let head = RequestHead::example("/api/v4/projects/a%2Fb/notes", "per_page=3&page=2");
        for (name, value) in headers(&head, PageRequest::new(Some(2), Some(3)), 7, 3, &[]) {
            headers_of_all.insert(name, HeaderValue::from_str(&value).unwrap());
        }
        without_total(&mut headers_of_all);
        let links = [link(1, 3, "prev"), link(3, 3, "next"), link(1, 3, "first")].join(", ");
        assert_eq!(headers_of_all.get("link").unwrap().to_str().unwrap(), links);
        assert!(!headers_of_all.contains_key("x-total") && !headers_of_all.contains_key("x-total-pages"));
        assert_eq!(headers_of_all.get("x-next-page").unwrap(), "3");
    }

    #[test]
    fn links_repeat_defaults_that_were_not_given() {
        let head = RequestHead::example("/api/v4/x", "sort=desc");
        let defaults: Defaults = &[("order_by", "commits"), ("sort", "asc")];
        let [(_, links), ..] = headers(&head, PageRequest::new(None, None), 0, 1, defaults);
        let first = "<https://tenon.example/api/v4/x?order_by=commits&page=1&per_page=20&sort=desc>; rel=\"first\"";
        assert!(links.starts_with(first), "{links}");
    }

    #[test]
    fn a_part_leads_only_to_the_next_one() {
        let head = RequestHead::example("/api/v4/x", "cursor=a&page=3&per_page=2&private_token=s&archived=true");
        let next =
            "<https://tenon.example/api/v4/x?archived=true&page_token=6f&pagination=keyset&per_page=2>; rel=\"next\"";
        assert_eq!(next_of(&head, "6f"), next);
    }

    #[test]
    fn links_keep_parameters_and_drop_secrets() {
        let query = "sort=asc&skip_groups[]=4&skip_groups%5B%5D=3&a=x+y%26z&private_token=s&access_token=s&bearer_token=s\
                     &authenticity_token=s&page=7&sudo=ann&b=%C3%A9%22%3E";
        let links = page(query, 1, 20, 1);
        assert!(
            links[0].starts_with(
                "<https://tenon.example/api/v4/projects/a%2Fb/notes?a=x%20y%26z&b=%C3%A9%22%3E&page=1&per_page=20\
                 &skip_groups%5B%5D=4&skip_groups%5B%5D=3&sort=asc&sudo=ann>; rel=\"first\""
            ),
            "{}",
            links[0]
        );
    }
}
