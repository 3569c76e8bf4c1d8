//! The two macros that declare parameters.

/// Declares the parameters of an endpoint. The type of a field is its rule: a bare type is required, an `Option` is
/// not, a `Patch` distinguishes "unchanged" from "clear". Doc comments become the API description.
///
/// ```text
/// params! {
///     /// A new project.
///     pub(crate) struct CreateProject {
///         /// The name; required if `path` is absent.
///         name: Option<String>,
///         /// The last part of the address; required if `name` is absent.
///         path: Option<String>,
///         /// True if everyone may see the job logs.
///         public_jobs | public_builds: Option<bool>,
///     }
///     rules(reader) { reader.at_least_one_of(&["name", "path"]); }
/// }
/// ```
///
/// The names after a `|` are aliases: the first one that was sent is used. A field whose type is itself declared with
/// `params!`, or `Paging`, takes its own fields from the same request. Fields are as visible as the struct. One that is
/// checked and then has no effect is marked `#[expect(dead_code, reason = "..")]`.
macro_rules! params {
    (
        $(#[doc = $doc:literal])*
        $vis:vis struct $name:ident {
            $( $(#[doc = $field_doc:literal])* $(#[expect($($lint:tt)*)])? $field:ident $(| $alias:ident)* : $type:ty ),* $(,)?
        }
        $( rules($given:ident) $rules:block )?
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone)]
        $vis struct $name {
            $( $(#[doc = $field_doc])* $(#[expect($($lint)*)])? $vis $field: $type, )*
        }

        impl $crate::params::FromParams for $name {
            fn from_params(reader: &mut $crate::params::Reader<'_>) -> Option<Self> {
                $( let $field = <$type as $crate::params::Param>::read(
                    reader,
                    &[$crate::params::wire_name(stringify!($field)), $($crate::params::wire_name(stringify!($alias))),*],
                ); )*
                $( let $given = &mut *reader; $rules )?
                Some(Self { $( $field: $field?, )* })
            }

            fn fields() -> Vec<$crate::params::FieldDoc> {
                let mut fields = Vec::new();
                $( <$type as $crate::params::Param>::describe(
                    $crate::params::wire_name(stringify!($field)),
                    &[$($field_doc),*],
                    &mut fields,
                ); )*
                fields
            }
        }

        impl $crate::params::Param for $name {
            fn read(reader: &mut $crate::params::Reader<'_>, _: &[&'static str]) -> Option<Self> {
                <Self as $crate::params::FromParams>::from_params(reader)
            }

            fn describe(_: &'static str, _: &[&str], fields: &mut Vec<$crate::params::FieldDoc>) {
                fields.extend(<Self as $crate::params::FromParams>::fields());
            }
        }
    };
}

/// Declares an enumeration that parameters may take, with its names on the wire.
///
/// ```text
/// choice! {
///     /// The sort direction of a list.
///     pub(crate) enum Sort {
///         /// Smallest first.
///         Asc = "asc",
///         /// Largest first.
///         Desc = "desc",
///     }
/// }
/// ```
macro_rules! choice {
    (
        $(#[doc = $doc:literal])*
        $vis:vis enum $name:ident { $( $(#[doc = $variant_doc:literal])* $variant:ident = $text:literal ),* $(,)? }
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $vis enum $name { $( $(#[doc = $variant_doc])* $variant, )* }

        impl $crate::params::Choice for $name {
            fn parse(text: &str) -> Option<Self> {
                match text {
                    $( $text => Some(Self::$variant), )*
                    _ => None,
                }
            }

            fn names() -> Vec<&'static str> {
                vec![$($text),*]
            }
        }
    };
}

pub(crate) use {choice, params};
