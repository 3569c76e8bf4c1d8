DROP TABLE former_paths;
DROP TABLE commit_references;
