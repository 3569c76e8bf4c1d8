//! Typed reading through declared structs.

#![expect(dead_code, reason = "some fields are declared only to be refused")]

use std::collections::{BTreeMap, HashMap};

use bytes::Bytes;
use chrono::{DateTime, NaiveDate, Utc};
use proptest::prelude::*;
use serde_json::json;
use tenon_domain::page::PageRequest;
use tenon_domain::patch::Patch;
use tenon_domain::visibility::Visibility;
use tenon_edge::param_map::ParamMap;
use tenon_edge::raw::Upload;

use super::*;

params! {
    /// A new user.
    struct CreateUser {
        /// The address.
        email: String,
        password: Option<String>,
        reset_password: Option<bool>,
        name: String,
        username: String,
    }
    rules(reader) {
        reader.at_least_one_of(&["password", "reset_password"]);
    }
}

choice! {
    /// The direction.
    pub(crate) enum Sort {
        /// Up.
        Asc = "asc",
        /// Down.
        Desc = "desc",
    }
}

params! {
    struct Everything {
        id: Option<i64>,
        flag | other_flag: Option<bool>,
        r#type: Option<String>,
        sort: Option<Sort>,
        visibility: Option<Visibility>,
        numbers: Option<Vec<i64>>,
        words: Option<Vec<String>>,
        attributes: BTreeMap<String, String>,
        on: Option<NaiveDate>,
        at: Option<DateTime<Utc>>,
        title: Patch<String>,
        parent: Patch<i64>,
        due: Patch<NaiveDate>,
        avatar: Patch<Upload>,
        paging: Paging,
    }
}

params! {
    struct Ruled { a: Option<i64>, b: Option<i64>, c: Option<i64>, d: Option<i64> }
    rules(reader) {
        reader.exactly_one_of(&["a", "b"]);
        reader.all_or_none_of(&["c", "d"]);
    }
}

fn given(query: &str, body: &serde_json::Value) -> RawParams {
    let query = ParamMap::from_query(query.as_bytes()).unwrap();
    RawParams::without_files(query.overridden_by(ParamMap::from_json(body.to_string().as_bytes()).unwrap()))
}

fn everything(query: &str) -> Everything {
    given(query, &json!({})).read().unwrap()
}

fn complaint<P: FromParams + std::fmt::Debug>(query: &str) -> String {
    let error = given(query, &json!({})).read::<P>().unwrap_err();
    assert_eq!(error.body()["message"], error.body()["error"]);
    error.body()["error"].as_str().unwrap().to_owned()
}

#[test]
fn all_problems_are_listed_in_the_order_of_declaration() {
    assert_eq!(
        complaint::<CreateUser>(""),
        "email is missing, password, reset_password are missing, at least one parameter must be provided, \
         name is missing, username is missing"
    );
    assert_eq!(complaint::<CreateUser>("email=&password=&name[]=1&username=a"), "name is invalid");
    assert_eq!(complaint::<Everything>("page=abc&per_page=1.5"), "page is invalid, per_page is invalid");
    assert_eq!(
        complaint::<Everything>("id=x&flag=2&sort=ASC&visibility=all&attributes=1&on=soon&at=now&avatar=x"),
        "id is invalid, flag is invalid, sort does not have a valid value, visibility does not have a valid value, \
         attributes is invalid, on is invalid, at is invalid, avatar is invalid"
    );
}

#[test]
fn rules_over_several_names_have_their_texts() {
    assert_eq!(
        complaint::<Ruled>("c=1"),
        "a, b are missing, exactly one parameter must be provided, c, d provide all or none of parameters"
    );
    assert_eq!(complaint::<Ruled>("a=1&b=2"), "a, b are mutually exclusive");
    assert!(given("a=1&c=1&d=1", &json!({})).read::<Ruled>().is_ok());
}

#[test]
fn required_means_that_the_name_was_sent() {
    let user: CreateUser =
        given("", &json!({"email": null, "password": "", "name": "", "username": 7})).read().unwrap();
    assert_eq!((user.email.as_str(), user.password.as_deref(), user.name.as_str()), ("", Some(""), ""));
    assert_eq!((user.username.as_str(), user.reset_password), ("7", None));
}

#[test]
fn lists_come_in_many_forms() {
    for query in
        ["numbers[]=3&numbers[]=4", "numbers=3&numbers=4", "numbers=3,4", "numbers[1]=4&numbers[0]=3", "numbers=3, 4"]
    {
        assert_eq!(everything(query).numbers, Some(vec![3, 4]), "{query}");
    }
    for body in [json!([3, "4"]), json!("3,4")] {
        assert_eq!(given("", &json!({"numbers": body})).read::<Everything>().unwrap().numbers, Some(vec![3, 4]));
    }
    assert_eq!(given("", &json!({"numbers": 3})).read::<Everything>().unwrap().numbers, Some(vec![3]));
    assert_eq!(given("", &json!({"words": ["a,b", "c"]})).read::<Everything>().unwrap().words.unwrap(), ["a,b", "c"]);
    assert_eq!(everything("words=").words, Some(vec![]));
    assert_eq!(everything("words[]=").words, Some(vec![]));
    assert_eq!(given("", &json!({"words": null})).read::<Everything>().unwrap().words, None);
    assert_eq!(complaint::<Everything>("numbers=3,x"), "numbers is invalid");
    assert_eq!(complaint::<Everything>("numbers[a]=3"), "numbers is invalid");
    assert_eq!(complaint::<Everything>("numbers[][]=3"), "numbers is invalid");
}

#[test]
fn a_scalar_takes_the_last_of_several() {
    assert_eq!(everything("id=1&id=2").id, Some(2));
}

#[test]
fn other_names_and_reserved_words_are_read() {
    assert_eq!(everything("other_flag=1").flag, Some(true));
    assert_eq!(everything("other_flag=1&flag=0").flag, Some(false));
    assert_eq!(everything("type=x").r#type.as_deref(), Some("x"));
    assert_eq!(complaint::<Everything>("other_flag=x"), "flag is invalid");
}

#[test]
fn hashes_hold_texts() {
    let attributes = everything("attributes[a]=1&attributes[b]=").attributes;
    assert_eq!(attributes, BTreeMap::from([("a".into(), "1".into()), ("b".into(), String::new())]));
    assert!(everything("attributes=").attributes.is_empty());
    assert_eq!(complaint::<Everything>("attributes[a][b]=1"), "attributes is invalid");
    assert_eq!(complaint::<Everything>("attributes[a]=%00"), "attributes is invalid");
}

#[test]
fn changes_know_absent_from_empty() {
    let read = |body| given("", &body).read::<Everything>().unwrap();
    let absent = read(json!({}));
    assert_eq!((absent.title, absent.parent, absent.due), (Patch::Absent, Patch::Absent, Patch::Absent));
    for body in [json!({"title": null, "parent": null, "due": null}), json!({"title": "", "parent": "", "due": ""})] {
        let cleared = read(body);
        assert_eq!((cleared.title, cleared.parent, cleared.due), (Patch::Clear, Patch::Clear, Patch::Clear));
    }
    let set = read(json!({"title": "t", "parent": "0", "due": "2026-11-21T10:00:00Z"}));
    assert_eq!((set.title, set.parent), (Patch::Set("t".to_owned()), Patch::Set(0)));
    assert_eq!(set.due, Patch::Set("2026-11-21".parse().unwrap()));
}

#[test]
fn a_file_is_set_removed_or_left() {
    let upload = Upload { file_name: "a.png".into(), content_type: None, bytes: Bytes::from_static(b"png") };
    let given_file =
        RawParams { files: HashMap::from([("avatar".to_owned(), upload.clone())]), ..RawParams::default() };
    assert_eq!(given_file.read::<Everything>().unwrap().avatar, Patch::Set(upload.clone()));
    assert_eq!(everything("avatar=").avatar, Patch::Clear);
    assert_eq!(everything("").avatar, Patch::Absent);
    let as_text = RawParams { files: HashMap::from([("title".to_owned(), upload)]), ..RawParams::default() };
    assert!(as_text.read::<Everything>().is_err());
}

#[test]
fn paging_is_lenient_where_it_may_be() {
    let page = |query| PageRequest::from(everything(query).paging);
    assert_eq!(page(""), PageRequest::default());
    assert_eq!(page("page=&per_page="), PageRequest::default());
    assert_eq!(page("page=1000000000000000000&per_page=100000"), PageRequest::new(Some(10_i64.pow(18)), Some(100)));
    assert_eq!(page("page=-1&per_page=0"), PageRequest::default());
    assert_eq!(complaint::<Everything>(&format!("page=1{}", "0".repeat(40))), "page is invalid");
}

#[test]
fn the_description_follows_the_declaration() {
    let fields = CreateUser::fields();
    let pairs: Vec<_> = fields.iter().map(|field| (field.name, field.required)).collect();
    assert_eq!(
        pairs,
        [("email", true), ("password", false), ("reset_password", false), ("name", true), ("username", true)]
    );
    assert_eq!(fields[0].description, "The address.");
    let names: Vec<_> = Everything::fields().iter().map(|field| field.name).collect();
    assert!(names.ends_with(&["page", "per_page"]) && names.contains(&"type"));
}

proptest! {
    #[test]
    fn nothing_that_is_sent_panics(
        query in "((id|flag|type|sort|numbers|words|attributes|on|at|title|due|avatar|page)(\\[\\]|\\[[a0]\\]){0,3}=[0-9a-z%+:,TZ-]{0,12}&){0,12}"
    ) {
        if let Ok(map) = ParamMap::from_query(query.as_bytes()) {
            let _ = RawParams::without_files(map).read::<Everything>();
        }
    }
}
