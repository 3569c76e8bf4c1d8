DROP INDEX notes_resolved_by;
ALTER TABLE notes DROP COLUMN resolved_by_id;
ALTER TABLE notes DROP COLUMN resolved_at;
ALTER TABLE notes DROP COLUMN position;
DROP TABLE merge_intents;
DROP TABLE merge_request_closes;
DROP TABLE merge_request_reviewers;
DROP TABLE merge_request_versions;
DROP TABLE merge_requests;
