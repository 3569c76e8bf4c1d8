//! Footnotes: numbered in the order in which they are called, and below the text, with links in both directions.

use std::collections::HashMap;

use comrak::Arena;
use comrak::nodes::{Ast, Node, NodeValue};

use crate::anchor::ANCHOR;

/// The most links back from one footnote.
const MOST_BACK: usize = 10;

/// A footnote that is called.
struct Called<'a> {
    definition: Node<'a>,
    times: usize,
}

/// Writes the calls, and moves the called footnotes behind the text. `mark` makes the names of one text differ from
/// those of other texts on the same page. Footnotes that the text does not call are not shown.
pub(crate) fn show<'a>(arena: &'a Arena<'a>, root: Node<'a>, mark: &str) {
    let (definitions, mut waiting) = taken_out(root);
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut called: Vec<Called<'a>> = Vec::new();
    let mut next = 0;
    loop {
        for node in std::mem::take(&mut waiting) {
            let NodeValue::FootnoteReference(call) = &node.data().value.clone() else { continue };
            let Some(definition) = definitions.get(&call.name) else { continue };
            let number = *numbers.entry(call.name.clone()).or_insert_with(|| {
                called.push(Called { definition, times: 0 });
                called.len()
            });
            let Some(of) = called.get_mut(number - 1) else { continue };
            of.times += 1;
            let html = call_of(number, of.times, mark);
            node.insert_before(arena.alloc(Ast::new(NodeValue::Raw(html), node.data().sourcepos.start).into()));
            node.detach();
        }
        // Footnotes call others.
        let Some(of) = called.get(next) else { break };
        waiting = calls_in(of.definition);
        next += 1;
    }
    if called.is_empty() {
        return;
    }
    let raw = |html: String| arena.alloc(Ast::new(NodeValue::Raw(html), root.data().sourcepos.start).into());
    root.append(raw("<section class=\"footnotes\">\n<ol>\n".to_owned()));
    for (place, of) in called.into_iter().enumerate() {
        let number = place + 1;
        root.append(raw(format!("<li id=\"{ANCHOR}fn-{mark}{number}\">\n")));
        let back = raw(back_to(number, of.times, mark));
        let last = of.definition.last_child().filter(|last| matches!(last.data().value, NodeValue::Paragraph));
        while let Some(child) = of.definition.first_child() {
            root.append(child);
        }
        match last {
            Some(paragraph) => paragraph.append(back),
            None => root.append(back),
        }
        root.append(raw("</li>\n".to_owned()));
    }
    root.append(raw("</ol>\n</section>\n".to_owned()));
}

/// Takes all definitions out of the tree. Yields them by their names, and the calls that are left, in their order.
fn taken_out<'a>(root: Node<'a>) -> (HashMap<String, Node<'a>>, Vec<Node<'a>>) {
    let mut definitions = HashMap::new();
    let nodes: Vec<Node<'a>> = root.descendants().collect();
    for node in nodes {
        if let NodeValue::FootnoteDefinition(definition) = &node.data().value {
            // The parser counts the calls of the one that is meant.
            if definition.total_references > 0 {
                definitions.insert(definition.name.clone(), node);
            }
        } else {
            continue;
        }
        node.detach();
    }
    (definitions, calls_in(root))
}

fn calls_in(root: Node<'_>) -> Vec<Node<'_>> {
    root.descendants().filter(|node| matches!(node.data().value, NodeValue::FootnoteReference(_))).collect()
}

/// The suffix of the number of the call, for the second and further ones.
fn nth(time: usize) -> String {
    if time == 1 { String::new() } else { format!("-{time}") }
}

fn call_of(number: usize, time: usize, mark: &str) -> String {
    let nth = nth(time);
    format!(
        "<sup class=\"footnote-ref\"><a href=\"#{ANCHOR}fn-{mark}{number}\" id=\"{ANCHOR}fnref-{mark}{number}{nth}\">{number}</a></sup>"
    )
}

fn back_to(number: usize, times: usize, mark: &str) -> String {
    let back = (1..=times.min(MOST_BACK)).map(|time| {
        let nth = nth(time);
        format!(
            " <a href=\"#{ANCHOR}fnref-{mark}{number}{nth}\" class=\"footnote-backref\" aria-label=\"Back to reference {number}{nth}\">↩</a>"
        )
    });
    back.collect()
}
