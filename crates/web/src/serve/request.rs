//! One request for a page, from the socket to the handler and back.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use actix_web::http::{Method, StatusCode, header};
use actix_web::web::Payload;
use actix_web::{HttpRequest, HttpResponse};
use serde_json::Value;
use tenon_app::identity::{Credential, Guard, Identity};
use tenon_domain::token::ScopeRule;
use tenon_edge::client::app_of;
use tenon_edge::finish::{UNKNOWN_ROUTE, finish};
use tenon_edge::param_map::ParamMap;
use tenon_edge::raw::{RawParams, Upload};

use super::receive::{Received, receive};
use super::{demand, failure};
use crate::context::frame::{Frame, FrameHead};
use crate::context::request::{Request, RequestContext};
use crate::context::site::SiteContext;
use crate::dispatch::pages::Dispatch;
use crate::kit::answer::Answer;
use crate::kit::cookie::Cookies;
use crate::kit::csrf::{self, is_from_this_site};
use crate::kit::error::PageError;
use crate::kit::header::{reads, text_header};
use crate::kit::parameters::Parameters;
use crate::kit::return_to::{AUTHORIZE, ReturnTo};
use crate::kit::{address, asset, gzip};
use crate::pages::go_get;
use crate::pages::unsubscribe::ONE_CLICK;
use crate::table::page_table::{Page, Segments};
use crate::table::site::SiteAction;

/// Pages whose address has a token that was mailed. No other server gets the token in a `Referer`, not even a proxy of
/// this one.
///
/// With `no-referrer` browsers would send their forms with `Origin: null`, which does not identify a site.
const WITH_TOKEN: [&str; 2] = ["/users/password/edit", "/users/confirmation"];

/// Answers one request for a page.
pub(crate) async fn serve(
    site: SiteContext,
    pages: Arc<Dispatch>,
    request: HttpRequest,
    payload: Payload,
) -> HttpResponse {
    let started = Instant::now();
    let path = request.uri().path();
    if let Some(response) = asset::serve(site.assets(), &request) {
        return finish(site.edge(), request.method(), asset::ROUTE, Ok(response), started);
    }
    let found = pages.find(path, reads(request.method()));
    let (route, response) = if let Some((page, segments)) = found {
        (page.pattern, answer(&site, &request, payload, page, segments).await)
    } else {
        let cookies = Cookies::of(request.headers(), site.edge().app());
        let sign_in = sign_in(&site, &request, UNKNOWN_ROUTE, &ReturnTo::default());
        let answer = failed(&site, &request, &cookies, sign_in, PageError::NotFound).await;
        (UNKNOWN_ROUTE, answer.into_response(site.edge()))
    };
    finish(site.edge(), request.method(), route, Ok(response), started)
}

async fn answer(
    site: &SiteContext,
    request: &HttpRequest,
    payload: Payload,
    page: &Page<SiteAction>,
    segments: Segments,
) -> HttpResponse {
    let cookies = Cookies::of(request.headers(), site.edge().app());
    let mut return_to = ReturnTo::default();
    let outcome = match receive(site, request, payload, &cookies).await {
        Ok(Received { query, form: RawParams { values: form, files, several }, held: _held }) => {
            let method = method_of(request.method(), &form);
            let named = form.values.get("return_to").or_else(|| query.values.get("return_to")).and_then(Value::as_str);
            return_to = ReturnTo::parse(named.filter(|_| demand::comes_first(page.pattern)));
            let sign_in = sign_in(site, request, page.pattern, &return_to);
            let (return_to, cookies) = (return_to.clone(), cookies.clone());
            let sent = Sent { method, query, form, files, several, return_to, sign_in, cookies, segments };
            carry_out(site, request, page, sent).await
        }
        Err(failure) => Err(failure),
    };
    let has_ended = matches!(outcome, Err(PageError::SignIn)) && cookies.has_session();
    let answer = match outcome {
        Err(PageError::SignIn) if reads(request.method()) => {
            Answer::to(&address::leading_to(base_url(site), address::SIGN_IN, request.uri()))
        }
        Err(failure) => {
            let sign_in = sign_in(site, request, page.pattern, &return_to);
            failed(site, request, &cookies, sign_in, failure).await
        }
        Ok(answer) => {
            let app = app_of(site.edge(), request);
            answer.with_colours(&app, request.uri().path()).await.with_labels().with_times(app.now())
        }
    };
    let answer = if has_ended { answer.clearing_cache() } else { answer };
    let mut answer = answer.with_cookies_of(&cookies).or_form_target(return_to.form_target());
    if reads(request.method()) {
        answer = answer.or_not_modified(
            base_url(site),
            &cookies,
            text_header(request.headers(), "if-none-match").unwrap_or_default(),
        );
    }
    let is_asked_here = !matches!(text_header(request.headers(), "sec-fetch-site"), Some("cross-site" | "same-site"));
    answer = answer.compressed_for(is_asked_here && gzip::is_accepted(request)).await;
    if WITH_TOKEN.contains(&page.pattern) {
        answer = answer.header(header::REFERRER_POLICY, "strict-origin".to_owned());
    }
    if page.pattern == AUTHORIZE || return_to.is_authorization() {
        answer = answer.keeping_opener();
    }
    answer.into_response(site.edge())
}

/// The page to sign in, which leads back to the page of this request. If that page comes before another one, it leads
/// to the other one.
fn sign_in(site: &SiteContext, request: &HttpRequest, pattern: &str, return_to: &ReturnTo) -> String {
    if demand::comes_first(pattern) {
        return_to.through(&format!("{}{}", address::root(base_url(site)), address::SIGN_IN))
    } else if reads(request.method()) {
        address::leading_to(base_url(site), address::SIGN_IN, request.uri())
    } else {
        format!("{}{}", address::root(base_url(site)), address::SIGN_IN)
    }
}

/// The page of a failure. If the database may be asked, a user who has signed in keeps the header of all pages. A
/// session that has ended counts as none.
async fn failed(
    site: &SiteContext,
    request: &HttpRequest,
    cookies: &Cookies,
    sign_in: String,
    failure: PageError,
) -> Answer {
    let status = failure.status();
    let frame = match cookies.session() {
        None => Frame::bare(site, sign_in),
        Some(_) if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS => {
            Frame::bare(site, String::new())
        }
        Some(session) => {
            let head = FrameHead::new(site, cookies, UNKNOWN_ROUTE, request.uri().path(), sign_in.clone()).quiet();
            let app = app_of(site.edge(), request);
            let identity = identity(Some(session), None, Guard::Anyone, true);
            match app.read(&identity, move |query| Frame::of(head, query)).await {
                Ok(frame) if frame.user.is_some() => frame,
                Ok(_) => Frame::bare(site, sign_in),
                Err(_) => Frame::bare(site, String::new()),
            }
        }
    };
    failure::page(&failure, frame)
}

/// The caller with the cookie of this session, and the token of a form.
fn identity(session: Option<&str>, csrf: Option<&str>, guard: Guard, reads: bool) -> Identity {
    let csrf = csrf.map(ToOwned::to_owned);
    Identity {
        credential: session.map(|id| Credential::Session { id: id.to_owned(), csrf, on_page: true }),
        sudo: None,
        guard,
        scopes: ScopeRule::Any,
        reads,
    }
}

/// A request whose parameters were read.
struct Sent {
    method: Method,
    query: ParamMap,
    form: ParamMap,
    files: HashMap<String, Upload>,
    several: HashMap<String, Vec<Upload>>,
    return_to: ReturnTo,
    sign_in: String,
    cookies: Cookies,
    segments: Segments,
}

async fn carry_out(
    site: &SiteContext,
    request: &HttpRequest,
    page: &Page<SiteAction>,
    sent: Sent,
) -> Result<Answer, PageError> {
    let action = page.action(&sent.method).ok_or_else(|| PageError::Method(page.methods()))?;
    let reads = reads(&sent.method);
    let token = csrf::presented(request.headers(), &sent.form);
    let is_genuine = || is_from_this_site(request.headers(), site.edge().app().base_url()) && sent.cookies.admit(token);
    // The effect of the form follows from the key in the address alone. So the request belongs to no session.
    let is_one_click = page.pattern == ONE_CLICK && sent.form.values.contains_key("List-Unsubscribe");
    if !reads && !is_one_click && !is_genuine() {
        return Err(PageError::Forged);
    }
    let session = sent.cookies.session();
    if session.is_none() && action.guard != Guard::Anyone {
        return Err(PageError::SignIn);
    }
    let identity = identity(session, token, action.guard, reads);
    let feed_token = feed_token(&sent.query, request.uri().path()).filter(|_| reads);
    let is_by_feed_token = feed_token.is_some();
    let identity = match feed_token {
        Some(token) => Identity { credential: Some(Credential::FeedToken(token)), ..identity },
        None => identity,
    };
    let peer = request.peer_addr().map(|address| address.ip());
    let user_agent = request.headers().get(header::USER_AGENT).and_then(|value| value.to_str().ok());
    let context = RequestContext::new(
        site.clone(),
        app_of(site.edge(), request),
        identity,
        Request {
            method: sent.method,
            segments: sent.segments,
            pattern: page.pattern,
            path: request.uri().path().to_owned(),
            proof: go_get::proof(request.headers(), &sent.query, site.edge().app().base_url()),
            query: Parameters::new(sent.query),
            form: sent.form,
            files: sent.files,
            several: sent.several,
            raw_query: request.query_string().to_owned(),
            known: text_header(request.headers(), "if-none-match").map(ToOwned::to_owned),
            is_fragment: text_header(request.headers(), "x-fragment") == Some("1"),
            accepts_json: text_header(request.headers(), "accept")
                .is_some_and(|kinds| kinds.contains("application/json") && !kinds.contains("text/html")),
            return_to: sent.return_to,
            sign_in: sent.sign_in,
            cookies: sent.cookies,
            address: site.edge().proxies().client(peer, request.headers()),
            user_agent: user_agent.map(ToOwned::to_owned),
        },
    );
    if is_by_feed_token {
        return match (action.run)(context).await {
            // The token opens nothing else, and leads nowhere else.
            Ok(answer) if answer.is_feed() => Ok(answer),
            Ok(_) => Err(PageError::NotFound),
            Err(PageError::SignIn) => Err(PageError::Status(StatusCode::UNAUTHORIZED, None)),
            Err(error) => Err(error),
        };
    }
    match demand::page_first(&context, page.pattern, reads).await? {
        // Then the browser goes to the requested page. A form that was sent is not sent again.
        Some(first) if reads => Ok(Answer::to(&address::leading_to(base_url(site), first, request.uri()))),
        Some(first) => Ok(Answer::to(&context.own(first))),
        None => (action.run)(context).await,
    }
}

/// The token of feeds in an address that may be that of a feed.
fn feed_token(query: &ParamMap, path: &str) -> Option<String> {
    let text = |name: &str| query.values.get(name).and_then(Value::as_str);
    let may_be_feed =
        path.rsplit_once('.').is_some_and(|(_, ending)| ending == "atom") || text("format") == Some("atom");
    text("feed_token").filter(|token| may_be_feed && !token.is_empty()).map(ToOwned::to_owned)
}

fn base_url(site: &SiteContext) -> &str {
    site.edge().app().base_url()
}

/// Forms can only send POST: the field `_method` names another method.
fn method_of(sent: &Method, form: &ParamMap) -> Method {
    let named = form.values.get("_method").and_then(Value::as_str).unwrap_or_default();
    match named.to_ascii_lowercase().as_str() {
        "put" | "patch" if *sent == Method::POST => Method::PUT,
        "delete" if *sent == Method::POST => Method::DELETE,
        _ if *sent == Method::PATCH => Method::PUT,
        _ => sent.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_posted_form_names_another_method() {
        let form = |text: &str| ParamMap::from_query(text.as_bytes()).unwrap();
        for (sent, body, want) in [
            (Method::POST, "_method=delete", Method::DELETE),
            (Method::POST, "_method=PATCH", Method::PUT),
            (Method::POST, "_method=get", Method::POST),
            (Method::POST, "_method[]=delete", Method::POST),
            (Method::POST, "", Method::POST),
            (Method::GET, "_method=delete", Method::GET),
            (Method::PATCH, "", Method::PUT),
        ] {
            assert_eq!(method_of(&sent, &form(body)), want, "{sent} {body}");
        }
    }
}
