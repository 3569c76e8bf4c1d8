DROP TABLE commit_statuses;
DROP TABLE pipelines;
DROP TABLE commit_comments;
DROP TABLE releases;
DROP TABLE protected_refs;
DROP TABLE repository_facts;
DROP TABLE refs;
