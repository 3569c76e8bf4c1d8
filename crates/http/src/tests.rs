//! Whole requests through the edge.

use actix_web::dev::ServiceResponse;
use actix_web::http::{Method, StatusCode};
use actix_web::test::{TestRequest, call_service, init_service, read_body};

use super::*;
use crate::call::Call;
use crate::params::{Upload, params};
use crate::reply::Created;
use tenon_app::identity::Guard;

params! {
    struct Echo {
        id: String,
        title: String,
        tags: Option<Vec<String>>,
        avatar: Option<Upload>,
    }
}

/// Answers with what it read, so that the whole way of parameters can be seen.
async fn echo(Call { caller, params }: Call<Echo>) -> Result<Created<serde_json::Value>, ApiError> {
    let Echo {
        id,
        title,
        tags,
        avatar,
    } = params;
    let size = avatar.map(|file| file.bytes.len());
    let id_in_path = caller.path("id").to_owned();
    caller
        .write(move |_| Ok(Created(serde_json::json!([id, id_in_path, title, tags, size]))))
        .await
}

async fn echoed(uri: &str, kind: &str, body: impl Into<Bytes>) -> (u16, String) {
    let mut routes = Routes::new();
    routes.tag("Test").post("/echo/{id}", Guard::SignedIn, echo, "Echoes.");
    let app = Arc::new(App::new("https://tenon.example"));
    let http = Http::with_routes(app, routes.finish().unwrap(), TrustedProxies::default()).unwrap();
    let app = init_service(actix_web::App::new().configure(|config| http.configure(config))).await;
    let request = TestRequest::with_uri(uri).method(Method::POST).set_payload(body);
    let request = if kind.is_empty() {
        request
    } else {
        request.insert_header(("Content-Type", kind))
    };
    let response = call_service(&app, request.to_request()).await;
    let status = response.status().as_u16();
    (status, String::from_utf8(read_body(response).await.to_vec()).unwrap())
}

async fn answer(method: &str, uri: &str, headers: &[(&str, &str)], body: &'static str) -> ServiceResponse {
    let http = Http::new::<&str>(Arc::new(App::new("https://tenon.example")), &[]).unwrap();
    let app = init_service(actix_web::App::new().configure(|config| http.configure(config))).await;
    let mut request = TestRequest::with_uri(uri)
        .method(Method::from_bytes(method.as_bytes()).unwrap())
        .set_payload(body);
    for header in headers {
        request = request.insert_header(*header);
    }
    call_service(&app, request.to_request()).await
}

fn header<'r>(response: &'r ServiceResponse, name: &str) -> &'r str {
    response.headers().get(name).map_or("", |value| value.to_str().unwrap())
}

const TOKEN: (&str, &str) = ("PRIVATE-TOKEN", "t");

#[actix_web::test]
async fn paths_and_methods_have_their_answers() {
    for (method, uri, status, body) in [
        ("GET", "/api/v4/nothing", 404, r#"{"error":"404 Not Found"}"#),
        ("GET", "/nothing", 404, r#"{"error":"404 Not Found"}"#),
        (
            "PATCH",
            "/api/v4/version",
            405,
            r#"{"message":"405 Method Not Allowed","error":"405 Not Allowed"}"#,
        ),
        ("OPTIONS", "/api/v4/version", 204, ""),
        (
            "GET",
            "/api/v3/projects",
            410,
            r#"{"error":"API V3 is no longer supported. Use API V4 instead."}"#,
        ),
        (
            "GET",
            "/api/v3",
            410,
            r#"{"error":"API V3 is no longer supported. Use API V4 instead."}"#,
        ),
        ("GET", "/api/v31/user", 404, r#"{"error":"404 Not Found"}"#),
        (
            "PUT",
            "/api/v3/user",
            410,
            r#"{"error":"API V3 is no longer supported. Use API V4 instead."}"#,
        ),
        ("GET", "/api/v3/user", 404, r#"{"error":"404 Not Found"}"#),
        ("GET", "/api/v4", 404, r#"{"error":"404 Not Found"}"#),
        ("GET", "/%61pi/v4/version", 404, r#"{"error":"404 Not Found"}"#),
        ("GET", "/api/v4/version", 401, r#"{"message":"401 Unauthorized"}"#),
        ("GET", "/-/health", 200, "Tenon OK"),
        ("GET", "/-/liveness", 200, r#"{"status":"ok"}"#),
        ("GET", "/-/readiness", 200, r#"{"status":"ok"}"#),
    ] {
        let response = answer(method, uri, &[], "").await;
        assert_eq!(response.status().as_u16(), status, "{method} {uri}");
        let sent: serde_json::Value = serde_json::from_slice(&read_body(response).await).unwrap_or_default();
        assert_eq!(
            sent,
            serde_json::from_str::<serde_json::Value>(body).unwrap_or_default(),
            "{method} {uri}"
        );
    }
    assert_eq!(
        header(&answer("PATCH", "/api/v4/version", &[], "").await, "allow"),
        "OPTIONS, GET, HEAD"
    );
}

#[actix_web::test]
async fn answers_carry_the_documented_headers() {
    let response = answer("GET", "/api/v4/version", &[TOKEN], "").await;
    for (name, value) in [
        ("content-type", "application/json"),
        ("x-frame-options", "SAMEORIGIN"),
        ("x-content-type-options", "nosniff"),
        ("vary", "Origin"),
        ("cache-control", "max-age=0, private, must-revalidate"),
    ] {
        assert_eq!(header(&response, name), value);
    }
    assert!(!header(&response, "x-request-id").is_empty() && !header(&response, "x-runtime").is_empty());

    let tag = header(&response, "etag").to_owned();
    let again = answer("GET", "/api/v4/version", &[TOKEN, ("If-None-Match", &tag)], "").await;
    assert_eq!(
        (again.status(), header(&again, "etag")),
        (StatusCode::NOT_MODIFIED, tag.as_str())
    );
    let head = answer("HEAD", "/api/v4/version", &[TOKEN], "").await;
    assert_eq!((head.status(), header(&head, "etag")), (StatusCode::OK, tag.as_str()));
    assert_eq!(header(&head, "content-type"), "application/json");
    assert!(read_body(head).await.is_empty());
}

#[actix_web::test]
async fn who_calls_is_settled_before_what_is_wrong() {
    let status = async |uri: &str, headers: &[(&str, &str)]| answer("GET", uri, headers, "").await.status().as_u16();
    assert_eq!(status("/api/v4/version?a[b=%ff", &[]).await, 401);
    assert_eq!(status("/api/v4/version?a[b=%ff", &[TOKEN]).await, 400);
    assert_eq!(status("/api/v4/version?format=xml", &[TOKEN]).await, 406);
    assert_eq!(status("/api/v4/version?private_token=u", &[TOKEN]).await, 401);
    assert_eq!(
        status("/api/v4/version?access_token=u", &[("Authorization", "Bearer u")]).await,
        400
    );
    assert_eq!(status("/api/v4/version?private_token=t", &[]).await, 200);
}

#[actix_web::test]
async fn other_sites_may_call_without_cookies() {
    let origin = ("Origin", "https://other.example");
    let response = answer("GET", "/api/v4/version", &[TOKEN, origin], "").await;
    assert_eq!(header(&response, "access-control-allow-origin"), "*");
    assert_eq!(header(&response, "access-control-allow-credentials"), "");
    let exposed = header(&response, "access-control-expose-headers").to_ascii_lowercase();
    assert!(paging::HEADERS.iter().all(|name| exposed.contains(name)), "{exposed}");
    assert_eq!(header(&response, "vary"), "Origin");

    let asked = [
        origin,
        ("Access-Control-Request-Method", "DELETE"),
        ("Access-Control-Request-Headers", "private-token"),
    ];
    let preflight = answer("OPTIONS", "/api/v4/version", &asked, "").await;
    assert_eq!(preflight.status(), StatusCode::OK);
    assert!(header(&preflight, "access-control-allow-methods").contains("DELETE"));
    assert_eq!(header(&preflight, "access-control-allow-headers"), "private-token");
    for odd in ["", "null", "not a url", "https://"] {
        assert_eq!(
            answer("GET", "/api/v4/version", &[TOKEN, ("Origin", odd)], "")
                .await
                .status(),
            StatusCode::OK,
            "{odd}"
        );
    }
}

#[actix_web::test]
async fn the_description_and_its_viewer_are_served() {
    for uri in [
        "/api/v4/openapi.json",
        "/api/v4/docs",
        "/api/v4/docs/viewer.js",
        "/api/v4/docs/viewer.css",
    ] {
        let response = answer("GET", uri, &[], "").await;
        assert_eq!(response.status(), StatusCode::OK, "{uri}");
        assert!(header(&response, "content-security-policy").contains("default-src 'none'"));
        assert!(!read_body(response).await.is_empty());
    }
}

#[actix_web::test]
async fn metrics_name_routes_and_not_addresses() {
    let http = Http::new::<&str>(Arc::new(App::new("https://tenon.example")), &[]).unwrap();
    let app = init_service(actix_web::App::new().configure(|config| http.configure(config))).await;
    call_service(
        &app,
        TestRequest::with_uri("/api/v4/secret?private_token=s").to_request(),
    )
    .await;
    let response = call_service(&app, TestRequest::with_uri("/-/metrics").to_request()).await;
    let text = String::from_utf8(read_body(response).await.to_vec()).unwrap();
    assert!(
        text.contains(r#"route="(unknown)",status="404"} 1"#) && !text.contains("secret"),
        "{text}"
    );
}

/// Only a socket shows whether the answer to HEAD leaves the connection usable.
#[actix_web::test]
async fn a_connection_survives_head() {
    use std::io::{Read as _, Write as _};

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let http = Http::new::<&str>(Arc::new(App::new("https://tenon.example")), &[]).unwrap();
    let server = run(http, listener, 1).unwrap();
    let handle = server.handle();
    actix_web::rt::spawn(server);
    let answers = web::block(move || {
        let mut socket = std::net::TcpStream::connect(address).unwrap();
        let request =
            |method, close| format!("{method} /api/v4/version HTTP/1.1\r\nHost: x\r\nPrivate-Token: t\r\n{close}\r\n");
        socket.write_all(request("HEAD", "").as_bytes()).unwrap();
        socket
            .write_all(request("GET", "Connection: close\r\n").as_bytes())
            .unwrap();
        let mut answers = String::new();
        socket.read_to_string(&mut answers).unwrap();
        answers
    })
    .await
    .unwrap();
    handle.stop(false).await;
    let (head, get) = answers.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK"), "{answers}");
    let (get, body) = get.split_once("\r\n\r\n").unwrap();
    assert!(get.starts_with("HTTP/1.1 200 OK"), "{answers}");
    let length = format!("content-length: {}", body.len());
    assert!(head.contains(&length) && get.contains(&length), "{answers}");
}

const SIGNED_IN: &str = "/api/v4/echo/a%2Fb?private_token=t&title=query&id=9";

#[actix_web::test]
async fn parameters_come_from_path_body_and_query() {
    let created = |text: &str| (201, text.to_owned());
    let form = "multipart/form-data; boundary=x";
    let file = "--x\r\nContent-Disposition: form-data; name=\"avatar\"; filename=\"a\"\r\n\r\nabc\r\n--x--\r\n";
    assert_eq!(
        echoed(SIGNED_IN, "", "").await,
        created(r#"["a/b","a/b","query",null,null]"#)
    );
    assert_eq!(
        echoed(SIGNED_IN, "application/json", r#"{"title":"body","tags":["x"],"id":7}"#).await,
        created(r#"["a/b","a/b","body",["x"],null]"#)
    );
    assert_eq!(
        echoed(SIGNED_IN, "application/x-www-form-urlencoded", "tags[]=x&tags[]=y").await,
        created(r#"["a/b","a/b","query",["x","y"],null]"#)
    );
    assert_eq!(
        echoed(SIGNED_IN, form, file).await,
        created(r#"["a/b","a/b","query",null,3]"#)
    );
    let token_in_body = r#"{"private_token":"t","title":"body"}"#;
    assert_eq!(echoed("/api/v4/echo/1", "application/json", token_in_body).await.0, 201);
}

#[actix_web::test]
async fn what_cannot_be_read_is_told_to_those_who_may_ask() {
    let large = || "x".repeat(1024 * 1024 + 1);
    for (kind, body, status, text) in [
        (
            "application/json",
            "{".to_owned(),
            400,
            "message body does not match declared format",
        ),
        (
            "application/json",
            "[".repeat(10_000),
            400,
            "message body does not match declared format",
        ),
        (
            "text/xml",
            "<a/>".to_owned(),
            415,
            "The provided content-type 'text/xml' is not supported.",
        ),
        ("application/json", large(), 413, "413 Request Entity Too Large"),
        (
            "application/json",
            r#"{"title":{}}"#.to_owned(),
            400,
            "title is invalid",
        ),
        (
            "application/x-www-form-urlencoded",
            "a=&".repeat(100_000),
            400,
            "there are too many parameters",
        ),
    ] {
        let (got, said) = echoed(SIGNED_IN, kind, body.clone()).await;
        assert!(got == status && said.contains(text), "{kind}: {got} {said}");
        let (got, said) = echoed("/api/v4/echo/1", kind, body).await;
        assert_eq!(
            (got, said.as_str()),
            (401, r#"{"message":"401 Unauthorized"}"#),
            "{kind}"
        );
    }
}
