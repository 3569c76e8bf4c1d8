//! The body of a request of Git: as it is sent, as it was received, and what can be wrong with it.

use std::fs::File;
use std::io;

use tenon_git::pkt_line::NoLength;
use tenon_git::pkt_line::asks_for_objects;
use tenon_git::push::PushRefusal;

use crate::core::spending::permits::Permit;

/// The encoding of a body, as `Content-Encoding` names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentEncoding {
    /// As it is.
    Identity,
    /// In gzip.
    Gzip,
}

/// A body that was received and may be given to Git.
pub(crate) struct Received {
    pub(crate) body: Body,
    /// Counts the bytes on disk; to be kept as long as the file is open.
    pub(crate) permit: Option<Permit>,
}

impl Received {
    /// True if it is a request to `upload-pack` for objects. A long one is: it says what the client has.
    pub(crate) fn asks_for_objects(&self) -> bool {
        match &self.body {
            Body::Memory(bytes) => asks_for_objects(bytes),
            Body::File(_) => true,
        }
    }

    /// True if it is but a flush packet: no ref to move, or nothing more to fetch.
    pub(crate) fn is_nothing(&self) -> bool {
        matches!(&self.body, Body::Memory(bytes) if bytes == b"0000")
    }
}

/// The bytes of a body.
pub(crate) enum Body {
    Memory(Vec<u8>),
    /// From the present position of the file.
    File(File),
}

/// The problem of a body.
#[derive(Debug)]
pub(crate) enum Problem {
    OverLimit(String),
    Malformed(String),
    Incomplete,
    Failed(io::Error),
}

impl From<PushRefusal> for Problem {
    fn from(refusal: PushRefusal) -> Self {
        match refusal {
            PushRefusal::OverLimit(text) => Self::OverLimit(text),
            PushRefusal::Malformed(_) => Self::Malformed(refusal.to_string()),
        }
    }
}

impl From<NoLength> for Problem {
    fn from(error: NoLength) -> Self {
        Self::Malformed(unreadable(error))
    }
}

/// The message for a client whose request has a line without a length.
pub(super) fn unreadable(error: NoLength) -> String {
    format!("The request cannot be read: {error}.")
}
