DROP TRIGGER uploads_update_totals;
CREATE TRIGGER uploads_update_totals AFTER UPDATE OF uploader_id ON uploads
WHEN OLD.uploader_id IS NOT NULL AND OLD.uploader_id IS NOT NEW.uploader_id BEGIN
    UPDATE upload_totals SET size = size - OLD.size
        WHERE project_id = OLD.project_id AND uploader_id = OLD.uploader_id;
END;
