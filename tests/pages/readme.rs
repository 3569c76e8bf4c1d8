//! Readmes: links within them, pictures of the repository, and the constructs that the renderer knows.

use tenon_testkit::{TestServer, both_databases};

use crate::member;
use crate::project::{commit, get, project};

#[both_databases]
fn addresses_with_fragments_from_elsewhere_lead_into_readmes_and_pictures_of_the_repository_are_shown(
    server: &TestServer,
) {
    let ada = member(server, "ada");
    let _ = project(&ada, "tool", "public");
    let readme = "# Tool\n\n## Installation\n\n[see](#installation) [![](https://elsewhere.example/ci.svg)](doc)\n\n<img src=\"logo.svg\" alt=\"logo\">\n\n\
        <a name=\"usage\"></a>\n\n[usage](#usage)\n\n> [!NOTE]\n> a[^1]\n\n[^1]: b\n\n$a^2$\n\n| a |\n|--:|\n| b |\n";
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\"/>";
    let _ =
        commit(&ada, "ada/tool", "main", "First", &[("README.md", readme.as_bytes()), ("logo.svg", svg.as_bytes())]);
    for page in ["/ada/tool", "/ada/tool/blob/main/README.md"] {
        let html = get(server, page).assert_status(200).html;
        for part in [
            "id=\"user-content-installation\"",
            "id=\"installation\"",
            "href=\"#user-content-installation\"",
            "id=\"usage\"",
            "id=\"user-content-usage\"",
            "href=\"#user-content-usage\"",
            "class=\"level-2\"",
            "markdown-alert-note",
            "class=\"footnotes\"",
            "<msup>",
            "<td align=\"right\">b</td>",
            ">elsewhere.example</a>",
            "src=\"/ada/tool/raw/main/logo.svg\"",
        ] {
            assert!(html.contains(part), "{part} on {page}: {html}");
        }
    }
    let logo = get(server, "/ada/tool/raw/main/logo.svg").assert_status(200);
    assert_eq!(logo.reply.header("content-type"), "image/svg+xml");
    assert!(logo.reply.header("content-security-policy").starts_with("sandbox; default-src 'none'"));
}
