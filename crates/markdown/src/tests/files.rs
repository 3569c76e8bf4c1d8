//! Texts that are files of a repository.

use std::collections::HashMap;

use super::HERE;
use crate::{FileContext, file_html};

fn shown(text: &str) -> String {
    let file =
        FileContext { pages: "/a/b/blob/main", raw: "/a/b/raw/main", folder: "doc/en", levels: 2, taken: &["main"] };
    file_html(text, &HERE, &HashMap::new(), &file)
}

#[test]
fn relative_links_lead_to_other_files() {
    for (url, want) in [
        ("x.md", "/a/b/blob/main/doc/en/x.md"),
        ("./x.md", "/a/b/blob/main/doc/en/x.md"),
        ("../x.md#part", "/a/b/blob/main/doc/x.md#user-content-part"),
        ("../../../../x.rs#L7", "/a/b/blob/main/x.rs#L7"),
        ("/src/x.rs?a=1", "/a/b/blob/main/src/x.rs?a=1"),
        ("..", "/a/b/blob/main/doc"),
        ("#part", "#user-content-part"),
        ("https://git.example/c", "https://git.example/c"),
        ("mailto:a@b.example", "mailto:a@b.example"),
    ] {
        let html = shown(&format!("[x]({url})"));
        assert!(html.contains(&format!("<a href=\"{want}\"")), "{url}: {html}");
        let html = shown(&format!("a <a href=\"{url}\">x</a>"));
        assert!(html.contains(&format!("<a href=\"{want}\"")), "{url}: {html}");
    }
    for url in ["javascript:alert(1)", "data:text/html,x"] {
        assert!(!shown(&format!("[x]({url})")).contains("href"), "{url}");
    }
    assert!(shown("[x](//evil.example/x)").contains("noopener"));
}

#[test]
fn pictures_come_from_the_repository_only() {
    assert!(shown("![a](x.png)").contains("<img src=\"/a/b/raw/main/doc/en/x.png\" alt=\"a\""));
    assert!(shown("<p><img src=\"/x.png\" alt=\"a\"></p>").contains("<img src=\"/a/b/raw/main/x.png\""));
    for text in [
        "![a](https://elsewhere.example/x.png)",
        "[![a](https://elsewhere.example/x.png)](y.md)",
        "![](//elsewhere.example/x.png)",
        "<img src=\"https://elsewhere.example/x.png\">",
        "<img alt='\"><img src=x>' src='https://elsewhere.example/x.png'>",
        "![a](data:image/png;base64,AAAA)",
    ] {
        assert!(!shown(text).contains("<img"), "{text}: {}", shown(text));
    }
    assert!(shown("![a](https://elsewhere.example/x.png)").contains(">a</a>"));
    assert!(shown("![](https://elsewhere.example/x.png)").contains(">elsewhere.example</a>"));
    assert!(
        shown("[![a](https://elsewhere.example/x.png)](y.md)").contains("<a href=\"/a/b/blob/main/doc/en/y.md\">a</a>")
    );
}

#[test]
fn headings_are_below_those_of_the_page_and_have_names() {
    let html = shown("# One `two`\n\n# One two\n\n###### Six\n\n<h1 id=\"main\" align=\"center\">Raw</h1>\n");
    assert!(html.contains("<h3 id=\"user-content-one-two\" class=\"level-1\"><a class=\"anchor\" id=\"one-two\"></a>One <code>two</code></h3>"), "{html}");
    assert!(
        html.contains(
            "<h3 id=\"user-content-one-two-1\" class=\"level-1\"><a class=\"anchor\" id=\"one-two-1\"></a>One two</h3>"
        ),
        "{html}"
    );
    assert!(
        html.contains("<h6 id=\"user-content-six\" class=\"level-6\"><a class=\"anchor\" id=\"six\"></a>Six</h6>"),
        "{html}"
    );
    assert!(
        html.contains("<h3 class=\"level-1\" id=\"user-content-main\" align=\"center\">Raw</h3>")
            && !html.contains("\"main\""),
        "{html}"
    );
    let crossed = shown("# a <b>\n\n# c </b>\n");
    assert!(!crossed.contains("<b>"), "{crossed}");
}

#[test]
fn no_link_is_inside_of_another_one_and_names_differ() {
    for text in [
        "![a [b](c.md) d](https://elsewhere.example/x.png)",
        "![a ![b](https://elsewhere.example/y.png) c](https://elsewhere.example/x.png)",
        "[a ![b](https://elsewhere.example/y.png)](c.md)",
    ] {
        assert_eq!(shown(text).matches("<a ").count(), 1, "{}", shown(text));
    }
    let html = shown("# a\n\n# a\n\n# a-1\n\n# a\n");
    for name in ["a", "a-1", "a-1-1", "a-2"] {
        assert_eq!(html.matches(&format!("\"user-content-{name}\"")).count(), 1, "{name}: {html}");
    }
}
