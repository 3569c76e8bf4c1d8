//! The syntax of texts: each example beside its rendered form.

use askama::Template;
use tenon_app::markdown;

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;

/// The subject of an example, and the example.
const EXAMPLES: [(&str, &str); 15] = [
    ("Emphasis", "*italic*, **bold**, ~~strikethrough~~, `code`"),
    ("Paragraphs", "A blank line ends a paragraph.\n\nA line that ends with a backslash\\\nbreaks here."),
    ("Headings", "# First level\n\n## Second level"),
    ("Links", "[link text](https://git.example/doc), or the plain URL: https://git.example/doc"),
    ("Images", "![alt text](/favicon.ico)"),
    ("Lists", "- oil\n- brass\n  - of the good kind\n\n1. first\n2. second"),
    ("Tasks", "- [x] oil the crank\n- [ ] turn it"),
    ("Blockquotes", "> It turns.\n>\n> Slowly."),
    ("Code", "```rust\nfn main() {}\n```"),
    ("Tables", "| part  | weight |\n|-------|--------|\n| crank | 12     |\n| wheel | 340    |"),
    ("Alerts", "> [!NOTE]\n> Also `[!TIP]`, `[!IMPORTANT]`, `[!WARNING]` and `[!CAUTION]`, with an optional title."),
    ("Footnotes", "It turns slowly[^1].\n\n[^1]: Once a day."),
    ("Math", "$a^2 + b^2 = c^2$, or in a block:\n\n```math\n\\sqrt{\\frac{a}{b}}\n```"),
    ("Emoji", ":tada: :+1:"),
    ("Horizontal rules", "above\n\n---\n\nbelow"),
];

/// References to objects of a project.
const REFERENCES: [(&str, &str); 10] = [
    ("@ada", "a user"),
    ("#12", "an issue"),
    ("!7", "a merge request"),
    ("~bug", "a label"),
    ("~\"two words\"", "a label with spaces in its name"),
    ("%1.0", "a milestone"),
    ("%\"Next one\"", "a milestone with spaces in its title"),
    ("engine#12", "an issue in another project of the same group or user"),
    ("group/engine!7", "a merge request in another project"),
    ("https://…/issues/12", "the full URL of an issue or merge request"),
];

#[derive(Template)]
#[template(path = "help/markdown.html")]
struct MarkdownPage {
    frame: Frame,
    examples: Vec<Example>,
    references: &'static [(&'static str, &'static str)],
}

struct Example {
    what: &'static str,
    text: &'static str,
    /// Safe HTML, made by the renderer of Markdown.
    html: String,
}

pub(super) async fn show(context: RequestContext) -> Result<Answer, PageError> {
    let read = context.read(|query| {
        let rendered = EXAMPLES.into_iter().map(|(what, text)| {
            // Headings of an example are no headings of the page.
            let html = markdown::render(query, text, None)?;
            Ok(Example { what, text, html: html.replace("<h1", "<h3").replace("</h1>", "</h3>") })
        });
        rendered.collect()
    });
    let (frame, examples) = read.await?;
    Answer::page(&MarkdownPage { frame, examples, references: &REFERENCES })
}
