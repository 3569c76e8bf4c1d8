//! The texts of all templates, which are part of the program.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use gitignores::GitIgnore;

use super::TemplateKind;

/// A file that is taken as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Template {
    /// Its name, by which it is asked for.
    pub key: &'static str,
    /// The text.
    pub content: &'static str,
}

/// Lists the texts of one folder by their keys, each of which is also the name of a file.
macro_rules! texts {
    ($folder:literal, $extension:literal: $($key:literal)*) => {
        &[$(Template {
            key: $key,
            content: include_str!(concat!("../../templates/", $folder, "/", $key, $extension)),
        }),*]
    };
}

static DOCKERFILES: &[Template] = texts!("dockerfiles", ".Dockerfile":
    "Binary" "Binary-alpine" "Binary-scratch" "Golang" "Golang-alpine" "Golang-scratch" "HTTPd" "Node" "Node-alpine"
    "OpenJDK" "OpenJDK-alpine" "PHP" "Python" "Python-alpine" "Python2" "Ruby" "Ruby-alpine" "Rust" "Swift"
);

static LANGUAGES: &[Template] = texts!("ci", ".yml":
    "Android" "Auto-DevOps" "Bash" "C++" "Chef" "Clojure" "Crystal" "Django" "Docker" "Elixir" "Go" "Gradle" "Grails"
    "Julia" "LaTeX" "Laravel" "Maven" "Mono" "Nodejs" "OpenShift" "PHP" "Packer" "Python" "Ruby" "Rust" "Scala" "Swift"
    "Terraform" "dotNET"
);

static PAGES: &[Template] = texts!("ci/pages", ".yml":
    "Brunch" "Doxygen" "Gatsby" "HTML" "Harp" "Hexo" "Hugo" "Hyde" "JBake" "Jekyll" "Jigsaw" "Lektor" "Metalsmith"
    "Middleman" "Nanoc" "Octopress" "Pelican"
);

/// Those of languages and frameworks, then those of editors and operating systems.
static GITIGNORES: LazyLock<Vec<Template>> = LazyLock::new(|| {
    let languages = gitignores(&gitignores::Root::list(), gitignores::Root::get);
    let tools = gitignores(&gitignores::Global::list(), gitignores::Global::get);
    let mut all: Vec<Template> = languages.into_iter().chain(tools).collect();
    let mut keys = BTreeSet::new();
    // The collections have files of the same name.
    all.retain(|template| keys.insert(template.key));
    all
});

fn gitignores<T: GitIgnore + Copy>(names: &[&'static str], get: impl Fn(&'static str) -> Option<T>) -> Vec<Template> {
    let found = names.iter().filter_map(|name| get(name));
    let template = |file: T| {
        let key = file.file_name().trim_end_matches(".gitignore");
        Template { key, content: file.contents() }
    };
    let mut templates: Vec<Template> = found.map(template).collect();
    templates.sort_by_key(|template| template.key);
    templates
}

/// Those that build and test, then those that publish pages.
static CI: LazyLock<Vec<Template>> = LazyLock::new(|| [LANGUAGES, PAGES].concat());

/// All templates of a kind, by category and then by key; licences are not among them.
pub(super) fn all(kind: TemplateKind) -> &'static [Template] {
    match kind {
        TemplateKind::Dockerfile => DOCKERFILES,
        TemplateKind::Ci => &CI,
        TemplateKind::Gitignore => &GITIGNORES,
        TemplateKind::License => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_unique_and_texts_are_complete() {
        for (kind, least) in [(TemplateKind::Dockerfile, 17), (TemplateKind::Ci, 46), (TemplateKind::Gitignore, 150)] {
            let mut keys: Vec<&str> = all(kind).iter().map(|template| template.key).collect();
            assert!(keys.len() >= least, "{kind:?}: {}", keys.len());
            keys.sort_unstable();
            assert!(keys.windows(2).all(|pair| pair[0] != pair[1]), "{kind:?}: {keys:?}");
            let plain = |c: char| c.is_ascii_alphanumeric() || "+-._".contains(c);
            assert!(keys.iter().all(|key| !key.is_empty() && key.chars().all(plain)), "{keys:?}");
            assert!(all(kind).iter().all(|template| !template.content.trim().is_empty()), "{kind:?}");
        }
    }

    #[test]
    fn what_must_be_edited_says_so() {
        let first = "# This file is a template, and might need editing before it works on your project.\n";
        for kind in [TemplateKind::Dockerfile, TemplateKind::Ci] {
            assert!(all(kind).iter().all(|template| template.content.starts_with(first)), "{kind:?}");
        }
    }
}
