DROP TRIGGER uploads_update_totals ON uploads;
DROP TRIGGER uploads_delete_totals ON uploads;
DROP TRIGGER uploads_insert_totals ON uploads;
DROP FUNCTION uncount_uploader();
DROP FUNCTION uncount_upload();
DROP FUNCTION count_upload();
DROP TABLE upload_totals;
