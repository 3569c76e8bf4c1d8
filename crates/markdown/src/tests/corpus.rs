//! A corpus of our own: each construct of GFM and of the incumbent's Markdown, alone, and all of them inside of each
//! other.

use std::collections::HashMap;

use super::{HERE, safety};
use crate::{FileContext, file_html, html, references};

fn shown(text: &str) -> String {
    html(text, &HERE, &HashMap::new())
}

/// A construct, and the HTML that it has.
const ALONE: [(&str, &[&str]); 53] = [
    ("# Title", &["<h1 id=\"user-content-title\">Title</h1>"]),
    ("Title\n=====", &["<h1 id=\"user-content-title\">Title</h1>"]),
    ("a\nb", &["<p>a\nb</p>"]),
    ("a  \nb", &["a<br>\nb"]),
    ("*a* _b_", &["<em>a</em> <em>b</em>"]),
    ("**a** __b__", &["<strong>a</strong> <strong>b</strong>"]),
    ("~~a~~", &["<del>a</del>"]),
    ("snake_case_word", &["snake_case_word"]),
    ("`a *b*`", &["<code>a *b*</code>"]),
    ("```ruby\na\n```", &["<pre><code class=\"language-ruby\">a\n</code></pre>"]),
    ("~~~\na\n~~~", &["<pre><code>a\n</code></pre>"]),
    ("    a", &["<pre><code>a\n</code></pre>"]),
    ("> a\n> b", &["<blockquote>\n<p>a\nb</p>\n</blockquote>"]),
    ("- a\n- b", &["<ul>\n<li>a</li>\n<li>b</li>\n</ul>"]),
    ("1. a\n2. b", &["<ol>\n<li>a</li>\n<li>b</li>\n</ol>"]),
    ("- a\n\n  b", &["<li>\n<p>a</p>\n<p>b</p>\n</li>"]),
    ("- [ ] a\n- [x] b", &["task-list-item", "type=\"checkbox\"", "checked=\"\""]),
    ("---", &["<hr>"]),
    ("[a](/b \"c\")", &["<a href=\"/b\" title=\"c\">a</a>"]),
    ("[a][b]\n\n[b]: /c", &["<a href=\"/c\">a</a>"]),
    ("<https://git.example/a>", &["<a href=\"https://git.example/a\">https://git.example/a</a>"]),
    ("https://git.example/a_b_c", &["<a href=\"https://git.example/a_b_c\">https://git.example/a_b_c</a>"]),
    ("![a](/b.png)", &["<img src=\"/b.png\" alt=\"a\">"]),
    ("![a](https://elsewhere.example/b.png)", &[">a</a>", "noopener"]),
    ("| a | b |\n|:--|--:|\n| c | d |", &["<th align=\"left\">a</th>", "<td align=\"right\">d</td>"]),
    (":tada:", &["🎉"]),
    ("&copy; &#35;", &["© #"]),
    ("\\*a\\*", &["<p>*a*</p>"]),
    ("a<br>b <kbd>c</kbd> <sub>d</sub>", &["a<br>b <kbd>c</kbd> <sub>d</sub>"]),
    ("<details><summary>a</summary>\n\n*b*\n\n</details>", &["<details>", "<summary>a</summary>", "<em>b</em>"]),
    ("<dl><dt>a</dt><dd>b</dd></dl>", &["<dl><dt>a</dt><dd>b</dd></dl>"]),
    ("a[^1]\n\n[^1]: *b*", &["<sup class=\"footnote-ref\">", "<section class=\"footnotes\">", "<em>b</em>", "↩"]),
    ("a[^x]", &["a[^x]"]),
    ("[^x]: never called", &[]),
    ("> [!NOTE]\n> a", &["markdown-alert-note", "<p class=\"markdown-alert-title\">Note</p>", "<p>a</p>"]),
    ("> [!tip]\n> a", &["markdown-alert-tip", ">Tip</p>"]),
    ("> [!IMPORTANT]\n> a", &["markdown-alert-important"]),
    ("> [!WARNING] Mind *this*\n> a", &["markdown-alert-title\">Mind <em>this</em></p>", "<p>a</p>"]),
    ("> [!CAUTION]\n>\n> a", &["markdown-alert-caution", "<p>a</p>"]),
    ("> [!OTHER]\n> a", &["<blockquote>\n<p>[!OTHER]\na</p>"]),
    ("$a^2$", &["<math display=\"inline\"><msup><mi>a</mi><mn>2</mn></msup></math>"]),
    ("$`a_1`$", &["<math display=\"inline\"><msub>"]),
    ("$$\\frac{a}{b}$$", &["<math display=\"block\"><mfrac>"]),
    ("$$\\sum_{i=1}^n i$$", &["<munderover>"]),
    ("```math\na+b\n```", &["<math display=\"block\"><mi>a</mi><mo>+</mo><mi>b</mi></math>"]),
    ("$\\nonsense$", &["<code class=\"language-math\">\\nonsense</code>"]),
    ("$\\def\\a{b}\\a$", &["<code class=\"language-math\">"]),
    ("costs $5 and $6", &["costs $5 and $6"]),
    ("`$a$`", &["<code>$a$</code>"]),
    ("<a name=\"x\"></a> [b](#x)", &["<a id=\"user-content-x\"></a>", "<a href=\"#user-content-x\">b</a>"]),
    ("<div id=\"x\">\n\na\n\n</div>\n\n[b](#x)", &["<div id=\"user-content-x\">", "\"#user-content-x\""]),
    ("<span id=x>a</span> <b id=x>c</b>", &["<span id=\"user-content-x\">a</span> <b>c</b>"]),
    ("[a](#note_7)", &["<a href=\"#note_7\">a</a>"]),
];

#[test]
fn each_construct_is_shown() {
    for (text, expected) in ALONE {
        let html = shown(text);
        safety::assert_harmless(&html);
        for part in expected {
            assert!(html.contains(part), "{part} of {text:?}: {html}");
        }
    }
    assert_eq!(shown("[^x]: never called"), "");
}

/// Puts a construct into another one.
const AROUND: [(&str, &str); 10] = [
    ("", ""),
    ("> ", "> "),
    ("- ", "  "),
    ("1. ", "   "),
    ("- [ ] t\n\n  ", "  "),
    ("> - ", ">   "),
    ("> [!NOTE]\n> t\n>\n> ", "> "),
    ("[^n]\n\n[^n]: ", "    "),
    ("<details>\n\n", ""),
    ("# x\n\n", ""),
];

#[test]
fn each_construct_is_shown_inside_of_each_other() {
    let skipped = ["    a", "Title\n====="];
    for (first, further) in AROUND {
        for (text, expected) in ALONE.into_iter().filter(|(text, _)| !skipped.contains(text)) {
            let inside = format!("{first}{}", text.replace('\n', &format!("\n{further}")));
            let html = shown(&inside);
            safety::assert_harmless(&html);
            assert_balanced(&html, &inside);
            // Definitions of footnotes stand at the beginning of a line; alerts are not inside of quotes; tight items
            // have no paragraph.
            let is_quote = text.starts_with('>') && first.contains('>');
            if text.contains("[^") || is_quote || first.starts_with('[') {
                continue;
            }
            for part in expected.iter().filter(|part| !part.contains("<p>") && !part.contains('\n')) {
                assert!(html.contains(part), "{part} of {inside:?}: {html}");
            }
        }
    }
}

/// Panics if an element is not closed, or closed in another order.
fn assert_balanced(html: &str, text: &str) {
    let mut open = Vec::new();
    for tag in safety::tags(html) {
        if tag.is_end {
            assert_eq!(open.pop(), Some(tag.name), "{text:?}: {html}");
        } else if !["br", "hr", "img", "input", "wbr"].contains(&tag.name.as_str()) {
            open.push(tag.name);
        }
    }
    assert!(open.is_empty(), "{text:?}: {html}");
}

/// The names that the fragments of links lead to and that no element has. Also the names that several elements have.
fn dangling(html: &str) -> (Vec<String>, Vec<String>) {
    let tags = safety::tags(html);
    let values = |wanted: &str| -> Vec<String> {
        let of =
            |tag: &crate::tag::Tag| tag.attributes.iter().find(|(name, _)| name == wanted).map(|(_, it)| it.clone());
        tags.iter().filter_map(of).collect()
    };
    let ids = values("id");
    let led = values("href").into_iter().filter_map(|href| href.strip_prefix('#').map(str::to_owned));
    let missing = led.filter(|name| !ids.contains(name)).collect();
    let twice = ids.iter().filter(|id| ids.iter().filter(|it| it == id).count() > 1).cloned().collect();
    (missing, twice)
}

#[test]
fn both_ends_of_each_fragment_agree() {
    let file = FileContext { pages: "/a/b/blob/main", raw: "/a/b/raw/main", folder: "", levels: 1, taken: &[] };
    let texts = [
        "a[^1] b[^two] c[^1] d[^1]\n\n[^1]: x[^two]\n[^two]: y[^three]\n\n[^three]: z\n",
        "> a[^1]\n\n- b[^1]\n\n  [^1]: c\n",
        "a[^1]\n\n[^1]: b\n[^1]: c\n",
        "a[^Ä ö]\n\n[^Ä ö]: b\n",
        "[^1]: [^1]\n",
        "[^1]\n\n[^1]: b\n\n    > c\n",
        "<a name=\"x\"></a>\n\n[b](#x) <a href=\"#x\">c</a>\n",
        "<p id='y'>a</p>\n\n[b](#y)\n",
    ];
    for text in texts {
        for html in [shown(text), file_html(text, &HERE, &HashMap::new(), &file)] {
            assert_eq!(dangling(&html), (vec![], vec![]), "{text:?}: {html}");
        }
    }
    let headings =
        "# One two\n\n## One two\n\n[a](#one-two) [b](#one-two-1) [c](#main)\n\n<h2 id=\"main\">x</h2>\n\n# Main\n";
    let html = file_html(headings, &HERE, &HashMap::new(), &file);
    assert_eq!(dangling(&html), (vec![], vec![]), "{html}");
    // Addresses from elsewhere lead there too.
    assert!(html.contains("id=\"one-two\"") && html.contains("id=\"main\""), "{html}");
    // Two texts of one page.
    let both = ["a[^1]\n\n[^1]: b", "c[^1]\n\n[^1]: d"].map(shown).concat();
    assert_eq!(dangling(&both), (vec![], vec![]), "{both}");
}

#[test]
fn references_in_footnotes_and_alerts_are_found() {
    let text = "a[^1]\n\n> [!NOTE] see #2\n> and #3\n\n[^1]: #4\n\n$#5$ `#6`\n";
    let found = references(text, &HERE);
    assert_eq!(found, [2, 3, 4].map(|iid| super::issue("", iid)));
    let linked = html(text, &HERE, &super::targets(&found, "T"));
    assert_eq!(linked.matches("class=\"gfm gfm-issue\"").count(), 3, "{linked}");
}

#[test]
fn dear_formulas_are_code() {
    for formula in [
        "{".repeat(3_000),
        "\\sqrt".repeat(700),
        "\\left(".repeat(600),
        "\\frac".repeat(700),
        "a^".repeat(1_500),
        "\\text{\\text{".repeat(300),
        "\\begin{matrix}".repeat(200),
        format!("\\def\\a{{{}}}\\a", "\\b".repeat(100)),
        "a".repeat(5_000),
        "\\hspace{9999em}".to_owned(),
        "^".to_owned(),
        "}".to_owned(),
        "\\".to_owned(),
        "&".to_owned(),
    ] {
        let html = shown(&format!("```math\n{formula}\n```"));
        safety::assert_harmless(&html);
        assert!(!html.contains("9999"), "{html}");
    }
    let many = shown(&"$a$ ".repeat(60_000));
    assert!(many.contains("<math") && many.contains("<code class=\"language-math\">a</code>"));
}

#[test]
fn a_badge_inside_of_a_link_has_a_name() {
    let badge = "https://elsewhere.example/badge.svg";
    for text in [
        format!("[![]({badge})](/x)"),
        format!("[![ci]({badge})](/x)"),
        format!("<a href=\"/x\"><img src=\"{badge}\"></a>"),
        format!("a <a href=\"/x\"><img src=\"{badge}\" alt=\"ci\"></a>"),
        format!("[<img src=\"{badge}\">](/x)"),
        format!("a <a href=\"/x\">![ci]({badge})</a>"),
    ] {
        let html = shown(&text);
        assert_eq!(html.matches("<a ").count(), 1, "{text}: {html}");
        assert!(html.contains(">ci</a>") || html.contains(">elsewhere.example</a>"), "{text}: {html}");
        assert!(!html.contains("<img"), "{html}");
    }
}
