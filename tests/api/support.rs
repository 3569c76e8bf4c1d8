//! What the tests of all resources share.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};
use tenon_testkit::{Client, Reply, TestServer};

/// A PNG of one pixel.
pub(crate) const PIXEL: &[u8] = &[
    0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, b'I', b'H', b'D', b'R', 0, 0, 0, 1, 0, 0, 0, 1, 8, 2,
    0, 0, 0, 0x90, 0x77, 0x53, 0xde, 0, 0, 0, 12, b'I', b'D', b'A', b'T', 0x08, 0xd7, 0x63, 0xf8, 0xcf, 0xc0, 0, 0, 3,
    1, 1, 0, 0x18, 0xdd, 0x8d, 0xb0, 0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xae, 0x42, 0x60, 0x82,
];

/// The fields of every user, wherever one is named.
pub(crate) const BASIC_USER: [&str; 6] = ["id", "name", "username", "state", "avatar_url", "web_url"];

/// The id in an answer.
#[track_caller]
pub(crate) fn id(value: &Value) -> i64 {
    value["id"].as_i64().unwrap_or_else(|| panic!("no id: {value}"))
}

/// Posts and expects something new.
#[track_caller]
pub(crate) fn made(client: &Client, path: &str, body: Value) -> Value {
    client.post(path, body).assert_status(201).json()
}

/// A project of the client's with this name and visibility.
#[track_caller]
pub(crate) fn project(client: &Client, name: &str, visibility: &str) -> i64 {
    id(&made(client, "/projects", json!({"name": name, "visibility": visibility})))
}

/// A project in a group.
#[track_caller]
pub(crate) fn project_in(client: &Client, group: i64, name: &str, visibility: &str) -> i64 {
    id(&made(client, "/projects", json!({"name": name, "visibility": visibility, "namespace_id": group})))
}

/// A top-level group of the client's, with this path as its name.
#[track_caller]
pub(crate) fn group(client: &Client, path: &str, visibility: &str) -> i64 {
    id(&made(client, "/groups", json!({"name": path, "path": path, "visibility": visibility})))
}

/// A group below another.
#[track_caller]
pub(crate) fn subgroup(client: &Client, parent: i64, path: &str, visibility: &str) -> i64 {
    let body = json!({"name": path, "path": path, "visibility": visibility, "parent_id": parent});
    id(&made(client, "/groups", body))
}

/// Makes a user a member of `source`, such as `/groups/7`.
#[track_caller]
pub(crate) fn member(client: &Client, source: &str, user: i64, level: i64) {
    made(client, &format!("{source}/members"), json!({"user_id": user, "access_level": level}));
}

/// Fails the test where an object lacks a field, and tells which.
#[track_caller]
pub(crate) fn assert_has(object: &Value, fields: &[&str]) {
    let missing: Vec<_> = fields.iter().filter(|field| object.get(**field).is_none()).collect();
    assert!(missing.is_empty(), "without {missing:?}: {object:#}");
}

/// Fails the test where an object has a field.
#[track_caller]
pub(crate) fn assert_lacks(object: &Value, fields: &[&str]) {
    let there: Vec<_> = fields.iter().filter(|field| object.get(**field).is_some()).collect();
    assert!(there.is_empty(), "with {there:?}: {object:#}");
}

/// The names of an object's fields.
pub(crate) fn keys(object: &Value) -> BTreeSet<String> {
    object.as_object().unwrap_or_else(|| panic!("no object: {object}")).keys().cloned().collect()
}

/// The body of a 404 of this resource.
pub(crate) fn missing(resource: &str) -> Value {
    json!({"message": format!("404 {resource} Not Found")})
}

/// The body of a parameter problem.
pub(crate) fn parameter(text: &str) -> Value {
    json!({"message": text, "error": text})
}

/// The body of one invalid field.
pub(crate) fn field(name: &str, text: &str) -> Value {
    json!({"message": {name: [text]}})
}

/// The plain refusal.
pub(crate) fn forbidden() -> Value {
    json!({"message": "403 Forbidden"})
}

/// The body of a 401.
pub(crate) fn unauthorized() -> Value {
    json!({"message": "401 Unauthorized"})
}

/// The body of a deletion that is under way.
pub(crate) fn accepted() -> Value {
    json!({"message": "202 Accepted"})
}

/// All names in a list.
#[track_caller]
pub(crate) fn names(reply: &Reply) -> Vec<String> {
    texts(reply, "name")
}

/// One text field of every object in a list.
#[track_caller]
pub(crate) fn texts(reply: &Reply, field: &str) -> Vec<String> {
    reply
        .each(field)
        .iter()
        .map(|value| value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned())
        .collect()
}

/// One number of every object in a list.
#[track_caller]
pub(crate) fn ids(reply: &Reply) -> Vec<i64> {
    reply.each("id").iter().map(|value| value.as_i64().unwrap_or_else(|| panic!("no id: {value}"))).collect()
}

/// Sends bytes as they are and yields the whole answer; the request should end the connection.
pub(crate) fn raw(server: &TestServer, request: &[u8]) -> String {
    let address = server.base().strip_prefix("http://").expect("an address");
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.write_all(request).expect("a request sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    String::from_utf8_lossy(&answer).into_owned()
}

/// A raw GET with these header lines, each ended by `\r\n`.
pub(crate) fn raw_get(server: &TestServer, path: &str, headers: &[u8]) -> String {
    let mut request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n").into_bytes();
    request.extend(headers);
    request.extend(b"\r\n");
    raw(server, &request)
}
