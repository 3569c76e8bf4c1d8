//! The caller's preferences for pages, in all browsers or in this one.

use askama::Template;
use tenon_app::user::{self, PreferencesChange};

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::choice::Choice;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::look::{Look, TABS, Theme};

const ADDRESS: &str = "/profile/preferences";
const FORM: &str = "user";

#[derive(Template)]
#[template(path = "profile/preferences.html")]
struct PreferencesPage {
    frame: Frame,
    themes: Vec<Choice>,
    tabs: Vec<Choice>,
    look: Look,
    shows_space: bool,
    by_file: bool,
}

pub(super) async fn show(context: RequestContext) -> Result<Answer, PageError> {
    let (frame, preferences) = context.read(user::preferences).await?;
    let look = context.look();
    let theme = |theme: Theme| {
        let words = match theme {
            Theme::System => "System default",
            Theme::Light => "Light",
            Theme::Dark => "Dark",
        };
        Choice::new(theme.name(), words, theme == look.theme)
    };
    Answer::page(&PreferencesPage {
        frame,
        themes: Theme::ALL.map(theme).into(),
        tabs: TABS.map(|columns| Choice::new(&columns.to_string(), &columns.to_string(), columns == look.tab())).into(),
        look,
        shows_space: preferences.show_whitespace_in_diffs,
        by_file: preferences.view_diffs_file_by_file,
    })
}

pub(super) async fn change(context: RequestContext) -> Result<Answer, PageError> {
    let form = context.form();
    let shows_space = form.ticked(FORM, "show_whitespace_in_diffs");
    let mut look = context.look().with_tab(&form.text(FORM, "tab_width"));
    look.theme = Theme::named(&form.text(FORM, "theme"));
    look.is_parallel = form.ticked(FORM, "diff_view_parallel");
    look.keeps_lines = form.ticked(FORM, "keep_long_lines");
    look.has_no_keys = !form.ticked(FORM, "keyboard_shortcuts_enabled");
    let change = PreferencesChange {
        show_whitespace_in_diffs: Some(shows_space),
        view_diffs_file_by_file: Some(form.ticked(FORM, "view_diffs_file_by_file")),
        ..PreferencesChange::default()
    };
    context.write(move |command| user::change_preferences(command, change)).await?;
    let done = Answer::done(&context.own(ADDRESS)).cookie(cookie::of_look(look));
    Ok(done.cookie(cookie::of_flash(Flash::SettingsSaved)))
}
