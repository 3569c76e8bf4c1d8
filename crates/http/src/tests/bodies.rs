//! Parameters and bodies from the socket to the handler.

use super::Site;

const SIGNED_IN: &str = "/api/v4/echo/a%2Fb?private_token=t&title=query&id=9";

#[actix_web::test]
async fn parameters_come_from_path_body_and_query() {
    let site = Site::start();
    let created = |text: &str| (201, text.to_owned());
    let form = "multipart/form-data; boundary=x";
    let file = "--x\r\nContent-Disposition: form-data; name=\"avatar\"; filename=\"a\"\r\n\r\nabc\r\n--x--\r\n";
    assert_eq!(site.echoed(SIGNED_IN, "", "").await, created(r#"["a/b","a/b","query",null,null]"#));
    assert_eq!(
        site.echoed(SIGNED_IN, "application/json", r#"{"title":"body","tags":["x"],"id":7}"#).await,
        created(r#"["a/b","a/b","body",["x"],null]"#)
    );
    assert_eq!(
        site.echoed(SIGNED_IN, "application/x-www-form-urlencoded", "tags[]=x&tags[]=y").await,
        created(r#"["a/b","a/b","query",["x","y"],null]"#)
    );
    assert_eq!(site.echoed(SIGNED_IN, form, file).await, created(r#"["a/b","a/b","query",null,3]"#));
    let token_in_body = r#"{"private_token":"t","title":"body"}"#;
    assert_eq!(site.echoed("/api/v4/echo/1", "application/json", token_in_body).await.0, 201);
}

#[actix_web::test]
async fn unreadable_bodies_are_reported_after_the_guard() {
    let site = Site::start();
    let large = || "x".repeat(1024 * 1024 + 1);
    for (kind, body, status, text) in [
        ("application/json", "{".to_owned(), 400, "message body does not match declared format"),
        ("application/json", "[".repeat(10_000), 400, "message body does not match declared format"),
        ("text/xml", "<a/>".to_owned(), 415, "The provided content-type 'text/xml' is not supported."),
        ("application/json", large(), 413, "413 Request Entity Too Large"),
        ("application/json", r#"{"title":{}}"#.to_owned(), 400, "title is invalid"),
        ("application/x-www-form-urlencoded", "a=&".repeat(100_000), 400, "there are too many parameters"),
    ] {
        let (got, said) = site.echoed(SIGNED_IN, kind, body.clone()).await;
        assert!(got == status && said.contains(text), "{kind}: {got} {said}");
        let (got, said) = site.echoed("/api/v4/echo/1", kind, body).await;
        assert_eq!((got, said.as_str()), (401, r#"{"message":"401 Unauthorized"}"#), "{kind}");
    }
}
