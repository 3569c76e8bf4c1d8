DELETE FROM hooks WHERE service_id IS NOT NULL;
DROP INDEX hooks_service;
ALTER TABLE hooks DROP COLUMN service_id;
