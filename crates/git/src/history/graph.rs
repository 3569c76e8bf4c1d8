//! The files of gitformat-commit-graph(5), which Git writes beside the objects: how commits follow each other, and when
//! they were made. Each is read part by part, so that a page of commits costs a few reads.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::bloom::{Filter, Key};
use super::{Unanswered, Walked};
use crate::oid::Oid;

/// How much of a file is read at once.
const BLOCK: u64 = 16 << 10;
/// More layers than this Git would have made into one.
const LAYERS: usize = 64;
/// Bytes of the list of layers.
const CHAIN: u64 = 16 << 10;
/// Stands for a parent that does not exist.
const NONE: u32 = 0x7000_0000;
/// Says that a number is a place in the list of further parents, or there that it is the last one.
const MARK: u32 = 0x8000_0000;
/// Parents that a commit has at most; one with more is left to Git.
const PARENTS: usize = 1000;

/// All layers, the oldest commits first. A commit is known by its place: that in its layer behind all layers before it.
pub(super) struct Graph {
    layers: Vec<Layer>,
}

/// The data of a commit in the graph.
pub(super) struct GraphCommit {
    pub(super) tree: Oid,
    pub(super) parents: Vec<u32>,
    pub(super) seconds: u64,
}

struct Layer {
    file: Blocks,
    /// The place of its first commit.
    first: u32,
    count: u32,
    /// The offset of each table in the file.
    fanout: u64,
    names: u64,
    commits: u64,
    further_parents: Option<u64>,
    filters: Option<Filters>,
}

/// The places of the filters of changed paths.
#[derive(Clone, Copy)]
struct Filters {
    index: u64,
    data: u64,
    hashes: u32,
}

impl Graph {
    /// The graph of the repository at this path; one without commits if none was written.
    pub(super) fn open(repository: &Path) -> Walked<Self> {
        let info = repository.join("objects/info");
        let mut graph = Self { layers: Vec::new() };
        if let Some(file) = opened(&info.join("commit-graph"))? {
            graph.push(file)?;
            return Ok(graph);
        }
        let folder = info.join("commit-graphs");
        let Some(chain) = opened(&folder.join("commit-graph-chain"))? else { return Ok(graph) };
        let mut text = vec![0; usize::try_from(chain.length.min(CHAIN)).unwrap_or_default()];
        chain.file.read_exact_at(&mut text, 0).map_err(|_error| Unanswered::Unsure)?;
        let text = std::str::from_utf8(&text).map_err(|_error| Unanswered::Unsure)?;
        for (number, line) in text.lines().enumerate() {
            let name: Oid = line.parse().map_err(|_error| Unanswered::Unsure)?;
            // Layers come and go while Git writes.
            let file = opened(&folder.join(format!("graph-{name}.graph")))?.ok_or(Unanswered::Unsure)?;
            if number >= LAYERS {
                return Err(Unanswered::Unsure);
            }
            graph.push(file)?;
        }
        Ok(graph)
    }

    fn push(&mut self, file: Blocks) -> Walked<()> {
        let layer = Layer::read(file, self.len(), self.layers.len())?;
        self.layers.push(layer);
        Ok(())
    }

    pub(super) fn len(&self) -> u32 {
        self.layers.last().map_or(0, |layer| layer.first.saturating_add(layer.count))
    }

    /// The place of a commit; `None` if it is not in the graph.
    pub(super) fn find(&mut self, id: Oid) -> Walked<Option<u32>> {
        for layer in self.layers.iter_mut().rev() {
            if let Some(place) = layer.find(id)? {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    pub(super) fn id(&mut self, place: u32) -> Walked<Oid> {
        let (layer, row) = self.layer(place)?;
        layer.file.bytes(layer.names + 20 * u64::from(row)).map(Oid::from_raw)
    }

    pub(super) fn commit(&mut self, place: u32) -> Walked<GraphCommit> {
        let (layer, row) = self.layer(place)?;
        let at = layer.commits + 36 * u64::from(row);
        let tree = Oid::from_raw(layer.file.bytes(at)?);
        let [one, two, high, low] = [20, 24, 28, 32].map(|column| layer.file.number(at + column));
        let (one, two) = (one?, two?);
        let mut parents = Vec::new();
        if one != NONE {
            parents.push(one);
        }
        if two & MARK != 0 {
            let mut at = layer.further_parents.ok_or(Unanswered::Unsure)? + 4 * u64::from(two & !MARK);
            loop {
                let parent = layer.file.number(at)?;
                parents.push(parent & !MARK);
                at += 4;
                if parent & MARK != 0 {
                    break;
                }
                if parents.len() > PARENTS {
                    return Err(Unanswered::Unsure);
                }
            }
        } else if two != NONE {
            parents.push(two);
        }
        // The other 30 bits of the first number say how far the commit is from the beginning.
        let seconds = u64::from(high? & 3) << 32 | u64::from(low?);
        Ok(GraphCommit { tree, parents, seconds })
    }

    /// True if it is certain that a commit does not change this path against its first parent.
    pub(super) fn leaves_alone(&mut self, place: u32, path: Key) -> Walked<bool> {
        let (layer, row) = self.layer(place)?;
        let Some(Filters { index, data, hashes }) = layer.filters else { return Ok(false) };
        let end = layer.file.number(index + 4 * u64::from(row))?;
        let start = match row.checked_sub(1) {
            Some(row) => layer.file.number(index + 4 * u64::from(row))?,
            None => 0,
        };
        let filter = Filter { bits: u64::from(end.checked_sub(start).ok_or(Unanswered::Unsure)?) * 8, hashes };
        for bit in filter.bits_of(path) {
            let [byte] = layer.file.bytes(data + u64::from(start) + bit / 8)?;
            if byte & (1 << (bit % 8)) == 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn layer(&mut self, place: u32) -> Walked<(&mut Layer, u32)> {
        let layer = self.layers.iter_mut().rev().find(|layer| layer.first <= place).ok_or(Unanswered::Unsure)?;
        let row = place - layer.first;
        if row < layer.count { Ok((layer, row)) } else { Err(Unanswered::Unsure) }
    }
}

impl Layer {
    /// Reads the places of the tables in a file. `first` commits and `before` layers come before it.
    fn read(mut file: Blocks, first: u32, before: usize) -> Walked<Self> {
        let [signature @ .., version, hash, tables, bases] = file.bytes::<8>(0)?;
        if signature != *b"CGPH" || version != 1 || hash != 1 || usize::from(bases) != before {
            return Err(Unanswered::Unsure);
        }
        let mut found = [None; 6];
        for number in 0..u64::from(tables) {
            let at = 8 + 12 * number;
            let name = file.bytes::<4>(at)?;
            let start = u64::from_be_bytes(file.bytes(at + 4)?);
            for (place, known) in found.iter_mut().zip([b"OIDF", b"OIDL", b"CDAT", b"EDGE", b"BIDX", b"BDAT"]) {
                if name == *known {
                    *place = Some(start);
                }
            }
        }
        let [Some(fanout), Some(names), Some(commits), further_parents, index, data] = found else {
            return Err(Unanswered::Unsure);
        };
        let count = file.number(fanout + 4 * 255)?;
        if first.checked_add(count).is_none_or(|len| len >= NONE) {
            return Err(Unanswered::Unsure);
        }
        let filters = match index.zip(data) {
            Some((index, data)) => {
                let (version, hashes) = (file.number(data)?, file.number(data + 4)?);
                // Both known versions are the same for paths of ASCII.
                let is_known = matches!(version, 1 | 2) && (1..=64).contains(&hashes);
                is_known.then_some(Filters { index, data: data + 12, hashes })
            }
            None => None,
        };
        Ok(Self { file, first, count, fanout, names, commits, further_parents, filters })
    }

    fn find(&mut self, id: Oid) -> Walked<Option<u32>> {
        let wanted = id.raw();
        let [leading, ..] = wanted;
        let mut low = match leading.checked_sub(1) {
            Some(before) => self.file.number(self.fanout + 4 * u64::from(before))?,
            None => 0,
        };
        let mut high = self.file.number(self.fanout + 4 * u64::from(leading))?.min(self.count);
        while low < high {
            let middle = low.midpoint(high);
            let name = self.file.bytes::<20>(self.names + 20 * u64::from(middle))?;
            match name.cmp(&wanted) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Ok(Some(self.first + middle)),
            }
        }
        Ok(None)
    }
}

/// A file of which only the needed blocks are read.
struct Blocks {
    file: File,
    length: u64,
    read: Vec<Option<Box<[u8]>>>,
}

/// `None` if there is no such file.
fn opened(path: &Path) -> Walked<Option<Blocks>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(_) => return Err(Unanswered::Unsure),
    };
    let length = file.metadata().as_ref().map(fs::Metadata::len).map_err(|_error| Unanswered::Unsure)?;
    let count = usize::try_from(length.div_ceil(BLOCK)).map_err(|_error| Unanswered::Unsure)?;
    Ok(Some(Blocks { file, length, read: vec![None; count] }))
}

impl Blocks {
    fn number(&mut self, at: u64) -> Walked<u32> {
        self.bytes(at).map(u32::from_be_bytes)
    }

    /// The bytes from there on; unsure behind the end of the file.
    fn bytes<const N: usize>(&mut self, at: u64) -> Walked<[u8; N]> {
        let mut bytes = [0; N];
        let (mut done, mut at) = (0, at);
        while let Some(left @ [_, ..]) = bytes.get_mut(done..) {
            let start = usize::try_from(at % BLOCK).unwrap_or_default();
            let rest = self.block(at / BLOCK)?.get(start..).unwrap_or_default();
            let count = rest.len().min(left.len());
            if count == 0 {
                return Err(Unanswered::Unsure);
            }
            for (to, from) in left.iter_mut().zip(rest) {
                *to = *from;
            }
            done += count;
            at += u64::try_from(count).unwrap_or_default();
        }
        Ok(bytes)
    }

    fn block(&mut self, number: u64) -> Walked<&[u8]> {
        let place = usize::try_from(number).ok().and_then(|number| self.read.get_mut(number));
        let place = place.ok_or(Unanswered::Unsure)?;
        if place.is_none() {
            let start = number * BLOCK;
            let size = usize::try_from(self.length.saturating_sub(start).min(BLOCK)).unwrap_or_default();
            let mut block = vec![0; size].into_boxed_slice();
            self.file.read_exact_at(&mut block, start).map_err(|_error| Unanswered::Unsure)?;
            *place = Some(block);
        }
        Ok(place.as_deref().unwrap_or_default())
    }
}
