DROP TABLE lfs_locks;
DROP TABLE lfs_links;
DROP FUNCTION count_lfs_link();
DROP FUNCTION uncount_lfs_link();
DROP TABLE lfs_objects;
ALTER TABLE repository_facts DROP COLUMN lfs_size;
