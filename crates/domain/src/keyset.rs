//! Keyset pagination: a page begins after a row, and not at a number. However long the list is, each page costs the same,
//! and rows that are added or removed in between make no other row be skipped or doubled.

use chrono::{DateTime, Datelike};

use crate::page::{Page, PageRequest};
use crate::refusal::ListRefusal;
use crate::time::Timestamp;

/// The longest token that is read. The longest that is written names a row by a name of 255 characters.
const MAX_TOKEN: usize = 4096;

/// The values that an order compares before it compares ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyKind {
    /// Nothing: the order is by id.
    Id,
    /// A moment.
    Moment,
    /// A text.
    Text,
}

/// The value of one row that an order compares before it compares ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Key {
    /// Nothing.
    Id,
    /// The moment of the row.
    Moment(Timestamp),
    /// The text of the row.
    Text(String),
}

/// An order of a list that an index has, so that a page can begin after a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyedOrder {
    /// As in parameters.
    pub name: &'static str,
    /// The values that it compares.
    pub kind: KeyKind,
}

/// A row, by its place in the order of its list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// The value that the order compares first.
    pub key: Key,
    /// The id of the row.
    pub id: i64,
}

/// A request for a part of a list, as it was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeysetRequest {
    /// How many items are asked for, at most.
    pub per_page: i64,
    /// Behind which row; from the beginning if absent.
    pub token: Option<String>,
}

impl KeysetRequest {
    /// A part of as many items as `page` has.
    #[must_use]
    pub const fn new(page: PageRequest, token: Option<String>) -> Self {
        Self { per_page: page.per_page(), token }
    }

    /// The part of a list in this order. `served` names the orders that an index has.
    ///
    /// # Errors
    /// [`ListRefusal::NoKeyset`] if no index has the order, and [`ListRefusal::InvalidToken`] if the token is none of this
    /// order and direction.
    pub fn of(&self, order: Option<KeyedOrder>, descending: bool, served: &'static str) -> Result<Keyset, ListRefusal> {
        let order = order.ok_or(ListRefusal::NoKeyset(served))?;
        let read = |token: &String| read(token, order, descending).ok_or(ListRefusal::InvalidToken);
        let after = self.token.as_ref().map(read).transpose()?;
        Ok(Keyset { per_page: self.per_page, order, descending, after })
    }
}

/// A page: the first one, or one after a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keyset {
    /// How many items it has at most.
    pub per_page: i64,
    order: KeyedOrder,
    /// Falling instead of rising.
    pub descending: bool,
    /// The row after which it begins.
    pub after: Option<Cursor>,
}

impl Keyset {
    /// The token of the page after `cursor`.
    fn token(&self, cursor: &Cursor) -> String {
        let key = match &cursor.key {
            Key::Id => String::new(),
            Key::Moment(at) => format!("{} {}", at.timestamp(), at.timestamp_subsec_nanos()),
            Key::Text(text) => text.clone(),
        };
        let text = format!("{} {} {} {key}", self.order.name, direction(self.descending), cursor.id);
        text.bytes().map(|byte| format!("{byte:02x}")).collect()
    }
}

const fn direction(descending: bool) -> &'static str {
    if descending { "desc" } else { "asc" }
}

fn read(token: &str, order: KeyedOrder, descending: bool) -> Option<Cursor> {
    if token.len() > MAX_TOKEN || !token.len().is_multiple_of(2) || !token.bytes().all(|byte| byte.is_ascii_hexdigit())
    {
        return None;
    }
    let bytes = (0..token.len()).step_by(2).map(|at| u8::from_str_radix(token.get(at..at + 2)?, 16).ok());
    let text = String::from_utf8(bytes.collect::<Option<Vec<u8>>>()?).ok()?;
    let mut parts = text.splitn(4, ' ');
    if parts.next()? != order.name || parts.next()? != direction(descending) {
        return None;
    }
    let id = parts.next()?.parse().ok()?;
    let key = parts.next()?;
    let key = match order.kind {
        KeyKind::Id if key.is_empty() => Key::Id,
        KeyKind::Id => return None,
        KeyKind::Moment => Key::Moment(moment(key)?),
        // No stored text has this character, and PostgreSQL takes none.
        KeyKind::Text if key.contains('\0') => return None,
        KeyKind::Text => Key::Text(key.to_owned()),
    };
    Some(Cursor { key, id })
}

/// A moment that both databases can compare with.
fn moment(key: &str) -> Option<Timestamp> {
    let (seconds, nanoseconds) = key.split_once(' ')?;
    let at = DateTime::from_timestamp(seconds.parse().ok()?, nanoseconds.parse().ok()?)?;
    (1..=9999).contains(&at.year()).then_some(at)
}

/// A part of a list.
#[derive(Debug, Clone)]
pub struct KeysetPage<T> {
    /// Its items, in order.
    pub items: Vec<T>,
    /// Names the part that follows; `None` at the end of the list.
    pub next: Option<String>,
}

impl<T> KeysetPage<T> {
    /// Nothing.
    #[must_use]
    pub const fn empty() -> Self {
        Self { items: Vec::new(), next: None }
    }

    /// `found` are the rows after that of `keyset`, one more than it asks for if there are. `cursor` gives the place of a row.
    #[must_use]
    pub fn cut(mut found: Vec<T>, keyset: &Keyset, cursor: impl FnOnce(&T) -> Cursor) -> Self {
        let wanted = usize::try_from(keyset.per_page).unwrap_or(usize::MAX);
        let goes_on = found.len() > wanted;
        found.truncate(wanted);
        let last = found.last().filter(|_| goes_on);
        let next = last.map(|last| keyset.token(&cursor(last)));
        Self { items: found, next }
    }

    /// The same part with converted items.
    #[must_use]
    pub fn map<U>(self, convert: impl FnMut(T) -> U) -> KeysetPage<U> {
        KeysetPage { items: self.items.into_iter().map(convert).collect(), next: self.next }
    }
}

/// The answer of a list: a page with a number, or a page of keyset pagination.
#[derive(Debug, Clone)]
pub enum Listing<T> {
    /// A page.
    Page(Page<T>),
    /// A part.
    KeysetPage(KeysetPage<T>),
}

impl<T> Listing<T> {
    /// The same with converted items.
    #[must_use]
    pub fn map<U>(self, convert: impl FnMut(T) -> U) -> Listing<U> {
        match self {
            Self::Page(page) => Listing::Page(page.map(convert)),
            Self::KeysetPage(part) => Listing::KeysetPage(part.map(convert)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BY_ID: KeyedOrder = KeyedOrder { name: "id", kind: KeyKind::Id };
    const BY_NAME: KeyedOrder = KeyedOrder { name: "name", kind: KeyKind::Text };
    const BY_DATE: KeyedOrder = KeyedOrder { name: "created_at", kind: KeyKind::Moment };

    fn request(token: Option<String>) -> KeysetRequest {
        KeysetRequest::new(PageRequest::new(None, Some(2)), token)
    }

    #[test]
    fn a_token_names_the_last_row() {
        let moment = DateTime::from_timestamp(1_800_000_000, 123_456_789).unwrap();
        for (order, key) in [
            (BY_ID, Key::Id),
            (BY_NAME, Key::Text("a b \u{e9} ".to_owned())),
            (BY_NAME, Key::Text(String::new())),
            (BY_DATE, Key::Moment(moment)),
        ] {
            let first = request(None).of(Some(order), true, "id").unwrap();
            let cursor = Cursor { key, id: 7 };
            let part = KeysetPage::cut(vec![9, 7, 5], &first, |last| Cursor { id: *last, ..cursor.clone() });
            assert_eq!(part.items, [9, 7]);
            let next = request(part.next.clone()).of(Some(order), true, "id").unwrap();
            assert_eq!(next.after, Some(cursor));
            let other_way = request(part.next).of(Some(order), false, "id");
            assert_eq!(other_way, Err(ListRefusal::InvalidToken));
        }
    }

    #[test]
    fn the_end_of_a_list_has_no_token() {
        let keyset = request(None).of(Some(BY_ID), false, "id").unwrap();
        for rows in [vec![], vec![1], vec![1, 2]] {
            let part = KeysetPage::cut(rows.clone(), &keyset, |last| Cursor { key: Key::Id, id: *last });
            assert_eq!((part.items, part.next), (rows, None));
        }
    }

    #[test]
    fn other_tokens_and_orders_are_refused() {
        let hex = |text: &str| text.bytes().map(|byte| format!("{byte:02x}")).collect::<String>();
        for (order, token) in [
            (BY_ID, "x".to_owned()),
            (BY_ID, "zz".to_owned()),
            (BY_ID, "\u{e9}".to_owned()),
            (BY_ID, "ff".to_owned()),
            (BY_ID, "0".repeat(MAX_TOKEN + 2)),
            (BY_ID, hex("id asc 7")),
            (BY_ID, hex("id asc x ")),
            (BY_ID, hex("id asc 7 x")),
            (BY_ID, hex("name asc 7 x")),
            (BY_DATE, hex("created_at asc 7 1")),
            (BY_DATE, hex("created_at asc 7 999999999999 0")),
            (BY_DATE, hex("created_at asc 7 99999999999999999999 0")),
            (BY_NAME, hex("name asc 7 a\0b")),
        ] {
            let read = request(Some(token.clone())).of(Some(order), false, "id");
            assert_eq!(read, Err(ListRefusal::InvalidToken), "{token}");
        }
        assert_eq!(request(None).of(None, false, "id"), Err(ListRefusal::NoKeyset("id")));
    }
}
