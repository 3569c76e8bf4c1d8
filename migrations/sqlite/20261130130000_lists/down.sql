ALTER TABLE issuables DROP COLUMN issue_type;
ALTER TABLE issuables DROP COLUMN weight;
DROP INDEX issuables_project_kind;
DROP INDEX issuables_kind;
DROP INDEX namespaces_kind;
DROP INDEX projects_updated_at;
DROP INDEX projects_path;
DROP INDEX projects_name;
