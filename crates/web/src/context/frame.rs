//! Parts that all pages have in common: the header, the token of forms, and the message that the previous page left.

use tenon_app::error::AppError;
use tenon_app::session::{self, AdminMode};
use tenon_app::{Query, broadcast_message, markdown, oauth, todo};

use super::site::SiteContext;
use crate::kit::cookie::Cookies;
use crate::kit::flash::Flash;
use crate::kit::icon::{Icon, Icons};
use crate::kit::look::Look;
use crate::kit::{address, asset};

/// The part of the frame that the database does not know.
pub(crate) struct FrameHead {
    root: String,
    csrf: String,
    flash: Option<&'static str>,
    /// Markdown of an administrator's, for a user who has just signed up.
    welcome: Option<String>,
    css: String,
    script: String,
    icon: String,
    look: Look,
    pattern: &'static str,
    path: String,
    sign_in: String,
    has_providers: bool,
}

/// The data that the layout shows around a page.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    /// The path at which the pages begin.
    pub(crate) root: String,
    /// The token of forms, masked anew for each page.
    pub(crate) csrf: String,
    /// The user who has signed in.
    pub(crate) user: Option<Person>,
    /// True if an administrator acts as that user.
    pub(crate) is_impersonated: bool,
    pub(crate) admin_mode: AdminMode,
    pub(crate) flash: Option<&'static str>,
    /// The text for a user who has just signed up: safe HTML, made by the renderer of Markdown.
    pub(crate) welcome: Option<String>,
    pub(crate) css: String,
    pub(crate) script: String,
    pub(crate) icon: String,
    icons: Icons,
    pub(crate) look: Look,
    /// The page to sign in, which leads back to this one. Empty if the header has no link to it.
    pub(crate) sign_in: String,
    pattern: &'static str,
    /// True if the user may have applications of their own.
    pub(crate) has_applications: bool,
    /// True if users sign in with accounts at other services.
    pub(crate) has_providers: bool,
    /// The number of to-do items of the user, in words. Empty if there are none.
    pub(crate) todos: String,
    /// The messages of administrators to all users.
    pub(crate) banners: Vec<Banner>,
}

/// A message of an administrator.
#[derive(Debug, Clone)]
pub(crate) struct Banner {
    /// Safe HTML, made by the renderer of Markdown.
    pub(crate) html: String,
    /// The class that sets the colours.
    pub(crate) class: String,
    /// The address of the styles that have the class.
    pub(crate) css: String,
}

impl Banner {
    pub(crate) fn of(root: &str, banner: broadcast_message::Banner) -> Self {
        let class = asset::banner_class(&banner.color, &banner.font);
        Self { html: banner.html, css: format!("{root}{}", asset::banner_path(&class)), class }
    }
}

/// A user, as the header shows them.
#[derive(Debug, Clone)]
pub(crate) struct Person {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) username: String,
    pub(crate) picture: String,
    /// True if the user acts as an administrator.
    pub(crate) is_admin: bool,
    /// True if the user may make groups that lie in no other group.
    pub(crate) may_create_group: bool,
}

impl FrameHead {
    /// The head of a page of this pattern at this path. `sign_in` is the page to sign in, which leads back to it.
    pub(crate) fn new(
        site: &SiteContext,
        cookies: &Cookies,
        pattern: &'static str,
        path: &str,
        sign_in: String,
    ) -> Self {
        let app = site.edge().app();
        let has_signed_up = cookies.flash().is_some_and(Flash::follows_sign_up);
        Self {
            csrf: cookies.masked_token().to_owned(),
            has_providers: app.providers().next().is_some(),
            welcome: has_signed_up.then(|| app.known_settings().after_sign_up_text.clone()).flatten(),
            flash: cookies.flash().map(Flash::text),
            look: cookies.look(),
            pattern,
            path: path.to_owned(),
            ..Self::bare(site, sign_in)
        }
    }

    /// The same for the page of a failure, which keeps the message of the previous page for the next one.
    pub(crate) fn quiet(self) -> Self {
        Self { flash: None, welcome: None, ..self }
    }

    /// The part that depends on no caller.
    fn bare(site: &SiteContext, sign_in: String) -> Self {
        let root = address::root(site.edge().app().base_url());
        let assets = site.assets();
        Self {
            csrf: String::new(),
            has_providers: site.edge().app().providers().next().is_some(),
            flash: None,
            welcome: None,
            css: assets.address(&root, "tenon.css"),
            script: assets.address(&root, "tenon.js"),
            icon: assets.address(&root, "icon.svg"),
            look: Look::default(),
            pattern: "",
            path: String::new(),
            sign_in,
            root,
        }
    }
}

/// The most to-do items that are counted for each page.
const MOST_TODOS: i64 = 99;

fn counted(todos: usize) -> String {
    match i64::try_from(todos) {
        Ok(0) => String::new(),
        Ok(few) if few <= MOST_TODOS => few.to_string(),
        Ok(_) | Err(_) => format!("{MOST_TODOS}+"),
    }
}

impl Frame {
    /// The frame for the caller of `query`.
    pub(crate) fn of(head: FrameHead, query: &mut Query<'_>) -> Result<Self, AppError> {
        let user = query.caller.user.as_deref();
        let user = user.map(|user| Person {
            id: user.id.get(),
            picture: match &user.avatar {
                Some(avatar) => {
                    format!("{}/uploads/-/system/user/avatar/{}/{}", head.root, user.id, avatar.file_name)
                }
                None => address::drawn_picture(&head.root, user.id.get(), &user.name),
            },
            name: user.name.clone(),
            username: user.username.clone(),
            is_admin: query.viewer().is_admin(),
            may_create_group: user.can_create_group,
        });
        let has_applications = user.is_some() && oauth::may_have_own(query)?;
        let todos = if user.is_some() { todo::pending(query, MOST_TODOS + 1)? } else { 0 };
        let todos = counted(todos);
        let found = broadcast_message::banners(query, &head.path)?;
        let banners = found.into_iter().map(|banner| Banner::of(&head.root, banner)).collect();
        let welcome = head.welcome.as_deref().map(|text| markdown::render(query, text, None)).transpose()?;
        let is_impersonated = query.caller.is_impersonated();
        let admin_mode = session::admin_mode(query)?;
        let frame = Self::with(head, user);
        Ok(Self { is_impersonated, admin_mode, welcome, has_applications, todos, banners, ..frame })
    }

    /// True if the user is an administrator who acts as any other user now.
    pub(crate) fn may_enter_admin_mode(&self) -> bool {
        self.admin_mode == AdminMode::Left
    }

    /// True if the user has entered the mode of administrators.
    pub(crate) fn is_in_admin_mode(&self) -> bool {
        self.admin_mode == AdminMode::Entered
    }

    /// The icon of this name, for templates: `{{ frame.icon("star") }}`.
    pub(crate) fn icon<'a>(&'a self, name: &'a str) -> Icon<'a> {
        self.icons.named(name)
    }

    /// True if the path of the page is exactly this one. For the navigation.
    pub(crate) fn is_at(&self, path: &str) -> bool {
        self.pattern == path
    }

    /// True if the path of the page begins with this one. For the navigation.
    pub(crate) fn is_within(&self, path: &str) -> bool {
        self.pattern.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// The frame of a page that depends on nothing but its address, from which `sign_in` leads back.
    pub(crate) fn bare(site: &SiteContext, sign_in: String) -> Self {
        Self::with(FrameHead::bare(site, sign_in), None)
    }

    fn with(head: FrameHead, user: Option<Person>) -> Self {
        let FrameHead {
            root,
            csrf,
            flash,
            welcome: _,
            css,
            script,
            icon,
            look,
            pattern,
            path: _,
            sign_in,
            has_providers,
        } = head;
        let (has_applications, is_impersonated, todos, banners, welcome) =
            (false, false, String::new(), Vec::new(), None);
        Self {
            icons: Icons::new(&root),
            root,
            csrf,
            user,
            is_impersonated,
            admin_mode: AdminMode::NotNeeded,
            flash,
            welcome,
            css,
            script,
            icon,
            look,
            sign_in,
            pattern,
            has_applications,
            has_providers,
            todos,
            banners,
        }
    }
}
