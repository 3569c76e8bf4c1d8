//! Lists of projects.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::NaiveDate;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use tenon_domain::access::{AccessLevel, Viewer};
use tenon_domain::id::{NamespaceId, ProjectId, UserId};
use tenon_domain::issuable::IssuableKind;
use tenon_domain::keyset::{Cursor, Key, Keyset, KeysetPage};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::search::Search;

use super::filter::{ProjectFilter, ProjectOrder, ProjectSet};
use super::{ProjectWithNamespace, by_ids};
use crate::cache::access_cache::CacheKey;
use crate::db::connection::Backend;
use crate::db::expressions::{IdList, in_id_list, in_ids_large, in_subquery};
use crate::db::hierarchy::descendants;
use crate::db::keyset::after_cursor;
use crate::db::paging::{IN_ALL, page, page_with_total};
use crate::db::predicate::{ColumnTest, Condition, contains, has_word, matches, tested, with_attributes};
use crate::db::row::{inclusive, naive};
use crate::db::static_sql::{StaticSql, static_sql};
use crate::db::tx::ReadTx;
use crate::error::StoreResult;
use crate::schema::{
    custom_attributes, full_paths, namespaces, project_tags, projects, repository_facts, shares, stars,
};
use crate::visibility::feature::has_feature_among;
use crate::visibility::filter::{VisibilityFilter, VisibleCode, visible_code, visible_projects};
use crate::visibility::projects::{Membership, VisibleProjects};

type Query<'a> = projects::BoxedQuery<'a, Backend>;

fn filtered<'a>(
    filter: &'a ProjectFilter,
    visible: Option<Condition<projects::table>>,
    member: Option<&VisibleProjects>,
) -> Query<'a> {
    let mut query = within_set(filter);
    if let Some(condition) = visible {
        query = query.filter(condition);
    }
    if let Some(archived) = filter.archived {
        query = query.filter(projects::archived.eq(archived));
    }
    if let Some(visibility) = filter.visibility {
        query = query.filter(projects::visibility.eq(visibility.as_str()));
    }
    if let Some(condition) = filter.search.as_ref().and_then(|search| searched(search, filter.search_namespaces)) {
        query = query.filter(condition);
    }
    if let Some(opened) = member {
        query = query.filter(opened.projects());
    }
    if let Some(user) = filter.starred_by {
        let starred = stars::table.filter(stars::user_id.eq(user.get())).select(stars::project_id);
        query = query.filter(projects::id.eq_any(starred));
    }
    if let Some(ids) = &filter.among {
        query = query.filter(in_ids_large(projects::id, ids, ProjectId::get));
    }
    for topic in &filter.topics {
        let tagged = project_tags::table.filter(project_tags::name.eq(topic)).select(project_tags::project_id);
        query = query.filter(in_subquery(projects::id, tagged));
    }
    query = between(query, filter);
    with_attributes!(query, projects::id, custom_attributes::project_id, &filter.custom_attributes);
    query
}

/// The filters by id, date and source.
fn between<'a>(mut query: Query<'a>, filter: &ProjectFilter) -> Query<'a> {
    if let Some(id) = filter.id_after {
        query = query.filter(projects::id.gt(id));
    }
    if let Some(id) = filter.id_before {
        query = query.filter(projects::id.lt(id));
    }
    if let Some(from) = filter.active_after {
        query = query.filter(projects::last_activity_at.ge(naive(from)));
    }
    if let Some(to) = filter.active_before {
        query = query.filter(projects::last_activity_at.le(inclusive(to)));
    }
    if let Some(user) = filter.imported_by {
        query = query.filter(projects::imported_from.is_not_null()).filter(projects::creator_id.eq(user.get()));
    }
    if filter.nothing {
        query = query.filter(projects::id.eq(0));
    }
    query
}

fn within_set<'a>(filter: &ProjectFilter) -> Query<'a> {
    let query = projects::table.filter(projects::deleting_at.is_null()).into_boxed::<Backend>();
    let shared_with = |group: NamespaceId| {
        shares::table
            .filter(shares::group_id.eq(group.get()))
            .filter(shares::expires_at.is_null().or(shares::expires_at.gt(filter.today)))
            .filter(shares::project_id.is_not_null())
            .select(shares::project_id.assume_not_null())
    };
    match filter.set {
        ProjectSet::All => query,
        ProjectSet::In(id) => query.filter(projects::namespace_id.eq(id.get())),
        ProjectSet::Below(id) => query.filter(projects::namespace_id.eq_any(descendants(id.get()))),
        ProjectSet::Around(id) => query.filter(
            in_subquery(projects::namespace_id, descendants(id.get())).or(in_subquery(projects::id, shared_with(id))),
        ),
        ProjectSet::Group(id) => {
            query.filter(projects::namespace_id.eq(id.get()).or(in_subquery(projects::id, shared_with(id))))
        }
        ProjectSet::SharedWith(id) => query.filter(projects::id.eq_any(shared_with(id))),
        ProjectSet::ForksOf(id) => query.filter(projects::forked_from_id.eq(id.get())),
    }
}

fn searched(search: &Search, in_namespaces: bool) -> Option<Condition<projects::table>> {
    let own = matches(search, &[tested!(projects::path), tested!(projects::name), tested!(projects::description)]);
    if !in_namespaces {
        return own;
    }
    let outer = matches(search, &[&by_full_path, &by_namespace]);
    own.into_iter().chain(outer).reduce(|any, next| Box::new(any.or(next)))
}

/// Puts a test into words about the full path of a project.
fn by_full_path(test: &ColumnTest) -> Condition<projects::table> {
    let paths = full_paths::table.filter(full_paths::project_id.is_not_null());
    let id = full_paths::project_id.assume_not_null();
    match test {
        ColumnTest::HasWord(word) => {
            let found = paths.filter(has_word(full_paths::path_key, word)).select(id);
            Box::new(in_subquery(projects::id, found))
        }
        ColumnTest::Contains(word) => {
            let found = paths.filter(contains(full_paths::path_key, word)).select(id);
            Box::new(in_subquery(projects::id, found))
        }
    }
}

/// Puts a test into words about the name of the namespace of a project.
fn by_namespace(test: &ColumnTest) -> Condition<projects::table> {
    match test {
        ColumnTest::HasWord(word) => {
            let named = namespaces::table.filter(has_word(namespaces::name, word)).select(namespaces::id);
            Box::new(in_subquery(projects::namespace_id, named))
        }
        ColumnTest::Contains(word) => {
            let named = namespaces::table.filter(contains(namespaces::name, word)).select(namespaces::id);
            Box::new(in_subquery(projects::namespace_id, named))
        }
    }
}

/// The ids of all projects of a set that `viewer` may see.
pub fn visible_ids(
    tx: &mut ReadTx<'_>,
    viewer: Viewer,
    set: ProjectSet,
    today: NaiveDate,
) -> StoreResult<Vec<ProjectId>> {
    let filter = ProjectFilter::new(viewer, today, set);
    let visible = visible_projects(tx, viewer, today)?;
    let found: Vec<i64> = filtered(&filter, visible.condition(), None).select(projects::id).load(tx.conn)?;
    Ok(found.into_iter().map(ProjectId::new).collect())
}

/// The ids of all projects that match, in no order.
pub fn ids(tx: &mut ReadTx<'_>, filter: &ProjectFilter) -> StoreResult<Vec<ProjectId>> {
    let allowed = Allowed::resolve(tx, filter)?;
    let found: Vec<i64> = allowed.of(filter).select(projects::id).load(tx.conn)?;
    Ok(found.into_iter().map(ProjectId::new).collect())
}

/// The projects with files in this language.
fn written_in(tx: &mut ReadTx<'_>, language: &str) -> StoreResult<IdList> {
    // Each line is a share and a name, and a name may end with another one.
    let line = format!(" {}\n", language.to_lowercase());
    let condition: Condition<repository_facts::table> =
        Box::new(contains(repository_facts::languages.concat("\n"), &line));
    let found: Vec<(i64, String)> = repository_facts::table
        .into_boxed::<Backend>()
        .filter(condition)
        .select((repository_facts::project_id, repository_facts::languages))
        .load(tx.conn)?;
    let is_named = |lines: &str| {
        let mut names = lines.lines().filter_map(|line| line.split_once(' '));
        names.any(|(_, name)| name.to_lowercase() == language.to_lowercase())
    };
    Ok(IdList::new(found.into_iter().filter(|(_, lines)| is_named(lines)).map(|(id, _)| id).collect()))
}

/// The projects that a list may have.
struct Allowed {
    visible: Option<VisibilityFilter<VisibleProjects>>,
    /// The projects with files in the language that is asked for.
    spoken: Option<IdList>,
    /// The projects that remain if something is asked of the code.
    code: Option<VisibleCode>,
    member: Option<Arc<VisibleProjects>>,
    /// The projects that the viewer sees, if something is asked of their parts.
    with_parts: Option<VisibilityFilter<VisibleProjects>>,
}

impl Allowed {
    fn resolve(tx: &mut ReadTx<'_>, filter: &ProjectFilter) -> StoreResult<Self> {
        let member = filter.membership.map(|membership| VisibleProjects::resolve(tx, membership)).transpose()?;
        // Viewers see what their own memberships open: there is no need to test both.
        let implied = filter.membership.is_some_and(|membership| filter.viewer.user() == Some(membership.user));
        let visible = if implied { None } else { Some(visible_projects(tx, filter.viewer, filter.today)?) };
        let spoken = filter.language.as_deref().map(|language| written_in(tx, language)).transpose()?;
        let code = filter.language.as_ref().map(|_| visible_code(tx, filter.viewer, filter.today)).transpose()?;
        let asks_parts = filter.with_issues || filter.with_merge_requests;
        let with_parts = asks_parts.then(|| visible_projects(tx, filter.viewer, filter.today)).transpose()?;
        Ok(Self { visible, spoken, code, member, with_parts })
    }

    fn of<'a>(&self, filter: &'a ProjectFilter) -> Query<'a> {
        let visible = self.visible.as_ref().and_then(VisibilityFilter::<VisibleProjects>::condition);
        let mut query = filtered(filter, visible, self.member.as_deref());
        if let Some(spoken) = &self.spoken {
            query = query.filter(in_id_list(projects::id, spoken));
        }
        if let Some(seen) = &self.with_parts {
            for (asked, kind) in
                [(filter.with_issues, IssuableKind::Issue), (filter.with_merge_requests, IssuableKind::MergeRequest)]
            {
                if asked {
                    query = query.filter(has_feature_among(kind, seen));
                }
            }
        }
        match &self.code {
            Some(readable) => query.filter(readable.condition()),
            None => query,
        }
    }
}

/// One page of the projects that match.
pub fn list(
    tx: &mut ReadTx<'_>,
    filter: &ProjectFilter,
    order: ProjectOrder,
    descending: bool,
    request: PageRequest,
) -> StoreResult<Page<ProjectWithNamespace>> {
    let allowed = Allowed::resolve(tx, filter)?;
    let found = if filter.search.is_some() {
        // Texts have to be read for page and total alike.
        let rows = ordered(allowed.of(filter), filter, order, descending).select((projects::id, IN_ALL));
        page_with_total(
            tx,
            request,
            |tx, limit, offset| Ok(rows.limit(limit).offset(offset).load(tx.conn)?),
            |tx| Ok(allowed.of(filter).count().get_result(tx.conn)?),
        )?
    } else {
        let total = total(tx, filter, &allowed)?;
        // Ids first, from an index alone if it has the order.
        page(request, total, |limit, offset| {
            let query = ordered(allowed.of(filter), filter, order, descending);
            Ok(query.select(projects::id).limit(limit).offset(offset).load(tx.conn)?)
        })?
    };
    Ok(Page { items: in_order(tx, found.items)?, total: found.total, request })
}

/// The project with the lowest id of those that match. Costs no count of the others.
pub fn first(tx: &mut ReadTx<'_>, filter: &ProjectFilter) -> StoreResult<Option<ProjectWithNamespace>> {
    let allowed = Allowed::resolve(tx, filter)?;
    let query = ordered(allowed.of(filter), filter, ProjectOrder::Id, false);
    let found = query.select(projects::id).limit(1).load(tx.conn)?;
    Ok(in_order(tx, found)?.pop())
}

/// Those of these ids, in the order of the ids.
fn in_order(tx: &mut ReadTx<'_>, ids: Vec<i64>) -> StoreResult<Vec<ProjectWithNamespace>> {
    let ids: Vec<ProjectId> = ids.into_iter().map(ProjectId::new).collect();
    let mut placed: HashMap<ProjectId, ProjectWithNamespace> =
        by_ids(tx, &ids)?.into_iter().map(|placed| (placed.project.id, placed)).collect();
    Ok(ids.iter().filter_map(|id| placed.remove(id)).collect())
}

/// The part of the projects that match which `keyset` asks for, in an order of [`ProjectOrder::keyed`].
pub fn walk(
    tx: &mut ReadTx<'_>,
    filter: &ProjectFilter,
    order: ProjectOrder,
    keyset: &Keyset,
) -> StoreResult<KeysetPage<ProjectWithNamespace>> {
    let allowed = Allowed::resolve(tx, filter)?;
    let mut query = ordered(allowed.of(filter), filter, order, keyset.descending);
    if let Some(cursor) = &keyset.after {
        macro_rules! follow {
            ($column:expr) => {
                query.filter(after_cursor($column, projects::id, cursor, keyset.descending))
            };
        }
        query = match order {
            ProjectOrder::Name => follow!(projects::name),
            ProjectOrder::Path => follow!(projects::path),
            ProjectOrder::CreatedAt => follow!(projects::created_at),
            ProjectOrder::UpdatedAt => follow!(projects::updated_at),
            ProjectOrder::LastActivityAt => follow!(projects::last_activity_at),
            ProjectOrder::Id
            | ProjectOrder::StarCount
            | ProjectOrder::RepositorySize
            | ProjectOrder::WikiSize
            | ProjectOrder::StorageSize
            | ProjectOrder::Similarity => {
                follow!(projects::id)
            }
        };
    }
    let ids = query.select(projects::id).limit(keyset.per_page + 1).load(tx.conn)?;
    let found = in_order(tx, ids)?;
    Ok(KeysetPage::cut(found, keyset, |last| {
        let project = &last.project;
        let key = match order {
            ProjectOrder::Name => Key::Text(project.name.clone()),
            ProjectOrder::Path => Key::Text(project.path.clone()),
            ProjectOrder::CreatedAt => Key::Moment(project.created_at),
            ProjectOrder::UpdatedAt => Key::Moment(project.updated_at),
            ProjectOrder::LastActivityAt => Key::Moment(project.last_activity_at),
            ProjectOrder::Id
            | ProjectOrder::StarCount
            | ProjectOrder::RepositorySize
            | ProjectOrder::WikiSize
            | ProjectOrder::StorageSize
            | ProjectOrder::Similarity => Key::Id,
        };
        Cursor { key, id: project.id.get() }
    }))
}

/// Of which projects the number is asked, without any other condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum ProjectCount {
    /// Those that this viewer may see.
    Viewer(Viewer),
    /// Those that this user's memberships of at least this level open.
    Member(UserId, AccessLevel),
}

impl CacheKey for ProjectCount {
    type Answer = i64;
}

/// The number of matches. It is kept if nothing but access narrows the list.
fn total(tx: &mut ReadTx<'_>, filter: &ProjectFilter, allowed: &Allowed) -> StoreResult<i64> {
    let count = |tx: &mut ReadTx<'_>| Ok(allowed.of(filter).count().get_result(tx.conn)?);
    if !filter.is_plain() {
        return count(tx);
    }
    let key = match filter.membership {
        None => Some(ProjectCount::Viewer(filter.viewer)),
        Some(Membership { user, at_least, .. }) if allowed.visible.is_none() => {
            Some(ProjectCount::Member(user, at_least))
        }
        Some(_) => None,
    };
    match key {
        Some(key) => tx.cached(key, Some(filter.today), count).map(|total| *total),
        None => count(tx),
    }
}

fn ordered<'a>(query: Query<'a>, filter: &ProjectFilter, order: ProjectOrder, descending: bool) -> Query<'a> {
    macro_rules! by {
        ($column:expr) => {
            if descending {
                query.order(($column.desc(), projects::id.desc()))
            } else {
                query.order(($column.asc(), projects::id.asc()))
            }
        };
    }
    match order {
        ProjectOrder::Id if descending => query.order(projects::id.desc()),
        ProjectOrder::Id => query.order(projects::id.asc()),
        ProjectOrder::Name => by!(projects::name),
        ProjectOrder::Path => by!(projects::path),
        ProjectOrder::CreatedAt => by!(projects::created_at),
        ProjectOrder::UpdatedAt => by!(projects::updated_at),
        ProjectOrder::LastActivityAt => by!(projects::last_activity_at),
        ProjectOrder::StarCount => by!(projects::star_count),
        ProjectOrder::RepositorySize => by!(REPOSITORY_SIZE),
        ProjectOrder::WikiSize => by!(WIKI_SIZE),
        ProjectOrder::StorageSize => by!(STORAGE_SIZE),
        ProjectOrder::Similarity => {
            let text = filter.search.as_ref().map(Search::text).unwrap_or_default();
            // Equal, then with the text in the path, then with the text in the name.
            query.order((
                projects::path.eq(text.clone()).desc(),
                contains(projects::path, &text).desc(),
                contains(projects::name, &text).desc(),
                projects::id.desc(),
            ))
        }
    }
}

/// The bytes of the repository of a project.
const REPOSITORY_SIZE: StaticSql<BigInt> = static_sql(
    "COALESCE((SELECT repository_facts.repository_size FROM repository_facts \
     WHERE repository_facts.project_id = projects.id), 0)",
);

/// The bytes of the wiki of a project.
const WIKI_SIZE: StaticSql<BigInt> = static_sql(
    "COALESCE((SELECT repository_facts.wiki_size FROM repository_facts \
     WHERE repository_facts.project_id = projects.id), 0)",
);

/// The bytes of the repository, the wiki and the LFS objects of a project.
const STORAGE_SIZE: StaticSql<BigInt> = static_sql(
    "COALESCE((SELECT repository_facts.repository_size + repository_facts.wiki_size + repository_facts.lfs_size FROM repository_facts \
     WHERE repository_facts.project_id = projects.id), 0)",
);
