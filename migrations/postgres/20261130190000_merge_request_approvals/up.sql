-- How many approvals of anybody the merge requires at least. NULL if the rules of the project alone say so.
ALTER TABLE merge_requests ADD COLUMN approvals_before_merge BIGINT;
