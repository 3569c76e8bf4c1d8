//! What all pages have in common: the header, the token of forms, what the page before has left to say.

use tenon_app::error::AppError;
use tenon_app::{Query, oauth};

use crate::cookie::Cookies;
use crate::place;
use crate::site::Site;

/// The part of the frame that the database does not know.
pub(crate) struct FrameHead {
    root: String,
    csrf: String,
    flash: Option<&'static str>,
    css: String,
    script: String,
    icon: String,
    pattern: &'static str,
}

/// What the layout shows around a page.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    /// The path at which the pages begin.
    pub(crate) root: String,
    /// The token of forms, masked anew for each page.
    pub(crate) csrf: String,
    /// Who has signed in.
    pub(crate) user: Option<Person>,
    pub(crate) flash: Option<&'static str>,
    pub(crate) css: String,
    pub(crate) script: String,
    pub(crate) icon: String,
    /// The pattern of the page.
    pattern: &'static str,
    /// Whether the user may have applications of their own.
    pub(crate) has_applications: bool,
}

/// A user, as the header shows them.
#[derive(Debug, Clone)]
pub(crate) struct Person {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) username: String,
}

impl FrameHead {
    pub(crate) fn new(site: &Site, cookies: &Cookies, pattern: &'static str) -> Self {
        let csrf = site.edge().app().masked(&cookies.token());
        Self { csrf, flash: cookies.flash().map(crate::flash::Flash::text), pattern, ..Self::bare(site) }
    }

    /// The part that depends on no caller.
    fn bare(site: &Site) -> Self {
        let root = place::root(site.edge().app().base_url());
        let assets = site.assets();
        Self {
            csrf: String::new(),
            flash: None,
            css: assets.address(&root, "tenon.css"),
            script: assets.address(&root, "tenon.js"),
            icon: assets.address(&root, "icon.svg"),
            pattern: "",
            root,
        }
    }
}

impl Frame {
    /// The frame for the caller of `query`.
    pub(crate) fn of(head: FrameHead, query: &mut Query<'_>) -> Result<Self, AppError> {
        let user = query.caller.user.as_deref();
        let user =
            user.map(|user| Person { id: user.id.get(), name: user.name.clone(), username: user.username.clone() });
        let has_applications = user.is_some() && oauth::may_have_own(query)?;
        Ok(Self { has_applications, ..Self::with(head, user) })
    }

    /// Whether the page is one of those that begin with this path: for the navigation.
    pub(crate) fn is_within(&self, path: &str) -> bool {
        self.pattern.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// The frame of a page that depends on nothing.
    pub(crate) fn bare(site: &Site) -> Self {
        Self::with(FrameHead::bare(site), None)
    }

    fn with(head: FrameHead, user: Option<Person>) -> Self {
        let FrameHead { root, csrf, flash, css, script, icon, pattern } = head;
        Self { root, csrf, user, flash, css, script, icon, pattern, has_applications: false }
    }
}
