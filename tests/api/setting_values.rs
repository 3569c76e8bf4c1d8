//! Values for the settings of the tables of the domain.

use serde_json::{Map, Value as Json, json};
use tenon_domain::settings::{Kind, Setting, Value, find};

pub(crate) fn as_json(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Switch(on) => json!(on),
        Value::Number(number) => json!(number),
        Value::Text(text) => json!(text),
        Value::List(items) => json!(items),
    }
}

pub(crate) fn preset(setting: &Setting) -> Json {
    match (setting.kind, setting.default.value()) {
        (Kind::Switches(words), _) => {
            words.iter().map(|word| ((*word).to_owned(), json!(false))).collect::<Map<_, _>>().into()
        }
        (Kind::Weights(_), _) => json!({"default": 100}),
        (_, value) => as_json(&value),
    }
}

/// A valid value that is not the default; `repository_storages` has no other.
pub(crate) fn other(setting: &Setting) -> Json {
    let default = setting.default.value();
    match setting.kind {
        Kind::Switch => json!(default == Value::Switch(false)),
        Kind::Number { least, .. } => json!(preset(setting).as_i64().map_or(least, |number| number) + 1),
        Kind::OneOf(numbers) => json!(numbers.iter().find(|number| Value::Number(**number) != default)),
        Kind::BranchProtection => json!(1),
        Kind::Factor => json!("2.5"),
        Kind::Word(words) => json!(words.iter().find(|word| Value::Text((**word).to_owned()) != default)),
        Kind::Words(words) => json!([words[0]]),
        Kind::Names if setting.name == "repository_storages" => json!(["default"]),
        Kind::Names => json!(["alpha", "beta"]),
        Kind::Domains => json!(["*.example.org", "example.net"]),
        // A prefix of tokens has no blanks.
        Kind::Line(20) => json!("tenon-"),
        Kind::Line(_) | Kind::Secret | Kind::Hidden => json!("one line"),
        Kind::Pattern(_) => json!("@(spam|junk)\\.test$"),
        Kind::Switches(words) => {
            words.iter().map(|word| ((*word).to_owned(), json!(*word == words[0]))).collect::<Map<_, _>>().into()
        }
        Kind::Ids => json!([1, 20]),
        Kind::Weights(_) => json!({"default": 50}),
        Kind::Text(_) => json!("two\nlines"),
        Kind::Url => json!("https://example.org/x"),
        Kind::Email => json!("abuse@example.org"),
        Kind::Duration => json!("2 weeks"),
        Kind::Branch => json!("trunk"),
        Kind::DomainLine => json!("example.org, *.example.net"),
        Kind::Networks => json!("127.0.0.0/8,::1"),
    }
}

/// A request that gives the setting this value, with the values that a switch needs.
pub(crate) fn with_companions(setting: &Setting, value: &Json, companion: fn(&Setting) -> Json) -> Json {
    let mut body = Map::from_iter([(setting.name.to_owned(), value.clone())]);
    if *value == json!(true) {
        for name in setting.needs.iter().chain(setting.fills) {
            body.insert((*name).to_owned(), companion(find(name).expect("a companion")));
        }
    }
    Json::Object(body)
}

/// Values that the setting cannot have.
pub(crate) fn wrong(setting: &Setting) -> Vec<Json> {
    match setting.kind {
        Kind::Switch => vec![json!("perhaps"), json!([true])],
        Kind::Number { least, most } => {
            vec![json!(least - 1), json!(most + 1), json!("x"), json!("99999999999999999999"), json!(1.5)]
        }
        Kind::OneOf(_) | Kind::BranchProtection => vec![json!(7), json!("x")],
        Kind::Factor => vec![json!("x"), json!(-1), json!("inf"), json!("1e300")],
        Kind::Word(_) => vec![json!("nonsense"), json!(["http"])],
        Kind::Words(_) => vec![json!(["nonsense"]), json!("nonsense"), json!({"a": "b"}), json!([["git"]])],
        Kind::Names => vec![json!(["x".repeat(256)]), json!({"a": "b"})],
        Kind::Domains => vec![json!(["a@b"]), json!("(a+)+$"), json!({"a": 1})],
        Kind::Line(most) => vec![json!("x".repeat(most + 1)), json!("a\nb"), json!({"a": 1})],
        Kind::Text(most) => vec![json!("x".repeat(most + 1)), json!("a\u{7}b"), json!(["a"])],
        Kind::Secret | Kind::Hidden => vec![json!("x".repeat(1_001)), json!("a\nb")],
        Kind::Pattern(most) => {
            vec![json!("x".repeat(most + 1)), json!("("), json!("x{1000}{1000}{1000}"), json!(["a"])]
        }
        Kind::Switches(_) => vec![json!({"nonsense": true}), json!({"bpmn": "perhaps"}), json!({"bpmn": {}})],
        Kind::Ids => vec![json!(["x"]), json!([-1]), json!({"a": 1})],
        Kind::Weights(_) => vec![json!({"other": 1}), json!({"default": 101}), json!({"default": "x"})],
        Kind::Url => [
            "javascript:alert(1)",
            "data:text/html,x",
            "nonsense",
            "http://a\r\nb",
            "https://u:p@x.test",
            "ftp://x.test",
        ]
        .map(Json::from)
        .to_vec(),
        Kind::Email => vec![json!("no address"), json!("a@b\r\nBcc: c@d")],
        Kind::Duration if setting.is_nullable() => vec![json!("soon")],
        Kind::Duration => vec![json!("soon"), json!("")],
        Kind::Branch => vec![json!("a..b"), json!("-x"), json!("a b")],
        Kind::DomainLine => vec![json!("a@b"), json!("a.test,,"), json!({"a": 1})],
        Kind::Networks => vec![json!("10.0.0.0/33"), json!("localhost"), json!("::1,".repeat(101)), json!(["::1"])],
    }
}

/// A field of a form for a value.
pub(crate) fn as_form(name: &str, value: &Json) -> String {
    match value {
        Json::Array(items) => items
            .iter()
            .map(|item| format!("{name}[]={}", item.as_str().unwrap_or_default()))
            .collect::<Vec<_>>()
            .join("&"),
        Json::String(text) => format!("{name}={}", text.replace('%', "%25").replace('\n', "%0A").replace(' ', "+")),
        Json::Null => format!("{name}="),
        other => format!("{name}={other}"),
    }
}

/// A setting with the value that is sent and read.
pub(crate) type Wanted = (&'static Setting, Json);

/// The settings of a table with the values that this function names.
pub(crate) fn each(table: &'static [Setting], value: fn(&Setting) -> Json) -> Vec<Wanted> {
    table.iter().map(|setting| (setting, value(setting))).collect()
}

/// These settings as the body of a request.
pub(crate) fn body_of(wanted: &[Wanted]) -> Json {
    wanted.iter().map(|(setting, value)| (setting.name.to_owned(), value.clone())).collect::<Map<_, _>>().into()
}

/// These settings as a form.
pub(crate) fn form_of(wanted: &[Wanted]) -> String {
    wanted.iter().map(|(setting, value)| as_form(setting.name, value)).collect::<Vec<_>>().join("&")
}

/// Checks that an answer has these settings.
#[track_caller]
pub(crate) fn assert_values(answer: &Json, wanted: &[Wanted]) {
    for (setting, want) in wanted {
        assert_eq!(&answer[setting.name], want, "{}", setting.name);
        if let Some(opposite) = setting.opposite {
            assert_eq!(answer[opposite], json!(*want != json!(true)), "{opposite}");
        }
    }
}
