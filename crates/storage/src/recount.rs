//! Values that are kept beside the rows from which they follow: counters, sums, and indexes of the server's own. Here they are
//! compared with those rows, and made anew.

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::BigInt;

use crate::db::dialect;
use crate::db::tx::{Database, ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::text_index;

/// A kept value, or a table of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept {
    /// Its name for people.
    pub name: &'static str,
    how: How,
}

/// How a kept value follows from rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    /// A column of a table, of the rows that a condition names, is an expression over other rows.
    Column { table: &'static str, column: &'static str, of: &'static str, expression: &'static str },
    /// A table has the rows of a query, of which `columns` are all columns. Rows that a condition names need not be there.
    Table { table: &'static str, columns: &'static str, query: &'static str, needless: &'static str },
    /// The highest number given out of a kind is not below that of any row.
    Numbers { kind: &'static str, owner: &'static str, rows: &'static str },
    /// The index of words has the issues and merge requests that are there.
    Words,
}

const fn column(
    name: &'static str,
    (table, column): (&'static str, &'static str),
    of: &'static str,
    expression: &'static str,
) -> Kept {
    Kept { name, how: How::Column { table, column, of, expression } }
}

const LIVING: &str = "deleted_at IS NULL";
const ALL: &str = "1 = 1";

/// Every kept value. Later ones may follow from earlier ones.
pub const KEPT: &[Kept] = &[
    column(
        "stars of projects",
        ("projects", "star_count"),
        ALL,
        "(SELECT COUNT(*) FROM stars WHERE stars.project_id = projects.id)",
    ),
    column(
        "forks of projects",
        ("projects", "forks_count"),
        ALL,
        "(SELECT COUNT(*) FROM projects AS fork WHERE fork.forked_from_id = projects.id)",
    ),
    column(
        "open issues of projects",
        ("projects", "open_issues_count"),
        ALL,
        "(SELECT COUNT(*) FROM issuables WHERE issuables.project_id = projects.id AND kind = 'issue' AND state = 'opened' \
         AND confidential = FALSE AND deleted_at IS NULL)",
    ),
    column(
        "comments of issues and merge requests",
        ("issuables", "user_notes_count"),
        LIVING,
        "(SELECT COUNT(*) FROM notes WHERE notes.issuable_id = issuables.id AND notes.system = FALSE)",
    ),
    column(
        "votes for issues and merge requests",
        ("issuables", "upvotes"),
        LIVING,
        "(SELECT COUNT(*) FROM award_emoji WHERE award_emoji.issuable_id = issuables.id AND note_id IS NULL \
         AND name = 'thumbsup')",
    ),
    column(
        "votes against issues and merge requests",
        ("issuables", "downvotes"),
        LIVING,
        "(SELECT COUNT(*) FROM award_emoji WHERE award_emoji.issuable_id = issuables.id AND note_id IS NULL \
         AND name = 'thumbsdown')",
    ),
    Kept {
        name: "issues and merge requests by state",
        how: How::Table {
            table: "issuable_counts",
            columns: "project_id, kind, state, confidential, count",
            query: "SELECT project_id, kind, state, confidential, COUNT(*) FROM issuables WHERE deleted_at IS NULL \
                    GROUP BY project_id, kind, state, confidential",
            needless: "count = 0",
        },
    },
    Kept {
        name: "issues and merge requests by label",
        how: How::Table {
            table: "label_counts",
            columns: "label_id, project_id, kind, state, confidential, count",
            query: "SELECT label_id, project_id, kind, state, confidential, COUNT(*) FROM issuable_labels \
                    JOIN issuables ON issuables.id = issuable_id WHERE deleted_at IS NULL \
                    GROUP BY label_id, project_id, kind, state, confidential",
            needless: "count = 0",
        },
    },
    Kept {
        name: "sizes of uploads",
        how: How::Table {
            table: "upload_totals",
            columns: "project_id, uploader_id, size",
            query: "SELECT project_id, 0 AS uploader_id, CAST(SUM(size) AS BIGINT) FROM uploads GROUP BY project_id \
                    UNION ALL SELECT project_id, uploader_id, CAST(SUM(size) AS BIGINT) FROM uploads \
                    WHERE uploader_id IS NOT NULL GROUP BY project_id, uploader_id",
            needless: "size = 0",
        },
    },
    column(
        "sizes of LFS objects",
        ("repository_facts", "lfs_size"),
        ALL,
        "(SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM lfs_links \
         WHERE lfs_links.project_id = repository_facts.project_id)",
    ),
    column(
        "sizes of snippets",
        ("snippets", "size"),
        ALL,
        "(SELECT CAST(COALESCE(SUM(OCTET_LENGTH(content)), 0) AS BIGINT) FROM snippet_files \
         WHERE snippet_files.snippet_id = snippets.id)",
    ),
    Kept {
        name: "sizes of hook events",
        how: How::Table {
            table: "hook_event_bytes",
            columns: "project_id, bytes",
            query: "SELECT COALESCE(project_id, 0), CAST(SUM(bytes) AS BIGINT) FROM hook_events \
                    GROUP BY COALESCE(project_id, 0)",
            needless: "bytes = 0",
        },
    },
    Kept {
        name: "groups above groups",
        how: How::Table {
            table: "namespace_closure",
            columns: "ancestor_id, descendant_id, depth",
            query: "WITH RECURSIVE above (ancestor_id, descendant_id, depth) AS (\
                    SELECT id, id, CAST(0 AS BIGINT) FROM namespaces UNION ALL \
                    SELECT namespaces.parent_id, above.descendant_id, above.depth + 1 FROM above \
                    JOIN namespaces ON namespaces.id = above.ancestor_id \
                    WHERE namespaces.parent_id IS NOT NULL AND above.depth < 100) \
                    SELECT ancestor_id, descendant_id, depth FROM above",
            needless: "1 = 0",
        },
    },
    Kept {
        name: "numbers of issues",
        how: How::Numbers { kind: "issue", owner: "project_id", rows: "issuables WHERE kind = 'issue'" },
    },
    Kept {
        name: "numbers of merge requests",
        how: How::Numbers {
            kind: "merge_request",
            owner: "project_id",
            rows: "issuables WHERE kind = 'merge_request'",
        },
    },
    Kept {
        name: "numbers of milestones of projects",
        how: How::Numbers { kind: "milestone", owner: "project_id", rows: "milestones WHERE project_id IS NOT NULL" },
    },
    Kept {
        name: "numbers of milestones of groups",
        how: How::Numbers {
            kind: "milestone",
            owner: "namespace_id",
            rows: "milestones WHERE namespace_id IS NOT NULL",
        },
    },
    Kept {
        name: "numbers of deployments",
        how: How::Numbers { kind: "deployment", owner: "project_id", rows: "deployments WHERE project_id IS NOT NULL" },
    },
    Kept {
        name: "numbers of lists of users",
        how: How::Numbers {
            kind: "user_list",
            owner: "project_id",
            rows: "feature_flag_user_lists WHERE project_id IS NOT NULL",
        },
    },
    Kept { name: "words of issues and merge requests", how: How::Words },
];

#[derive(QueryableByName)]
struct Counted {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// How many of the kept values differ from what the rows say.
pub fn wrong(tx: &mut ReadTx<'_>, kept: &Kept) -> StoreResult<i64> {
    dialect::allow_time_here(tx.conn)?;
    let from = match kept.how {
        How::Column { table, column, of, expression } => format!("{table} WHERE {of} AND {column} <> {expression}"),
        How::Table { table, columns, query, needless } => format!(
            "(SELECT * FROM (SELECT * FROM ({query}) AS right_rows EXCEPT SELECT {columns} FROM {table}) AS missing \
             UNION ALL SELECT * FROM (SELECT {columns} FROM {table} WHERE NOT ({needless}) EXCEPT \
             SELECT * FROM ({query}) AS right_rows) AS needless) AS wrong"
        ),
        How::Numbers { kind, owner, rows } => format!(
            "(SELECT {owner} AS holder, MAX(iid) AS highest FROM {rows} GROUP BY {owner}) AS given \
             LEFT JOIN iid_counters ON iid_counters.{owner} = holder AND iid_counters.kind = '{kind}' \
             WHERE COALESCE(last_iid, 0) < highest"
        ),
        How::Words => return Ok(text_index::strays(tx.conn)?),
    };
    let counted: Counted = sql_query(format!("SELECT COUNT(*) AS count FROM {from}")).get_result(tx.conn)?;
    Ok(counted.count)
}

/// Makes the kept values anew.
pub fn mend(tx: &mut WriteTx<'_>, kept: &Kept) -> StoreResult<()> {
    dialect::allow_time_here(tx.conn)?;
    let statements = match kept.how {
        How::Column { table, column, of, expression } => {
            vec![format!("UPDATE {table} SET {column} = {expression} WHERE {of} AND {column} <> {expression}")]
        }
        How::Table { table, columns, query, .. } => {
            vec![format!("DELETE FROM {table}"), format!("INSERT INTO {table} ({columns}) {query}")]
        }
        How::Numbers { kind, owner, rows } => vec![
            format!(
                "UPDATE iid_counters SET last_iid = (SELECT MAX(iid) FROM {rows} AND {owner} = iid_counters.{owner}) \
                 WHERE kind = '{kind}' AND {owner} IS NOT NULL \
                 AND last_iid < (SELECT MAX(iid) FROM {rows} AND {owner} = iid_counters.{owner})"
            ),
            format!(
                "INSERT INTO iid_counters ({owner}, kind, last_iid) SELECT {owner}, '{kind}', MAX(iid) FROM {rows} \
                 AND NOT EXISTS (SELECT 1 FROM iid_counters WHERE iid_counters.kind = '{kind}' \
                 AND iid_counters.{owner} = {table}.{owner}) GROUP BY {owner}",
                table = rows.split(' ').next().unwrap_or_default()
            ),
        ],
        How::Words => return Ok(text_index::rebuild(tx.conn)?),
    };
    for statement in statements {
        sql_query(statement).execute(tx.conn)?;
    }
    Ok(())
}

/// The faults that SQLite finds in its own file.
pub fn faults_of_file(database: &Database) -> StoreResult<Vec<String>> {
    database.bare(|conn| Ok(dialect::faults(conn)?))
}
