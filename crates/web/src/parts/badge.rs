//! Parts that the badges of projects and those of groups have in common: the list, the form, and how they look.

use tenon_app::badge::{BadgeChange, BadgeView};
use tenon_domain::badge::Badge;
use tenon_domain::page::Page;

use crate::kit::form::{Form, OriginalValues, patch};
use crate::kit::pagination::Pagination;

const FORM: &str = "badge";

/// A badge of a list.
pub(crate) struct Row {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) link: String,
    pub(crate) image: String,
    /// True if it belongs to the project or group of the list, and not to a group above.
    pub(crate) is_own: bool,
}

/// A list of badges, ready for its page.
pub(crate) struct Listed {
    /// The address to which the form of a new badge is sent.
    pub(crate) href: String,
    pub(crate) rows: Vec<Row>,
    pub(crate) pages: Pagination,
}

impl Listed {
    /// The badges of a list. `is_own` says which of them belong to its project or group.
    pub(crate) fn new(href: String, found: Page<BadgeView>, is_own: impl Fn(&Badge) -> bool) -> Self {
        let pages = Pagination::of(&found).at(&href);
        let row = |view: BadgeView| Row {
            id: view.badge.id.get(),
            is_own: is_own(&view.badge),
            name: view.badge.name.unwrap_or_default(),
            link: view.badge.link_url,
            image: view.badge.image_url,
        };
        Self { rows: found.items.into_iter().map(row).collect(), pages, href }
    }
}

/// The values of the form of a badge.
#[derive(Default)]
pub(crate) struct FormValues {
    /// The badge that is changed. None for a new one.
    pub(crate) id: Option<i64>,
    pub(crate) name: String,
    pub(crate) link: String,
    pub(crate) image: String,
    /// The fields as the page had them at first ([`OriginalValues::field`]). Empty for a new badge.
    pub(crate) shown: String,
}

impl FormValues {
    pub(crate) fn of(badge: Badge) -> Self {
        let name = badge.name.unwrap_or_default();
        let shown = OriginalValues::of([
            ("name", name.as_str().into()),
            ("link_url", badge.link_url.as_str().into()),
            ("image_url", badge.image_url.as_str().into()),
        ]);
        Self { id: Some(badge.id.get()), name, link: badge.link_url, image: badge.image_url, shown: shown.field() }
    }

    /// The form of a badge, new if there is no id, as it was sent.
    pub(crate) fn sent(id: Option<i64>, form: Form<'_>) -> Self {
        Self {
            id,
            name: form.text(FORM, "name"),
            link: form.text(FORM, "link_url"),
            image: form.text(FORM, "image_url"),
            shown: OriginalValues::sent(form).field(),
        }
    }
}

/// The fields that a form has.
pub(crate) fn changed(form: Form<'_>) -> BadgeChange {
    let text = |field: &str| form.has(FORM, field).then(|| form.text(FORM, field).trim().to_owned());
    BadgeChange {
        name: patch(form.has(FORM, "name"), form.filled(FORM, "name")),
        link_url: text("link_url"),
        image_url: text("image_url"),
    }
}

/// The badges of a project as a line of Markdown. Its renderer decides which pictures of other servers a page shows.
pub(crate) fn markdown(badges: &[BadgeView]) -> String {
    let one = |view: &BadgeView| {
        // A line break would end the row.
        let words = view.badge.name.as_deref().unwrap_or("Badge").split_whitespace().collect::<Vec<_>>().join(" ");
        let words: String =
            words.chars().flat_map(|c| c.is_ascii_punctuation().then_some('\\').into_iter().chain([c])).collect();
        format!("[![{words}](<{}>)](<{}>)", view.rendered_image_url, view.rendered_link_url)
    };
    badges.iter().map(one).collect::<Vec<_>>().join(" ")
}
