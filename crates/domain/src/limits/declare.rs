//! How limits are declared.

use super::info::LimitInfo;

/// A group of limits, with access by the names of its limits.
pub(super) trait Group {
    /// Sets the limit called `name` to `number` of its unit. True if the number fits it; `None` if there is no such
    /// limit.
    fn set(&mut self, name: &str, number: u64) -> Option<bool>;

    /// Every limit with the number in force, named as those of the group `group`.
    fn list(&self, group: &str) -> Vec<LimitInfo>;
}

/// Declares groups of limits. `count` is a `usize`, `bytes` a `u64`, `seconds` a `Duration`,
/// `milliseconds` one of [`Milliseconds`](super::Milliseconds).
macro_rules! groups {
    (@type count) => { usize };
    (@type bytes) => { u64 };
    (@type seconds) => { ::std::time::Duration };
    (@type milliseconds) => { $crate::limits::Milliseconds };
    (@value seconds, $default:expr) => { ::std::time::Duration::from_secs($default) };
    (@value milliseconds, $default:expr) => { $crate::limits::Milliseconds($default) };
    (@value $kind:ident, $default:expr) => { $default };
    ($(
        $(#[doc = $group_doc:literal])+
        $type:ident {
            $( $(#[doc = $doc:literal])+ $kind:ident $name:ident = $default:expr; )+
        }
    )+) => {$(
        $(#[doc = $group_doc])+
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $type {
            $( $(#[doc = $doc])+ pub $name: groups!(@type $kind), )+
        }

        impl Default for $type {
            fn default() -> Self {
                Self { $( $name: groups!(@value $kind, $default), )+ }
            }
        }

        impl $crate::limits::declare::Group for $type {
            fn set(&mut self, name: &str, number: u64) -> Option<bool> {
                use $crate::limits::setting::Setting;
                match name {
                    $( stringify!($name) => {
                        let set = Setting::from_number(number).map(|value| self.$name = value);
                        Some(set.is_some())
                    } )+
                    _ => None,
                }
            }

            fn list(&self, group: &str) -> Vec<$crate::limits::LimitInfo> {
                use $crate::limits::setting::Setting;
                vec![ $(
                    $crate::limits::LimitInfo {
                        name: format!("{group}.{}", stringify!($name)),
                        value: Setting::number(&self.$name),
                        unit: <groups!(@type $kind) as Setting>::UNIT,
                        description: [$($doc),+].concat().trim().to_owned(),
                    },
                )+ ]
            }
        }
    )+};
}

/// Puts groups together.
macro_rules! limits {
    ($( $group:ident: $type:ident, )+) => {
        /// All limits. The default is what a server runs with that is not configured.
        #[derive(Debug, Clone, Default, PartialEq, Eq)]
        pub struct Limits {
            $( #[doc = concat!("See [`", stringify!($type), "`].")] pub $group: $type, )+
        }

        impl Limits {
            /// Sets the limit called `name` (`push.commands`) to `number` of its unit.
            ///
            /// # Errors
            /// Fails if there is no such limit, or the number does not fit it.
            pub fn set(&mut self, name: &str, number: u64) -> Result<(), LimitError> {
                let (group, limit) = name.split_once('.').unwrap_or_default();
                let set = match group {
                    $( stringify!($group) => Group::set(&mut self.$group, limit, number), )+
                    _ => None,
                };
                match set {
                    Some(true) => Ok(()),
                    Some(false) => Err(LimitError::OutOfRange(name.to_owned())),
                    None => Err(LimitError::Unknown(name.to_owned())),
                }
            }

            /// Every limit with the number in force, in the order of the groups.
            #[must_use]
            pub fn list(&self) -> Vec<LimitInfo> {
                [ $( Group::list(&self.$group, stringify!($group)), )+ ].concat()
            }
        }
    };
}

pub(super) use groups;
pub(super) use limits;
