//! The boxes of task lists: their places in a text, and their form on a page.

use std::collections::HashSet;

use comrak::Arena;
use comrak::nodes::NodeValue;

use crate::document::Document;
use crate::{Ends, Options};

/// A box of a task list in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TaskBox {
    /// The byte between its brackets.
    at: usize,
    is_ticked: bool,
}

/// A text with a task list whose boxes are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskList<'t> {
    text: &'t str,
    boxes: Vec<TaskBox>,
}

impl<'t> TaskList<'t> {
    /// The boxes of a text, in its order. None if there are none, if their places are in doubt, or if finding them
    /// takes too long.
    #[must_use]
    pub fn of(text: &'t str, ends: Ends<'_>) -> Option<Self> {
        if !text.contains('[') {
            return None;
        }
        let starts = line_starts(text);
        let arena = Arena::new();
        let document = Document::parse(&arena, text, &Options { ends, ..Options::of("") }).ok()?;
        let mut boxes = Vec::new();
        for node in document.root.descendants() {
            let data = node.data();
            match &data.value {
                NodeValue::TaskItem(item) => {
                    let place = item.symbol_sourcepos.start;
                    let at = starts.get(place.line.checked_sub(1)?)?.checked_add(place.column.checked_sub(1)?)?;
                    let is_ticked = match text.get(at.checked_sub(1)?..at + 2)? {
                        "[ ]" => false,
                        "[x]" | "[X]" => true,
                        _ => return None,
                    };
                    boxes.push(TaskBox { at, is_ticked });
                }
                // They are shown behind the text, in another order.
                NodeValue::FootnoteDefinition(_) => return None,
                _ => {}
            }
        }
        boxes.is_sorted_by_key(|one| one.at).then_some(Self { text, boxes }).filter(|list| !list.boxes.is_empty())
    }

    /// The text with empty boxes. It is the same for texts that differ in their ticks only.
    #[must_use]
    pub fn without_ticks(&self) -> String {
        self.with(|_, _| false)
    }

    /// The text with these boxes ticked and not ticked. Boxes are counted from 1. None if there is no such box.
    #[must_use]
    pub fn ticked(&self, on: &[usize], off: &[usize]) -> Option<String> {
        let is_one = |number: &usize| (1..=self.boxes.len()).contains(number);
        if !on.iter().chain(off).all(is_one) {
            return None;
        }
        let (on, off): (HashSet<usize>, HashSet<usize>) = (on.iter().copied().collect(), off.iter().copied().collect());
        let changed = |number: usize, is_ticked: bool| (is_ticked || on.contains(&number)) && !off.contains(&number);
        Some(self.with(changed))
    }

    fn with(&self, is_ticked: impl Fn(usize, bool) -> bool) -> String {
        let mut text = self.text.as_bytes().to_vec();
        for (place, one) in self.boxes.iter().enumerate() {
            let is_to_be = is_ticked(place + 1, one.is_ticked);
            if let Some(sign) = text.get_mut(one.at).filter(|_| is_to_be != one.is_ticked) {
                *sign = if is_to_be { b'x' } else { b' ' };
            }
        }
        // Signs of one byte were exchanged for others of one byte.
        String::from_utf8(text).unwrap_or_else(|_| self.text.to_owned())
    }

    /// The numbers of the ticked boxes.
    pub fn numbers(&self) -> impl Iterator<Item = usize> {
        self.boxes.iter().zip(1..).filter(|(one, _)| one.is_ticked).map(|(_, number)| number)
    }

    /// True if the HTML of the text, as [`crate::html()`] makes it, has exactly these boxes.
    #[must_use]
    pub fn is_shown_in(&self, html: &str) -> bool {
        let fields = tags(html).filter(|(_, tag)| tag.starts_with(INPUT));
        let shown = fields.map(|(_, tag)| tag.contains(" checked=\"\""));
        shown.eq(self.boxes.iter().map(|one| one.is_ticked))
    }
}

/// The beginning of a box in HTML of this crate, which has no other fields.
const INPUT: &str = "<input ";

/// HTML of this crate with boxes that can be ticked. They belong to the form of this id, as its list `tasks`.
#[must_use]
pub fn with_boxes(html: &str, form: &str) -> String {
    let mut page = String::with_capacity(html.len() + 256);
    let (mut written, mut number) = (0, 0_usize);
    for (at, tag) in tags(html) {
        if let Some(attributes) = tag.strip_prefix(INPUT) {
            number += 1;
            page.push_str(html.get(written..at).unwrap_or_default());
            let attributes = attributes.replace(" disabled=\"\"", "").replace("disabled=\"\" ", "");
            page.push_str(&format!("{INPUT}name=\"tasks[]\" value=\"{number}\" form=\"{form}\" {attributes}"));
            written = at + tag.len();
        }
    }
    page.push_str(html.get(written..).unwrap_or_default());
    page
}

/// The tags of HTML, with their places. A `<` in the value of an attribute begins none.
fn tags(html: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from + html.get(from..)?.find('<')?;
        let mut is_quoted = false;
        let end = html.get(at..)?.bytes().position(|byte| {
            is_quoted ^= byte == b'"';
            byte == b'>' && !is_quoted
        });
        from = end.map_or(html.len(), |end| at + end + 1);
        html.get(at..from).map(|tag| (at, tag))
    })
}

/// The bytes at which lines begin, as the parser ends them.
fn line_starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let is_end = |at: usize| match bytes.get(at) {
        Some(b'\n') => true,
        Some(b'\r') => bytes.get(at + 1) != Some(&b'\n'),
        _ => false,
    };
    std::iter::once(0).chain((0..bytes.len()).filter(|at| is_end(*at)).map(|at| at + 1)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::html;

    fn list(text: &str) -> TaskList<'_> {
        TaskList::of(text, Ends::NEVER).expect("a task list")
    }

    #[test]
    fn boxes_are_ticked_in_the_text_that_shows_them() {
        let text = "\u{e4} [x] no\n\n> - [ ] one\n>   - [X] two\r\n\n```\n- [ ] code\n```\n1. [ ] three";
        let tasks = list(text);
        assert_eq!(tasks.numbers().collect::<Vec<_>>(), [2]);
        let shown = html(text, &Options::of(""), &HashMap::new());
        assert!(tasks.is_shown_in(&shown) && !tasks.is_shown_in(&shown.replacen(" checked=\"\"", "", 1)), "{shown}");
        let changed = tasks.ticked(&[1, 2, 3], &[2]).unwrap();
        assert_eq!(changed, text.replace("[ ] one", "[x] one").replace("[X]", "[ ]").replace("[ ] three", "[x] three"));
        assert_eq!(list(&changed).without_ticks(), tasks.without_ticks());
        assert_eq!((tasks.ticked(&[4], &[]), tasks.ticked(&[0], &[])), (None, None));
        for none in ["", "- a", "[x] a", "```\n- [ ] a\n```", "a[^1]\n\n[^1]: - [ ] b"] {
            assert_eq!(TaskList::of(none, Ends::NEVER), None, "{none}");
        }
    }

    #[test]
    fn only_boxes_of_the_renderer_become_fields() {
        let text = "- [ ] a\n- [x] b [l](/x \"<input type='checkbox'>\") <input type=\"checkbox\">";
        let shown = html(text, &Options::of(""), &HashMap::new());
        let page = with_boxes(&shown, "tasks");
        assert_eq!(page.matches("name=\"tasks[]\"").count(), 2, "{page}");
        assert!(list(text).is_shown_in(&shown), "{shown}");
        assert!(page.contains("name=\"tasks[]\" value=\"2\" form=\"tasks\"") && !page.contains("disabled"), "{page}");
    }
}
