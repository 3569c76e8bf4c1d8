ALTER TABLE projects DROP COLUMN pushes_since_packing;
