//! The messages of the server and its child process: frames of a length in four bytes and as many bytes.

use std::io::{self, ErrorKind, Read, Write};
use std::time::Duration;

use crate::class::Class;
use crate::colours::{Colours, Span};
use crate::language::Language;
use crate::{MAX_TEXT, VERSION};

/// The most bytes of the name of a file or a language. Of a longer name, the end counts.
const MAX_NAME: usize = 255;
/// The most bytes of a request: a text, a name, and a few numbers.
const MAX_REQUEST: usize = MAX_TEXT + MAX_NAME + 16;
/// The most bytes of an answer: a span for each byte, or a line for each byte.
const MAX_ANSWER: usize = MAX_TEXT * 6 + 16;
/// The most bytes of the message of a process at its start.
const MAX_HELLO: usize = 256;
/// The beginning of that message.
const GREETING: &str = "tenon-highlight ";

/// A text whose colours are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request<'a> {
    /// The text. One of more than [`MAX_TEXT`] bytes cannot be sent.
    pub text: &'a str,
    /// Its language.
    pub language: Language<'a>,
    /// The processor time that finding the colours may take. The process notices between two lines that it is over.
    pub work: Duration,
    /// The time that it may take in all, which is longer if the machine is busy.
    pub time: Duration,
}

/// The answer about a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Its colours.
    Colours(Colours),
    /// There are none, because it took more processor time than it may.
    TookTooLong,
    /// There are none, because the time was over before the process had worked for as long as it may. The machine is busy, and
    /// the colours may be found the next time.
    WasHeldUp,
}

/// Writes the message of a process at its start: that it is a highlighter, and of which version.
pub(crate) fn write_hello(to: &mut impl Write) -> io::Result<()> {
    write_frame(to, format!("{GREETING}{VERSION}").as_bytes())
}

/// Reads the message of a process at its start. Fails if it is no highlighter, or one of another version than this program.
pub fn read_hello(from: &mut impl Read) -> io::Result<()> {
    let said = read_frame(from, MAX_HELLO)?.ok_or(ErrorKind::UnexpectedEof)?;
    if said.strip_prefix(GREETING.as_bytes()) == Some(VERSION.as_bytes()) {
        return Ok(());
    }
    Err(io::Error::new(ErrorKind::InvalidData, "this is no highlighter of the same version"))
}

impl Request<'_> {
    /// The frame of the request. Fails if the text is too long.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let (kind, name) = match self.language {
            Language::OfFile(name) => (0, name),
            Language::Named(name) => (1, name),
        };
        // The end of a name says more than its beginning.
        let name = name.get(name.ceil_char_boundary(name.len().saturating_sub(MAX_NAME))..).unwrap_or_default();
        let mut body = Vec::with_capacity(self.text.len() + name.len() + 16);
        body.push(kind);
        for limit in [self.work, self.time] {
            body.extend_from_slice(&u32::try_from(limit.as_millis()).unwrap_or(u32::MAX).to_le_bytes());
        }
        body.push(u8::try_from(name.len()).map_err(|_too_long| io::Error::from(ErrorKind::InvalidInput))?);
        body.extend_from_slice(name.as_bytes());
        body.extend_from_slice(self.text.as_bytes());
        if body.len() > MAX_REQUEST {
            return Err(ErrorKind::InvalidInput.into());
        }
        write_frame(to, &body)
    }
}

/// The bytes of a request, as they were received.
pub(crate) struct Received(Vec<u8>);

impl Received {
    /// The next request; `None` if the other side has ended. Fails if the input is no request, or is too long.
    pub(crate) fn read(from: &mut impl Read) -> io::Result<Option<Self>> {
        Ok(read_frame(from, MAX_REQUEST)?.map(Self))
    }

    /// The request. Fails if it is malformed.
    pub(crate) fn request(&self) -> io::Result<Request<'_>> {
        let mut rest = self.0.as_slice();
        let kind = number::<1>(&mut rest)?;
        let work = u32::from_le_bytes(number(&mut rest)?);
        let time = u32::from_le_bytes(number(&mut rest)?);
        let length = number::<1>(&mut rest)?;
        let (name, text) = rest.split_at_checked(u8::from_le_bytes(length).into()).ok_or_else(malformed)?;
        let name = std::str::from_utf8(name).map_err(malformed_by)?;
        Ok(Request {
            text: std::str::from_utf8(text).map_err(malformed_by)?,
            language: match kind {
                [0] => Language::OfFile(name),
                [1] => Language::Named(name),
                _ => return Err(malformed()),
            },
            work: Duration::from_millis(work.into()),
            time: Duration::from_millis(time.into()),
        })
    }
}

impl Answer {
    /// The frame of the answer.
    pub(crate) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let colours = match self {
            Self::Colours(colours) => colours,
            Self::TookTooLong => return write_frame(to, &[1]),
            Self::WasHeldUp => return write_frame(to, &[2]),
        };
        let mut body = vec![0];
        for number in 0..colours.lines() {
            let line = colours.line(number);
            // A line with colours has 4,000 bytes at most.
            body.extend_from_slice(&u16::try_from(line.len()).unwrap_or(u16::MAX).to_le_bytes());
            for span in line {
                let [start, end] = [span.start(), span.end()].map(|at| u16::try_from(at).unwrap_or(u16::MAX));
                body.extend_from_slice(&start.to_le_bytes());
                body.extend_from_slice(&end.to_le_bytes());
                body.push(span.class().number());
            }
        }
        write_frame(to, &body)
    }

    /// Reads the answer about `text`. Fails if the other side has ended, if the input is no answer, or if it is none about this
    /// text. A result is therefore safe to use with the text.
    pub fn read(from: &mut impl Read, text: &str) -> io::Result<Self> {
        let body = read_frame(from, MAX_ANSWER)?.ok_or(ErrorKind::UnexpectedEof)?;
        let mut rest = body.as_slice();
        match number::<1>(&mut rest)? {
            [0] => {}
            [1] if rest.is_empty() => return Ok(Self::TookTooLong),
            [2] if rest.is_empty() => return Ok(Self::WasHeldUp),
            _ => return Err(malformed()),
        }
        let mut colours = Colours::default();
        while !rest.is_empty() {
            let count = u16::from_le_bytes(number(&mut rest)?);
            let line = (0..count).map(|_| span(&mut rest)).collect::<io::Result<Vec<_>>>()?;
            colours.push(line);
        }
        let colours = colours.finish();
        if colours.fit(text) { Ok(Self::Colours(colours)) } else { Err(malformed()) }
    }
}

fn span(rest: &mut &[u8]) -> io::Result<Span> {
    let start = u16::from_le_bytes(number(rest)?);
    let end = u16::from_le_bytes(number(rest)?);
    let [class] = number(rest)?;
    let class = Class::of_number(class).ok_or_else(malformed)?;
    Span::new(start.into(), end.into(), class).ok_or_else(malformed)
}

/// The next bytes of a frame.
fn number<const N: usize>(rest: &mut &[u8]) -> io::Result<[u8; N]> {
    let (bytes, behind) = rest.split_first_chunk().ok_or_else(malformed)?;
    *rest = behind;
    Ok(*bytes)
}

fn malformed() -> io::Error {
    io::Error::new(ErrorKind::InvalidData, "a malformed frame")
}

fn malformed_by(cause: std::str::Utf8Error) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, cause)
}

fn write_frame(to: &mut impl Write, body: &[u8]) -> io::Result<()> {
    let length = u32::try_from(body.len()).map_err(|_too_long| io::Error::from(ErrorKind::InvalidInput))?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(body)?;
    to.flush()
}

/// The body of the next frame; `None` if there is none. Fails if it has more than `most` bytes, so that a wrong length takes no
/// memory.
fn read_frame(from: &mut impl Read, most: usize) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0];
    loop {
        match from.read(&mut length) {
            Ok(0) => return Ok(None),
            Ok(_) => break,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let [first] = length;
    let mut others = [0; 3];
    from.read_exact(&mut others)?;
    let [second, third, fourth] = others;
    let length = usize::try_from(u32::from_le_bytes([first, second, third, fourth])).unwrap_or(usize::MAX);
    if length > most {
        return Err(malformed());
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    Ok(Some(body))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn request<'a>(text: &'a str, language: Language<'a>) -> Request<'a> {
        Request { text, language, work: Duration::ZERO, time: Duration::ZERO }
    }

    fn sent(request: Request<'_>) -> Vec<u8> {
        let mut bytes = Vec::new();
        request.write(&mut bytes).unwrap();
        bytes
    }

    fn colours(lines: &[&[(usize, usize, Class)]]) -> Colours {
        let mut colours = Colours::default();
        for line in lines {
            colours.push(line.iter().map(|(start, end, class)| Span::new(*start, *end, *class).unwrap()));
        }
        colours.finish()
    }

    #[test]
    fn a_request_arrives_as_it_was_sent() {
        let [work, time] = [800, 900].map(Duration::from_millis);
        for language in [Language::OfFile("a.rs"), Language::Named("rust"), Language::OfFile("")] {
            let request = Request { text: "fn ä() {}\n", language, work, time };
            let received = Received::read(&mut sent(request).as_slice()).unwrap().unwrap();
            assert_eq!(received.request().unwrap(), request);
        }
        assert!(Received::read(&mut [].as_slice()).unwrap().is_none());
    }

    #[test]
    fn of_a_long_name_the_end_is_sent() {
        let name = format!("{}.rs", "ä".repeat(200));
        let received = Received::read(&mut sent(request("", Language::OfFile(&name))).as_slice()).unwrap().unwrap();
        let Language::OfFile(short) = received.request().unwrap().language else { panic!() };
        assert!(name.ends_with(short) && short.len() == 255, "{short}");
    }

    #[test]
    fn a_text_that_is_too_long_cannot_be_sent() {
        let text = "x".repeat(MAX_TEXT + 1024);
        assert!(request(&text, Language::OfFile("a")).write(&mut Vec::new()).is_err());
    }

    #[test]
    fn an_answer_arrives_as_it_was_sent() {
        let text = "fn ä() {}\n\n\"x\"\n";
        let found = colours(&[&[(0, 2, Class::Keyword), (3, 5, Class::Function)], &[], &[(0, 3, Class::String)]]);
        let colours = [found, Colours::default()].map(Answer::Colours);
        for answer in colours.into_iter().chain([Answer::TookTooLong, Answer::WasHeldUp]) {
            let mut bytes = Vec::new();
            answer.write(&mut bytes).unwrap();
            assert_eq!(Answer::read(&mut bytes.as_slice(), text).unwrap(), answer);
        }
    }

    #[test]
    fn an_answer_about_another_text_is_refused() {
        let mut bytes = Vec::new();
        Answer::Colours(colours(&[&[(0, 3, Class::Keyword)]])).write(&mut bytes).unwrap();
        assert!(Answer::read(&mut bytes.as_slice(), "let").is_ok());
        for other in ["", "le", "leä", "\nlet"] {
            assert!(Answer::read(&mut bytes.as_slice(), other).is_err(), "{other:?}");
        }
    }

    #[test]
    fn a_frame_that_claims_to_be_larger_than_any_is_refused() {
        let huge = u32::MAX.to_le_bytes();
        assert!(Received::read(&mut huge.as_slice()).is_err());
        assert!(Answer::read(&mut huge.as_slice(), "").is_err());
        assert!(read_hello(&mut huge.as_slice()).is_err());
    }

    #[test]
    fn another_program_or_version_is_noticed() {
        let hello = |text: &str| {
            let mut bytes = Vec::new();
            write_frame(&mut bytes, text.as_bytes()).unwrap();
            read_hello(&mut bytes.as_slice())
        };
        assert!(hello(&format!("tenon-highlight {VERSION}")).is_ok());
        for other in ["", "tenon-highlight 0", VERSION, "usage: tenon"] {
            assert!(hello(other).is_err(), "{other}");
        }
        assert!(read_hello(&mut "usage: tenon".as_bytes()).is_err());
    }

    proptest! {
        #[test]
        fn whatever_comes_is_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200), text in ".{0,20}") {
            let mut frame = u32::try_from(bytes.len()).unwrap().to_le_bytes().to_vec();
            frame.extend_from_slice(&bytes);
            if let Ok(Answer::Colours(colours)) = Answer::read(&mut frame.as_slice(), &text) {
                prop_assert!(colours.fit(&text));
            }
            if let Ok(Some(received)) = Received::read(&mut frame.as_slice()) {
                drop(received.request());
            }
        }
    }
}
