//! The work that a text costs grows with its length, whatever it is made of: all pairs and triples of the constructs of
//! Markdown, GFM, the incumbent's Markdown and our own references.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use super::HERE;
use crate::{FileContext, Names, file_html, html};

/// The texts that take part in pairs of all kinds.
#[rustfmt::skip]
const TOKENS: [&str; 90] = [
    "a", " ", "\t", "    ", "\n", "\n\n", "\r", "é", "\u{202e}", "\0", "\\", "<", ">", "<http://a", "http://", "http://a",
    "https://git.example/a/b/issues/1", "https://git.example", "www.", "www.a", "a@b.c", "<a@b.c>", "mailto:", "://", "@user", "/",
    "group/project#1", "#1", "!1", "~\"", "%\"", "~bug", "ABC-1", "Closes ", "[", "]", "](", "](/u)", "](//a)", "](<", "![", "[a]", "[a]: ",
    "\n[a]: /u\n", "[^a]", "\n[^a]: ", "^[", "(", ")", "*", "**", "_", "~", "~~", "`", "``", "\n```\n", "\n~~~\n", "\n```math\n", "|",
    "\n|a|b|\n|-|-|\n", "-|", "&", "&#1;", "&amp;", ";", ":", ":smile:", "$", "$$", "$`", "`$", "\\(", "<b>", "</b>", "<b ", "<a name=b>",
    "<a href='", "<img src=//a>", "<!--", "<?", "<![CDATA[", "\n<div>\n", "\n</div>\n", "\"", "\n> ", "\n> [!NOTE]\n> ", "\n- ", "- [ ] ", "\n# ",
];

/// The texts that take part in triples: one of each kind.
const FEW: [&str; 15] = ["a", "\n", "<", ">", "http://a", "a@b.c", "#1", "[", "](", "*", "`", "|", "&#", "$", "<b>"];

/// Texts that were quadratic once, with the text before them.
const FOUND_BEFORE: [(&str, &str); 8] = [
    ("", "<http://a"),
    ("", "http://a<"),
    ("", "www.a<"),
    ("", ">"),
    ("", "$`'"),
    ("", "[^a]"),
    ("[^a]: b\n\n", "[^a]"),
    ("", "$a"),
];

/// The openings and the ends of elements: each as often as the other.
const NESTED: [(&str, &str); 6] =
    [("![", "](//a)"), ("![", "](a:)"), ("[", "](//a)"), ("![a ", "](/u)"), ("<b>", "</b>"), ("**a ", " a**")];

/// True if all combinations are to be tried, at lengths that texts have. That takes hours.
fn is_thorough() -> bool {
    std::env::var("TENON_TEST_TEXTS").is_ok_and(|value| value == "all")
}

/// A text of any length.
struct Shape {
    name: String,
    /// The text before the rest, once or for half of the text.
    before: String,
    is_half: bool,
    repeated: String,
}

impl Shape {
    fn repeating(parts: &[&str]) -> Self {
        Self {
            name: format!("{parts:?} again and again"),
            before: String::new(),
            is_half: false,
            repeated: parts.concat(),
        }
    }

    fn text(&self, length: usize) -> String {
        let times = |length: usize, text: &str| text.repeat((length / text.len()).max(1));
        match (self.is_half, self.before.as_str()) {
            (true, before) => {
                let count = (length / (before.len() + self.repeated.len())).max(1);
                before.repeat(count) + &self.repeated.repeat(count)
            }
            (false, before) => before.to_owned() + &times(length, &self.repeated),
        }
    }

    /// The processor time of this thread, in the shortest of so many runs: other work of the machine has little part in
    /// it.
    fn time(&self, length: usize, runs: usize) -> Duration {
        let text = self.text(length);
        let spent = || Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap();
        let run = |_| {
            let start = spent();
            drop(html(&text, &HERE, &HashMap::new()));
            spent().saturating_sub(start)
        };
        (0..runs).map(run).min().unwrap()
    }

    /// The fault in its growth. A text that is slow in one short run is measured again, better and longer, before it
    /// counts. Four times the text may cost eight times the work; quadratic work would cost sixteen times as much.
    fn fault(&self, [short, long]: [usize; 2]) -> Option<String> {
        let (less, more) = (self.time(short, 1), self.time(long, 1));
        let times = u32::try_from(long / short).unwrap();
        if more < less * (times + times / 2) + Duration::from_millis(1) {
            return None;
        }
        let mut measured = Vec::new();
        for length in [25_000, 100_000, 400_000] {
            let (less, more) = (self.time(length, 2), self.time(length * 4, 2));
            measured.push((length, less, more));
            if more < less * 8 {
                return None;
            }
            if more > Duration::from_secs(2) {
                break;
            }
        }
        Some(format!("{}: {measured:?}", self.name))
    }
}

/// Panics if the work of one of them grows faster than its text.
fn assert_all_grow_linearly(shapes: Vec<Shape>, lengths: [usize; 2]) {
    let (shapes, faults) = (Mutex::new(shapes), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..threads.min(4) {
            scope.spawn(|| {
                loop {
                    let Some(shape) = shapes.lock().unwrap().pop() else { break };
                    if let Some(fault) = shape.fault(lengths) {
                        faults.lock().unwrap().push(fault);
                    }
                }
            });
        }
    });
    let faults = faults.into_inner().unwrap();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Pairs in turns, one token once before another, and one as often as another.
#[test]
fn the_work_of_all_pairs_grows_with_the_text() {
    let mut turns = Vec::new();
    let mut others = Vec::new();
    for (place, first) in TOKENS.iter().enumerate() {
        for (other, second) in TOKENS.iter().enumerate() {
            // The other way around is the same text but for its ends.
            if place <= other {
                turns.push(Shape::repeating(&[first, second]));
            }
            let (before, repeated) = ((*first).to_owned(), (*second).to_owned());
            // Half of the pairs each: openings and ends are in both halves.
            others.push(if (place + other).is_multiple_of(2) {
                Shape { name: format!("{first:?}, then {second:?}"), before, is_half: false, repeated }
            } else {
                Shape { name: format!("as often {first:?} as {second:?}"), before, is_half: true, repeated }
            });
        }
    }
    let [in_turns, of_others] = if is_thorough() { [[6_000, 96_000]; 2] } else { [[600, 4_800], [300, 2_400]] };
    assert_all_grow_linearly(turns, in_turns);
    assert_all_grow_linearly(others, of_others);
    let alone = TOKENS.map(|token| Shape::repeating(&[token]));
    assert_all_grow_linearly(Vec::from(alone), [6_000, 100_000]);
}

/// Those of a few tokens, or with `TENON_TEST_TEXTS=all` of all.
#[test]
fn the_work_of_triples_grows_with_the_text() {
    let tokens = if is_thorough() { &TOKENS[..] } else { &FEW[..] };
    let mut shapes = Vec::new();
    for (place, first) in tokens.iter().enumerate() {
        for second in &tokens[place..] {
            for third in &tokens[place..] {
                shapes.push(Shape::repeating(&[first, second, third]));
            }
        }
    }
    assert_all_grow_linearly(shapes, [600, 4_800]);
}

#[test]
fn what_was_quadratic_once_is_linear_up_to_the_longest_text() {
    let shape = |(before, repeated): (&str, &str)| Shape {
        name: format!("{before:?}, then {repeated:?}"),
        before: before.to_owned(),
        is_half: false,
        repeated: repeated.to_owned(),
    };
    let nested = |(opens, closes): (&str, &str)| Shape {
        name: format!("as often {opens:?} as {closes:?}"),
        before: opens.to_owned(),
        is_half: true,
        repeated: closes.to_owned(),
    };
    for shape in FOUND_BEFORE.map(shape).into_iter().chain(NESTED.map(nested)) {
        let (less, more) = (shape.time(125_000, 1), shape.time(1_000_000, 1));
        assert!(more < less * 20, "{}: {less:?}, then {more:?}", shape.name);
    }
}

#[test]
fn what_is_found_and_files_grow_with_the_text() {
    let file = FileContext { pages: "/a/b/blob/main", raw: "/a/b/raw/main", folder: "doc", levels: 1, taken: &[] };
    let spent = || Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap();
    for token in TOKENS {
        let time = |length: usize| {
            let text = token.repeat(length / token.len());
            let run = |_| {
                let start = spent();
                drop(file_html(&text, &HERE, &HashMap::new(), &file));
                drop(Names::of(&text, &HERE).map(|names| names.rewritten(&text, |_| Some("#1".to_owned()))));
                spent().saturating_sub(start)
            };
            (0..2).map(run).min().unwrap()
        };
        let (less, more) = (time(6_000), time(24_000));
        assert!(more < less * 8 + Duration::from_millis(20), "{token:?}: {less:?}, then {more:?}");
    }
}
