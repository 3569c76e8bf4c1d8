//! Whole requests through the edge.

use actix_web::dev::ServiceResponse;
use actix_web::http::{Method, StatusCode};
use actix_web::test::{TestRequest, call_service, init_service, read_body};

use tempfile::TempDir;
use tenon_app::identity::Guard;
use tenon_app::{
    Database, DatabaseUrl, KEY_LENGTH, Objects, Options, Parts, RootCredentials, Secret, SystemClock, SystemEntropy,
    Vault, first_start,
};

use super::*;
use crate::call::Call;
use crate::params::{Upload, params};
use crate::reply::Created;

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

/// An application with an administrator whose token is `t`, in a folder that goes when it does.
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
            clock: Arc::new(SystemClock),
            entropy: Arc::new(SystemEntropy),
            vault: Vault::new(&[7; KEY_LENGTH]),
            base_url: "https://tenon.example".to_owned(),
        };
        let app = App::new(parts).unwrap();
        let root = RootCredentials {
            password: None,
            token: Some(Secret::given("t")),
        };
        app.command(|command| first_start(command, root)).unwrap();
        Self { app, _folder: folder }
    }

    fn http(&self) -> Http {
        Http::new::<&str>(self.app.clone(), &[]).unwrap()
    }

    async fn echoed(&self, uri: &str, kind: &str, body: impl Into<Bytes>) -> (u16, String) {
        let mut routes = Routes::new();
        routes.tag("Test").post("/echo/{id}", Guard::SignedIn, echo, "Echoes.");
        let http = Http::with_routes(self.app.clone(), routes.finish().unwrap(), TrustedProxies::default()).unwrap();
        let headers: &[_] = if kind.is_empty() {
            &[]
        } else {
            &[("Content-Type", kind)]
        };
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
        (
            status,
            serde_json::from_slice(&read_body(response).await).unwrap_or_default(),
        )
    }
}

async fn sent(http: &Http, method: &str, uri: &str, headers: &[(&str, &str)], body: Bytes) -> ServiceResponse {
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
    let site = Site::start();
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
        assert_eq!(
            sent,
            serde_json::from_str::<serde_json::Value>(body).unwrap_or_default(),
            "{method} {uri}"
        );
    }
    assert_eq!(
        header(&site.answer("PATCH", "/api/v4/version", &[], "").await, "allow"),
        "OPTIONS, GET, HEAD"
    );
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
    let again = site
        .answer("GET", "/api/v4/version", &[TOKEN, ("If-None-Match", &tag)], "")
        .await;
    assert_eq!(
        (again.status(), header(&again, "etag")),
        (StatusCode::NOT_MODIFIED, tag.as_str())
    );
    let head = site.answer("HEAD", "/api/v4/version", &[TOKEN], "").await;
    assert_eq!((head.status(), header(&head, "etag")), (StatusCode::OK, tag.as_str()));
    assert_eq!(header(&head, "content-type"), "application/json");
    assert!(read_body(head).await.is_empty());
}

#[actix_web::test]
async fn who_calls_is_settled_before_what_is_wrong() {
    let site = Site::start();
    let status =
        async |uri: &str, headers: &[(&str, &str)]| site.answer("GET", uri, headers, "").await.status().as_u16();
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
    let site = Site::start();
    let origin = ("Origin", "https://other.example");
    let response = site.answer("GET", "/api/v4/version", &[TOKEN, origin], "").await;
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
    let preflight = site.answer("OPTIONS", "/api/v4/version", &asked, "").await;
    assert_eq!(preflight.status(), StatusCode::OK);
    assert!(header(&preflight, "access-control-allow-methods").contains("DELETE"));
    assert_eq!(header(&preflight, "access-control-allow-headers"), "private-token");
    for odd in ["", "null", "not a url", "https://"] {
        assert_eq!(
            site.answer("GET", "/api/v4/version", &[TOKEN, ("Origin", odd)], "")
                .await
                .status(),
            StatusCode::OK,
            "{odd}"
        );
    }
}

#[actix_web::test]
async fn the_description_and_its_viewer_are_served() {
    let site = Site::start();
    for uri in [
        "/api/v4/openapi.json",
        "/api/v4/docs",
        "/api/v4/docs/viewer.js",
        "/api/v4/docs/viewer.css",
    ] {
        let response = site.answer("GET", uri, &[], "").await;
        assert_eq!(response.status(), StatusCode::OK, "{uri}");
        assert!(header(&response, "content-security-policy").contains("default-src 'none'"));
        assert!(!read_body(response).await.is_empty());
    }
}

#[actix_web::test]
async fn metrics_name_routes_and_not_addresses() {
    let site = Site::start();
    let http = site.http();
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
    let site = Site::start();
    use std::io::{Read as _, Write as _};

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let http = site.http();
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
    println!("{answers}"); let (get, body) = get.split_once("\r\n\r\n").unwrap();
    assert!(get.starts_with("HTTP/1.1 200 OK"), "{answers}");
    let length = format!("content-length: {}", body.len());
    assert!(head.contains(&length) && get.contains(&length), "{answers}");
}

const SIGNED_IN: &str = "/api/v4/echo/a%2Fb?private_token=t&title=query&id=9";

#[actix_web::test]
async fn parameters_come_from_path_body_and_query() {
    let site = Site::start();
    let created = |text: &str| (201, text.to_owned());
    let form = "multipart/form-data; boundary=x";
    let file = "--x\r\nContent-Disposition: form-data; name=\"avatar\"; filename=\"a\"\r\n\r\nabc\r\n--x--\r\n";
    assert_eq!(
        site.echoed(SIGNED_IN, "", "").await,
        created(r#"["a/b","a/b","query",null,null]"#)
    );
    assert_eq!(
        site.echoed(SIGNED_IN, "application/json", r#"{"title":"body","tags":["x"],"id":7}"#)
            .await,
        created(r#"["a/b","a/b","body",["x"],null]"#)
    );
    assert_eq!(
        site.echoed(SIGNED_IN, "application/x-www-form-urlencoded", "tags[]=x&tags[]=y")
            .await,
        created(r#"["a/b","a/b","query",["x","y"],null]"#)
    );
    assert_eq!(
        site.echoed(SIGNED_IN, form, file).await,
        created(r#"["a/b","a/b","query",null,3]"#)
    );
    let token_in_body = r#"{"private_token":"t","title":"body"}"#;
    assert_eq!(
        site.echoed("/api/v4/echo/1", "application/json", token_in_body).await.0,
        201
    );
}

#[actix_web::test]
async fn what_cannot_be_read_is_told_to_those_who_may_ask() {
    let site = Site::start();
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
        let (got, said) = site.echoed(SIGNED_IN, kind, body.clone()).await;
        assert!(got == status && said.contains(text), "{kind}: {got} {said}");
        let (got, said) = site.echoed("/api/v4/echo/1", kind, body).await;
        assert_eq!(
            (got, said.as_str()),
            (401, r#"{"message":"401 Unauthorized"}"#),
            "{kind}"
        );
    }
}

/// The ways that a table of routes cannot show: who hears what first, and what a second call says.
#[actix_web::test]
async fn the_rooms_answer_as_documented() {
    let site = Site::start();
    let both = |text: &str| serde_json::json!({"message": text, "error": text});
    let ann = r#"{"email":"ann@example.org","username":"ann","name":"Ann","password":"long-enough-1","skype":"ann.s"}"#;
    let nothing = "email is missing, password, reset_password are missing, at least one parameter must be provided, \
                   name is missing, username is missing";
    assert_eq!(site.asked("POST", "/users", "{}").await, (400, both(nothing)));
    let (status, created) = site.asked("POST", "/users", ann).await;
    let id = created["id"].as_i64().unwrap();
    assert_eq!(
        (status, &created["messenger"], &created["skype"]),
        (201, &"ann.s".into(), &"ann.s".into())
    );
    let taken = serde_json::json!({"message": "404 Email has already been taken"});
    let uri = format!("/users/{id}");
    assert_eq!(
        site.asked("PUT", &uri, r#"{"email":"root@localhost"}"#).await,
        (404, taken)
    );
    for (action, body) in [
        ("block", true.into()),
        ("block", serde_json::Value::Null),
        ("unblock", true.into()),
        ("unblock", false.into()),
    ] {
        assert_eq!(
            site.asked("POST", &format!("{uri}/{action}"), "").await,
            (201, body),
            "{action}"
        );
    }

    let tokens = format!("{uri}/impersonation_tokens");
    assert_eq!(
        site.asked("POST", &tokens, r#"{"name":"x"}"#).await,
        (400, both("scopes is missing"))
    );
    let blank = serde_json::json!({"message": {"scopes": ["can't be blank"]}});
    assert_eq!(
        site.asked("POST", &tokens, r#"{"name":"x","scopes":[]}"#).await,
        (400, blank)
    );
    assert_eq!(
        site.asked("POST", &tokens, r#"{"name":"x","scopes":["api"]}"#).await.0,
        201
    );
    let (status, listed) = site.asked("GET", &format!("{tokens}?state=active"), "").await;
    assert_eq!((status, &listed[0]["impersonation"]), (200, &true.into()));
    let personal = format!("{uri}/personal_access_tokens");
    let unknown = both("scopes does not have a valid value");
    assert_eq!(
        site.asked("POST", &personal, r#"{"name":"x","scopes":["root"]}"#).await,
        (400, unknown)
    );
    assert_eq!(
        site.asked("POST", &personal, r#"{"name":"","scopes":["api"]}"#).await,
        (422, both("Name can't be blank"))
    );
    let (status, own) = site.asked("GET", "/personal_access_tokens/self", "").await;
    assert_eq!((status, own.get("token")), (200, None));

    assert_eq!(
        site.asked("PUT", "/user/status", r#"{"message":"<i> :rocket:"}"#)
            .await
            .1["message_html"],
        "&lt;i&gt; \u{1f680}"
    );
    assert_eq!(
        site.asked("PATCH", "/user/status", r#"{"emoji":"tada"}"#).await.1["message"],
        "<i> :rocket:"
    );

    assert_eq!(site.asked("POST", "/groups", r#"{"name":"G","path":"g"}"#).await.0, 201);
    let (status, below) = site
        .asked("POST", "/groups", r#"{"name":"H","path":"h","parent_id":2}"#)
        .await;
    assert!(matches!(status, 201 | 404), "{below}");
    let members = "/groups/g/members";
    assert_eq!(
        site.asked("POST", members, "{}").await,
        (400, both("user_id is missing, access_level is missing"))
    );
    let two = r#"{"user_id":1,"username":"ann","access_level":30}"#;
    assert_eq!(
        site.asked("POST", members, two).await,
        (400, both("user_id, username are mutually exclusive"))
    );
    let (status, added) = site
        .asked("POST", members, r#"{"username":"ann","access_level":30}"#)
        .await;
    assert_eq!((status, &added["access_level"]), (201, &30.into()));
    assert_eq!(
        site.asked("GET", &format!("{members}/x"), "").await,
        (400, both("user_id is invalid"))
    );
    assert_eq!(site.asked("GET", &format!("{members}/all/{id}"), "").await.0, 200);
    assert_eq!(site.asked("DELETE", &format!("{members}/{id}"), "").await.0, 204);
    let several = format!(r#"{{"user_id":"{id},{id}","access_level":30}}"#);
    assert_eq!(site.asked("POST", members, several.leak()).await.0, 409);
    assert_eq!(site.asked("GET", &format!("{members}/{id}"), "").await.0, 404);

    let attribute = format!("{uri}/custom_attributes/where");
    assert_eq!(
        site.asked("PUT", &attribute, "{}").await,
        (400, both("value is missing"))
    );
    assert_eq!(site.asked("PUT", &attribute, r#"{"value":"here"}"#).await.0, 200);
    let anonymous = async |method: &str| {
        site.answer(method, &format!("/api/v4{attribute}"), &[], "")
            .await
            .status()
            .as_u16()
    };
    assert_eq!((anonymous("GET").await, anonymous("DELETE").await), (403, 401));
}

#[actix_web::test]
async fn a_hook_is_none_of_a_strangers_business() {
    let site = Site::start();
    let ann = r#"{"email":"ann@example.org","username":"ann","name":"Ann","password":"long-enough-1"}"#;
    assert_eq!(site.asked("POST", "/users", ann).await.0, 201);
    assert_eq!(
        site.asked("POST", "/projects", r#"{"name":"Open","visibility":"public"}"#)
            .await
            .0,
        201
    );
    assert_eq!(
        site.asked("POST", "/projects", r#"{"name":"Hidden","visibility":"private"}"#)
            .await
            .0,
        201
    );
    for (as_whom, project, status) in [("root", "open", 400), ("ann", "open", 403), ("ann", "hidden", 404)] {
        let uri = format!("/projects/root%2F{project}/hooks?sudo={as_whom}");
        assert_eq!(site.asked("POST", &uri, "{}").await.0, status, "{as_whom} {project}");
    }
    let (status, hook) = site
        .asked(
            "POST",
            "/projects/root%2Fopen/hooks",
            r#"{"url":"http://example.org","wiki_events":true}"#,
        )
        .await;
    assert_eq!(
        (status, &hook["wiki_page_events"], &hook["push_events"]),
        (201, &true.into(), &true.into())
    );
    let uri = format!("/projects/root%2Fopen/hooks/{}", hook["id"]);
    assert_eq!(site.asked("PUT", &uri, "{}").await.1["error"], "url is missing");
    let local = site.asked("PUT", &uri, r#"{"url":"http://127.0.0.1/"}"#).await;
    assert_eq!((local.0, &local.1["error"]), (422, &"Invalid url given".into()));
    assert_eq!(site.asked("DELETE", &uri, "").await.0, 204);
}

#[actix_web::test]
async fn uploads_and_pictures_are_served_to_those_who_may_see_them() {
    let site = Site::start();
    let form = [TOKEN, ("Content-Type", "multipart/form-data; boundary=x")];
    let file = |field: &str, name: &str, bytes: &str| {
        let head = format!("Content-Disposition: form-data; name=\"{field}\"; filename=\"{name}\"");
        Bytes::from(format!("--x\r\n{head}\r\n\r\n{bytes}\r\n--x--\r\n"))
    };
    assert_eq!(site.asked("POST", "/projects", r#"{"name":"Hidden"}"#).await.0, 201);
    let uploads = "/api/v4/projects/root%2Fhidden/uploads";
    let response = site
        .answer("POST", uploads, &form, file("file", "../../a b.html", "<b>"))
        .await;
    assert_eq!(response.status(), StatusCode::CREATED);
    let upload: serde_json::Value = serde_json::from_slice(&read_body(response).await).unwrap();
    let text = |name: &str| upload[name].as_str().unwrap().to_owned();
    assert_eq!(
        (text("alt"), text("markdown")),
        ("a_b.html".to_owned(), format!("[a_b.html]({})", text("url")))
    );

    for address in [text("full_path"), format!("/root/hidden{}", text("url"))] {
        let served = site.answer("GET", &address, &[TOKEN, ("Range", "bytes=0-1")], "").await;
        assert_eq!(served.status(), StatusCode::OK, "{address}");
        assert_eq!(
            header(&served, "content-disposition"),
            "attachment; filename=\"a_b.html\""
        );
        assert_eq!(
            header(&served, "content-security-policy"),
            "sandbox; default-src 'none'"
        );
        assert_eq!(header(&served, "x-content-type-options"), "nosniff");
        assert_eq!(header(&served, "cache-control"), "private");
        assert_eq!(read_body(served).await, "<b>");
        assert_eq!(
            site.answer("GET", &address, &[], "").await.status(),
            StatusCode::NOT_FOUND
        );
        assert_eq!(
            site.answer("GET", &address, &[("PRIVATE-TOKEN", "u")], "")
                .await
                .status(),
            StatusCode::UNAUTHORIZED
        );
        assert_eq!(
            site.answer("POST", &address, &[TOKEN], "").await.status(),
            StatusCode::NOT_FOUND
        );
    }
    assert_eq!(
        site.asked("POST", "/projects/root%2Fhidden/uploads", "{}").await.1["error"],
        "file is missing"
    );
    assert_eq!(
        site.asked("POST", "/projects/root%2Fhidden/uploads", r#"{"file":"x"}"#)
            .await
            .1["error"],
        "file is invalid"
    );

    let picture = file("avatar", "me.gif", "GIF89a\u{1}\0\u{1}\0\0\0\0;");
    let response = site.answer("PUT", "/api/v4/users/1", &form, picture).await;
    assert_eq!(response.status(), StatusCode::OK);
    let user: serde_json::Value = serde_json::from_slice(&read_body(response).await).unwrap();
    let address = user["avatar_url"]
        .as_str()
        .unwrap()
        .strip_prefix("https://tenon.example")
        .unwrap();
    let served = site.answer("GET", address, &[], "").await;
    assert_eq!(
        (served.status(), header(&served, "content-type")),
        (StatusCode::OK, "image/gif")
    );
    assert!(header(&served, "content-disposition").starts_with("inline"));
    let (status, user) = site.asked("PUT", "/users/1", r#"{"avatar":""}"#).await;
    assert!(status == 200 && user["avatar_url"].as_str() != Some(address), "{user}");
    assert_eq!(
        site.answer("GET", address, &[], "").await.status(),
        StatusCode::NOT_FOUND
    );
}
