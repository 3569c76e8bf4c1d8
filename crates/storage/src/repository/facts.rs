//! Facts about a repository that are dear to find out: kept when refs change.

use std::collections::HashMap;

use chrono::NaiveDateTime;
use diesel::expression::is_aggregate;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use tenon_domain::id::{NamespaceId, ProjectId};
use tenon_domain::time::Timestamp;

use crate::db::connection::on_each;
use crate::db::expressions::in_ids;
use crate::db::row::naive;
use crate::db::static_sql::{StaticSql, static_sql};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::{projects, repository_facts};

/// The facts about a repository.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RepositoryFacts {
    /// Commits of the default branch.
    pub commit_count: i64,
    /// Bytes on disk.
    pub repository_size: i64,
    /// Bytes of the wiki on disk.
    pub wiki_size: i64,
    /// Bytes of the LFS objects. They are counted when objects are linked, and are not written with the other facts.
    pub lfs_size: i64,
    /// The readme on the default branch.
    pub readme_path: Option<String>,
    /// Languages and their shares in hundredths of a percent, the largest first.
    pub languages: Vec<(String, i64)>,
    /// The file with the licence on the default branch, and the licence's identifier.
    pub license: Option<(String, String)>,
}

impl RepositoryFacts {
    /// The facts without those that come from files, which only readers of the code may know.
    #[must_use]
    pub fn without_files(self) -> Self {
        Self { readme_path: None, license: None, languages: Vec::new(), ..self }
    }
}

type Row = (i64, i64, i64, i64, i64, Option<String>, String, Option<String>, Option<String>);

/// The facts about the repositories of these projects.
pub fn facts(tx: &mut ReadTx<'_>, ids: &[ProjectId]) -> StoreResult<HashMap<ProjectId, RepositoryFacts>> {
    let rows: Vec<Row> = repository_facts::table
        .filter(in_ids(repository_facts::project_id, ids, ProjectId::get))
        .select((
            repository_facts::project_id,
            repository_facts::commit_count,
            repository_facts::repository_size,
            repository_facts::wiki_size,
            repository_facts::lfs_size,
            repository_facts::readme_path,
            repository_facts::languages,
            repository_facts::license_path,
            repository_facts::license_key,
        ))
        .load(tx.conn)?;
    let assemble =
        |(id, commit_count, repository_size, wiki_size, lfs_size, readme_path, languages, path, key): Row| {
            let languages = languages.lines().filter_map(parse_language).collect();
            (
                ProjectId::new(id),
                RepositoryFacts {
                    commit_count,
                    repository_size,
                    wiki_size,
                    lfs_size,
                    readme_path,
                    languages,
                    license: path.zip(key),
                },
            )
        };
    Ok(rows.into_iter().map(assemble).collect())
}

/// Bytes on disk of repositories, wikis and LFS objects.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RepositorySizes {
    /// Of the code.
    pub code: i64,
    /// Of the wikis.
    pub wikis: i64,
    /// Of the LFS objects. One that several projects have counts for each of them.
    pub lfs: i64,
}

/// Bytes on disk of the repositories of all projects in each of these groups, those in subgroups not counted. Groups without
/// a project are left out.
pub fn sizes_in(tx: &mut ReadTx<'_>, groups: &[NamespaceId]) -> StoreResult<HashMap<NamespaceId, RepositorySizes>> {
    const WIKIS: StaticSql<BigInt, is_aggregate::Yes> = static_sql("CAST(SUM(repository_facts.wiki_size) AS BIGINT)");
    const SIZE: StaticSql<BigInt, is_aggregate::Yes> =
        static_sql("CAST(SUM(repository_facts.repository_size) AS BIGINT)");
    const LFS: StaticSql<BigInt, is_aggregate::Yes> = static_sql("CAST(SUM(repository_facts.lfs_size) AS BIGINT)");
    let rows: Vec<(i64, i64, i64, i64)> = projects::table
        .inner_join(repository_facts::table.on(repository_facts::project_id.eq(projects::id)))
        .filter(in_ids(projects::namespace_id, groups, NamespaceId::get))
        .filter(projects::deleting_at.is_null())
        .group_by(projects::namespace_id)
        .select((projects::namespace_id, SIZE, WIKIS, LFS))
        .load(tx.conn)?;
    let sizes = |(id, code, wikis, lfs)| (NamespaceId::new(id), RepositorySizes { code, wikis, lfs });
    Ok(rows.into_iter().map(sizes).collect())
}

/// One line of the column: the share, a blank, the name.
fn parse_language(line: &str) -> Option<(String, i64)> {
    let (share, name) = line.split_once(' ')?;
    Some((name.to_owned(), share.parse().ok()?))
}

/// Stores what is known about a repository.
pub fn set_facts(tx: &mut WriteTx<'_>, project: ProjectId, facts: &RepositoryFacts, at: Timestamp) -> StoreResult<()> {
    let at: NaiveDateTime = naive(at);
    let languages: Vec<String> = facts.languages.iter().map(|(name, share)| format!("{share} {name}")).collect();
    let values = (
        repository_facts::commit_count.eq(facts.commit_count),
        repository_facts::repository_size.eq(facts.repository_size),
        repository_facts::wiki_size.eq(facts.wiki_size),
        repository_facts::readme_path.eq(&facts.readme_path),
        repository_facts::languages.eq(languages.join("\n")),
        repository_facts::license_path.eq(facts.license.as_ref().map(|(path, _)| path)),
        repository_facts::license_key.eq(facts.license.as_ref().map(|(_, key)| key)),
        repository_facts::updated_at.eq(at),
    );
    on_each!(tx.conn, c => diesel::insert_into(repository_facts::table)
        .values((repository_facts::project_id.eq(project.get()), values.clone()))
        .on_conflict(repository_facts::project_id)
        .do_update()
        .set(values)
        .execute(c))?;
    Ok(())
}
