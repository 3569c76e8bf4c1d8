//! Text to HTML: hostile texts.

use std::collections::HashMap;

use super::HERE;
use crate::tag::{Tag, leading_tag};
use crate::{Options, html, math, plain_html, raw_html};

/// Every tag in `html`; panics at a `<` that begins none.
pub(super) fn tags(html: &str) -> Vec<Tag> {
    let starts = html.match_indices('<').map(|(at, _)| leading_tag(&html[at..]));
    starts.map(|tag| tag.unwrap_or_else(|| panic!("a `<` without a tag in {html:?}")).0).collect()
}

/// Panics if something in `html` could act.
pub(super) fn assert_harmless(html: &str) {
    let own = ["input", "section", "table", "tbody", "td", "th", "thead", "tr"];
    let elements: Vec<&str> = raw_html::elements().chain(own).chain(math::ELEMENTS).collect();
    let attributes = [
        "align",
        "alt",
        "aria-label",
        "checked",
        "cite",
        "class",
        "disabled",
        "height",
        "href",
        "id",
        "open",
        "rel",
        "src",
        "start",
        "target",
        "title",
        "type",
        "width",
    ];
    for tag in tags(html) {
        assert!(elements.contains(&tag.name.as_str()), "<{}> in {html:?}", tag.name);
        for (name, value) in &tag.attributes {
            let is_of_formula =
                math::ELEMENTS.contains(&tag.name.as_str()) && math::ATTRIBUTES.contains(&name.as_str());
            assert!(is_of_formula || attributes.contains(&name.as_str()), "{name} in {html:?}");
            assert!(name != "id" || value.starts_with("user-content-"), "{value} in {html:?}");
            if matches!(name.as_str(), "href" | "src" | "cite") {
                let scheme = value.split(['/', '?', '#']).next().unwrap().split_once(':').map(|(scheme, _)| scheme);
                let known = scheme.is_none_or(|it| ["http", "https", "mailto"].contains(&it.to_lowercase().as_str()));
                assert!(known, "{value} in {html:?}");
            }
        }
    }
    let turning = |c| matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    assert!(!html.contains(turning), "{html:?}");
}

#[test]
fn nothing_that_acts_gets_through() {
    let cases = [
        "<script>alert(1)</script>",
        "a <script>alert(1)</script>",
        "<SCRIPT SRC=//x.yy></SCRIPT>",
        "<script",
        "<scr<script>ipt>",
        "<style>*{}</style>",
        "<p style='x:y'>a</p>",
        "<iframe src=x></iframe>",
        "<object data=x></object>",
        "<embed src=x>",
        "<svg onload=alert(1)>",
        "<svg><script>a</script></svg>",
        "<math><mtext></mtext></math>",
        "$\\text{<script>a</script>}$",
        "$\\href{javascript:a}{b}$",
        "$$<img src=x onerror=y>$$",
        "```math\n</math><script>a</script>\n```",
        "[^<script>]\n\n[^<script>]: <script>a</script>",
        "> [!NOTE] <script>a</script>\n> <script>b</script>",
        "<b id='\"><script>a</script>'>b</b>",
        "<a name=x id=y onclick=a>b</a>",
        "<base href=//x.yy>",
        "<meta http-equiv=refresh>",
        "<link rel=stylesheet href=x>",
        "<form action=x><input name=y></form>",
        "<input type=text>",
        "<button>a</button>",
        "<textarea><img src=x onerror=y></textarea>",
        "<noscript><p title='</noscript><img src=x onerror=y>'>",
        "<img src=x onerror=alert(1)>",
        "<img src='javascript:a'>",
        "<img src=data:text/html,a>",
        "<img src=\"x\"onerror=a>",
        "<b onclick=a>b</b>",
        "<b\nonclick=a>b</b>",
        "<b/onclick=a>b</b>",
        "<b class=gfm id=a name=b>b</b>",
        "<div class=gfm data-x=y>b</div>",
        "<a href='javascript:a'>b</a>",
        "<a href='&#106;avascript:a'>b</a>",
        "<a href='java\nscript:a'>b</a>",
        "<a href=' javascript:a'>b</a>",
        "<a href='JaVaScRiPt:a'>b</a>",
        "<a href='javascript&colon;a'>b</a>",
        "<a href='vbscript:a'>b</a>",
        "<a href='data:text/html,a'>b</a>",
        "<q cite='javascript:a'>b</q>",
        "<blockquote cite='javascript:a'>\nb\n</blockquote>",
        "[a](javascript:b)",
        "[a](JAVASCRIPT:b)",
        "[a](&#106;avascript:b)",
        "[a](javascript&colon;b)",
        "[a](\\javascript:b)",
        "[a](<javascript:b>)",
        "[a](data:text/html;base64,b)",
        "[a](vbscript:b)",
        "[a](file:///etc)",
        "[a](ftp://b)",
        "[a]\n\n[a]: javascript:b",
        "<javascript:a>",
        "![a](javascript:b)",
        "![a](data:image/svg+xml,b)",
        "![a](data:image/png;base64,b)",
        "[a](x \"\" onclick=b)",
        "[a](x '\"><script>b</script>')",
        "[a](x\"onclick=b)",
        "![\"onerror=a](x)",
        "![<script>a</script>](x)",
        "```\"><script>a</script>\nb\n```",
        "`<script>a</script>`",
        "```x onclick=a\nb\n```",
        "~~~\"onclick=\"a\nb\n~~~",
        "| <script>a</script> |\n|---|\n| <img src=x onerror=y> |",
        "# <script>a</script>",
        "- [x] <script>a</script>",
        "<!--><img src=x onerror=a>-->",
        "<!--><script>a</script>",
        "<?x <script>a</script> ?>",
        "<!x <img src=y onerror=z>>",
        "<![CDATA[<script>a</script>]]>",
        "<div>\n<![CDATA[<img src=x onerror=y>]]>\n</div>",
        "<div\n<script>a</script>",
        "<b a='<script>a</script>'>b</b>",
        "<b title='\"><script>a</script>'>b</b>",
        "<abbr title=\"a>b<c\">d</abbr>",
        "a\u{202e}b\u{2066}c",
        "[a\u{202e}](/x \"\u{202d}\")",
        "`\u{202e}`",
        "&#x202e;a &#8238;",
        "<b title='&#x202e;'>a</b>",
        "![\u{2067}](x)",
    ];
    for text in cases {
        assert_harmless(&html(text, &HERE, &HashMap::new()));
        assert_harmless(&plain_html(text, &Options::of("")));
    }
}

#[test]
fn a_link_that_may_not_lead_there_is_its_text() {
    for text in ["[a](javascript:b)", "[a](data:b)", "[a](ftp://b)", "[a](b:c)"] {
        assert_eq!(html(text, &HERE, &HashMap::new()), "<p>a</p>", "{text}");
    }
    assert_eq!(html("[a](b/c:d)", &HERE, &HashMap::new()), "<p><a href=\"b/c:d\">a</a></p>");
}

#[test]
fn very_long_addresses_are_no_links() {
    let text = format!("[a](/{}) ![b](/{})", "&".repeat(5_000), "c".repeat(20_000));
    assert_eq!(html(&text, &HERE, &HashMap::new()), "<p>a </p>");
}

#[test]
fn characters_that_turn_the_direction_are_left_out_of_what_is_shown() {
    let text = "[https://git\u{202e}.example](https://x.yy)";
    let shown = html(text, &HERE, &HashMap::new());
    assert!(shown.ends_with(">https://git.example</a></p>"), "{shown}");
    let long = format!("\u{202e}{}", "a".repeat(1_000_000));
    assert!(html(&long, &HERE, &HashMap::new()).starts_with("<pre>aaa"));
}

#[test]
fn a_text_that_is_too_long_to_be_parsed_is_shown_as_it_was_written() {
    let long = format!("<script>*a* &{}", "é".repeat(1_000_000));
    for shown in [html(&long, &HERE, &HashMap::new()), plain_html(&long, &Options::of(""))] {
        assert!(shown.starts_with("<pre>&lt;script&gt;*a* &amp;éé"));
        assert!(shown.ends_with("é</pre>"));
    }
}

#[test]
fn nesting_ends_somewhere_and_loses_no_text() {
    let cases = [
        (format!("{}deep", "> ".repeat(2_000)), "<blockquote>"),
        (format!("{}deep", "- ".repeat(2_000)), "<ul>"),
        (format!("{}deep{}", "*a **b ".repeat(1_000), "b** a*".repeat(1_000)), "<em>"),
        (format!("{}deep{}", "<div>".repeat(1_000), "</div>".repeat(1_000)), "<div>"),
        (format!("{}deep{}", "<b>".repeat(1_000), "</b>".repeat(1_000)), "<b>"),
    ];
    for (text, element) in cases {
        let shown = html(&text, &HERE, &HashMap::new());
        assert!(shown.contains("deep"), "{element}");
        let mut depth = 0_i32;
        let mut deepest = 0;
        for tag in tags(&shown).iter().filter(|tag| !["br", "img", "input"].contains(&tag.name.as_str())) {
            depth += if tag.is_end { -1 } else { 1 };
            deepest = deepest.max(depth);
        }
        assert!((20..=120).contains(&deepest), "{element} {deepest}");
    }
}
