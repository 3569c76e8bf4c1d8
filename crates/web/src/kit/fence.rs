//! Blocks of code in texts of people. The renderer of Markdown names their language, and this module gives them their
//! colours.
//!
//! A page has one budget for the blocks of all its texts: a number of blocks, and a number of bytes (`PageLimits`). The
//! other blocks stay plain.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;
use std::sync::Arc;

use tenon_app::App;
use tenon_app::highlighter::{Colours, Fence, Origin};
use tenon_domain::limits::PageLimits;

use super::code;

/// The HTML before the code of a block whose language is named, up to the language.
const OPENS: &str = "<code class=\"language-";
const CLOSES: &str = "</code>";
/// The longest name of a language.
const LONGEST_NAME: usize = 50;

/// A block of code of a page: the place of its code in the HTML, and the code.
#[derive(Debug, PartialEq, Eq)]
struct Block {
    at: Range<usize>,
    language: String,
    code: String,
}

/// The page at this path with the colours of its blocks of code, as far as they are found in time. None if it has no
/// such block.
pub(crate) async fn coloured(app: &App, path: &str, html: &str) -> Option<String> {
    let blocks = find(html, &app.limits().pages);
    if blocks.is_empty() {
        return None;
    }
    let fence = |block: &Block| Fence { language: block.language.clone(), code: block.code.clone() };
    let fences = blocks.iter().map(fence).collect();
    let colours = app.colours_of_fences(origin(path), fences).await;
    Some(filled(html, &blocks, &colours))
}

/// The origin for which failures are counted: the project, group or user at the start of the path.
fn origin(path: &str) -> Origin {
    let mut hasher = DefaultHasher::new();
    path.trim_start_matches('/').split('/').take(2).collect::<Vec<_>>().hash(&mut hasher);
    // Numbers of projects are positive.
    Origin::new(-1 - i64::try_from(hasher.finish() >> 1).unwrap_or_default())
}

/// The blocks of a page that get colours, in their order.
fn find(html: &str, limits: &PageLimits) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let (mut at, mut bytes_left) = (0, usize::try_from(limits.fence_bytes).unwrap_or(usize::MAX));
    while blocks.len() < limits.fences
        && let Some((found, next)) = next(html, at)
    {
        at = next;
        if let Some(block) = found.filter(|block| block.code.len() <= bytes_left) {
            bytes_left -= block.code.len();
            blocks.push(block);
        }
    }
    blocks
}

/// The next block behind a place, and the place where the search continues. No block if the renderer did not write it.
fn next(html: &str, from: usize) -> Option<(Option<Block>, usize)> {
    let named = from + html.get(from..)?.find(OPENS)? + OPENS.len();
    let rest = html.get(named..)?;
    let block = || {
        let (language, behind) = rest.split_once('"')?;
        let start = named + language.len() + 2;
        let code = behind.strip_prefix('>')?;
        let length = code.find('<')?;
        let is_closed = code.get(length..)?.starts_with(CLOSES);
        let code = plain(code.get(..length)?)?;
        let is_named = !language.is_empty() && language.len() <= LONGEST_NAME;
        let block = Block { at: start..start + length, language: plain(language)?, code };
        (is_closed && is_named).then_some(block)
    };
    let found = block();
    let next = found.as_ref().map_or(named, |block| block.at.end);
    Some((found, next))
}

/// Escaped text as it was. None if it has anything that is not escaped as the renderer does it.
fn plain(escaped: &str) -> Option<String> {
    let mut text = String::with_capacity(escaped.len());
    let mut rest = escaped;
    while let Some((before, behind)) = rest.split_once('&') {
        let (name, after) = behind.split_once(';')?;
        text.push_str(before);
        text.push(match name {
            "lt" => '<',
            "gt" => '>',
            "amp" => '&',
            "quot" => '"',
            "#39" | "#x27" => '\'',
            "nbsp" => '\u{a0}',
            _ => return None,
        });
        rest = after;
    }
    text.push_str(rest);
    Some(text)
}

/// The page with colours in its blocks.
fn filled(html: &str, blocks: &[Block], colours: &[Arc<Colours>]) -> String {
    let mut page = String::with_capacity(html.len() + html.len() / 4);
    let mut done = 0;
    for (block, colours) in blocks.iter().zip(colours).filter(|(_, colours)| !colours.is_plain()) {
        page.push_str(html.get(done..block.at.start).unwrap_or_default());
        for (number, line) in block.code.split_inclusive('\n').enumerate() {
            write_line(&mut page, line, colours, number);
        }
        done = block.at.end;
    }
    page.push_str(html.get(done..).unwrap_or_default());
    page
}

fn write_line(page: &mut String, line: &str, colours: &Colours, number: usize) {
    let text = line.strip_suffix('\n').unwrap_or(line);
    let text = text.strip_suffix('\r').unwrap_or(text);
    for word in code::words(text, colours.line(number), &[]) {
        if word.class.is_empty() {
            escape(page, word.text);
        } else {
            page.push_str("<span class=\"");
            page.push_str(word.class);
            page.push_str("\">");
            escape(page, word.text);
            page.push_str("</span>");
        }
    }
    page.push_str(line.get(text.len()..).unwrap_or_default());
}

fn escape(page: &mut String, text: &str) {
    for letter in text.chars() {
        match letter {
            '<' => page.push_str("&lt;"),
            '>' => page.push_str("&gt;"),
            '&' => page.push_str("&amp;"),
            '"' => page.push_str("&quot;"),
            other => page.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> PageLimits {
        PageLimits { fences: 2, fence_bytes: 100, ..PageLimits::default() }
    }

    #[test]
    fn blocks_are_those_whose_language_the_renderer_names() {
        let html = "<p><code>a</code></p><pre><code class=\"language-rust\">let a = &quot;&lt;&amp;&#39;&quot;;\n</code></pre>";
        let found = find(html, &limits());
        let [block] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((block.language.as_str(), block.code.as_str()), ("rust", "let a = \"<&'\";\n"));
        assert!(html[block.at.clone()].starts_with("let a") && html[block.at.end..].starts_with("</code>"));
        for other in [
            "<code class=\"language-\">a</code>",
            "<code class=\"language-a\" id=\"b\">a</code>",
            "<code class=\"language-a\">a<b>b</b></code>",
            "<code class=\"language-a\">&unknown;</code>",
            "<code class=\"language-a\">a & b</code>",
            "<code class=\"language-a\">never closed",
            "<code class=\"language-a",
        ] {
            assert_eq!(find(other, &limits()), [], "{other}");
        }
    }

    #[test]
    fn a_page_has_one_budget_for_all_its_blocks() {
        let block = |length: usize| format!("<pre><code class=\"language-c\">{}</code></pre>", "a".repeat(length));
        let lengths = |html: &str| find(html, &limits()).iter().map(|block| block.code.len()).collect::<Vec<_>>();
        assert_eq!(lengths(&[block(60), block(50), block(40), block(1)].concat()), [60, 40]);
        assert_eq!(lengths(&block(101)), Vec::<usize>::new());
    }

    #[test]
    fn plain_blocks_stay_as_they_are() {
        let html = "<pre><code class=\"language-c\">a &amp; b\r\n\nc</code></pre><p>end</p>";
        let blocks = find(html, &limits());
        assert_eq!(filled(html, &blocks, &[Arc::default()]), html);
        // The colours never change the text.
        let mut page = String::new();
        for line in "a & <b>\r\n\nc".split_inclusive('\n') {
            write_line(&mut page, line, &Colours::default(), 0);
        }
        assert_eq!(page, "a &amp; &lt;b&gt;\r\n\nc");
    }
}
