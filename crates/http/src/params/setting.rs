//! Settings as parameters: each is read as its line in a table of the domain says.

use serde_json::Value as Json;
use tenon_domain::project::setting::WIKI;
use tenon_domain::settings::{Changes, DefaultBranchProtection, Effect, Kind, NoValue, Setting, Value};
use tenon_edge::raw::RawParam;

use super::{FieldDoc, Param, Reader, Reading, Scalar};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ArrayBuilder, ArrayItems, ObjectBuilder, Schema, SchemaType, Type};

const INVALID: &str = "is invalid";
const NO_VALID_VALUE: &str = "does not have a valid value";

/// The settings of a table that a request names.
pub(crate) fn read_table(reader: &mut Reader<'_>, table: &'static [Setting]) -> Changes {
    table.iter().filter_map(|line| Some((line, read(reader, line)?))).collect()
}

/// The settings that a request names as members of an object. An unknown member is ignored.
pub(crate) fn read_members(
    reader: &mut Reader<'_>,
    name: &'static str,
    members: &[(&'static str, &'static Setting)],
) -> Changes {
    let object = match reader.raw(&[name]) {
        RawParam::Absent => return Vec::new(),
        RawParam::Value(Json::Object(object)) => object,
        RawParam::Value(_) | RawParam::Repeated { .. } | RawParam::File(_) => {
            reader.complain(name, INVALID);
            return Vec::new();
        }
    };
    let mut found = Vec::new();
    for (member, setting) in members {
        match object.get(*member).map_or(Ok(None), |value| value_of(setting, RawParam::Value(value))) {
            Ok(value) => found.extend(value.map(|value| (*setting, value))),
            Err(problem) => reader.complain_of_member(name, member, problem),
        }
    }
    found
}

/// Describes that object.
pub(crate) fn describe_members(
    name: &'static str,
    doc: &str,
    members: &[(&'static str, &'static Setting)],
    fields: &mut Vec<FieldDoc>,
) {
    let object = members
        .iter()
        .fold(ObjectBuilder::new(), |object, (member, setting)| object.property(*member, schema(setting)));
    fields.push(FieldDoc::new(name, &[doc], false, object));
}

/// The names of the settings of a table in the description of the API.
pub(crate) fn describe_table(table: &'static [Setting], fields: &mut Vec<FieldDoc>) {
    fields.extend(table.iter().flat_map(|line| line.sent_names().map(|name| described(line, name))));
}

/// The value of one setting; `None` if it was not sent, or sent empty while it cannot be empty. Clients send back the
/// object that they have read: the same value under several names is accepted.
pub(crate) fn read(reader: &mut Reader<'_>, setting: &Setting) -> Option<Value> {
    let mut names = setting.names();
    if setting.takes_null() {
        reader.takes_null(&names);
    }
    let mut found: Vec<Value> = Vec::new();
    // Also declares the name, which gives messages their order.
    reader.raw(&[setting.name]);
    for name in &names {
        let raw = reader.peek(name);
        match if reader.is_given(name) { value_of(setting, raw) } else { Ok(None) } {
            Ok(Some(value)) => found.push(value),
            Ok(None) => {}
            Err(problem) => reader.complain(setting.name, problem),
        }
    }
    if let Some(opposite) = setting.opposite.filter(|name| reader.is_given(name)) {
        match value_of(setting, reader.peek(opposite)) {
            Ok(Some(Value::Switch(on))) => found.push(Value::Switch(!on)),
            Ok(_) => {}
            Err(problem) => reader.complain(opposite, problem),
        }
        names.push(opposite);
    }
    if let Some(lines) = setting.lines.filter(|name| reader.is_given(name)) {
        match value_of(setting, reader.peek(lines)) {
            Ok(value) => found.extend(value),
            Err(problem) => reader.complain(lines, problem),
        }
        names.push(lines);
    }
    read_short(reader, setting, &mut found);
    let first = found.first().cloned()?;
    if found.iter().any(|other| *other != first) {
        reader.mutually_exclusive(&names);
    }
    Some(first)
}

/// Adds the word that a switch stands for. Beside the word itself, on agrees with every word but the first. The switch of
/// the wiki is shown as on for an external wiki as well, so that on agrees with every level.
fn read_short(reader: &mut Reader<'_>, setting: &Setting, found: &mut Vec<Value>) {
    for name in setting.short {
        let Some(on) = <Option<bool>>::read(reader, &[name]).flatten() else { continue };
        let is_off = |value: &Value| matches!(value, Value::Text(word) if Some(word.as_str()) == setting.off());
        match found.first() {
            Some(word) if is_off(word) != on => {}
            Some(_) if on && setting.name == WIKI.name => {}
            Some(_) => reader.mutually_exclusive(&[setting.name, name]),
            None => {
                let word = if on { setting.on() } else { setting.off() };
                found.extend(word.map(|word| Value::Text(word.to_owned())));
            }
        }
    }
}

fn value_of(setting: &Setting, raw: RawParam<'_>) -> Result<Option<Value>, &'static str> {
    let texts = match raw {
        RawParam::Absent => return Ok(None),
        RawParam::File(_) => return Err(INVALID),
        RawParam::Repeated { all, .. } if setting.kind.is_list() => texts(all.iter()),
        RawParam::Value(Json::Array(all)) if setting.kind.is_list() => texts(all.iter()),
        RawParam::Value(Json::Null) => return Ok(setting.emptied()),
        RawParam::Value(Json::Object(object)) if matches!(setting.kind, Kind::Switches(_) | Kind::Weights(_)) => {
            entries(object)
        }
        RawParam::Value(value) | RawParam::Repeated { last: value, .. } => texts(std::iter::once(value)),
    };
    let texts = texts.ok_or(INVALID)?;
    let read = if setting.kind.is_list() {
        setting.kind.parse_list(texts.iter().map(String::as_str)).map(Some)
    } else {
        setting.parse(texts.first().map_or("", String::as_str))
    };
    read.map_err(|problem| match problem {
        NoValue::Unreadable => INVALID,
        NoValue::NotOffered => NO_VALID_VALUE,
    })
}

/// The texts that were sent, without those that are null; `None` if one of the values is no text.
fn texts<'j>(values: impl Iterator<Item = &'j Json>) -> Option<Vec<String>> {
    let read = values.map(String::scalar).filter(|reading| *reading != Reading::Empty);
    read.map(|reading| if let Reading::Is(text) = reading { Some(text) } else { None }).collect()
}

/// An object as texts `name=value`; `None` if a value is no text, or a name has an equals sign.
fn entries(object: &serde_json::Map<String, Json>) -> Option<Vec<String>> {
    let entry = |(name, value): (&String, &Json)| match String::scalar(value) {
        Reading::Is(text) if !name.contains('=') => Some(format!("{name}={text}")),
        _ => None,
    };
    object.iter().map(entry).collect()
}

/// One name of a setting in the description of the API.
pub(crate) fn described(setting: &Setting, name: &'static str) -> FieldDoc {
    let mut text = setting.meaning.to_owned();
    if let Effect::Stored(reason) = setting.effect {
        text += &format!(" It is only stored: {reason}.");
    }
    if setting.opposite == Some(name) {
        text = format!("The contrary of `{}`.", setting.name);
    } else if setting.lines == Some(name) {
        text = format!("`{}` as a text with an item in each line.", setting.name);
        return FieldDoc::new(name, &[&text], false, ObjectBuilder::new().schema_type(Type::String));
    } else if setting.short.contains(&name) {
        text = format!(
            "On is `{}` of `{}`, off is `{}`.",
            setting.on().unwrap_or(""),
            setting.name,
            setting.off().unwrap_or("")
        );
        return FieldDoc::new(name, &[&text], false, ObjectBuilder::new().schema_type(Type::Boolean));
    } else if name != setting.name {
        text = format!("Another name of `{}`.", setting.name);
    }
    FieldDoc::new(name, &[&text], false, schema(setting))
}

/// The values that a setting takes, in the API description.
pub(crate) fn schema(setting: &Setting) -> RefOr<Schema> {
    let or_null = |kind: Type| -> SchemaType {
        if setting.is_nullable() { SchemaType::from_iter([kind, Type::Null]) } else { kind.into() }
    };
    let of = |kind: Type| ObjectBuilder::new().schema_type(or_null(kind));
    let words = |words: &'static [&'static str]| {
        ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words.iter().copied()))
    };
    let list = |items: ObjectBuilder| -> RefOr<Schema> {
        let items = ArrayItems::RefOrSchema(Box::new(items.into()));
        RefOr::T(Schema::Array(ArrayBuilder::new().schema_type(or_null(Type::Array)).items(items).build()))
    };
    match setting.kind {
        Kind::Switch => of(Type::Boolean).into(),
        Kind::Number { least, most } => of(Type::Integer).minimum(Some(least)).maximum(Some(most)).into(),
        Kind::OneOf(numbers) => of(Type::Integer).enum_values(Some(numbers.iter().copied())).into(),
        Kind::BranchProtection => {
            of(Type::Integer).enum_values(Some(DefaultBranchProtection::LEVELS.iter().copied())).into()
        }
        // An enumeration that also allows null would have to list it.
        Kind::Word(_) if setting.is_nullable() => of(Type::String).into(),
        Kind::Word(all) => words(all).into(),
        Kind::Words(all) => list(words(all)),
        Kind::Names | Kind::Domains => list(ObjectBuilder::new().schema_type(Type::String)),
        Kind::Line(most) | Kind::Text(most) | Kind::Pattern(most) => of(Type::String).max_length(Some(most)).into(),
        Kind::Ids => list(ObjectBuilder::new().schema_type(Type::Integer)),
        Kind::Switches(words) => object(words, Type::Boolean),
        Kind::Weights(names) => object(names, Type::Integer),
        Kind::Factor
        | Kind::DomainLine
        | Kind::Networks
        | Kind::Url
        | Kind::Email
        | Kind::Duration
        | Kind::Branch
        | Kind::Secret
        | Kind::Hidden => of(Type::String).into(),
    }
}

/// An object with such a value for each name.
fn object(names: &[&'static str], kind: Type) -> RefOr<Schema> {
    let value = || ObjectBuilder::new().schema_type(kind.clone());
    names.iter().fold(ObjectBuilder::new(), |object, name| object.property(*name, value())).into()
}
