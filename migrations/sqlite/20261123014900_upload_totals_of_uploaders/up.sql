-- The uploads of an account that is removed go to another one, or to none. They count for the account that has them then, and for
-- the project either way.
DROP TRIGGER uploads_update_totals;
CREATE TRIGGER uploads_update_totals AFTER UPDATE OF uploader_id ON uploads WHEN OLD.uploader_id IS NOT NEW.uploader_id BEGIN
    UPDATE upload_totals SET size = size - OLD.size
        WHERE project_id = OLD.project_id AND uploader_id = OLD.uploader_id;
    INSERT INTO upload_totals (project_id, uploader_id, size)
        SELECT NEW.project_id, NEW.uploader_id, NEW.size WHERE NEW.uploader_id IS NOT NULL
        ON CONFLICT (project_id, uploader_id) DO UPDATE SET size = size + excluded.size;
END;
DELETE FROM upload_totals WHERE uploader_id <> 0;
INSERT INTO upload_totals (project_id, uploader_id, size)
    SELECT project_id, uploader_id, SUM(size) FROM uploads WHERE uploader_id IS NOT NULL GROUP BY project_id, uploader_id;
