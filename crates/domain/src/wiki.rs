//! Pages of wikis: the formats and names of their files, and the slugs and titles that these have.

use crate::words::words;

words! {
    /// The markup of a page.
    pub enum WikiFormat {
        /// Markdown.
        Markdown = "markdown",
        /// `RDoc`.
        Rdoc = "rdoc",
        /// `AsciiDoc`.
        Asciidoc = "asciidoc",
        /// Org mode.
        Org = "org",
        /// Textile; it comes by pushes only, as do those that follow.
        Textile = "textile",
        /// `reStructuredText`.
        Rst = "rest",
        /// Creole.
        Creole = "creole",
        /// The markup of `MediaWiki`.
        MediaWiki = "mediawiki",
        /// Plain old documentation.
        Pod = "pod",
        /// Plain text.
        Txt = "txt",
    }
}

/// The extensions of files that are pages. The first one of a format is that of new pages.
const EXTENSIONS: [(&str, WikiFormat); 19] = [
    ("md", WikiFormat::Markdown),
    ("mkd", WikiFormat::Markdown),
    ("mkdn", WikiFormat::Markdown),
    ("mdown", WikiFormat::Markdown),
    ("markdown", WikiFormat::Markdown),
    ("rdoc", WikiFormat::Rdoc),
    ("asciidoc", WikiFormat::Asciidoc),
    ("adoc", WikiFormat::Asciidoc),
    ("asc", WikiFormat::Asciidoc),
    ("org", WikiFormat::Org),
    ("textile", WikiFormat::Textile),
    ("rst", WikiFormat::Rst),
    ("rest", WikiFormat::Rst),
    ("creole", WikiFormat::Creole),
    ("mediawiki", WikiFormat::MediaWiki),
    ("wiki", WikiFormat::MediaWiki),
    ("pod", WikiFormat::Pod),
    ("txt", WikiFormat::Txt),
    ("text", WikiFormat::Txt),
];

/// The slug of the page at which a wiki begins.
pub const HOME: &str = "home";
/// The slug of the page that is shown beside others.
pub const SIDEBAR: &str = "_sidebar";
/// The folder of attachments.
pub const UPLOADS: &str = "uploads";
/// The most folders and pages in a slug.
pub const MOST_PARTS: usize = 32;
/// The most characters of the name of an attachment.
const LONGEST_NAME: usize = 255;

impl WikiFormat {
    /// The format of files with this extension; `None` if they are no pages.
    #[must_use]
    pub fn of_extension(extension: &str) -> Option<Self> {
        EXTENSIONS.iter().find(|(known, _)| known.eq_ignore_ascii_case(extension)).map(|(_, format)| *format)
    }

    /// The extension of new pages, without a dot.
    #[must_use]
    pub fn extension(self) -> &'static str {
        EXTENSIONS.iter().find(|(_, format)| *format == self).map_or("md", |(extension, _)| extension)
    }
}

/// The names of a page, as they follow from the path of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageName {
    /// Its folder and name, with dashes for blanks.
    pub slug: String,
    /// Its markup.
    pub format: WikiFormat,
}

impl PageName {
    /// The names of the page in the file at this path; `None` if the file is no page.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Self> {
        let (stem, extension) = path.rsplit_once('.')?;
        let format = WikiFormat::of_extension(extension)?;
        let has_name = !stem.is_empty() && !stem.ends_with('/');
        has_name.then(|| Self { slug: dashed(stem), format })
    }

    /// The title: the last part of the slug, with blanks for dashes.
    #[must_use]
    pub fn title(&self) -> String {
        title_of(&self.slug)
    }

    /// The slug of the folder; empty at the top.
    #[must_use]
    pub fn folder(&self) -> &str {
        self.slug.rsplit_once('/').map_or("", |(folder, _)| folder)
    }
}

/// The title of the page of a slug.
#[must_use]
pub fn title_of(slug: &str) -> String {
    let name = slug.rsplit('/').next().unwrap_or_default().replace('-', " ");
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    entities.iter().fold(name, |text, (entity, character)| text.replace(entity, character))
}

/// A text with dashes for blanks.
#[must_use]
pub fn dashed(text: &str) -> String {
    text.replace(' ', "-")
}

/// True if two names of pages or folders differ at most in blanks and dashes.
#[must_use]
pub fn is_same_name(one: &str, other: &str) -> bool {
    dashed(one) == dashed(other)
}

/// The slug of a page with this title: blanks at the ends of its parts go, several blanks become one, and each remaining blank,
/// `<`, `>` and `+` becomes a dash. Empty if nothing remains.
#[must_use]
pub fn slug_of_title(title: &str) -> String {
    let part = |part: &str| part.split_whitespace().collect::<Vec<_>>().join("-");
    title.trim_matches('/').split('/').map(part).collect::<Vec<_>>().join("/").replace(['<', '>', '+'], "-")
}

/// The slug of a page of the slug `current` that gets this title. A title without a slash stays in the folder of the page, and one
/// that begins with a slash leads from the top.
#[must_use]
pub fn renamed_slug(current: &str, title: &str) -> String {
    let slug = slug_of_title(title);
    match current.rsplit_once('/').filter(|_| !title.contains('/')) {
        Some((folder, _)) if !slug.is_empty() => format!("{folder}/{slug}"),
        _ => slug,
    }
}

/// The name of an attachment as it is stored: letters, digits and `.-+_` stay, each other character becomes `_`. A name of more than
/// 255 characters is cut before its extension. Empty if the name is.
#[must_use]
pub fn attachment_name(name: &str) -> String {
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let kept = |c: char| if c.is_ascii_alphanumeric() || ".-+_".contains(c) { c } else { '_' };
    let name: String = name.chars().map(kept).collect();
    if name.len() <= LONGEST_NAME {
        return name;
    }
    let (stem, extension) = name.rsplit_once('.').unwrap_or((&name, ""));
    let end = if extension.is_empty() { String::new() } else { format!(".{extension}") };
    let room = LONGEST_NAME.saturating_sub(end.len());
    let cut: String = stem.chars().take(room).chain(end.chars()).collect();
    cut.chars().take(LONGEST_NAME).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_a_page_gives_its_names() {
        for (path, want) in [
            ("home.md", Some(("home", "home", WikiFormat::Markdown))),
            ("a b/new title.MD", Some(("a-b/new-title", "new title", WikiFormat::Markdown))),
            ("title/sub-page.adoc", Some(("title/sub-page", "sub page", WikiFormat::Asciidoc))),
            ("a.b.org", Some(("a.b", "a.b", WikiFormat::Org))),
            ("a-&lt;b&gt;&amp;lt;.rst", Some(("a-&lt;b&gt;&amp;lt;", "a <b>&lt;", WikiFormat::Rst))),
            (".md", None),
            ("a/.md", None),
            ("uploads/x/a.png", None),
            ("md", None),
            ("", None),
        ] {
            let found = PageName::of_path(path);
            let found = found.map(|name| (name.slug.clone(), name.title(), name.format));
            assert_eq!(found, want.map(|(slug, title, format)| (slug.to_owned(), title.to_owned(), format)), "{path}");
        }
        for format in WikiFormat::ALL {
            assert_eq!(WikiFormat::of_extension(format.extension()), Some(*format));
        }
    }

    #[test]
    fn a_title_gives_a_slug() {
        for (title, want) in [
            ("Hello", "Hello"),
            ("new title", "new-title"),
            ("  a   b / c+d  ", "a-b/c-d"),
            ("<a>", "-a-"),
            ("/x/", "x"),
            ("Füße & more", "Füße-&-more"),
            ("a//b", "a//b"),
            (" ", ""),
            ("", ""),
        ] {
            assert_eq!(slug_of_title(title), want, "{title}");
        }
    }

    #[test]
    fn a_new_title_moves_a_page_only_if_it_names_a_folder() {
        for (current, title, want) in
            [("a/b", "c d", "a/c-d"), ("a/b", "/c", "c"), ("a/b", "x/c", "x/c"), ("b", "c", "c"), ("a/b", " ", "")]
        {
            assert_eq!(renamed_slug(current, title), want, "{current} {title}");
        }
    }

    #[test]
    fn attachments_get_plain_names() {
        for (name, want) in [
            ("dk.png", "dk.png"),
            ("a b(1)ü.png", "a_b_1__.png"),
            ("../../x", "x"),
            ("C:\\x\\y.txt", "y.txt"),
            ("", ""),
            ("a/", ""),
        ] {
            assert_eq!(attachment_name(name), want, "{name}");
        }
        let long = attachment_name(&format!("{}.png", "x".repeat(400)));
        assert_eq!((long.len(), long.ends_with("x.png")), (255, true));
        assert_eq!(attachment_name(&format!("a.{}", "x".repeat(400))).len(), 255);
    }
}
