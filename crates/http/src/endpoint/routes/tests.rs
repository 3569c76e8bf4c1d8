//! The results of look-ups in the table.

use super::*;
use crate::endpoint::reply::NoContent;

async fn nothing(_: Call<()>) -> Result<NoContent, ApiError> {
    Ok(NoContent)
}

fn table() -> RouteTable {
    let mut routes = Routes::new();
    routes
        .tag("Users")
        .scope(ScopeRule::ReadUser)
        .get("/users", Guard::Anyone, nothing, "Lists.")
        .post("/users", Guard::SignedIn, nothing, "Creates.")
        .get("/users/{id:int}", Guard::Anyone, nothing, "Shows.")
        .get("/users/{id_or_username}/status", Guard::Anyone, nothing, "Shows.")
        .delete("/users/{user_id:int}/keys/{key_id}", Guard::SignedIn, nothing, "Deletes.")
        .tag("Projects")
        .get("/projects/{id}", Guard::Anyone, nothing, "Shows.")
        .get("/projects/{id}/files/{*path}", Guard::Anyone, nothing, "Shows.");
    routes.finish().unwrap()
}

fn found(method: &str, path: &str) -> String {
    match table().find(&Method::from_bytes(method.as_bytes()).unwrap(), path) {
        Lookup::Endpoint(endpoint, params) => {
            let params: Vec<String> = params.iter().map(|(name, value)| format!(" {name}={value}")).collect();
            format!("{} {}{}", endpoint.method, endpoint.path, params.concat())
        }
        Lookup::Options(path, allow) => format!("options {path}: {allow}"),
        Lookup::OtherMethod(path, allow) => format!("other {path}: {allow}"),
        Lookup::Gone | Lookup::Unknown => "unknown".to_owned(),
    }
}

#[test]
fn each_method_and_path_finds_its_route() {
    for (method, path, want) in [
        ("GET", "/users", "GET /users"),
        ("HEAD", "/users", "GET /users"),
        ("GET", "/users.json", "GET /users"),
        ("OPTIONS", "/users", "options /users: OPTIONS, GET, HEAD, POST"),
        ("PUT", "/users", "other /users: OPTIONS, GET, HEAD, POST"),
        ("HEAD", "/users/1/keys/2", "other /users/{user_id}/keys/{key_id}: OPTIONS, DELETE"),
        ("BREW", "/users", "other /users: OPTIONS, GET, HEAD, POST"),
        ("GET", "/users/12", "GET /users/{id} id=12"),
        ("GET", "/users/1ASDF", "unknown"),
        ("PUT", "/users/ASDF", "unknown"),
        ("GET", "/users/99999999999999999999", "unknown"),
        ("GET", "/users/root/status", "GET /users/{id_or_username}/status id_or_username=root"),
        ("DELETE", "/users/1/keys/ASDF", "DELETE /users/{user_id}/keys/{key_id} user_id=1 key_id=ASDF"),
        ("GET", "/projects/a%2Fb%2Ec", "GET /projects/{id} id=a/b.c"),
        ("GET", "/projects/a+b%20c%252F", "GET /projects/{id} id=a+b c%2F"),
        ("GET", "/projects/a/b", "unknown"),
        ("GET", "/projects/a%00", "unknown"),
        ("GET", "/projects/%ff", "unknown"),
        ("GET", "/projects/1/files/a/b%20c", "GET /projects/{id}/files/{path} id=1 path=a/b c"),
        ("GET", "/nothing", "unknown"),
        ("OPTIONS", "/nothing", "unknown"),
        ("GET", "", "unknown"),
        ("GET", ".json", "unknown"),
    ] {
        assert_eq!(found(method, path), want, "{method} {path}");
    }
}

#[test]
fn the_listing_names_guards_and_scopes() {
    let listing = table().listing();
    assert_eq!(listing.len(), 7);
    assert_eq!(
        listing[1],
        RouteInfo { method: "POST".into(), path: "/users".into(), guard: Guard::SignedIn, scope: ScopeRule::ReadUser }
    );
    assert_eq!(listing[5].scope, ScopeRule::Api);
}

#[test]
fn contradictions_are_refused_by_name() {
    let refusal = |first: &'static str, second: &'static str| {
        let mut routes = Routes::new();
        routes.get(first, Guard::Anyone, nothing, "").get(second, Guard::Anyone, nothing, "");
        routes.finish().unwrap_err().to_string()
    };
    assert_eq!(refusal("/a/{id}", "/a/{name}"), "route GET /a/{name}: is there already");
    assert!(refusal("/a/{*rest}", "/a/{id}").starts_with("route GET /a/{id}: "));
}
