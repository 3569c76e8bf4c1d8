//! A text as safe HTML.

use std::collections::HashMap;
use std::ops::Range;

use comrak::Arena;
use comrak::html::{escape, format_document_with_formatter, format_node_default};
use comrak::nodes::{Ast, Node, NodeValue};
use comrak::options::Plugins;

use crate::document::{Document, Found};
use crate::{Options, Reference, emoji, is_too_long, link, nesting, raw_html, sanitise};

/// Where a reference leads, and how it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The address.
    pub href: String,
    /// What is shown when one points at it; may be empty.
    pub title: String,
    /// What is shown instead of the reference.
    pub text: String,
}

/// `text` as HTML that can be put into a page: GFM with tables, strikethrough, bare addresses as links and task lists
/// as boxes that cannot be ticked; names of emoji as emoji; raw HTML as far as it is safe.
///
/// Each reference that [`crate::references`] finds and `targets` knows becomes a link; the others stay text. Links that
/// leave `options.base_url` open in a new tab and send no referrer. A text of more than 1,000,000 characters is shown
/// as it was written.
#[expect(clippy::implicit_hasher, reason = "there is one kind of map here, and callers need not name it")]
pub fn html(text: &str, options: &Options<'_>, targets: &HashMap<Reference, Target>) -> String {
    if is_too_long(text) {
        return preformatted(text);
    }
    let arena = Arena::new();
    let document = Document::parse(&arena, text, options);
    show_texts(&arena, document.root, &document.found(), targets);
    written(&arena, &document).unwrap_or_else(|| preformatted(text))
}

/// `text` as HTML that can be put into a line of a page: what stands between blocks is dropped, and of lists, quotes and code
/// their text stays.
pub fn inline_html(text: &str, base_url: &str) -> String {
    if is_too_long(text) {
        return preformatted(text);
    }
    let arena = Arena::new();
    let document = Document::parse(&arena, text, &Options { base_url });
    show_texts(&arena, document.root, &[], &HashMap::new());
    let line = inline_only(&arena, document.root);
    for block in document.root.children().collect::<Vec<_>>() {
        block.detach();
    }
    document.root.append(line);
    let html = written(&arena, &document).unwrap_or_else(|| preformatted(text));
    let inner = html.strip_prefix("<p>").and_then(|rest| rest.strip_suffix("</p>"));
    inner.map(str::to_owned).unwrap_or(html)
}

/// One paragraph of everything in the document that can stand in one.
fn inline_only<'a>(arena: &'a Arena<'a>, root: Node<'a>) -> Node<'a> {
    let new = |value| arena.alloc(Ast::new(value, root.data().sourcepos.start).into());
    let line = new(NodeValue::Paragraph);
    let blocks: Vec<Node<'a>> = root.descendants().collect();
    for block in blocks {
        let moved: Vec<Node<'a>> = match &block.data().value {
            NodeValue::Paragraph | NodeValue::Heading(_) | NodeValue::TableCell => block.children().collect(),
            NodeValue::CodeBlock(code) => vec![new(NodeValue::Text(code.literal.clone().into()))],
            _ => continue,
        };
        if line.first_child().is_some() {
            line.append(new(NodeValue::Text(" ".into())));
        }
        for node in moved {
            line.append(node);
        }
    }
    line
}

/// `text` as HTML that can be put into a page: `CommonMark` and no more. Names of emoji and references stay text.
pub fn plain_html(text: &str) -> String {
    if is_too_long(text) {
        return preformatted(text);
    }
    let arena = Arena::new();
    written(&arena, &Document::parse_plain(&arena, text)).unwrap_or_else(|| preformatted(text))
}

/// The document as safe HTML. None if it could not be written; writing into a string does not fail.
fn written<'a>(arena: &'a Arena<'a>, document: &Document<'a>) -> Option<String> {
    show_links(arena, document.root, document.base);
    raw_html::sanitise(document.root, document.base);
    nesting::flatten(document.root);
    let mut html = String::new();
    let plugins = Plugins::default();
    format_document_with_formatter(document.root, &document.syntax, &mut html, &plugins, format_node_default, ())
        .ok()
        .map(|()| sanitise::clean(html.trim()))
}

fn preformatted(text: &str) -> String {
    let mut html = String::with_capacity(text.len() + 16);
    html.push_str("<pre>");
    escape(&mut html, text).unwrap_or_default();
    html.push_str("</pre>");
    html.retain(|c| !sanitise::turns_direction(c));
    html
}

/// Puts emoji and links to the targets of references into all texts.
fn show_texts<'a>(arena: &'a Arena<'a>, root: Node<'a>, found: &[Found<'a>], targets: &HashMap<Reference, Target>) {
    let mut found = found.iter().peekable();
    // The tree changes on the way.
    let nodes: Vec<Node<'a>> = root.descendants().collect();
    for node in nodes {
        let mut links: Vec<(Range<usize>, String)> = Vec::new();
        while let Some(here) = found.next_if(|found| found.node.same_node(node)) {
            if let Some(target) = targets.get(&here.reference) {
                links.push((here.within.clone(), link_to(&here.reference, target)));
            }
        }
        let text = match &node.data().value {
            NodeValue::Text(text) => text.to_string(),
            NodeValue::Link(link) if !links.is_empty() => link.url.clone(),
            _ => continue,
        };
        if links.is_empty() {
            if !is_address(node) {
                node.data_mut().value = NodeValue::Text(emoji::shown(&text).into_owned().into());
            }
            continue;
        }
        let put = |value| node.insert_before(arena.alloc(Ast::new(value, node.data().sourcepos.start).into()));
        let put_text = |range: Range<usize>| {
            let text = text.get(range).unwrap_or_default();
            put(NodeValue::Text(emoji::shown(text).into_owned().into()));
        };
        let mut shown = 0;
        for (range, link) in links {
            put_text(shown..range.start);
            put(NodeValue::Raw(link));
            shown = range.end;
        }
        put_text(shown..text.len());
        node.detach();
    }
}

/// Whether the text is what is shown of a bare address.
fn is_address(text: Node<'_>) -> bool {
    let shows = |link: &NodeValue| match link {
        NodeValue::Link(link) => text.data().value.text().is_some_and(|text| link.url.ends_with(text)),
        _ => false,
    };
    text.parent().is_some_and(|parent| shows(&parent.data().value))
}

fn link_to(reference: &Reference, target: &Target) -> String {
    let class = match reference {
        Reference::User(_) => "gfm-project_member",
        Reference::Issue { .. } | Reference::External(_) => "gfm-issue",
        Reference::MergeRequest { .. } => "gfm-merge_request",
        Reference::Label(_) => "gfm-label",
        Reference::Milestone(_) => "gfm-milestone",
    };
    let escaped = |text: &str| {
        let mut escaped = String::with_capacity(text.len());
        escape(&mut escaped, text).unwrap_or_default();
        escaped
    };
    let title = if target.title.is_empty() { String::new() } else { format!(" title=\"{}\"", escaped(&target.title)) };
    format!("<a href=\"{}\"{title} class=\"gfm {class}\">{}</a>", escaped(&target.href), escaped(&target.text))
}

/// Writes the tags of all links, which the renderer knows too little about.
fn show_links<'a>(arena: &'a Arena<'a>, root: Node<'a>, base: Option<&str>) {
    let nodes: Vec<Node<'a>> = root.descendants().collect();
    for node in nodes {
        let start = match &node.data().value {
            NodeValue::Link(link) => link::start_tag(&link.url, &link.title, base),
            _ => continue,
        };
        let put = |value| node.insert_before(arena.alloc(Ast::new(value, node.data().sourcepos.start).into()));
        let end = start.as_ref().map(|_| NodeValue::Raw("</a>".to_owned()));
        if let Some(start) = start {
            put(NodeValue::Raw(start));
        }
        while let Some(child) = node.first_child() {
            node.insert_before(child);
        }
        if let Some(end) = end {
            put(end);
        }
        node.detach();
    }
}
