-- The uploads of an account that is removed go to another one, or to none. They count for the account that has them then, and for
-- the project either way.
DROP TRIGGER uploads_update_totals ON uploads;
DROP FUNCTION uncount_uploader();
CREATE FUNCTION recount_uploader() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    UPDATE upload_totals SET size = size - OLD.size
        WHERE project_id = OLD.project_id AND uploader_id = OLD.uploader_id;
    IF NEW.uploader_id IS NOT NULL THEN
        INSERT INTO upload_totals AS known (project_id, uploader_id, size) VALUES (NEW.project_id, NEW.uploader_id, NEW.size)
            ON CONFLICT (project_id, uploader_id) DO UPDATE SET size = known.size + EXCLUDED.size;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER uploads_update_totals AFTER UPDATE OF uploader_id ON uploads FOR EACH ROW
    WHEN (OLD.uploader_id IS DISTINCT FROM NEW.uploader_id)
    EXECUTE FUNCTION recount_uploader();
DELETE FROM upload_totals WHERE uploader_id <> 0;
INSERT INTO upload_totals (project_id, uploader_id, size)
    SELECT project_id, uploader_id, SUM(size) FROM uploads WHERE uploader_id IS NOT NULL GROUP BY project_id, uploader_id;
