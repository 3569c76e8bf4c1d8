//! Inspecting the request of a push while it arrives, before Git reads any of it.
//!
//! The body of a request to `git-receive-pack` begins with a list of commands, each of which moves one ref. Then come
//! push options, if the client announced them, and a pack, unless all commands delete. [`PushInspector`] reads all
//! three without keeping them and refuses what is over a limit: Git would hold every command in memory, and unpack
//! every object whatever its size.

mod commands;
mod kinds;
mod pack;
mod report;

use tenon_domain::limits::PushLimits;

use commands::CommandParser;
use kinds::SmallKind;
use pack::PackParser;

/// The reason why a push is refused. The text is for the client.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PushRefusal {
    /// It is over a limit, which the text names.
    #[error("{0}")]
    OverLimit(String),
    /// It is not in the form that the protocol or the pack format requires.
    #[error("The push cannot be read: {0}.")]
    Malformed(&'static str),
}

/// Reads the body of a push in pieces of any size. Memory is bounded: a buffer for one line or one part of an object,
/// and two to three bytes for each commit, directory and tag.
#[derive(Debug)]
pub struct PushInspector {
    commands: CommandParser,
    pack: PackParser,
}

impl PushInspector {
    /// Nothing has been read.
    #[must_use]
    pub fn new(limits: &PushLimits) -> Self {
        Self { commands: CommandParser::new(limits), pack: PackParser::new(limits) }
    }

    /// Reads the next bytes. Inflates the objects in them, so it takes processor time in proportion to their unpacked
    /// size. After a refusal the inspector must not be fed again.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), PushRefusal> {
        let used = self.commands.feed(bytes)?;
        let rest = bytes.get(used..).unwrap_or_default();
        if rest.is_empty() {
            return Ok(());
        }
        if !self.commands.expects_pack() {
            return Err(PushRefusal::Malformed("there is data after the list of refs"));
        }
        self.pack.feed(rest)
    }

    /// True if everything has been read that belongs to the push. Over HTTP the body ends there; over SSH nothing marks
    /// the end.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.finish().is_ok()
    }

    /// Checks that the body may end here.
    pub fn finish(&self) -> Result<(), PushRefusal> {
        if !self.commands.is_complete() {
            return Err(PushRefusal::Malformed("the list of refs is incomplete"));
        }
        if self.commands.expects_pack() && !self.pack.is_complete() {
            return Err(PushRefusal::Malformed("the pack is incomplete"));
        }
        Ok(())
    }

    /// The answer in which the client's Git shows that the push is refused and why. `None` for a client that did not
    /// ask for a report or has not sent its first command completely.
    #[must_use]
    pub fn report(&self, reason: &str) -> Option<Vec<u8>> {
        self.commands.reporting().map(|side_band| report::report(side_band, self.commands.names(), reason))
    }
}

/// A refusal because of a limit.
fn over(text: &str, limit: &str) -> PushRefusal {
    PushRefusal::OverLimit(format!("{text} (limit push.{limit})."))
}

/// Checks an object's size against the limit of its type; `None` stands for a file.
fn check_size(limits: &PushLimits, bytes: u64, kind: Option<SmallKind>) -> Result<(), PushRefusal> {
    let (what, limit, name) = match kind {
        Some(SmallKind::Commit) => ("commit or tag", limits.commit, "commit"),
        Some(SmallKind::Tree) => ("directory", limits.tree, "tree"),
        None => ("file", limits.blob, "blob"),
    };
    if bytes > limit {
        return Err(over(&format!("A {what} in this push is larger than {}", size(limit)), name));
    }
    Ok(())
}

/// As [`check_size`], for an object of the type that Git calls so.
pub(crate) fn check_kind_and_size(limits: &PushLimits, kind: &str, bytes: u64) -> Result<(), PushRefusal> {
    let kind = match kind {
        "commit" | "tag" => Some(SmallKind::Commit),
        "tree" => Some(SmallKind::Tree),
        _ => None,
    };
    check_size(limits, bytes, kind)
}

/// A number of bytes in the largest unit that divides it.
fn size(bytes: u64) -> String {
    let units = [(30_u32, "GiB"), (20, "MiB"), (10, "KiB")];
    let whole = |shift: u32| bytes > 0 && bytes.trailing_zeros() >= shift;
    match units.into_iter().find(|(shift, _)| whole(*shift)) {
        Some((shift, unit)) => format!("{} {unit}", bytes >> shift),
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_shown_in_the_largest_unit_that_divides_them() {
        for (bytes, text) in
            [(2 << 30, "2 GiB"), (1 << 20, "1 MiB"), (1536, "1536 bytes"), (3 << 10, "3 KiB"), (0, "0 bytes")]
        {
            assert_eq!(size(bytes), text);
        }
    }
}
