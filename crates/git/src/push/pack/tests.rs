//! Packs that are made by hand: sound ones, and those that are made to cost much.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::*;

/// A pack that is being put together.
struct Pack {
    bytes: Vec<u8>,
    objects: u32,
}

fn deflated(content: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// The lowest seven bits.
fn low(value: u64) -> u8 {
    u8::try_from(value & 0x7f).unwrap()
}

/// A number in groups of seven bits, the lowest first.
fn number(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(low(value) | 0x80);
        value >>= 7;
    }
    bytes.push(low(value));
    bytes
}

/// A delta that says that it makes `result` of `base`, and does nothing else.
fn delta(base: u64, result: u64) -> Vec<u8> {
    [number(base), number(result), vec![0x90, 1]].concat()
}

impl Pack {
    fn new() -> Self {
        Self { bytes: vec![0; 12], objects: 0 }
    }

    fn head(&mut self, kind: u8, size: u64) -> usize {
        let start = self.bytes.len();
        self.objects += 1;
        let (low, high) = (low(size & 0x0f), size >> 4);
        self.bytes.push(kind << 4 | low | if high > 0 { 0x80 } else { 0 });
        if high > 0 {
            self.bytes.extend(number(high));
        }
        start
    }

    fn object(&mut self, kind: u8, content: &[u8]) -> usize {
        self.sized(kind, long(content.len()), content)
    }

    fn sized(&mut self, kind: u8, size: u64, content: &[u8]) -> usize {
        let start = self.head(kind, size);
        self.bytes.extend(deflated(content));
        start
    }

    fn offset_delta(&mut self, base: usize, content: &[u8]) -> usize {
        let start = self.head(OFFSET_DELTA, long(content.len()));
        let mut distance = long(start - base);
        let mut bytes = vec![low(distance)];
        while distance >= 0x80 {
            distance = (distance >> 7) - 1;
            bytes.push(low(distance) | 0x80);
        }
        bytes.reverse();
        self.bytes.extend(bytes);
        self.bytes.extend(deflated(content));
        start
    }

    fn ref_delta(&mut self, content: &[u8]) {
        self.head(REF_DELTA, long(content.len()));
        self.bytes.extend([7; HASH]);
        self.bytes.extend(deflated(content));
    }

    fn whole(mut self) -> Vec<u8> {
        self.bytes[..8].copy_from_slice(b"PACK\0\0\0\x02");
        self.bytes[8..12].copy_from_slice(&self.objects.to_be_bytes());
        self.bytes.extend([0; HASH]);
        self.bytes
    }
}

fn limits() -> PushLimits {
    PushLimits { commit: 1000, tree: 2000, blob: 100_000, unpacked: 1 << 30, ..PushLimits::default() }
}

/// The outcome of reading a pack, which does not depend on the pieces it comes in.
fn read(limits: &PushLimits, pack: &[u8]) -> Result<bool, PushRefusal> {
    let outcomes: Vec<_> = [1, 7, 64 << 10]
        .map(|piece| {
            let mut parser = PackParser::new(limits);
            pack.chunks(piece).try_for_each(|part| parser.feed(part)).map(|()| parser.is_complete())
        })
        .into();
    assert!(outcomes.iter().all(|outcome| *outcome == outcomes[0]), "{outcomes:?}");
    outcomes[0].clone()
}

fn refusal(limits: &PushLimits, pack: Pack) -> String {
    read(limits, &pack.whole()).expect_err("it is refused").to_string()
}

/// Every kind of object, each at its limit.
fn sound() -> Pack {
    let mut pack = Pack::new();
    let commit = pack.object(COMMIT, &[b'c'; 1000]);
    let tree = pack.object(TREE, &[b't'; 2000]);
    let blob = pack.object(BLOB, &vec![b'b'; 100_000]);
    pack.object(TAG, b"tag");
    pack.object(BLOB, b"");
    pack.offset_delta(commit, &delta(1000, 1000));
    pack.offset_delta(tree, &delta(2000, 2000));
    pack.offset_delta(blob, &delta(100_000, 100_000));
    pack.ref_delta(&delta(5, 100_000));
    pack
}

#[test]
fn a_pack_within_the_limits_is_read_to_its_end() {
    let pack = sound().whole();
    assert_eq!(read(&limits(), &pack), Ok(true));
    assert_eq!(read(&limits(), &Pack::new().whole()), Ok(true), "no objects");
    for length in (0..pack.len()).step_by(13) {
        assert_eq!(read(&limits(), &pack[..length]), Ok(false), "{length}");
    }
}

#[test]
fn an_object_over_the_limit_of_its_type_is_refused_by_its_header_alone() {
    for (kind, size, text) in [
        (COMMIT, 1001, "A commit or tag in this push is larger than 1000 bytes (limit push.commit)."),
        (TAG, 800 << 20, "A commit or tag in this push is larger than 1000 bytes (limit push.commit)."),
        (TREE, 2001, "A directory in this push is larger than 2000 bytes (limit push.tree)."),
        (BLOB, 100_001, "A file in this push is larger than 100000 bytes (limit push.blob)."),
        (BLOB, u64::MAX >> 2, "A file in this push is larger than 100000 bytes (limit push.blob)."),
    ] {
        let mut pack = Pack::new();
        pack.head(kind, size);
        assert_eq!(refusal(&limits(), pack), text);
    }
}

#[test]
fn the_result_of_a_delta_is_held_to_the_limit_of_its_base() {
    for (kind, limit, name) in [(COMMIT, 1000, "push.commit"), (TREE, 2000, "push.tree"), (BLOB, 100_000, "push.blob")]
    {
        let mut pack = Pack::new();
        let mut base = pack.object(kind, b"x");
        // A chain: each link knows the type of the first one.
        for _ in 0..200 {
            base = pack.offset_delta(base, &delta(1, limit));
        }
        let mut above = Pack { bytes: pack.bytes.clone(), ..pack };
        assert_eq!(read(&limits(), &pack_of(&above)), Ok(true), "{name}");
        above.offset_delta(base, &delta(limit, limit + 1));
        assert!(refusal(&limits(), above).contains(name), "{name}");
    }
    let mut unknown = Pack::new();
    unknown.ref_delta(&delta(1, 100_001));
    assert!(refusal(&limits(), unknown).contains("push.blob"));
}

fn pack_of(pack: &Pack) -> Vec<u8> {
    Pack { bytes: pack.bytes.clone(), objects: pack.objects }.whole()
}

#[test]
fn a_small_delta_that_repeats_its_base_very_often_is_refused() {
    let limits = PushLimits { blob: 512 << 20, ..PushLimits::default() };
    let mut bomb = Pack::new();
    let base = bomb.object(BLOB, &vec![0; 1 << 20]);
    bomb.offset_delta(base, &delta(1 << 20, 500 << 20));
    assert!(refusal(&limits, bomb).contains("push.unpack_ratio"));
    let mut edit = Pack::new();
    edit.ref_delta(&delta(500 << 20, 500 << 20));
    assert_eq!(read(&limits, &edit.whole()), Ok(true), "a change of a large file that is there already");
}

#[test]
fn deltas_on_deltas_are_bounded_by_all_their_results() {
    let limits = PushLimits { unpacked: 1 << 30, ..PushLimits::default() };
    let mut pack = Pack::new();
    for _ in 0..11 {
        pack.ref_delta(&delta(100 << 20, 100 << 20));
    }
    let text = refusal(&limits, pack);
    assert_eq!(text, "All objects of this push are larger than 1 GiB together (limit push.unpacked).");
}

#[test]
fn content_that_inflates_too_much_is_refused() {
    let mut pack = Pack::new();
    pack.object(BLOB, &vec![0; 65 << 20]);
    let mut parser = PackParser::new(&PushLimits { unpack_ratio: 10, ..PushLimits::default() });
    let text = parser.feed(&pack.whole()).unwrap_err().to_string();
    assert!(text.contains("push.unpack_ratio"), "{text}");
}

#[test]
fn too_many_objects_and_bytes_are_refused() {
    let mut pack = sound();
    pack.objects = 5;
    let limits = limits();
    assert!(refusal(&PushLimits { objects: 4, ..limits.clone() }, pack).contains("push.objects"));
    let small = PushLimits { pack: 300, ..limits };
    assert_eq!(refusal(&small, sound()), "The pack of this push is larger than 300 bytes (limit push.pack).");
}

#[test]
fn a_pack_that_is_not_what_it_says_is_refused() {
    let changed = |change: fn(&mut Vec<u8>)| {
        let mut bytes = sound().whole();
        change(&mut bytes);
        read(&limits(), &bytes)
    };
    let is_malformed = |outcome: Result<bool, PushRefusal>| matches!(outcome, Err(PushRefusal::Malformed(_)));
    assert!(is_malformed(changed(|bytes| bytes.push(0))), "data behind it");
    assert!(is_malformed(changed(|bytes| bytes[0] = b'p')));
    assert!(is_malformed(changed(|bytes| bytes[7] = 4)), "another version");
    assert!(is_malformed(changed(|bytes| bytes[11] -= 1)), "more objects than it says");
    assert!(is_malformed(changed(|bytes| bytes[16] ^= 0xff)), "what is compressed");
    for (size, content) in [(5, b"four".as_slice()), (3, b"four")] {
        let mut pack = Pack::new();
        pack.sized(BLOB, size, content);
        assert!(is_malformed(read(&limits(), &pack.whole())), "{size}");
    }
    for kind in [0, 5] {
        let mut pack = Pack::new();
        pack.object(kind, b"x");
        assert!(is_malformed(read(&limits(), &pack.whole())), "type {kind}");
    }
    let mut early = Pack::new();
    early.sized(OFFSET_DELTA, 2, b"");
    assert!(is_malformed(read(&limits(), &early.whole())), "a base before the pack");
    let mut cut = Pack::new();
    cut.ref_delta(&[0x85]);
    assert!(is_malformed(read(&limits(), &cut.whole())), "a delta without sizes");
    let mut endless = Pack::new();
    endless.bytes.extend([0xb5; 11]);
    endless.objects = 1;
    assert!(is_malformed(read(&limits(), &endless.whole())), "a size without end");
}
