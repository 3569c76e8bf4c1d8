-- How many bytes the uploads of a project have in all (uploader 0) and of each uploader: quotas ask at every upload.
-- Triggers keep it. What belonged to an account that is gone counts for the project alone.
CREATE TABLE upload_totals (
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    uploader_id BIGINT NOT NULL,
    size BIGINT NOT NULL,
    PRIMARY KEY (project_id, uploader_id)
);
INSERT INTO upload_totals (project_id, uploader_id, size)
    SELECT project_id, 0, SUM(size) FROM uploads GROUP BY project_id;
INSERT INTO upload_totals (project_id, uploader_id, size)
    SELECT project_id, uploader_id, SUM(size) FROM uploads WHERE uploader_id IS NOT NULL GROUP BY project_id, uploader_id;

CREATE TRIGGER uploads_insert_totals AFTER INSERT ON uploads BEGIN
    INSERT INTO upload_totals (project_id, uploader_id, size) VALUES (NEW.project_id, 0, NEW.size)
        ON CONFLICT (project_id, uploader_id) DO UPDATE SET size = size + excluded.size;
    INSERT INTO upload_totals (project_id, uploader_id, size)
        SELECT NEW.project_id, NEW.uploader_id, NEW.size WHERE NEW.uploader_id IS NOT NULL
        ON CONFLICT (project_id, uploader_id) DO UPDATE SET size = size + excluded.size;
END;
CREATE TRIGGER uploads_delete_totals AFTER DELETE ON uploads BEGIN
    UPDATE upload_totals SET size = size - OLD.size
        WHERE project_id = OLD.project_id AND uploader_id IN (0, OLD.uploader_id);
END;
CREATE TRIGGER uploads_update_totals AFTER UPDATE OF uploader_id ON uploads
WHEN OLD.uploader_id IS NOT NULL AND OLD.uploader_id IS NOT NEW.uploader_id BEGIN
    UPDATE upload_totals SET size = size - OLD.size
        WHERE project_id = OLD.project_id AND uploader_id = OLD.uploader_id;
END;
