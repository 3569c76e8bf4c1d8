//! How limits are declared.

/// Declares the groups of limits. `count` is a `usize`, `bytes` a `u64`, `seconds` a `Duration`,
/// `milliseconds` one of [`Milliseconds`](super::Milliseconds).
macro_rules! limits {
    (@type count) => { usize };
    (@type bytes) => { u64 };
    (@type seconds) => { ::std::time::Duration };
    (@type milliseconds) => { Milliseconds };
    (@value seconds, $default:expr) => { ::std::time::Duration::from_secs($default) };
    (@value milliseconds, $default:expr) => { Milliseconds($default) };
    (@value $kind:ident, $default:expr) => { $default };
    ($(
        $(#[doc = $group_doc:literal])+
        $group:ident: $type:ident {
            $( $(#[doc = $doc:literal])+ $kind:ident $name:ident = $default:expr; )+
        }
    )+) => {
        /// All limits. The default is what a server runs with that is not configured.
        #[derive(Debug, Clone, Default, PartialEq, Eq)]
        pub struct Limits {
            $( $(#[doc = $group_doc])+ pub $group: $type, )+
        }

        $(
            $(#[doc = $group_doc])+
            #[derive(Debug, Clone, PartialEq, Eq)]
            pub struct $type {
                $( $(#[doc = $doc])+ pub $name: limits!(@type $kind), )+
            }

            impl Default for $type {
                fn default() -> Self {
                    Self { $( $name: limits!(@value $kind, $default), )+ }
                }
            }
        )+

        impl Limits {
            /// Sets the limit called `name` (`push.commands`) to `number` of its unit.
            ///
            /// # Errors
            /// Where there is no such limit, or the number does not fit it.
            pub fn set(&mut self, name: &str, number: u64) -> Result<(), LimitError> {
                match name {
                    $( $(
                        concat!(stringify!($group), ".", stringify!($name)) => {
                            self.$group.$name = Setting::from_number(number)
                                .ok_or_else(|| LimitError::OutOfRange(name.to_owned()))?;
                            Ok(())
                        }
                    )+ )+
                    _ => Err(LimitError::Unknown(name.to_owned())),
                }
            }

            /// Every limit with the number in force, in the order of their declaration.
            #[must_use]
            pub fn list(&self) -> Vec<LimitInfo> {
                vec![ $( $(
                    LimitInfo {
                        name: concat!(stringify!($group), ".", stringify!($name)).to_owned(),
                        value: Setting::number(&self.$group.$name),
                        unit: <limits!(@type $kind) as Setting>::UNIT,
                        description: [$($doc),+].concat().trim().to_owned(),
                    },
                )+ )+ ]
            }
        }
    };
}

pub(super) use limits;
