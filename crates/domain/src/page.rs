//! Offset pagination.

/// Which slice of a list is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    page: i64,
    per_page: i64,
}

impl PageRequest {
    /// Items on a page when the caller does not say.
    pub const DEFAULT_PER_PAGE: i64 = 20;
    /// The most items that a page may have.
    pub const MAX_PER_PAGE: i64 = 100;

    /// Page `page` of `per_page` items. A number that is absent or below one takes its default; `per_page` is capped at
    /// 100.
    #[must_use]
    pub fn new(page: Option<i64>, per_page: Option<i64>) -> Self {
        let positive = |value: &i64| *value >= 1;
        Self {
            page: page.filter(positive).unwrap_or(1),
            per_page: per_page.filter(positive).unwrap_or(Self::DEFAULT_PER_PAGE).min(Self::MAX_PER_PAGE),
        }
    }

    /// The page's number, from 1.
    #[must_use]
    pub const fn page(self) -> i64 {
        self.page
    }

    /// Items on a page, 1 to 100.
    #[must_use]
    pub const fn per_page(self) -> i64 {
        self.per_page
    }

    /// How many items come before this page. Saturates: a page that no list reaches is an empty page, not an error.
    #[must_use]
    pub const fn offset(self) -> i64 {
        (self.page - 1).saturating_mul(self.per_page)
    }
}

impl Default for PageRequest {
    fn default() -> Self {
        Self::new(None, None)
    }
}

/// A slice of a list, and how long the whole list is.
#[derive(Debug, Clone)]
pub struct Page<T> {
    /// The items of this page, in order.
    pub items: Vec<T>,
    /// How many items the whole list has, exactly.
    pub total: i64,
    /// The request for this page.
    pub request: PageRequest,
}

impl<T> Page<T> {
    /// The asked page of a list without items.
    #[must_use]
    pub const fn empty(request: PageRequest) -> Self {
        Self { items: Vec::new(), total: 0, request }
    }

    /// The asked page of a list that is there as a whole.
    #[must_use]
    pub fn cut(all: Vec<T>, request: PageRequest) -> Self {
        let total = i64::try_from(all.len()).unwrap_or(i64::MAX);
        let count = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
        let items = all.into_iter().skip(count(request.offset())).take(count(request.per_page())).collect();
        Self { items, total, request }
    }

    /// The same page of converted items.
    #[must_use]
    pub fn map<U>(self, convert: impl FnMut(T) -> U) -> Page<U> {
        Page { items: self.items.into_iter().map(convert).collect(), total: self.total, request: self.request }
    }

    /// How many pages there are; an empty list has one.
    #[must_use]
    pub fn total_pages(&self) -> i64 {
        self.total.max(1).div_ceil_by(self.request.per_page())
    }
}

trait DivCeil {
    fn div_ceil_by(self, divisor: Self) -> Self;
}

impl DivCeil for i64 {
    fn div_ceil_by(self, divisor: Self) -> Self {
        (self - 1) / divisor + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonsense_takes_the_defaults_and_too_much_is_capped() {
        for (page, per_page, want) in [
            (None, None, (1, 20)),
            (Some(0), Some(0), (1, 20)),
            (Some(-3), Some(-1), (1, 20)),
            (Some(3), Some(100_000), (3, 100)),
            (Some(i64::MAX), Some(7), (i64::MAX, 7)),
        ] {
            let request = PageRequest::new(page, per_page);
            assert_eq!((request.page(), request.per_page()), want);
            assert!(request.offset() >= 0);
        }
    }

    #[test]
    fn an_empty_list_has_one_page() {
        let pages = |total, per_page| {
            Page::<()> { items: vec![], total, request: PageRequest::new(None, Some(per_page)) }.total_pages()
        };
        assert_eq!([pages(0, 20), pages(20, 20), pages(21, 20), pages(8, 3)], [1, 1, 2, 3]);
    }

    #[test]
    fn a_list_that_is_there_is_cut_into_pages() {
        let page = |page| Page::cut(vec![1, 2, 3, 4, 5], PageRequest::new(Some(page), Some(2)));
        assert_eq!([page(1).items, page(3).items, page(9).items], [vec![1, 2], vec![5], vec![]]);
        assert_eq!(page(1).total, 5);
    }
}
