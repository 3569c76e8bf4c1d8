//! A small text does not cost much.

use std::collections::HashMap;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use super::HERE;
use crate::{FileContext, closes, file_html, html, mentions, references, rewrite, tasks};

/// The text that is repeated, with the text before it.
const CASES: [(&str, &str); 45] = [
    ("", "["),
    ("", "]"),
    ("", "[]("),
    ("", "![]("),
    ("", "[a]("),
    ("", "[a](<b"),
    ("", "*a **a "),
    ("", "*_"),
    ("", "_a "),
    ("", "`"),
    ("", "`a``b"),
    ("", "<"),
    ("", "<a "),
    ("", "<!-- "),
    ("<div>\n", "<!-- "),
    ("<div>\n", "<b a='"),
    ("", "</"),
    ("", "&"),
    ("", "°"),
    ("```\n", "&"),
    ("![", "&"),
    ("", "\""),
    ("", "> "),
    ("", "- "),
    ("", "- a\n"),
    ("", "- [ ] a\n"),
    ("", "<div>"),
    ("", "<b>a\n\n"),
    ("<div><b title=x>", "<p>x</p>"),
    ("", "~~a "),
    ("", "~\""),
    ("", "%\""),
    ("", "@a/"),
    ("", "#1 "),
    ("[r]: /u\n", "#1 &num;1 "),
    ("| a |\n|---|\n", "| \\| #1 |\n"),
    ("", "https://git.example/a/b/issues/1 "),
    ("", "https://git.example"),
    ("", ":a"),
    ("", "Closes #1, "),
    ("", "# a\n"),
    ("", "![](//a) "),
    ("", "![![](//a)](//b) "),
    ("", "> ![](//a)"),
    ("", "<img src=//a>"),
];

fn text((before, repeated): (&str, &str), length: usize) -> String {
    format!("{before}{}", repeated.repeat(length / repeated.len()))
}

/// The processor time of this thread, in the shorter of two runs: other work of the machine has little part in it.
fn time(text: &str, work: impl Fn(&str)) -> Duration {
    let spent = || Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap();
    let run = |_| {
        let start = spent();
        work(text);
        spent().saturating_sub(start)
    };
    (0..2).map(run).min().unwrap()
}

/// Panics if four times the text costs more than eight times the work: quadratic work would cost sixteen times as much.
fn assert_linear(work: impl Fn(&str) + Copy) {
    for case in CASES {
        let quarter = time(&text(case, 6_000), work);
        let whole = time(&text(case, 24_000), work);
        assert!(whole < quarter * 8 + Duration::from_millis(20), "{case:?}: {quarter:?}, then {whole:?}");
    }
}

#[test]
fn rendering_takes_linear_time() {
    assert_linear(|text| drop(html(text, &HERE, &HashMap::new())));
}

#[test]
fn rendering_files_takes_linear_time() {
    let file = FileContext { pages: "/a/b/blob/main", raw: "/a/b/raw/main", folder: "doc", levels: 1, taken: &[] };
    assert_linear(|text| drop(file_html(text, &HERE, &HashMap::new(), &file)));
}

#[test]
fn finding_references_takes_linear_time() {
    assert_linear(|text| {
        references(text, &HERE);
        mentions(text);
        closes(text, &HERE);
        tasks(text);
        rewrite(text, |_| Some("#1".to_owned()));
    });
}

#[test]
fn a_small_text_does_not_become_a_large_table() {
    let columns = 2_000;
    let header = format!("|{}\n|{}\n", "a|".repeat(columns), "-|".repeat(columns));
    for row in ["b\n", "b\r\n", "b\r", "> b\n"] {
        let text = format!("{header}{}", row.repeat(10_000)).replace('\n', if row == "b\r" { "\r" } else { "\n" });
        assert!(html(&text, &HERE, &HashMap::new()).len() < 400_000, "{row:?}");
    }
    let table = format!("| a | b |\n|---|---|\n{}", "| c | d |\n".repeat(5_000));
    assert_eq!(html(&table, &HERE, &HashMap::new()).matches("<td>").count(), 10_000);
}
