//! Diagrams that other servers draw.

use std::collections::HashMap;
use std::io::Read as _;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;
use flate2::read::ZlibDecoder;

use super::HERE;
use crate::{Ends, Options, OutsidePictures, html};

const BOB: &str = "Bob -> Alice : hello";

fn servers() -> OutsidePictures {
    OutsidePictures::default().with_plantuml("https://uml.example/").with_kroki("https://kroki.example/k", &[])
}

fn shown(text: &str, outside: &OutsidePictures) -> String {
    html(text, &Options { outside: Some(outside), ..HERE }, &HashMap::new())
}

#[test]
fn a_block_of_plantuml_is_a_picture_above_its_text() {
    let html = shown(&format!("a\n\n```plantuml\n{BOB}\n```\n\n- ```plantuml x\n  <b>\n  ```\n"), &servers());
    let picture = "<p><img src=\"https://uml.example/png/SyfFKj2rKt3CoKnELR1Io4ZDoSdd0W00";
    assert!(html.starts_with(&format!("<p>a</p>\n{picture}")), "{html}");
    let text =
        format!("<pre><code class=\"language-plantuml\">{}\n</code></pre>\n</details>", "Bob -&gt; Alice : hello");
    assert!(html.contains("alt=\"Diagram (plantuml)\"></p>\n<details>\n<summary>Source</summary>\n"), "{html}");
    assert!(html.contains(&text) && html.contains("&lt;b&gt;"), "{html}");
    assert_eq!((html.matches("<img").count(), html.matches("</details>").count()), (2, 2), "{html}");
}

/// The kind of a diagram of Kroki in an address, and its text.
fn read(html: &str) -> Option<(String, String)> {
    let (_, rest) = html.split_once("<img src=\"https://kroki.example/k/")?;
    let (address, _) = rest.split_once('"')?;
    let (kind, data) = address.split_once("/svg/")?;
    let mut text = String::new();
    let _ = ZlibDecoder::new(&URL_SAFE.decode(data).ok()?[..]).read_to_string(&mut text).ok()?;
    Some((kind.to_owned(), text))
}

#[test]
fn kroki_draws_the_diagrams_that_it_has() {
    let with = |parts: &[&str]| {
        let parts: Vec<String> = parts.iter().map(|part| (*part).to_owned()).collect();
        OutsidePictures::default().with_kroki("https://kroki.example/k/", &parts)
    };
    let block = |language: &str| format!("```{language}\ndigraph G {{Hello->World}}\n```");
    let drawn = |language: &str, parts: &[&str]| read(&shown(&block(language), &with(parts))).map(|(kind, _)| kind);
    let text = "digraph G {Hello->World}\n".to_owned();
    assert_eq!(read(&shown(&block("graphviz"), &with(&[]))), Some(("graphviz".to_owned(), text)));
    assert_eq!(drawn("dot", &[]).as_deref(), Some("graphviz"));
    assert_eq!(drawn("plantuml", &[]).as_deref(), Some("plantuml"));
    for none in ["mermaid", "rust", "", "Graphviz", "../x", "graphviz/x"] {
        assert_eq!(drawn(none, &["blockdiag", "bpmn", "excalidraw"]), None, "{none}");
    }
    for (language, part) in
        [("bpmn", "bpmn"), ("excalidraw", "excalidraw"), ("blockdiag", "blockdiag"), ("seqdiag", "blockdiag")]
    {
        assert_eq!((drawn(language, &[]), drawn(language, &[part]).as_deref()), (None, Some(language)));
    }
    // The server for PlantUML has precedence.
    assert!(shown(&block("plantuml"), &servers()).contains("https://uml.example/png/"));
}

#[test]
fn a_text_has_so_many_diagrams_and_no_very_long_ones() {
    let outside = servers();
    let many = shown(&"```dot\na\n```\n\n".repeat(60), &outside);
    assert_eq!((many.matches("<img").count(), many.matches("<pre>").count()), (50, 60));
    // Digits in an order that does not repeat take much space.
    let long = |length: usize| (0..length).map(|at| (at * at * 7_919 % 104_729).to_string()).collect::<String>();
    let is_drawn = |text: &str| shown(&format!("```dot\n{text}\n```"), &outside).contains("<img");
    assert!(is_drawn(&long(500)) && !is_drawn(&long(5_000)));
    assert!(is_drawn(&"a".repeat(40_000)) && !is_drawn(&"a".repeat(51_000)) && !is_drawn(" "));
    let ends = || true;
    let options = Options { outside: Some(&outside), ends: Ends::when(&ends), ..HERE };
    assert!(!html("```dot\na\n```", &options, &HashMap::new()).contains("<img"));
}

#[test]
fn without_a_server_a_diagram_is_text() {
    let hostile = "https://a;script-src.example";
    let outside = OutsidePictures::default().with_plantuml(hostile).with_kroki("javascript:a", &[]);
    assert_eq!(outside.sources(), [""; 0]);
    assert!(!shown("```plantuml\na\n```\n\n```dot\na\n```", &outside).contains("<img"));
    assert_eq!(servers().sources(), ["https://uml.example", "https://kroki.example"].map(str::to_owned));
}

#[test]
fn a_server_is_a_host_and_a_path_only() {
    for address in [
        "https://ada@draw.example",
        "https://ada:secret@draw.example/k",
        "https://:secret@draw.example",
        "https://draw.example/?key=secret",
        "https://draw.example/k?",
        "https://draw.example/#a",
    ] {
        let outside = OutsidePictures::default().with_plantuml(address).with_kroki(address, &[]);
        assert_eq!(outside.sources(), [""; 0], "{address}");
        assert!(!shown("```plantuml\na\n```\n\n```dot\na\n```", &outside).contains("<img"), "{address}");
    }
}
