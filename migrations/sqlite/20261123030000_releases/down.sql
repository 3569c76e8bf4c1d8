DROP TABLE release_milestones;
DROP TABLE release_links;
DROP INDEX releases_author;
DROP INDEX releases_released;
ALTER TABLE releases DROP COLUMN author_id;
ALTER TABLE releases DROP COLUMN released_at;
ALTER TABLE releases DROP COLUMN name;
