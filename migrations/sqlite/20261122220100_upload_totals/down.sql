DROP TRIGGER uploads_update_totals;
DROP TRIGGER uploads_delete_totals;
DROP TRIGGER uploads_insert_totals;
DROP TABLE upload_totals;
