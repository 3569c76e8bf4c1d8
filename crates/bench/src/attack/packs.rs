//! Hostile packs and command lists.

use std::io::Write as _;
use std::path::Path;

use anyhow::Result;
use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};

use crate::code::repository::git;

const ZERO: &str = "0000000000000000000000000000000000000000";

/// A list of refs that goes on for so many bytes, packed by gzip: a few kilobytes.
pub(super) fn endless_commands(bytes: usize) -> Result<Vec<u8>> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    let mut written = 0;
    for number in 0.. {
        let line = format!("{ZERO} {} refs/heads/{number:0>100}", "1".repeat(40));
        let line = pkt_line(&line);
        written += line.len();
        packed.write_all(line.as_bytes())?;
        if written > bytes {
            break;
        }
    }
    Ok(packed.finish()?)
}

/// A push that makes one branch, with a pack of a commit whose message has so many bytes of one letter.
pub(super) fn long_message(folder: &Path, bytes: usize) -> Result<Vec<u8>> {
    std::fs::create_dir(folder)?;
    git(folder, &["init", "--quiet", "--initial-branch=main"])?;
    let tree = git(folder, &["hash-object", "-w", "-t", "tree", "/dev/null"])?;
    std::fs::write(folder.join("message"), vec![b'a'; bytes])?;
    let commit = git(folder, &["commit-tree", "-F", "message", tree.trim()])?;
    git(folder, &["branch", "--force", "long", commit.trim()])?;
    git(folder, &["config", "pack.packSizeLimit", "0"])?;
    git(folder, &["repack", "--quiet", "-ad"])?;
    let pack = std::fs::read_dir(folder.join(".git/objects/pack"))?
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|ending| ending == "pack"));
    let pack = pack.map(std::fs::read).transpose()?.unwrap_or_default();
    Ok(push(commit.trim(), "refs/heads/long", &pack))
}

/// A push of a few kilobytes with a delta that copies its base until the result has gigabytes.
pub(super) fn delta_bomb() -> Result<Vec<u8>> {
    const BASE: usize = 0xff_ffff;
    const COPIES: usize = 200;
    let mut pack = b"PACK\0\0\0\x02\0\0\0\x02".to_vec();
    let base_at = pack.len();
    pack.extend(entry_header(3, BASE));
    pack.extend(zlib(&vec![0; BASE])?);
    let mut delta = varint(BASE);
    delta.extend(varint(BASE * COPIES));
    for _ in 0..COPIES {
        // Copy from offset 0, three bytes of size.
        delta.extend([0b1111_0000, 0xff, 0xff, 0xff]);
    }
    let delta_at = pack.len();
    pack.extend(entry_header(6, delta.len()));
    pack.extend(offset(delta_at - base_at));
    pack.extend(zlib(&delta)?);
    // A wrong checksum: it is read last, after the work for the bytes before it.
    pack.extend([0; 20]);
    Ok(push(&"2".repeat(40), "refs/heads/bomb", &pack))
}

/// A push that makes a branch.
fn push(commit: &str, name: &str, pack: &[u8]) -> Vec<u8> {
    let command = format!("{ZERO} {commit} {name}\0 report-status side-band-64k agent=attack");
    [pkt_line(&command).as_bytes(), b"0000", pack].concat()
}

fn pkt_line(text: &str) -> String {
    format!("{:04x}{text}", text.len() + 4)
}

fn zlib(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
    packed.write_all(bytes)?;
    Ok(packed.finish()?)
}

/// The type and size of an object of a pack: four bits of the size, then seven at a time.
fn entry_header(kind: u8, size: usize) -> Vec<u8> {
    let low = |number: usize, mask: usize| u8::try_from(number & mask).unwrap_or(0);
    let mut rest = size >> 4;
    let mut bytes = vec![(kind << 4) | low(size, 0x0f)];
    while rest > 0 {
        if let Some(last) = bytes.last_mut() {
            *last |= 0x80;
        }
        bytes.push(low(rest, 0x7f));
        rest >>= 7;
    }
    bytes
}

/// A number as deltas write it, the low seven bits first.
fn varint(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = u8::try_from(number & 0x7f).unwrap_or(0);
        number >>= 7;
        bytes.push(if number > 0 { low | 0x80 } else { low });
        if number == 0 {
            return bytes;
        }
    }
}

/// The distance to the base of a delta, the high bits first, with one added for each further byte.
fn offset(mut distance: usize) -> Vec<u8> {
    let low = |number: usize| u8::try_from(number & 0x7f).unwrap_or(0);
    let mut bytes = vec![low(distance)];
    distance >>= 7;
    while distance > 0 {
        distance -= 1;
        bytes.insert(0, low(distance) | 0x80);
        distance >>= 7;
    }
    bytes
}
