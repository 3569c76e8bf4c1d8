//! Switches as parameters: the optional booleans that a table of the domain names.

use super::{FieldDoc, Param, Reader};

/// One switch of a table: its place there, its names in requests, and its description.
pub(crate) struct Switch<K> {
    pub(crate) key: K,
    pub(crate) names: Vec<&'static str>,
    pub(crate) meaning: String,
}

/// The switches that a request names; `None` if one of them cannot be read.
pub(crate) fn read<K>(reader: &mut Reader<'_>, table: impl Iterator<Item = Switch<K>>) -> Option<Vec<(K, bool)>> {
    // All are read, so that each problem is reported.
    let read: Vec<_> = table.map(|switch| (switch.key, <Option<bool>>::read(reader, &switch.names))).collect();
    let read: Option<Vec<_>> = read.into_iter().map(|(key, on)| Some((key, on?))).collect();
    Some(read?.into_iter().filter_map(|(key, on)| Some((key, on?))).collect())
}

/// The switches in the description of the API.
pub(crate) fn describe<K>(table: impl Iterator<Item = Switch<K>>, fields: &mut Vec<FieldDoc>) {
    for switch in table {
        let name = switch.names.first().copied().unwrap_or_default();
        <Option<bool>>::describe(name, &[&switch.meaning], fields);
    }
}

/// Declares a part of parameters that is read from a table of switches.
macro_rules! switches {
    ($(#[doc = $doc:literal])* $vis:vis struct $name:ident($key:ty) = $table:expr;) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone)]
        $vis struct $name($vis Vec<($key, bool)>);

        impl $crate::params::Param for $name {
            fn read(reader: &mut $crate::params::Reader<'_>, _: &[&'static str]) -> Option<Self> {
                $crate::params::switches::read(reader, $table).map(Self)
            }

            fn describe(_: &'static str, _: &[&str], fields: &mut Vec<$crate::params::FieldDoc>) {
                $crate::params::switches::describe($table, fields);
            }
        }
    };
}

pub(crate) use switches;
