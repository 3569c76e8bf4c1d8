-- Code owners: which protected branches demand their approvals, and which lines of the file each merge request touches.

ALTER TABLE protected_refs ADD COLUMN needs_code_owners BOOLEAN NOT NULL DEFAULT FALSE;

-- A merge request that touches no line has no row.
CREATE TABLE merge_request_code_owners (
    issuable_id BIGINT PRIMARY KEY NOT NULL REFERENCES merge_requests (issuable_id) ON DELETE CASCADE,
    -- The headings of the file and the lines that count, in their order.
    lines TEXT NOT NULL,
    -- Why the lines could not be found. NULL if they are known.
    refusal TEXT
);
