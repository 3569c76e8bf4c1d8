//! Uploaded files and pictures whose type is not the declared one.

use serde_json::json;
use tenon_testkit::{Client, Multipart, Reply, TestServer, both_databases};

use crate::support::*;

fn upload(client: &Client, project: i64, name: &str, bytes: &[u8]) -> Reply {
    let form = Multipart::default().file("file", name, bytes);
    client.multipart("POST", &format!("/projects/{project}/uploads"), &form)
}

/// The address at which an upload of `alice/tool` is served, with the `//` that the client takes for "from the root".
fn served(reply: &Reply) -> String {
    format!("//alice/tool{}", reply.json()["url"].as_str().expect("an address"))
}

fn avatar(client: &Client, user: i64, name: &str, bytes: &[u8]) -> Reply {
    client.multipart("PUT", &format!("/users/{user}"), &Multipart::default().file("avatar", name, bytes))
}

/// A PNG that claims to be this large.
fn bomb(side: u32) -> Vec<u8> {
    let mut bytes = PIXEL.to_vec();
    bytes[16..20].copy_from_slice(&side.to_be_bytes());
    bytes[20..24].copy_from_slice(&side.to_be_bytes());
    bytes
}

/// The smallest JPEG that carries an EXIF block, and a scan that is never decoded.
fn jpeg_with_exif() -> Vec<u8> {
    let mut bytes = vec![0xff, 0xd8];
    let exif = b"Exif\0\0II*\0\x08\0\0\0GPS-52.5200N-13.4050E";
    bytes.extend([0xff, 0xe1]);
    bytes.extend(u16::try_from(exif.len() + 2).expect("a short block").to_be_bytes());
    bytes.extend(exif);
    // Start of frame: 8 bits, 1 x 1, one component.
    bytes.extend([0xff, 0xc0, 0, 11, 8, 0, 1, 0, 1, 1, 1, 0x11, 0]);
    // Start of scan, one byte of it, end of image.
    bytes.extend([0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 0x55, 0xff, 0xd9]);
    bytes
}

fn stored(server: &TestServer) -> String {
    let mut names = String::new();
    let mut folders = vec![server.objects()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            names += &format!("{}\n", path.display());
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    names
}

#[both_databases]
fn a_file_name_is_no_path(server: &TestServer) {
    let alice = server.user("alice");
    let project = project(&alice, "tool", "public");
    for (name, want) in [("../../x", "x"), ("..%2f..%2fx", ".._2f.._2fx"), ("..", "_.."), ("a b?#.txt", "a_b__.txt")] {
        let reply = upload(&alice, project, name, b"text").assert_status(201);
        let url = reply.json()["url"].as_str().expect("an address").to_owned();
        let (secret, stored) = url.strip_prefix("/uploads/").and_then(|rest| rest.split_once('/')).expect("two parts");
        assert_eq!(stored, want, "{name:?}");
        assert!(secret.len() == 32 && secret.bytes().all(|byte| byte.is_ascii_hexdigit()), "{secret}");
    }
    // The backslash may be a separator or an escape: neither it nor the colon is stored.
    let _ = upload(&alice, project, "C:\\x", b"text").assert_status(201);
    assert!(!stored(server).contains([':', '\\']), "{}", stored(server));
}

#[both_databases]
fn a_huge_file_name_is_cut_or_refused(server: &TestServer) {
    let alice = server.user("alice");
    let project = project(&alice, "tool", "public");
    let reply = upload(&alice, project, &format!("{}.txt", "x".repeat(5_000_000)), b"text");
    match reply.status() {
        201 => assert!(reply.json()["url"].as_str().is_some_and(|url| url.len() < 300)),
        status => assert!(matches!(status, 400 | 413), "{status}"),
    }
    let _ = server.anonymous().get("/projects").assert_status(200);
}

#[both_databases]
fn no_upload_is_ever_shown_as_a_page(server: &TestServer) {
    let alice = server.user("alice");
    let project = project(&alice, "tool", "public");
    for name in ["a.html", "a.xhtml", "a.js", "a.HTML", "a", "a.txt", "a.pdf", "a.xml"] {
        let reply = upload(&alice, project, name, b"<script>alert(1)</script>").assert_status(201);
        let file = server.anonymous().get(&served(&reply)).assert_status(200);
        assert_eq!(file.bytes(), b"<script>alert(1)</script>");
        assert!(file.header("content-disposition").starts_with("attachment"), "{name}");
        assert_eq!(file.header("x-content-type-options"), "nosniff");
        assert!(file.header("content-security-policy").contains("sandbox"), "{name}");
        let kind = file.header("content-type");
        assert!(!["html", "svg", "xml", "javascript"].iter().any(|bad| kind.contains(bad)), "{name}: {kind}");
    }
    // A picture that is a text is shown, and nothing in it runs.
    let drawn = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>";
    for name in ["a.svg", "a.SVG"] {
        let reply = upload(&alice, project, name, drawn).assert_status(201);
        let file = server.anonymous().get(&served(&reply)).assert_status(200);
        assert_eq!(file.bytes(), drawn);
        assert_eq!(file.header("content-type"), "image/svg+xml");
        assert!(file.header("content-disposition").starts_with("inline"), "{name}");
        assert_eq!(file.header("x-content-type-options"), "nosniff");
        let policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
        assert_eq!(file.header("content-security-policy"), policy);
    }
    let picture = upload(&alice, project, "a.png", b"<script>alert(1)</script>").assert_status(201);
    let file = server.anonymous().get(&served(&picture)).assert_status(200);
    assert_eq!(
        (file.header("content-type").as_str(), file.header("x-content-type-options").as_str()),
        ("image/png", "nosniff")
    );
}

#[both_databases]
fn an_upload_is_as_private_as_its_project(server: &TestServer) {
    let alice = server.user("alice");
    let project = project(&alice, "tool", "private");
    let reply = upload(&alice, project, "a.txt", b"secret words").assert_status(201);
    let path = served(&reply);
    for caller in [server.anonymous(), server.user("stranger").clone()] {
        for (method, range) in [("GET", ""), ("HEAD", ""), ("GET", "bytes=0-3"), ("GET", "bytes=-4")] {
            let file = caller.header("Range", range).send(method, &path, None, Vec::new()).assert_status(404);
            assert!(!file.text().contains("secret"), "{method} {range}");
        }
        let by_id = format!("//-/project/{project}{}", reply.json()["url"].as_str().expect("an address"));
        let _ = caller.get(&by_id).assert_status(404);
    }
    assert_eq!(alice.get(&path).assert_status(200).bytes(), b"secret words");
    let _ = alice.put(&format!("/projects/{project}"), json!({"visibility": "public"})).assert_status(200);
    let _ = server.anonymous().get(&path).assert_status(200);
}

#[both_databases]
fn an_upload_is_found_only_under_its_own_project_and_secret(server: &TestServer) {
    let alice = server.user("alice");
    let (tool, other) = (project(&alice, "tool", "public"), project(&alice, "other", "public"));
    let path = served(&upload(&alice, tool, "a.txt", b"text").assert_status(201));
    let _ = upload(&alice, other, "a.txt", b"text").assert_status(201);
    for wrong in [
        path.replace("/tool/", "/other/"),
        path.replace("a.txt", "b.txt"),
        path.replace("a.txt", "%2e%2e/a.txt"),
        path.replace("a.txt", "..%2fa.txt"),
        format!("//alice/tool/uploads/{}/a.txt", "0".repeat(32)),
    ] {
        let _ = server.anonymous().get(&wrong).assert_status(404);
    }
}

#[both_databases]
fn a_picture_is_what_its_content_says(server: &TestServer) {
    let alice = server.user("alice");
    for (name, bytes) in [
        ("a.png", &b"<svg onload=alert(1)>"[..]),
        ("a.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>"),
        ("a.png", b""),
        ("a.png", b"\x89PNG\r\n\x1a\n"),
        ("a.png", &PIXEL[..20]),
        ("a.gif", b"GIF"),
        ("a.html", b"<html>"),
    ] {
        let reply = avatar(&server.root(), alice.id, name, bytes);
        assert_eq!(reply.status(), 400, "{name} {bytes:?}: {}", reply.text());
        assert!(reply.json()["message"]["avatar"][0].is_string(), "{}", reply.text());
    }
    let reply = avatar(&server.root(), alice.id, "evil.html", PIXEL).assert_status(200);
    assert!(reply.json()["avatar_url"].as_str().is_some_and(|url| url.ends_with("/evil.png")), "{}", reply.text());
}

#[both_databases]
fn a_picture_has_a_limit_of_bytes_and_of_pixels(server: &TestServer) {
    let alice = server.user("alice");
    for side in [50_000, 4_294_967_295, 0] {
        let _ = avatar(&server.root(), alice.id, "a.png", &bomb(side)).assert_status(400);
    }
    let mut large = PIXEL.to_vec();
    large.resize(200 * 1024 + 1, 0);
    let want = field("avatar", "is too big (should be at most 200 KB)");
    avatar(&server.root(), alice.id, "a.png", &large).assert(400, want);
    let shown = server.root().get(&format!("/users/{}", alice.id)).json()["avatar_url"].to_string();
    assert!(shown.contains("/identicon/"), "the one that the server draws: {shown}");
}

#[both_databases]
fn what_a_camera_wrote_is_taken_out(server: &TestServer) {
    let alice = server.user("alice");
    let picture = jpeg_with_exif();
    assert!(picture.windows(4).any(|part| part == b"GPS-"));
    let url = avatar(&server.root(), alice.id, "a.jpg", &picture).assert_status(200).json()["avatar_url"].clone();
    let path = url.as_str().and_then(|url| url.strip_prefix(server.base())).expect("an address").to_owned();
    let file = server.anonymous().get(&format!("/{path}")).assert_status(200);
    assert_eq!(file.header("content-type"), "image/jpeg");
    assert!(file.bytes().starts_with(&[0xff, 0xd8]));
    assert!(!file.bytes().windows(4).any(|part| part == b"GPS-"));
    assert!(!file.bytes().windows(4).any(|part| part == b"Exif"));
}
