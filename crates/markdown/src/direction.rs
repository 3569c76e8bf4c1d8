//! The direction of writing: each block of a text has that of its first letters.

use crate::tag::leading_tag;

/// The elements that a text consists of.
const BLOCKS: [&str; 11] = ["p", "h1", "h2", "h3", "h4", "h5", "h6", "ol", "ul", "blockquote", "table"];
/// The elements without an end that may be in a text.
const VOID: [&str; 6] = ["br", "col", "hr", "img", "input", "wbr"];

/// `html` with `dir="auto"` at the blocks that are in no other element. Every `<` in it begins a tag, and quotes are around
/// all values.
pub(crate) fn mark(html: &str) -> String {
    let mut marked = String::with_capacity(html.len() + html.len() / 16);
    let mut depth = 0_usize;
    let mut rest = html;
    while let Some((text, tagged)) = rest.find('<').and_then(|at| rest.split_at_checked(at)) {
        let Some((tag, length)) = leading_tag(tagged) else { break };
        let (written, after) = tagged.split_at_checked(length).unwrap_or((tagged, ""));
        marked.push_str(text);
        rest = after;
        let name = tag.name.as_str();
        match written.strip_suffix('>') {
            Some(open) if depth == 0 && !tag.is_end && BLOCKS.contains(&name) => {
                marked.push_str(open);
                marked.push_str(" dir=\"auto\">");
            }
            Some(_) | None => marked.push_str(written),
        }
        if tag.is_end {
            depth = depth.saturating_sub(1);
        } else if !VOID.contains(&name) {
            depth += 1;
        }
    }
    marked.push_str(rest);
    marked
}

#[cfg(test)]
mod tests {
    use super::mark;

    #[test]
    fn only_blocks_in_no_other_element_are_marked() {
        for (html, want) in [
            ("", ""),
            ("text", "text"),
            ("<p>a</p>", "<p dir=\"auto\">a</p>"),
            (
                "<ul class=\"a\"><li><p>b<br>c</p></li></ul><p>d</p>",
                "<ul class=\"a\" dir=\"auto\"><li><p>b<br>c</p></li></ul><p dir=\"auto\">d</p>",
            ),
            (
                "<p><img alt=\"a > <p>\"></p><h1>b</h1>",
                "<p dir=\"auto\"><img alt=\"a > <p>\"></p><h1 dir=\"auto\">b</h1>",
            ),
            ("<hr><pre>a</pre><div><p>b</p></div>", "<hr><pre>a</pre><div><p>b</p></div>"),
            ("<p", "<p"),
        ] {
            assert_eq!(mark(html), want);
        }
    }
}
