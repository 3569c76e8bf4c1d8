//! Directories that were read and may be needed again soon.

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use crate::error::GitError;
use crate::objects::{ObjectKind, Objects};
use crate::oid::Oid;

/// Bytes that are held. A directory that takes more than a quarter of them is read again each time.
const HELD: usize = 32 << 20;
/// Directories that are asked for before their answers are read.
const AT_ONCE: usize = 64;

/// The contents of directories. Those that were read first are forgotten first.
#[derive(Debug, Default)]
pub(super) struct Trees {
    held: HashMap<Oid, Rc<Vec<u8>>>,
    order: VecDeque<Oid>,
    bytes: usize,
}

impl Trees {
    /// The entries of a directory of at most `limit` bytes; none if the object is not there or no such directory. Git
    /// looks for objects that a push needs.
    pub(super) fn read(&mut self, objects: &mut Objects, id: Oid, limit: u64) -> Result<Rc<Vec<u8>>, GitError> {
        if let Some(found) = self.held.get(&id) {
            return Ok(Rc::clone(found));
        }
        let content = objects.small(id, limit)?;
        let content = content.filter(|(header, _)| header.kind == ObjectKind::Tree).and_then(|(_, content)| content);
        let content = Rc::new(content.unwrap_or_default());
        self.hold(id, Rc::clone(&content));
        Ok(content)
    }

    /// Reads directories ahead, of which each question then costs no waiting: as many as may be held.
    pub(super) fn prepare(&mut self, objects: &mut Objects, ids: &[Oid], limit: u64) -> Result<(), GitError> {
        let missing: Vec<Oid> = ids.iter().filter(|id| !self.held.contains_key(id)).copied().collect();
        let mut read = 0;
        for some in missing.chunks(AT_ONCE) {
            objects.each_small(some, limit, |id, found| {
                if let Some((header, Some(content))) = found
                    && header.kind == ObjectKind::Tree
                {
                    read += content.len();
                    self.hold(id, Rc::new(content));
                }
            })?;
            if read > HELD / 2 {
                break;
            }
        }
        Ok(())
    }

    fn hold(&mut self, id: Oid, content: Rc<Vec<u8>>) {
        if content.len() > HELD / 4 {
            return;
        }
        self.bytes += content.len();
        if let Some(before) = self.held.insert(id, content) {
            self.bytes -= before.len();
        } else {
            self.order.push_back(id);
        }
        while self.bytes > HELD {
            let Some(oldest) = self.order.pop_front() else { break };
            self.bytes -= self.held.remove(&oldest).map_or(0, |content| content.len());
        }
    }
}
