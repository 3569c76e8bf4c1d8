DROP TRIGGER uploads_update_totals ON uploads;
DROP FUNCTION recount_uploader();
CREATE FUNCTION uncount_uploader() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    UPDATE upload_totals SET size = size - OLD.size
        WHERE project_id = OLD.project_id AND uploader_id = OLD.uploader_id;
    RETURN NULL;
END
$$;
CREATE TRIGGER uploads_update_totals AFTER UPDATE OF uploader_id ON uploads FOR EACH ROW
    WHEN (OLD.uploader_id IS NOT NULL AND OLD.uploader_id IS DISTINCT FROM NEW.uploader_id)
    EXECUTE FUNCTION uncount_uploader();
