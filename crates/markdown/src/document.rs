//! A parsed text, and the one place where references are found in it.

use std::ops::Range;

use comrak::arena_tree::NodeEdge;
use comrak::nodes::{LineColumn, Node, NodeLink, NodeValue, Sourcepos};
use comrak::{Arena, try_parse_document};

use crate::scan::{Candidate, Piece};
use crate::spans::Spans;
use crate::{Ended, Options, Reference, is_too_long};

pub(crate) struct Document<'a> {
    pub(crate) root: Node<'a>,
    pub(crate) syntax: comrak::Options<'static>,
    pub(crate) source: &'a str,
    pub(crate) options: Options<'a>,
}

/// A reference and its place.
pub(crate) struct Found<'a> {
    pub(crate) reference: Reference,
    /// The text that holds it, or the link that it is.
    pub(crate) node: Node<'a>,
    /// The bytes of the node's text that it takes.
    pub(crate) within: Range<usize>,
    /// The bytes of the source that it takes.
    pub(crate) span: Range<usize>,
}

/// Elements of raw HTML whose text is no place for references.
const QUIET: [&str; 6] = ["a", "code", "kbd", "pre", "samp", "tt"];

/// The most cells that the tables of a text may have. The parser completes short rows, so that a small text can make
/// very many.
const MAX_CELLS: usize = 25_000;

/// The most bytes that the parser may read to find the ends of bare addresses. In a text that needs more they are no
/// links: it has many addresses in words of many thousand characters.
const MAX_AUTOLINK_STEPS: usize = 4_000_000;

/// The syntax that the parser understands in `source`: GFM, footnotes and formulas. Tables are left out if they are too
/// large, and bare addresses if they take too long. Alerts and formulas in backticks are found later: the parser would
/// need quadratic time.
fn syntax(source: &str) -> comrak::Options<'static> {
    let mut options = comrak::Options::default();
    options.extension.autolink = autolink_steps(source) <= MAX_AUTOLINK_STEPS;
    options.extension.strikethrough = true;
    options.extension.table = cells(source) <= MAX_CELLS;
    options.extension.tasklist = true;
    options.extension.footnotes = true;
    // Definitions stay in their places, and so do the references in them.
    options.parse.leave_footnote_definitions = true;
    options.extension.math_dollars = true;
    // Else escaped characters are merged into the text, which then differs from the source.
    options.parse.escaped_char_spans = true;
    options.render.tasklist_classes = true;
    options
}

/// Makes plain links of links to pages. A name of a page has dashes for blanks in its address.
fn link_pages(root: Node<'_>, options: &Options<'_>) -> Result<(), Ended> {
    for (step, node) in root.descendants().enumerate() {
        options.ends.check(step)?;
        let mut data = node.data_mut();
        if let NodeValue::WikiLink(page) = &data.value {
            let url = page.url.replace(' ', "-");
            data.value = NodeValue::Link(Box::new(NodeLink { url, title: String::new() }));
        }
    }
    Ok(())
}

impl<'a> Document<'a> {
    /// Parses `source` as GFM. A text that is too long is taken as empty.
    pub(crate) fn parse(arena: &'a Arena<'a>, source: &'a str, options: &Options<'a>) -> Result<Self, Ended> {
        let source = if is_too_long(source) { "" } else { source };
        let mut syntax = syntax(source);
        syntax.render.sourcepos = options.shows_places;
        if options.links_pages {
            syntax.extension.wikilinks_title_before_pipe = true;
            syntax.extension.wikilinks_ignore_embeds = true;
        }
        let root = try_parse_document(arena, source, &syntax, &|| options.ends.is_now()).map_err(|_ended| Ended)?;
        if options.links_pages {
            link_pages(root, options)?;
        }
        Ok(Self { root, syntax, source, options: *options })
    }

    /// Parses `source` as `CommonMark`. A text that is too long is taken as empty.
    pub(crate) fn parse_plain(arena: &'a Arena<'a>, source: &'a str, options: &Options<'a>) -> Result<Self, Ended> {
        let source = if is_too_long(source) { "" } else { source };
        let syntax = comrak::Options::default();
        let root = try_parse_document(arena, source, &syntax, &|| options.ends.is_now()).map_err(|_ended| Ended)?;
        Ok(Self { root, syntax, source, options: *options })
    }

    /// Every reference outside code, links and raw HTML, in the order of the text.
    pub(crate) fn found(&self) -> Result<Vec<Found<'a>>, Ended> {
        let base = self.options.base();
        let mut walk = Walk { spans: Spans::new(self.source, base), base, defined: 0, found: Vec::new() };
        // How many links and images are open.
        let mut links = 0_usize;
        let mut quiet: Option<&str> = None;
        for (step, edge) in self.root.traverse().enumerate() {
            self.options.ends.check(step)?;
            match edge {
                NodeEdge::Start(node) => {
                    let data = node.data();
                    match &data.value {
                        NodeValue::Text(text) if links == 0 && quiet.is_none() => walk.text(node, text, data.sourcepos),
                        NodeValue::Link(link) => {
                            if links == 0 && quiet.is_none() {
                                walk.link(node, &link.url, data.sourcepos);
                            }
                            links += 1;
                        }
                        NodeValue::Image(_) => links += 1,
                        NodeValue::HtmlInline(tag) => quiet = still_quiet(quiet, tag),
                        value if value.contains_inlines() => walk.defined = walk.definitions(node, data.sourcepos),
                        _ => {}
                    }
                }
                NodeEdge::End(node) => match &node.data().value {
                    NodeValue::Link(_) | NodeValue::Image(_) => links = links.saturating_sub(1),
                    value if value.contains_inlines() => quiet = None,
                    _ => {}
                },
            }
        }
        Ok(walk.found)
    }
}

/// The most bytes that the parser reads to find the ends of bare addresses. It reads from the beginning of each to the
/// end of the word, although the address may end long before that.
fn autolink_steps(source: &str) -> usize {
    let is_beginning = |rest: &[u8]| rest.starts_with(b"://") || rest.starts_with(b"www.");
    let mut steps = 0_usize;
    let words = source.as_bytes().split(u8::is_ascii_whitespace).filter(|word| word.len() > 4);
    for word in words {
        let beginnings = (0..word.len()).filter(|at| word.get(*at..).is_some_and(is_beginning)).count();
        steps = steps.saturating_add(beginnings.saturating_mul(word.len()));
    }
    steps
}

/// The most cells that the tables of `source` have. Rows go on until a blank line, with as many cells as the line below
/// the header has.
fn cells(source: &str) -> usize {
    let mut columns = 0;
    let mut cells = 0;
    for line in lines(source) {
        let line = line.trim_start_matches([' ', '\t', '>']);
        if line.is_empty() {
            columns = 0;
        } else if line.contains('-') && line.chars().all(|c| matches!(c, '|' | ':' | '-') || c.is_whitespace()) {
            columns = columns.max(line.matches('|').count() + 1);
        }
        cells += columns;
    }
    cells
}

/// The lines as the parser ends them: also by a carriage return alone.
pub(crate) fn lines(source: &str) -> impl Iterator<Item = &str> {
    source.lines().flat_map(|line| line.split('\r'))
}

/// The results of the way through the tree.
struct Walk<'a> {
    spans: Spans<'a>,
    base: Option<&'a str>,
    /// How many lines of definitions the paragraph began with: the parser does not count them.
    defined: usize,
    found: Vec<Found<'a>>,
}

impl<'a> Walk<'a> {
    /// The references in a text.
    fn text(&mut self, node: Node<'a>, text: &str, position: Sourcepos) {
        let before = node.previous_sibling().and_then(|it| self.touching(it, |text| text.chars().next_back()));
        let after = node.next_sibling().and_then(|it| self.touching(it, |text| text.chars().next()));
        let exact = self.spans.written(position).and_then(|(start, written)| (written == text).then_some(start));
        for Candidate { range, reference } in self.piece(text, before, after).references() {
            let span = match exact {
                Some(start) => Some(start + range.start..start + range.end),
                None => self.search(&reference, position.start),
            };
            self.push(node, reference, range, span);
        }
    }

    /// A bare address that leads to an issue or a merge request here.
    fn link(&mut self, node: Node<'a>, url: &str, position: Sourcepos) {
        let is_bare = node.first_child().is_some_and(|child| {
            child.next_sibling().is_none() && child.data().value.text().is_some_and(|text| text == url)
        });
        let mut inside = self.piece(url, None, None).references();
        let (Some(Candidate { range, reference }), true) = (inside.pop(), is_bare) else { return };
        if range != (0..url.len()) {
            return;
        }
        let span = match self.spans.written(position) {
            Some((start, written)) if written == url || written == format!("<{url}>") => {
                Some(start..start + written.len())
            }
            // `[url](url)` reads the same, but was written so on purpose.
            Some((_, written)) if written.starts_with('[') => None,
            _ => self.search(&reference, position.start),
        };
        self.push(node, reference, range, span);
    }

    fn piece<'t>(&self, text: &'t str, before: Option<char>, after: Option<char>) -> Piece<'t>
    where
        'a: 't,
    {
        Piece { text, is_source: false, before, after, base: self.base }
    }

    /// The character beside a text on the side of this node: an escaped character, or the end of a bare address.
    fn touching(&self, node: Node<'a>, side: impl Fn(&str) -> Option<char>) -> Option<char> {
        let data = node.data();
        match &data.value {
            NodeValue::Escaped => node.first_child().and_then(|child| child.data().value.text().and_then(side)),
            NodeValue::Link(link) => {
                let (_, written) = self.spans.written(data.sourcepos)?;
                if link.url.ends_with(written) { side(written) } else { None }
            }
            _ => None,
        }
    }

    fn search(&mut self, reference: &Reference, start: LineColumn) -> Option<Range<usize>> {
        let from = if self.defined == 0 { start } else { LineColumn { line: start.line + self.defined, column: 1 } };
        self.spans.search(reference, from)
    }

    fn push(&mut self, node: Node<'a>, reference: Reference, within: Range<usize>, span: Option<Range<usize>>) {
        if let Some(span) = span.filter(|span| self.spans.take(span)) {
            self.found.push(Found { reference, node, within, span });
        }
    }

    /// How many lines of definitions were taken from the start of this paragraph.
    fn definitions(&self, paragraph: Node<'a>, position: Sourcepos) -> usize {
        let last = paragraph.last_child().map_or(position.end.line, |last| last.data().sourcepos.end.line);
        let underlined = matches!(&paragraph.data().value, NodeValue::Heading(heading) if heading.setext);
        let missing = position.end.line.saturating_sub(last + usize::from(underlined));
        if self.spans.may_define(position.start) { missing } else { 0 }
    }
}

/// The element that keeps references away after this tag.
fn still_quiet(quiet: Option<&'static str>, tag: &str) -> Option<&'static str> {
    let is_of = |rest: &str, name: &str| {
        let after = rest.get(name.len()..).and_then(|rest| rest.chars().next());
        rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
            && after.is_none_or(|after| !after.is_ascii_alphanumeric() && after != '-')
    };
    match quiet {
        Some(name) => (!tag.strip_prefix("</").is_some_and(|rest| is_of(rest, name))).then_some(name),
        None => QUIET.into_iter().find(|name| tag.strip_prefix('<').is_some_and(|rest| is_of(rest, name))),
    }
}
