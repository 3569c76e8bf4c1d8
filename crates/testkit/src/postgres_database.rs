//! A database of PostgreSQL for one test after the other.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::Result;
use diesel::connection::SimpleConnection;
use diesel::{Connection, PgConnection};
use tenon_storage::DatabaseUrl;

use crate::postgres::{Cluster, cluster};
use crate::reusable::{Backend, Content, Reusable, Templates, fill};

/// Makes the function that [`PostgresDatabase::put_back`] calls, from the contents of the template. It deletes all
/// rows, inserts those of the template, and sets the sequences. It is called with triggers and foreign keys off: it
/// deletes what they would delete. If the function itself turned them off, all its statements would be planned anew at
/// each call.
const KEEP: &str = "
CREATE SCHEMA kept;
DO $keep$
DECLARE
    body text := '';
    place record;
    has_rows boolean;
    columns text;
    last bigint;
    is_called boolean;
BEGIN
    FOR place IN SELECT oid, relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' LOOP
        body := body || format('IF EXISTS (SELECT FROM public.%1$I) THEN DELETE FROM public.%1$I; END IF; ', place.relname);
        EXECUTE format('SELECT EXISTS (SELECT FROM public.%I)', place.relname) INTO has_rows;
        CONTINUE WHEN NOT has_rows;
        EXECUTE format('CREATE TABLE kept.%1$I AS TABLE public.%1$I', place.relname);
        SELECT string_agg(quote_ident(attname), ', ') INTO columns FROM pg_attribute
            WHERE attrelid = place.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '';
        body := body || format(
            'INSERT INTO public.%1$I (%2$s) OVERRIDING SYSTEM VALUE SELECT %2$s FROM kept.%1$I; ', place.relname, columns);
    END LOOP;
    FOR place IN SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'S' LOOP
        EXECUTE format('SELECT last_value, is_called FROM public.%I', place.relname) INTO last, is_called;
        body := body || format('PERFORM setval(''public.%I'', %s, %L); ', place.relname, last, is_called);
    END LOOP;
    EXECUTE format(
        'CREATE FUNCTION kept.put_back() RETURNS void LANGUAGE plpgsql AS %L',
        'BEGIN ' || body || 'END');
END
$keep$";

/// A migrated database, dropped with this value.
pub(crate) struct PostgresDatabase {
    cluster: &'static Cluster,
    name: String,
    content: Content,
    /// Puts rows back; it keeps its plans.
    connection: Mutex<Option<PgConnection>>,
}

impl PostgresDatabase {
    /// A copy of a database that was made once for the whole process.
    pub(crate) fn create(content: Content) -> Self {
        static TEMPLATES: Templates<String> = Templates::new();
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let cluster = cluster().expect("PostgreSQL, which is_available() has asked for");
        let template = TEMPLATES.get_or_init(content, || {
            let name = format!("template_{}_{content:?}", std::process::id()).to_lowercase();
            cluster.create_database(&name, None).expect("a template database");
            fill(DatabaseUrl::Postgres(cluster.url(&name)), content);
            if cluster.is_own() {
                let mut connection = PgConnection::establish(&cluster.url(&name)).expect("a connection");
                connection.batch_execute(KEEP).expect("a copy of the rows");
            }
            name
        });
        let name = format!("test_{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        cluster.create_database(&name, Some(template)).expect("a copy of the template");
        Self { cluster, name, content, connection: Mutex::default() }
    }

    /// The address of the database.
    fn address(&self) -> String {
        self.cluster.url(&self.name)
    }
}

impl Reusable for PostgresDatabase {
    fn backend(&self) -> Backend {
        Backend::Postgres
    }

    fn content(&self) -> Content {
        self.content
    }

    fn url(&self) -> DatabaseUrl {
        DatabaseUrl::Postgres(self.address())
    }

    /// False on a server that others use. No test would drop the database there after the last test, and the function
    /// that puts it back is for superusers.
    fn may_serve_again(&self) -> bool {
        self.cluster.is_own()
    }

    fn put_back(&mut self) -> Result<()> {
        let address = self.address();
        let kept = self.connection.get_mut().unwrap_or_else(PoisonError::into_inner);
        if kept.is_none() {
            let mut connection = PgConnection::establish(&address)?;
            connection.batch_execute("SET lock_timeout = '5s'; SET session_replication_role = replica")?;
            *kept = Some(connection);
        }
        kept.iter_mut().try_for_each(|connection| Ok(connection.batch_execute("SELECT kept.put_back()")?))
    }
}

impl Drop for PostgresDatabase {
    fn drop(&mut self) {
        // A database that stays behind is dropped with the cluster.
        drop(self.cluster.drop_database(&self.name));
    }
}

#[cfg(test)]
mod tests {
    use diesel::sql_types::Text;
    use diesel::{QueryableByName, RunQueryDsl, sql_query};

    use super::*;

    #[derive(QueryableByName)]
    struct Seen {
        #[diesel(sql_type = Text)]
        rows: String,
        #[diesel(sql_type = Text)]
        sequences: String,
    }

    #[test]
    fn rows_and_sequences_are_put_back() {
        if cluster().is_none_or(|cluster| !cluster.is_own()) {
            return;
        }
        let mut database = PostgresDatabase::create(Content::Root);
        let mut connection = PgConnection::establish(&database.address()).unwrap();
        let mut seen = || {
            let all = "SELECT schema_to_xml('public', true, false, '')::text AS rows, \
                       string_agg(sequencename || coalesce(last_value, 0), ' ' ORDER BY sequencename) AS sequences \
                       FROM pg_sequences WHERE schemaname = 'public'";
            let Seen { rows, sequences } = sql_query(all).get_result(&mut connection).unwrap();
            (rows, sequences)
        };
        let before = seen();
        // The second time, new rows take the places of deleted ones.
        for _ in 0..2 {
            let change = "SET session_replication_role = replica; \
                          DELETE FROM __diesel_schema_migrations; \
                          UPDATE access_revision SET value = value + 1; \
                          INSERT INTO hook_event_bytes (project_id, bytes) VALUES (7, 7); \
                          SELECT nextval(pg_get_serial_sequence('users', 'id'))";
            PgConnection::establish(&database.address()).unwrap().batch_execute(change).unwrap();
            let changed = seen();
            assert!(changed.0 != before.0 && changed.1 != before.1);
            database.put_back().unwrap();
            assert_eq!(seen(), before);
        }
    }
}
