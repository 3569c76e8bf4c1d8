//! The rule by which images of a container registry are removed. There is no registry: the parts are stored and answered, because
//! clients compare them with what they sent.

use crate::settings::{DefaultValue, Effect, Kind, Setting};

const NO_REGISTRY: Effect = Effect::Stored("there is no container registry");

/// How often the rule is applied.
pub const CADENCE: Setting = Setting::new(
    "container_expiration_policy.cadence",
    Kind::Word(&["1d", "7d", "14d", "1month", "3month"]),
    DefaultValue::Text("1d"),
    NO_REGISTRY,
    "How often images are removed.",
);
/// The switch of the rule.
pub const ENABLED: Setting =
    Setting::switch("container_expiration_policy.enabled", false, NO_REGISTRY, "Images are removed by the rule.");
/// The tags that stay.
pub const KEEP_N: Setting = Setting::new(
    "container_expiration_policy.keep_n",
    Kind::OneOf(&[1, 5, 10, 25, 50, 100]),
    DefaultValue::Number(10),
    NO_REGISTRY,
    "How many tags of each image stay.",
);
/// The age from which tags are removed.
pub const OLDER_THAN: Setting = Setting::new(
    "container_expiration_policy.older_than",
    Kind::Word(&["7d", "14d", "30d", "60d", "90d"]),
    DefaultValue::Text("90d"),
    NO_REGISTRY,
    "The age from which tags are removed.",
);
/// The names of tags that are removed.
pub const NAME_REGEX_DELETE: Setting = Setting::new(
    "container_expiration_policy.name_regex_delete",
    Kind::Pattern(255),
    DefaultValue::Text(".*"),
    NO_REGISTRY,
    "The names of tags that are removed.",
);
/// The names of tags that stay.
pub const NAME_REGEX_KEEP: Setting = Setting::text(
    "container_expiration_policy.name_regex_keep",
    Kind::Pattern(255),
    NO_REGISTRY,
    "The names of tags that stay.",
);

/// The parts of the rule.
pub const EXPIRATION: &[Setting] = &[CADENCE, ENABLED, KEEP_N, OLDER_THAN, NAME_REGEX_DELETE, NAME_REGEX_KEEP];

/// The members of the object in requests, with the parts that they set. Of two names of one part the last one counts.
pub const MEMBERS: &[(&str, &Setting)] = &[
    ("cadence", &CADENCE),
    ("enabled", &ENABLED),
    ("keep_n", &KEEP_N),
    ("older_than", &OLDER_THAN),
    ("name_regex", &NAME_REGEX_DELETE),
    ("name_regex_delete", &NAME_REGEX_DELETE),
    ("name_regex_keep", &NAME_REGEX_KEEP),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::assert_valid;

    #[test]
    fn names_are_unique_and_defaults_are_valid() {
        assert_valid(EXPIRATION, &[]);
        assert!(MEMBERS.iter().all(|(_, setting)| EXPIRATION.iter().any(|part| part.name == setting.name)));
    }
}
