DROP INDEX issuables_due;
ALTER TABLE issuables DROP COLUMN due_reminder;
