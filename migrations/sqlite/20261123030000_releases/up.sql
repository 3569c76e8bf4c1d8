-- Release notes of a tag are its release.

-- NULL where it is called as its tag.
ALTER TABLE releases ADD COLUMN name TEXT;
ALTER TABLE releases ADD COLUMN released_at TIMESTAMP NOT NULL DEFAULT '1970-01-01 00:00:00';
UPDATE releases SET released_at = created_at;
ALTER TABLE releases ADD COLUMN author_id BIGINT REFERENCES users (id) ON DELETE SET NULL;
CREATE INDEX releases_released ON releases (project_id, released_at, tag_name);
CREATE INDEX releases_author ON releases (author_id);

CREATE TABLE release_links (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    tag_name TEXT NOT NULL,
    name TEXT NOT NULL,
    url TEXT NOT NULL,
    filepath TEXT,
    link_type TEXT NOT NULL CHECK (link_type IN ('other', 'runbook', 'package', 'image')),
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    FOREIGN KEY (project_id, tag_name) REFERENCES releases (project_id, tag_name) ON DELETE CASCADE
);
CREATE UNIQUE INDEX release_links_name ON release_links (project_id, tag_name, name);
CREATE UNIQUE INDEX release_links_url ON release_links (project_id, tag_name, url);
CREATE UNIQUE INDEX release_links_filepath ON release_links (project_id, tag_name, filepath);

CREATE TABLE release_milestones (
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    tag_name TEXT NOT NULL,
    milestone_id BIGINT NOT NULL REFERENCES milestones (id) ON DELETE CASCADE,
    PRIMARY KEY (project_id, tag_name, milestone_id),
    FOREIGN KEY (project_id, tag_name) REFERENCES releases (project_id, tag_name) ON DELETE CASCADE
);
CREATE INDEX release_milestones_milestone ON release_milestones (milestone_id);
