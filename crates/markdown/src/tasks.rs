//! Task lists, counted.

use crate::document::lines;

/// The task-list items of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tasks {
    /// How many there are.
    pub count: i64,
    /// How many of them are ticked.
    pub completed: i64,
}

/// The task-list items in `text` outside code blocks. By lines and without parsing, because every issue of a list is
/// asked.
pub fn tasks(text: &str) -> Tasks {
    let mut tasks = Tasks::default();
    each(text, |_line, ticked| {
        tasks.count += 1;
        tasks.completed += i64::from(ticked);
    });
    tasks
}

/// The lines of a text that are task-list items, whole and in their order.
pub fn task_lines(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    each(text, |line, _ticked| found.push(line));
    found
}

/// Calls `found` with the line of each task-list item, and if it is ticked.
fn each<'t>(text: &'t str, mut found: impl FnMut(&'t str, bool)) {
    if !text.contains('[') {
        return;
    }
    let mut fence: Option<Fence> = None;
    // Below an item, indented lines are items of items; elsewhere they are code.
    let mut in_list = false;
    for line in lines(text) {
        let quoted = without_quotes(line);
        let content = quoted.trim_start_matches(BLANK);
        if let Some(open) = fence {
            fence = (!open.is_closed_by(content)).then_some(open);
            continue;
        }
        fence = Fence::opened_by(content);
        if fence.is_some() || content.is_empty() {
            continue;
        }
        let is_indented = quoted.starts_with('\t') || quoted.starts_with("    ");
        if is_indented && !in_list {
            continue;
        }
        match without_bullets(content) {
            Some(item) => {
                in_list = true;
                if let Some(ticked) = box_of(item) {
                    found(line, ticked);
                }
            }
            None => in_list &= quoted.starts_with(BLANK),
        }
    }
}

const BLANK: [char; 2] = [' ', '\t'];

/// An open block of code.
#[derive(Clone, Copy)]
struct Fence {
    sign: char,
    length: usize,
}

impl Fence {
    fn opened_by(content: &str) -> Option<Self> {
        let sign = content.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let behind = content.trim_start_matches(sign);
        let length = content.len() - behind.len();
        (length >= 3 && (sign == '~' || !behind.contains('`'))).then_some(Self { sign, length })
    }

    fn is_closed_by(self, content: &str) -> bool {
        let behind = content.trim_start_matches(self.sign);
        content.len() - behind.len() >= self.length && behind.trim().is_empty()
    }
}

/// `line` without the signs of the quotes that it stands in.
fn without_quotes(line: &str) -> &str {
    let mut rest = line;
    while let Some(behind) = rest.trim_start_matches(' ').strip_prefix('>') {
        rest = behind.strip_prefix(' ').unwrap_or(behind);
    }
    rest
}

/// The text behind the bullets or numbers of list items; `None` without any.
fn without_bullets(content: &str) -> Option<&str> {
    let mut item = None;
    let mut rest = content;
    loop {
        let number = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = rest.len() - number.len();
        let behind = match digits {
            0 => rest.strip_prefix(['-', '*', '+']),
            1..=9 => number.strip_prefix(['.', ')']),
            _ => None,
        };
        match behind {
            Some(behind) if behind.starts_with(BLANK) => rest = behind.trim_start_matches(BLANK),
            _ => return item,
        }
        item = Some(rest);
    }
}

/// True if the box at the start of an item is ticked; `None` without a box.
fn box_of(item: &str) -> Option<bool> {
    let (ticked, behind) = match item.get(..3)? {
        "[ ]" => (false, item.get(3..)?),
        "[x]" | "[X]" => (true, item.get(3..)?),
        _ => return None,
    };
    (behind.is_empty() || behind.starts_with(BLANK)).then_some(ticked)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::{Options, html};

    fn counted(text: &str) -> (i64, i64) {
        let tasks = tasks(text);
        (tasks.count, tasks.completed)
    }

    #[test]
    fn items_with_a_box_are_counted_as_they_are_shown() {
        let cases = [
            ("", (0, 0)),
            ("- [ ] a", (1, 0)),
            ("- [x] a\n- [X] b\n- [ ] c\n- d", (3, 2)),
            ("* [ ] a\r\n+ [x] b\r\n1. [x] c\n2) [ ] d", (4, 2)),
            ("- a\n  - [x] b\n    1. [ ] c\n\n      - [ ] d", (3, 1)),
            ("- a\n\n    - [x] b", (1, 1)),
            ("> - [x] a\n> > * [ ] b", (2, 1)),
            ("- - [x] a", (1, 1)),
            ("text\n- [x] a", (1, 1)),
            ("```\n- [x] a\n```\n- [ ] b", (1, 0)),
            ("~~~~\n- [x] a\n~~~\n```\n~~~~\n- [ ] b", (1, 0)),
            ("- a\n  ```\n  - [x] b\n  ```", (0, 0)),
            ("    - [x] code", (0, 0)),
            ("- [x]a\n- [y] a\n- [] a\n-[x] a\n- [xx] a\n[x] a", (0, 0)),
            ("- a [x] b\n`- [x] c`", (0, 0)),
        ];
        for (text, expected) in cases {
            assert_eq!(counted(text), expected, "{text:?}");
            let shown = html(text, &Options::of(""), &HashMap::new());
            let boxes = (shown.matches("<input").count(), shown.matches("checked").count());
            assert_eq!(boxes, (usize::try_from(expected.0).unwrap(), usize::try_from(expected.1).unwrap()), "{shown}");
        }
    }
}
