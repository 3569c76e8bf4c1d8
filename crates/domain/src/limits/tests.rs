//! Limits by their names.

use std::time::Duration;

use super::*;

#[test]
fn a_limit_is_set_by_its_name() {
    let mut limits = Limits::default();
    assert_eq!(limits.set("push.commands", 5), Ok(()));
    assert_eq!(limits.set("transfers.whole", 60), Ok(()));
    assert_eq!((limits.push.commands, limits.transfers.whole), (5, Duration::from_mins(1)));
    assert_eq!(limits.set("push.nothing", 5), Err(LimitError::Unknown("push.nothing".to_owned())));
}

#[test]
fn the_list_shows_what_is_in_force_with_its_unit() {
    let mut limits = Limits::default();
    limits.set("bodies.anonymous", 7).unwrap();
    let all = limits.list();
    let found = all.iter().find(|limit| limit.name == "bodies.anonymous").unwrap();
    assert_eq!((found.value, found.unit), (7, "bytes"));
    assert!(all.iter().all(|limit| !limit.description.is_empty()));
}
