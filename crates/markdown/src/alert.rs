//! Alerts: quotes that begin with `[!NOTE]` and the like, with a title behind it or not.

use comrak::Arena;
use comrak::nodes::{Ast, Node, NodeValue};

/// The kinds, with their titles.
const KINDS: [(&str, &str); 5] =
    [("note", "Note"), ("tip", "Tip"), ("important", "Important"), ("caution", "Caution"), ("warning", "Warning")];

/// Replaces the quotes that are alerts. Those inside of other quotes stay quotes.
pub(crate) fn show<'a>(arena: &'a Arena<'a>, root: Node<'a>) {
    let mut waiting: Vec<Node<'a>> = vec![root];
    let mut quotes = Vec::new();
    while let Some(node) = waiting.pop() {
        if matches!(node.data().value, NodeValue::BlockQuote) {
            quotes.push(node);
        } else {
            waiting.extend(node.children().filter(|child| child.data().value.block()));
        }
    }
    for quote in quotes {
        show_one(arena, quote);
    }
}

fn show_one<'a>(arena: &'a Arena<'a>, quote: Node<'a>) -> Option<()> {
    let paragraph = quote.first_child().filter(|first| matches!(first.data().value, NodeValue::Paragraph))?;
    let first = paragraph.first_child()?;
    let (kind, name, behind) = {
        let data = first.data();
        let (marked, behind) = data.value.text()?.strip_prefix("[!")?.split_once(']')?;
        let (kind, name) = KINDS.into_iter().find(|(kind, _)| marked.eq_ignore_ascii_case(kind))?;
        (kind, name, behind.trim_start().to_owned())
    };
    let start = quote.data().sourcepos.start;
    let raw = |html: String| arena.alloc(Ast::new(NodeValue::Raw(html), start).into());
    // The rest of the line is the title.
    let mut title: Vec<Node<'a>> = Vec::new();
    let mut next = first.next_sibling();
    while let Some(node) = next {
        next = node.next_sibling();
        if matches!(node.data().value, NodeValue::SoftBreak | NodeValue::LineBreak) {
            node.detach();
            break;
        }
        title.push(node);
    }
    first.data_mut().value =
        NodeValue::Text(if behind.is_empty() && title.is_empty() { name.into() } else { behind.into() });
    quote.insert_before(raw(format!("<div class=\"markdown-alert markdown-alert-{kind}\">\n")));
    let heading: Node<'a> = arena.alloc(Ast::new(NodeValue::Paragraph, start).into());
    quote.insert_before(raw("<p class=\"markdown-alert-title\">".to_owned()));
    for node in std::iter::once(first).chain(title) {
        heading.append(node);
    }
    while let Some(child) = heading.first_child() {
        quote.insert_before(child);
    }
    quote.insert_before(raw("</p>\n".to_owned()));
    if paragraph.first_child().is_none() {
        paragraph.detach();
    }
    while let Some(child) = quote.first_child() {
        quote.insert_before(child);
    }
    quote.insert_before(raw("</div>\n".to_owned()));
    quote.detach();
    Some(())
}
