//! Tables in text files (RFC 4180): values between commas, or between tabs.

/// The most rows, columns and values that a page shows.
const ROWS: usize = 1_000;
const COLUMNS: usize = 100;
const VALUES: usize = 20_000;

/// A table.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Sheet {
    /// The first row.
    pub(crate) head: Vec<String>,
    /// The other rows, as many as a page shows.
    pub(crate) rows: Vec<Vec<String>>,
    /// The number of rows that are left out.
    pub(crate) left_out: usize,
    /// True if rows have more values than are shown.
    pub(crate) is_cut: bool,
}

/// The character between the values of a file of this name. `None` if it has no table.
pub(crate) fn separator(name: &str) -> Option<char> {
    match name.rsplit_once('.')?.1.to_ascii_lowercase().as_str() {
        "csv" => Some(','),
        "tsv" => Some('\t'),
        _ => None,
    }
}

impl Sheet {
    /// The table in a text. `None` if it has none, or a quotation without end.
    pub(crate) fn parse(text: &str, separator: char) -> Option<Self> {
        let mut sheet = Self::default();
        let (mut values, mut count) = (0, 0);
        let mut rest = text.trim_start_matches('\u{feff}');
        while !rest.is_empty() {
            let mut row = Vec::new();
            loop {
                let (value, end, behind) = next_value(rest, separator)?;
                rest = behind;
                if count <= ROWS && values < VALUES && row.len() < COLUMNS {
                    values += 1;
                    row.push(value);
                } else {
                    sheet.is_cut |= !row.is_empty();
                }
                if end != End::Value {
                    break;
                }
            }
            count += 1;
            match (count, row.is_empty()) {
                (1, _) => sheet.head = row,
                (_, false) => sheet.rows.push(row),
                (_, true) => sheet.left_out += 1,
            }
        }
        (count > 0).then_some(sheet)
    }
}

/// The part of a table that ends with a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Value,
    Row,
}

/// The first value of a text, what ends with it, and the rest. `None` if a quotation has no end.
fn next_value(text: &str, separator: char) -> Option<(String, End, &str)> {
    let (mut value, mut rest) = (String::new(), text);
    if let Some(mut quoted) = text.strip_prefix('"') {
        loop {
            let (part, behind) = quoted.split_once('"')?;
            value.push_str(part);
            if let Some(more) = behind.strip_prefix('"') {
                // Two quotation marks stand for one.
                value.push('"');
                quoted = more;
            } else {
                rest = behind;
                break;
            }
        }
    }
    let end = rest.find([separator, '\n']).unwrap_or(rest.len());
    let (part, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
    value.push_str(part.trim_end_matches('\r'));
    match behind.strip_prefix(separator) {
        // A separator at the end of the text is followed by an empty value, which nothing shows.
        Some(behind) if !behind.is_empty() => Some((value, End::Value, behind)),
        Some(behind) => Some((value, End::Row, behind)),
        None => Some((value, End::Row, behind.strip_prefix('\n').unwrap_or(behind))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet(text: &str) -> Option<(Vec<String>, Vec<Vec<String>>)> {
        Sheet::parse(text, ',').map(|sheet| (sheet.head, sheet.rows))
    }

    #[test]
    fn values_are_between_commas() {
        let row = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>();
        for (text, head, rows) in [
            ("a,b\n1,2\n", row(&["a", "b"]), vec![row(&["1", "2"])]),
            ("a\r\n1", row(&["a"]), vec![row(&["1"])]),
            ("\"a,\n\"\"b\"\"\",c\n", row(&["a,\n\"b\"", "c"]), vec![]),
            ("a,,\n\n,1\n", row(&["a", "", ""]), vec![row(&[""]), row(&["", "1"])]),
        ] {
            assert_eq!(sheet(text), Some((head, rows)), "{text}");
        }
        assert_eq!((sheet(""), sheet("\"open,\n1")), (None, None));
    }

    #[test]
    fn a_table_has_bounds() {
        let long = Sheet::parse(&"a,b\n".repeat(2_000), ',').unwrap();
        assert_eq!((long.rows.len(), long.left_out, long.is_cut), (1_000, 999, false));
        let wide = Sheet::parse(&format!("{}\n", "x,".repeat(300)), ',').unwrap();
        assert_eq!((wide.head.len(), wide.is_cut), (100, true));
        let both = Sheet::parse(&format!("{}\n", "x,".repeat(99)).repeat(900), ',').unwrap();
        let values: usize = both.head.len() + both.rows.iter().map(Vec::len).sum::<usize>();
        assert_eq!((values, both.rows.len() + both.left_out), (20_000, 899));
    }

    #[test]
    fn names_say_what_separates() {
        assert_eq!([separator("a.CSV"), separator("a.tsv"), separator("csv")], [Some(','), Some('\t'), None]);
    }
}
