//! Parts that the pages of a user have in common: the user, and the tabs.

use tenon_app::error::AppError;
use tenon_app::user::{self, UserView};
use tenon_app::{Query, Reference};
use tenon_domain::id::UserId;

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::address::is_of_web;
use crate::kit::error::PageError;
use crate::kit::segment::decode;
use crate::parts::links::picture;

/// The name of a user in an address.
pub(super) fn named(context: &RequestContext) -> Result<String, PageError> {
    decode(context.segment("username")).ok_or(PageError::NotFound)
}

/// The user of this name. 404 if there is none that the caller may see.
pub(super) fn find(query: &mut Query<'_>, name: &str) -> Result<UserView, AppError> {
    let id = user::account_id(query, name).unwrap_or(UserId::new(0));
    user::show(query, id, false)
}

/// The user as an argument of use cases.
pub(super) fn reference(view: &UserView) -> Reference {
    Reference::Id(view.user.id.get())
}

/// The top of each page of a user.
pub(super) struct UserFrame {
    pub(super) name: String,
    pub(super) username: String,
    pub(super) href: String,
    /// The start of the addresses of the other pages.
    pub(super) pages: String,
    pub(super) picture: String,
    /// True if a private profile hides the user's activity from the caller.
    pub(super) is_hidden: bool,
    pub(super) is_own: bool,
    pub(super) tab: Tab,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tab {
    Overview,
    Activity,
    Projects,
    Contributed,
    Starred,
    Snippets,
    Groups,
}

impl UserFrame {
    pub(super) fn new(frame: &Frame, view: &UserView, tab: Tab) -> Self {
        let user = &view.user;
        Self {
            name: user.name.clone(),
            username: user.username.clone(),
            href: format!("{}/{}", frame.root, user.username),
            pages: format!("{}/users/{}", frame.root, user.username),
            picture: picture(&frame.root, user.id.get(), &view.basic.name, view.basic.avatar_url.as_deref()),
            is_hidden: !view.shows_creation,
            is_own: view.for_self,
            tab,
        }
    }

    pub(super) fn is_at(&self, tab: &str) -> bool {
        let here = match self.tab {
            Tab::Overview => "overview",
            Tab::Activity => "activity",
            Tab::Projects => "projects",
            Tab::Contributed => "contributed",
            Tab::Starred => "starred",
            Tab::Snippets => "snippets",
            Tab::Groups => "groups",
        };
        here == tab
    }
}

/// The address of another site that a user has named. None if it is not that of a page.
pub(super) fn website(address: &str) -> Option<String> {
    Some(address.to_owned()).filter(|address| is_of_web(address))
}
