-- The day for which users were reminded that an issue is due. A later day is reminded of again.
ALTER TABLE issuables ADD COLUMN due_reminder DATE;
CREATE INDEX issuables_due ON issuables (due_date, id) WHERE due_date IS NOT NULL AND deleted_at IS NULL;
