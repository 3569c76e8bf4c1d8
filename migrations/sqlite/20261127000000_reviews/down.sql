DROP TABLE seen_versions;
DROP TABLE viewed_files;
DROP TABLE draft_notes;
