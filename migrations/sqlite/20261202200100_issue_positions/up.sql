-- The positions of issues that users have moved. All others have the one that follows from their id.
CREATE TABLE issue_positions (
    issuable_id BIGINT PRIMARY KEY NOT NULL REFERENCES issuables (id) ON DELETE CASCADE,
    position BIGINT NOT NULL
);
CREATE INDEX issue_positions_position ON issue_positions (position);
