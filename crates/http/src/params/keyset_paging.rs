//! The paging of lists that also have keyset pagination.

use tenon_domain::keyset::KeysetRequest;
use tenon_domain::page::PageRequest;

use super::{FieldDoc, Paging, Param, Reader, choice};

choice! {
    /// How a list is cut.
    pub(crate) enum Pagination {
        /// Behind a row.
        Keyset = "keyset",
        /// Into pages with numbers.
        Offset = "offset",
        /// As `offset`.
        Legacy = "legacy",
    }
}

/// `page`, `per_page`, `pagination` and `page_token` of a list that also has keyset pagination. The name of the field is not
/// sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct KeysetPaging {
    /// The page, if it has a number.
    pub(crate) page: PageRequest,
    /// The page of keyset pagination; `None` for a page with a number.
    pub(crate) keyset: Option<KeysetRequest>,
}

impl Param for KeysetPaging {
    fn read(reader: &mut Reader<'_>, names: &[&'static str]) -> Option<Self> {
        let paging = Paging::read(reader, names);
        let pagination = Option::<Pagination>::read(reader, &["pagination"]);
        let token = Option::<String>::read(reader, &["page_token", "cursor"]);
        let (page, token) = (PageRequest::from(paging?), token?.filter(|token| !token.is_empty()));
        let keyset = match pagination? {
            Some(Pagination::Keyset) => Some(KeysetRequest::new(page, token)),
            Some(Pagination::Offset | Pagination::Legacy) => None,
            // Only lists that are cut so give tokens.
            None => token.map(|token| KeysetRequest::new(page, Some(token))),
        };
        Some(Self { page, keyset })
    }

    fn describe(name: &'static str, doc: &[&str], fields: &mut Vec<FieldDoc>) {
        Paging::describe(name, doc, fields);
        let pagination =
            "`keyset` for keyset pagination: the only header is a link to the next page, and there are no totals.";
        Option::<Pagination>::describe("pagination", &[pagination], fields);
        let token = "Where a part goes on, as the link to it has it. Also sent as `cursor`.";
        Option::<String>::describe("page_token", &[token], fields);
    }
}
