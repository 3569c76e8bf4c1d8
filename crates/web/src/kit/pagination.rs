//! The links between the pages of a list.

use tenon_app::PageRequest;
use tenon_domain::page::Page;

use super::parameters::Parameters;
use super::words::grouped;

/// Rows on a page.
const ROWS: i64 = 50;

/// The page of a list that is shown, and the pages beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pagination {
    pub(crate) number: i64,
    pub(crate) last: i64,
    pub(crate) total: i64,
    /// True if the total is known. Otherwise it is a lower bound, which shows that there is a next page.
    pub(crate) is_counted: bool,
    /// The address of the list. Empty if its links keep the address of the current page.
    pub(crate) address: String,
    /// The other parameters of the list, in front of the number of the page.
    pub(crate) query: String,
}

/// A page with a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PageLink {
    pub(crate) number: i64,
    pub(crate) words: String,
    pub(crate) is_here: bool,
}

impl Pagination {
    pub(crate) fn of<T>(page: &Page<T>) -> Self {
        let rows = page.request.per_page();
        let was_chosen = rows != SIZES[0] && SIZES.contains(&rows);
        let query = if was_chosen { format!("per_page={rows}&") } else { String::new() };
        let (number, last) = (page.request.page(), page.total_pages().max(1));
        Self { number, last, total: page.total, is_counted: true, address: String::new(), query }
    }

    /// The total, as people write it.
    pub(crate) fn total_words(&self) -> String {
        grouped(self.total)
    }

    /// The pages that have a link: the first, the last, and those beside the present one. `None` is a gap.
    pub(crate) fn links(&self) -> Vec<Option<PageLink>> {
        let near = self.number - 2..=self.number + 2;
        let is_shown = |number: &i64| *number == 1 || *number == self.last || near.contains(number);
        let candidates = [1].into_iter().chain(near.clone()).chain([self.last]);
        let mut shown: Vec<i64> =
            candidates.filter(|number| (1..=self.last).contains(number)).filter(is_shown).collect();
        shown.dedup();
        let mut links = Vec::new();
        let mut before = 0;
        for number in shown {
            if number > before + 1 {
                links.push(None);
            }
            links.push(Some(PageLink { number, words: grouped(number), is_here: number == self.number }));
            before = number;
        }
        links
    }

    /// True if the address asks for a page behind the last one.
    pub(crate) const fn is_past_end(&self) -> bool {
        self.number > self.last
    }

    /// The same for a list whose page also answers forms that are sent to other addresses.
    pub(crate) fn at(self, address: &str) -> Self {
        Self { address: address.to_owned(), ..self }
    }

    /// Adds a query that all pages of the list have. The query may begin with a question mark, and may have the rows of
    /// a page.
    pub(crate) fn with_query(mut self, query: &str) -> Self {
        let query = query.trim_start_matches('?');
        let rows = if query.contains("per_page=") { String::new() } else { self.query };
        self.query = if query.is_empty() { rows } else { format!("{query}&{rows}") };
        self
    }
}

/// The numbers of rows that readers of longer lists can choose.
pub(crate) const SIZES: [i64; 3] = [20, 40, 100];

/// The page that the address asks for, in a list whose readers choose the length of its pages.
pub(crate) fn chosen(query: &Parameters) -> PageRequest {
    let size = query.number("per_page").filter(|size| SIZES.contains(size)).unwrap_or(SIZES[0]);
    PageRequest::new(query.number("page"), Some(size))
}

/// The page that the address asks for.
pub(crate) fn asked(query: &Parameters) -> PageRequest {
    PageRequest::new(query.text("page").and_then(|number| number.parse().ok()), Some(ROWS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_page_holds_the_rest() {
        for (total, last) in [(0, 1), (1, 1), (50, 1), (51, 2)] {
            let page = Page::<()> { items: Vec::new(), total, request: PageRequest::new(None, Some(ROWS)) };
            let pages = Pagination::of(&page);
            assert_eq!((pages.number, pages.last, pages.total), (1, last, total));
            assert_eq!(pages.at("/list").address, "/list");
        }
    }

    #[test]
    fn the_first_the_last_and_those_beside_have_links() {
        let shown = |number: i64, total: i64| {
            let request = PageRequest::new(Some(number), Some(20));
            let pages = Pagination::of(&Page::<()> { items: Vec::new(), total, request });
            let words = pages.links().into_iter().map(|link| match link {
                Some(link) if link.is_here => format!("[{}]", link.words),
                Some(link) => link.words,
                None => "…".to_owned(),
            });
            words.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(shown(1, 30), "[1] 2");
        assert_eq!(shown(1, 1_000), "[1] 2 3 … 50");
        assert_eq!(shown(4, 1_000), "1 2 3 [4] 5 6 … 50");
        assert_eq!(shown(267, 10_690), "1 … 265 266 [267] 268 269 … 535");
        assert_eq!(shown(1_500, 40_000), "1 … 1,498 1,499 [1,500] 1,501 1,502 … 2,000");
        assert_eq!(shown(50, 1_000), "1 … 48 49 [50]");
    }
}
