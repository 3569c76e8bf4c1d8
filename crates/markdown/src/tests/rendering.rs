//! Text to HTML: the form of ordinary texts.

use std::collections::HashMap;

use super::{HERE, issue, label, merge_request, milestone, targets, user};
use crate::{Ends, FileContext, Options, Target, file_html, html, plain_html};

fn shown(text: &str) -> String {
    html(text, &HERE, &HashMap::new())
}

#[test]
fn gfm_is_understood() {
    let cases = [
        ("", ""),
        ("a *b* **c**", "<p>a <em>b</em> <strong>c</strong></p>"),
        ("# T", "<h1 id=\"user-content-t\">T</h1>"),
        ("~~a~~", "<p><del>a</del></p>"),
        ("```rust\na<b\n```", "<pre><code class=\"language-rust\">a&lt;b\n</code></pre>"),
        (
            "| a |\n|:-:|\n| b |",
            "<table>\n<thead>\n<tr>\n<th align=\"center\">a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td align=\"center\">b</td>\n</tr>\n</tbody>\n</table>",
        ),
        ("> a", "<blockquote>\n<p>a</p>\n</blockquote>"),
        ("3. a", "<ol start=\"3\">\n<li>a</li>\n</ol>"),
        ("a\\\nb", "<p>a<br>\nb</p>"),
        ("\\*a\\* &amp; \"b\" <", "<p>*a* &amp; \"b\" &lt;</p>"),
        ("![a \"b\"](/x.png \"t\")", "<p><img src=\"/x.png\" alt=\"a &quot;b&quot;\" title=\"t\"></p>"),
    ];
    for (text, expected) in cases {
        assert_eq!(shown(text), expected, "{text}");
    }
}

#[test]
fn task_lists_are_boxes_that_cannot_be_ticked() {
    let html = shown("- [ ] a\n- [x] b");
    assert_eq!(html.matches("<input type=\"checkbox\"").count(), 2);
    assert_eq!(html.matches("disabled=\"\"").count(), 2);
    assert_eq!(html.matches("checked=\"\"").count(), 1);
}

#[test]
fn links_that_leave_this_server_tell_nothing_and_open_elsewhere() {
    let away = " rel=\"nofollow noreferrer noopener\" target=\"_blank\"";
    let cases = [
        ("[a](/b)", "<a href=\"/b\">a</a>".to_owned()),
        ("[a](b#c)", "<a href=\"b#c\">a</a>".to_owned()),
        ("[a](#b)", "<a href=\"#user-content-b\">a</a>".to_owned()),
        ("[a](#note_1)", "<a href=\"#note_1\">a</a>".to_owned()),
        ("[a](https://git.example/b \"t\")", "<a href=\"https://git.example/b\" title=\"t\">a</a>".to_owned()),
        ("a@b.cc", "<a href=\"mailto:a@b.cc\">a@b.cc</a>".to_owned()),
        ("https://x.yy/:tada:/", format!("<a href=\"https://x.yy/:tada:/\"{away}>https://x.yy/:tada:/</a>")),
        ("www.x.yy", format!("<a href=\"http://www.x.yy\"{away}>www.x.yy</a>")),
        ("[a](https://git.example.evil/b)", format!("<a href=\"https://git.example.evil/b\"{away}>a</a>")),
        ("[a](//x.yy)", format!("<a href=\"//x.yy\"{away}>a</a>")),
        ("[a](<\\\\x.yy>)", format!("<a href=\"%5Cx.yy\"{away}>a</a>")),
        ("<a href='//x.yy'>a</a>", format!("<a href=\"//x.yy\"{away}>a</a>")),
        ("<a href='&#47;/x.yy'>a</a>", format!("<a href=\"//x.yy\"{away}>a</a>")),
        ("<a href='/x' rel=opener>a</a>", "<a href=\"/x\">a</a>".to_owned()),
    ];
    for (text, expected) in cases {
        assert_eq!(shown(text), format!("<p>{expected}</p>"), "{text}");
    }
}

#[test]
fn a_reference_with_a_target_becomes_a_link() {
    let cases = [
        ("a #1.", issue("", 1), "a <a href=\"/to\" class=\"gfm gfm-issue\">T</a>."),
        ("**p#1**", issue("p", 1), "<strong><a href=\"/to\" class=\"gfm gfm-issue\">T</a></strong>"),
        ("https://git.example/a/b/issues/1", issue("a/b", 1), "<a href=\"/to\" class=\"gfm gfm-issue\">T</a>"),
        ("!1 &lt;", merge_request("", 1), "<a href=\"/to\" class=\"gfm gfm-merge_request\">T</a> &lt;"),
        ("@a", user("a"), "<a href=\"/to\" class=\"gfm gfm-project_member\">T</a>"),
        ("~\"a b\"", label("a b"), "<a href=\"/to\" class=\"gfm gfm-label\">T</a>"),
        ("%1.0 `%1.0`", milestone("1.0"), "<a href=\"/to\" class=\"gfm gfm-milestone\">T</a> <code>%1.0</code>"),
    ];
    for (text, reference, expected) in cases {
        assert_eq!(html(text, &HERE, &targets(&[reference], "T")), format!("<p>{expected}</p>"), "{text}");
    }
}

#[test]
fn a_label_has_its_colour_and_no_other_text() {
    let shown = |color: &str, text: &str| {
        let target =
            Target { href: "/to".to_owned(), text: "T".to_owned(), color: color.to_owned(), ..Target::default() };
        html(text, &HERE, &HashMap::from([(label("bug"), target)]))
    };
    let link = "<p><a href=\"/to\" class=\"gfm gfm-label\" data-color=\"#1a2B3c\">T</a></p>";
    assert_eq!(shown("#1a2B3c", "~bug"), link);
    for odd in ["red", "#12", "#1234567", "#12345g", "\" onclick=x", "\"><script>"] {
        assert_eq!(shown(odd, "~bug"), "<p><a href=\"/to\" class=\"gfm gfm-label\">T</a></p>", "{odd}");
    }
    // A text gives its own links neither a colour nor a class.
    let own = shown("#123", "<a href='/x' data-color='#123' class='gfm gfm-label'>a</a>");
    assert_eq!(own, "<p><a href=\"/x\">a</a></p>");
}

#[test]
fn a_reference_without_a_target_stays_as_it_was() {
    assert_eq!(html("#1 and #2", &HERE, &targets(&[issue("", 3)], "T")), "<p>#1 and #2</p>");
}

#[test]
fn the_title_of_a_target_is_shown_and_harmless() {
    let target = Target {
        href: "/a?b&c\"".to_owned(),
        title: "\"><script>x</script>".to_owned(),
        text: "<b>\u{202e}#1".to_owned(),
        color: String::new(),
    };
    let shown = html("#1", &HERE, &HashMap::from([(issue("", 1), target)]));
    let link =
        "<a href=\"/a?b&amp;c&quot;\" title=\"&quot;&gt;&lt;script&gt;x&lt;/script&gt;\" class=\"gfm gfm-issue\">";
    assert_eq!(shown, format!("<p>{link}&lt;b&gt;#1</a></p>"));
}

#[test]
fn names_of_emoji_become_emoji_outside_code() {
    let cases = [
        (":tada:", "🎉"),
        ("a :+1::tada: b", "a 👍🎉 b"),
        ("(:tada:)", "(🎉)"),
        ("[:tada:](/x)", "<a href=\"/x\">🎉</a>"),
        ("`:tada:`", "<code>:tada:</code>"),
        (":no_such_emoji: :tada", ":no_such_emoji: :tada"),
        ("10:100:30 a:tada: :tada:b ::", "10:100:30 a:tada: :tada:b ::"),
        ("::tada:", ":🎉"),
    ];
    for (text, expected) in cases {
        assert_eq!(shown(text), format!("<p>{expected}</p>"), "{text}");
    }
}

#[test]
fn known_html_stays_where_it_is_closed() {
    let cases = [
        ("a<br>b <kbd>x</kbd>", "<p>a<br>b <kbd>x</kbd></p>"),
        ("H<sub>2</SUB>O", "<p>H<sub>2</sub>O</p>"),
        ("<!-- a -->\nb", "<p>b</p>"),
        ("a <!-- b --> c", "<p>a  c</p>"),
        ("a <img src=\"/a.png\" width=5 onerror=x>", "<p>a <img src=\"/a.png\" width=\"5\"></p>"),
        ("<p align=center class=x id=y>a</p>", "<p id=\"user-content-y\" align=\"center\">a</p>"),
        (
            "<details open><summary>a</summary>\n\n*b*\n\n</details>",
            "<details open=\"\"><summary>a</summary>\n<p><em>b</em></p>\n</details>",
        ),
        ("- <div>\n\n  a\n\n  </div>", "<ul>\n<li><div>\n<p>a</p>\n</div></li>\n</ul>"),
    ];
    for (text, expected) in cases {
        assert_eq!(shown(text), expected, "{text}");
    }
}

#[test]
fn other_html_is_shown_as_it_was_written() {
    let cases = [
        ("a Vec<String> b", "<p>a Vec&lt;String&gt; b</p>"),
        ("a <b>c", "<p>a &lt;b&gt;c</p>"),
        ("a</b> c", "<p>a&lt;/b&gt; c</p>"),
        ("*<b>* c</b>", "<p><em>&lt;b&gt;</em> c&lt;/b&gt;</p>"),
        ("<b><i>a</b></i>", "<p><b>&lt;i&gt;a</b>&lt;/i&gt;</p>"),
        ("<b>a\n\nb</b>", "<p>&lt;b&gt;a</p>\n<p>b&lt;/b&gt;</p>"),
        ("a <div>b</div>", "<p>a &lt;div&gt;b&lt;/div&gt;</p>"),
        ("<div>\n<b>\n\na\n\n</b>\n</div>", "<div>\n&lt;b&gt;\n<p>a</p>\n&lt;/b&gt;\n</div>"),
        ("<div><b><p>a</p></b></div>", "<div><b>&lt;p&gt;a&lt;/p&gt;</b></div>"),
        ("<div>a < b & c</div>", "<div>a &lt; b &amp; c</div>"),
        ("> <div>\n\n</div>", "<blockquote>\n&lt;div&gt;\n</blockquote>\n&lt;/div&gt;"),
        (
            "<table><tr><td>a</td></tr></table>",
            "&lt;table&gt;&lt;tr&gt;&lt;td&gt;a&lt;/td&gt;&lt;/tr&gt;&lt;/table&gt;",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(shown(text), expected, "{text}");
    }
}

#[test]
fn plain_html_knows_no_more_than_commonmark() {
    assert_eq!(plain_html("text", &Options::of("")), "<p>text</p>");
    assert_eq!(plain_html("*a* :tada: #1 @b ~~c~~", &Options::of("")), "<p><em>a</em> :tada: #1 @b ~~c~~</p>");
    assert_eq!(plain_html("<script>a</script>", &Options::of("")), "&lt;script&gt;a&lt;/script&gt;");
}

#[test]
fn a_line_keeps_what_can_stand_in_one() {
    for (text, want) in [
        ("Update **tonight** :tada:", "Update <strong>tonight</strong> 🎉"),
        ("# Title\n\nmore", "Title more"),
        ("- one\n- two", "one two"),
        ("> quoted", "quoted"),
        ("a <script>alert(1)</script>", "a &lt;script&gt;alert(1)&lt;/script&gt;"),
        ("", ""),
    ] {
        assert_eq!(crate::inline_html(text, &HERE).trim_end(), want.trim_end(), "{text:?}");
    }
    let link = crate::inline_html("[x](https://example.org)", &HERE);
    assert!(link.starts_with("<a href=\"https://example.org\""), "{link}");
}

#[test]
fn what_takes_too_long_is_shown_as_it_was_written_with_a_note_that_says_so() {
    let ended = || true;
    let options = Options { ends: Ends::when(&ended), ..HERE };
    let shown = html("*a* <b>", &options, &HashMap::new());
    let note = "<p><em>This text is shown as it was written: formatting it would take too long.</em></p>";
    assert_eq!(shown, format!("{note}\n<pre>*a* &lt;b&gt;</pre>"));
    assert_eq!(plain_html("*a*", &options), format!("{note}\n<pre>*a*</pre>"));
    assert_eq!(crate::inline_html("*a*", &options), "<pre>*a*</pre>");
    assert!(crate::Names::of("@a", &options).is_err());
}

#[test]
fn work_ends_in_the_middle() {
    let text = "*a* <b>b</b> [c](/d) @e #1\n\n".repeat(10_000);
    let all = std::cell::Cell::new(0_u32);
    let count = || {
        all.set(all.get() + 1);
        false
    };
    html(&text, &Options { ends: Ends::when(&count), ..HERE }, &HashMap::new());
    let questions = all.get();
    assert!(questions > 100, "{questions}");
    for most in [1, questions / 4, questions / 2, questions - 1] {
        let asked = std::cell::Cell::new(0_u32);
        let ends = || {
            asked.set(asked.get() + 1);
            asked.get() > most
        };
        let shown = html(&text, &Options { ends: Ends::when(&ends), ..HERE }, &HashMap::new());
        assert!(shown.starts_with("<p><em>This text"), "{most} of {questions}");
        assert!(asked.get() <= most + 3, "{} of {questions}", asked.get());
    }
}

#[test]
fn uploads_are_found_at_their_project() {
    let secret = "0123456789abcdef0123456789abcdef";
    let options = Options { project: "/a/b", ..HERE };
    let led = format!("/a/b/uploads/{secret}/x.png");
    let shown = |text: String| html(&text, &options, &HashMap::new());
    for text in [
        format!("![x](/uploads/{secret}/x.png)"),
        format!("[x](/uploads/{secret}/x.png)"),
        format!("[![x](/uploads/{secret}/x.png)](/uploads/{secret}/x.png)"),
        format!("[x]\n\n[x]: /uploads/{secret}/x.png"),
        format!("<img src=\"/uploads/{secret}/x.png\">"),
        format!("a <a href='/uploads/{secret}/x.png'>b</a>"),
        format!("| a |\n|---|\n| ![x](/uploads/{secret}/x.png) |"),
    ] {
        let html = shown(text);
        assert!(html.contains(&format!("\"{led}\"")) && !html.contains("\"/uploads"), "{html}");
    }
    for other in ["/uploads/x.png", "/uploads/short/x.png", "/other/x.png", &format!("/uploads/{secret}/")] {
        assert!(shown(format!("[x]({other})")).contains(&format!("\"{other}\"")), "{other}");
    }
    let file = FileContext { pages: "/a/b/blob/main", raw: "/a/b/raw/main", folder: "docs", levels: 1, taken: &[] };
    for text in [format!("![x](/uploads/{secret}/x.png)"), format!("<a href='/uploads/{secret}/x.png'>b</a>")] {
        let in_file = file_html(&text, &options, &HashMap::new(), &file);
        assert!(in_file.contains(&format!("\"{led}\"")), "{in_file}");
    }
    let nowhere = html(&format!("[x](/uploads/{secret}/x.png)"), &HERE, &HashMap::new());
    assert!(nowhere.contains(&format!("\"/uploads/{secret}/x.png\"")));
}

#[test]
fn films_are_links_to_their_files() {
    let secret = "0123456789abcdef0123456789abcdef";
    let options = Options { project: "/a/b", ..HERE };
    let shown = |text: String| html(&text, &options, &HashMap::new());
    let led = format!("<a href=\"/a/b/uploads/{secret}/film.MP4\">");
    for (text, words) in [
        (format!("![The *film*](/uploads/{secret}/film.MP4)"), "The <em>film</em></a>"),
        (format!("![](/uploads/{secret}/film.MP4)"), "film.MP4</a>"),
        (format!("<img src=\"/uploads/{secret}/film.MP4\" alt=\"The film\">"), "The film</a>"),
        (format!("<img src=\"/uploads/{secret}/film.MP4\">"), "film.MP4</a>"),
    ] {
        let html = shown(text);
        assert!(html.contains(&format!("{led}{words}")) && !html.contains("<img"), "{html}");
    }
    // A link has no link inside.
    let linked = shown(format!("[![film](/uploads/{secret}/film.webm)](/other)"));
    assert!(linked.contains("<a href=\"/other\">film</a>"), "{linked}");
    for picture in ["x.png", "x.svg", "mp4", "film.mp4.png"] {
        assert!(shown(format!("![x](/uploads/{secret}/{picture})")).contains("<img"), "{picture}");
    }
    let file = FileContext { pages: "/a/b/blob/main", raw: "/a/b/raw/main", folder: "docs", levels: 1, taken: &[] };
    let in_file = file_html("![](film.mov)", &options, &HashMap::new(), &file);
    assert!(in_file.contains("<a href=\"/a/b/raw/main/docs/film.mov\">film.mov</a>"), "{in_file}");
}

#[test]
fn footnotes_of_equal_texts_have_different_names() {
    let text = "a[^1] b[^1]\n\n[^1]: c";
    let with = |key| html(text, &Options { key, ..HERE }, &HashMap::new());
    let (one, other) = (with("note 1"), with("note 2"));
    for html in [&one, &other] {
        let names: Vec<&str> = html.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert_eq!(names.len(), 3, "{html}");
        assert!(names.iter().all(|name| html.contains(&format!("href=\"#{name}\""))), "{html}");
        let rest = if *html == one { &other } else { &one };
        assert!(names.iter().all(|name| !rest.contains(name)), "{one} {other}");
    }
    // They stay if the text changes, and without a key they follow from it.
    assert_eq!(with("note 1"), one);
    assert_ne!(with(""), one);
}

#[test]
fn headings_of_equal_texts_have_different_names_that_their_links_lead_to() {
    let text = "# Plan\n\n# Plan\n\n[first](#plan) [second](#plan-1) [full](#user-content-plan) [other](#elsewhere)";
    let with = |key| html(text, &Options { key, ..HERE }, &HashMap::new());
    let (one, other) = (with("note 1"), with("note 2"));
    let names = |html: &str| -> Vec<String> {
        html.split("<h1 id=\"").skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect()
    };
    let (first, second) = (names(&one), names(&other));
    assert!(first.len() == 2 && second.len() == 2 && first.iter().all(|name| !second.contains(name)), "{one} {other}");
    for (name, links) in first.iter().zip([2, 1]) {
        assert!(name.starts_with("user-content-"), "{name}");
        assert_eq!(one.matches(&format!("href=\"#{name}\"")).count(), links, "{one}");
    }
    // A heading that is not in the text may be in another text of the page.
    assert!(one.contains("href=\"#user-content-elsewhere\""), "{one}");
    assert_eq!(names(&with("")), ["user-content-plan", "user-content-plan-1"]);
}
