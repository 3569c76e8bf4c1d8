//! The button and the menu that set about what the caller wants mail from a project or a group.

use tenon_domain::notification_setting::NotificationLevel;

/// The path below a project, and behind `/-/` of a group, that sets it.
pub(crate) const PATH: &str = "/notification_setting";

/// The levels of the menu, with their names and meanings.
const LEVELS: [(NotificationLevel, &str, &str); 5] = [
    (NotificationLevel::Global, "Global", "Use your notification settings"),
    (NotificationLevel::Watch, "Watch", "All activity"),
    (NotificationLevel::Participating, "Participate", "Threads you participate in or are mentioned in"),
    (NotificationLevel::Mention, "On mention", "Only when you are @mentioned"),
    (NotificationLevel::Disabled, "Disabled", "Only threads you subscribed to"),
];

/// The menu.
pub(crate) struct Watch {
    /// The address of its forms.
    pub(crate) href: String,
    /// The name of the level of now.
    pub(crate) now: &'static str,
    /// The level that the button sets: everything, or that of the settings if it is everything now.
    pub(crate) other: &'static str,
    pub(crate) icon: &'static str,
    pub(crate) levels: Vec<Level>,
}

/// A level that can be chosen.
pub(crate) struct Level {
    pub(crate) value: &'static str,
    pub(crate) name: &'static str,
    pub(crate) meaning: &'static str,
    pub(crate) is_chosen: bool,
}

impl Watch {
    /// The menu of the project or group at this address. None without an account.
    pub(crate) fn new(href: String, level: Option<NotificationLevel>) -> Option<Self> {
        let level = level?;
        let levels =
            LEVELS.map(|(one, name, meaning)| Level { value: one.as_str(), name, meaning, is_chosen: one == level });
        Some(Self {
            href,
            other: match level {
                NotificationLevel::Watch => NotificationLevel::Global,
                _ => NotificationLevel::Watch,
            }
            .as_str(),
            now: match level {
                NotificationLevel::Watch => "Watching",
                NotificationLevel::Participating => "Participating",
                NotificationLevel::Mention => "On mention",
                NotificationLevel::Disabled => "Disabled",
                NotificationLevel::Custom => "Custom",
                NotificationLevel::Global => "Global",
            },
            icon: if level == NotificationLevel::Disabled { "eye-off" } else { "eye" },
            levels: levels.into(),
        })
    }

    /// True if the button ends the watching.
    pub(crate) fn is_watching(&self) -> bool {
        self.other != NotificationLevel::Watch.as_str()
    }
}
