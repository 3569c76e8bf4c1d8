//! Pictures of other servers.

use std::collections::HashMap;

use super::HERE;
use crate::{Options, OutsidePictures, html, plain_html};

const ADDRESS: &str = "http://example.com/test.png";
/// Under the key `shared-secret`, as Camo signs the address.
const SIGNED: &str = "https://camo.example/08df250eeeef1a8cf2c761475ac74c5065105612/687474703a2f2f6578616d706c652e636f6d2f746573742e706e67";

fn camo(direct: &[&str]) -> OutsidePictures {
    let direct: Vec<String> = direct.iter().map(|host| (*host).to_owned()).collect();
    OutsidePictures::default().through("https://camo.example/", "shared-secret", &direct)
}

fn shown(text: &str, outside: &OutsidePictures) -> String {
    html(text, &Options { outside: Some(outside), ..HERE }, &HashMap::new())
}

#[test]
fn a_picture_of_another_server_is_shown_through_the_proxy_and_leads_to_the_original() {
    let outside = camo(&[]);
    let link = |inside: &str| {
        let more = "rel=\"nofollow noreferrer noopener\" target=\"_blank\"";
        format!("<a href=\"{ADDRESS}\" {more}>{inside}</a>")
    };
    let tag = |more: &str| format!("<img src=\"{SIGNED}\"{more} data-canonical-src=\"{ADDRESS}\">");
    for (text, want) in [
        (format!("![a *\"b\"*]({ADDRESS} \"t\")"), link(&tag(" alt=\"a &quot;b&quot;\" title=\"t\""))),
        (format!("<img alt=\"a\" onerror=x width=5 src='{ADDRESS}'>"), link(&tag(" alt=\"a\" width=\"5\""))),
        (format!("[![a]({ADDRESS})](/doc)"), format!("<a href=\"/doc\">{}</a>", tag(" alt=\"a\""))),
        (format!("[<img src={ADDRESS}>](/doc)"), format!("<a href=\"/doc\">{}</a>", tag(""))),
        (format!("![a ![b](//other.example/b.png)]({ADDRESS})"), link(&tag(" alt=\"a b\""))),
    ] {
        let html = shown(&text, &outside);
        // A tag on a line of its own is in no paragraph.
        assert_eq!(html.trim_start_matches("<p>").trim_end_matches("</p>"), want, "{text}");
    }
    let plain = plain_html(&format!("![a]({ADDRESS})"), &Options { outside: Some(&outside), ..Options::of("") });
    assert_eq!(plain, format!("<p>{}</p>", link(&tag(" alt=\"a\""))));
    // The entities of HTML belong to its form, not to the address.
    let both = ["![](http://a.example/?b&amp;c)", "<img alt=\"\" src=\"http://a.example/?b&amp;c\">"];
    let [markdown, raw] = both.map(|text| shown(text, &outside));
    let signed = |html: &str| html.split('"').find(|part| part.starts_with("https://camo")).map(str::to_owned);
    assert!(signed(&markdown).is_some() && signed(&markdown) == signed(&raw), "{markdown} {raw}");
}

#[test]
fn some_hosts_are_loaded_directly_and_no_other_ones() {
    let outside = camo(&["Good.example", "*.cdn.example", "*", "img*.example", "a;b", "1.2.3.4", "bücher.example"]);
    assert_eq!(
        outside.sources(),
        ["https://camo.example", "good.example", "*.cdn.example", "xn--bcher-kva.example"].map(str::to_owned)
    );
    for (url, is_direct) in [
        ("https://good.example/a.png", true),
        ("http://GOOD.example/a.png", true),
        ("//good.example/a.png", true),
        ("https://a.b.cdn.example/a.png", true),
        ("https://bücher.example/a.png", true),
        ("https://git.example:443/a.png", true),
        ("//git.example/a.png", true),
        ("https://cdn.example/a.png", false),
        ("https://notcdn.example/a.png", false),
        ("https://good.example:8443/a.png", false),
        ("https://good.example@evil.example/a.png", false),
        ("https://good.example.evil.example/a.png", false),
        ("https://img1.example/a.png", false),
        ("https://git.example:8443/a.png", false),
    ] {
        let html = shown(&format!("![]({url})"), &outside);
        assert_eq!(html.contains("<img src=\"https://camo.example/"), !is_direct, "{url}: {html}");
        assert_eq!(html.contains("data-canonical-src"), !is_direct && html.contains("<img"), "{url}: {html}");
        assert!(html.contains("<img"), "{url}: {html}");
    }
    // A page does not need the proxy for its own pictures.
    assert!(shown("![](https://git.example/a.png)", &outside).contains("<img src=\"https://git.example/a.png\""));
}

#[test]
fn without_a_key_or_an_address_such_pictures_are_links() {
    let through =
        |address: &str, key: &str| OutsidePictures::default().through(address, key, &["a.example".to_owned()]);
    for outside in [
        OutsidePictures::default(),
        through("https://camo.example", ""),
        through("", "key"),
        through("javascript:alert(1)", "key"),
        through("https://a;script-src.example", "key"),
        through("https://a,b.example", "key"),
    ] {
        assert_eq!(outside.sources(), [""; 0], "{outside:?}");
        let html = shown(&format!("![a]({ADDRESS})"), &outside);
        assert!(html.contains(">a</a>") && !html.contains("<img"), "{html}");
    }
    let text = format!("{:?}", camo(&[]));
    assert!(!text.contains("secret"), "{text}");
}

#[test]
fn a_text_shows_so_many_pictures_and_no_very_long_ones() {
    let outside = camo(&[]);
    let many = format!("![a]({ADDRESS})\n").repeat(150) + &format!("\n<img src=\"{ADDRESS}\">\n").repeat(150);
    let html = shown(&many, &outside);
    assert_eq!((html.matches("<img").count(), html.matches("<a href").count()), (200, 300));
    let long = |length: usize| shown(&format!("![a](http://a.example/{})", "a".repeat(length)), &outside);
    assert!(long(1_900).contains("<img") && !long(2_000).contains("<img"));
    let described = shown(&format!("![{}]({ADDRESS})", "a".repeat(9_000)), &outside);
    assert!(described.contains("aaa</a>") && !described.contains("<img"), "{described}");
    for other in
        ["http://", "http:///", "https://a b/", "ftp://a.example/a.png", "https://a.example/film.mp4", "data:a"]
    {
        assert!(!shown(&format!("![a](<{other}>)"), &outside).contains("camo"), "{other}");
    }
    let hosts: Vec<String> = (0..1_000).map(|number| format!("host-{number}.example")).collect();
    let many = OutsidePictures::default().through("https://camo.example", "key", &hosts);
    assert!(many.sources().join(" ").len() < 2_100);
}
