//! A text as safe HTML.

use std::collections::HashMap;
use std::ops::Range;

use comrak::Arena;
use comrak::html::{ChildRendering, Context, escape, format_document_with_formatter, format_node_default};
use comrak::nodes::{Ast, Node, NodeValue};
use comrak::options::Plugins;

use crate::document::{Document, Found};
use crate::file_context::FileContext;
use crate::outside::{PicturesOfText, escaped};
use crate::{
    Ended, Ends, Options, Reference, alert, anchor, diagram, direction, emoji, file, footnote, is_too_long, link, math,
    nesting, raw_html, sanitise,
};

/// The target of a name in a text, and its form on the page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Target {
    /// The address.
    pub href: String,
    /// The text that is shown if one points at it; may be empty.
    pub title: String,
    /// The text that is shown instead of the reference.
    pub text: String,
    /// The colour of a label, such as `#1a2b3c`; empty for everything else.
    pub color: String,
}

/// `text` as HTML that can be put into a page: GFM with tables, strikethrough, and bare addresses as links. Task lists
/// have boxes that cannot be ticked. Names of emoji are shown as emoji, and raw HTML as far as it is safe.
///
/// Each reference that [`crate::references`] finds and `targets` knows becomes a link; the others stay text. Links that
/// leave `options.base_url` open in a new tab and send no referrer. A text of more than 1,000,000 characters is shown
/// as it was written. So is a text if `options.ends` says that it takes too long; then a note above it says so.
#[expect(clippy::implicit_hasher, reason = "there is one kind of map here, and callers need not name it")]
pub fn html(text: &str, options: &Options<'_>, targets: &HashMap<Reference, Target>) -> String {
    rendered(text, options, targets, None)
}

/// As [`html`], for a text that is a file of a repository. Relative links lead to other files of it, and pictures of
/// other servers are shown as `options` say. Headings have names that begin with `user-content-`, and are lower by the levels that the
/// page has above them.
#[expect(clippy::implicit_hasher, reason = "there is one kind of map here, and callers need not name it")]
pub fn file_html(
    text: &str,
    options: &Options<'_>,
    targets: &HashMap<Reference, Target>,
    file: &FileContext<'_>,
) -> String {
    rendered(text, options, targets, Some(file))
}

fn rendered(
    text: &str,
    options: &Options<'_>,
    targets: &HashMap<Reference, Target>,
    file: Option<&FileContext<'_>>,
) -> String {
    if is_too_long(text) {
        return preformatted(text);
    }
    let arena = Arena::new();
    let work = || {
        let document = Document::parse(&arena, text, options)?;
        show_texts(&arena, document.root, &document.found()?, targets);
        written(&arena, &document, file)
    };
    work().unwrap_or_else(|_ended| unformatted(text))
}

/// `text` as HTML that can be put into a line of a page. The tags between blocks are dropped; the text of lists, quotes
/// and code stays.
pub fn inline_html(text: &str, options: &Options<'_>) -> String {
    if is_too_long(text) {
        return preformatted(text);
    }
    let arena = Arena::new();
    let work = || {
        let document = Document::parse(&arena, text, options)?;
        show_texts(&arena, document.root, &[], &HashMap::new());
        let line = inline_only(&arena, document.root);
        for block in document.root.children().collect::<Vec<_>>() {
            block.detach();
        }
        document.root.append(line);
        written(&arena, &document, None)
    };
    let html = work().unwrap_or_else(|_ended| preformatted(text));
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
pub fn plain_html(text: &str, options: &Options<'_>) -> String {
    if is_too_long(text) {
        return preformatted(text);
    }
    let arena = Arena::new();
    let work = || written(&arena, &Document::parse_plain(&arena, text, options)?, None);
    work().unwrap_or_else(|_ended| unformatted(text))
}

/// The document as safe HTML.
fn written<'a>(arena: &'a Arena<'a>, document: &Document<'a>, of: Option<&FileContext<'_>>) -> Result<String, Ended> {
    let ends = document.options.ends;
    math::show(arena, document.root, ends)?;
    diagram::show(arena, document.root, document.options.outside, ends)?;
    let key = Some(document.options.key).filter(|key| !key.is_empty()).unwrap_or(document.source);
    let is_alone = of.is_some() && document.options.key.is_empty();
    let mark = if is_alone { String::new() } else { anchor::mark_of(key) };
    // Without a key the text is the main one of its page, whose headings have plain names.
    let of_headings = if document.options.key.is_empty() { "" } else { mark.as_str() };
    footnote::show(arena, document.root, &mark);
    alert::show(arena, document.root);
    ends.check(0)?;
    if !of_headings.is_empty() {
        file::lead_to_headings(document.root, of_headings);
    }
    let mut pictures = PicturesOfText::new(document.options.outside, document.options.base());
    file::lead(arena, document.root, &document.options, of, &mut pictures);
    ends.check(0)?;
    show_links(arena, document.root, document.options.base());
    ends.check(0)?;
    let given = raw_html::sanitise(document.root, &document.options, of, &mut pictures);
    ends.check(0)?;
    nesting::flatten(document.root);
    file::show_headings(arena, document.root, of, given, of_headings, document.options.shows_places);
    let mut html = String::new();
    let plugins = Plugins::default();
    let steps = (0, ends);
    // Writing into a string does not fail by itself.
    format_document_with_formatter(document.root, &document.syntax, &mut html, &plugins, written_in_time, steps)
        .map_err(|_ended| Ended)?;
    ends.check(0)?;
    let clean = sanitise::clean(html.trim());
    Ok(if document.options.shows_places { direction::mark(&clean) } else { clean })
}

/// Writes a node, unless the work has ended.
fn written_in_time(
    context: &mut Context<'_, '_, (usize, Ends<'_>)>,
    node: Node<'_>,
    entering: bool,
) -> Result<ChildRendering, std::fmt::Error> {
    let (step, ends) = context.user;
    context.user.0 = step.wrapping_add(1);
    ends.check(step).map_err(|Ended| std::fmt::Error)?;
    format_node_default(context, node, entering)
}

/// The note above a text that is shown as it was written because formatting it would take too long.
const UNFORMATTED: &str = "<p><em>This text is shown as it was written: formatting it would take too long.</em></p>\n";

/// `text` as it was written, with a note that says why.
pub fn unformatted(text: &str) -> String {
    format!("{UNFORMATTED}{}", preformatted(text))
}

/// `text` as HTML that shows it as it was written.
pub fn preformatted(text: &str) -> String {
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

/// True if the text is the one shown for a bare address.
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
    let title = if target.title.is_empty() { String::new() } else { format!(" title=\"{}\"", escaped(&target.title)) };
    let color =
        if target.color.is_empty() { String::new() } else { format!(" data-color=\"{}\"", escaped(&target.color)) };
    format!("<a href=\"{}\"{title} class=\"gfm {class}\"{color}>{}</a>", escaped(&target.href), escaped(&target.text))
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
