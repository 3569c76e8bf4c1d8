DROP TRIGGER members_change_access ON members;
DROP TRIGGER shares_change_access ON shares;
DROP TRIGGER namespace_closure_change_access ON namespace_closure;
DROP TRIGGER namespaces_change_access ON namespaces;
DROP TRIGGER projects_change_access ON projects;
DROP TRIGGER project_features_change_access ON project_features;
DROP FUNCTION access_changes();
DROP TABLE access_revision;
