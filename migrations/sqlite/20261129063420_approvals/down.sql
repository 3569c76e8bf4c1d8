DROP TABLE merge_request_verdicts;
DROP TABLE approval_rule_groups;
DROP TABLE approval_rule_users;
DROP TABLE approval_rules;
DROP TABLE approval_settings;
