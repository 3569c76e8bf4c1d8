DROP TABLE project_fetches;
