//! The list of commands of a push, and its push options: pkt-lines up to a flush.
//!
//! Less is accepted here than Git accepts, so that both agree on the place at which the pack begins. There are no
//! delimiter packets, no push certificates, and capabilities on the first command only.

use tenon_domain::limits::PushLimits;

use super::{PushRefusal, over, size};
use crate::pkt_line::{LONGEST_LINE, line_length};

/// Bytes of ref names that are kept for the report of a refusal. Refs beyond get no line of their own.
const KEPT_NAMES: usize = 64 << 10;
/// Hexadecimal digits of an object name.
const OID: usize = 40;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Commands,
    Options,
    Complete,
}

/// Reads the list in pieces of any size.
#[derive(Debug)]
pub(super) struct CommandParser {
    limits: PushLimits,
    stage: Stage,
    /// The line that is being received, with its length in front.
    line: Vec<u8>,
    /// How long it will be; 4 until the length is known.
    wanted: usize,
    size: u64,
    commands: usize,
    options: usize,
    capabilities: Capabilities,
    moves_objects: bool,
    names: Vec<Vec<u8>>,
    names_size: usize,
}

#[derive(Debug, Default)]
struct Capabilities {
    report: bool,
    side_band: bool,
    push_options: bool,
}

fn malformed(reason: &'static str) -> PushRefusal {
    PushRefusal::Malformed(reason)
}

impl CommandParser {
    pub(super) fn new(limits: &PushLimits) -> Self {
        Self {
            limits: limits.clone(),
            stage: Stage::Commands,
            line: Vec::new(),
            wanted: 4,
            size: 0,
            commands: 0,
            options: 0,
            capabilities: Capabilities::default(),
            moves_objects: false,
            names: Vec::new(),
            names_size: 0,
        }
    }

    /// Reads up to the end of the list, and yields how many bytes belonged to it.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Result<usize, PushRefusal> {
        let mut rest = bytes;
        while self.stage != Stage::Complete {
            let missing = self.wanted.saturating_sub(self.line.len()).min(rest.len());
            let (part, after) = rest.split_at_checked(missing).unwrap_or((rest, &[]));
            self.line.extend_from_slice(part);
            rest = after;
            self.size = self.size.saturating_add(u64::try_from(part.len()).unwrap_or(u64::MAX));
            if self.size > self.limits.commands_size {
                let text = format!("The list of refs of this push is larger than {}", size(self.limits.commands_size));
                return Err(over(&text, "commands_size"));
            }
            if self.line.len() < self.wanted {
                break;
            }
            self.packet()?;
        }
        Ok(bytes.len() - rest.len())
    }

    /// True if the list has ended.
    pub(super) fn is_complete(&self) -> bool {
        self.stage == Stage::Complete
    }

    /// True if a pack follows. None follows if there is no command, or if all of them delete.
    pub(super) fn expects_pack(&self) -> bool {
        self.moves_objects
    }

    /// `None` if the client wants no report. `true` if it wants the report in side bands.
    pub(super) fn reporting(&self) -> Option<bool> {
        self.capabilities.report.then_some(self.capabilities.side_band)
    }

    /// The first names of the list.
    pub(super) fn names(&self) -> &[Vec<u8>] {
        &self.names
    }

    fn packet(&mut self) -> Result<(), PushRefusal> {
        if self.line.len() == 4 {
            match line_length(&self.line).ok_or(malformed("a line has no length"))? {
                0 => {
                    self.line.clear();
                    self.stage = match self.stage {
                        Stage::Commands if self.commands > 0 && self.capabilities.push_options => Stage::Options,
                        Stage::Commands | Stage::Options | Stage::Complete => Stage::Complete,
                    };
                    return Ok(());
                }
                length @ 5..=LONGEST_LINE => {
                    self.wanted = length;
                    return Ok(());
                }
                4 => {}
                _ => return Err(malformed("a line has no length")),
            }
        }
        let line = std::mem::take(&mut self.line);
        self.wanted = 4;
        let payload = line.get(4..).unwrap_or_default();
        let payload = payload.strip_suffix(b"\n").unwrap_or(payload);
        match self.stage {
            Stage::Commands => self.command(payload)?,
            Stage::Options => self.option()?,
            Stage::Complete => {}
        }
        // The buffer is used again.
        self.line = line;
        self.line.clear();
        Ok(())
    }

    fn option(&mut self) -> Result<(), PushRefusal> {
        self.options += 1;
        if self.options > self.limits.options {
            return Err(over(&format!("This push has more than {} options", self.limits.options), "options"));
        }
        Ok(())
    }

    fn command(&mut self, line: &[u8]) -> Result<(), PushRefusal> {
        if let Some(oid) = line.strip_prefix(b"shallow ") {
            return if is_oid(oid) { Ok(()) } else { Err(malformed("a shallow line names no object")) };
        }
        let mut parts = line.splitn(2, |byte| *byte == 0);
        let (command, capabilities) = (parts.next().unwrap_or_default(), parts.next());
        let mut words = command.splitn(3, |byte| *byte == b' ');
        let (Some(old), Some(new), Some(name)) = (words.next(), words.next(), words.next()) else {
            return Err(malformed("a command is not an old object, a new object and a ref"));
        };
        if !is_oid(old) || !is_oid(new) || name.is_empty() {
            return Err(malformed("a command is not an old object, a new object and a ref"));
        }
        if let Some(capabilities) = capabilities {
            self.read_capabilities(capabilities)?;
        }
        self.commands += 1;
        self.moves_objects |= new.iter().any(|digit| *digit != b'0');
        if self.commands > self.limits.commands {
            return Err(over(&format!("This push moves more than {} refs", self.limits.commands), "commands"));
        }
        if self.names_size + name.len() <= KEPT_NAMES {
            self.names_size += name.len();
            self.names.push(name.to_owned());
        }
        Ok(())
    }

    fn read_capabilities(&mut self, text: &[u8]) -> Result<(), PushRefusal> {
        if self.commands > 0 || text.contains(&0) {
            return Err(malformed("capabilities belong to the first command"));
        }
        for word in text.split(u8::is_ascii_whitespace) {
            let name = word.split(|byte| *byte == b'=').next().unwrap_or_default();
            match name {
                b"report-status" | b"report-status-v2" => self.capabilities.report = true,
                b"side-band-64k" => self.capabilities.side_band = true,
                b"push-options" => self.capabilities.push_options = true,
                b"object-format" if word != b"object-format=sha1" => {
                    return Err(malformed("only object names of SHA-1 are supported"));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn is_oid(text: &[u8]) -> bool {
    text.len() == OID && text.iter().all(u8::is_ascii_hexdigit)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ZERO: &str = "0000000000000000000000000000000000000000";
    const ONE: &str = "1111111111111111111111111111111111111111";

    fn line(text: &str) -> Vec<u8> {
        format!("{:04x}{text}", text.len() + 4).into_bytes()
    }

    fn limits() -> PushLimits {
        PushLimits { commands: 3, options: 2, commands_size: 1000, ..PushLimits::default() }
    }

    /// The parser after these bytes, fed one by one and all at once with the same outcome; how many bytes were used.
    fn parsed(bytes: &[u8]) -> Result<(CommandParser, usize), PushRefusal> {
        let mut whole = CommandParser::new(&limits());
        let outcome = whole.feed(bytes);
        let mut single = CommandParser::new(&limits());
        let by_one: Result<usize, PushRefusal> = bytes.iter().map(|byte| single.feed(&[*byte])).sum();
        assert_eq!(outcome, by_one);
        outcome.map(|used| (whole, used))
    }

    fn create(name: &str, capabilities: &str) -> Vec<u8> {
        line(&format!("{ZERO} {ONE} refs/heads/{name}\0{capabilities}\n"))
    }

    #[test]
    fn the_list_ends_at_the_flush_or_after_the_options() {
        let plain = [create("a", " report-status side-band-64k"), b"0000PACK".to_vec()].concat();
        let (parser, used) = parsed(&plain).unwrap();
        assert_eq!((parser.is_complete(), parser.expects_pack(), used), (true, true, plain.len() - 4));
        assert_eq!((parser.reporting(), parser.names()), (Some(true), [b"refs/heads/a".to_vec()].as_slice()));
        let options =
            [create("a", "report-status push-options"), b"0000".to_vec(), line("ci.skip"), b"0000PACK".to_vec()];
        let (parser, used) = parsed(&options.concat()).unwrap();
        assert_eq!((parser.is_complete(), parser.reporting(), used), (true, Some(false), options.concat().len() - 4));
        let (parser, _) = parsed(&[create("a", "push-options"), b"0000".to_vec()].concat()).unwrap();
        assert!(!parser.is_complete(), "the options are missing");
    }

    #[test]
    fn no_pack_follows_deletions_or_nothing() {
        let delete = line(&format!("{ONE} {ZERO} refs/heads/a\0report-status"));
        let (parser, _) = parsed(&[delete, b"0000".to_vec()].concat()).unwrap();
        assert!(parser.is_complete() && !parser.expects_pack());
        let (parser, used) = parsed(b"0000").unwrap();
        assert!(parser.is_complete() && !parser.expects_pack() && used == 4);
        let shallow = [line(&format!("shallow {ONE}")), create("a", ""), b"0000".to_vec()].concat();
        assert!(parsed(&shallow).unwrap().0.expects_pack());
    }

    #[test]
    fn lists_over_a_limit_are_refused_with_the_name_of_the_limit() {
        let refused = |bytes: &[u8]| parsed(bytes).err().map(|refusal| refusal.to_string()).unwrap_or_default();
        let many: Vec<u8> = std::iter::repeat_n(line(&format!("{ZERO} {ONE} refs/heads/a")), 4).flatten().collect();
        assert_eq!(refused(&many), "This push moves more than 3 refs (limit push.commands).");
        let long = create(&"a".repeat(1000), "");
        assert_eq!(
            refused(&long),
            "The list of refs of this push is larger than 1000 bytes (limit push.commands_size)."
        );
        let options: Vec<u8> = std::iter::repeat_n(line("x"), 3).flatten().collect();
        let options = [create("a", "push-options"), b"0000".to_vec(), options].concat();
        assert_eq!(refused(&options), "This push has more than 2 options (limit push.options).");
    }

    #[test]
    fn what_git_might_read_in_another_way_is_refused() {
        let second = [create("a", ""), create("b", "push-options")].concat();
        let certificate = line("push-cert\0report-status");
        for bytes in [
            b"0001".as_slice(),
            b"0002",
            b"0003",
            b"+005x",
            b"fff1x",
            b"zzzz",
            b"0004",
            &second,
            &certificate,
            &line("hello"),
            &line(&format!("{ZERO} {ONE} ")),
            &create("a", "x\0push-options"),
            &create("a", "object-format=sha256"),
            &line(&format!("{ZERO} {ONE}")),
        ] {
            assert!(matches!(parsed(bytes), Err(PushRefusal::Malformed(_))), "{}", String::from_utf8_lossy(bytes));
        }
    }
}
