//! Large files (Git LFS) on pages.

use tenon_testkit::{TestServer, both_databases};

use crate::member;
use crate::project::{commit, get, project};

const BYTES: &[u8] = b"large bytes of one file";
const OID: &str = "78d8eb4c04533bb77c84628253722c8680bc384046d63662e1f7c1f1c03205a3";

#[both_databases]
fn the_page_of_a_large_file_offers_its_bytes(server: &TestServer) {
    let ada = member(server, "ada");
    let _ = project(&ada, "tool", "public");
    let pointer = format!("version https://git-lfs.github.com/spec/v1\noid sha256:{OID}\nsize 23\n");
    let _ = commit(&ada, "ada/tool", "main", "First", &[("art.bin", pointer.as_bytes())]);
    let html = get(server, "/ada/tool/blob/main/art.bin").assert_status(200).html;
    assert!(html.contains("Stored with LFS (23 bytes)."), "{html}");
    assert!(html.contains("href=\"/ada/tool/raw/main/art.bin?lfs=true\""), "{html}");
    assert!(!html.contains(OID), "{html}");
    let bytes = |server: &TestServer| server.anonymous().get("//ada/tool/raw/main/art.bin?lfs=true").assert_status(200);
    assert_eq!(bytes(server).text(), pointer, "until the object is there");
    let git = server.anonymous().basic("ada", &ada.token);
    let path = format!("//ada/tool.git/info/lfs/objects/{OID}/23");
    let _ = git.send("PUT", &path, None, BYTES.to_vec()).assert_status(200);
    let sent = bytes(server);
    assert_eq!((sent.bytes(), &*sent.header("content-type")), (BYTES, "application/octet-stream"));
    assert_eq!(sent.header("content-disposition"), "attachment; filename*=UTF-8''art%2Ebin");
}
