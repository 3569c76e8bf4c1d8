//! Icons of pages. All of them are in one file, `assets/icons.svg`.

use std::fmt;

use askama::filters::HtmlSafe;

use super::asset;

/// The address of the file with the icons, for templates.
#[derive(Debug, Clone)]
pub(crate) struct Icons(String);

impl Icons {
    /// The icons of the pages that begin at `root`.
    pub(crate) fn new(root: &str) -> Self {
        Self(format!("{root}{}", asset::icons_path()))
    }

    /// The icon of this name. Readers of screens skip it, so that it needs a word beside it or a name around it.
    pub(crate) fn named<'a>(&'a self, name: &'a str) -> Icon<'a> {
        Icon { file: &self.0, name }
    }
}

/// An icon in a template.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Icon<'a> {
    file: &'a str,
    name: &'a str,
}

impl fmt::Display for Icon<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<svg class=\"icon\" aria-hidden=\"true\"><use href=\"{}#{}\"/></svg>", self.file, self.name)
    }
}

impl HtmlSafe for Icon<'_> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::templates;

    #[test]
    fn every_icon_of_a_template_exists() {
        let icons = asset::icon_names();
        let templates = templates();
        let names = templates.split("icon(\"").skip(1).filter_map(|rest| rest.split('"').next());
        for name in names {
            assert!(icons.contains(&name), "{name}");
        }
    }

    #[test]
    fn an_icon_is_a_reference() {
        let want = format!("<use href=\"/git{}#star\"/>", asset::icons_path());
        assert!(Icons::new("/git").named("star").to_string().contains(&want));
    }
}
