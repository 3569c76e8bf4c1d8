//! Responses of resources that the table of routes does not determine: the order of refusals, and repeated calls.

use actix_web::http::StatusCode;
use actix_web::test::read_body;
use actix_web::web::Bytes;

use super::{Site, TOKEN, header};

#[actix_web::test]
async fn resources_answer_as_documented() {
    let site = Site::start();
    let both = |text: &str| serde_json::json!({"message": text, "error": text});
    let ann = r#"{"email":"ann@example.org","username":"ann","name":"Ann","password":"long-enough-1","skype":"ann.s"}"#;
    let nothing = "email is missing, password, reset_password are missing, at least one parameter must be provided, \
                   name is missing, username is missing";
    assert_eq!(site.asked("POST", "/users", "{}").await, (400, both(nothing)));
    let (status, created) = site.asked("POST", "/users", ann).await;
    let id = created["id"].as_i64().unwrap();
    assert_eq!((status, &created["messenger"], &created["skype"]), (201, &"ann.s".into(), &"ann.s".into()));
    let taken = serde_json::json!({"message": "404 Email has already been taken"});
    let uri = format!("/users/{id}");
    assert_eq!(site.asked("PUT", &uri, r#"{"email":"root@localhost"}"#).await, (404, taken));
    for (action, body) in [
        ("block", true.into()),
        ("block", serde_json::Value::Null),
        ("unblock", true.into()),
        ("unblock", false.into()),
    ] {
        assert_eq!(site.asked("POST", &format!("{uri}/{action}"), "").await, (201, body), "{action}");
    }

    let tokens = format!("{uri}/impersonation_tokens");
    assert_eq!(site.asked("POST", &tokens, r#"{"name":"x"}"#).await, (400, both("scopes is missing")));
    let blank = serde_json::json!({"message": {"scopes": ["can't be blank"]}});
    assert_eq!(site.asked("POST", &tokens, r#"{"name":"x","scopes":[]}"#).await, (400, blank));
    assert_eq!(site.asked("POST", &tokens, r#"{"name":"x","scopes":["api"]}"#).await.0, 201);
    let (status, listed) = site.asked("GET", &format!("{tokens}?state=active"), "").await;
    assert_eq!((status, &listed[0]["impersonation"]), (200, &true.into()));
    let personal = format!("{uri}/personal_access_tokens");
    let unknown = both("scopes does not have a valid value");
    assert_eq!(site.asked("POST", &personal, r#"{"name":"x","scopes":["root"]}"#).await, (400, unknown));
    assert_eq!(
        site.asked("POST", &personal, r#"{"name":"","scopes":["api"]}"#).await,
        (422, both("Name can't be blank"))
    );
    let (status, own) = site.asked("GET", "/personal_access_tokens/self", "").await;
    assert_eq!((status, own.get("token")), (200, None));

    assert_eq!(
        site.asked("PUT", "/user/status", r#"{"message":"<i> :rocket:"}"#).await.1["message_html"],
        "&lt;i&gt; \u{1f680}"
    );
    assert_eq!(site.asked("PATCH", "/user/status", r#"{"emoji":"tada"}"#).await.1["message"], "<i> :rocket:");

    assert_eq!(site.asked("POST", "/groups", r#"{"name":"G","path":"g"}"#).await.0, 201);
    let members = "/groups/g/members";
    assert_eq!(site.asked("POST", members, "{}").await, (400, both("user_id is missing, access_level is missing")));
    let two = r#"{"user_id":1,"username":"ann","access_level":30}"#;
    assert_eq!(site.asked("POST", members, two).await, (400, both("user_id, username are mutually exclusive")));
    let (status, added) = site.asked("POST", members, r#"{"username":"ann","access_level":30}"#).await;
    assert_eq!((status, &added["access_level"]), (201, &30.into()));
    assert_eq!(site.asked("GET", &format!("{members}/x"), "").await, (400, both("user_id is invalid")));
    assert_eq!(site.asked("GET", &format!("{members}/all/{id}"), "").await.0, 200);
    assert_eq!(site.asked("DELETE", &format!("{members}/{id}"), "").await.0, 204);
    let several = format!(r#"{{"user_id":"{id},{id}","access_level":30}}"#);
    assert_eq!(site.asked("POST", members, several.leak()).await.0, 409);
    assert_eq!(site.asked("GET", &format!("{members}/{id}"), "").await.0, 404);

    let attribute = format!("{uri}/custom_attributes/where");
    assert_eq!(site.asked("PUT", &attribute, "{}").await, (400, both("value is missing")));
    assert_eq!(site.asked("PUT", &attribute, r#"{"value":"here"}"#).await.0, 200);
    let anonymous =
        async |method: &str| site.answer(method, &format!("/api/v4{attribute}"), &[], "").await.status().as_u16();
    assert_eq!((anonymous("GET").await, anonymous("DELETE").await), (403, 401));
}

#[actix_web::test]
async fn hooks_are_hidden_from_strangers() {
    let site = Site::start();
    let ann = r#"{"email":"ann@example.org","username":"ann","name":"Ann","password":"long-enough-1"}"#;
    assert_eq!(site.asked("POST", "/users", ann).await.0, 201);
    assert_eq!(site.asked("POST", "/projects", r#"{"name":"Open","visibility":"public"}"#).await.0, 201);
    assert_eq!(site.asked("POST", "/projects", r#"{"name":"Hidden","visibility":"private"}"#).await.0, 201);
    for (as_whom, project, status) in [("root", "open", 400), ("ann", "open", 403), ("ann", "hidden", 404)] {
        let uri = format!("/projects/root%2F{project}/hooks?sudo={as_whom}");
        assert_eq!(site.asked("POST", &uri, "{}").await.0, status, "{as_whom} {project}");
    }
    let (status, hook) =
        site.asked("POST", "/projects/root%2Fopen/hooks", r#"{"url":"http://example.org","wiki_events":true}"#).await;
    assert_eq!((status, &hook["wiki_page_events"], &hook["push_events"]), (201, &true.into(), &true.into()));
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
    let response = site.answer("POST", uploads, &form, file("file", "../../a b.html", "<b>")).await;
    assert_eq!(response.status(), StatusCode::CREATED);
    let upload: serde_json::Value = serde_json::from_slice(&read_body(response).await).unwrap();
    let text = |name: &str| upload[name].as_str().unwrap().to_owned();
    assert_eq!((text("alt"), text("markdown")), ("a_b.html".to_owned(), format!("[a_b.html]({})", text("url"))));

    for address in [text("full_path"), format!("/root/hidden{}", text("url"))] {
        let served = site.answer("GET", &address, &[TOKEN, ("Range", "bytes=0-1")], "").await;
        assert_eq!(served.status(), StatusCode::OK, "{address}");
        assert_eq!(header(&served, "content-disposition"), "attachment; filename=\"a_b.html\"");
        assert_eq!(header(&served, "content-security-policy"), "sandbox; default-src 'none'");
        assert_eq!(header(&served, "x-content-type-options"), "nosniff");
        assert_eq!(header(&served, "cache-control"), "private");
        assert_eq!(read_body(served).await, "<b>");
        assert_eq!(site.answer("GET", &address, &[], "").await.status(), StatusCode::NOT_FOUND);
        assert_eq!(
            site.answer("GET", &address, &[("PRIVATE-TOKEN", "u")], "").await.status(),
            StatusCode::UNAUTHORIZED
        );
        assert_eq!(site.answer("POST", &address, &[TOKEN], "").await.status(), StatusCode::NOT_FOUND);
    }
    assert_eq!(site.asked("POST", "/projects/root%2Fhidden/uploads", "{}").await.1["error"], "file is missing");
    assert_eq!(
        site.asked("POST", "/projects/root%2Fhidden/uploads", r#"{"file":"x"}"#).await.1["error"],
        "file is invalid"
    );

    let picture = file("avatar", "me.gif", "GIF89a\u{1}\0\u{1}\0\0\0\0;");
    let response = site.answer("PUT", "/api/v4/users/1", &form, picture).await;
    assert_eq!(response.status(), StatusCode::OK);
    let user: serde_json::Value = serde_json::from_slice(&read_body(response).await).unwrap();
    let address = user["avatar_url"].as_str().unwrap().strip_prefix("https://tenon.example").unwrap();
    let served = site.answer("GET", address, &[], "").await;
    assert_eq!((served.status(), header(&served, "content-type")), (StatusCode::OK, "image/gif"));
    assert!(header(&served, "content-disposition").starts_with("inline"));
    let (status, user) = site.asked("PUT", "/users/1", r#"{"avatar":""}"#).await;
    assert!(status == 200 && user["avatar_url"].as_str() != Some(address), "{user}");
    assert_eq!(site.answer("GET", address, &[], "").await.status(), StatusCode::NOT_FOUND);
}
