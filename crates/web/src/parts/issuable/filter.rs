//! The filters of a list of issues or merge requests. They are in its address, which can be shared and kept in
//! bookmarks.

use tenon_app::PageRequest;
use tenon_app::issuable::{
    AssigneeWish, BranchFilter, IssuableOrder, LabelFilter, ListIssuables, MilestoneFilter, StateFilter,
};
use tenon_domain::issuable::IssuableKind;

use crate::kit::address::in_query;
use crate::kit::pagination::chosen;
use crate::kit::parameters::Parameters;

/// The filters of a list, as its address has them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Filters {
    /// `opened`, `closed`, `merged` or `all`.
    pub(crate) state: String,
    pub(crate) search: Option<String>,
    pub(crate) author: Option<String>,
    /// A user name, `None` or `Any`.
    pub(crate) assignee: Option<String>,
    /// A title, `None` or `Any`.
    pub(crate) milestone: Option<String>,
    /// Names, or `None` or `Any` alone.
    pub(crate) labels: Vec<String>,
    pub(crate) sort: Sort,
    /// The number of rows on a page, if it is not the usual one.
    pub(crate) rows: Option<i64>,
    /// The relation of the caller to the entries, in a list of several projects. Empty for none.
    pub(crate) scope: &'static str,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Sort {
    #[default]
    Newest,
    Oldest,
    Updated,
    Stale,
    Priority,
}

impl Sort {
    pub(crate) const ALL: [Self; 5] = [Self::Newest, Self::Updated, Self::Oldest, Self::Stale, Self::Priority];

    /// The value in the address.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Newest => "created_date",
            Self::Oldest => "created_asc",
            Self::Updated => "updated_desc",
            Self::Stale => "updated_asc",
            Self::Priority => "label_priority",
        }
    }

    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Newest => "Newest first",
            Self::Oldest => "Oldest first",
            Self::Updated => "Recently updated",
            Self::Stale => "Least recently updated",
            Self::Priority => "Label priority",
        }
    }

    pub(crate) fn parse(text: Option<&str>) -> Self {
        let text = text.unwrap_or_default();
        Self::ALL.into_iter().find(|sort| sort.as_str() == text).unwrap_or_default()
    }
}

impl Filters {
    /// The filters that an address asks for. Both ways of writing lists count, and invalid values are left out.
    pub(crate) fn parse(query: &Parameters, kind: IssuableKind) -> Self {
        let known = match kind {
            IssuableKind::Issue => &["opened", "closed", "all"][..],
            IssuableKind::MergeRequest => &["opened", "merged", "closed", "all"][..],
        };
        let state = query.text("state").filter(|state| known.contains(state)).unwrap_or("opened");
        let rows = chosen(query).per_page();
        Self {
            state: state.to_owned(),
            search: query.words("search"),
            author: query.words("author_username"),
            assignee: query.words("assignee_username").or_else(|| match query.text("assignee_id") {
                Some("0" | "None") => Some("None".to_owned()),
                Some("Any") => Some("Any".to_owned()),
                _ => None,
            }),
            milestone: query.words("milestone_title"),
            labels: query.list("label_name"),
            sort: Sort::parse(query.text("sort")),
            rows: Some(rows).filter(|rows| *rows != crate::kit::pagination::SIZES[0]),
            scope: "",
        }
    }

    /// The request to the use case: a page of rows.
    pub(crate) fn request(&self, page: PageRequest) -> ListIssuables {
        let (order_by, descending) = match self.sort {
            Sort::Newest => (IssuableOrder::CreatedAt, true),
            Sort::Oldest => (IssuableOrder::CreatedAt, false),
            Sort::Updated => (IssuableOrder::UpdatedAt, true),
            Sort::Stale => (IssuableOrder::UpdatedAt, false),
            Sort::Priority => (IssuableOrder::LabelPriority, false),
        };
        ListIssuables {
            state: match self.state.as_str() {
                "opened" => Some(StateFilter::Opened),
                "closed" => Some(StateFilter::Closed),
                "merged" => Some(StateFilter::Merged),
                _ => None,
            },
            labels: match self.labels.as_slice() {
                [] => LabelFilter::Whatever,
                [none] if none == "None" => LabelFilter::None,
                [any] if any == "Any" => LabelFilter::Any,
                names => LabelFilter::All(names.to_vec()),
            },
            milestone: match self.milestone.as_deref() {
                None => MilestoneFilter::Whatever,
                Some("None") => MilestoneFilter::None,
                Some("Any") => MilestoneFilter::Any,
                Some("#upcoming") => MilestoneFilter::Upcoming,
                Some("#started") => MilestoneFilter::Started,
                Some(title) => MilestoneFilter::Titled(title.to_owned()),
            },
            author_username: self.author.clone(),
            assignee: match self.assignee.as_deref() {
                None => AssigneeWish::Whatever,
                Some("None") => AssigneeWish::None,
                Some("Any") => AssigneeWish::Any,
                Some(name) => AssigneeWish::Named(vec![name.to_owned()]),
            },
            search: self.search.clone(),
            branches: BranchFilter::default(),
            with_labels_details: true,
            order_by,
            descending,
            ..ListIssuables::everything(page)
        }
    }

    /// The query of the same list, without the number of a page, and without a question mark.
    pub(crate) fn query(&self) -> String {
        let mut parts = Vec::new();
        if !self.scope.is_empty() {
            parts.push(format!("scope={}", self.scope));
        }
        if self.state != "opened" {
            parts.push(format!("state={}", self.state));
        }
        let texts = [
            ("search", &self.search),
            ("author_username", &self.author),
            ("assignee_username", &self.assignee),
            ("milestone_title", &self.milestone),
        ];
        parts.extend(
            texts.into_iter().filter_map(|(name, text)| text.as_ref().map(|text| format!("{name}={}", in_query(text)))),
        );
        parts.extend(self.labels.iter().map(|name| format!("label_name[]={}", in_query(name))));
        if self.sort != Sort::default() {
            parts.push(format!("sort={}", self.sort.as_str()));
        }
        parts.extend(self.rows.map(|rows| format!("per_page={rows}")));
        parts.join("&")
    }

    /// True if the list has another order than the usual one.
    pub(crate) fn sorts(&self) -> bool {
        self.sort != Sort::default()
    }

    /// Adds the condition that an object has this label. `None` and `Any` stand alone.
    pub(crate) fn add_label(&mut self, name: String) {
        let is_special = |name: &str| matches!(name, "None" | "Any");
        if is_special(&name) || self.labels.iter().any(|known| is_special(known)) {
            self.labels.clear();
        }
        self.labels.push(name);
    }

    /// The address of the list that this one is after `change`.
    pub(crate) fn href(&self, change: impl FnOnce(&mut Self)) -> String {
        let mut other = self.clone();
        change(&mut other);
        format!("?{}", other.query())
    }

    /// The conditions of the list, in words, each with the list without it.
    pub(crate) fn chips(&self) -> Vec<Chip> {
        let chip = |words: String, href: String| Chip { words, href };
        let named = |sign: &str, text: &str| match text {
            "None" | "Any" => text.to_lowercase(),
            text => format!("{sign}{text}"),
        };
        let mut chips = Vec::new();
        if let Some(text) = &self.search {
            chips.push(chip(format!("Text: {text}"), self.href(|other| other.search = None)));
        }
        if let Some(name) = &self.author {
            chips.push(chip(format!("Author: @{name}"), self.href(|other| other.author = None)));
        }
        if let Some(name) = &self.assignee {
            chips.push(chip(format!("Assignee: {}", named("@", name)), self.href(|other| other.assignee = None)));
        }
        if let Some(title) = &self.milestone {
            chips.push(chip(format!("Milestone: {}", named("%", title)), self.href(|other| other.milestone = None)));
        }
        for name in &self.labels {
            let without = self.href(|other| other.labels.retain(|known| known != name));
            chips.push(chip(format!("Label: {}", named("~", name)), without));
        }
        chips
    }
}

/// One condition of a list, and the list without it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chip {
    pub(crate) words: String,
    pub(crate) href: String,
}

#[cfg(test)]
mod tests {
    use tenon_edge::param_map::ParamMap;

    use super::*;

    fn parsed(query: &str) -> Filters {
        let params = Parameters::new(ParamMap::from_query(query.as_bytes()).unwrap());
        Filters::parse(&params, IssuableKind::Issue)
    }

    #[test]
    fn an_address_says_the_same_after_it_was_read() {
        for (query, want) in [
            ("", ""),
            ("state=opened&sort=nonsense&per_page=7", ""),
            ("state=merged", ""),
            ("label_name=bug", "label_name[]=bug"),
            ("label_name[]=bug&label_name[]=a%26b", "label_name[]=bug&label_name[]=a%26b"),
            (
                "state=all&search=a+b&author_username=ada&assignee_id=0&sort=updated_desc&per_page=40",
                "state=all&search=a%20b&author_username=ada&assignee_username=None&sort=updated_desc&per_page=40",
            ),
        ] {
            assert_eq!(parsed(query).query(), want, "{query}");
            assert_eq!(parsed(want), parsed(query), "{query}");
        }
    }

    #[test]
    fn labels_are_added_one_by_one() {
        for (query, label, want) in [
            ("label_name[]=a", "b", "label_name[]=a&label_name[]=b"),
            ("label_name[]=a", "None", "label_name[]=None"),
            ("label_name[]=Any", "b", "label_name[]=b"),
        ] {
            let mut filters = parsed(query);
            filters.add_label(label.to_owned());
            assert_eq!(filters.query(), want, "{query} {label}");
        }
    }

    #[test]
    fn each_condition_can_be_taken_away() {
        let filters = parsed("search=x&label_name[]=a&label_name[]=b&milestone_title=None");
        let chips: Vec<(String, String)> = filters.chips().into_iter().map(|chip| (chip.words, chip.href)).collect();
        let want = [
            ("Text: x", "?milestone_title=None&label_name[]=a&label_name[]=b"),
            ("Milestone: none", "?search=x&label_name[]=a&label_name[]=b"),
            ("Label: ~a", "?search=x&milestone_title=None&label_name[]=b"),
            ("Label: ~b", "?search=x&milestone_title=None&label_name[]=a"),
        ];
        assert_eq!(chips, want.map(|(words, href)| (words.to_owned(), href.to_owned())));
    }
}
