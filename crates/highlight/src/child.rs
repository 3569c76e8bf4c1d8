//! The side of the child process: it answers requests until its input ends.

use std::io::{self, Read, Write};
use std::time::Duration;

use crate::highlighter::{Highlighter, TookTooLong};
use crate::wire::{Answer, Received, write_hello};

/// A moment by two clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// The time since any fixed moment.
    pub time: Duration,
    /// The processor time that this process has taken until then.
    pub work: Duration,
}

/// Answers the requests that come from `input`, one after the other, and writes nothing but answers to `output`. `now` yields
/// the present moment.
///
/// Ends without a failure if the input ends. Fails if either side of the connection fails, or if a request is malformed: the
/// rest of the input could not be understood.
pub fn serve(input: &mut impl Read, output: &mut impl Write, now: impl Fn() -> Moment) -> io::Result<()> {
    let mut highlighter = Highlighter::new();
    // Only now, so that the time of the first request is not spent on the list of syntaxes.
    write_hello(output)?;
    while let Some(received) = Received::read(input)? {
        let request = received.request()?;
        let begun = now();
        let mut has_worked = false;
        let is_over = || {
            let now = now();
            has_worked = now.work.saturating_sub(begun.work) >= request.work;
            has_worked || now.time.saturating_sub(begun.time) >= request.time
        };
        let answer = match highlighter.colours(request.text, request.language, is_over) {
            Ok(colours) => Answer::Colours(colours),
            Err(TookTooLong) if has_worked => Answer::TookTooLong,
            Err(TookTooLong) => Answer::WasHeldUp,
        };
        answer.write(output)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::class::Class;
    use crate::language::Language;
    use crate::wire::{Request, read_hello};

    fn request(text: &str) -> Request<'_> {
        let [work, time] = [800, 900].map(Duration::from_millis);
        Request { text, language: Language::OfFile("a.rs"), work, time }
    }

    const BEGINNING: Moment = Moment { time: Duration::ZERO, work: Duration::ZERO };

    #[test]
    fn requests_are_answered_in_order_until_the_input_ends() {
        let texts = ["fn first() {}", "", "// words"];
        let mut input = Vec::new();
        for text in texts {
            request(text).write(&mut input).unwrap();
        }
        let mut output = Vec::new();
        serve(&mut input.as_slice(), &mut output, || BEGINNING).unwrap();
        let mut output = output.as_slice();
        read_hello(&mut output).unwrap();
        let classes = texts.map(|text| match Answer::read(&mut output, text).unwrap() {
            Answer::Colours(colours) => colours.line(0).iter().map(|span| span.class()).collect::<Vec<_>>(),
            Answer::TookTooLong | Answer::WasHeldUp => panic!("{text}"),
        });
        assert_eq!(classes, [vec![Class::Keyword, Class::Function], vec![], vec![Class::Comment]]);
        assert!(output.is_empty(), "nothing else is written");
    }

    #[test]
    fn a_text_that_takes_too_long_is_given_up_and_the_next_one_is_answered() {
        let (slow, quick) = ("// line\n".repeat(100), "// line");
        let mut input = Vec::new();
        request(&slow).write(&mut input).unwrap();
        request(quick).write(&mut input).unwrap();
        // The part of the time in which the process has a processor, in percent.
        for (share, want) in
            [(100, Answer::TookTooLong), (90, Answer::TookTooLong), (80, Answer::WasHeldUp), (10, Answer::WasHeldUp)]
        {
            let moment = Cell::new(BEGINNING);
            let now = || {
                let Moment { time, work } = moment.get();
                let step = Duration::from_millis(100);
                moment.set(Moment { time: time + step, work: work + step * share / 100 });
                moment.get()
            };
            let mut output = Vec::new();
            serve(&mut input.as_slice(), &mut output, now).unwrap();
            let mut output = output.as_slice();
            read_hello(&mut output).unwrap();
            assert_eq!(Answer::read(&mut output, &slow).unwrap(), want, "{share} %");
            assert!(matches!(Answer::read(&mut output, quick).unwrap(), Answer::Colours(_)));
        }
    }

    #[test]
    fn a_malformed_request_ends_it() {
        let mut output = Vec::new();
        assert!(serve(&mut [3, 0, 0, 0, 9, 9, 9].as_slice(), &mut output, || BEGINNING).is_err());
        assert!(serve(&mut [255; 8].as_slice(), &mut output, || BEGINNING).is_err());
    }
}
