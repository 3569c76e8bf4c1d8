//! The names of branches that are made from issues.

use crate::id::Iid;
use crate::path::slug;

/// The longest name, in characters.
const LONGEST: usize = 100;
/// How many names are tried: the plain one, and those with a number.
const TRIED: usize = 20;

/// The names for a branch of an issue, the best one first. The others are for when it is taken. `template` has the
/// placeholders `%{id}` and `%{title}`; without one the name is both of them with a dash between. The title of a confidential
/// issue is not shown.
#[must_use]
pub fn branch_names(template: Option<&str>, iid: Iid, title: Option<&str>) -> Vec<String> {
    let id = iid.get().to_string();
    let title = title.map_or_else(|| "confidential-issue".to_owned(), slug);
    let name = match template.map(str::trim).filter(|template| !template.is_empty()) {
        Some(template) => expanded(template, &id, &title),
        None if title.is_empty() => id,
        None => format!("{id}-{title}"),
    };
    let name = cut(&name, LONGEST);
    let numbered = (2..=TRIED).map(|number| {
        let end = format!("-{number}");
        format!("{}{end}", cut(&name, LONGEST - end.len()))
    });
    std::iter::once(name.clone()).chain(numbered).collect()
}

/// The template with the values for its placeholders, each of which is found once: values are not looked through again.
fn expanded(template: &str, id: &str, title: &str) -> String {
    let parts: Vec<String> = template.split("%{id}").map(|part| part.replace("%{title}", title)).collect();
    parts.join(id)
}

fn cut(name: &str, most: usize) -> String {
    let cut: String = name.chars().take(most).collect();
    cut.trim_end_matches(['-', '.', '/', ' ']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(template: Option<&str>, title: Option<&str>) -> String {
        branch_names(template, Iid::new(7), title).swap_remove(0)
    }

    #[test]
    fn the_template_decides() {
        for (template, title, want) in [
            (None, Some("Fix: the Crank!"), "7-fix-the-crank"),
            (None, Some("Ünïcode & more"), "7-unicode-more"),
            (None, Some("???"), "7"),
            (Some(" "), Some("a"), "7-a"),
            (Some("issue/%{id}"), Some("a"), "issue/7"),
            (Some("%{title}-%{id}-%{id}"), Some("A b"), "a-b-7-7"),
            (Some("%{title}"), Some("%{id}"), "id"),
            (Some("fixed"), Some("a"), "fixed"),
            (Some("%{id}-%{title}"), None, "7-confidential-issue"),
            (None, None, "7-confidential-issue"),
        ] {
            assert_eq!(first(template, title), want, "{template:?} {title:?}");
        }
    }

    #[test]
    fn names_are_short_and_each_is_another_one() {
        let names = branch_names(None, Iid::new(7), Some(&"long ".repeat(60)));
        assert_eq!(names.len(), TRIED);
        assert!(names.iter().all(|name| name.len() <= LONGEST && !name.ends_with("--")), "{names:?}");
        let mut unique = names.clone();
        unique.sort();
        unique.dedup();
        assert_eq!(unique.len(), TRIED);
        assert!(names.get(1).is_some_and(|name| name.ends_with("-2")), "{names:?}");
    }
}
