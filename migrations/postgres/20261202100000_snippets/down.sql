UPDATE project_features SET settings =
    CASE settings WHEN '{}' THEN '{' ELSE substr(settings, 1, length(settings) - 1) || ',' END ||
    '"snippets_access_level":"' || snippets_access_level || '"}'
    WHERE snippets_access_level <> 'enabled' AND settings NOT LIKE '%"snippets_access_level"%';
ALTER TABLE project_features DROP COLUMN snippets_access_level;
DROP TABLE snippet_files;
DROP TABLE snippets;
