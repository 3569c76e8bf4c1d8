DROP TABLE project_mirrors;
