-- The session of the administrator who acts as the user in this one. It ends with that one; null in all others.
ALTER TABLE sessions ADD COLUMN impersonator_session_id BIGINT REFERENCES sessions (id) ON DELETE CASCADE;
CREATE UNIQUE INDEX sessions_impersonator ON sessions (impersonator_session_id) WHERE impersonator_session_id IS NOT NULL;
