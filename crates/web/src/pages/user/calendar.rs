//! The number of contributions of a user on each day of a year.

use std::collections::BTreeMap;

use tenon_domain::time::{Date, Days};

use crate::kit::words::{count, day};

/// Whole weeks before the current one.
const WEEKS: u64 = 52;
/// The distance between two squares, in units of the picture.
const STEP: u64 = 13;
/// The top of the squares, below the names of months.
const TOP: u64 = 16;

/// A year of days, as a picture and as a table.
pub(super) struct Calendar {
    /// The total of all days, in words.
    pub(super) total: String,
    pub(super) width: u64,
    /// The positions and names of the months.
    pub(super) months: Vec<(u64, String)>,
    pub(super) squares: Vec<Square>,
    /// The days with contributions, the newest first.
    pub(super) days: Vec<(String, i64)>,
}

pub(super) struct Square {
    pub(super) x: u64,
    pub(super) y: u64,
    /// The level of the colour, from 0 to 4.
    pub(super) level: u8,
    /// The text under the pointer. Empty for days without contributions.
    pub(super) words: String,
}

/// Days since the week began, if it begins on this day: 0 is Sunday, 1 Monday, 6 Saturday.
fn weekday(date: Date, begins_on: u64) -> u64 {
    date.format("%w").to_string().parse::<u64>().map_or(0, |number| (number + 7 - begins_on) % 7)
}

const fn level(count: i64) -> u8 {
    match count {
        ..=0 => 0,
        1..=3 => 1,
        4..=9 => 2,
        10..=19 => 3,
        20.. => 4,
    }
}

impl Calendar {
    /// The first day of the year that ends today, with which a week begins.
    pub(super) fn first(today: Date, begins_on: u64) -> Date {
        today.checked_sub_days(Days::new(WEEKS * 7 + weekday(today, begins_on))).unwrap_or(today)
    }

    pub(super) fn new(today: Date, begins_on: u64, counts: &BTreeMap<Date, i64>) -> Self {
        let first = Self::first(today, begins_on);
        let (mut months, mut squares) = (Vec::new(), Vec::new());
        for number in 0..=WEEKS * 7 + weekday(today, begins_on) {
            let Some(date) = first.checked_add_days(Days::new(number)) else { break };
            let x = number / 7 * STEP;
            let begins_month = number % 7 == 0 && date.format("%d").to_string().as_str() <= "07";
            if begins_month && x + 2 * STEP <= WEEKS * STEP {
                months.push((x, date.format("%b").to_string()));
            }
            let count_of_day = counts.get(&date).copied().unwrap_or(0);
            let words = || format!("{}: {}", day(date), count(count_of_day, "contribution", "contributions"));
            squares.push(Square {
                x,
                y: TOP + number % 7 * STEP,
                level: level(count_of_day),
                words: if count_of_day > 0 { words() } else { String::new() },
            });
        }
        let within = || counts.range(first..=today);
        Self {
            total: count(within().map(|(_, count)| count).sum(), "contribution", "contributions"),
            width: (WEEKS + 1) * STEP,
            months,
            squares,
            days: within().rev().filter(|(_, count)| **count > 0).map(|(date, count)| (day(*date), *count)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_year_has_whole_weeks_and_ends_today() {
        let today: Date = "2026-11-24".parse().unwrap();
        for (begins_on, first) in [(0, "2025-11-23"), (1, "2025-11-24"), (6, "2025-11-22")] {
            assert_eq!(Calendar::first(today, begins_on).to_string(), first);
        }
        let counts = BTreeMap::from([
            (today, 2),
            ("2026-11-01".parse().unwrap(), 20),
            ("2025-11-23".parse().unwrap(), 7),
            ("2026-10-31".parse().unwrap(), 0),
        ]);
        let calendar = Calendar::new(today, 1, &counts);
        assert_eq!((calendar.squares.len(), calendar.total.as_str(), calendar.width), (366, "22 contributions", 689));
        assert_eq!(calendar.days, [("24 Nov 2026".to_owned(), 2), ("1 Nov 2026".to_owned(), 20)]);
        let last = calendar.squares.last().unwrap();
        assert_eq!((last.x, last.y, last.level, last.words.as_str()), (676, 29, 1, "24 Nov 2026: 2 contributions"));
        assert!(calendar.squares.iter().filter(|square| square.level > 0).count() == 2 && calendar.months.len() >= 11);
    }
}
