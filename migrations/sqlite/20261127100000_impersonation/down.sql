DELETE FROM sessions WHERE impersonator_session_id IS NOT NULL;
DROP INDEX sessions_impersonator;
ALTER TABLE sessions DROP COLUMN impersonator_session_id;
