//! Pushes that are small and would cost much: refused with a text that Git shows, before Git has unpacked them.

#![cfg(target_os = "linux")]

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use tenon_testkit::Backend;

use super::cut_off::below;
use super::large::{left_behind, peak};
use super::rules::with_input;
use super::{Site, backends, command, commit, git};
use crate::process::TOKEN;

const ZERO: &str = "0000000000000000000000000000000000000000";
const ONE: &str = "1111111111111111111111111111111111111111";

/// A connection on which a request for a service of `root/p` has begun. `length` is how long its body is said to be.
pub(super) fn begin(site: &Site, service: &str, token: Option<&str>, headers: &str, length: usize) -> TcpStream {
    let host = site.root.base().strip_prefix("http://").unwrap().to_owned();
    let mut stream = TcpStream::connect(&host).unwrap();
    let credential = token.map(|token| STANDARD.encode(format!("x:{token}")));
    let credential = credential.map(|text| format!("Authorization: Basic {text}\r\n")).unwrap_or_default();
    let head = format!(
        "POST /root/p.git/{service} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{credential}{headers}\
         Content-Type: application/x-{service}-request\r\nContent-Length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream
}

/// The answer to a push of the administrator's with this body.
fn pushed(site: &Site, headers: &str, body: &[u8]) -> String {
    let mut stream = begin(site, "git-receive-pack", Some(TOKEN), headers, body.len());
    stream.write_all(body).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

pub(super) fn line(text: &str) -> Vec<u8> {
    format!("{:04x}{text}", text.len() + 4).into_bytes()
}

fn zipped(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn deflated(content: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// A number in groups of seven bits, the lowest first.
fn number(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(low(value) | 0x80);
        value >>= 7;
    }
    bytes.push(low(value));
    bytes
}

/// The lowest seven bits.
fn low(value: usize) -> u8 {
    u8::try_from(value & 0x7f).unwrap()
}

/// An object of a pack: its type, its size, the bytes between them and the content, and the content.
fn object(kind: u8, base: &[u8], content: &[u8]) -> Vec<u8> {
    let (low, high) = (low(content.len() & 0x0f), content.len() >> 4);
    let mut bytes = vec![kind << 4 | low | if high > 0 { 0x80 } else { 0 }];
    if high > 0 {
        bytes.extend(number(high));
    }
    bytes.extend(base);
    bytes.extend(deflated(content));
    bytes
}

/// A pack of these objects, whose checksum the program `sha1sum` makes.
fn pack(site: &Site, objects: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = b"PACK\0\0\0\x02".to_vec();
    bytes.extend(u32::try_from(objects.len()).unwrap().to_be_bytes());
    bytes.extend(objects.iter().flatten());
    let file = site.folder.path().join("pack");
    std::fs::write(&file, &bytes).unwrap();
    #[expect(clippy::disallowed_methods, reason = "the checksum of a pack that no Git has made")]
    let sum = Command::new("sha1sum").arg(&file).output().unwrap().stdout;
    bytes.extend(binary(&String::from_utf8(sum).unwrap()));
    bytes
}

/// The bytes of an object name.
fn binary(name: &str) -> Vec<u8> {
    (0..20).map(|at| u8::from_str_radix(name.get(2 * at..2 * at + 2).unwrap(), 16).unwrap()).collect()
}

/// Nothing of a refused push is left, no process had much memory, and the server still answers.
#[track_caller]
fn nothing_stays(site: &Site) {
    let left = left_behind(&site.data());
    assert!(left.is_empty(), "{left:?}");
    let most = below(site.serving.id()).into_iter().filter_map(peak).max().unwrap_or_default();
    let server = peak(site.serving.id()).unwrap();
    assert!(most < 100 << 20 && server < 300 << 20, "{most} and {server} bytes");
    let _ = site.root.get("/projects/root%2Fp/repository/branches").assert_status(200);
}

#[test]
fn commands_without_end_are_refused_before_git_reads_them() {
    let site = Site::start(Backend::Sqlite);
    site.project("p", "private");
    let command = |number: usize| line(&format!("{ZERO} {ONE} refs/heads/a{number}"));
    let commands: Vec<u8> = (0..200_000).flat_map(command).collect();
    for (headers, body) in [("Content-Encoding: gzip\r\n", zipped(&commands)), ("", commands.clone())] {
        let answer = pushed(&site, headers, &body);
        assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
        assert!(answer.contains("(limit push.commands)") && answer.contains("text/plain"), "{answer}");
        nothing_stays(&site);
    }
    let first = line(&format!("{ZERO} {ONE} refs/heads/a\0 report-status side-band-64k"));
    let answer = pushed(&site, "", &[first, commands].concat());
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    assert!(answer.contains("unpack This push moves more than 50000 refs (limit push.commands)."), "{answer}");
    let long = [line(&format!("shallow {ONE}")).repeat(200_000), b"0000".to_vec()].concat();
    let answer = pushed(&site, "Content-Encoding: gzip\r\n", &zipped(&long));
    assert!(answer.starts_with("HTTP/1.1 413 ") && answer.contains("(limit push.commands_size)"), "{answer}");
    nothing_stays(&site);
}

#[test]
fn gzip_that_decodes_to_very_much_is_refused() {
    let site = Site::start(Backend::Sqlite);
    site.project("p", "public");
    let zeros = zipped(&vec![b'0'; 64 << 20]);
    for (service, token) in [("git-upload-pack", None), ("git-receive-pack", Some(TOKEN))] {
        let mut stream = begin(&site, service, token, "Content-Encoding: gzip\r\n", zeros.len());
        stream.write_all(&zeros).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 4"), "{service}: {answer}");
    }
    nothing_stays(&site);
}

#[test]
fn commits_and_tags_over_their_limit_are_refused_with_a_text() {
    for backend in backends() {
        let site = Site::start(backend);
        site.project("p", "private");
        let here = site.working_copy("here", "main");
        git(&here, &["push", "--quiet", &site.mine("p"), "main"]).well();
        let message = site.folder.path().join("message");
        std::fs::write(&message, "a".repeat(2 << 20)).unwrap();
        let file = message.to_str().unwrap();
        git(&here, &["commit", "--quiet", "--allow-empty", "--file", file]).well();
        let text = "A commit or tag in this push is larger than 1 MiB (limit push.commit).";
        let outcome = git(&here, &["push", &site.mine("p"), "main"]);
        assert!(outcome.text.contains(&format!("remote: {text}")), "{}", outcome.text);
        assert!(outcome.text.contains("[remote rejected] main -> main (push refused)"), "{}", outcome.text);
        outcome.refused(&format!("error: remote unpack failed: {text}"));
        git(&here, &["reset", "--quiet", "--hard", "HEAD~1"]).well();
        git(&here, &["tag", "--annotate", "--file", file, "v1"]).well();
        git(&here, &["push", &site.mine("p"), "v1"]).refused(text);
        nothing_stays(&site);
        commit(&here, "file", b"x", "small");
        git(&here, &["push", "--quiet", &site.mine("p"), "main"]).well();
    }
}

/// 800 MB in one commit and in one delta, each in a few kilobytes.
#[test]
fn small_packs_that_unpack_to_very_much_are_refused() {
    let site = Site::start(Backend::Sqlite);
    site.project("p", "private");
    let commands = [line(&format!("{ZERO} {ONE} refs/heads/a\0 report-status")), b"0000".to_vec()].concat();
    // The start of a commit of 800 MB is enough.
    let mut large = number(800 << 16);
    large.insert(0, 0x90);
    large.extend(deflated(b"tree "));
    let zeros = vec![0; 1 << 20];
    // Copies of the whole base.
    let copies: Vec<u8> = [0xf0, 0, 0, 0x10].repeat(800);
    let delta = [number(zeros.len()), number(800 << 20), copies].concat();
    let base = object(3, &[], &zeros);
    let distance = [low((base.len() >> 7) - 1) | 0x80, low(base.len())];
    for (objects, text) in [
        (vec![large], "unpack A commit or tag in this push is larger than 1 MiB (limit push.commit)."),
        (
            vec![base, object(6, &distance, &delta)],
            "unpack A file in this push is larger than 512 MiB (limit push.blob).",
        ),
    ] {
        let body = [commands.clone(), pack(&site, &objects)].concat();
        assert!(body.len() < 20_000, "{}", body.len());
        let answer = pushed(&site, "", &body);
        assert!(answer.starts_with("HTTP/1.1 200 ") && answer.contains(text), "{answer}");
        nothing_stays(&site);
    }
}

/// The pack does not hold the base of the delta, so that only Git knows that the result is a commit.
#[test]
fn a_commit_that_grows_over_its_limit_by_a_delta_is_refused() {
    let site = Site::start(Backend::Sqlite);
    site.project("p", "private");
    let here = site.working_copy("here", "main");
    let message = site.folder.path().join("message");
    std::fs::write(&message, "a".repeat(900_000)).unwrap();
    git(&here, &["commit", "--quiet", "--allow-empty", "--file", message.to_str().unwrap()]).well();
    git(&here, &["push", "--quiet", &site.mine("p"), "main"]).well();
    let base = command(&here, &["cat-file", "commit", "HEAD"]).output().unwrap().stdout;
    let name = git(&here, &["rev-parse", "HEAD"]).well();
    let more = vec![b'b'; 127 * 1200];
    let result = [base.clone(), more.clone()].concat();
    let grown = with_input(&here, &["hash-object", "-t", "commit", "--stdin"], &result);
    let [low, middle, high, _] = u32::try_from(base.len()).unwrap().to_le_bytes();
    let inserts: Vec<u8> = more.chunks(127).flat_map(|part| [&[127], part].concat()).collect();
    let copy = vec![0xf0, low, middle, high];
    let delta = [number(base.len()), number(result.len()), copy, inserts].concat();
    let push = |limit_of: &str, body: Vec<u8>| {
        let command = line(&format!("{ZERO} {} refs/heads/{limit_of}\0 report-status", grown.trim()));
        pushed(&site, "", &[command, b"0000".to_vec(), pack(&site, &[body])].concat())
    };
    let answer = push("grown", object(7, &binary(&name), &delta));
    assert!(answer.contains("ng refs/heads/grown pre-receive hook declined"), "{answer}");
    nothing_stays(&site);
}

#[test]
fn a_push_with_too_many_options_or_other_data_is_refused() {
    let site = Site::start(Backend::Sqlite);
    site.project("p", "private");
    let here = site.working_copy("here", "main");
    let options = (0..101).map(|number| format!("--push-option=o{number}"));
    let mut push = command(&here, &["push"]);
    let output = push.args(options).args([&site.mine("p"), "main"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("This push has more than 100 options (limit push.options)."), "{said}");
    git(&here, &["push", "--quiet", &site.mine("p"), "main", "main:gone"]).well();
    let tip = git(&here, &["rev-parse", "HEAD"]).well();
    let delete = line(&format!("{} {ZERO} refs/heads/gone\0 report-status", tip.trim()));
    let answer = pushed(&site, "", &[delete.clone(), b"0000PACK".to_vec()].concat());
    assert!(answer.contains("unpack The push cannot be read: there is data after the list of refs."), "{answer}");
    assert!(answer.contains("ng refs/heads/gone push refused"), "{answer}");
    let answer = pushed(&site, "", &delete);
    assert!(answer.contains("unpack The push cannot be read: the list of refs is incomplete."), "{answer}");
    let refs = git(&here, &["ls-remote", &site.mine("p"), "refs/heads/gone"]).well();
    assert!(refs.contains("refs/heads/gone"), "it is still there: {refs}");
    let answer = pushed(&site, "", &[delete, b"0000".to_vec()].concat());
    assert!(answer.contains("ok refs/heads/gone"), "{answer}");
}
