-- How often each project was fetched, by day. Older days than the last thirty are removed.
CREATE TABLE project_fetches (
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    day DATE NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (project_id, day)
);
CREATE INDEX project_fetches_day ON project_fetches (day);
