//! The pages that are measured, and the budget of each. In a path, `{p}` is the page of the project with code, and
//! `{id}` that project in the API. `{many}` and `{many_id}` are those of the project with many issues, `{group}` and
//! `{group_id}` those of a group.

/// The budget of a page on SQLite, and the answer of the API with the same content.
#[derive(Debug)]
pub(super) struct Budget {
    pub(super) page: &'static str,
    pub(super) path: &'static str,
    pub(super) twin: &'static str,
    /// Milliseconds in which nine of ten are answered, alone and if 32 ask at the same time.
    pub(super) alone: f64,
    pub(super) together: Option<f64>,
    /// Bytes of the packed page.
    pub(super) packed: usize,
    pub(super) elements: usize,
}

const fn budget(
    (page, path, twin): (&'static str, &'static str, &'static str),
    (alone, together): (f64, Option<f64>),
    (packed, elements): (usize, usize),
) -> Budget {
    Budget { page, path, twin, alone, together, packed: packed * 1024, elements }
}

pub(super) const BUDGETS: [Budget; 15] = [
    budget(("issues, 20 rows", "/{many}/issues", "{many_id}/issues?state=opened"), (10.0, Some(40.0)), (6, 700)),
    budget(
        ("issue with 50 notes", "/{p}/issues/1", "{id}/issues/1/discussions?per_page=50"),
        (20.0, Some(80.0)),
        (14, 2_000),
    ),
    budget(("dashboard", "/", "/projects?membership=true"), (15.0, Some(60.0)), (8, 900)),
    budget(("explore", "/explore", "/projects"), (15.0, Some(60.0)), (8, 900)),
    budget(("group", "/{group}", "{group_id}"), (15.0, Some(60.0)), (8, 900)),
    budget(("project, 50 entries", "/{p}", "{id}/repository/tree?per_page=50"), (40.0, Some(150.0)), (8, 900)),
    budget(
        ("directory of 50 entries", "/{p}/tree/main/d", "{id}/repository/tree?path=d&per_page=50"),
        (40.0, Some(150.0)),
        (8, 900),
    ),
    budget(
        ("file of 500 lines", "/{p}/blob/main/long.rs", "{id}/repository/files/long.rs?ref=main"),
        (12.0, Some(40.0)),
        (20, 4_500),
    ),
    budget(("merge request", "/{p}/merge_requests/1", "{id}/merge_requests/1"), (20.0, Some(80.0)), (12, 1_800)),
    budget(
        ("changes, 50 files, 2,000 lines", "/{p}/merge_requests/1/diffs", "{id}/merge_requests/1/changes"),
        (80.0, Some(300.0)),
        (60, 16_000),
    ),
    budget(
        ("changes, 10,000 lines", "/{p}/merge_requests/2/diffs", "{id}/merge_requests/2/changes"),
        (400.0, None),
        (300, 80_000),
    ),
    budget(
        ("blame, 1,000 lines", "/{p}/blame/main/blamed.txt", "{id}/repository/files/blamed.txt/blame?ref=main"),
        (150.0, None),
        (40, 9_000),
    ),
    budget(
        ("search for projects", "/search?search=gateway", "/search?scope=projects&search=gateway"),
        (60.0, None),
        (10, 900),
    ),
    budget(
        ("search for issues", "/search?search=crank&scope=issues", "/search?scope=issues&search=crank"),
        (60.0, None),
        (10, 900),
    ),
    budget(("commits", "/{p}/commits/main", "{id}/repository/commits"), (40.0, Some(150.0)), (8, 900)),
];
