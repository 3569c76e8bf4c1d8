DROP TABLE lfs_locks;
DROP TABLE lfs_links;
DROP TABLE lfs_objects;
ALTER TABLE repository_facts DROP COLUMN lfs_size;
