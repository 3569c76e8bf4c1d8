DROP TABLE issue_positions;
