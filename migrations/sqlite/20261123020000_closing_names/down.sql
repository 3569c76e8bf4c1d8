DROP TRIGGER projects_move_closing_names;
CREATE TABLE closes_before (
    issuable_id BIGINT NOT NULL REFERENCES merge_requests (issuable_id) ON DELETE CASCADE,
    issue_id BIGINT NOT NULL REFERENCES issuables (id) ON DELETE CASCADE,
    by_commit BOOLEAN NOT NULL,
    PRIMARY KEY (issuable_id, issue_id, by_commit)
);
INSERT INTO closes_before (issuable_id, issue_id, by_commit)
    SELECT DISTINCT issuable_id, issue_id, by_commit FROM merge_request_closes;
DROP VIEW merge_request_closes;
DROP TABLE merge_request_closing_names;
ALTER TABLE closes_before RENAME TO merge_request_closes;
CREATE INDEX merge_request_closes_issue ON merge_request_closes (issue_id, issuable_id);
