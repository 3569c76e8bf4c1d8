DROP TABLE merge_request_code_owners;
ALTER TABLE protected_refs DROP COLUMN needs_code_owners;
