ALTER TABLE projects DROP COLUMN unborn_branch;
