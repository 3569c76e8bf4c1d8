//! The last net: only known elements, attributes and addresses leave this crate.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};

use crate::anchor::ANCHOR;
use crate::link::{EXTERNAL_REL, SCHEMES};
use crate::{math, raw_html};

/// Elements that only the renderer writes.
const OWN_ELEMENTS: [&str; 8] = ["input", "section", "table", "tbody", "td", "th", "thead", "tr"];

/// The classes that the renderer writes.
const CLASSES: [&str; 26] = [
    "anchor",
    "contains-task-list",
    "footnote-backref",
    "footnote-ref",
    "footnotes",
    "gfm",
    "gfm-issue",
    "gfm-label",
    "gfm-merge_request",
    "gfm-milestone",
    "gfm-project_member",
    "level-1",
    "level-2",
    "level-3",
    "level-4",
    "level-5",
    "level-6",
    "markdown-alert",
    "markdown-alert-caution",
    "markdown-alert-important",
    "markdown-alert-note",
    "markdown-alert-tip",
    "markdown-alert-title",
    "markdown-alert-warning",
    "task-list-item",
    "task-list-item-checkbox",
];

/// The elements that have these classes.
const CLASSED: [&str; 15] =
    ["a", "div", "h1", "h2", "h3", "h4", "h5", "h6", "input", "li", "ol", "p", "section", "sup", "ul"];

static CLEANER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut cleaner = Builder::empty();
    let classes = || HashSet::from(CLASSES);
    cleaner
        .tags(raw_html::elements().chain(OWN_ELEMENTS).chain(math::ELEMENTS).collect())
        .generic_attributes(HashSet::from(["data-sourcepos", "id"]))
        .clean_content_tags(HashSet::from(["script", "style"]))
        .tag_attributes(raw_html::attributes())
        .add_tag_attributes("a", ["aria-label", "data-color", "rel", "target"])
        .add_tag_attributes("code", ["class"])
        .add_tag_attributes("img", ["data-canonical-src"])
        .add_tag_attributes("input", ["checked"])
        .add_tag_attributes("td", ["align"])
        .add_tag_attributes("th", ["align"])
        .tag_attribute_values(HashMap::from([("input", HashMap::from([("type", HashSet::from(["checkbox"]))]))]))
        // A tick is a matter of editing the text.
        .set_tag_attribute_value("input", "disabled", "")
        // Screen readers announce a box by its name.
        .set_tag_attribute_value("input", "aria-label", "Task")
        .allowed_classes(CLASSED.into_iter().map(|tag| (tag, classes())).collect())
        .attribute_filter(keep_attribute)
        .url_schemes(HashSet::from(SCHEMES))
        .url_relative(UrlRelative::PassThrough)
        .link_rel(None);
    for element in math::ELEMENTS {
        cleaner.add_tag_attributes(element, math::ATTRIBUTES);
    }
    cleaner
});

/// `html` without anything that could act, or that pretends to be part of our page. It has no characters that turn the
/// direction of writing around, which make an address read as another.
pub(crate) fn clean(html: &str) -> String {
    let mut clean = CLEANER.clean(&portioned(html)).to_string();
    // They begin with this byte, which most texts do not have.
    if clean.as_bytes().contains(&0xE2) {
        clean.retain(|c| !turns_direction(c));
    }
    clean
}

/// The bytes of a text that come before it is divided.
const PORTION: usize = 1_000;
/// The longest tag, in bytes.
const MAX_TAG: usize = 10_000;

/// `html` with comments in long texts, which divide them until the end and are not part of it, and without very long
/// tags. For each character that it must escape, the sanitiser's writer looks through the rest of the text.
///
/// In `html`, every `<` begins a tag, and every `>` ends one.
fn portioned(html: &str) -> String {
    let mut portioned = String::with_capacity(html.len() + html.len() / 64);
    let mut rest = html;
    while !rest.is_empty() {
        let (text, behind) = rest.split_at_checked(rest.find('<').unwrap_or(rest.len())).unwrap_or((rest, ""));
        let (tag, behind) =
            behind.split_at_checked(behind.find('>').map_or(behind.len(), |end| end + 1)).unwrap_or(("", ""));
        // In text, quotes need no escaping, and reading it takes time.
        let text = text.replace("&quot;", "\"");
        let mut divided_at = 0;
        for (at, c) in text.char_indices() {
            // Not inside of a character reference; and only these need to be escaped.
            if at >= divided_at + PORTION && (c == '&' || !c.is_ascii()) {
                portioned.push_str(text.get(divided_at..at).unwrap_or_default());
                portioned.push_str("<!---->");
                divided_at = at;
            }
        }
        portioned.push_str(text.get(divided_at..).unwrap_or_default());
        if tag.len() <= MAX_TAG {
            portioned.push_str(tag);
        }
        rest = behind;
    }
    portioned
}

/// Overrides, embeddings and isolates.
pub(crate) fn turns_direction(c: char) -> bool {
    matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// True for `#` with hexadecimal digits.
fn is_color(value: &str) -> bool {
    let digits = value.strip_prefix('#').unwrap_or_default();
    matches!(digits.len(), 3 | 6) && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
}

/// True for the lines and columns of a part of the text, such as `1:1-2:10`.
fn is_place(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'-'))
}

/// Attributes whose value decides.
fn keep_attribute<'v>(tag: &str, attribute: &str, value: &'v str) -> Option<Cow<'v, str>> {
    if math::ELEMENTS.contains(&tag) {
        return math::may_have(attribute, value).then_some(Cow::Borrowed(value));
    }
    let keep = match (tag, attribute) {
        ("a", "aria-label") => value.starts_with("Back to reference "),
        // Only the renderer writes names without the prefix: it gives the prefix to names that texts have chosen.
        ("a", "id") => true,
        ("a", "data-color") => is_color(value),
        ("a", "rel") => value == EXTERNAL_REL,
        ("a", "target") => value == "_blank",
        ("code", "class") => value.strip_prefix("language-").is_some_and(|name| !name.contains(char::is_whitespace)),
        (_, "id") => value.starts_with(ANCHOR),
        (_, "data-sourcepos") => is_place(value),
        (_, "align") => ["left", "center", "right"].iter().any(|side| side.eq_ignore_ascii_case(value)),
        _ => true,
    };
    keep.then_some(Cow::Borrowed(value))
}
