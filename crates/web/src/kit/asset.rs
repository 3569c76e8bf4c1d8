//! Styles, the script, the icons and the logo: a few files of this program, under names that change with their
//! content.

use std::borrow::Cow;
use std::sync::{LazyLock, OnceLock};

use actix_web::http::{Method, header};
use actix_web::{HttpRequest, HttpResponse};
use bytes::Bytes;
use flate2::Compression;
use sha2::{Digest as _, Sha256};
use tenon_domain::broadcast_message::is_color;

use super::gzip;
use super::text::SVG;

/// The name of these paths in the log and the metrics.
pub(crate) const ROUTE: &str = "(assets)";

const CSS: &str = "text/css; charset=utf-8";
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";
/// The time for which browsers may keep files that never change under their names.
const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// The style sheet: its parts by subject, in the order of its layers.
const STYLES: &str = concat!(
    include_str!("../../assets/style/tokens.css"),
    include_str!("../../assets/style/base.css"),
    include_str!("../../assets/style/controls.css"),
    include_str!("../../assets/style/frame.css"),
    include_str!("../../assets/style/parts.css"),
    include_str!("../../assets/style/text.css"),
    include_str!("../../assets/style/code.css"),
    include_str!("../../assets/style/reading.css"),
    include_str!("../../assets/style/talk.css"),
    include_str!("../../assets/style/home.css"),
    include_str!("../../assets/style/small.css"),
);

/// The script: the files below `assets/script`, which `crates/web/editor` makes into one file. Its first line has the SHA-256 of its
/// sources.
const SCRIPT: &str = include_str!("../../assets/tenon.js");

/// The sources of the script, one file for each subject. They are one module: a file uses the names of those before it.
#[cfg(test)]
pub(crate) const SOURCES: &str = concat!(
    include_str!("../../assets/script/copy.js"),
    include_str!("../../assets/script/keys.js"),
    include_str!("../../assets/script/menus.js"),
    include_str!("../../assets/script/forms.js"),
    include_str!("../../assets/script/fragments.js"),
    include_str!("../../assets/script/live.js"),
    include_str!("../../assets/script/anchors.js"),
    include_str!("../../assets/script/attach.js"),
    include_str!("../../assets/script/text.js"),
    include_str!("../../assets/script/complete.js"),
    include_str!("../../assets/script/kept.js"),
    include_str!("../../assets/script/times.js"),
    include_str!("../../assets/script/passkeys.js"),
    include_str!("../../assets/script/reading.js"),
    include_str!("../../assets/script/tasks.js"),
    include_str!("../../assets/script/in_place.js"),
    include_str!("../../assets/script/board.js"),
    include_str!("../../assets/script/files.js"),
    include_str!("../../assets/script/talk.js"),
);

/// The icons, each a symbol with its name as id.
const ICONS: &str = include_str!("../../assets/icons.svg");

/// The licence of the icons.
pub(crate) const ICONS_LICENCE: &str = include_str!("../../assets/icons.licence.txt");

/// The editor of files: `CodeMirror`, which `crates/web/editor` makes into one file.
pub(crate) const EDITOR: &str = "editor.js";

/// The licences of the packages in the editor.
pub(crate) const EDITOR_LICENCES: &str = include_str!("../../assets/editor.licence.txt");

const FILES: [(&str, &str, &str); 5] = [
    (EDITOR, JAVASCRIPT, include_str!("../../assets/editor.js")),
    ("tenon.css", CSS, STYLES),
    ("tenon.js", JAVASCRIPT, SCRIPT),
    ("icons.svg", SVG, ICONS),
    ("icon.svg", SVG, include_str!("../../assets/icon.svg")),
];

/// The paths that robots may read. The others are of no use to robots, or cost too much to be read by programs that
/// read all pages.
const ROBOTS: &str = "User-agent: *\nDisallow: /users\nDisallow: /profile\nDisallow: /oauth\nDisallow: /admin\n\
     Disallow: /api\nDisallow: /search\nDisallow: /dashboard\nDisallow: /*/blame/\nDisallow: /*/commits/\n\
     Disallow: /*/compare\nDisallow: /*/find_file/\nDisallow: /*/network\nDisallow: /*/files/\nDisallow: /*/raw/\nDisallow: /*/archive/\n\
     Disallow: /*/new\nDisallow: /*/edit\nDisallow: /*/issues?\nDisallow: /*/merge_requests?\nDisallow: /*/tree/*?\n\
     Disallow: /*/diff?\nDisallow: /*/refs/\nDisallow: /*.diff$\nDisallow: /*.patch$\n";

struct Asset {
    name: &'static str,
    /// The path below the root.
    path: String,
    kind: &'static str,
    plain: Bytes,
    /// The same in gzip, made when it is first asked for.
    packed: OnceLock<Bytes>,
}

impl Asset {
    /// The content, which is a text.
    fn text(&self) -> &str {
        std::str::from_utf8(&self.plain).unwrap_or_default()
    }
}

/// The files.
pub(crate) struct Assets(Vec<Asset>);

impl Assets {
    pub(crate) fn load() -> Self {
        let load = |(name, kind, content): (&'static str, &'static str, &'static str)| {
            let content = match kind {
                CSS => Cow::Owned(shortened(content)),
                _ => Cow::Borrowed(content),
            };
            Asset {
                name,
                path: if name == EDITOR { editor_path().to_owned() } else { path_of(name, &content) },
                kind,
                packed: OnceLock::new(),
                plain: match content {
                    Cow::Owned(text) => Bytes::from(text),
                    Cow::Borrowed(text) => Bytes::from_static(text.as_bytes()),
                },
            }
        };
        Self(FILES.into_iter().map(load).collect())
    }

    /// The address of the file of this name.
    pub(crate) fn address(&self, root: &str, name: &str) -> String {
        let found = self.0.iter().find(|asset| asset.name == name);
        found.map(|asset| format!("{root}{}", asset.path)).unwrap_or_default()
    }
}

/// Shorter ways of writing the same styles. Blocks follow each other from top to bottom on all pages, whatever the
/// direction of their text.
const SHORTER: [(&str, &str); 18] = [
    ("; }", "}"),
    (" }", "}"),
    (" {", "{"),
    ("{ ", "{"),
    ("; ", ";"),
    (": ", ":"),
    (", ", ","),
    (" >", ">"),
    ("> ", ">"),
    (" ~ ", "~"),
    (" !", "!"),
    ("@media (", "@media("),
    ("inset-block-start", "top"),
    ("inset-block-end", "bottom"),
    ("-block-start", "-top"),
    ("-block-end", "-bottom"),
    ("inline-size", "width"),
    ("block-size", "height"),
];

/// Styles as they are sent: without the comments and blanks that only their writers need. A comment has a line of its
/// own.
fn shortened(styles: &str) -> String {
    let lines = styles.lines().map(str::trim).filter(|line| !line.starts_with("/*"));
    let short = |line: &str| SHORTER.iter().fold(line.to_owned(), |line, (from, to)| line.replace(from, to));
    lines.map(short).collect::<String>().replace(";}", "}")
}

/// The path of a file of this name and content.
fn path_of(name: &str, content: &str) -> String {
    let hash = hex::encode(Sha256::digest(content.as_bytes()));
    let (stem, ending) = name.split_once('.').unwrap_or((name, ""));
    format!("/assets/{stem}-{}.{ending}", hash.get(..16).unwrap_or_default())
}

/// The path of the file that has the icons.
pub(crate) fn icons_path() -> &'static str {
    static PATH: LazyLock<String> = LazyLock::new(|| path_of("icons.svg", ICONS));
    &PATH
}

/// The path of the editor, whose name is computed once.
fn editor_path() -> &'static str {
    static PATH: LazyLock<String> = LazyLock::new(|| path_of(EDITOR, include_str!("../../assets/editor.js")));
    &PATH
}

/// The names of all icons.
pub(crate) fn icon_names() -> Vec<&'static str> {
    ICONS.split("<symbol id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// The class of a message in these colours, which are written as `#rgb` or `#rrggbb`. Its styles follow from its name
/// alone. Pages have no styles of their own, and a file for each pair of colours needs no database.
pub(crate) fn banner_class(color: &str, font: &str) -> String {
    let digits = |color: &str| color.trim_start_matches('#').to_ascii_lowercase();
    format!("banner-{}-{}", digits(color), digits(font))
}

/// The path of the styles of a class of messages.
pub(crate) fn banner_path(class: &str) -> String {
    format!("/assets/{class}.css")
}

/// The styles of that path. `None` if it is not that of a class of messages.
fn banner_styles(path: &str) -> Option<String> {
    let class = path.strip_prefix("/assets/")?.strip_suffix(".css")?;
    let (color, font) = class.strip_prefix("banner-")?.split_once('-')?;
    let (color, font) = (format!("#{color}"), format!("#{font}"));
    let are_colors = is_color(&color) && is_color(&font);
    are_colors.then(|| format!(".{class} {{ background-color: {color}; color: {font}; }}\n"))
}

/// The response to a request for one of the files. `None` for all other paths.
pub(crate) fn serve(assets: &Assets, request: &HttpRequest) -> Option<HttpResponse> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return None;
    }
    let path = request.path();
    if path == "/robots.txt" {
        return Some(HttpResponse::Ok().content_type("text/plain; charset=utf-8").body(ROBOTS));
    }
    if let Some(styles) = banner_styles(path) {
        let mut response = HttpResponse::Ok();
        return Some(response.insert_header((header::CACHE_CONTROL, FOR_EVER)).content_type(CSS).body(styles));
    }
    let found =
        assets.0.iter().find(|asset| asset.path == path || (path == "/favicon.ico" && asset.name == "icon.svg"))?;
    let mut response = HttpResponse::Ok();
    response
        .insert_header((header::CONTENT_TYPE, found.kind))
        .insert_header((header::CACHE_CONTROL, FOR_EVER))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((header::VARY, "Accept-Encoding"));
    if path == "/favicon.ico" {
        response.insert_header((header::CACHE_CONTROL, "public, max-age=86400"));
    }
    if gzip::is_accepted(request) {
        let packed = found.packed.get_or_init(|| gzip::compressed(found.text(), Compression::best()));
        return Some(response.insert_header((header::CONTENT_ENCODING, "gzip")).body(packed.clone()));
    }
    Some(response.body(found.plain.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_stay_small() {
        let styles = shortened(STYLES);
        for (name, content, most) in [("styles", styles.as_str(), 32), ("script", SCRIPT, 40), ("icons", ICONS, 20)] {
            assert!(content.len() <= most * 1024, "{name} has {} bytes", content.len());
        }
    }

    #[test]
    fn the_editor_stays_below_its_size() {
        let (name, _, content) = FILES[0];
        let packed = gzip::compressed(content, Compression::best());
        assert!(name == EDITOR && packed.len() <= 250 * 1024, "{} bytes", packed.len());
        // The pages permit no style elements: the sheets of the editor are made by the script.
        let before = content.split(".adoptedStyleSheets&&").next().unwrap_or_default();
        let condition = before.rsplit("if(").next().unwrap_or_default();
        assert!(before.len() < content.len() && !condition.contains("head"), "{condition}");
        assert!(EDITOR_LICENCES.contains("@codemirror/view") && EDITOR_LICENCES.contains("MIT License"));
    }

    #[test]
    fn styles_are_sent_in_short() {
        let styles = "@layer parts {\n  /* A comment. */\n  .a > b { color: red; margin-block-end: 0; }\n}\n";
        assert_eq!(shortened(styles), "@layer parts{.a>b{color:red;margin-bottom:0}}");
    }

    #[test]
    fn the_script_is_made_of_its_sources() {
        let made_of = SCRIPT.lines().next().and_then(|line| line.strip_prefix("// "));
        let sources = hex::encode(Sha256::digest(SOURCES.as_bytes()));
        assert_eq!(
            made_of,
            Some(sources.as_str()),
            "run `npm ci --ignore-scripts && npm run build` in crates/web/editor"
        );
    }

    #[test]
    fn only_colours_become_styles() {
        let class = banner_class("#E75E40", "#fff");
        let styles = banner_styles(&banner_path(&class));
        assert_eq!(styles.as_deref(), Some(".banner-e75e40-fff { background-color: #e75e40; color: #fff; }\n"));
        for path in [
            "/assets/banner-e75e40.css",
            "/assets/banner-x-fff.css",
            "/assets/banner-fff-fff-fff.css",
            "/assets/tenon.css",
        ] {
            assert_eq!(banner_styles(path), None, "{path}");
        }
    }
}
