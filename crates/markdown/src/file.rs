//! A text that is a file of a repository, on a page. Its relative links lead to other files. Its headings are below
//! those of the page and can be linked to.

use std::collections::{HashMap, HashSet};

use comrak::arena_tree::NodeEdge;
use comrak::nodes::{Ast, Node, NodeValue};
use comrak::{Anchorizer, Arena};

use crate::anchor::{ANCHOR, Given};
use crate::file_context::{FileContext, link_address, picture_address};
use crate::outside::{PicturesOfText, escaped};
use crate::{Options, link, raw_html};

/// Sets the targets of links and pictures. Uploads are those of the project of the text, and in a file relative links
/// lead to other files. A picture of another server becomes a link to it, which holds the picture if `pictures` shows it.
/// A film becomes a link too. A link inside of another one becomes its text.
pub(crate) fn lead<'a>(
    arena: &'a Arena<'a>,
    root: Node<'a>,
    options: &Options<'_>,
    file: Option<&FileContext<'_>>,
    pictures_of_others: &mut PicturesOfText<'_>,
) {
    let base = options.base();
    let picture_in = |url: &str| picture_address(url, options, file);
    let link_in = |url: &str| link_address(url, options, file);
    let is_link = |value: &NodeValue| match value {
        NodeValue::Link(_) => true,
        NodeValue::Image(image) => {
            let is_elsewhere = picture_in(&image.url).is_none() && link::is_external(&image.url, base);
            is_elsewhere || link::is_not_shown(&image.url)
        }
        _ => false,
    };
    // The tree changes on the way.
    let (mut open, mut links, mut pictures) = (Vec::new(), Vec::<Led<'_>>::new(), Vec::new());
    // The number of texts that the walk has met. The flag is true if a link is open that is written in HTML.
    let (mut texts, mut in_html) = (0_usize, false);
    let mut open_pictures = 0_usize;
    for edge in root.traverse() {
        match edge {
            NodeEdge::Start(node) if matches!(node.data().value, NodeValue::HtmlInline(_)) => {
                in_html = raw_html::is_link_open(in_html, node);
            }
            NodeEdge::End(node) if node.data().value.block() => in_html = false,
            NodeEdge::Start(node) if is_link(&node.data().value) => {
                let is_inside = !open.is_empty() || (in_html && is_picture(node));
                open.push((links.len(), texts));
                links.push(Led { node, is_inside, in_picture: open_pictures > 0, has_text: false });
                open_pictures += usize::from(is_picture(node));
            }
            NodeEdge::Start(node) if matches!(node.data().value, NodeValue::Image(_)) => pictures.push(node),
            NodeEdge::Start(node) if is_text(node) => texts += 1,
            NodeEdge::End(node) if is_link(&node.data().value) => {
                open_pictures = open_pictures.saturating_sub(usize::from(is_picture(node)));
                if let Some((at, before)) = open.pop()
                    && let Some(led) = links.get_mut(at)
                {
                    led.has_text = texts > before;
                }
            }
            NodeEdge::Start(_) | NodeEdge::End(_) => {}
        }
    }
    for node in pictures {
        if let NodeValue::Image(image) = &mut node.data_mut().value
            && let Some(url) = picture_in(&image.url)
        {
            image.url = url;
        }
    }
    for Led { node, is_inside, in_picture, has_text } in links {
        let (start, value) = (node.data().sourcepos.start, node.data().value.clone());
        let shown = match value {
            NodeValue::Link(mut link) => {
                link.url = link_in(&link.url).unwrap_or(link.url);
                NodeValue::Link(link)
            }
            NodeValue::Image(mut image) => {
                let is_shown = !in_picture && !link::is_not_shown(&image.url);
                let tag = is_shown.then(|| pictures_of_others.tag(&image.url, &attributes_of(node, &image.title)));
                if let Some(tag) = tag.flatten() {
                    while let Some(child) = node.first_child() {
                        child.detach();
                    }
                    node.append(arena.alloc(Ast::new(NodeValue::Raw(tag), start).into()));
                    // The picture has it.
                    image.title.clear();
                } else if !has_text {
                    let words = NodeValue::Text(link::words_of(&image.url, base).to_owned().into());
                    node.append(arena.alloc(Ast::new(words, start).into()));
                }
                image.url = picture_in(&image.url).unwrap_or(image.url);
                NodeValue::Link(image)
            }
            _ => continue,
        };
        if is_inside {
            while let Some(child) = node.first_child() {
                node.insert_before(child);
            }
            node.detach();
        } else {
            node.data_mut().value = shown;
        }
    }
}

/// A link, or a picture that becomes one.
struct Led<'a> {
    node: Node<'a>,
    /// True if it is inside another one.
    is_inside: bool,
    /// True if it is in the description of a picture.
    in_picture: bool,
    has_text: bool,
}

/// True if this is a text that is seen.
fn is_text(node: Node<'_>) -> bool {
    match &node.data().value {
        NodeValue::Text(text) => !text.trim().is_empty(),
        NodeValue::Code(_) => true,
        _ => false,
    }
}

fn is_picture(node: Node<'_>) -> bool {
    matches!(node.data().value, NodeValue::Image(_))
}

/// The description and the title of a picture, as attributes.
fn attributes_of(picture: Node<'_>, title: &str) -> String {
    let title = if title.is_empty() { String::new() } else { format!(" title=\"{}\"", escaped(title)) };
    format!(" alt=\"{}\"{title}", escaped(&text_of(picture)))
}

/// The longest name of a heading, in characters, without the number that makes it another one.
const LONGEST: usize = 100;

/// The names of the headings of a text, each once. Names that were given to other elements are none of them.
struct Names {
    given: HashSet<String>,
    counts: HashMap<String, usize>,
}

impl Names {
    /// The name of the next heading. All of them together take linear time, however many are the same.
    fn next(&mut self, text: &str) -> String {
        let short: String = text.chars().take(LONGEST).collect();
        let name = Anchorizer::new().anchorize(&short);
        let count = self.counts.entry(name.clone()).or_default();
        loop {
            let numbered = if *count == 0 { name.clone() } else { format!("{name}-{count}") };
            *count += 1;
            if self.given.insert(numbered.clone()) {
                return numbered;
            }
        }
    }
}

/// Sets the targets of links to headings of this text to the names that these have with `mark`.
pub(crate) fn lead_to_headings(root: Node<'_>, mark: &str) {
    let mut names = Names { given: HashSet::new(), counts: HashMap::new() };
    let nodes: Vec<Node<'_>> = root.descendants().collect();
    let headings = nodes.iter().copied().filter(|node| matches!(node.data().value, NodeValue::Heading(_)));
    let own: HashSet<String> = headings.map(|node| names.next(&text_of(node))).collect();
    for node in nodes {
        if let NodeValue::Link(link) = &mut node.data_mut().value
            && let Some(name) = link.url.strip_prefix('#').map(|name| name.strip_prefix(ANCHOR).unwrap_or(name))
            && own.contains(name)
        {
            link.url = format!("#{ANCHOR}{mark}{name}");
        }
    }
}

/// The text of a heading, of which its name is made, or the description of a picture.
fn text_of(node: Node<'_>) -> String {
    let mut text = String::new();
    for inside in node.descendants() {
        match &inside.data().value {
            NodeValue::Text(piece) => text.push_str(piece),
            NodeValue::Code(code) => text.push_str(&code.literal),
            _ => {}
        }
    }
    text
}

/// Writes the tags of all headings, with names that links can lead to and that are not in `given`. Headings of a file
/// are written as its context says, and all others with `mark`. To be called when everything else is written.
pub(crate) fn show_headings<'a>(
    arena: &'a Arena<'a>,
    root: Node<'a>,
    file: Option<&FileContext<'_>>,
    given: Given,
    mark: &str,
    shows_places: bool,
) {
    let mut names = Names { given: given.0, counts: HashMap::new() };
    let headings: Vec<Node<'a>> = root.descendants().collect();
    for node in headings {
        let written = match &node.data().value {
            NodeValue::Heading(heading) => heading.level,
            _ => continue,
        };
        let level = file.map_or(written, |file| file.shown_level(written));
        let name = names.next(&text_of(node));
        let put = |html: String| {
            let raw = NodeValue::Raw(html);
            node.insert_before(arena.alloc(Ast::new(raw, node.data().sourcepos.start).into()));
        };
        let name = name.replace(['"', '<', '>', '&'], "");
        let place = if shows_places { format!(" data-sourcepos=\"{}\"", node.data().sourcepos) } else { String::new() };
        put(match file {
            Some(_) if !mark.is_empty() => {
                format!("<h{level}{place} id=\"{ANCHOR}{mark}{name}\" class=\"level-{written}\">")
            }
            Some(file) => {
                let anchor = file.plain_anchor(&name);
                format!("<h{level}{place} id=\"{ANCHOR}{name}\" class=\"level-{written}\">{anchor}")
            }
            None => format!("<h{level}{place} id=\"{ANCHOR}{mark}{name}\">"),
        });
        while let Some(child) = node.first_child() {
            node.insert_before(child);
        }
        put(format!("</h{level}>\n"));
        node.detach();
    }
}
