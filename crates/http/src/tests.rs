//! Requests from the socket to the handler and back.

use std::net::TcpListener;
use std::sync::Arc;

use actix_web::dev::ServiceResponse;
use actix_web::http::{Method, StatusCode};
use actix_web::test::{TestRequest, call_service, init_service, read_body};
use actix_web::web::{self, Bytes};
use tempfile::TempDir;
use tenon_app::identity::Guard;
use tenon_app::{
    App, Database, DatabaseUrl, KEY_LENGTH, Limits, Objects, Options, Parts, Passwords, RootCredentials, Secret,
    SshAddress, SystemClock, SystemEntropy, Vault, first_start,
};
use tenon_edge::error::ApiError;
use tenon_edge::raw::Upload;
use tenon_edge::{DEFAULT_MONITORS, Edge, run};

use crate::endpoint::{Call, Created, Routes, paging};
use crate::entry::state::Http;
use crate::params::params;

params! {
    struct Echo {
        id: String,
        title: String,
        tags: Option<Vec<String>>,
        avatar: Option<Upload>,
    }
}

/// Answers with its parameters.
async fn echo(Call { caller, params }: Call<Echo>) -> Result<Created<serde_json::Value>, ApiError> {
    let Echo { id, title, tags, avatar } = params;
    let size = avatar.map(|file| file.bytes.len());
    let id_in_path = caller.path("id").to_owned();
    caller.write(move |_| Ok(Created(serde_json::json!([id, id_in_path, title, tags, size])))).await
}

/// An application with an administrator whose token is `t`, in a folder that is removed with it.
struct Site {
    app: App,
    _folder: TempDir,
}

impl Site {
    fn start() -> Self {
        let folder = TempDir::new().unwrap();
        let url = DatabaseUrl::Sqlite(folder.path().join("tenon.db"));
        let database = Database::open(Options::new(url)).unwrap();
        database.migrate().unwrap();
        let parts = Parts {
            database,
            objects: Objects::in_folder(&folder.path().join("objects")).unwrap(),
            repositories: tenon_app::repository::Repositories::in_folder(folder.path(), None, &Limits::default())
                .unwrap(),
            clock: Arc::new(SystemClock),
            entropy: Arc::new(SystemEntropy),
            vault: Vault::new(&[7; KEY_LENGTH]),
            base_url: "https://tenon.example".to_owned(),
            own_addresses: Vec::new(),
            ssh: SshAddress::default(),
            limits: Limits::default(),
            passwords: Passwords::quick(),
            highlighter: None,
            mail: None,
            providers: Vec::new(),
            backups: None,
            crash_points: None,
        };
        let app = App::new(parts).unwrap();
        let root = RootCredentials { password: None, token: Some(Secret::given("t")) };
        first_start(&app, root).unwrap();
        Self { app, _folder: folder }
    }

    fn edge(&self, monitors: &[&str]) -> Edge {
        Edge::new::<&str, _>(self.app.clone(), &[], monitors).unwrap()
    }

    fn http(&self) -> Http {
        Http::new(self.edge(&DEFAULT_MONITORS), None).unwrap()
    }

    async fn echoed(&self, uri: &str, kind: &str, body: impl Into<Bytes>) -> (u16, String) {
        let mut routes = Routes::new();
        routes.tag("Test").post("/echo/{id}", Guard::SignedIn, echo, "Echoes.");
        let http = Http::with_routes(self.edge(&DEFAULT_MONITORS), Arc::new(routes.finish().unwrap()), None);
        let headers: &[_] = if kind.is_empty() { &[] } else { &[("Content-Type", kind)] };
        let response = sent(&http, "POST", uri, headers, body.into()).await;
        let status = response.status().as_u16();
        (status, String::from_utf8(read_body(response).await.to_vec()).unwrap())
    }

    async fn answer(
        &self,
        method: &str,
        uri: &str,
        headers: &[(&str, &str)],
        body: impl Into<Bytes>,
    ) -> ServiceResponse {
        sent(&self.http(), method, uri, headers, body.into()).await
    }

    /// Status and JSON body of a request by the administrator.
    async fn asked(&self, method: &str, uri: &str, body: &'static str) -> (u16, serde_json::Value) {
        let headers = [TOKEN, ("Content-Type", "application/json")];
        let response = self.answer(method, &format!("/api/v4{uri}"), &headers, body).await;
        let status = response.status().as_u16();
        (status, serde_json::from_slice(&read_body(response).await).unwrap_or_default())
    }
}

async fn sent(http: &Http, method: &str, uri: &str, headers: &[(&str, &str)], body: Bytes) -> ServiceResponse {
    let app = init_service(actix_web::App::new().configure(|config| http.configure(config))).await;
    let mut request =
        TestRequest::with_uri(uri).method(Method::from_bytes(method.as_bytes()).unwrap()).set_payload(body);
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
    let site = Site::start();
    for (method, uri, status, body) in [
        ("GET", "/api/v4/nothing", 404, r#"{"error":"404 Not Found"}"#),
        ("GET", "/nothing", 404, r#"{"error":"404 Not Found"}"#),
        ("PATCH", "/api/v4/version", 405, r#"{"message":"405 Method Not Allowed","error":"405 Not Allowed"}"#),
        ("OPTIONS", "/api/v4/version", 204, ""),
        ("GET", "/api/v3/projects", 410, r#"{"error":"API V3 is no longer supported. Use API V4 instead."}"#),
        ("GET", "/api/v3", 410, r#"{"error":"API V3 is no longer supported. Use API V4 instead."}"#),
        ("GET", "/api/v31/user", 404, r#"{"error":"404 Not Found"}"#),
        ("PUT", "/api/v3/user", 410, r#"{"error":"API V3 is no longer supported. Use API V4 instead."}"#),
        ("GET", "/api/v3/user", 401, r#"{"message":"401 Unauthorized"}"#),
        ("GET", "/api/v4", 404, r#"{"error":"404 Not Found"}"#),
        ("GET", "/%61pi/v4/version", 404, r#"{"error":"404 Not Found"}"#),
        ("GET", "/api/v4/version", 401, r#"{"message":"401 Unauthorized"}"#),
        ("GET", "/-/health", 200, "Tenon OK"),
        ("GET", "/-/liveness", 200, r#"{"status":"ok"}"#),
        ("GET", "/-/readiness", 200, r#"{"status":"ok"}"#),
    ] {
        let response = site.answer(method, uri, &[], "").await;
        assert_eq!(response.status().as_u16(), status, "{method} {uri}");
        let sent: serde_json::Value = serde_json::from_slice(&read_body(response).await).unwrap_or_default();
        assert_eq!(sent, serde_json::from_str::<serde_json::Value>(body).unwrap_or_default(), "{method} {uri}");
    }
    assert_eq!(header(&site.answer("PATCH", "/api/v4/version", &[], "").await, "allow"), "OPTIONS, GET, HEAD");
}

#[actix_web::test]
async fn answers_carry_the_documented_headers() {
    let site = Site::start();
    let response = site.answer("GET", "/api/v4/version", &[TOKEN], "").await;
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
    let again = site.answer("GET", "/api/v4/version", &[TOKEN, ("If-None-Match", &tag)], "").await;
    assert_eq!((again.status(), header(&again, "etag")), (StatusCode::NOT_MODIFIED, tag.as_str()));
    let head = site.answer("HEAD", "/api/v4/version", &[TOKEN], "").await;
    assert_eq!((head.status(), header(&head, "etag")), (StatusCode::OK, tag.as_str()));
    assert_eq!(header(&head, "content-type"), "application/json");
    assert!(read_body(head).await.is_empty());
}

#[actix_web::test]
async fn the_caller_is_checked_before_the_parameters() {
    let site = Site::start();
    let status =
        async |uri: &str, headers: &[(&str, &str)]| site.answer("GET", uri, headers, "").await.status().as_u16();
    assert_eq!(status("/api/v4/version?a[b=%ff", &[]).await, 401);
    assert_eq!(status("/api/v4/version?a[b=%ff", &[TOKEN]).await, 400);
    assert_eq!(status("/api/v4/version?format=xml", &[TOKEN]).await, 406);
    assert_eq!(status("/api/v4/version?private_token=u", &[TOKEN]).await, 401);
    assert_eq!(status("/api/v4/version?access_token=u", &[("Authorization", "Bearer u")]).await, 400);
    assert_eq!(status("/api/v4/version?private_token=t", &[]).await, 200);
}

#[actix_web::test]
async fn other_sites_may_call_without_cookies() {
    let site = Site::start();
    let origin = ("Origin", "https://other.example");
    let response = site.answer("GET", "/api/v4/version", &[TOKEN, origin], "").await;
    assert_eq!(header(&response, "access-control-allow-origin"), "*");
    assert_eq!(header(&response, "access-control-allow-credentials"), "");
    let exposed = header(&response, "access-control-expose-headers").to_ascii_lowercase();
    assert!(paging::HEADERS.iter().all(|name| exposed.contains(name)), "{exposed}");
    assert_eq!(header(&response, "vary"), "Origin");

    let asked =
        [origin, ("Access-Control-Request-Method", "DELETE"), ("Access-Control-Request-Headers", "private-token")];
    let preflight = site.answer("OPTIONS", "/api/v4/version", &asked, "").await;
    assert_eq!(preflight.status(), StatusCode::OK);
    assert!(header(&preflight, "access-control-allow-methods").contains("DELETE"));
    assert_eq!(header(&preflight, "access-control-allow-headers"), "private-token");
    for odd in ["", "null", "not a url", "https://"] {
        assert_eq!(
            site.answer("GET", "/api/v4/version", &[TOKEN, ("Origin", odd)], "").await.status(),
            StatusCode::OK,
            "{odd}"
        );
    }
}

#[actix_web::test]
async fn the_description_and_its_viewer_are_served() {
    let site = Site::start();
    for (uri, content) in [
        ("/api/v4/openapi.json", "\"/projects/{id}\""),
        ("/api/v4/docs", "docs/swagger-ui-bundle.js"),
        ("/api/v4/docs/viewer.js", "SwaggerUIBundle("),
        ("/api/v4/docs/viewer.css", "body"),
        ("/api/v4/docs/swagger-ui-bundle.js", "SwaggerUIBundle"),
        ("/api/v4/docs/swagger-ui.css", ".swagger-ui"),
    ] {
        let response = site.answer("GET", uri, &[], "").await;
        assert_eq!(response.status(), StatusCode::OK, "{uri}");
        assert!(
            header(&response, "content-security-policy")
                .contains("default-src 'none'; script-src 'self'; style-src 'self'")
        );
        let body = read_body(response).await;
        assert!(String::from_utf8_lossy(&body).contains(content), "{uri}");
        let packed = read_body(site.answer("GET", uri, &[("Accept-Encoding", "gzip")], "").await).await;
        assert!(packed.len() <= body.len(), "{uri}");
    }
}

#[actix_web::test]
async fn metrics_name_routes_and_not_addresses() {
    let site = Site::start();
    let http = site.http();
    let app = init_service(actix_web::App::new().configure(|config| http.configure(config))).await;
    call_service(&app, TestRequest::with_uri("/api/v4/secret?private_token=s").to_request()).await;
    let request = TestRequest::with_uri("/-/metrics").peer_addr("127.0.0.1:9".parse().unwrap());
    let response = call_service(&app, request.to_request()).await;
    let text = String::from_utf8(read_body(response).await.to_vec()).unwrap();
    assert!(text.contains(r#"route="(unknown)",status="404"} 1"#) && !text.contains("secret"), "{text}");
}

#[actix_web::test]
async fn metrics_are_for_monitoring_systems_only() {
    let site = Site::start();
    for (monitors, peer, forwarded, want) in [
        (&DEFAULT_MONITORS[..], "127.0.0.1:9", None, 200),
        (&DEFAULT_MONITORS, "[::1]:9", None, 200),
        (&DEFAULT_MONITORS, "203.0.113.9:9", None, 404),
        // A proxy on this machine that the configuration does not name: the client may be anyone.
        (&DEFAULT_MONITORS, "127.0.0.1:9", Some("203.0.113.9"), 404),
        (&DEFAULT_MONITORS, "127.0.0.1:9", Some("127.0.0.1"), 404),
        (&["203.0.113.0/24"], "203.0.113.9:9", None, 200),
        (&["203.0.113.0/24"], "127.0.0.1:9", None, 404),
        (&[], "127.0.0.1:9", None, 404),
    ] {
        let http = Http::new(site.edge(monitors), None).unwrap();
        let app = init_service(actix_web::App::new().configure(|config| http.configure(config))).await;
        let mut request = TestRequest::with_uri("/-/metrics").peer_addr(peer.parse().unwrap());
        if let Some(address) = forwarded {
            request = request.insert_header(("x-forwarded-for", address));
        }
        let response = call_service(&app, request.to_request()).await;
        assert_eq!(response.status(), want, "{monitors:?} {peer} {forwarded:?}");
    }
    assert!(Edge::new::<&str, _>(site.app.clone(), &[], &["everyone"]).is_err());
}

/// Only a socket shows whether the answer to HEAD leaves the connection usable.
#[actix_web::test]
async fn a_connection_survives_head() {
    use std::io::{Read as _, Write as _};

    let site = Site::start();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let http = site.http();
    let server = run(http.edge().clone(), listener, 1, move |config| http.configure(config)).unwrap();
    let handle = server.handle();
    actix_web::rt::spawn(server);
    let (head, get) = web::block(move || {
        let mut socket = std::net::TcpStream::connect(address).unwrap();
        let request =
            |method, close| format!("{method} /api/v4/version HTTP/1.1\r\nHost: x\r\nPrivate-Token: t\r\n{close}\r\n");
        socket.write_all(request("HEAD", "").as_bytes()).unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            socket.read_exact(&mut byte).unwrap();
            head.extend(byte);
        }
        socket.write_all(request("GET", "Connection: close\r\n").as_bytes()).unwrap();
        let mut get = String::new();
        socket.read_to_string(&mut get).unwrap();
        (String::from_utf8(head).unwrap(), get)
    })
    .await
    .unwrap();
    handle.stop(false).await;
    assert!(head.starts_with("HTTP/1.1 200 OK"), "{head}");
    let (get, body) = get.split_once("\r\n\r\n").unwrap();
    assert!(get.starts_with("HTTP/1.1 200 OK"), "{get}");
    let length = format!("content-length: {}", body.len());
    assert!(head.contains(&length) && get.contains(&length), "{head}{get}");
}

mod bodies;
mod nulls;
mod resources;
