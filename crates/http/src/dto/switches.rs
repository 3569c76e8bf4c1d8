//! Switches as JSON: the booleans that a table of the domain names, as a part of another object.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};

/// A table of switches.
pub(crate) trait SwitchTable {
    /// The name in the description of the API.
    const NAME: &'static str;
    /// The description.
    const MEANING: &'static str;

    /// The names, in order, and whether a value may be null.
    fn names() -> Vec<(&'static str, bool)>;
}

/// The values of the switches of a table.
pub(crate) struct SwitchesDto<T> {
    values: Vec<(&'static str, Option<bool>)>,
    table: PhantomData<T>,
}

impl<T: SwitchTable> SwitchesDto<T> {
    /// All switches, with the value that `value` gives the one of a name. One that may be null is null without a value.
    pub(crate) fn of(value: impl Fn(&str) -> Option<bool>) -> Self {
        let names = T::names().into_iter();
        let values = names.map(|(name, is_nullable)| {
            let found = value(name);
            (name, if is_nullable { found } else { Some(found.unwrap_or(false)) })
        });
        Self { values: values.collect(), table: PhantomData }
    }
}

impl<T> fmt::Debug for SwitchesDto<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.values.fmt(f)
    }
}

impl<T> Serialize for SwitchesDto<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.values.len()))?;
        for (name, value) in &self.values {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<T: SwitchTable> PartialSchema for SwitchesDto<T> {
    fn schema() -> RefOr<Schema> {
        let object = ObjectBuilder::new().description(Some(T::MEANING));
        let object = T::names().into_iter().fold(object, |object, (name, is_nullable)| {
            let kind =
                if is_nullable { SchemaType::from_iter([Type::Boolean, Type::Null]) } else { Type::Boolean.into() };
            object.property(name, ObjectBuilder::new().schema_type(kind)).required(name)
        });
        object.into()
    }
}

impl<T: SwitchTable> ToSchema for SwitchesDto<T> {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed(T::NAME)
    }
}
