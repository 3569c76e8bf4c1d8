ALTER TABLE merge_requests DROP COLUMN approvals_before_merge;
