//! A pack, read as a stream: header, objects one after the other, checksum (gitformat-pack).

use std::fmt;

use flate2::{Decompress, FlushDecompress, Status};
use tenon_domain::limits::PushLimits;

use super::kinds::{Kinds, SmallKind};
use super::{PushRefusal, check_size, over, size};

/// Unpacked bytes that the ratio of unpacking does not bound.
const RATIO_FREE: u64 = 64 << 20;
/// Bytes of a checksum, and of an object name.
const HASH: usize = 20;
/// Inflated bytes that are held at once.
const SCRATCH: usize = 32 << 10;

/// Reads a pack in pieces of any size.
pub(super) struct PackParser {
    limits: PushLimits,
    state: State,
    inflate: Decompress,
    scratch: Vec<u8>,
    /// Bytes read.
    offset: u64,
    /// Objects that are still to come, including the current one.
    objects: u32,
    /// Bytes of all objects so far, unpacked: of deltas the result.
    unpacked: u64,
    /// Bytes that the pack has unpacked to and did not hold itself.
    grown: u64,
    kinds: Kinds,
}

#[derive(Debug)]
enum State {
    /// `PACK`, version, number of objects.
    Header(Vec<u8>),
    /// The type and size of an object.
    Object(ObjectHeader),
    /// The distance to the base of a delta.
    Offset {
        object: ObjectHeader,
        distance: u64,
        is_first: bool,
    },
    /// The name of the base of a delta.
    Base {
        object: ObjectHeader,
        left: usize,
    },
    /// The content, compressed.
    Content(Content),
    /// The checksum.
    Checksum {
        left: usize,
    },
    Complete,
}

#[derive(Debug, Clone, Copy)]
struct ObjectHeader {
    start: u64,
    kind: u8,
    size: u64,
    shift: u32,
}

#[derive(Debug)]
struct Content {
    size: u64,
    inflated: u64,
    /// Of a delta whose size of result has not been read yet.
    delta: Option<DeltaHeader>,
}

/// The sizes of base and result, with which the content of a delta begins.
#[derive(Debug)]
struct DeltaHeader {
    kind: Option<SmallKind>,
    base: Option<u64>,
    value: u64,
    shift: u32,
}

const COMMIT: u8 = 1;
const TREE: u8 = 2;
const BLOB: u8 = 3;
const TAG: u8 = 4;
const OFFSET_DELTA: u8 = 6;
const REF_DELTA: u8 = 7;

fn malformed(reason: &'static str) -> PushRefusal {
    PushRefusal::Malformed(reason)
}

fn long(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// `value` with seven more bits in front; `None` if that is no 63-bit number.
fn with_bits(value: u64, bits: u8, shift: u32) -> Option<u64> {
    let bits = u64::from(bits);
    (shift < 63 && bits <= (u64::MAX >> 1) >> shift).then(|| value | bits << shift)
}

impl PackParser {
    pub(super) fn new(limits: &PushLimits) -> Self {
        Self {
            limits: limits.clone(),
            state: State::Header(Vec::new()),
            inflate: Decompress::new(true),
            scratch: vec![0; SCRATCH],
            offset: 0,
            objects: 0,
            unpacked: 0,
            grown: 0,
            kinds: Kinds::default(),
        }
    }

    /// True if the pack has been read to its end.
    pub(super) fn is_complete(&self) -> bool {
        matches!(self.state, State::Complete)
    }

    pub(super) fn feed(&mut self, bytes: &[u8]) -> Result<(), PushRefusal> {
        let mut rest = bytes;
        while let Some((byte, after)) = rest.split_first() {
            let used = match std::mem::replace(&mut self.state, State::Complete) {
                State::Content(content) => self.content(content, rest)?,
                State::Checksum { left } => {
                    let used = left.min(rest.len());
                    if left > used {
                        self.state = State::Checksum { left: left - used };
                    }
                    used
                }
                State::Header(mut header) => {
                    header.push(*byte);
                    self.state = if header.len() < 12 { State::Header(header) } else { self.header(&header)? };
                    1
                }
                State::Object(object) => {
                    self.state = self.object(object, *byte)?;
                    1
                }
                State::Offset { object, distance, is_first } => {
                    self.state = self.distance(object, distance, is_first, *byte)?;
                    1
                }
                State::Base { object, left: 1 } => {
                    self.state = self.delta(object, None)?;
                    1
                }
                State::Base { object, left } => {
                    self.state = State::Base { object, left: left - 1 };
                    1
                }
                State::Complete => return Err(malformed("there is data after the pack")),
            };
            self.offset = self.offset.saturating_add(long(used));
            if self.offset > self.limits.pack {
                return Err(over(&format!("The pack of this push is larger than {}", size(self.limits.pack)), "pack"));
            }
            rest = if used == 1 { after } else { rest.get(used..).unwrap_or_default() };
        }
        Ok(())
    }

    fn header(&mut self, header: &[u8]) -> Result<State, PushRefusal> {
        let count = match header {
            [b'P', b'A', b'C', b'K', 0, 0, 0, 2 | 3, a, b, c, d] => u32::from_be_bytes([*a, *b, *c, *d]),
            _ => return Err(malformed("the pack has another format")),
        };
        if usize::try_from(count).unwrap_or(usize::MAX) > self.limits.objects {
            return Err(over(&format!("This push has more than {} objects", self.limits.objects), "objects"));
        }
        self.objects = count;
        Ok(self.next_object(self.offset.saturating_add(1)))
    }

    fn next_object(&self, start: u64) -> State {
        if self.objects == 0 {
            return State::Checksum { left: HASH };
        }
        State::Object(ObjectHeader { start, kind: 0, size: 0, shift: 0 })
    }

    fn object(&mut self, mut object: ObjectHeader, byte: u8) -> Result<State, PushRefusal> {
        let too_large = || malformed("an object has an impossible size");
        if object.shift == 0 {
            object.kind = byte >> 4 & 7;
            object.size = u64::from(byte & 0x0f);
            object.shift = 4;
        } else {
            object.size = with_bits(object.size, byte & 0x7f, object.shift).ok_or_else(too_large)?;
            object.shift += 7;
        }
        if byte & 0x80 != 0 {
            return Ok(State::Object(object));
        }
        match object.kind {
            COMMIT | TAG => self.plain(object, Some(SmallKind::Commit)),
            TREE => self.plain(object, Some(SmallKind::Tree)),
            BLOB => self.plain(object, None),
            OFFSET_DELTA => Ok(State::Offset { object, distance: 0, is_first: true }),
            REF_DELTA => Ok(State::Base { object, left: HASH }),
            _ => Err(malformed("an object has no type")),
        }
    }

    fn distance(
        &mut self,
        object: ObjectHeader,
        distance: u64,
        is_first: bool,
        byte: u8,
    ) -> Result<State, PushRefusal> {
        let impossible = || malformed("a delta has an impossible base");
        let before = if is_first { 0 } else { distance.checked_add(1).ok_or_else(impossible)? };
        let shifted = before.checked_mul(0x80).ok_or_else(impossible)?;
        let distance = shifted | u64::from(byte & 0x7f);
        if byte & 0x80 != 0 {
            return Ok(State::Offset { object, distance, is_first: false });
        }
        let base = object.start.checked_sub(distance).filter(|_| distance > 0).ok_or_else(impossible)?;
        self.delta(object, self.kinds.get(base))
    }

    /// The content of an object that is stored whole begins.
    fn plain(&mut self, object: ObjectHeader, kind: Option<SmallKind>) -> Result<State, PushRefusal> {
        check_size(&self.limits, object.size, kind)?;
        self.remember(object.start, kind);
        self.add_unpacked(object.size)?;
        Ok(self.begin(object.size, None))
    }

    /// The content of a delta begins. Of a base that the pack names by its object name the type is not known here.
    fn delta(&mut self, object: ObjectHeader, kind: Option<SmallKind>) -> Result<State, PushRefusal> {
        check_size(&self.limits, object.size, kind)?;
        self.remember(object.start, kind);
        Ok(self.begin(object.size, Some(DeltaHeader { kind, base: None, value: 0, shift: 0 })))
    }

    fn begin(&mut self, size: u64, delta: Option<DeltaHeader>) -> State {
        self.inflate.reset(true);
        State::Content(Content { size, inflated: 0, delta })
    }

    fn remember(&mut self, start: u64, kind: Option<SmallKind>) {
        if let Some(kind) = kind {
            self.kinds.insert(start, kind);
        }
    }

    fn add_unpacked(&mut self, bytes: u64) -> Result<(), PushRefusal> {
        self.unpacked = self.unpacked.saturating_add(bytes);
        if self.unpacked > self.limits.unpacked {
            let text = format!("All objects of this push are larger than {} together", size(self.limits.unpacked));
            return Err(over(&text, "unpacked"));
        }
        Ok(())
    }

    fn add_grown(&mut self, bytes: u64) -> Result<(), PushRefusal> {
        self.grown = self.grown.saturating_add(bytes);
        let ratio = self.limits.unpack_ratio;
        let most = self.offset.saturating_mul(long(ratio)).saturating_add(RATIO_FREE);
        if self.grown > most {
            let text = format!("The objects of this push are more than {ratio} times as large as its pack");
            return Err(over(&text, "unpack_ratio"));
        }
        Ok(())
    }

    /// Inflates a part of an object's content, and yields how many bytes of the pack it has read.
    fn content(&mut self, mut content: Content, bytes: &[u8]) -> Result<usize, PushRefusal> {
        let (read_before, made_before) = (self.inflate.total_in(), self.inflate.total_out());
        let status = self
            .inflate
            .decompress(bytes, &mut self.scratch, FlushDecompress::None)
            .map_err(|_error| malformed("an object is not compressed with zlib"))?;
        // A thread that answers a request waits no longer than one part takes.
        std::thread::yield_now();
        let used = usize::try_from(self.inflate.total_in() - read_before).unwrap_or(usize::MAX);
        let made = usize::try_from(self.inflate.total_out() - made_before).unwrap_or(usize::MAX);
        content.inflated = content.inflated.saturating_add(long(made));
        if content.inflated > content.size {
            return Err(malformed("an object is longer than its header says"));
        }
        self.add_grown(long(made))?;
        if let Some(delta) = content.delta.take() {
            content.delta = self.delta_header(delta, content.size, made)?;
        }
        if status == Status::StreamEnd {
            if content.inflated < content.size || content.delta.is_some() {
                return Err(malformed("an object is shorter than its header says"));
            }
            self.objects = self.objects.saturating_sub(1);
            self.state = self.next_object(self.offset.saturating_add(long(used)));
        } else {
            if used == 0 && made == 0 {
                return Err(malformed("an object is not compressed with zlib"));
            }
            self.state = State::Content(content);
        }
        Ok(used)
    }

    /// Reads on in the sizes of a delta. Yields the delta if they are not complete.
    fn delta_header(
        &mut self,
        mut delta: DeltaHeader,
        length: u64,
        made: usize,
    ) -> Result<Option<DeltaHeader>, PushRefusal> {
        for index in 0..made {
            let Some(byte) = self.scratch.get(index).copied() else { break };
            let impossible = || malformed("a delta has an impossible size");
            delta.value = with_bits(delta.value, byte & 0x7f, delta.shift).ok_or_else(impossible)?;
            delta.shift += 7;
            if byte & 0x80 != 0 {
                continue;
            }
            let Some(base) = delta.base else {
                delta.base = Some(delta.value);
                (delta.value, delta.shift) = (0, 0);
                continue;
            };
            let result = delta.value;
            check_size(&self.limits, result, delta.kind)?;
            self.add_unpacked(result)?;
            // Bytes that neither the base nor the delta itself holds are made by copying a part more than once.
            self.add_grown(result.saturating_sub(base).saturating_sub(length))?;
            return Ok(None);
        }
        Ok(Some(delta))
    }
}

impl fmt::Debug for PackParser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PackParser").field("offset", &self.offset).field("state", &self.state).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
