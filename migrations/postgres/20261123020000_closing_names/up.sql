-- What a merge request says that it closes is remembered by name, and what has that name is found when it is asked for:
-- issues come, go and move after the text was written. An address is `project:7` for an issue of the same project (`#1`),
-- `namespace:5/tool` for one of a project beside it (`tool#1`), or the key of a full path.
CREATE TABLE merge_request_closing_names (
    issuable_id BIGINT NOT NULL REFERENCES merge_requests (issuable_id) ON DELETE CASCADE,
    -- That of the merge request.
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    address TEXT NOT NULL,
    iid BIGINT NOT NULL,
    -- Whether a commit says so, or title and description.
    by_commit BOOLEAN NOT NULL,
    PRIMARY KEY (issuable_id, address, iid, by_commit)
);
CREATE INDEX merge_request_closing_names_address ON merge_request_closing_names (iid, address, issuable_id);
CREATE INDEX merge_request_closing_names_project ON merge_request_closing_names (project_id);
INSERT INTO merge_request_closing_names (issuable_id, project_id, address, iid, by_commit)
    SELECT c.issuable_id, r.project_id,
        CASE WHEN i.project_id = r.project_id THEN 'project:' || i.project_id ELSE f.path_key END, i.iid, c.by_commit
    FROM merge_request_closes c
    JOIN issuables r ON r.id = c.issuable_id
    JOIN issuables i ON i.id = c.issue_id
    JOIN full_paths f ON f.project_id = i.project_id;
DROP TABLE merge_request_closes;
-- The merge requests that close an issue. An issue of the project from which that of the merge request was forked is not
-- closed. To be asked by issue: the kind is written so that no index of it is tempting.
CREATE VIEW merge_request_closes (issuable_id, issue_id, by_commit) AS
    SELECT n.issuable_id, i.id, n.by_commit
    FROM issuables i
    JOIN projects p ON p.id = i.project_id
    JOIN full_paths f ON f.project_id = p.id
    JOIN merge_request_closing_names n ON n.iid = i.iid AND n.address IN (
        'project:' || i.project_id, 'namespace:' || p.namespace_id || '/' || lower(p.path), f.path_key
    )
    JOIN projects h ON h.id = n.project_id
    WHERE i.kind || '' = 'issue' AND i.deleted_at IS NULL AND h.forked_from_id IS DISTINCT FROM i.project_id;

-- A project that moves has other projects beside it.
CREATE FUNCTION move_closing_names() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    UPDATE merge_request_closing_names
        SET address = 'namespace:' || NEW.namespace_id || substr(address, strpos(address, '/'))
        WHERE project_id = NEW.id AND address LIKE 'namespace:%';
    RETURN NULL;
END
$$;
CREATE TRIGGER projects_move_closing_names AFTER UPDATE OF namespace_id ON projects FOR EACH ROW
    WHEN (OLD.namespace_id IS DISTINCT FROM NEW.namespace_id)
    EXECUTE FUNCTION move_closing_names();
