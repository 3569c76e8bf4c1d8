//! Raw HTML in a text: known elements that are closed in the block that opened them stay, the rest is shown as it was
//! written.
//!
//! This is decided here and not only by the sanitiser. To close open elements, an HTML parser takes more than linear
//! time and output.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use comrak::arena_tree::NodeEdge;
use comrak::html::escape;
use comrak::nodes::{Node, NodeValue};

use crate::anchor::{ANCHOR, Given};
use crate::file_context::{FileContext, link_address, picture_address};
use crate::outside::PicturesOfText;
use crate::tag::{Tag, leading_tag};
use crate::{Options, link};

/// How deep raw elements may nest.
const MAX_OPEN: usize = 32;

/// The place in which an element may stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// In running text, closed in the same paragraph.
    Inline,
    /// In HTML blocks, closed in one of the same quote or item; Markdown may stand between.
    Block,
    /// Anywhere: nothing is in it.
    Void,
}

const ELEMENTS: [(Kind, &[&str]); 3] = [
    (
        Kind::Inline,
        &[
            "a", "abbr", "b", "big", "cite", "code", "del", "dfn", "em", "i", "ins", "kbd", "mark", "q", "rp", "rt",
            "ruby", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "tt", "u", "var",
        ],
    ),
    (
        Kind::Block,
        &[
            "blockquote",
            "dd",
            "details",
            "div",
            "dl",
            "dt",
            "figcaption",
            "figure",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "li",
            "ol",
            "p",
            "pre",
            "summary",
            "ul",
        ],
    ),
    (Kind::Void, &["br", "hr", "img", "wbr"]),
];

const ATTRIBUTES: [(&str, &[&str]); 14] = [
    ("a", &["href", "title"]),
    ("abbr", &["title"]),
    ("details", &["open"]),
    ("dfn", &["title"]),
    ("div", &["align"]),
    ("h1", &["align"]),
    ("h2", &["align"]),
    ("h3", &["align"]),
    ("h4", &["align"]),
    ("h5", &["align"]),
    ("h6", &["align"]),
    ("img", &["align", "alt", "height", "src", "title", "width"]),
    ("ol", &["start"]),
    ("p", &["align"]),
];

/// The elements that may be written.
pub(crate) fn elements() -> impl Iterator<Item = &'static str> {
    ELEMENTS.into_iter().flat_map(|(_, names)| names.iter().copied())
}

/// The attributes that they may have.
pub(crate) fn attributes() -> HashMap<&'static str, HashSet<&'static str>> {
    ATTRIBUTES.into_iter().map(|(name, attributes)| (name, attributes.iter().copied().collect())).collect()
}

/// Replaces all raw HTML in the tree by the part that may be shown. Yields the names that its elements have.
pub(crate) fn sanitise(
    root: Node<'_>,
    options: &Options<'_>,
    file: Option<&FileContext<'_>>,
    pictures: &mut PicturesOfText<'_>,
) -> Given {
    let mut matching = Matching { fragments: Vec::new(), open: Vec::new(), in_link: false };
    let mut depth = 0_usize;
    for edge in root.traverse() {
        match edge {
            NodeEdge::Start(node) => {
                match &node.data().value {
                    NodeValue::HtmlInline(literal) => matching.inline(node, literal, depth),
                    NodeValue::HtmlBlock(block) => matching.block(node, &block.literal, depth),
                    // The tags of links have been written.
                    NodeValue::Raw(html) if html.starts_with("<a ") => matching.in_link = !html.ends_with("</a>"),
                    NodeValue::Raw(html) if html == "</a>" => matching.in_link = false,
                    _ => {}
                }
                depth += 1;
            }
            NodeEdge::End(_) => {
                depth = depth.saturating_sub(1);
                // An element that was opened in here and is still open is never closed.
                matching.open.retain(|open| open.level <= depth);
            }
        }
    }
    let mut given = Given::default();
    for fragment in matching.fragments {
        let shown = fragment.shown(options, file, &mut given, pictures);
        fragment.node.data_mut().value = NodeValue::Raw(shown);
    }
    given
}

/// A node of raw HTML.
struct Fragment<'a> {
    node: Node<'a>,
    literal: String,
    pieces: Vec<Piece>,
}

enum Piece {
    Text(Range<usize>),
    /// With a flag that is true if a link is open at the tag.
    Tag {
        range: Range<usize>,
        tag: Tag,
        stays: bool,
        in_link: bool,
    },
}

/// A start tag whose end tag has not come yet.
struct Open {
    name: &'static str,
    kind: Kind,
    /// Its depth in the tree; all nodes of one container have the same level.
    level: usize,
    fragment: usize,
    piece: usize,
}

struct Matching<'a> {
    fragments: Vec<Fragment<'a>>,
    open: Vec<Open>,
    /// True if a link is open that is written in Markdown.
    in_link: bool,
}

impl<'a> Matching<'a> {
    /// A single tag or comment in running text.
    fn inline(&mut self, node: Node<'a>, literal: &str, level: usize) {
        self.begin(node, literal);
        self.tag_at(0, |kind| (kind != Kind::Block).then_some(level));
    }

    /// Any HTML that stands for itself, whole or in part.
    fn block(&mut self, node: Node<'a>, literal: &str, level: usize) {
        self.begin(node, literal);
        let mut at = 0;
        while let Some(rest) = literal.get(at..).filter(|rest| !rest.is_empty()) {
            let text = rest.find('<').unwrap_or(rest.len());
            self.push(Piece::Text(at..at + text));
            at += text;
            let Some(rest) = literal.get(at..).filter(|rest| !rest.is_empty()) else { break };
            if rest.starts_with("<!--") {
                at += rest.find("-->").map_or(rest.len(), |end| end + 3);
            } else {
                at = self.tag_at(at, |kind| Some(if kind == Kind::Inline { level + 1 } else { level })).unwrap_or_else(
                    || {
                        self.push(Piece::Text(at..at + 1));
                        at + 1
                    },
                );
            }
        }
        self.open.retain(|open| open.level <= level);
    }

    fn begin(&mut self, node: Node<'a>, literal: &str) {
        self.fragments.push(Fragment { node, literal: literal.to_owned(), pieces: Vec::new() });
    }

    fn push(&mut self, piece: Piece) {
        if let Some(fragment) = self.fragments.last_mut() {
            fragment.pieces.push(piece);
        }
    }

    /// Takes the tag at this byte of the newest fragment, if one is there. `level` gives the level of an element of a
    /// kind; `None` if it may not stand there. Returns the end of the tag.
    fn tag_at(&mut self, at: usize, level: impl Fn(Kind) -> Option<usize>) -> Option<usize> {
        let (tag, length) = leading_tag(self.fragments.last()?.literal.get(at..)?)?;
        let known = element(&tag.name).and_then(|(kind, name)| Some((kind, name, level(kind)?)));
        let stays = known.is_some_and(|(kind, name, level)| match (kind, tag.is_end) {
            (Kind::Void, is_end) => !is_end,
            (Kind::Inline | Kind::Block, true) => self.close(name, level),
            (Kind::Inline | Kind::Block, false) => {
                self.open(kind, name, level);
                false
            }
        });
        let in_link = self.in_link || self.open.iter().any(|open| open.name == "a");
        self.push(Piece::Tag { range: at..at + length, tag, stays, in_link });
        Some(at + length)
    }

    fn open(&mut self, kind: Kind, name: &'static str, level: usize) {
        // A block in running text would end the paragraph and split the elements that are open there.
        let splits = kind == Kind::Block && self.open.iter().any(|open| open.kind == Kind::Inline);
        let Some(fragment) = self.fragments.len().checked_sub(1) else { return };
        if !splits && self.open.len() < MAX_OPEN {
            let piece = self.fragments.last().map_or(0, |fragment| fragment.pieces.len());
            self.open.push(Open { name, kind, level, fragment, piece });
        }
    }

    /// True if the end tag closes something. An element that was opened after that is never closed.
    fn close(&mut self, name: &str, level: usize) -> bool {
        let Some(at) = self.open.iter().rposition(|open| open.name == name && open.level == level) else {
            return false;
        };
        if let Some(start) = self.open.get(at)
            && let Some(fragment) = self.fragments.get_mut(start.fragment)
            && let Some(Piece::Tag { stays, .. }) = fragment.pieces.get_mut(start.piece)
        {
            *stays = true;
        }
        self.open.truncate(at);
        true
    }
}

impl Fragment<'_> {
    /// The HTML that is shown of it.
    fn shown(
        &self,
        options: &Options<'_>,
        file: Option<&FileContext<'_>>,
        given: &mut Given,
        pictures: &mut PicturesOfText<'_>,
    ) -> String {
        let mut html = String::with_capacity(self.literal.len());
        let written = |range: &Range<usize>| self.literal.get(range.clone()).unwrap_or_default();
        for piece in &self.pieces {
            match piece {
                Piece::Text(range) => html.push_str(&written(range).replace('<', "&lt;").replace('>', "&gt;")),
                Piece::Tag { tag, stays: true, in_link, .. } => match picture_as_link(tag, options, file) {
                    Some(url) => show_link(&mut html, tag, &url, *in_link, options.base(), pictures),
                    None => show(&mut html, tag, options, file, given),
                },
                // Writing into a string does not fail.
                Piece::Tag { range, .. } => escape(&mut html, written(range)).unwrap_or_default(),
            }
        }
        html
    }
}

/// Writes a tag with the attributes that it may have.
fn show(html: &mut String, tag: &Tag, options: &Options<'_>, file: Option<&FileContext<'_>>, given: &mut Given) {
    let base = options.base();
    let name = if tag.is_end { None } else { name_of(tag).and_then(|name| given.take(name)) };
    if let (Some(file), Some(name), "a" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "p" | "div") =
        (file, name, tag.name.as_str())
    {
        html.push_str(&file.plain_anchor(name));
    }
    html.push_str(if tag.is_end { "</" } else { "<" });
    let level = tag.name.strip_prefix('h').and_then(|level| level.parse().ok());
    match file.zip(level) {
        Some((file, level)) => {
            html.push_str(&format!("h{}", file.shown_level(level)));
            if !tag.is_end {
                html.push_str(&format!(" class=\"level-{level}\""));
            }
        }
        None => html.push_str(&tag.name),
    }
    if let Some(name) = name {
        html.push_str(&format!(" id=\"{ANCHOR}{name}\""));
    }
    let allowed = allowed_of(&tag.name);
    for (name, value) in tag.attributes.iter().filter(|(name, _)| allowed.contains(&name.as_str())) {
        let led = match name.as_str() {
            "href" => link_address(value.trim(), options, file),
            "src" => picture_address(value.trim(), options, file),
            _ => None,
        };
        let value = escaped(led.as_ref().unwrap_or(value));
        html.push_str(&format!(" {name}=\"{value}\""));
        if name == "href" && link::is_external(value.trim(), base) {
            html.push_str(&link::external_attributes());
        }
    }
    html.push('>');
}

/// The attributes that an element may have.
fn allowed_of(element: &str) -> &'static [&'static str] {
    ATTRIBUTES.iter().find(|(name, _)| *name == element).map_or(&[][..], |(_, attributes)| attributes)
}

/// The address of the picture that a tag shows, if it becomes a link: it would be loaded from another server, or is a
/// film.
fn picture_as_link(tag: &Tag, options: &Options<'_>, file: Option<&FileContext<'_>>) -> Option<String> {
    let (_, url) = tag.attributes.iter().find(|(name, _)| tag.name == "img" && name == "src")?;
    let url = url.trim();
    let here = picture_address(url, options, file);
    let is_elsewhere = here.is_none() && link::is_external(url, options.base());
    (is_elsewhere || link::is_not_shown(url)).then(|| here.unwrap_or_else(|| url.to_owned()))
}

/// The name that an element gives itself.
fn name_of(tag: &Tag) -> Option<&str> {
    let named = tag.attributes.iter().find(|(name, _)| name == "id" || (name == "name" && tag.name == "a"));
    named.map(|(_, value)| value.trim())
}

/// True if a link is open behind a tag. `was` is true if one was open before it.
pub(crate) fn is_link_open(was: bool, node: Node<'_>) -> bool {
    let NodeValue::HtmlInline(literal) = &node.data().value else { return was };
    leading_tag(literal).map_or(was, |(tag, _)| if tag.name == "a" { !tag.is_end } else { was })
}

/// A link to a picture in its place, with the picture if it is shown, else with its description; inside of a link, that
/// alone.
fn show_link(
    html: &mut String,
    tag: &Tag,
    url: &str,
    in_link: bool,
    base: Option<&str>,
    pictures: &mut PicturesOfText<'_>,
) {
    let others = tag.attributes.iter().filter(|(name, _)| name != "src" && allowed_of("img").contains(&name.as_str()));
    let others: String = others.map(|(name, value)| format!(" {name}=\"{}\"", escaped(value))).collect();
    // The value of an attribute is as it was written.
    let shown = (!link::is_not_shown(url)).then(|| pictures.tag(&url.replace("&amp;", "&"), &others)).flatten();
    let described = tag.attributes.iter().find(|(name, text)| name == "alt" && !text.trim().is_empty());
    let text = described.map_or(link::words_of(url, base), |(_, text)| text.as_str());
    let more = if link::is_external(url, base) { link::external_attributes() } else { String::new() };
    let (url, text) = (escaped(url), shown.unwrap_or_else(|| escaped(text)));
    html.push_str(&if in_link { text } else { format!("<a href=\"{url}\"{more}>{text}</a>") });
}

fn escaped(value: &str) -> String {
    value.replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;")
}

fn element(name: &str) -> Option<(Kind, &'static str)> {
    let named =
        |(kind, names): (Kind, &'static [&'static str])| names.iter().find(|it| **it == name).map(|it| (kind, *it));
    ELEMENTS.into_iter().find_map(named)
}
